"""Every check that a push goes through, with one that fails it: no check that can't fail."""

import unittest
from typing import Any, Optional

from held import HeldRecords
from judge import included_differ
from results import HeldCount, HeldWindow, held_for
from stream import Stream
from wire import Digits, Fault, parsed, position_of, text_of, version_of
from writes import Ledger, Operation, Write, applied

ZONE = "_defaultZone"


def record(name: str = "milk", version: str = "5", **fields: Any) -> Any:
    return {
        "recordType": "Item", "recordName": name, "zoneName": ZONE, "recordChangeTag": f"{version}-x", "fields": fields}


def change(reason: str, of: Any, **more: Any) -> Any:
    made = {"reason": reason, "recordType": "Item", "recordName": of["recordName"], "zoneName": ZONE}
    if reason != "deleted":
        made["record"] = of
    order = ["changedKeys", "previous", "from", "to", "section"]
    made |= {name: more[name] for name in order if name in more}
    return {**made, "origin": {"userRecordName": more.get("user", "_0"), "isOwn": more.get("own", False)}}


def push(*changes: Any, seq: int = 1, at: str = "9", **more: Any) -> Any:
    return {"subscriptionID": "1", "seq": seq, "changeToken": f"s-e-{at}", "changes": list(changes), **more}


class HeldTests(unittest.TestCase):
    def assert_fault(self, name: str, held: Any, *pushes: Any) -> None:
        for applied_push in pushes[:-1]:
            held.apply(applied_push)
        with self.assertRaises(Fault) as caught:
            held.apply(pushes[-1])
        self.assertEqual(caught.exception.name, name, str(caught.exception))

    def held(self, **params: Any) -> HeldRecords:
        held = HeldRecords({"recordType": "Item", **params})
        held.apply(push(change("created", record(quantity=1))))
        return held

    def test_what_was_told_is_held(self):
        held = self.held()
        held.apply(push(change("updated", record(version="6", quantity=2), changedKeys=["quantity"])))
        self.assertEqual(held.records[(ZONE, "milk")]["fields"], {"quantity": 2})
        held.apply(push(change("left", record(version="7", quantity=3), changedKeys=["quantity"])))
        self.assertEqual(held.records, {})

    def test_one_that_is_held_is_not_created(self):
        self.assert_fault("reason", self.held(), push(change("created", record(version="6"))))

    def test_one_that_is_not_held_does_not_leave(self):
        self.assert_fault("reason", self.held(), push(change("left", record("bread"), changedKeys=[])))

    def test_one_that_is_not_held_is_not_deleted(self):
        self.assert_fault("reason", self.held(), push(change("deleted", record("bread"))))

    def test_one_that_is_not_held_is_not_updated(self):
        self.assert_fault("reason", self.held(), push(change("updated", record("bread"), changedKeys=[])))

    def test_a_change_is_not_told_again(self):
        self.assert_fault("twice", self.held(), push(change("updated", record(quantity=1), changedKeys=["quantity"])))

    def test_a_record_does_not_go_back(self):
        self.assert_fault(
            "stale", self.held(), push(change("updated", record(version="4", quantity=0), changedKeys=["quantity"])))

    def test_changed_keys_are_those_that_differ(self):
        for keys in [[], ["quantity", "name"], ["name"]]:
            update = change("updated", record(version="6", quantity=2), changedKeys=keys)
            self.assert_fault("changedKeys", self.held(), push(update))

    def test_previous_is_what_was_held(self):
        for fields in [{"quantity": 7}, {}, {"quantity": None}]:
            update = change(
                "updated", record(version="6", quantity=2), changedKeys=["quantity"], previous={"fields": fields})
            self.assert_fault("previous", self.held(includePrevious=True), push(update))
        deletion = change("deleted", record(), previous={"fields": {}})
        self.assert_fault("previous", self.held(includePrevious=True), push(deletion))
        self.assert_fault("previous", self.held(includePrevious=True), push(change("deleted", record())))
        self.assert_fault("previous", self.held(), push(change("deleted", record(), previous={"fields": {"quantity": 1}})))

    def test_included_records_are_there_once(self):
        held = HeldRecords({"recordType": "Item", "include": ["list"]})
        made = change("created", record(list={"$reference": {"recordName": "l"}}))
        entry = {"recordName": "l", "zoneName": ZONE, "record": None}
        self.assert_fault("included", held, push(made))
        self.assert_fault("included", HeldRecords({"include": ["list"]}), push(made, included=[entry, entry]))
        self.assert_fault("included", HeldRecords({}), push(made, included=[entry]))

    def test_own_changes_are_not_told_where_that_was_not_wanted(self):
        held = HeldRecords({"suppressOwn": True})
        self.assert_fault("suppressOwn", held, push(change("created", record(version="9"), own=True), at="9"))
        # One that only refers to what the client wrote is not its own doing.
        held.apply(push(change("entered", record("bread", version="5"), own=True), at="9"))

    def test_own_changes_are_kept_where_older_ones_are_told_later(self):
        held = HeldRecords({"suppressOwn": True})
        held.apply_own((ZONE, "milk"), record(version="8", quantity=8), position_of("s-e-8"))
        held.apply(push(change("created", record(version="7", quantity=7)), at="7"))
        self.assertEqual(held.records[(ZONE, "milk")]["fields"], {"quantity": 8})

    def test_own_changes_of_which_the_request_did_more_later_are_told_where_they_come_with_those_of_others(self):
        held = HeldRecords({"suppressOwn": True})
        held.apply_own((ZONE, "milk"), record(version="8"), position_of("s-e-9"))
        held.apply(push(change("deleted", record()), change("created", record(version="8")), at="c"))
        self.assertEqual(list(held.records), [(ZONE, "milk")])

    def test_own_changes_from_before_the_initial_records_are_kept_only_when_those_have_them(self):
        held = HeldRecords({"suppressOwn": True})
        for name, version in [("milk", "6"), ("bread", "6"), ("soap", "9")]:
            held.apply_own((ZONE, name), record(name, version=version), position_of(f"s-e-{version}"))
        held.apply(push(change("created", record("bread", version="7")), at="8", initial=True))
        self.assertEqual(sorted(name for _, name in held.records), ["bread", "soap"])

    def test_included_records_that_are_written_over_the_same_connection_are_kept_where_older_ones_are_told_later(self):
        held = self.held(suppressOwn=True, include=["list"])
        shop = record("shop", version="3", title="old")
        refers = record(version="6", list={"$reference": {"recordName": "shop"}})
        included = [{"recordName": "shop", "zoneName": ZONE, "record": shop}]
        told = push(change("updated", refers, changedKeys=["list"]), at="6", included=included)
        held.apply_own((ZONE, "shop"), record("shop", version="8", title="new"), position_of("s-e-8"))
        held.apply(told)
        there = {(ZONE, "shop"): record("shop", version="8", title="new")}
        self.assertIsNone(included_differ(held, there))
        self.assertIsNotNone(included_differ(held, {(ZONE, "shop"): shop}))
        held.apply(push(change("updated", {**refers, "recordChangeTag": "9-x"}, changedKeys=[]), included=included))
        self.assertIsNone(included_differ(held, {(ZONE, "shop"): shop}))

    def test_what_an_own_record_refers_to_need_not_be_known(self):
        held = self.held(suppressOwn=True, include=["list"])
        refers = record(version="6", list={"$reference": {"recordName": "shop"}})
        there = {(ZONE, "shop"): record("shop", version="3")}
        held.apply_own((ZONE, "milk"), refers, position_of("s-e-6"))
        self.assertIsNone(included_differ(held, there))
        others = self.held(include=["list"])
        others.records[(ZONE, "milk")] = refers
        self.assertIsNotNone(included_differ(others, there))

    def test_members_have_their_order_and_a_change_its_own_record(self):
        made = change("created", record())
        self.assert_fault("form", HeldRecords({}), push(dict(reversed(made.items()))))
        self.assert_fault("form", HeldRecords({}), push({**made, "recordName": "bread"}))
        self.assert_fault("form", HeldRecords({}), push({**made, "reason": "moved"}))
        self.assert_fault("form", HeldRecords({}), push({key: made[key] for key in made if key != "record"}))

    def test_every_change_says_who_made_it(self):
        made = change("created", record())
        self.assert_fault("form", HeldRecords({}), push({key: made[key] for key in made if key != "origin"}))
        self.assert_fault("form", HeldRecords({}), push({**made, "origin": {"userRecordName": "_0"}}))
        self.assert_fault("form", HeldRecords({}), push({**made, "origin": {"isOwn": False}}))
        self.assert_fault("form", HeldRecords({}), push(change("created", record(), user="root")))
        self.assert_fault("form", self.held(), push(change("deleted", record(), user=None)))


