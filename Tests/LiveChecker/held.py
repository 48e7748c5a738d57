"""What a client holds that applies what it is pushed, and what must be true of every push that it applies.

Nothing here talks to a service: a push goes in, a `Fault` comes out where it can't be true.
"""

from __future__ import annotations

import copy
import re
from typing import Any, Iterator, Optional

from grammar import is_family
from wire import Fault, Json, Key, commit_of, is_plain, key_of, position_of, text_of, version_of

#: The members of a change, in the order in which the protocol has them.
_MEMBERS = [
    "reason", "recordType", "recordName", "zoneName", "record", "changedKeys", "previous", "from", "to", "section",
    "origin", "cause",
]
_REASONS = {"created", "entered", "updated", "left", "deleted"}


def differing(before: Json, after: Json) -> set[str]:
    """The fields whose value is another one."""
    return {key for key in {**before, **after} if text_of(before.get(key)) != text_of(after.get(key))}


def references(record: Json, path: str) -> Iterator[Key]:
    """What a field of the record refers to."""
    value = record["fields"].get(path)
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict) and "$reference" in item:
            target = item["$reference"]
            yield target.get("zoneName", record["zoneName"]), target["recordName"]


def check_form(change: Json, is_row: bool = False) -> None:
    """The members that a change has, and their order. `is_row`: of a sorted result, where what was missed is told."""
    names = list(change)
    if names != [name for name in _MEMBERS if name in change]:
        raise Fault("form", f"members in another order: {names}")
    if change["reason"] not in _REASONS or not {"recordType", "recordName", "zoneName", "origin"} <= set(names):
        raise Fault("form", f"not a change: {text_of(change)[:500]}")
    user, is_own = change["origin"].get("userRecordName", ""), change["origin"].get("isOwn")
    # Of a row that is gone it may no longer be kept who made it so.
    is_known = isinstance(user, str) and re.fullmatch("_[0-9]+", user) is not None
    if not isinstance(is_own, bool) or not (is_known or (is_row and user is None and "record" not in change)):
        raise Fault("form", f"nobody made the change: {text_of(change)[:500]}")
    is_gone = is_row and change["reason"] == "left" and "record" not in change
    if ("record" in change) == (change["reason"] == "deleted") and not is_gone:
        raise Fault("form", f"a record where none belongs, or none where one does: {text_of(change)[:500]}")
    if "cause" in change and not (list(change["cause"]) == ["recordName", "zoneName"] and is_family(key_of(change["cause"]))):
        raise Fault("form", f"it comes of what nobody deleted: {text_of(change)[:500]}")
    if "record" in change and key_of(change["record"]) != key_of(change):
        raise Fault("form", f"a change of one record with another: {text_of(change)[:500]}")


