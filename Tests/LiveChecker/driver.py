"""The driver: decides from one seed what everybody does, and when everything is compared."""

from __future__ import annotations

import dataclasses
import pathlib
import random
import signal
import time
from typing import Callable, Optional

import grammar
from client import Client
from composer import Composer
from features import features
from judge import Judge
from service import ActivatedService
from subscriber import Subscriber, Tamper
from watcher import Watcher
from wire import Connection, Fault, Json, Key, Loop, error_code, key_of, text_of, version_of
from writes import Ledger, Write

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: Seconds that a crowded machine may take for what takes milliseconds.
PATIENCE = 60.0
WATCHERS = 2
#: Of so many changes one is looked up over a new connection when it is pushed.
PROBED = 23


@dataclasses.dataclass
class Options:
    listsd: str = str(ROOT / ".build/debug/listsd")
    listsrpc: str = str(ROOT / ".build/debug/listsrpc")
    seconds: Optional[float] = 20
    steps: Optional[int] = None
    seed: str = "0"
    writers: int = 3
    subscribers: int = 12
    #: Features that are not to be used.
    without: frozenset[str] = frozenset()
    tamper: Optional[Tamper] = None
    say: Callable[[str], None] = print


class Run:
    """One run of the driver."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._loop = Loop()
        self._ledger = Ledger()
        draw = random.Random(f"{options.seed}/run")
        self._is_pruned = draw.random() < 0.3
        self._has_bulk = draw.random() < 0.3
        settings: dict[str, object] = {"idleTimeout": 1, "maximumQueuedBytes": draw.choice([1 << 15, 1 << 18, 16 << 20])}
        self._service = ActivatedService(self._loop, options.listsd, settings)
        try:
            self._begin(draw, settings)
        except BaseException:
            self._service.close()
            self._loop.close()
            raise

    def _begin(self, draw: random.Random, settings: dict[str, object]) -> None:
        options = self._options
        self.features = features(self._loop, self._service.socket, options.listsrpc) - options.without
        if self._is_pruned:
            self._is_pruned = self._prune({**settings, "historyChanges": 1000}, settings)
        self._zones = [grammar.DEFAULT_ZONE] + ([grammar.WORK_ZONE] if "zones" in self.features else [])
        self._composer = Composer(self._ledger, self._zones, with_large=self._has_bulk, with_family="cascades" in self.features)
        self._judge = Judge(self._loop, self._service.socket)
        self._writers: list[Optional[Connection]] = [None] * options.writers
        self._clients = [
            Client(number + 1, self._loop, self._service.socket, self._ledger)
            for number in range((options.subscribers + 1) // 2)]
        self._subscribers = []
        self._probes: list[tuple[str, Key, int]] = []
        self._absent: list[tuple[Key, int]] = []
        self._seen = self.probed = self.quiets = self.step = 0
        if "zones" in self.features:
            self._judge.result("saveZone", {"zoneName": grammar.WORK_ZONE})
        if self._has_bulk:
            for write in self._composer.bulk(600):
                self._write(0, write)
        for number in range(options.subscribers):
            client = self._clients[number // 2]
            subscriber = Subscriber(number, client, self._ledger, self._is_pruned, self._noticed)
            subscriber.tamper = options.tamper
            client.subscribers.append(subscriber)
            self._subscribers.append(subscriber)
            subscriber.define(self._definition(random.Random(f"{options.seed}/subscriber/{number}"), number))
        self._watchers = [self._watcher(number) for number in range(WATCHERS)]

    def _prune(self, settings: dict[str, object], others: dict[str, object]) -> bool:
        """Has few changes kept, if the service knows how to."""
        self._service.configure(settings)
        self._service.stop(signal.SIGTERM)
        connection = Connection(self._loop, self._service.socket)
        _, error = connection.ask("performQuery", {"recordType": "Item"})
        connection.lose()
        if error is None:
            return True
        self._service.configure(others)
        self._service.stop(signal.SIGTERM)
        return False

    def _definition(self, draw: random.Random, number: int) -> grammar.Definition:
        is_saved = draw.random() < 0.25 and "saved" in self.features
        return grammar.definition(draw, self.features, self._zones, f"s{number}" if is_saved else None)

    def _watcher(self, number: int) -> Watcher:
        draw = random.Random(f"{self._options.seed}/watcher/{number}")
        params: Json = {}
        if number != 0:
            condition = grammar.condition(draw, "Item", self.features)
            params = {"recordType": "Item", "predicate": condition.text, "arguments": condition.arguments}
        return Watcher(
            number, self._options.listsrpc, self._service.socket, self._service.folder, params,
            "watchState" in self.features)

    # MARK: Running

    def run(self) -> None:
        """Does the steps. Raises the first `Fault`."""
        started = time.monotonic()
        options = self._options
        kinds = [self._kinds[name] for name in self._kinds]
        while self.step < options.steps if options.steps is not None else (
                time.monotonic() - started < (options.seconds or 0)):
            self.step += 1
            # What a step draws depends on its number alone, and not on what came back until then.
            draw = random.Random(f"{options.seed}/{self.step}")
            [(name, _)] = draw.choices(list(zip(self._kinds, kinds)), kinds)
            self._revive()
            getattr(self, f"_{name}")(draw)
            for _ in range(draw.randrange(4)):
                self._loop.turn()
            self._probe()
            if self._ledger.outstanding > 60:
                self._await_replies()
        for client in self._clients:
            client.is_away = False
        for watcher in self._watchers:
            watcher.start()
        self._quiet(random.Random(f"{options.seed}/end"))

    #: How often, relative to each other.
    _kinds: dict[str, float] = {
        "any_write": 50, "burst": 12, "own_write": 9, "pause": 3, "unpause": 4, "disconnect": 3, "come_back": 4,
        "resubscribe": 3, "redefine": 2.5, "acknowledge": 8, "await": 4, "quiet": 4, "kill": 0.6, "terminate": 0.4,
        "idle": 0.25, "remake_zone": 0.8, "watch": 2, "move": 1.5, "flood": 0.7,
    }

    def summary(self) -> str:
        subscribers = self._subscribers
        ledger = self._ledger
        total = lambda name: sum(getattr(subscriber, name) for subscriber in subscribers)
        return (
            f"{self.step} steps, {self.quiets} times compared ({self._judge.comparisons} results), "
            f"{ledger.acknowledged} writes acknowledged, {ledger.refused} refused, {ledger.unanswered} unanswered, "
            f"{total('pushes')} pushes, {total('changes')} changes, {total('beginnings')} beginnings, "
            f"{total('resumes')} resumed, {total('resyncs')} resyncs, {total('expiries')} tokens expired, {self.probed} looked up, "
            f"{sum(watcher.lines for watcher in self._watchers)} lines of "
            f"{sum(watcher.starts for watcher in self._watchers)} watches, {self._service.starts} starts of the service")

    def close(self) -> None:
        for watcher in self._watchers:
            watcher.kill()
        self._service.close()
        self._loop.close()

    @property
    def log(self) -> str:
        return self._service.log(1500)

    # MARK: Steps

    def _any_write(self, draw: random.Random) -> None:
        self._write(draw.randrange(len(self._writers)), self._composer.compose(draw))

    def _burst(self, draw: random.Random) -> None:
        for _ in range(draw.randrange(3, 12)):
            self._any_write(draw)

    def _write(self, number: int, write: Write) -> None:
        connection = self._writers[number]
        if connection is None or not connection.is_open:
            connection = self._writers[number] = Connection(self._loop, self._service.socket)
        self._ledger.send(write, connection, -2 - number)

    def _own_write(self, draw: random.Random) -> None:
        client = draw.choice(self._clients)
        write = self._composer.compose(draw, is_own=True)
        if client.is_connected and client.connection is not None and client.connection.is_reading:
            self._ledger.send(write, client.connection, client.author, client.wrote)

    def _pause(self, draw: random.Random) -> None:
        client = draw.choice(self._clients)
        if client.connection is not None:
            client.connection.is_reading = False

    def _unpause(self, draw: random.Random) -> None:
        client = draw.choice(self._clients)
        if client.connection is not None:
            client.connection.is_reading = True

    def _disconnect(self, draw: random.Random) -> None:
        client = draw.choice(self._clients)
        client.is_away = draw.random() < 0.7
        client.disconnect()

    def _come_back(self, draw: random.Random) -> None:
        draw.choice(self._clients).is_away = False

    def _resubscribe(self, draw: random.Random) -> None:
        subscriber = draw.choice(self._subscribers)
        subscriber.unsubscribe()
        subscriber.attach()

    def _redefine(self, draw: random.Random) -> None:
        number = draw.randrange(len(self._subscribers))
        self._subscribers[number].define(self._definition(draw, number))

    def _acknowledge(self, draw: random.Random) -> None:
        for subscriber in self._subscribers:
            if draw.random() < 0.5:
                subscriber.acknowledge()

    def _move(self, draw: random.Random) -> None:
        client = draw.choice(self._clients)
        subscriber = draw.choice(self._subscribers)
        if subscriber.definition.saved is not None and client.is_connected:
            subscriber.move(client)

    def _await(self, _: random.Random) -> None:
        self._await_replies()

    def _kill(self, _: random.Random) -> None:
        self._service.stop(signal.SIGKILL)

    def _terminate(self, _: random.Random) -> None:
        self._service.stop(signal.SIGTERM)

    def _idle(self, _: random.Random) -> None:
        """Everybody leaves: the service ends by itself, and nothing is lost."""
        self._await_replies()
        for watcher in self._watchers:
            watcher.kill()
        for client in self._clients:
            client.disconnect()
        for connection in self._writers:
            if connection is not None:
                connection.lose()
        self._judge.close()
        if not self._loop.until(lambda: not self._service.is_running, PATIENCE):
            raise Fault("idle", "the service runs on though nobody is there")

    def _remake_zone(self, draw: random.Random) -> None:
        if "zones" in self.features:
            number = draw.randrange(len(self._writers))
            self._write(number, self._composer.zone(grammar.WORK_ZONE, is_deleted=True))
            for _ in range(draw.randrange(3)):
                self._any_write(draw)
            self._write(number, self._composer.zone(grammar.WORK_ZONE, is_deleted=False))

    def _flood(self, draw: random.Random) -> None:
        """So many changes that those before are not kept, where few are."""
        number = draw.randrange(len(self._writers))
        if self._is_pruned:
            for _ in range(8):
                for write in self._composer.bulk(150):
                    self._write(number, write)
            self._await_replies()

    def _watch(self, draw: random.Random) -> None:
        watcher = draw.choice(self._watchers)
        if draw.random() < 0.5:
            watcher.kill()
        else:
            watcher.start()

    def _revive(self) -> None:
        """Those whose connection was lost come back, unless they stay away."""
        for client in self._clients:
            if not client.is_away:
                client.connect()

    def _await_replies(self) -> None:
        # One that writes and does not read gets no reply.
        for client in self._clients:
            if client.connection is not None and client.connection.outstanding:
                client.connection.is_reading = True
        if not self._loop.until(lambda: self._ledger.outstanding == 0, PATIENCE):
            raise Fault("answer", f"{self._ledger.outstanding} writes are not answered")

    def _await_departures(self) -> None:
        """Waits until the service knows that those who left have gone: what they sent is done before the next write then,
        or never will be."""
        def are_known() -> bool:
            answer, _ = self._judge.ask("serverInfo", {})
            running = sum(watcher.is_running for watcher in self._watchers)
            return answer is not None and answer["statistics"]["connections"] <= len(self._loop.connections) + running

        if not self._loop.until(are_known, PATIENCE):
            raise Fault("connections", "the service has more connections than there are")

    # MARK: Looking up what was pushed

    def _noticed(self, subscriber: Subscriber, change: Json) -> None:
        self._seen += 1
        if self._seen % PROBED == 0 and "record" in change:
            self._probes.append((change["recordType"], key_of(change), version_of(change["record"])))

    def _probe(self) -> None:
        """Asks over new connections for what was just pushed: it must be there, as it was pushed or later."""
        probes, self._probes = self._probes, []
        for kind, key, version in probes:
            self.probed += 1
            connection = Connection(self._loop, self._service.socket)

            def answered(result: Optional[Json], error: Optional[Json], connection: Connection = connection,
                         key: Key = key, version: int = version) -> None:
                if result is not None:
                    if not result["records"]:
                        self._absent.append((key, version))
                    elif version_of(result["records"][0]) < version:
                        raise Fault("early", f"{key} was pushed in version {version}, and there is an older one")
                elif error is not None and error_code(error) not in ("serviceUnavailable", "zoneNotFound"):
                    raise Fault("query", text_of(error)[:500])
                connection.lose()

            connection.call("performQuery", {
                "recordType": kind, "predicate": "recordName == %@", "arguments": [key[1]], "zoneName": key[0]}, answered)

    def _check_absent(self) -> None:
        absent, self._absent = self._absent, []
        for key, version in absent:
            if self._ledger.is_certain(key) and not self._ledger.was_deleted(key, version):
                raise Fault("early", f"{key} was pushed in version {version}, was not there, and nobody deleted it")

    # MARK: Comparing

    def _quiet(self, draw: random.Random) -> None:
        """Waits until everything is settled, and compares."""
        self.quiets += 1
        for client in self._clients:
            if client.connection is not None:
                client.connection.is_reading = True
        self._await_departures()
        if "zones" in self.features:
            self._write(0, self._composer.zone(grammar.WORK_ZONE, is_deleted=False))
        self._loop.drain()
        self._await_replies()
        self._ledger.compare(self._judge.everything())
        for subscriber in self._subscribers:
            if not subscriber.client.is_away:
                self._compare(subscriber)
        for watcher in self._watchers:
            if watcher.is_running:
                self._compare_watcher(watcher)
        self._check_absent()
        for subscriber in self._subscribers:
            subscriber.check_told()
        self._ledger.settle()

    def _compare(self, subscriber: Subscriber) -> None:
        expectation = self._judge.expectation(subscriber.definition.params)
        differs: Optional[str] = "it is not attached"

        def is_equal() -> bool:
            nonlocal differs
            self._revive()
            # One whose zone was away tries again.
            subscriber.attach()
            if subscriber.is_settled and subscriber.has_taken_over():
                differs = expectation(subscriber.held)
            return differs is None

        if not self._loop.until(is_equal, PATIENCE):
            fault = Fault("state", differs or "")
            fault.about = subscriber
            raise fault
        subscriber.held.is_lenient = False

    def _compare_watcher(self, watcher: Watcher) -> None:
        find = self._judge.expectation(watcher.params)
        differs: Optional[str] = None

        def is_equal() -> bool:
            nonlocal differs
            watcher.take()
            differs = find(watcher.held)
            return differs is None

        if not self._loop.until(is_equal, PATIENCE):
            raise Fault("state", f"{watcher}: {differs}")
