"""Opens what a power cut left behind, and says whether the service's promises hold."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import os
import random
import signal
import sqlite3
from typing import Any, Optional

from line_connection import LineConnection, Lost
from listsd_process import ListsdProcess, StartFault
from recording import Recording, Replies
from workload import SHARED

Json = Any
Records = dict[str, Json]
"""By container, zone and name, as in `workload`; a zone has no name."""


class Broken(Exception):
    """A promise that was not kept. `name` says which one, for the tests of the checker."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(f"{name}: {text}")
        self.name = name


@dataclasses.dataclass
class Promised:
    """What was answered before the cut."""

    recording: Recording
    answered: list[int]
    tokens: list[dict[int, str]]

    @staticmethod
    def by(recording: Recording, replies: Replies) -> "Promised":
        return Promised(recording, list(replies.answered), [dict(tokens) for tokens in replies.tokens])


class Opened:
    """The service on such a disk. `folder` has it as `disk`."""

    def __init__(self, folder: str, listsd: str, environment: Optional[dict[str, str]] = None) -> None:
        self._service = ListsdProcess(folder, listsd, environment=environment)
        self._service.state = os.path.join(folder, "disk", "state")
        try:
            self._service.start()
            self._connection = LineConnection(self._service.socket)
        except (StartFault, Lost) as fault:
            raise Broken("start", str(fault)) from fault

    def try_to(self, method: str, params: Json, container: str = "default") -> tuple[Json, Json]:
        """The answer, and the error."""
        try:
            return self._connection.ask(
                method, {**params, **({"container": container} if container != "default" else {})})
        except Lost as lost:
            raise Broken("crash", f"{method}: {lost}; {self._service.log(2000)}") from lost

    def ask(self, method: str, params: Json, container: str = "default") -> Json:
        answer, error = self.try_to(method, params, container)
        if error is not None:
            raise Broken("error", f"{method} {params}: {error}; {self._service.log(1000)}")
        return answer

    def end(self) -> None:
        self._connection.close()
        if (status := self._service.end(signal.SIGTERM)) != 0:
            raise Broken("end", f"listsd ended with {status}: {self._service.log(2000)}")

    def close(self) -> None:
        self._connection.close()
        self._service.close()


def judge(
    folder: str, listsd: str, promised: Promised, draw: random.Random, environment: Optional[dict[str, str]] = None,
) -> None:
    """Raises `Broken`. `environment`: of the service that opens it."""
    opened = Opened(folder, listsd, environment)
    try:
        containers = _containers(promised.recording)
        replayed = {container: _replayed(opened, container) for container in containers}
        for container in containers:
            _compare_with_queries(opened, container, replayed[container])
        found = _records(opened, containers, replayed)
        places = _judge_owners(promised, found)
        _judge_tokens(opened, promised, places, found, draw)
        _judge_assets(opened, found)
        _judge_unique(opened, found)
        _judge_soundness(opened, containers)
        _judge_repeating(opened, promised, containers, draw)
        _judge_writing(opened, containers)
        opened.end()
        _judge_files(os.path.join(folder, "disk", "state"))
    finally:
        opened.close()


# MARK: What is there


def _containers(recording: Recording) -> list[str]:
    """All that something was ever saved in."""
    return sorted({key.split("/")[0] for states in recording.states for state in states for key in state["records"]} | {"default"})


def _replayed(opened: Opened, container: str, since: Optional[str] = None) -> list[Json]:
    """All changes, from the beginning or since a token."""
    changes: list[Json] = []
    token = since
    while True:
        page = opened.ask(
            "fetchChanges", {"resultsLimit": 40, **({"since": token} if token is not None else {})}, container)
        changes += page["changes"]
        token = page["changeToken"]
        if not page["moreComing"]:
            return changes