class Held:
    """What all kinds of contents have in common."""

    def __init__(self, params: Json) -> None:
        self.params = params
        self.include: list[str] = params.get("include", [])
        self.desired: Optional[set[str]] = set(params["desiredKeys"]) if "desiredKeys" in params else None
        #: By zone and name, what `included` said last.
        self.included: dict[Key, Json] = {}
        #: Whether the pushes are applied over others that were applied already, of which some come again.
        self.is_lenient = False
        #: Whether what came and went may be told as gone, since one who was cut off may hold it.
        self.may_be_told_gone = False
        #: Whether a part of something is applied, and the rest is not there yet.
        self.is_midway = False
        #: Whether a saved subscription was acknowledged with this.
        self.is_acknowledged = False

    def copied(self) -> "Held":
        """Itself as it is now."""
        return copy.deepcopy(self)

    def apply(self, push: Json) -> None:
        """Applies a push, or a page of fetchChanges."""
        raise NotImplementedError

    def take_included(self, push: Json) -> None:
        given = push.get("included")
        if not self.include:
            if given is not None:
                raise Fault("included", "included was not asked for")
            return
        there = set()
        for entry in given or []:
            key = key_of(entry)
            if key in there:
                raise Fault("included", f"{key} is included twice")
            there.add(key)
            self._take_one_included(key, entry["record"], push)
        for change in push["changes"]:
            for path in self.include:
                if "record" not in change or (self.desired is not None and path not in self.desired):
                    continue
                for key in references(change["record"], path):
                    if key not in there:
                        raise Fault("included", f"{key}, which {change['recordName']} refers to, is not included")

    def _take_one_included(self, key: Key, record: Optional[Json], push: Json) -> None:
        self.included[key] = record

    def due_included(self) -> Optional[set[Key]]:
        """Those of which the client must know how they are; None when that is all that a query includes."""
        return None

    def check_update(self, change: Json, before: Json) -> None:
        """What changedKeys and previous say, by what is held."""
        after = change["record"]
        told = set(change["changedKeys"])
        own = {key for key in told if "." not in key}
        differs = differing(before["fields"], after["fields"])
        visible = own if self.desired is None else own & self.desired
        if text_of(before) == text_of(after):
            # It can only be told for what it refers to.
            if not any("." in key or key in self.include for key in told):
                raise Fault("twice", f"{key_of(after)} is told again as it was: {sorted(told)}")
            visible = {key for key in visible if key not in self.include}
        extra = visible - differs
        # A path of include is told when the record behind it changed.
        if differs - visible or not extra <= set(self.include):
            raise Fault("changedKeys", f"{key_of(after)} changed {sorted(differs)} and told {sorted(told)}")
        self.check_previous(change, before)

    def check_previous(self, change: Json, before: Json) -> None:
        if not self.params.get("includePrevious"):
            if "previous" in change:
                raise Fault("previous", "previous was not asked for")
            return
        if "previous" not in change:
            raise Fault("previous", f"no previous of {key_of(change)}")
        fields = change["previous"]["fields"]
        if change["reason"] == "deleted":
            if text_of(fields) != text_of(before["fields"]):
                raise Fault("previous", f"{key_of(change)} had {text_of(before['fields'])}, not {text_of(fields)}")
            return
        for key, value in fields.items():
            if self.desired is not None and key not in self.desired and "." not in key:
                # What a path of include was is told with it, but the client does not hold the field.
                if key not in self.include:
                    raise Fault("previous", f"{key} of {key_of(change)} is told, which is not desired")
                continue
            if "." not in key and text_of(value) != text_of(before["fields"].get(key)):
                raise Fault("previous", f"{key} of {key_of(change)} was {before['fields'].get(key)}, not {value}")
        due = {key for key in change["changedKeys"] if self.desired is None or key in self.desired or "." in key}
        if {key for key in due if "." not in key} - set(fields):
            raise Fault("previous", f"previous of {key_of(change)} has {sorted(fields)} of {sorted(due)}")


