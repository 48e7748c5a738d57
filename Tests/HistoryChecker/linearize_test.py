"""The search against histories written by hand, of which everybody can say whether they can have been.

    python3 -m unittest discover -s Tests/HistoryChecker -p '*_test.py'
"""

import os
import sys
import tempfile
import unittest
from typing import Any, Optional

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../ServiceProcess"))

from history import Answered, Ended, History, Invoked  # noqa: E402
from judge import judge  # noqa: E402
from model import Call, Record, Reference, Step  # noqa: E402


class Writer:
    """Writes a history down: `sent` and `answered` in the order in which they happened."""

    def __init__(self, names: int = 1) -> None:
        self.history = History(names)
        self._numbers = 0

    def sent(self, *steps: Step, look: tuple[int, ...] = (), atomic: Optional[bool] = None) -> int:
        self._numbers += 1
        call = Call(self._numbers, 0, steps, look, is_batch=atomic is not None, is_atomic=atomic is not False)
        self.history.events.append(Invoked(call))
        return self._numbers

    def answered(self, number: int, *outcomes: Any) -> None:
        self.history.results[number] = outcomes
        self.history.events.append(Answered(number))

    def did(self, step: Step, outcome: Any) -> None:
        self.answered(self.sent(step), outcome)

    def looked(self, *records: Optional[Record]) -> None:
        self.answered(self.sent(look=tuple(range(len(records)))), *[("found", record) for record in records])

    def ended(self, *lost: int) -> None:
        self.history.events.append(Ended(lost))


def n(value: int, tag: str) -> Record:
    return Record((("n", value),), tag)


def put(value: int, name: int = 0) -> Step:
    return Step("forceReplace", name, (("n", value),))


def add(amount: int = 1, name: int = 0) -> Step:
    return Step("forceUpdate", name, (("n", ("$increment", amount)),))


