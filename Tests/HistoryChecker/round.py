"""One round: clients at work on a service that is ended and started again, all of which is recorded."""

from __future__ import annotations

import dataclasses
import random
import signal
import tempfile
import time
from typing import Callable, Optional

from client import Client, Door, Tamper
from composer import Composer
from history import History, Recorder
from line_connection import LineConnection
from listsd_process import LISTSD, PATIENCE, ListsdProcess
from model import Call
from wire_form import commit, request, result


@dataclasses.dataclass
class Options:
    listsd: str = LISTSD
    seconds: float = 20
    #: Only this round of the seed.
    round: Optional[int] = None
    seed: str = "0"
    #: Answers in a round.
    answers: int = 1500
    clients: int = 6
    names: int = 3
    #: Whether a history with a fault is kept as a file.
    keeps: bool = True
    tamper: Optional[Tamper] = None
    #: Called when a process was killed and the next one has been started, for the tests of the checker.
    after_kill: Optional[Callable[[LineConnection], None]] = None
    say: Callable[[str], None] = print


class Crash(Exception):
    """The service ended without being told to."""


def play(options: Options, number: int) -> History:
    """Plays the round of this number, and returns what was asked and answered."""
    draw = random.Random(f"{options.seed}/{number}")
    recorder = Recorder(options.names)
    door = Door()
    with tempfile.TemporaryDirectory(prefix="lists-history-") as folder:
        service = ListsdProcess(folder, options.listsd)
        service.start()
        try:
            keys = "idempotency" in _capabilities(service.socket)
            clients = [
                Client(service.socket, door, recorder,
                       Composer(f"{options.seed}/{number}", client, options.names), keys, options.tamper)
                for client in range(options.clients)]
            try:
                _conduct(options, draw, service, door, recorder, clients)
            finally:
                door.close()
                for client in clients:
                    client.join(PATIENCE)
            _raise_fault(clients, service)
            _end(service, recorder, signal.SIGKILL)
            service.start()
            _look_at_all(service, recorder, options.names)
            _end(service, recorder, signal.SIGTERM)
        finally:
            service.close()
    return recorder.history()


def _conduct(
    options: Options, draw: random.Random, service: ListsdProcess, door: Door, recorder: Recorder, clients: list[Client],
) -> None:
    for client in clients:
        client.start()
    door.open(recorder.processes)
    kills = sorted(draw.sample(range(1, options.answers), min(4, options.answers - 1)))
    for kill in kills + [options.answers]:
        deadline = time.monotonic() + PATIENCE
        while recorder.answers < kill:
            _raise_fault(clients, service)
            if time.monotonic() > deadline:
                raise Crash(f"only {recorder.answers} answers within {PATIENCE:.0f} s")
            time.sleep(0.001)
        if kill == options.answers:
            return
        door.shut()
        _end(service, recorder, draw.choices([signal.SIGKILL, signal.SIGTERM], [4, 1])[0])
        service.start()
        if options.after_kill is not None:
            connection = LineConnection(service.socket)
            options.after_kill(connection)
            connection.close()
        door.open(recorder.processes)


def _raise_fault(clients: list[Client], service: ListsdProcess) -> None:
    if service.has_crashed:
        raise Crash(f"listsd ended by itself: {service.log(2000)}")
    for client in clients:
        if client.fault is not None:
            raise client.fault


def _end(service: ListsdProcess, recorder: Recorder, signal_number: signal.Signals) -> None:
    status = service.end(signal_number)
    recorder.ended()
    if signal_number == signal.SIGTERM and status != 0:
        raise Crash(f"listsd ended with {status}: {service.log(2000)}")


def _capabilities(path: str) -> set[str]:
    connection = LineConnection(path)
    answer, _ = connection.ask("serverInfo", {})
    connection.close()
    return set((answer or {}).get("capabilities", []))


def _look_at_all(service: ListsdProcess, recorder: Recorder, names: int) -> None:
    connection = LineConnection(service.socket)
    call = Call(99, 99, names=tuple(range(names)), is_batch=True)
    recorder.invoked(call, recorder.processes, is_repeated=False)
    answer, error = connection.ask(*request(call, None))
    recorder.answered(call.number, result(call, answer, error), commit(answer))
    connection.close()
