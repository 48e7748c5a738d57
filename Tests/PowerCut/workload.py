"""Has a recorded listsd do all that changes its files, and keeps what the clients' records are to be."""

from __future__ import annotations

import base64
import copy
import hashlib
import os
import random
import shutil
import signal
import subprocess
import threading
from typing import Any, Optional

from line_connection import LineConnection
from listsd_process import ListsdProcess
from recording import CLIENT, Recording

Json = Any
#: What the recorder takes for SIGKILL, so that nothing is done that it has not noted.
KILL = signal.SIGRTMAX
#: Where all clients count together.
SHARED = "shared"
OTHER_CONTAINER = "other"


def compiled(library: str) -> None:
    """Makes the library that records."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorder.c")
    # The toolchain has one beside the Swift compiler.
    beside = os.path.join(os.path.dirname(os.path.realpath(shutil.which("swift") or "")), "clang")
    subprocess.run(
        [shutil.which("clang") or beside, "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def recorded(library: str, log: str, root: str) -> dict[str, str]:
    """The environment in which what happens below `root` is recorded."""
    return {"LD_PRELOAD": library, "POWER_CUT_LOG": log, "POWER_CUT_ROOT": root}


def record(folder: str, library: str, listsd: str, seed: str, clients: int, requests: int) -> Recording:
    """Runs the clients, each with so many requests, over three processes: one is killed, one ends by itself."""
    recording = Recording(folder, [], [])
    os.mkdir(recording.disk)
    service = ListsdProcess(folder, listsd, environment=recorded(library, recording.log, recording.disk))
    service.state = os.path.join(recording.disk, "state")
    owners: list[Owner] = []
    try:
        for ending in [KILL, signal.SIGTERM, KILL]:
            service.start()
            if not owners:
                owners = [Owner(number + 1, f"{seed}/{number}", capabilities(service.socket)) for number in range(clients)]
                _declare(service.socket)
            threads = [
                threading.Thread(target=owner.work, args=(service.socket, requests // 3), daemon=True) for owner in owners]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for owner in owners:
                if owner.fault is not None:
                    raise owner.fault
            service.end(ending)
    finally:
        service.close()
    recording.states = [owner.states for owner in owners]
    recording.requests = [owner.requests for owner in owners]
    recording.save()
    return recording


def capabilities(path: str) -> set[str]:
    connection = LineConnection(path)
    answer, _ = connection.ask("serverInfo", {})
    connection.close()
    return set((answer or {})["capabilities"])


def _declare(path: str) -> None:
    connection = LineConnection(path)
    fields = {"n": {"type": "int64", "indexes": ["queryable", "sortable"]}, "u": {"type": "string", "unique": True}}
    _, error = connection.ask("saveRecordType", {"recordType": {"name": "Item", "fields": fields}})
    connection.close()
    if error is not None:
        raise ValueError(error)


def own_container(owner: int) -> str:
    return f"own{owner}"


class Owner:
    """A client with records of its own, so that it knows what they are to be. One request at a time."""

    def __init__(self, number: int, seed: str, abilities: set[str]) -> None:
        self._number = number
        self._draw = random.Random(seed)
        self._has_assets = "assets" in abilities
        self._has_keys = "idempotency" in abilities
        self._has_containers = "containers" in abilities
        self._has_cascades = "undo" in abilities
        self._names = [f"c{number}-{place}" for place in range(4)]
        #: The first is who the others refer to.
        self._family = [f"c{number}-head"] + [f"c{number}-kin{place}" for place in range(3)]
        self._zone = f"z{number}"
        self._turn = 0
        #: Behind each request: fields by container, zone and name (without a name: the zone is there), and the increments.
        self.states: list[Json] = [{"records": {}, "increments": 0}]
        #: The method and the params of each request; none is the first state's.
        self.requests: list[Json] = [None]
        self.fault: Optional[BaseException] = None

    def work(self, path: str, requests: int) -> None:
        try:
            connection = LineConnection(path)
            for _ in range(requests):
                self._ask(connection)
            connection.close()
        except BaseException as fault:
            self.fault = fault

    def _ask(self, connection: LineConnection) -> None:
        self._turn += 1
        state = copy.deepcopy(self.states[-1])
        method, params = self._compose(state)
        if self._has_keys and method in ("saveRecord", "deleteRecord", "modifyRecords"):
            params["idempotencyKey"] = f"{self._number}-{self._turn}"
        self.states.append(state)
        self.requests.append([method, params])
        identifier = connection.send(method, params, self._number * CLIENT + self._turn)
        message = connection.receive()
        if message.get("id") != identifier or "error" in message:
            raise ValueError(f"{method} {str(params)[:300]}: {str(message)[:500]}")

    # MARK: Requests

    def _compose(self, state: Json) -> tuple[str, Json]:
        """A request that can't fail; `state` becomes what it leads to."""
        kinds = [self._save, self._merge, self._delete, self._batch, self._large, self._zoned, self._elsewhere]
        weights = [5.0, 5, 2, 5, 0.7, 2, 1]
        if self._has_assets:
            kinds.append(self._asset)
            weights.append(2)
        if self._has_containers:
            kinds.append(self._contained)
            weights.append(1.5)
        if self._has_cascades:
            kinds += [self._related, self._fallen, self._restored, self._exchange]
            weights += [3, 1.5, 1.5, 1.5]
        return self._draw.choices(kinds, weights)[0](state)

    def _fields(self) -> Json:
        return {"n": self._draw.randrange(1000), "s": "x" * self._draw.randrange(300), "stamp": self._turn}

    def _save(
        self, state: Json, container: str = "default", zone: str = "_defaultZone", fields: Json = None, name: Optional[str] = None,
    ) -> tuple[str, Json]:
        name = name or self._draw.choice(self._names)
        fields = fields or self._fields()
        state["records"][_key(container, zone, name)] = fields
        params: Json = {"record": _draft(name, fields, zone), "savePolicy": "allKeys"}
        return "saveRecord", {**params, **({"container": container} if container != "default" else {})}

    def _merge(self, state: Json) -> tuple[str, Json]:
        name = self._draw.choice(self._names)
        _merge(state["records"], name, self._turn)
        draft = _draft(name, {"n": {"$increment": 1}, "stamp": self._turn})
        return "saveRecord", {"record": draft, "savePolicy": "changedKeys"}

    def _delete(self, state: Json) -> tuple[str, Json]:
        name = self._draw.choice(self._names)
        state["records"].pop(_key("default", "_defaultZone", name), None)
        return "deleteRecord", {"recordName": name, "ignoreMissing": True}

    def _batch(self, state: Json) -> tuple[str, Json]:
        """Several of its own, and an increment of what is everybody's."""
        operations = []
        for name in self._draw.sample(self._names, self._draw.randint(2, 4)):
            word = self._draw.choice(["forceReplace", "forceUpdate", "forceDelete"])
            key = _key("default", "_defaultZone", name)
            if word == "forceReplace":
                state["records"][key] = fields = self._fields()
                operations.append({"operationType": word, "record": _draft(name, fields)})
            elif word == "forceUpdate":
                _merge(state["records"], name, self._turn)
                operations.append({
                    "operationType": word, "record": _draft(name, {"n": {"$increment": 1}, "stamp": self._turn})})
            else:
                state["records"].pop(key, None)
                operations.append({"operationType": word, "record": {"recordName": name}})
        state["increments"] += 1
        shared = {"operationType": "forceUpdate", "record": _draft(SHARED, {"n": {"$increment": 1}})}
        operations.insert(self._draw.randint(0, len(operations)), shared)
        return "modifyRecords", {"operations": operations}

    def _large(self, state: Json) -> tuple[str, Json]:
        """Makes the log long, so that it is copied."""
        return self._save(state, fields={"n": self._turn, "s": "y" * self._draw.randint(200_000, 900_000), "stamp": self._turn})

    def _zoned(self, state: Json) -> tuple[str, Json]:
        key = _key("default", self._zone, None)
        if key not in state["records"]:
            state["records"][key] = {}
            return "saveZone", {"zoneName": self._zone}
        if self._draw.random() < 0.2:
            for other in [other for other in state["records"] if other.startswith(f"default/{self._zone}/")]:
                del state["records"][other]
            return "deleteZone", {"zoneName": self._zone}
        return self._save(state, zone=self._zone)

    def _elsewhere(self, state: Json) -> tuple[str, Json]:
        return self._save(state, container=OTHER_CONTAINER)

    def _contained(self, state: Json) -> tuple[str, Json]:
        """In a container of its own, which is deleted now and then with all that is in it."""
        container = own_container(self._number)
        there = [key for key in state["records"] if key.startswith(f"{container}/")]
        if not there or self._draw.random() < 0.6:
            return self._save(state, container=container)
        for key in there:
            del state["records"][key]
        return "deleteContainer", {"container": container}

    # MARK: Records that act on each other

    def _related(self, state: Json) -> tuple[str, Json]:
        """Saves the head of its family, or somebody who refers to it."""
        state.pop("fallen", None)
        head = _key("default", "_defaultZone", self._family[0])
        name = self._draw.choice(self._family)
        if head not in state["records"] or name == self._family[0]:
            return self._save(state, name=self._family[0])
        action = self._draw.choice(["deleteSelf", "setNull"])
        reference = {"$reference": {"recordName": self._family[0], "action": action}}
        return self._save(state, name=name, fields={**self._fields(), "head": reference})

    def _fallen(self, state: Json) -> tuple[str, Json]:
        """Deletes the head, and whoever goes with it."""
        keys = [_key("default", "_defaultZone", name) for name in self._family]
        family = {key: state["records"][key] for key in keys if key in state["records"]}
        if keys[0] in family:
            state["fallen"] = family
        for key, fields in family.items():
            reference = fields.get("head", {}).get("$reference", {})
            if key == keys[0] or reference.get("action") == "deleteSelf":
                del state["records"][key]
            elif reference:
                state["records"][key] = {name: value for name, value in fields.items() if name != "head"}
        return "deleteRecord", {"recordName": self._family[0], "ignoreMissing": True}

    def _restored(self, state: Json) -> tuple[str, Json]:
        """Brings all back that fell, where nothing was done to them since."""
        family = state.pop("fallen", None)
        if family is None:
            return self._related(state)
        state["records"].update(family)
        return "restoreRecord", {"recordName": self._family[0], "withCascade": True}

    def _exchange(self, state: Json) -> tuple[str, Json]:
        """Two records get or exchange values that must be unique."""
        operations = []
        values = [f"{self._number}a", f"{self._number}b"]
        self._draw.shuffle(values)
        for name, value in zip(self._names, values):
            state["records"][_key("default", "_defaultZone", name)] = fields = {**self._fields(), "u": value}
            operations.append({"operationType": "forceReplace", "record": _draft(name, fields)})
        return "modifyRecords", {"operations": operations}

    def _asset(self, state: Json) -> tuple[str, Json]:
        """Saves one, and then a record with it."""
        pending = state.pop("asset", None)
        if pending is not None:
            return self._save(state, fields={**self._fields(), "file": pending})
        data = self._draw.randbytes(self._draw.choice([10, 5000, 100_000]))
        state["asset"] = {"$asset": {"checksum": hashlib.sha256(data).hexdigest(), "size": len(data)}}
        return "saveAsset", {"size": len(data), "data": base64.b64encode(data).decode()}


def _key(container: str, zone: str, name: Optional[str]) -> str:
    return f"{container}/{zone}/{name or ''}"


def _draft(name: str, fields: Json, zone: str = "_defaultZone") -> Json:
    return {"recordType": "Item", "recordName": name, "zoneName": zone, "fields": fields}


def _merge(records: Json, name: str, turn: int) -> None:
    there = records.get(_key("default", "_defaultZone", name), {})
    records[_key("default", "_defaultZone", name)] = {**there, "n": there.get("n", 0) + 1, "stamp": turn}