class HistoryTests(unittest.TestCase):
    def setUp(self) -> None:
        self.one = Writer()
        self.two = Writer(names=2)

    def assert_can_be(self, writer: Writer) -> None:
        self.assertIsNone(judge(writer.history))

    def assert_cannot_be(self, writer: Writer, name: str = "record") -> None:
        fault = judge(writer.history)
        self.assertIsNotNone(fault, "nothing was found")
        assert fault is not None
        self.assertEqual(fault.name, name, fault.text)

    def test_one_call_after_another(self):
        self.one.did(put(1), ("saved", n(1, "a")))
        self.one.looked(n(1, "a"))
        self.one.did(add(), ("saved", n(2, "b")))
        self.one.did(Step("delete", 0), ("deleted", True, 0))
        self.one.looked(None)
        self.assert_can_be(self.one)

    def test_a_look_during_a_save_sees_it_or_does_not(self):
        for seen in (None, n(1, "a")):
            writer = Writer()
            save = writer.sent(put(1))
            writer.looked(seen)
            writer.answered(save, ("saved", n(1, "a")))
            self.assert_can_be(writer)

    def test_what_one_has_seen_nobody_sees_undone(self):
        save = self.one.sent(put(1))
        self.one.looked(n(1, "a"))
        self.one.looked(None)
        self.one.answered(save, ("saved", n(1, "a")))
        self.assert_cannot_be(self.one)

    def test_a_stale_look_is_found(self):
        self.one.did(put(1), ("saved", n(1, "a")))
        self.one.did(put(2), ("saved", n(2, "b")))
        self.one.looked(n(1, "a"))
        self.assert_cannot_be(self.one)

    def test_a_lost_save_is_found(self):
        self.one.did(put(1), ("saved", n(1, "a")))
        self.one.looked(None)
        self.assert_cannot_be(self.one)

    def test_a_doubled_increment_is_found(self):
        self.one.did(put(1), ("saved", n(1, "a")))
        self.one.did(add(), ("saved", n(3, "b")))
        self.assert_cannot_be(self.one)

    def test_a_lost_increment_is_found(self):
        self.one.did(put(1), ("saved", n(1, "a")))
        first, second = self.one.sent(add()), self.one.sent(add())
        self.one.answered(first, ("saved", n(2, "b")))
        self.one.answered(second, ("saved", n(2, "c")))
        self.assert_cannot_be(self.one)

    def test_two_saves_with_one_tag_are_found(self):
        self.one.did(put(1), ("saved", n(1, "a")))
        first = self.one.sent(Step("replace", 0, (("n", 2),), "a", True))
        second = self.one.sent(Step("replace", 0, (("n", 3),), "a", True))
        self.one.answered(first, ("saved", n(2, "b")))
        self.one.answered(second, ("saved", n(3, "c")))
        self.assert_cannot_be(self.one)

    def test_a_conflict_with_what_was_never_there_is_found(self):
        self.one.did(put(1), ("saved", n(1, "a")))
        self.one.did(Step("create", 0, (("n", 2),)), ("conflict", n(7, "x")))
        self.assert_cannot_be(self.one)

    def test_a_tag_for_two_versions_is_found(self):
        self.one.did(put(1), ("saved", n(1, "a")))
        self.one.did(put(2), ("saved", n(2, "a")))
        self.assert_cannot_be(self.one, "tag")

    def test_a_new_tag_for_what_was_left_as_it_is_is_found(self):
        self.one.did(put(1), ("saved", n(1, "a")))
        self.one.did(put(1), ("saved", n(1, "b")))
        self.assert_cannot_be(self.one)

    def test_what_a_killed_process_did_not_answer_was_done_or_not(self):
        for seen in (n(1, "a"), n(2, "b")):
            writer = Writer()
            writer.did(put(1), ("saved", n(1, "a")))
            lost = writer.sent(add())
            writer.ended(lost)
            writer.looked(seen)
            writer.looked(seen)
            self.assert_can_be(writer)

    def test_what_a_killed_process_did_not_answer_is_not_done_later(self):
        self.one.did(put(1), ("saved", n(1, "a")))
        lost = self.one.sent(add())
        self.one.ended(lost)
        self.one.looked(n(1, "a"))
        self.one.looked(n(2, "b"))
        self.assert_cannot_be(self.one)

    def test_what_was_answered_before_a_kill_is_there_behind_it(self):
        self.one.did(put(1), ("saved", n(1, "a")))
        self.one.ended()
        self.one.looked(None)
        self.assert_cannot_be(self.one)

    def test_half_a_batch_is_found(self):
        batch = self.two.sent(put(1, 0), put(1, 1), atomic=True)
        self.two.looked(n(1, "a"), None)
        self.two.answered(batch, ("saved", n(1, "a")), ("saved", n(1, "b")))
        self.assert_cannot_be(self.two, "whole")

    def test_half_a_batch_that_a_killed_process_left_is_found(self):
        batch = self.two.sent(put(1, 0), put(1, 1), atomic=True)
        self.two.ended(batch)
        self.two.looked(n(1, "a"), None)
        self.assert_cannot_be(self.two, "whole")

    def test_a_refused_batch_does_nothing_and_says_which_was_at_fault(self):
        update = Step("update", 1, (("n", 1),))
        self.two.answered(self.two.sent(put(1, 0), update, atomic=True), ("failed",), ("unknown",))
        self.two.looked(None, None)
        self.assert_can_be(self.two)
        self.two.answered(self.two.sent(put(1, 0), update, atomic=True), ("unknown",), ("failed",))
        self.assert_cannot_be(self.two, "record")

    def test_two_who_see_two_records_change_in_two_orders_are_found(self):
        saves = [self.two.sent(put(1, 0)), self.two.sent(put(1, 1))]
        looks = [self.two.sent(look=(0, 1)), self.two.sent(look=(0, 1))]
        self.two.answered(looks[0], ("found", n(1, "a")), ("found", None))
        self.two.answered(looks[1], ("found", None), ("found", n(1, "b")))
        self.two.answered(saves[0], ("saved", n(1, "a")))
        self.two.answered(saves[1], ("saved", n(1, "b")))
        self.assert_cannot_be(self.two, "whole")

    def test_a_later_answer_of_an_earlier_commit_is_found(self):
        self.one.did(put(1), ("saved", n(1, "a")))
        self.one.looked(n(1, "a"))
        self.one.history.commits = {1: 7, 2: 6}
        self.assert_cannot_be(self.one, "commit")

    def refer(self, name: int, target: int, action: str) -> None:
        """In two records: one that refers to another."""
        fields = (("p", Reference(target, action)),)
        self.two.did(Step("forceReplace", name, fields), ("saved", Record(fields, f"p{name}")))

    def test_a_deletion_takes_along_what_belongs_to_the_record(self):
        for besides, left, can_be in [(1, None, True), (0, None, False), (1, Record((("p", Reference(0, "deleteSelf")),), "p1"), False)]:
            self.setUp()
            self.two.did(put(1), ("saved", n(1, "a")))
            self.refer(1, 0, "deleteSelf")
            self.two.did(Step("delete", 0), ("deleted", True, besides))
            self.two.looked(None, left)
            self.assert_can_be(self.two) if can_be else self.assert_cannot_be(self.two, "whole")

    def test_a_deletion_takes_references_out(self):
        for left, can_be in [(Record((), "x"), True), (Record((("p", Reference(0, "setNull")),), "p1"), False), (None, False)]:
            self.setUp()
            self.two.did(put(1), ("saved", n(1, "a")))
            self.refer(1, 0, "setNull")
            self.two.did(Step("delete", 0), ("deleted", True, 0))
            self.two.looked(None, left)
            self.assert_can_be(self.two) if can_be else self.assert_cannot_be(self.two, "whole")

    def test_a_record_that_is_held_stays(self):
        for action, outcome, can_be in [
                ("restrict", ("held",), True), ("restrict", ("deleted", True, 0), False), ("none", ("held",), False),
                ("validate", ("held",), True)]:
            self.setUp()
            self.two.did(put(1), ("saved", n(1, "a")))
            self.refer(1, 0, action)
            self.two.did(Step("delete", 0), outcome)
            self.assert_can_be(self.two) if can_be else self.assert_cannot_be(self.two, "whole")

    def test_half_a_cascade_that_a_killed_process_left_is_found(self):
        self.two.did(put(1), ("saved", n(1, "a")))
        self.refer(1, 0, "deleteSelf")
        self.two.ended(self.two.sent(Step("delete", 0)))
        self.two.looked(None, Record((("p", Reference(0, "deleteSelf")),), "p1"))
        self.assert_cannot_be(self.two, "whole")

    def test_a_restored_record_is_as_it_was(self):
        for value, can_be in [(2, True), (1, False)]:
            self.setUp()
            self.one.did(put(1), ("saved", n(1, "a")))
            self.one.did(put(2), ("saved", n(2, "b")))
            self.one.did(Step("delete", 0), ("deleted", True, 0))
            self.one.did(Step("restore", 0), ("saved", n(value, "c")))
            self.assert_can_be(self.one) if can_be else self.assert_cannot_be(self.one)

    def test_what_is_there_is_not_restored(self):
        self.one.did(Step("restore", 0), ("unknown",))
        self.one.did(put(1), ("saved", n(1, "a")))
        self.one.did(Step("restore", 0), ("conflict", n(1, "a")))
        self.assert_can_be(self.one)
        self.one.did(Step("restore", 0), ("saved", n(1, "b")))
        self.assert_cannot_be(self.one)

    def test_a_unique_value_is_one_record_s(self):
        def key(name: int, value: str) -> Step:
            return Step("forceReplace", name, (("k", value),))

        def has(value: str, tag: str) -> Any:
            return ("saved", Record((("k", value),), tag))

        self.two.did(key(0, "x"), has("x", "a"))
        self.two.did(key(1, "x"), ("taken", 0))
        self.two.did(key(1, "y"), has("y", "b"))
        # Two may exchange theirs in one request.
        self.two.answered(self.two.sent(key(0, "y"), key(1, "x"), atomic=True), has("y", "c"), has("x", "d"))
        self.two.answered(self.two.sent(key(0, "z"), key(1, "z"), atomic=True), ("failed",), ("taken", 0))
        self.assert_can_be(self.two)
        self.two.did(key(0, "x"), has("x", "e"))
        self.assert_cannot_be(self.two, "whole")

    def test_a_history_that_was_kept_is_judged_alike(self):
        batch = self.two.sent(put(1, 0), Step("forceUpdate", 1, (("l", ("$append", ("x",))),)), atomic=True)
        self.two.ended(batch)
        self.two.looked(None, None)
        self.two.looked(n(1, "a"), Record((("l", ("x",)),), "b"))
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
            self.two.history.save(file.name)
            kept = History.load(file.name)
        self.assertEqual(kept, self.two.history)
        self.assertEqual(judge(kept), judge(self.two.history))


if __name__ == "__main__":
    unittest.main()
