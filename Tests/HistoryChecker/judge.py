"""Says whether a history can have been, and what can't."""

from __future__ import annotations

import dataclasses
from typing import Optional

from history import Answered, Ended, Event, History, Invoked, commits_in_order, tags_differ
from linearize import Impossible, Search
from model import Call, initial


@dataclasses.dataclass
class Fault:
    """`name` says which promise was broken, for the tests of the checker."""

    name: str
    text: str


def judge(history: History) -> Optional[Fault]:
    """The first promise found broken. Record by record at first, since that shows a fault in the fewest calls."""
    if (text := tags_differ(history)) is not None:
        return Fault("tag", text)
    for name in range(history.names if history.is_separable else 0):
        if (found := _impossible(history.of_one(name))) is not None:
            return Fault("record", f"record r{name} alone:\n{found}")
    if (found := _impossible(history)) is not None:
        alone = "each record alone can be explained, and all together can't:\n" if history.is_separable else ""
        return Fault("whole", f"{alone}{found}")
    if (text := commits_in_order(history)) is not None:
        return Fault("commit", text)
    return None


def _impossible(history: History) -> Optional[str]:
    search = Search(initial(history.names), history.results)
    try:
        search.follow(history.events)
    except Impossible as impossible:
        return _told(history, impossible)
    return None


#: Calls told before the one that can't be explained.
_TOLD = 12


def _told(history: History, impossible: Impossible) -> str:
    calls = history.calls
    lines = [f"{impossible.reason}: {_event(history, calls, impossible.event)}", "it may have been, just before:"]
    lines += [f"  {one.state} after {sorted(one.done)}" for one in impossible.before]
    lines.append("not answered by then:")
    lines += [f"  {_call(call)} → {history.results.get(call.number, 'no answer')}" for call in impossible.pending]
    lines.append("before that:")
    past = [event for event in history.events[:impossible.place] if not isinstance(event, Invoked)]
    lines += [f"  {_event(history, calls, event)}" for event in past[-_TOLD:]]
    return "\n".join(lines)


def _event(history: History, calls: dict[int, Call], event: Event) -> str:
    if isinstance(event, Answered):
        return f"{_call(calls[event.number])} → {history.results[event.number]}"
    if isinstance(event, Ended):
        lost = ", ".join(_call(calls[number]) for number in event.lost)
        return f"the service ended; unanswered: {lost or 'nothing'}"
    return f"sent: {_call(event.call)}"


def _call(call: Call) -> str:
    if call.reads:
        return f"{call.number} look at {list(call.names)}"
    steps = "; ".join(
        f"{step.word} r{step.name}{' tag ' + step.tag if step.tag else ''} {dict(step.fields) or ''}" for step in call.steps)
    kind = (" atomic batch" if call.is_atomic else " batch") if call.is_batch else ""
    return f"{call.number}{kind} {steps}"
