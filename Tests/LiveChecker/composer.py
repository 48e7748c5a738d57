"""Makes writes up."""

from __future__ import annotations

import random
from typing import Any, Optional

import grammar
from wire import Json, Key
from writes import Ledger, Operation, Write


class Composer:
    """Makes writes up."""

    def __init__(self, ledger: Ledger, zones: list[str], with_large: bool, with_family: bool = False) -> None:
        self._ledger = ledger
        self._zones = zones
        self._with_large = with_large
        self._with_family = with_family

    def compose(self, draw: random.Random, is_own: bool = False) -> Write:
        """Any write; `is_own`: only one whose answer says all that it did. What is drawn does not depend on what was answered, so that a seed draws the same again."""
        stamp = next(self._ledger.stamps)
        choice = draw.choices(
            [self._save, self._merge, self._conditional, self._delete, self._unchanged, self._batch, self._change_type,
             self._large, self._family],
            [3, 6, 2, 3, 1, 5, 1, 0.05 if self._with_large else 0, 5 if self._with_family and not is_own else 0])[0]
        return choice(draw, stamp)

    def _pick(self, draw: random.Random) -> tuple[Key, str]:
        zone = draw.choices(self._zones, [3, 1][:len(self._zones)])[0]
        kind = draw.choices(grammar.TYPES, [3, 1])[0]
        return (zone, draw.choice(grammar.ITEMS if kind == "Item" else grammar.LISTS)), kind

    def _draft(self, key: Key, kind: str, fields: Json, stamp: int) -> Json:
        return {
            "recordType": kind, "recordName": key[1], "zoneName": key[0], "fields": {**fields, "stamp": stamp}}

    def _request(self, key: Key, kind: str, fields: Json, stamp: int, policy: Optional[str], effect: str, **more: Any) -> Write:
        draft = {**self._draft(key, kind, fields, stamp), **more}
        params = {"record": draft, **({"savePolicy": policy} if policy else {})}
        return Write("saveRecord", params, [Operation(key, effect, kind, draft["fields"])], stamp)

    def _save(self, draw: random.Random, stamp: int) -> Write:
        key, kind = self._pick(draw)
        fields = grammar.fields(draw, kind, key[0], self._zones)
        return self._request(key, kind, fields, stamp, draw.choice(["allKeys", "allKeys", None]), "replace")

    def _merge(self, draw: random.Random, stamp: int) -> Write:
        key, kind = self._pick(draw)
        return self._request(
            key, kind, grammar.some_fields(draw, kind, key[0], self._zones), stamp, "changedKeys", "merge")

    def _conditional(self, draw: random.Random, stamp: int) -> Write:
        """With the tag that was acknowledged last: it may be an old one by then."""
        key, kind = self._pick(draw)
        fields = grammar.fields(draw, kind, key[0], self._zones)
        there = self._ledger.records.get(key)
        more = {"recordChangeTag": there["recordChangeTag"]} if there else {}
        return self._request(key, kind, fields, stamp, None, "replace", **more)

    def _delete(self, draw: random.Random, stamp: int) -> Write:
        key, _ = self._pick(draw)
        params = {"recordName": key[1], "zoneName": key[0], "ignoreMissing": draw.random() < 0.7}
        return Write("deleteRecord", params, [Operation(key, "delete")], stamp)

    def _unchanged(self, draw: random.Random, stamp: int) -> Write:
        """Saves what is there once more: nobody is to hear of it."""
        key, kind = self._pick(draw)
        there = self._ledger.records.get(key)
        write = self._request(key, kind, {}, stamp, "changedKeys", "merge")
        if there:
            write.params["record"]["fields"] = {
                name: value for name, value in there["fields"].items() if name in ("name", "quantity", "stamp")}
            write.operations[0].fields = write.params["record"]["fields"]
            write.stamp = there["fields"].get("stamp", stamp)
        return write

    def _batch(self, draw: random.Random, stamp: int) -> Write:
        """Several in one request, of which one may fail."""
        operations: list[Operation] = []
        elements = []
        for _ in range(draw.randrange(2, 7)):
            key, kind = self._pick(draw)
            word = draw.choice(["forceUpdate", "forceUpdate", "forceReplace", "forceDelete"])
            if word == "forceDelete":
                operations.append(Operation(key, "delete"))
                elements.append({"operationType": word, "record": {"recordName": key[1], "zoneName": key[0]}})
                continue
            fields = (grammar.some_fields if word == "forceUpdate" else grammar.fields)(draw, kind, key[0], self._zones)
            draft = self._draft(key, kind, fields, stamp)
            operations.append(Operation(key, "merge" if word == "forceUpdate" else "replace", kind, draft["fields"]))
            elements.append({"operationType": word, "record": draft})
        if draw.random() < 0.3:
            failing = {"recordType": "Item", "recordName": "nobody", "fields": {"stamp": stamp}}
            elements.insert(draw.randrange(len(elements) + 1), {"operationType": "update", "record": failing})
        is_atomic = draw.random() < 0.7
        return Write("modifyRecords", {"operations": elements, "atomic": is_atomic}, operations, stamp, is_atomic)

    def _change_type(self, draw: random.Random, stamp: int) -> Write:
        """Deletes a record and makes one of the same name, of this type or of another."""
        key = (draw.choice(self._zones), draw.choice(grammar.CHANGELINGS))
        kind = draw.choice(grammar.TYPES)
        draft = self._draft(key, kind, grammar.fields(draw, kind, key[0], self._zones), stamp)
        elements = [
            {"operationType": "forceDelete", "record": {"recordName": key[1], "zoneName": key[0]}},
            {"operationType": "forceReplace", "record": draft},
        ]
        operations = [Operation(key, "delete"), Operation(key, "replace", kind, draft["fields"])]
        return Write("modifyRecords", {"operations": elements}, operations, stamp)

    def _family(self, draw: random.Random, stamp: int) -> Write:
        """Saves one of those that act on each other, deletes one with all that goes along, or brings one back."""
        zone = draw.choices(self._zones, [3, 1][:len(self._zones)])[0]
        kind, names = draw.choices([("Item", grammar.FAMILY), ("List", grammar.HEADS)], [3, 2])[0]
        key = (zone, draw.choice(names))
        choice = draw.random()
        if choice < 0.55:
            return self._request(
                key, kind, grammar.family_fields(draw, kind, zone, self._zones), stamp, draw.choice(["allKeys", "changedKeys"]),
                "replace")
        key = (zone, draw.choice(grammar.HEADS if choice < 0.9 else grammar.FAMILY))
        if choice < 0.8:
            return Write("deleteRecord", {"recordName": key[1], "zoneName": zone, "ignoreMissing": True}, [Operation(key, "delete")], stamp)
        params = {"recordName": key[1], "zoneName": zone, "withCascade": draw.random() < 0.7}
        return Write("restoreRecord", params, [Operation(key, "replace")], stamp)

    def _large(self, draw: random.Random, stamp: int) -> Write:
        """A commit that has to be told in several parts."""
        names = draw.sample(grammar.ITEMS, 6)
        operations, elements = [], []
        for name in names:
            key = (grammar.DEFAULT_ZONE, name)
            draft = self._draft(key, "Item", {"name": "Milk", "note": "x" * 900_000}, stamp)
            operations.append(Operation(key, "merge", "Item", draft["fields"]))
            elements.append({"operationType": "forceUpdate", "record": draft})
        return Write("modifyRecords", {"operations": elements}, operations, stamp)

    def bulk(self, count: int) -> list[Write]:
        """Many records, so that what there is takes several pages."""
        writes = []
        for start in range(0, count, 200):
            stamp = next(self._ledger.stamps)
            elements, operations = [], []
            for number in range(start, min(start + 200, count)):
                key = (grammar.DEFAULT_ZONE, f"b{number:04}")
                fields = {"name": grammar.TEXTS[number % 8], "quantity": number % 7}
                draft = self._draft(key, "Item", fields, stamp)
                operations.append(Operation(key, "replace", "Item", draft["fields"]))
                elements.append({"operationType": "forceReplace", "record": draft})
            writes.append(Write("modifyRecords", {"operations": elements}, operations, stamp))
        return writes

    def zone(self, name: str, is_deleted: bool) -> Write:
        stamp = next(self._ledger.stamps)
        params: Json = {"zoneName": name, **({"ignoreMissing": True} if is_deleted else {})}
        return Write("deleteZone" if is_deleted else "saveZone", params, [], stamp, zone=name if is_deleted else None)
