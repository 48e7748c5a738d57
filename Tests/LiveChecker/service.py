"""A listsd of our own, started as systemd starts it: when somebody connects and it does not run."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import tempfile
from typing import Optional

from wire import Fault, Loop

# systemd's protocol: the sockets are descriptors 3 and on, and LISTEN_PID is the process that they are for.
_ACTIVATE = 'exec 3<&0 </dev/null; export LISTEN_PID=$$; exec "$@"'


class ActivatedService:
    """Owns the socket and outlives the service's processes, and so do the records."""

    def __init__(self, loop: Loop, listsd: str, settings: dict[str, object]) -> None:
        self._loop = loop
        self._listsd = listsd
        self._folder = tempfile.TemporaryDirectory(prefix="lists-live-")
        self.folder = self._folder.name
        self.socket = os.path.join(self.folder, "lists.sock")
        self.log_path = os.path.join(self.folder, "log")
        self.configure(settings)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self.socket)
        self._listener.listen(512)
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._expected_end = False
        self.starts = 0
        self._watch(True)
        loop.ticks.append(self._tick)

    def configure(self, settings: dict[str, object]) -> None:
        """What the next process is to read."""
        with open(os.path.join(self.folder, "listsd.conf"), "w", encoding="utf-8") as file:
            file.writelines(f"{name} = {value}\n" for name, value in settings.items())

    def _watch(self, is_on: bool) -> None:
        known = self._listener in self._loop.selector.get_map()
        if is_on and not known:
            self._loop.selector.register(self._listener, selectors.EVENT_READ, self._start)
        elif not is_on and known:
            self._loop.selector.unregister(self._listener)

    def _start(self, _: int) -> None:
        environment = {**os.environ, "LISTEN_FDS": "1", "LISTEN_FDNAMES": "lists"}
        with open(self.log_path, "ab") as log:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _ACTIVATE, "sh", self._listsd, "--state-directory",
                 os.path.join(self.folder, "state"), "--configuration", os.path.join(self.folder, "listsd.conf")],
                stdin=self._listener, stdout=log, stderr=log, env=environment)
        self._expected_end = False
        self.starts += 1
        self._watch(False)

    def _tick(self) -> None:
        if self._process is None:
            return
        status = self._process.poll()
        if status is None:
            return
        self._process = None
        self._watch(True)
        # Idle, it ends by itself with 0; all else that we did not ask for is a crash.
        if status != 0 and not self._expected_end:
            raise Fault("crash", f"listsd ended with {status}: {self.log(2000)}")

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def stop(self, signal_number: signal.Signals) -> None:
        """Ends the process; the next connection starts another one."""
        if self._process is None:
            return
        self._expected_end = True
        process = self._process
        process.send_signal(signal_number)
        # What it still answers is read meanwhile; the next one may have been started then.
        if not self._loop.until(lambda: self._process is not process, 60):
            raise Fault("stop", f"listsd did not end within 60 seconds of {signal_number.name}")

    def log(self, size: int) -> str:
        with open(self.log_path, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - size))
            return file.read().decode(errors="replace")

    def close(self) -> None:
        self._loop.ticks.remove(self._tick)
        self._watch(False)
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._listener.close()
        self._folder.cleanup()
