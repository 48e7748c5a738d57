"""A client: one thread, one connection, one call at a time."""

from __future__ import annotations

import threading
from typing import Any, Callable, Optional

from composer import Composer
from history import Recorder
from line_connection import LineConnection, Lost
from model import Call
from wire_form import Unexpected, commit, request, result

Json = Any
Ask = Callable[[str, Json], tuple[Optional[Json], Optional[Json]]]
#: Stands between a client and the service, for the tests of the checker: gets the call and what asks, and answers.
Tamper = Callable[[Call, str, Json, Ask], tuple[Optional[Json], Optional[Json]]]


class Door:
    """Tells clients when there is a process to connect to."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._open: Optional[int] = None
        self._is_closed = False

    def open(self, process: int) -> None:
        with self._changed:
            self._open = process
            self._changed.notify_all()

    def shut(self) -> None:
        with self._changed:
            self._open = None

    def close(self) -> None:
        """Nobody is to come any more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    def wait(self, lost: int) -> Optional[int]:
        """The number of the process that there is, once it is not the one that was lost; None when all is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or (self._open is not None and self._open != lost))
            return self._open if self._open != lost else None


class Client(threading.Thread):
    def __init__(
        self, path: str, door: Door, recorder: Recorder, composer: Composer, keys: bool, tamper: Optional[Tamper],
    ) -> None:
        super().__init__(daemon=True)
        self._path = path
        self._door = door
        self._recorder = recorder
        self._composer = composer
        self._uses_keys = keys
        self._tamper = tamper
        self._connection: Optional[LineConnection] = None
        self._process = -1
        #: What ended the thread, if it was not the end of the run.
        self.fault: Optional[BaseException] = None

    def run(self) -> None:
        try:
            while not self._door.is_closed:
                call, draw = self._composer.compose()
                may_repeat = self._uses_keys and not call.reads and call.steps[0].word != "restore"
                key = f"call-{call.number}" if may_repeat and draw.random() < 0.5 else None
                self._perform(call, key, is_doubled=key is not None and draw.random() < 0.3)
        except BaseException as fault:
            self.fault = fault
        finally:
            if self._connection is not None:
                self._connection.close()

    def _perform(self, call: Call, key: Optional[str], is_doubled: bool) -> None:
        """Sends it; with a key again and again, until it is answered."""
        is_recorded = False
        while self._connect():
            if not is_recorded:
                self._recorder.invoked(call, self._process, is_repeated=key is not None)
                is_recorded = True
            try:
                answer, error = self._ask(call, *request(call, key), is_doubled)
            except Lost:
                self._lose()
                if key is None:
                    return
                continue
            if error is not None and (error.get("data") or {}).get("errorCode") == "serviceUnavailable":
                # It is just stopping: as good as no answer.
                self._lose()
                if key is None:
                    return
                continue
            return self._take(call, answer, error)

    def _ask(self, call: Call, method: str, params: Json, is_doubled: bool) -> tuple[Optional[Json], Optional[Json]]:
        assert self._connection is not None
        if is_doubled and self._tamper is None:
            return self._ask_twice(self._connection, method, params)
        if self._tamper is not None:
            return self._tamper(call, method, params, self._connection.ask)
        return self._connection.ask(method, params)

    @staticmethod
    def _ask_twice(connection: LineConnection, method: str, params: Json) -> tuple[Optional[Json], Optional[Json]]:
        """Under a key, at once: what was done is done once and answered twice. What was refused is tried again."""
        for _ in range(2):
            connection.send(method, params)
        first, second = connection.receive(), connection.receive()
        if "result" in first and first["result"] != second.get("result"):
            raise Unexpected(f"{params}: once {first}, and then {second}")
        return second.get("result"), second.get("error")

    def _take(self, call: Call, answer: Optional[Json], error: Optional[Json]) -> None:
        try:
            outcomes = result(call, answer, error)
        except Unexpected as unexpected:
            raise Unexpected(f"{call}: {unexpected}") from unexpected
        self._recorder.answered(call.number, outcomes, commit(answer))
        for name, outcome in zip(call.names if call.reads else [step.name for step in call.steps], outcomes):
            if outcome[0] in ("saved", "conflict", "found") and outcome[1] is not None:
                self._composer.tags[name] = outcome[1].tag

    def _connect(self) -> bool:
        while self._connection is None:
            process = self._door.wait(self._process)
            if process is None:
                return False
            self._process = process
            try:
                self._connection = LineConnection(self._path)
            except Lost:
                pass
        return True

    def _lose(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