def _compare_with_queries(opened: Opened, container: str, changes: list[Json]) -> None:
    """The log of changes, from its beginning, leads to what there is; and so does an index."""
    replayed = {(one["zoneName"], one["recordName"]): one["record"] for one in changes}
    for params in ({}, {"predicate": "n >= 0", "sortDescriptors": [{"key": "n"}]}):
        records: list[Json] = []
        page = {"recordType": "Item", "resultsLimit": 1000, **params}
        while True:
            answer = opened.ask("performQuery", page, container)
            records += answer["records"]
            if "cursor" not in answer:
                break
            page = {**page, "cursor": answer["cursor"]}
        queried = {(one["zoneName"], one["recordName"]): one for one in records}
        if len(queried) != len(records) or queried != replayed:
            differing = [key for key in {**queried, **replayed} if queried.get(key) != replayed.get(key)]
            raise Broken("log", f"changes and records differ ({params}): {differing[:10]} of {len(queried)}/{len(replayed)}")
    count = opened.ask("countRecords", {"recordType": "Item"}, container)["count"]
    if count != len(replayed):
        raise Broken("log", f"there are {len(replayed)} records, and {count} are counted")


def _records(opened: Opened, containers: list[str], replayed: dict[str, list[Json]]) -> Records:
    found: Records = {}
    for container in containers:
        for change in replayed[container]:
            found[f"{container}/{change['zoneName']}/{change['recordName']}"] = change["record"]["fields"]
        for zone in opened.ask("fetchZones", {}, container)["zones"]:
            if zone["zoneName"] != "_defaultZone":
                found[f"{container}/{zone['zoneName']}/"] = {}
    return found


# MARK: What was promised


def _is_of(key: str, owner: int) -> bool:
    _, zone, name = key.split("/")
    return name.startswith(f"c{owner}-") or (not name and zone == f"z{owner}")


def _judge_owners(promised: Promised, found: Records) -> list[int]:
    """What each client had answered is there, and perhaps the one request that was not answered yet, whole or not at
    all. Returns the number of the last request that is done, of each."""
    places = []
    for number, states in enumerate(promised.recording.states):
        own = {key: fields for key, fields in found.items() if _is_of(key, number + 1)}
        last = promised.answered[number]
        possible = [place for place in (last, last + 1) if place < len(states) and states[place]["records"] == own]
        if not possible:
            earlier = [place for place, state in enumerate(states[:last]) if state["records"] == own]
            differing = [
                f"{key}: {str(own.get(key))[:150]} and not {str(states[last]['records'].get(key))[:150]}"
                for key in {**own, **states[last]["records"]} if own.get(key) != states[last]["records"].get(key)]
            raise Broken(
                "lost" if earlier else "half",
                f"client {number + 1} was answered up to request {last}, and its records are as behind request "
                f"{earlier[-1] if earlier else 'none'}: {'; '.join(differing)[:1500]}")
        places.append(possible)
    count = found.get(f"default/_defaultZone/{SHARED}", {}).get("n", 0)
    sums = {0}
    for number, possible in enumerate(places):
        increments = {promised.recording.states[number][place]["increments"] for place in possible}
        sums = {total + more for total in sums for more in increments}
    if count not in sums:
        raise Broken("half", f"all have counted to {count} together, and what else their batches did says {sorted(sums)}")
    return [possible[-1] for possible in places]


def _judge_tokens(opened: Opened, promised: Promised, places: list[int], found: Records, draw: random.Random) -> None:
    """Who goes on from an answer's token is told what has changed since."""
    number = draw.randrange(len(places))
    states = promised.recording.states[number]
    tokens = promised.tokens[number]
    usable = [place for place in tokens if place <= promised.answered[number] and _is_default(states, place)]
    if not usable:
        return
    place = draw.choice(usable)
    held = {key: fields for key, fields in states[place]["records"].items() if _is_record(key)}
    for change in _replayed(opened, "default", tokens[place]):
        key = f"default/{change['zoneName']}/{change['recordName']}"
        if not _is_of(key, number + 1):
            continue
        if change["reason"] == "deleted":
            held.pop(key, None)
        else:
            held[key] = change["record"]["fields"]
    now = {key: fields for key, fields in found.items() if _is_of(key, number + 1) and _is_record(key)}
    if held != now:
        differing = [key for key in {**held, **now} if held.get(key) != now.get(key)]
        raise Broken("since", f"client {number + 1} goes on from request {place}, and then holds other {differing}")


