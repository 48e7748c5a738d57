"""JSON-RPC over the service's socket: asks, and waits for the answer."""

from __future__ import annotations

import json
import socket
from typing import Any, Optional

from listsd_process import PATIENCE

Json = Any


class Lost(Exception):
    """The connection ended before the answer came: nobody knows whether the request was carried out."""


class LineConnection:
    """One connection, used by one thread."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(PATIENCE)
        self._received = b""
        self._next_id = 0
        try:
            self._socket.connect(path)
        except OSError as error:
            self._socket.close()
            raise Lost(str(error)) from error

    def send(self, method: str, params: Json, identifier: Optional[int] = None) -> int:
        """Returns the request's id."""
        if identifier is None:
            self._next_id += 1
            identifier = self._next_id
        message = {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}
        try:
            self._socket.sendall(json.dumps(message, ensure_ascii=False).encode() + b"\n")
        except OSError as error:
            raise Lost(str(error)) from error
        return identifier

    def receive(self) -> Json:
        """The next message."""
        while (end := self._received.find(b"\n")) < 0:
            try:
                data = self._socket.recv(1 << 18)
            except TimeoutError:
                raise
            except OSError as error:
                raise Lost(str(error)) from error
            if not data:
                raise Lost("the service closed the connection")
            self._received += data
        line, self._received = self._received[:end], self._received[end + 1:]
        return json.loads(line)

    def ask(self, method: str, params: Json) -> tuple[Optional[Json], Optional[Json]]:
        """The result, or the error."""
        identifier = self.send(method, params)
        message = self.receive()
        if message.get("id") != identifier:
            raise ValueError(f"a reply to {message.get('id')}, where {identifier} was asked")
        return message.get("result"), message.get("error")

    def close(self) -> None:
        self._socket.close()
