"""`listsrpc watch`, killed and started again, whose lines say what there is.

What was printed behind the position that is noted is told anew, as one replay: of a record that was printed, and is
deleted before the next start, nothing comes. So the reader goes back to the noted position, as its lines have it.
"""

from __future__ import annotations

import collections
import os
import subprocess
from typing import Optional

from held import HeldRecords
from wire import Fault, Json, Key, key_of, parsed, position_of, text_of

_UNAVAILABLE = 3
_LOST = "the connection to the service was lost"
_LEAVES = {"left", "deleted"}


class Watcher:
    """One watch over all the processes that it is."""

    def __init__(self, number: int, listsrpc: str, socket: str, folder: str, params: Json, has_state: bool) -> None:
        self.params = params
        self.held: HeldRecords = HeldRecords(params)
        self._listsrpc = listsrpc
        self._environment = {**os.environ, "LISTS_SOCKET": socket}
        self._folder = os.path.join(folder, f"watch{number}")
        os.mkdir(self._folder)
        self._has_state = has_state
        #: What was held at the last positions that were printed. At most one commit is printed and not noted.
        self._snapshots: collections.deque[tuple[int, dict[Key, Json]]] = collections.deque(maxlen=8)
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._output = ""
        self._read = 0
        #: How often one after another it ended before it had printed anything.
        self._failures = 0
        self.starts = 0
        self.lines = 0

    def __str__(self) -> str:
        return f"listsrpc {' '.join(self._arguments)}"

    @property
    def _arguments(self) -> list[str]:
        arguments = ["watch", "--json", "--initial"]
        if "recordType" in self.params:
            arguments.append(self.params["recordType"])
        if "predicate" in self.params:
            arguments += ["--where", self.params["predicate"]]
        for argument in self.params.get("arguments", []):
            arguments += ["--arg-json", text_of(argument)]
        if self._has_state:
            arguments += ["--state", os.path.join(self._folder, "state")]
        return arguments

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def start(self) -> None:
        """Starts it, if it doesn't run. Without a state file it begins anew."""
        if self._process is not None:
            return
        self._go_back()
        self.starts += 1
        self._output = os.path.join(self._folder, f"{self.starts}.jsonl")
        self._read = 0
        with open(self._output, "wb") as output, open(os.path.join(self._folder, "errors"), "ab") as errors:
            self._process = subprocess.Popen(
                [self._listsrpc, *self._arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                env=self._environment)

    def _go_back(self) -> None:
        """Forgets what was printed and is not noted."""
        path = os.path.join(self._folder, "state")
        if not self._has_state or not os.path.exists(path) or os.path.getsize(path) == 0:
            if self._has_state and self.lines:
                raise Fault("watch", f"{self} has printed {self.lines} lines, and has not noted that it began")
            self.held = HeldRecords(self.params)
            self._snapshots.clear()
            self._snapshots.append((0, {}))
            return
        with open(path, "rb") as file:
            token = parsed(file.read())["changeToken"]
        if token is None:
            # It has begun and noted no position: then it has to say itself that what it printed is void.
            return
        while self._snapshots and self._snapshots[-1][0] > position_of(token):
            self._snapshots.pop()
        if not self._snapshots:
            raise Fault("watch", f"{self} has noted {token}, behind which it has printed more than one commit")
        self.held.records = dict(self._snapshots[-1][1])

    def kill(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        self._process = None
        self.take()

    def take(self) -> None:
        """Applies the lines that are there. A line that was cut short by a kill comes again whole."""
        if not self._output:
            return
        with open(self._output, "rb") as file:
            file.seek(self._read)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            self.apply(parsed(line))
        if self._process is not None and (status := self._process.poll()) is not None:
            self._process = None
            with open(os.path.join(self._folder, "errors"), encoding="utf-8") as file:
                errors = file.read()[-700:].rstrip() or "nothing"
            # Only one that is attached survives the end of the service; one that was just connecting says so.
            if status == _UNAVAILABLE and self._read == 0 and _LOST in errors.splitlines()[-1] and self._failures < 5:
                self._failures += 1
                return self.start()
            raise Fault("watch", f"{self} ended with {status}: {errors}")
        if whole:
            self._failures = 0

    def apply(self, line: Json) -> None:
        self.lines += 1
        reason = line["reason"]
        if reason == "reset":
            self.held = HeldRecords(self.params)
        elif reason == "zoneDeleted":
            # Its records were told one by one before.
            if left := [key for key in self.held.records if key[0] == line["zoneName"]]:
                raise Fault("watch", f"{self}: the zone is deleted, and not {left}")
        elif reason in _LEAVES:
            self.held.records.pop(key_of(line), None)
        elif reason in ("created", "entered", "updated"):
            self.held.records[key_of(line)] = line["record"]
        else:
            raise Fault("watch", f"{self}: a line of what nobody knows: {text_of(line)[:500]}")
        if line.get("changeToken"):
            self._snapshots.append((position_of(line["changeToken"]), dict(self.held.records)))
