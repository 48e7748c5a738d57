"""One round: clients at work on a service that is ended and started again, all of which is recorded."""

from __future__ import annotations

import base64
import dataclasses
import random
import signal
import tempfile
import time
from typing import Any, Callable, Optional

from client import Client, Door, Tamper
from composer import KINDS, Composer
from counting import Counting, Forget, check_count
from history import History, Recorder
from line_connection import LineConnection
from listsd_process import LISTSD, PATIENCE, ListsdProcess
from model import UNIQUE, Call
from wire_form import ASSETS, RECORD_TYPE, asset, commit, request, result

Json = Any


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
    #: What all rounds are about; None: one kind after the other.
    kind: Optional[str] = None
    #: Whether a history with a fault is kept as a file.
    keeps: bool = True
    tamper: Optional[Tamper] = None
    #: Those who count with idempotency keys.
    counters: int = 2
    forget: Optional[Forget] = None
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
            kind = options.kind or KINDS[number % len(KINDS)]
            _prepare(service.socket, kind)
            clients = [
                Client(service.socket, door, recorder,
                       Composer(f"{options.seed}/{number}", client, options.names, kind), keys, options.tamper)
                for client in range(options.clients)]
            counting = [
                Counting(service.socket, door, f"{options.seed}/{number}/{counter}", options.forget)
                for counter in range(options.counters if keys else 0)]
            threads: list[Client | Counting] = [*clients, *counting]
            try:
                _conduct(options, draw, service, door, recorder, threads)
            finally:
                door.close()
                for thread in threads:
                    thread.join(PATIENCE)
            _raise_fault(threads, service)
            _end(service, recorder, signal.SIGKILL)
            service.start()
            check_count(service.socket, counting)
            _look_at_all(service, recorder, options.names)
            _end(service, recorder, signal.SIGTERM)
        finally:
            service.close()
    return recorder.history()


def _prepare(path: str, kind: str) -> None:
    """What the calls of a round need to be there."""
    connection = LineConnection(path)
    requests: list[tuple[str, Json]] = []
    for number in range(ASSETS):
        data = asset(number)
        requests.append(("saveAsset", {"size": len(data), "data": base64.b64encode(data).decode()}))
    if kind == "unique":
        fields = {name: {"type": "string", "unique": True} for name in UNIQUE}
        requests.append(("saveRecordType", {"recordType": {"name": RECORD_TYPE, "fields": fields}}))
    for method, params in requests:
        _, error = connection.ask(method, params)
        if error is not None:
            raise ValueError(error)
    connection.close()


def _conduct(
    options: Options, draw: random.Random, service: ListsdProcess, door: Door, recorder: Recorder,
    clients: list[Client | Counting],
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


def _raise_fault(clients: list[Client | Counting], service: ListsdProcess) -> None:
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
