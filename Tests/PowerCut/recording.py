"""What the recorder wrote down, and what was asked meanwhile; kept as a folder."""

from __future__ import annotations

import dataclasses
import json
import os
import struct
from typing import Any, Iterator, NamedTuple

_ENTRY = struct.Struct("=c7xQQII")


class Entry(NamedTuple):
    """As recorder.c says it."""

    kind: str
    a: int
    b: int
    text1: bytes
    text2: bytes


@dataclasses.dataclass
class Recording:
    #: Has `recording`, `requests.json`, and what became of the disk.
    folder: str
    #: What each client's records are behind its first, second, … request; the first one is before all of them.
    states: list[list[Any]]
    #: The methods and params of these requests; none for the first state.
    requests: list[list[Any]]

    @property
    def log(self) -> str:
        return os.path.join(self.folder, "recording")

    @property
    def disk(self) -> str:
        return os.path.join(self.folder, "disk")

    def entries(self) -> Iterator[Entry]:
        with open(self.log, "rb") as file:
            while len(head := file.read(_ENTRY.size)) == _ENTRY.size:
                kind, a, b, length1, length2 = _ENTRY.unpack(head)
                yield Entry(kind.decode(), a, b, file.read(length1), file.read(length2))

    def save(self) -> None:
        with open(os.path.join(self.folder, "requests.json"), "w", encoding="utf-8") as file:
            json.dump([self.states, self.requests], file)

    def replies(self) -> "Replies":
        return Replies(len(self.states))

    @staticmethod
    def load(folder: str) -> "Recording":
        with open(os.path.join(folder, "requests.json"), encoding="utf-8") as file:
            return Recording(folder, *json.load(file))


#: A request's id is its client's number times this, and its own number among the client's.
CLIENT = 1_000_000


class Replies:
    """Finds the replies in what was sent: which requests of each client were answered, and with what token."""

    def __init__(self, clients: int) -> None:
        self._unfinished: dict[int, bytes] = {}
        #: How many requests of each client were answered.
        self.answered = [0] * clients
        #: The change tokens of the answers, by the number of the request.
        self.tokens: list[dict[int, str]] = [{} for _ in range(clients)]

    def started(self) -> None:
        """A process started, with other connections."""
        self._unfinished.clear()

    def sent(self, descriptor: int, data: bytes) -> None:
        *lines, rest = (self._unfinished.pop(descriptor, b"") + data).split(b"\n")
        self._unfinished[descriptor] = rest
        for line in lines:
            message = json.loads(line)
            number = message.get("id")
            if not isinstance(number, int) or number < CLIENT:
                continue
            client, place = divmod(number, CLIENT)
            if "error" in message:
                raise ValueError(f"request {number} failed: {message['error']}")
            self.answered[client - 1] = place
            if "changeToken" in message["result"]:
                self.tokens[client - 1][place] = message["result"]["changeToken"]
