"""The history checker against the debug build, and against services that lie.

    python3 -m unittest discover -s Tests/HistoryChecker -p '*_test.py'
"""

import os
import random
import sys
import threading
import unittest
from typing import Any, Callable, Optional

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../ServiceProcess"))

from client import Ask  # noqa: E402
from history_checker import perform  # noqa: E402
from judge import Fault  # noqa: E402
from line_connection import LineConnection  # noqa: E402
from model import Call  # noqa: E402
from round import Options  # noqa: E402

SECONDS = float(os.environ.get("HISTORY_SECONDS", "6"))
Answer = tuple[Optional[Any], Optional[Any]]


class HistoryCheckerTests(unittest.TestCase):
    def test_one_order_explains_all_answers_whatever_is_killed(self):
        lines: list[str] = []
        seed = str(random.SystemRandom().randrange(1_000_000))
        self.assertIsNone(perform(Options(seed=seed, seconds=SECONDS, say=lines.append)), "\n".join(lines))


class LyingServiceTests(unittest.TestCase):
    """Between the service and its clients stands somebody who lies now and then."""

    def assert_found(self, *names: str, answers: int = 400, **options: Any) -> None:
        options = {"seed": "3", "round": 0, "answers": answers, "keeps": False, "say": lambda _: None, **options}
        fault = perform(Options(**options))
        self.assertIsNotNone(fault, "nobody noticed")
        assert fault is not None
        self.assertIn(fault.name, names, fault.text)

    def test_an_increment_that_is_done_twice_is_found(self):
        def twice(call: Call, method: str, params: Any, ask: Ask) -> Answer:
            ask(method, params)
            return ask(method, params)

        self.assert_found("record", "whole", tamper=Lie(increments, twice))

    def test_a_save_that_is_answered_and_lost_is_found(self):
        def lose(call: Call, method: str, params: Any, ask: Ask) -> Answer:
            name = {"recordName": params["record"]["recordName"]}
            before, _ = ask("fetchRecord", name)
            answer = ask(method, params)
            if before is None:
                ask("deleteRecord", {**name, "ignoreMissing": True})
            else:
                draft = {"recordType": "Item", **name, "fields": before["record"]["fields"]}
                ask("saveRecord", {"record": draft, "savePolicy": "allKeys"})
            return answer

        self.assert_found("record", "whole", tamper=Lie(lambda call: call.steps[:1] != () and not call.is_batch
                                                         and call.steps[0].word == "forceReplace", lose))

    def test_a_tag_that_is_not_looked_at_is_found(self):
        def force(call: Call, method: str, params: Any, ask: Ask) -> Answer:
            return ask(method, {**params, "savePolicy": "allKeys"})

        self.assert_found("record", tamper=Lie(lambda call: not call.reads and not call.is_batch
                                                and call.steps[0].word == "replace", force))

    def test_a_stale_look_is_found(self):
        kept: dict[str, Answer] = {}

        def earlier(call: Call, method: str, params: Any, ask: Ask) -> Answer:
            answer = ask(method, params)
            return kept.setdefault(params["recordName"], answer)

        self.assert_found("record", "whole", "commit", tamper=Lie(lambda call: call.reads and len(call.names) == 1, earlier))

    def test_half_a_batch_is_found(self):
        def half(call: Call, method: str, params: Any, ask: Ask) -> Answer:
            answer = ask(method, params)
            if answer[0] is not None:
                ask("deleteRecord", {"recordName": params["operations"][-1]["record"]["recordName"], "ignoreMissing": True})
            return answer

        self.assert_found(
            "record", "whole", answers=1500, tamper=Lie(lambda call: call.is_batch and not call.reads, half, times=1000))

    def test_a_cascade_that_leaves_a_record_is_found(self):
        def leave(call: Call, method: str, params: Any, ask: Ask) -> Answer:
            before, _ = ask("performQuery", {"recordType": "Item"})
            answer = ask(method, params)
            if answer[0] is not None and answer[0].get("cascadedDeletions"):
                for record in before["records"]:
                    if record["recordName"] != params["recordName"]:
                        draft = {key: record[key] for key in ("recordType", "recordName", "fields")}
                        ask("saveRecord", {"record": draft})
            return answer

        self.assert_found("whole", answers=1500, kind="references", tamper=Lie(deletes, leave, times=1000))

    def test_a_unique_value_that_two_have_is_found(self):
        def take(call: Call, method: str, params: Any, ask: Ask) -> Answer:
            answer, error = ask(method, params)
            # Under a key another request would be refused once the answer was lost.
            if error is None or error["data"]["errorCode"] != "constraintViolation" or "idempotencyKey" in params:
                return answer, error
            draft = {**params["record"], "fields": {**params["record"]["fields"], "k": None}}
            answer, _ = ask("saveRecord", {**params, "record": draft})
            record = answer["record"]
            return {**answer, "record": {**record, "fields": {**record["fields"], "k": params["record"]["fields"]["k"]}}}, None

        self.assert_found("whole", "tag", answers=1500, kind="unique", tamper=Lie(
            lambda call: len(call.steps) == 1 and not call.is_batch and dict(call.steps[0].fields).get("k") is not None
            and call.steps[0].word == "forceUpdate", take, times=1000))

    def test_a_restored_record_that_is_another_is_found(self):
        def restore(call: Call, method: str, params: Any, ask: Ask) -> Answer:
            answer, error = ask(method, params)
            if answer is None:
                return answer, error
            draft = {"recordType": "Item", **params, "fields": {"s": "another"}}
            return ask("saveRecord", {"record": draft, "savePolicy": "allKeys"})

        self.assert_found("record", answers=1500, kind="plain", tamper=Lie(
            lambda call: len(call.steps) == 1 and call.steps[0].word == "restore", restore, times=1000))

    def test_a_key_that_is_not_looked_at_is_found(self):
        self.assert_found("counter", answers=1500, forget=lambda params: {
            name: value for name, value in params.items() if name != "idempotencyKey"})

    def test_an_answered_save_that_a_kill_undoes_is_found(self):
        def undo(connection: LineConnection) -> None:
            for name in ("r0", "r1", "r2"):
                connection.ask("saveRecord", {
                    "record": {"recordType": "Item", "recordName": name, "fields": {"s": "from long ago"}},
                    "savePolicy": "allKeys"})

        self.assert_found("record", after_kill=undo)


class Lie:
    """Tells a lie about some calls of a kind, to whoever makes them."""

    def __init__(self, suits: Callable[[Call], bool], tell: Callable[[Call, str, Any, Ask], Answer], times: int = 10) -> None:
        self._suits = suits
        self._tell = tell
        self._left = times
        self._lock = threading.Lock()

    def __call__(self, call: Call, method: str, params: Any, ask: Ask) -> Answer:
        with self._lock:
            is_told = self._left > 0 and call.number > 500 and self._suits(call)
            self._left -= is_told
        return self._tell(call, method, params, ask) if is_told else ask(method, params)


def deletes(call: Call) -> bool:
    return len(call.steps) == 1 and not call.is_batch and call.steps[0].word == "delete"


def increments(call: Call) -> bool:
    return any(("n", ("$increment", 1)) in step.fields for step in call.steps) and not call.is_batch


if __name__ == "__main__":
    unittest.main()
