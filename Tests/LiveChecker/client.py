"""Connections that subscribers share, and that may write too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from held import HeldRecords
from wire import Connection, Json, Key, Loop
from writes import Ledger

if TYPE_CHECKING:
    from subscriber import Subscriber


class Client:
    """A connection with subscribers on it, which may also write."""

    def __init__(self, number: int, loop: Loop, path: str, ledger: Ledger) -> None:
        self.number = number
        self._loop = loop
        self._path = path
        self._ledger = ledger
        self.subscribers: list[Subscriber] = []
        self.connection: Optional[Connection] = None
        #: Whether it stays away until the driver has it come back.
        self.is_away = False
        #: Each connection is an author of its own: `isOwn` is of the connection.
        self.author = 0
        self._connections = 0

    @property
    def is_connected(self) -> bool:
        return self.connection is not None and self.connection.is_open

    def connect(self) -> None:
        """Connects, and has each subscriber go on."""
        if self.is_connected:
            return
        self._connections += 1
        self.author = self.number * 1_000_000 + self._connections
        connection = Connection(self._loop, self._path, self._lost)
        self.connection = connection
        for subscriber in self.subscribers:
            subscriber.attach()

    def _lost(self) -> None:
        for subscriber in self.subscribers:
            subscriber.detached()

    def disconnect(self) -> None:
        if self.connection is not None:
            self.connection.lose()

    def wrote(self, key: Key, record: Optional[Json], position: int) -> None:
        """What it wrote itself was acknowledged."""
        for subscriber in self.subscribers:
            if isinstance(subscriber.held, HeldRecords):
                subscriber.held.apply_own(key, record, position)