class WindowTests(unittest.TestCase):
    def window(self, **params: Any) -> HeldWindow:
        held = held_for({"recordType": "Item", "resultsLimit": 2, **params})
        assert isinstance(held, HeldWindow)
        held.apply(push(change("created", record("a"), to=0), change("created", record("b"), to=1)))
        return held

    def assert_fault(self, name: str, *changes: Any) -> None:
        with self.assertRaises(Fault) as caught:
            self.window().apply(push(*changes))
        self.assertEqual(caught.exception.name, name, str(caught.exception))

    def test_rows_move(self):
        held = self.window()
        held.apply(push(change("updated", record("b", "6"), to=0, **{"from": 1})))
        self.assertEqual([row["recordName"] for row in held.rows], ["b", "a"])

    def test_only_of_a_row_that_is_gone_may_it_be_unknown_who_made_it_so(self):
        held = self.window()
        held.apply(push(change("deleted", record("a"), user=None, **{"from": 0})))
        self.assertEqual([row["recordName"] for row in held.rows], ["b"])
        self.assert_fault("form", change("updated", record("b", "6"), user=None, to=0, **{"from": 1}))
        made = change("deleted", record("a"), **{"from": 0})
        self.assert_fault("form", {key: made[key] for key in made if key != "origin"})

    def test_what_does_not_fit_the_rows_is_found(self):
        self.assert_fault("window", change("deleted", record("a"), **{"from": 2}))
        self.assert_fault("window", change("deleted", record("a"), **{"from": 1}))
        self.assert_fault("window", change("created", record("c"), to=1))
        self.assert_fault("window", change("deleted", record("a"), **{"from": 0}), change("created", record("c"), to=2))
        self.assert_fault("window", change("deleted", record("a"), **{"from": 0}), change("created", record("b"), to=0))
        self.assert_fault("window", change("updated", record("a"), to=0))
        self.assert_fault("twice", change("updated", record("a"), to=0, **{"from": 0}))
        self.assert_fault("stale", change("updated", record("a", "4"), to=0, **{"from": 0}))

    def test_sections_come_with_rows_and_are_those_of_the_query(self):
        held = held_for({"sectionNameKey": "name"})
        assert isinstance(held, HeldWindow)
        section = {"name": "M", "indexTitle": "M"}
        held.apply(push(change("created", record("a"), to=0, section=section), change("created", record("b"), to=1, section=section)))
        self.assertEqual(held.section_list(), [{**section, "numberOfRecords": 2, "offset": 0}])
        with self.assertRaises(Fault):
            held.apply(push(change("created", record("c"), to=2)))

    def test_a_number_is_not_told_again(self):
        held = HeldCount({"countOnly": True})
        held.apply(push(count=3, initial=True))
        with self.assertRaises(Fault):
            held.apply(push(count=3))


