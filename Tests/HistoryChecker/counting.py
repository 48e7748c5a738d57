"""Counts with idempotency keys, which are sent again whenever an answer was lost: what is counted is the number of keys."""

from __future__ import annotations

import random
import threading
from typing import Any, Callable, Optional

from client import Door
from line_connection import LineConnection, Lost

Json = Any
#: Stands between a client that counts and the service, for the tests of the checker: changes the params.
Forget = Callable[[Json], Json]
COUNTER = "counter"


class Miscounted(Exception):
    """More or fewer than there were keys."""


class Counting(threading.Thread):
    """One client that counts, one request at a time."""

    def __init__(self, path: str, door: Door, seed: str, forget: Optional[Forget] = None) -> None:
        super().__init__(daemon=True)
        self._path = path
        self._door = door
        self._draw = random.Random(seed)
        self._forget = forget
        self._name = seed
        self._process = -1
        self._connection: Optional[LineConnection] = None
        #: The keys that there were.
        self.keys = 0
        #: The request that is not answered.
        self._pending: Optional[Json] = None
        self.fault: Optional[BaseException] = None

    def run(self) -> None:
        try:
            while not self._door.is_closed:
                self._pending = self._pending or self._compose()
                if self._connection is None and not self._connect():
                    return
                self._send()
        except BaseException as fault:
            self.fault = fault
        finally:
            self._lose()

    def _compose(self) -> Json:
        self.keys += 1
        draft = {"recordType": "Counter", "recordName": COUNTER, "fields": {"n": {"$increment": 1}}}
        key = {"idempotencyKey": f"{self._name}/{self.keys}"}
        if self._draw.random() < 0.5:
            return ("saveRecord", {"record": draft, "savePolicy": "changedKeys", **key})
        return ("modifyRecords", {
            "operations": [{"operationType": "forceUpdate", "record": draft}], "atomic": self._draw.random() < 0.5, **key})

    def _send(self) -> None:
        assert self._connection is not None and self._pending is not None
        method, params = self._pending
        if self._forget is not None:
            params = self._forget(params)
        try:
            times = 2 if self._draw.random() < 0.2 else 1
            for _ in range(times):
                self._connection.send(method, params)
            answers = [self._connection.receive() for _ in range(times)]
        except Lost:
            return self._lose()
        if any("error" in answer for answer in answers):
            # It is just stopping.
            return self._lose()
        self._pending = None

    def finish(self, connection: LineConnection) -> None:
        """Has what is not answered answered."""
        if self._pending is not None:
            method, params = self._pending
            _, error = connection.ask(method, params)
            if error is not None:
                raise ValueError(error)

    def _connect(self) -> bool:
        process = self._door.wait(self._process)
        if process is None:
            return False
        self._process = process
        try:
            self._connection = LineConnection(self._path)
        except Lost:
            pass
        return self._connection is not None or not self._door.is_closed and self._connect()

    def _lose(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def check_count(path: str, counting: list[Counting]) -> None:
    """Raises `Miscounted`. When nobody counts any more."""
    connection = LineConnection(path)
    for one in counting:
        one.finish(connection)
    answer, error = connection.ask("fetchRecord", {"recordName": COUNTER})
    connection.close()
    count = answer["record"]["fields"]["n"] if answer is not None else 0
    keys = sum(one.keys for one in counting)
    if count != keys:
        raise Miscounted(f"{keys} increments were sent, each under a key of its own, until they were answered, and {count} were done")
