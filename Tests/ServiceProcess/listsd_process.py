"""A listsd of a checker's own, over a state folder that outlives it."""

from __future__ import annotations

import os
import pathlib
import socket
import subprocess
import time
from typing import Optional

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTSD = os.environ.get("LISTSD") or str(ROOT / ".build/debug/listsd")
#: Seconds that a crowded machine may take for what takes milliseconds.
PATIENCE = 60.0


class StartFault(Exception):
    """The service ended, or did not listen in time."""


class ListsdProcess:
    """Starts it on request, and ends it as it is told to; the folder is the caller's."""

    def __init__(
        self, folder: str, listsd: str = LISTSD, settings: Optional[dict[str, object]] = None,
        environment: Optional[dict[str, str]] = None,
    ) -> None:
        self._listsd = listsd
        self._environment = environment or {}
        self.state = os.path.join(folder, "state")
        self.socket = os.path.join(folder, "lists.sock")
        self._log = os.path.join(folder, "log")
        self._configuration = os.path.join(folder, "lists.conf")
        with open(self._configuration, "w", encoding="utf-8") as file:
            file.writelines(f"{name} = {value}\n" for name, value in (settings or {}).items())
        self._process: Optional[subprocess.Popen[bytes]] = None

    def start(self) -> None:
        """Returns when its socket takes connections."""
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(
                [self._listsd, "--socket", self.socket, "--state-directory", self.state,
                 "--configuration", self._configuration],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **self._environment})
        deadline = time.monotonic() + PATIENCE
        while not self._listens():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.close()
                raise StartFault(f"listsd did not start: {self.log(2000)}")
            time.sleep(0.002)

    def _listens(self) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(self.socket)
            except OSError:
                return False
            return True

    @property
    def has_crashed(self) -> bool:
        """Whether it ended without being told to."""
        return self._process is not None and self._process.poll() is not None

    def end(self, signal_number: int) -> int:
        """Returns how it ended, when it has."""
        assert self._process is not None
        self._process.send_signal(signal_number)
        try:
            return self._process.wait(PATIENCE)
        finally:
            self.close()

    def close(self) -> None:
        if self._process is not None:
            if self._process.poll() is None:
                self._process.kill()
            self._process.wait()
            self._process = None

    def log(self, size: int) -> str:
        """The end of what it wrote."""
        with open(self._log, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - size))
            return file.read().decode(errors="replace")