class StreamTests(unittest.TestCase):
    def stream(self, buffers: bool = True) -> Stream:
        return Stream(HeldRecords({}), "s-e-3", buffers)

    def assert_fault(self, name: str, *pushes: Any, stream: Optional[Stream] = None) -> None:
        stream = stream or self.stream()
        for one in pushes[:-1]:
            stream.receive(one)
        with self.assertRaises(Fault) as caught:
            stream.receive(pushes[-1])
        self.assertEqual(caught.exception.name, name, str(caught.exception))

    def test_pushes_are_numbered_without_holes(self):
        self.assert_fault("seq", push(seq=2))
        self.assert_fault("seq", push(seq=1), push(seq=3))
        self.assert_fault("seq", push(seq=1), push(seq=1))

    def test_what_has_fired_tells_nothing_more(self):
        stream = Stream(HeldRecords({"firesOnce": True}), "s-e-3")
        pushes = [push(change("created", record(name))) | {"seq": place + 1} for place, name in enumerate("ab")]
        self.assert_fault("fired", *pushes, stream=stream)

    def test_positions_do_not_go_back(self):
        self.assert_fault("order", push(at="9"), push(at="8", seq=2))
        self.assert_fault("order", push(change("created", record(version="a")), at="9"))
        self.assert_fault("order", push(change("created", record(version="3")), at="9"))

    def test_initial_records_are_marked_and_come_first(self):
        self.assert_fault("initial", push(initial=True))
        stream = self.stream()
        stream.expect_initial()
        self.assert_fault("initial", push(initial=True, moreComing=True), push(seq=2), stream=stream)

    def test_parts_are_applied_when_the_last_one_is_there_and_no_token_before_is_kept(self):
        stream = self.stream()
        self.assertEqual(stream.receive(push(change("created", record("a")), moreComing=True, at="3")), [])
        self.assertEqual((stream.token, stream.held.records, stream.is_whole), ("s-e-3", {}, False))
        self.assertEqual(len(stream.receive(push(change("created", record("b")), seq=2))), 2)
        self.assertEqual((stream.token, len(stream.held.records), stream.is_whole), ("s-e-9", 2, True))

    def test_parts_that_were_applied_at_once_may_come_again_after_an_interruption(self):
        stream = self.stream(buffers=False)
        stream.receive(push(change("created", record("a")), moreComing=True, at="3"))
        again = Stream(stream.held, stream.token, buffers=False)
        again.receive(push(change("created", record("a")), change("created", record("b")), at="9"))
        self.assertEqual((len(again.held.records), again.held.is_lenient), (2, False))