class HeldRecords(Held):
    """The records that match, by their names."""

    def __init__(self, params: Json) -> None:
        super().__init__(params)
        self.records: dict[Key, Json] = {}
        #: Of records that the client wrote or deleted itself and is not told of: the version or position.
        self.own: dict[Key, int] = {}
        #: Of records that it saved itself: the version.
        self._own_versions: dict[Key, int] = {}
        #: Of these `included` has what the client wrote itself, or knows no better.
        self.own_included: set[Key] = set()
        #: Records that the client wrote last itself: nobody tells it of what they refer to.
        self.own_records: set[Key] = set()
        self._own_positions: dict[Key, int] = {}
        #: While initial records come: the position of the first page, and what was told.
        self._initial: Optional[tuple[int, set[Key]]] = None
        #: What was told in spite of that, with the versions before and after: others must have written too.
        self.suspects: list[tuple[Key, int, int]] = []

    def apply(self, push: Json) -> None:
        for change in push["changes"]:
            check_form(change)
            self._apply(change, push)
        self.take_included(push)
        if push.get("initial"):
            self._take_initial(push)
        if self.params.get("suppressOwn") and not push.get("initial"):
            commit = commit_of(position_of(push["changeToken"]))
            for change in push["changes"]:
                # One that only refers to what the client wrote is not its own doing.
                is_written = "record" not in change or commit_of(version_of(change["record"])) == commit
                if change["origin"]["isOwn"] and is_written:
                    raise Fault("suppressOwn", f"an own change is told: {text_of(push)[:500]}")

    def _take_initial(self, push: Json) -> None:
        """Drops what the client wrote before the initial records were read, and is not among them any more."""
        start, told = self._initial or (position_of(push["changeToken"]), set())
        told |= {key_of(change) for change in push["changes"]}
        self._initial = (start, told) if push.get("moreComing") else None
        if self._initial is None:
            for key in [key for key, position in self.own.items() if position <= start and key not in told]:
                self.records.pop(key, None)

    def apply_own(self, key: Key, record: Optional[Json], position: int) -> None:
        """Applies what the client wrote itself, where it is not told of that."""
        if self.params.get("suppressOwn") and self.include:
            self._include_own(key, record, position)
        zone, kind = self.params.get("zoneName"), self.params.get("recordType")
        if not self.params.get("suppressOwn") or position < self.own.get(key, 0) or zone not in (None, key[0]):
            return
        if record is not None and kind not in (None, record["recordType"]):
            record = None
        if record is not None and self.desired is not None:
            fields = {name: value for name, value in record["fields"].items() if name in self.desired}
            record = {**record, "fields": fields}
        held = self.records.get(key)
        if record is None:
            if held is None or version_of(held) <= position:
                self.records.pop(key, None)
                self.own[key] = position
                self._own_versions.pop(key, None)
        elif held is None or version_of(held) < version_of(record):
            self.records[key] = record
            self.own[key] = position
            # What else the request did came later, in commits of its own.
            self._own_versions[key] = version_of(record)
            self.own_records.add(key)

    def _include_own(self, key: Key, record: Optional[Json], position: int) -> None:
        """Nobody tells of what becomes of an included record by an own write, so the client has to know."""
        included = self.included.get(key)
        if position < self._own_positions.get(key, 0) or (included is not None and version_of(included) > position):
            return
        self._own_positions[key] = position
        self.own_included.add(key)
        self.included[key] = record

    def _take_one_included(self, key: Key, record: Optional[Json], push: Json) -> None:
        # The answer to an own write overtakes the pushes that wait.
        if key in self._own_positions and position_of(push["changeToken"]) < self._own_positions[key]:
            if record is None or version_of(record) <= self._own_positions[key]:
                return
        self.own_included.discard(key)
        self.included[key] = record

    def due_included(self) -> Optional[set[Key]]:
        """What the records refer to that the client did not write itself."""
        if not self.params.get("suppressOwn"):
            return None
        due: set[Key] = set()
        for holder, record in self.records.items():
            if holder in self.own_records:
                continue
            for path in self.include:
                first, _, rest = path.partition(".")
                for key in references(record, first):
                    target = self.included.get(key)
                    if not rest:
                        due.add(key)
                    elif target is not None and key not in self.own_included:
                        due |= set(references(target, rest))
        return due

    def _apply(self, change: Json, push: Json) -> None:
        key, reason = key_of(change), change["reason"]
        before, after = self.records.get(key), change.get("record")
        suppressed = bool(self.params.get("suppressOwn"))
        if suppressed and self._is_older(key, change, push):
            return
        self.own_records.discard(key)
        if suppressed and after is not None and not push.get("initial"):
            self.suspects.append((key, version_of(before) if before else 0, version_of(after)))
        is_strict = not self.is_lenient and not suppressed
        if reason in ("created", "entered"):
            if before is not None and is_strict:
                raise Fault("reason", f"{key} is {reason}, and was held already ({before['recordChangeTag']})")
            if "previous" in change and reason == "created":
                raise Fault("previous", f"{key} is new and has a previous")
            self.records[key] = after
            return
        if before is None:
            if is_strict and not (self.may_be_told_gone and reason in ("left", "deleted")):
                raise Fault("reason", f"{key} is {reason}, and was not held")
            if reason == "updated":
                self.records[key] = after
            return
        if after is not None and version_of(after) < version_of(before):
            raise Fault("stale", f"{key} goes back from {before['recordChangeTag']} to {after['recordChangeTag']}")
        if reason == "updated":
            if is_strict:
                self.check_update(change, before)
            self.records[key] = after
            return
        if is_strict and reason == "deleted":
            self.check_previous(change, before)
        del self.records[key]

    def _is_older(self, key: Key, change: Json, push: Json) -> bool:
        """Whether an own write, which is not told, came after the change that is."""
        position = self.own.get(key, 0)
        if "record" in change:
            return version_of(change["record"]) < self._own_versions.get(key, position)
        return not push.get("moreComing") and is_plain(push["changeToken"]) and (
            position_of(push["changeToken"]) < position)

    def forget_all(self) -> None:
        self.records, self.included, self.own, self._own_versions = {}, {}, {}, {}
        self._initial = None
        self.own_included, self.own_records, self._own_positions = set(), set(), {}
