"""What the service promises of each request, said once more and as briefly as it can be.

A record is `Record(fields, tag)`, a state is a tuple with a record or None for each name. States never change, and can
be kept in sets.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple, Optional, Union

Fields = tuple[tuple[str, Any], ...]
State = tuple[Union["Record", "Gone", None], ...]


class Unseen(NamedTuple):
    """The tag of a version that a call made which was never answered."""

    call: int


class Record(NamedTuple):
    fields: Fields
    tag: Union[str, Unseen]


class Gone(NamedTuple):
    """What was deleted, and may be restored."""

    fields: Fields


class Reference(NamedTuple):
    """The value of a field that refers to another record."""

    name: int
    action: str


@dataclasses.dataclass(frozen=True)
class Step:
    """One operation on one record: a word of modifyRecords' or `restore`, and what it is done with."""

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
#   ("saved", Record) · ("deleted", True or False, how many besides) · ("conflict", Record or None) · ("unknown",)
#   ("held",): a reference forbids it · ("taken", name): that one has the value that is to be unique · ("failed",)
#   ("found", Record or None)
Outcome = tuple[Any, ...]
Result = tuple[Outcome, ...]
#: The fields whose values differ between records.
UNIQUE = ("k",)


def initial(names: int) -> State:
    return (None,) * names


def apply(state: State, call: Call, result: Optional[Result]) -> Optional[State]:
    """The state behind the call, had it taken effect in `state`; None when it can't have been answered so.

    Without a result anything might have been answered. A call names each record once.
    """
    if call.reads:
        return state if result is None else _seen_all(state, zip(call.names, result))
    if call.is_batch and call.is_atomic:
        return _apply_whole(state, call, result)
    for place, step in enumerate(call.steps):
        outcome = result[place] if result is not None else None
        word, made = _attempt(state, step)
        if made is not None and word == "saved" and (refusal := _taken(state, step.name, made)) is not None:
            word, made = refusal, None
        after = _refused(state, step, word, outcome) if word in _REFUSALS else _done(state, step, call, word, made, outcome)
        if after is None:
            return None
        state = after
    return state


def _apply_whole(state: State, call: Call, result: Optional[Result]) -> Optional[State]:
    """All or nothing; what must be unique is looked at when all is done."""
    attempts = [_attempt(state, step) for step in call.steps]
    after: Optional[State] = state
    for place, (step, (word, made)) in enumerate(zip(call.steps, attempts)):
        if word in _REFUSALS:
            return state if result is None else _undone(state, call.steps[place], word, place, result)
    ends = _ends(state, call, attempts)
    if at_fault := _claimed_twice(state, call, ends):
        undone = result is None or any(
            _undone(state, call.steps[place], word, place, result) is not None for place, word in at_fault)
        return state if undone else None
    for place, (step, (word, made)) in enumerate(zip(call.steps, attempts)):
        after = _done(after, step, call, word, made, result[place] if result is not None else None)
        if after is None:
            return None
    return after


def _ends(state: State, call: Call, attempts: list[tuple[str, Optional[Fields]]]) -> list[Optional[Fields]]:
    """The fields that all records have once the call is done."""
    ends = [entry.fields if isinstance(entry, Record) else None for entry in state]
    for step, (word, made) in zip(call.steps, attempts):
        ends[step.name] = made if word == "saved" else None
    return ends


def _claimed_twice(state: State, call: Call, ends: list[Optional[Fields]]) -> list[tuple[int, str]]:
    """The operations that may be said to be at fault, and how they are answered: of two that bring the same value the
    later one."""
    found: list[tuple[int, str]] = []
    claims = {step.name: place for place, step in enumerate(call.steps) if _claims(state[step.name], ends[step.name])}
    for name, place in claims.items():
        for key in UNIQUE:
            value = dict(ends[name] or ()).get(key)
            for other, fields in enumerate(ends):
                if value is None or other == name or dict(fields or ()).get(key) != value:
                    continue
                if claims.get(other, -1) < place:
                    found.append((place, f"taken {other}"))
    return found


def _claims(before: Union[Record, Gone, None], fields: Optional[Fields]) -> bool:
    there = dict(before.fields) if isinstance(before, Record) else {}
    return fields is not None and any(dict(fields).get(key) not in (None, there.get(key)) for key in UNIQUE)


def _taken(state: State, name: int, fields: Fields) -> Optional[str]:
    if not _claims(state[name], fields):
        return None
    for key in UNIQUE:
        for other, entry in enumerate(state):
            value = dict(fields).get(key)
            if other != name and isinstance(entry, Record) and value is not None and dict(entry.fields).get(key) == value:
                return f"taken {other}"
    return None