def _is_default(states: list[Json], place: int) -> bool:
    """Whether the request was one of the default container."""
    elsewhere = [
        {key: fields for key, fields in state["records"].items() if not key.startswith("default/")}
        for state in states[place - 1:place + 1]]
    return elsewhere[0] == elsewhere[1]


def _is_record(key: str) -> bool:
    return key.startswith("default/") and not key.endswith("/")


def _judge_assets(opened: Opened, found: Records) -> None:
    for key, fields in found.items():
        if "file" not in fields:
            continue
        asset = fields["file"]["$asset"]
        data = base64.b64decode(opened.ask("fetchAsset", {"checksum": asset["checksum"]}, key.split("/")[0])["data"])
        if hashlib.sha256(data).hexdigest() != asset["checksum"]:
            raise Broken("asset", f"the asset of {key} has another content than it was saved with: {len(data)} bytes")


def _judge_unique(opened: Opened, found: Records) -> None:
    """What has a value that must be unique is found by it, and nobody else may have it."""
    for key, fields in found.items():
        if "u" not in fields:
            continue
        answer = opened.ask("performQuery", {"recordType": "Item", "predicate": "u == %@", "arguments": [fields["u"]]})
        names = [record["recordName"] for record in answer["records"]]
        if names != [key.split("/")[2]]:
            raise Broken("unique", f"{key} has the value {fields['u']}, by which {names} are found")
        draft = {"recordType": "Item", "recordName": "another", "fields": {"u": fields["u"], "n": 0}}
        _, error = opened.try_to("saveRecord", {"record": draft})
        if error is None or error["data"]["errorCode"] != "constraintViolation":
            raise Broken("unique", f"{fields['u']}, which {key} has, is saved once more: {error}")


def _judge_soundness(opened: Opened, containers: list[str]) -> None:
    """The service, asked to look all of it through, finds nothing wrong."""
    for container in containers:
        report = opened.ask("checkDatabase", {}, container)
        if not report["isSound"]:
            raise Broken("unsound", f"{container}: {str(report['problems'])[:1500]}")


def _judge_repeating(opened: Opened, promised: Promised, containers: list[str], draw: random.Random) -> None:
    """A client sends its last requests again under their keys: what it has been answered and what it has not. Both are
    done once then."""
    number = draw.randrange(len(promised.answered))
    states, last = promised.recording.states[number], promised.answered[number]
    for place in (last, last + 1):
        method, params = (promised.recording.requests[number][place:] or [None])[0] or (None, {})
        if "idempotencyKey" not in params:
            return
        opened.ask(method, params)
        found = _records(opened, containers, {container: _replayed(opened, container) for container in containers})
        own = {key: fields for key, fields in found.items() if _is_of(key, number + 1)}
        # The next one may have been done before the cut.
        if own not in [states[done]["records"] for done in (place, last + 1) if done < len(states)]:
            raise Broken("again", f"client {number + 1} sent request {place} again, and it was not done just once")


def _judge_writing(opened: Opened, containers: list[str]) -> None:
    """It goes on as if nothing had been."""
    for container in containers:
        draft = {"recordType": "Item", "recordName": "afterwards", "fields": {"n": 1}}
        opened.ask("saveRecord", {"record": draft, "savePolicy": "allKeys"}, container)
        opened.ask("fetchRecord", {"recordName": "afterwards"}, container)


def _judge_files(state: str) -> None:
    for folder, _, names in os.walk(state):
        for name in names:
            if not name.endswith(".db"):
                continue
            database = sqlite3.connect(os.path.join(folder, name))
            [(found,)] = database.execute("PRAGMA integrity_check(1)").fetchall()
            database.close()
            if found != "ok":
                raise Broken("damage", f"{name}: {found}")
