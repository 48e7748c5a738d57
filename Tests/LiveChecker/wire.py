"""JSON-RPC over the service's socket from one thread: nothing here waits, but in `Loop.turn`."""

from __future__ import annotations

import json
import selectors
import socket
import time
from typing import Any, Callable, Optional

Json = Any
Key = tuple[str, str]
"""A record's zone and name."""


class Fault(Exception):
    """A promise that was not kept. `name` says which one, for the tests of the checker."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(f"{name}: {text}")
        self.name = name
        #: Whom it happened to.
        self.about: Any = None


class Digits(str):
    """A number with a point or an exponent, with the digits that it was sent with."""


def parsed(text: bytes | str) -> Json:
    return json.loads(text, parse_float=Digits)


def text_of(value: Json) -> str:
    """JSON in which two values are the same text when they are the same bytes on the wire."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def key_of(record: Json) -> Key:
    return record["zoneName"], record["recordName"]


_ORDINALS = 1 << 20
"""Changes of one commit at most: a version is a commit and a number within it."""


def version_of(record: Json) -> int:
    """The version that a record's tag names. Tags are opaque to clients; the checker looks inside on purpose."""
    commit, _, ordinal = record["recordChangeTag"].split("-")[0].partition(".")
    return int(commit, 36) * _ORDINALS + int(ordinal or "0", 36)


def position_of(token: str) -> int:
    """The last version that the position has which a change token names."""
    return int(token.split("-")[2], 36) * _ORDINALS + _ORDINALS - 1


def commit_of(version: int) -> int:
    """The commit that made a version."""
    return version // _ORDINALS


def is_plain(token: str) -> bool:
    """Whether a token is a position by itself, and not one between the pages of a replay."""
    return token.count("-") == 2


class Loop:
    """Gives what arrives to its owners."""

    def __init__(self) -> None:
        self.selector = selectors.DefaultSelector()
        #: Called in every turn.
        self.ticks: list[Callable[[], None]] = []
        self.connections: set[Connection] = set()

    def turn(self, timeout: float = 0) -> bool:
        """Handles what there is, or what comes within the time. False when there was nothing."""
        for tick in self.ticks:
            tick()
        ready = self.selector.select(timeout)
        for entry, events in ready:
            entry.data(events)
        return bool(ready)

    def drain(self) -> None:
        """Handles all that is there now."""
        for _ in range(1000):
            if not self.turn():
                return

    def close(self) -> None:
        """Closes all connections."""
        for connection in list(self.connections):
            connection.lose()
        self.selector.close()

    def until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Turns until the condition holds; False when that takes longer."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            self.turn(0.05)
        return True


class Connection:
    """One connection. Replies and pushes are given to their owners in the order in which they arrive."""

    def __init__(self, loop: Loop, path: str, on_lost: Callable[[], None] = lambda: None) -> None:
        self._loop = loop
        self._on_lost = on_lost
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(30)
        self._socket.connect(path)
        self._socket.setblocking(False)
        self._incoming = bytearray()
        self._outgoing = bytearray()
        self._next_id = 1
        self._pending: dict[int, Callable[[Optional[Json], Optional[Json]], None]] = {}
        #: What is pushed, by subscriptionID: called with the method and its params.
        self.routes: dict[str, Callable[[str, Json], None]] = {}
        self.is_open = True
        self._is_reading = True
        loop.connections.add(self)
        self._register()

    @property
    def outstanding(self) -> int:
        return len(self._pending)

    @property
    def is_reading(self) -> bool:
        return self._is_reading

    @is_reading.setter
    def is_reading(self, value: bool) -> None:
        self._is_reading = value
        if self.is_open:
            self._register()

    def _register(self) -> None:
        events = (selectors.EVENT_READ if self._is_reading else 0) | (
            selectors.EVENT_WRITE if self._outgoing else 0)
        selector = self._loop.selector
        known = self._socket in selector.get_map()
        if not events:
            if known:
                selector.unregister(self._socket)
        elif known:
            selector.modify(self._socket, events, self._handle)
        else:
            selector.register(self._socket, events, self._handle)

    def call(self, method: str, params: Json, answered: Callable[[Optional[Json], Optional[Json]], None]) -> None:
        """Sends a request. `answered` gets the result or the error, or (None, None) when the connection was lost."""
        number = self._next_id
        self._next_id += 1
        if not self.is_open:
            answered(None, None)
            return
        self._pending[number] = answered
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self._outgoing += text_of(message).encode() + b"\n"
        self._send()

    def ask(self, method: str, params: Json, seconds: float = 60) -> tuple[Optional[Json], Optional[Json]]:
        """Sends a request and turns the loop until it is answered."""
        answers: list[tuple[Optional[Json], Optional[Json]]] = []
        self.call(method, params, lambda result, error: answers.append((result, error)))
        if not self._loop.until(lambda: bool(answers), seconds):
            raise Fault("answer", f"no answer to {method} within {seconds} seconds")
        return answers[0]

    def _send(self) -> None:
        try:
            while self._outgoing:
                sent = self._socket.send(self._outgoing)
                del self._outgoing[:sent]
        except BlockingIOError:
            pass
        except OSError:
            # What was answered before it was lost is still to be read.
            self._outgoing.clear()
        self._register()

    def _handle(self, events: int) -> None:
        if events & selectors.EVENT_WRITE and self.is_open:
            self._send()
        if not events & selectors.EVENT_READ or not self.is_open or not self._is_reading:
            return
        try:
            data = self._socket.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            return self.lose()
        scanned = len(self._incoming)
        self._incoming += data
        while self.is_open and (end := self._incoming.find(b"\n", scanned)) >= 0:
            line = bytes(self._incoming[:end])
            del self._incoming[: end + 1]
            scanned = 0
            self._receive(parsed(line))

    def _receive(self, message: Json) -> None:
        if "method" in message:
            params = message["params"]
            route = self.routes.get(params["subscriptionID"])
            if route is None:
                raise Fault("route", f"a push for a subscription that there is not: {text_of(message)[:500]}")
            return route(message["method"], params)
        answered = self._pending.pop(message["id"], None)
        if answered is None:
            raise Fault("reply", f"a reply to nothing: {text_of(message)[:500]}")
        answered(message.get("result"), message.get("error"))

    def lose(self) -> None:
        """Closes it; what is not answered yet is told that it never will be."""
        if not self.is_open:
            return
        self.is_open = False
        self._loop.connections.discard(self)
        if self._socket in self._loop.selector.get_map():
            self._loop.selector.unregister(self._socket)
        self._socket.close()
        self.routes = {}
        pending, self._pending = self._pending, {}
        for answered in pending.values():
            answered(None, None)
        self._on_lost()


def error_code(error: Json) -> str:
    return (error.get("data") or {}).get("errorCode", "")