def _undone(before: State, step: Step, word: str, place: int, result: Result) -> Optional[State]:
    """Nothing of a batch is done, and only the operation at fault says why."""
    if any(outcome != ("failed",) for at, outcome in enumerate(result) if at != place):
        return None
    return _refused(before, step, word, result[place])


def _refused(state: State, step: Step, word: str, outcome: Optional[Outcome]) -> Optional[State]:
    if outcome is None:
        return state
    if word.startswith("taken"):
        return state if outcome == ("taken", int(word.split()[1])) else None
    if outcome[0] != word:
        return None
    return _seen(state, step.name, outcome[1]) if word == "conflict" else state


class _Refusals:
    """The words of `_attempt` that say that nothing is done."""

    def __contains__(self, word: str) -> bool:
        return word in ("conflict", "unknown", "held") or word.startswith("taken")


_REFUSALS = _Refusals()


def _attempt(state: State, step: Step) -> tuple[str, Optional[Fields]]:
    """How it goes: "saved" with the fields, "deleted", "absent", "conflict", "unknown" or "held"."""
    entry = state[step.name]
    record = entry if isinstance(entry, Record) else None
    differs = step.tag is not None and (record is None or record.tag != step.tag)
    word = step.word
    if word == "restore":
        if record is not None:
            return "conflict", None
        return _validated(state, step.name, None, entry.fields) if isinstance(entry, Gone) else ("unknown", None)
    if word == "create":
        return _validated(state, step.name, None, _merged((), step.fields)) if record is None else ("conflict", None)
    if word in ("delete", "forceDelete"):
        if record is None:
            return ("absent", None) if word == "forceDelete" or step.is_lenient else ("unknown", None)
        if word == "delete" and differs:
            return "conflict", None
        return ("held" if _fallen(state, step.name) is None else "deleted"), None
    if word in ("update", "replace"):
        if record is None:
            return ("conflict" if step.is_lenient else "unknown"), None
        if differs:
            return "conflict", None
    there = record.fields if record is not None and word in ("update", "forceUpdate") else ()
    return _validated(state, step.name, record, _merged(there, step.fields))


# MARK: References


def _reference(entry: Union[Record, Gone, None]) -> Optional[Reference]:
    value = dict(entry.fields).get("p") if isinstance(entry, Record) else None
    return None if value is None else Reference(*value)


def _validated(state: State, name: int, record: Optional[Record], fields: Fields) -> tuple[str, Optional[Fields]]:
    """Saved, unless it refers to what must be there and isn't."""
    value = dict(fields).get("p")
    reference = None if value is None else Reference(*value)
    if reference is None or reference.action != "validate" or reference.name == name or reference == _reference(record):
        return "saved", fields
    return ("saved", fields) if isinstance(state[reference.name], Record) else ("held", None)


def _fallen(state: State, name: int) -> Optional[State]:
    """The state behind the deletion of a record, without the tags of those that it changed; None when one holds it."""
    fallen = [name]
    for one in fallen:
        fallen += [
            other for other, entry in enumerate(state)
            if (reference := _reference(entry)) is not None and reference.name == one and other not in fallen
            and reference.action == "deleteSelf"]
    entries = list(state)
    for other, entry in enumerate(state):
        reference = _reference(entry)
        if other in fallen:
            entries[other] = Gone(entry.fields)  # type: ignore[union-attr]
        elif reference is not None and reference.name in fallen:
            if reference.action in ("restrict", "validate"):
                return None
            if reference.action == "setNull":
                entries[other] = Record(tuple(one for one in entry.fields if one[0] != "p"), "")  # type: ignore[union-attr]
    return tuple(entries)


def _deleted(state: State, step: Step, call: Call, outcome: Optional[Outcome]) -> Optional[State]:
    after = _fallen(state, step.name)
    assert after is not None
    besides = sum(isinstance(one, Record) and not isinstance(other, Record) for one, other in zip(state, after)) - 1
    if outcome is not None and outcome != ("deleted", True, besides):
        return None
    # Nobody was told the tags of what it changed.
    return tuple(
        one._replace(tag=Unseen(call.number)) if isinstance(one, Record) and one != before else one
        for one, before in zip(after, state))


# MARK: Effects


def _done(
    state: Optional[State], step: Step, call: Call, word: str, fields: Optional[Fields], outcome: Optional[Outcome],
) -> Optional[State]:
    assert state is not None
    if word == "deleted":
        return _deleted(state, step, call, outcome)
    if fields is None:
        return state if outcome is None or outcome == ("deleted", False, 0) else None
    entry = state[step.name]
    record = entry if isinstance(entry, Record) else None
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
    if record is None or not isinstance(there, Record):
        return state if record is None and not isinstance(there, Record) else None
    if there == record:
        return state
    if there.fields != record.fields or not isinstance(there.tag, Unseen):
        return None
    return _with(state, name, record)


def _with(state: State, name: int, record: Record) -> State:
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
