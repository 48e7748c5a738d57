"""What the service promises of each request, said once more and as briefly as it can be.

A record is `Record(fields, tag)`, a state is a tuple with a record or None for each name. States never change, and can
be kept in sets.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple, Optional, Union

Fields = tuple[tuple[str, Any], ...]
State = tuple[Optional["Record"], ...]


class Unseen(NamedTuple):
    """The tag of a version that a call made which was never answered."""

    call: int


class Record(NamedTuple):
    fields: Fields
    tag: Union[str, Unseen]


@dataclasses.dataclass(frozen=True)
class Step:
    """One operation on one record: a word of modifyRecords', and what it is done with."""

    word: str
    name: int
    fields: Fields = ()
    tag: Optional[str] = None
    #: As deleteRecord and saveRecord say it: what is missing is no `unknownItem`.
    is_lenient: bool = False


@dataclasses.dataclass(frozen=True)
class Call:
    """A request: `steps` in one commit, or a look at the records `names` in one snapshot."""

    number: int
    client: int
    steps: tuple[Step, ...] = ()
    names: tuple[int, ...] = ()
    is_batch: bool = False
    is_atomic: bool = True

    @property
    def reads(self) -> bool:
        return not self.steps


# Outcomes of a step, and of a look at a record: what was answered, without what the model does not know of.
#   ("saved", Record) · ("deleted", True or False) · ("conflict", Record or None) · ("unknown",) · ("failed",)
#   ("found", Record or None)
Outcome = tuple[Any, ...]
Result = tuple[Outcome, ...]


def initial(names: int) -> State:
    return (None,) * names


def apply(state: State, call: Call, result: Optional[Result]) -> Optional[State]:
    """The state behind the call, had it taken effect in `state`; None when it can't have been answered so.

    Without a result anything might have been answered. A call names each record once.
    """
    if call.reads:
        return state if result is None else _seen_all(state, zip(call.names, result))
    attempts = [_attempt(state[step.name], step) for step in call.steps]
    if call.is_batch and call.is_atomic:
        for place, (word, _) in enumerate(attempts):
            if word in _REFUSALS:
                return state if result is None else _undone(state, call.steps[place], word, place, result)
    for place, (step, (word, fields)) in enumerate(zip(call.steps, attempts)):
        outcome = result[place] if result is not None else None
        refused = word in _REFUSALS
        after = _refused(state, step, word, outcome) if refused else _done(state, step, call, fields, outcome)
        if after is None:
            return None
        state = after
    return state


def _undone(before: State, step: Step, word: str, place: int, result: Result) -> Optional[State]:
    """Nothing of a batch is done, and only the operation at fault says why."""
    if any(outcome != ("failed",) for at, outcome in enumerate(result) if at != place):
        return None
    return _refused(before, step, word, result[place])


def _refused(state: State, step: Step, word: str, outcome: Optional[Outcome]) -> Optional[State]:
    if outcome is None:
        return state
    if outcome[0] != word:
        return None
    return _seen(state, step.name, outcome[1]) if word == "conflict" else state


_REFUSALS = ("conflict", "unknown")


def _attempt(record: Optional[Record], step: Step) -> tuple[str, Optional[Fields]]:
    """How it goes: "saved" with the fields, "deleted", "absent", "conflict" or "unknown"."""
    differs = step.tag is not None and (record is None or record.tag != step.tag)
    word = step.word
    if word == "create":
        return ("saved", _merged((), step.fields)) if record is None else ("conflict", None)
    if word in ("delete", "forceDelete"):
        if record is None:
            return ("absent", None) if word == "forceDelete" or step.is_lenient else ("unknown", None)
        return ("conflict", None) if word == "delete" and differs else ("deleted", None)
    if word in ("update", "replace"):
        if record is None:
            return ("conflict" if step.is_lenient else "unknown"), None
        if differs:
            return "conflict", None
    there = record.fields if record is not None and word in ("update", "forceUpdate") else ()
    return "saved", _merged(there, step.fields)


def _done(
    state: State, step: Step, call: Call, fields: Optional[Fields], outcome: Optional[Outcome],
) -> Optional[State]:
    record = state[step.name]
    if fields is None:
        if outcome is not None and outcome != ("deleted", record is not None):
            return None
        return _with(state, step.name, None)
    if record is not None and record.fields == fields:
        # It is left as it is, with its tag.
        return state if outcome is None else _seen(state, step.name, outcome[1] if outcome[0] == "saved" else None)
    if outcome is None:
        return _with(state, step.name, Record(fields, Unseen(call.number)))
    if outcome[0] != "saved" or outcome[1].fields != fields or (record is not None and outcome[1].tag == record.tag):
        return None
    return _with(state, step.name, outcome[1])


def _seen_all(state: State, looks: Any) -> Optional[State]:
    for name, (_, record) in looks:
        seen = _seen(state, name, record)
        if seen is None:
            return None
        state = seen
    return state


def _seen(state: State, name: int, record: Optional[Record]) -> Optional[State]:
    """The state, where the record is as it was seen; the tag may be learned by that."""
    there = state[name]
    if there == record:
        return state
    if there is None or record is None or there.fields != record.fields or not isinstance(there.tag, Unseen):
        return None
    return _with(state, name, record)


def _with(state: State, name: int, record: Optional[Record]) -> State:
    return state[:name] + (record,) + state[name + 1:]


def _merged(there: Fields, sent: Fields) -> Fields:
    fields = dict(there)
    for name, value in sent:
        operation, operand = value if isinstance(value, tuple) and value and value[0] in _OPERATIONS else ("", value)
        changed = _OPERATIONS[operation](fields.get(name), operand) if operation else operand
        if changed is None:
            fields.pop(name, None)
        else:
            fields[name] = changed
    return tuple(sorted(fields.items()))


#: Of a field's value and the operand; a list is a tuple.
_OPERATIONS: dict[str, Any] = {
    "$increment": lambda value, amount: (value or 0) + amount,
    "$append": lambda value, added: (value or ()) + added,
    "$addUnique": lambda value, added: (value or ()) + tuple(
        one for place, one in enumerate(added) if one not in (value or ()) and one not in added[:place]),
    "$remove": lambda value, removed: None if value is None else tuple(one for one in value if one not in removed),
}
