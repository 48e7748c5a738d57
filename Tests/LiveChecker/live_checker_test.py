"""The live checker against the debug build, and against services that lie.

    python3 -m unittest discover -s Tests/LiveChecker -p '*_test.py'
"""

import copy
import os
import random
import unittest
import unittest.mock
from typing import Any, Callable, Optional

from driver import Options
from live_checker import perform
from subscriber import Subscriber
from wire import Fault

SECONDS = float(os.environ.get("LIVE_SECONDS", "10"))
PLACES = {name: os.environ[variable] for name, variable in [("listsd", "LISTSD"), ("listsrpc", "LISTSRPC")]
          if variable in os.environ}


class LiveCheckerTests(unittest.TestCase):
    def check(self, **options: Any) -> tuple[Optional[Fault], str]:
        lines: list[str] = []
        fault = perform(Options(**{**PLACES, **options, "say": lines.append}))
        return fault, "\n".join(lines)

    def test_everybody_holds_what_queries_give_whatever_happens(self):
        fault, text = self.check(seed=str(random.SystemRandom().randrange(1_000_000)), seconds=SECONDS)
        self.assertIsNone(fault, text)

    def test_everybody_holds_what_queries_give_in_a_run_that_is_always_the_same(self):
        fault, text = self.check(seed="1", steps=300)
        self.assertIsNone(fault, text)


class LyingServiceTests(unittest.TestCase):
    """Between the service and one of the subscribers stands somebody who lies."""

    def setUp(self) -> None:
        # What is wrong for so long does not become right.
        patience = unittest.mock.patch("driver.PATIENCE", 10)
        patience.start()
        self.addCleanup(patience.stop)

    def check(self, lie: "Lie", steps: int = 2000) -> Optional[Fault]:
        fault = perform(Options(**PLACES, seed="5", steps=steps, tamper=lie, say=lambda _: None))
        self.assertTrue(lie.was_told, "the run had no push to lie about")
        return fault

    def assert_found(self, lie: "Lie", *names: str) -> None:
        fault = self.check(lie)
        self.assertIsNotNone(fault, "nobody noticed")
        assert fault is not None
        self.assertIn(fault.name, names, str(fault))

    def test_a_push_that_is_dropped_is_found_by_its_number(self):
        self.assert_found(Lie(lambda push: []), "seq", "ended")

    def test_a_push_that_is_dropped_with_its_number_is_found_by_what_is_held(self):
        self.assert_found(Lie(lambda push: [], renumbers=True), "state", "reason", "changedKeys", "ended")

    def test_a_push_that_comes_twice_is_found_by_its_number(self):
        self.assert_found(Lie(lambda push: [push, push]), "seq")

    def test_a_push_that_comes_twice_with_two_numbers_is_found_by_what_is_held(self):
        self.assert_found(Lie(lambda push: [push, push], renumbers=True), "twice", "reason", "order", "changedKeys", "fired")

    def test_a_record_as_it_was_before_is_found(self):
        self.assert_found(Lie(stale, reasons={"updated"}), "stale", "twice", "changedKeys", "unwritten", "state")

    def test_what_a_deletion_takes_along_and_nobody_is_told_of_is_found(self):
        self.assert_found(CascadeLie(lambda push: [
            {**push, "changes": [change for change in push["changes"] if "cause" not in change]}]), "state", "reason", "changedKeys")

    def test_a_record_that_nobody_wrote_is_found(self):
        self.assert_found(Lie(unwritten, reasons={"updated"}), "unwritten", "state", "order")


class Lie:
    """Tampers with some pushes of changes that come live to subscribers of records.

    More than once, since one who is away just then goes on from before, and so is told the truth after all.
    """

    TIMES = 10

    def __init__(
        self, tell: Callable[[Any], list[Any]], reasons: Optional[set[str]] = None, renumbers: bool = False,
    ) -> None:
        self._tell = tell
        self._reasons = reasons or {"created", "updated", "entered"}
        self._renumbers = renumbers
        self._offsets: dict[Any, int] = {}
        self._pushes = 0
        self._told = 0

    @property
    def was_told(self) -> bool:
        return self._told > 0

    def __call__(self, subscriber: Subscriber, push: Any) -> list[Any]:
        offset = self._offsets.get(subscriber.stream, 0)
        given = [push]
        if self._told < self.TIMES and self._is_suited(subscriber, push):
            self._told += 1
            given = self._tell(push)
        if self._renumbers:
            self._offsets[subscriber.stream] = offset + len(given) - 1
            return [{**one, "seq": push["seq"] + offset + place} for place, one in enumerate(given)]
        return given

    def _is_suited(self, subscriber: Subscriber, push: Any) -> bool:
        params = subscriber.definition.params
        is_plain = not params.get("suppressOwn") and not params.get("countOnly") and "resultsLimit" not in params
        changes = push["changes"]
        if not is_plain or push.get("initial") or push.get("moreComing") or "sortDescriptors" in params:
            return False
        if subscriber.held.is_lenient or len(changes) != 1 or changes[0]["reason"] not in self._reasons:
            return False
        self._pushes += 1
        return self._pushes > 20


class CascadeLie(Lie):
    """About what the deletion of another record led to."""

    def _is_suited(self, subscriber: Subscriber, push: Any) -> bool:
        params = subscriber.definition.params
        is_plain = not params.get("suppressOwn") and not params.get("countOnly") and "resultsLimit" not in params
        return is_plain and not push.get("initial") and "sortDescriptors" not in params and any(
            "cause" in change for change in push["changes"])


def stale(push: Any) -> list[Any]:
    lie = copy.deepcopy(push)
    record = lie["changes"][0]["record"]
    record["recordChangeTag"] = "1-" + record["recordChangeTag"].split("-")[1]
    return [lie]


def unwritten(push: Any) -> list[Any]:
    lie = copy.deepcopy(push)
    record = lie["changes"][0]["record"]
    record["recordChangeTag"] = record["recordChangeTag"].split("-")[0] + "-0"
    return [lie]


if __name__ == "__main__":
    unittest.main()