class LedgerTests(unittest.TestCase):
    def ledger(self, **records: Any) -> Ledger:
        ledger = Ledger()
        ledger.records = {(ZONE, name): value for name, value in records.items()}
        return ledger

    def lose(self, ledger: Ledger, stamp: int, *operations: Operation) -> None:
        ledger.lost.append(Write("modifyRecords", {}, list(operations), stamp))

    def assert_fault(self, name: str, ledger: Ledger, **there: Any) -> None:
        with self.assertRaises(Fault) as caught:
            ledger.compare({(ZONE, name): value for name, value in there.items()})
        self.assertEqual(caught.exception.name, name, str(caught.exception))

    def test_what_was_acknowledged_is_there(self):
        self.assert_fault("durable", self.ledger(a=record("a")))
        self.assert_fault("durable", self.ledger(a=record("a")), a=record("a", "6"))
        self.assert_fault("durable", self.ledger(), a=record("a"))

    def test_what_was_not_answered_is_there_whole_or_not_at_all(self):
        operations = [Operation((ZONE, name), "replace", "Item", {"stamp": 7}) for name in "ab"]
        there = {name: record(name, stamp=7) for name in "ab"}
        for done in [there, {}]:
            ledger = self.ledger()
            self.lose(ledger, 7, *operations)
            ledger.compare({(ZONE, name): value for name, value in done.items()})
        ledger = self.ledger()
        self.lose(ledger, 7, *operations)
        self.assert_fault("whole", ledger, a=there["a"])
        ledger = self.ledger()
        self.lose(ledger, 7, *operations)
        self.assert_fault("durable", ledger, a=record("a", stamp=7, quantity=1), b=there["b"])

    def test_what_is_gone_without_being_deleted_is_missed(self):
        ledger = self.ledger(a=record("a"))
        self.lose(ledger, 7, Operation((ZONE, "a"), "merge", "Item", {"stamp": 7}))
        self.assert_fault("durable", ledger)

    def test_operations_are_worked_out(self):
        fields = {"quantity": 2, "tags": ["a", "b"], "name": "x"}
        operation = Operation((ZONE, "a"), "merge", "Item", {
            "quantity": {"$increment": 3}, "tags": {"$addUnique": ["b", "c"]}, "name": None})
        self.assertEqual(applied(operation, fields), {"quantity": 5, "tags": ["a", "b", "c"]})
        self.assertEqual(applied(Operation((ZONE, "a"), "merge", "Item", {"tags": {"$remove": ["a"]}}), fields)["tags"], ["b"])
        self.assertEqual(applied(Operation((ZONE, "a"), "merge", "Item", {"tags": {"$remove": ["a"]}}), {}), {})


class TextTests(unittest.TestCase):
    def test_values_are_the_same_text_only_when_they_are_the_same_bytes(self):
        self.assertNotEqual(text_of(parsed('{"a":1.0}')), text_of(parsed('{"a":1}')))
        self.assertNotEqual(text_of(parsed('{"a":1,"b":2}')), text_of(parsed('{"b":2,"a":1}')))
        self.assertIsInstance(parsed("1e2"), Digits)

    def test_versions_have_the_order_of_commits(self):
        self.assertLess(version_of({"recordChangeTag": "9-x"}), version_of({"recordChangeTag": "9.1-x"}))
        self.assertLess(version_of({"recordChangeTag": "9.zz-x"}), version_of({"recordChangeTag": "a-x"}))
        self.assertLess(version_of({"recordChangeTag": "9.zz-x"}), position_of("s-e-9"))


if __name__ == "__main__":
    unittest.main()
