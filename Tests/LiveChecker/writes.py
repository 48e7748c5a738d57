"""What is written, and what must be there because it was acknowledged."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any, Callable, Iterable, Optional

from grammar import is_family
from wire import Connection, Fault, Json, Key, error_code, key_of, position_of, text_of, version_of

#: What a write may be refused with.
_REFUSALS = {
    "serverRecordChanged", "unknownItem", "batchRequestFailed", "fieldTypeMismatch", "zoneNotFound",
    "serviceUnavailable", "referenceViolation",
}


@dataclasses.dataclass
class Operation:
    """One change of one record."""

    key: Key
    #: `merge`, `replace` or `delete`.
    effect: str
    kind: str = ""
    fields: Json = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Write:
    """A request that writes."""

    method: str
    params: Json
    operations: list[Operation]
    #: Saved as `stamp` in every record, so that a record shows who wrote it.
    stamp: int
    is_atomic: bool = True
    zone: Optional[str] = None
    #: How many writes were acknowledged when it was sent.
    sent_after: int = 0

    @property
    def keys(self) -> set[Key]:
        return {operation.key for operation in self.operations}


def applied(operation: Operation, fields: Optional[Json]) -> Optional[Json]:
    """The fields after an operation on those that there are; None when there is no record then."""
    if operation.effect == "delete":
        return None
    result = dict(fields or {}) if operation.effect == "merge" else {}
    for name, value in operation.fields.items():
        base = (fields or {}).get(name)
        if value is None:
            result.pop(name, None)
        elif isinstance(value, dict) and name == "tags" and "$remove" in value and base is None:
            # There is nothing to remove from, and no empty list comes of that.
            continue
        elif isinstance(value, dict) and (name == "quantity" or name == "tags"):
            result[name] = _operated(value, base)
        else:
            result[name] = value
    return result


def _operated(operation: Json, base: Json) -> Json:
    [(name, value)] = operation.items()
    if name == "$increment":
        return (base or 0) + value
    there = list(base or [])
    if name == "$append":
        return there + value
    if name == "$addUnique":
        for item in value:
            if item not in there:
                there.append(item)
        return there
    return [item for item in there if item not in value]


class Ledger:
    """What was acknowledged of each record, and what may or may not have been done."""

    def __init__(self) -> None:
        self.stamps = itertools.count(1)
        #: The record after the last acknowledged commit that concerned it; None when that deleted it.
        self.records: dict[Key, Optional[Json]] = {}
        self._positions: dict[Key, int] = {}
        #: By record, the number of the last acknowledged write that concerned it.
        self._touched: dict[Key, int] = {}
        #: Tags of versions that there are or were.
        self.tags: set[tuple[Key, str]] = set()
        #: By record and version (of a deletion: position), the connections that were answered with it: who wrote it,
        #: and who saved the same once more.
        self.authors: dict[Key, dict[int, set[int]]] = {}
        #: By record, the positions of its deletions.
        self.deletions: dict[Key, list[int]] = {}
        #: By stamp, how a write was answered.
        self.fates: dict[int, str] = {}
        self.lost: list[Write] = []
        #: Those that were compared once without: what waits behind a query of a connection that was closed is done late.
        self._lost_before: list[Write] = []
        #: By record, the position up to which it may have versions that nobody was told of.
        self._doubted: dict[Key, int] = {}
        #: Records of which a version may exist that nobody was told of.
        self._uncertain: set[Key] = set()
        self.zones_deleted: list[tuple[str, int]] = []
        #: Zones of which a deletion may have been done that nobody was told of.
        self._uncertain_zones: set[str] = set()
        self.acknowledged = self.refused = self.unanswered = 0
        self.outstanding = 0

    def send(
        self, write: Write, connection: Connection, author: int,
        acknowledged: Callable[[Key, Optional[Json], int], None] = lambda *_: None,
    ) -> None:
        """Sends a write. `acknowledged` gets each record that it left, or None of one that it deleted."""
        self.outstanding += 1
        write.sent_after = self.acknowledged

        def answered(result: Optional[Json], error: Optional[Json]) -> None:
            self.outstanding -= 1
            if result is not None:
                self.acknowledged += 1
                self.fates[write.stamp] = "acknowledged"
                for key, record, position in self._take(write, result, author):
                    acknowledged(key, record, position)
            elif error is not None:
                self.refused += 1
                self.fates[write.stamp] = f"refused: {error_code(error)}"
                if error_code(error) not in _REFUSALS:
                    raise Fault("write", f"{write.method} {text_of(write.params)[:500]}: {text_of(error)[:500]}")
            else:
                self.unanswered += 1
                self.fates[write.stamp] = f"unanswered, {self.acknowledged} writes in"
                self.lost.append(write)
                self._doubt(write)

        connection.call(write.method, write.params, answered)

    def _doubt(self, write: Write) -> None:
        self._uncertain |= write.keys
        if write.zone is not None:
            self._uncertain_zones.add(write.zone)

    def settle(self) -> None:
        """All that was told was compared: only what may still be done makes for doubts."""
        self._uncertain, self._uncertain_zones = set(), set()
        for write in self._lost_before:
            self._doubt(write)

    def knows_authors(self, key: Key, before: int) -> bool:
        """Whether it is known of every version since that one who wrote it."""
        return self.is_certain(key) and before > self._doubted.get(key, -1)

    def _take(self, write: Write, result: Json, author: int) -> Iterable[tuple[Key, Optional[Json], int]]:
        if "changeToken" not in result:
            return
        position = position_of(result["changeToken"])
        if write.method == "saveZone":
            return
        if write.method == "deleteZone":
            self.delete_zone(write.zone or "", position)
            return
        items = result["results"] if "results" in result else [result]
        final: dict[Key, Optional[Json]] = {}
        for item in items:
            if "record" in item:
                record = item["record"]
                key = key_of(record)
                final[key] = record
                self.tags.add((key, record["recordChangeTag"]))
                self._note(key, version_of(record), author)
            elif "deleted" in item:
                key = key_of(item)
                final[key] = None
                if item["deleted"]:
                    self.deletions.setdefault(key, []).append(position)
                    self._note(key, position, author)
        for key, record in final.items():
            self._adopt(key, record, position)
            yield key, record, position

    def _note(self, key: Key, version: int, author: int) -> None:
        self.authors.setdefault(key, {}).setdefault(version, set()).add(author)

    def _adopt(self, key: Key, record: Optional[Json], position: int) -> None:
        if any(zone == key[0] and position < deletion for zone, deletion in self.zones_deleted):
            record = None
        self._touched[key] = self.acknowledged
        if position >= self._positions.get(key, 0):
            self._positions[key] = position
            self.records[key] = record

    def delete_zone(self, zone: str, position: int) -> None:
        self.zones_deleted.append((zone, position))
        for key in [key for key in self.records if key[0] == zone]:
            self.deletions.setdefault(key, []).append(position)
            # Who deletes a zone is nobody's connection here: of its records nothing is known to be own.
            self._note(key, position, -1)
            self._adopt(key, None, position)

    def is_certain(self, key: Key) -> bool:
        """Whether every write that concerns the record was answered."""
        return not is_family(key) and key not in self._uncertain and key[0] not in self._uncertain_zones

    def was_deleted(self, key: Key, version: int) -> bool:
        """Whether the record was deleted after that version, by itself or with its zone."""
        positions = self.deletions.get(key, []) + [
            position for zone, position in self.zones_deleted if zone == key[0]]
        return any(position > version for position in positions)

    # MARK: What is there

    def compare(self, there: dict[Key, Json]) -> None:
        """Holds all records that there are to what was acknowledged, and takes over what was done unanswered."""
        lost, self.lost = self.lost, []
        late, self._lost_before = self._lost_before, lost
        latest = max([*self._positions.values(), *map(version_of, there.values())], default=0)
        touching: dict[Key, list[Write]] = {}
        for write in late + lost:
            if write.method == "deleteZone":
                for key in self.records:
                    if key[0] == write.zone:
                        touching.setdefault(key, []).append(write)
            for key in write.keys:
                touching.setdefault(key, []).append(write)
        for key in {**there, **{key: None for key, record in self.records.items() if record is not None}}:
            if is_family(key):
                continue
            if text_of(there.get(key)) != text_of(self.records.get(key)):
                if key not in touching:
                    raise Fault(
                        "durable", f"{key} was acknowledged as {text_of(self.records.get(key))[:700]} and is "
                        f"{text_of(there.get(key))[:700]}")
                self._check_unanswered(key, there.get(key), touching[key])
        for write in lost:
            if write.is_atomic and len(write.operations) > 1 and all(len(touching[key]) == 1 for key in write.keys):
                self._check_whole(write, there)
        for key in {*touching, *filter(is_family, {**there, **self.records})}:
            self.records[key] = there.get(key)
            self._doubted[key] = latest
            if key in there:
                self.tags.add((key, there[key]["recordChangeTag"]))

    def _check_unanswered(self, key: Key, record: Optional[Json], writes: list[Write]) -> None:
        """What is there of one record must come from one of the writes that were not answered."""
        if record is None:
            if not any(write.zone == key[0] or any(
                    operation.key == key and operation.effect == "delete" for operation in write.operations)
                    for write in writes):
                raise Fault("durable", f"{key} was acknowledged and is gone: {text_of(self.records.get(key))[:700]}")
            return
        stamp = record["fields"].get("stamp")
        author = next((write for write in writes if write.stamp == stamp), None)
        if author is None:
            raise Fault("durable", f"{key} is {text_of(record)[:700]}, which nobody wrote")
        operations = [operation for operation in author.operations if operation.key == key]
        if len(writes) == 1 and author.is_atomic:
            fields: Optional[Json] = (self.records.get(key) or {}).get("fields")
            for operation in operations:
                fields = applied(operation, fields)
            if fields is None or differing_text(fields) != differing_text(record["fields"]):
                raise Fault("durable", f"{key} should be {text_of(fields)[:500]} and is {text_of(record)[:700]}")

    def _check_whole(self, write: Write, there: dict[Key, Json]) -> None:
        """An atomic request is done whole or not at all."""
        done = {}
        for key in write.keys:
            before, now = self.records.get(key), there.get(key)
            is_deleted = [one.effect for one in write.operations if one.key == key][-1] == "delete"
            # What others wrote since may hide whether it was done.
            if self._touched.get(key, 0) > write.sent_after:
                continue
            # Of a deletion where there was nothing nobody can say whether it was done.
            if before is not None or now is not None or not is_deleted:
                done[key] = text_of(before) != text_of(now)
        if len(set(done.values())) > 1:
            raise Fault("whole", f"{text_of(write.params)[:3000]} is done in part: {done}")


def differing_text(fields: Json) -> str:
    """Fields as text, in an order that does not depend on how they came about."""
    return text_of({key: _plain(fields[key]) for key in sorted(fields)})


def _plain(value: Json) -> Json:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        if "$reference" in value:
            # The service may write out what is implied.
            return {"$reference": value["$reference"]["recordName"]}
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, str) and value.replace(".", "", 1).isdigit():
        return float(value)
    return value
