"""What may be asked for and written: drawn at random, from few names and values so that all of it meets."""

from __future__ import annotations

import dataclasses
import random
from typing import Any, Optional

from wire import Json, Key

DEFAULT_ZONE = "_defaultZone"
WORK_ZONE = "work"
TYPES = ["Item", "List"]
#: Names that are now an Item and now a List.
CHANGELINGS = ["x0", "x1"]
ITEMS = [f"i{number}" for number in range(14)]
LISTS = [f"l{number}" for number in range(4)]
#: Records that act on each other when one is deleted: Items and Lists.
FAMILY, HEADS = [f"f{number}" for number in range(8)], [f"g{number}" for number in range(3)]
TEXTS = ["Milk", "milk", "Mint", "Bread", "Brie", "Éclair", "eclair", ""]
LIST_NAMES = ["Groceries", "Garden", "Work"]
TAGS = ["food", "home", "net", "later"]

ALL_FEATURES = frozenset({
    "recordName", "include", "includePrevious", "suppressOwn", "firesOnce", "windows", "counts", "references", "zones", "changes",
    "saved", "watchState", "cascades",
})


def is_family(key: Key) -> bool:
    """Whether what becomes of the record may be another one's doing."""
    return key[1] in FAMILY or key[1] in HEADS


def reference(draw: random.Random, holder_zone: str, zones: list[str]) -> Json:
    """To a List, which may be there or not; now and then of another zone."""
    target = {"recordName": draw.choice(LISTS + CHANGELINGS[:1])}
    if draw.random() < 0.2:
        target["zoneName"] = draw.choice(zones)
    return {"$reference": target}


def family_fields(draw: random.Random, kind: str, zone: str, zones: list[str]) -> Json:
    """With references of all kinds among the family."""
    def relative() -> Json:
        target = {"recordName": draw.choice(HEADS), "action": draw.choices(["deleteSelf", "setNull", "restrict"], [5, 4, 1])[0]}
        if draw.random() < 0.2:
            target["zoneName"] = draw.choice(zones)
        return {"$reference": target}

    made = fields(draw, kind, zone, zones)
    if kind == "List":
        made["parent"] = relative() if draw.random() < 0.4 else None
        return made
    made["list"] = relative()
    made["related"] = [relative() for _ in range(draw.randrange(3))]
    return made


def field(draw: random.Random, kind: str, name: str, zone: str, zones: list[str]) -> Json:
    """A value for one field; null now and then."""
    if draw.random() < 0.12:
        return None
    if name == "list":
        return reference(draw, zone, zones)
    if name == "related":
        return [reference(draw, zone, zones) for _ in range(draw.randrange(1, 3))]
    if name == "parent":
        return reference(draw, zone, zones)
    return {
        "name": lambda: draw.choice(LIST_NAMES if kind == "List" else TEXTS),
        "quantity": lambda: draw.randrange(-1, 7),
        "rank": lambda: draw.randrange(3),
        "done": lambda: draw.random() < 0.5,
        "tags": lambda: draw.sample(TAGS, draw.randrange(0, 3)),
        "price": lambda: draw.choice([0.5, 1.25, 2.5]),
        "due": lambda: {"$date": f"2026-12-0{draw.randrange(1, 5)}T09:30:00.000Z"},
    }[name]()


FIELDS = {
    "Item": ["name", "quantity", "done", "tags", "price", "due", "list", "related"],
    "List": ["name", "rank", "parent"],
}


def fields(draw: random.Random, kind: str, zone: str, zones: list[str]) -> Json:
    chosen = [name for name in FIELDS[kind] if draw.random() < 0.75]
    return {name: field(draw, kind, name, zone, zones) for name in chosen}


def some_fields(draw: random.Random, kind: str, zone: str, zones: list[str]) -> Json:
    """One to three, of which some are operations on what is there."""
    chosen = draw.sample(FIELDS[kind], draw.randrange(1, 3))
    values = {name: field(draw, kind, name, zone, zones) for name in chosen}
    if "quantity" in values and draw.random() < 0.5:
        values["quantity"] = {"$increment": draw.randrange(-2, 4)}
    if "tags" in values and draw.random() < 0.6:
        operation = draw.choice(["$append", "$addUnique", "$remove"])
        values["tags"] = {operation: draw.sample(TAGS, draw.randrange(1, 3))}
    return values


# MARK: Predicates

@dataclasses.dataclass
class Condition:
    text: str
    arguments: list[Json] = dataclasses.field(default_factory=list)


def condition(draw: random.Random, kind: str, features: frozenset[str], depth: int = 2) -> Condition:
    """A predicate for records of that type."""
    if depth > 0 and draw.random() < 0.45:
        if draw.random() < 0.25:
            inner = condition(draw, kind, features, depth - 1)
            return Condition(f"NOT ({inner.text})", inner.arguments)
        sides = [condition(draw, kind, features, depth - 1) for _ in range(2)]
        word = draw.choice(["AND", "OR"])
        return Condition(
            f"({sides[0].text}) {word} ({sides[1].text})", sides[0].arguments + sides[1].arguments)
    choices = _ITEM_ATOMS if kind == "Item" else _LIST_ATOMS
    if "references" in features:
        choices = choices + (_ITEM_PATHS * 2 if kind == "Item" else _LIST_PATHS)
    return draw.choice(choices)(draw)


def _quoted(text: str) -> str:
    return "'" + text + "'"


def _number(draw: random.Random) -> int:
    return draw.randrange(-1, 7)


def _between(draw: random.Random) -> Condition:
    low = _number(draw)
    return Condition(f"quantity BETWEEN {{{low}, {low + draw.randrange(4)}}}")


_ITEM_ATOMS = [
    lambda draw: Condition("name == %@", [draw.choice(TEXTS)]),
    lambda draw: Condition(f"name == {_quoted(draw.choice(TEXTS))}"),
    lambda draw: Condition("name != %@", [draw.choice(TEXTS)]),
    lambda draw: Condition("name ==[c] %@", [draw.choice(TEXTS)]),
    lambda draw: Condition("name IN %@", [draw.sample(TEXTS, 3)]),
    lambda draw: Condition(f"name BEGINSWITH{draw.choice(['', '[c]', '[cd]'])} {_quoted(draw.choice(['Mi', 'B', 'e']))}"),
    lambda draw: Condition(f"quantity {draw.choice(['<', '<=', '>', '>=', '==', '!='])} {_number(draw)}"),
    _between,
    lambda draw: Condition("quantity IN {0, 2, 4}"),
    lambda draw: Condition(f"done == {draw.choice(['YES', 'NO'])}"),
    lambda draw: Condition("tags CONTAINS %@", [draw.choice(TAGS)]),
    lambda draw: Condition("ANY tags IN %@", [draw.sample(TAGS, 2)]),
    lambda draw: Condition(f"tags.@count > {draw.randrange(3)}"),
    lambda draw: Condition(f"list {draw.choice(['==', '!='])} NULL"),
    lambda draw: Condition("list.recordName == %@", [draw.choice(LISTS)]),
    lambda draw: Condition("price < 2 AND price >= 0.5"),
    lambda draw: Condition("due < %@", [{"$date": f"2026-12-0{draw.randrange(1, 5)}T09:30:00.000Z"}]),
    lambda draw: Condition("recordName IN %@", [draw.sample(ITEMS, 5)]),
    lambda draw: Condition("name LIKE '*i*'"),
]
_ITEM_PATHS = [
    lambda draw: Condition("list.name == %@", [draw.choice(LIST_NAMES)]),
    lambda draw: Condition("list.name != %@", [draw.choice(LIST_NAMES)]),
    lambda draw: Condition(f"list.rank >= {draw.randrange(3)}"),
    lambda draw: Condition("list.name == NULL"),
    lambda draw: Condition("ANY related.name == %@", [draw.choice(LIST_NAMES)]),
    lambda draw: Condition("list.parent.name BEGINSWITH 'G'"),
]
_LIST_ATOMS = [
    lambda draw: Condition("name == %@", [draw.choice(LIST_NAMES)]),
    lambda draw: Condition("name BEGINSWITH 'G'"),
    lambda draw: Condition(f"rank {draw.choice(['<', '>=', '=='])} {draw.randrange(3)}"),
    lambda draw: Condition("parent == NULL"),
]
_LIST_PATHS = [
    lambda draw: Condition("parent.name == %@", [draw.choice(LIST_NAMES)]),
    lambda draw: Condition(f"parent.rank > {draw.randrange(2)}"),
]


# MARK: Subscriptions

@dataclasses.dataclass
class Definition:
    """What is subscribed to, and how the subscriber goes about it."""

    params: Json
    #: How it comes to what there is: `initial`, `query`, or `changes` (fetchChanges).
    bootstrap: str = "initial"
    #: How it goes on after it was away: `since`, or `changes` (fetchChanges first).
    resume: str = "since"
    #: Whether it keeps the parts of a commit until the last one is there.
    buffers: bool = True
    #: The subscriptionID of a saved one.
    saved: Optional[str] = None

    def __str__(self) -> str:
        return f"{self.params} ({self.saved or self.bootstrap}, {self.resume}{'' if self.buffers else ', at once'})"


def definition(draw: random.Random, features: frozenset[str], zones: list[str], saved: Optional[str] = None) -> Definition:
    """Any subscription that the service is able to."""
    kinds = ["type"] * 8 + ["zone", "database"]
    kinds += ["recordName"] if "recordName" in features else []
    kinds += ["window"] * 4 if "windows" in features and saved is None else []
    kinds += ["count"] * 2 if "counts" in features and saved is None else []
    kind = draw.choice(kinds)
    params: Json = {}
    if kind in ("type", "window", "count"):
        params["recordType"] = draw.choices(TYPES, [4, 1])[0]
        if draw.random() < 0.85:
            _put(params, condition(draw, params["recordType"], features))
        if draw.random() < 0.3:
            params["zoneName"] = draw.choice(zones)
    elif kind == "zone":
        params["zoneName"] = draw.choice(zones)
    elif kind == "recordName":
        params["recordName"] = draw.choice(ITEMS[:4] + LISTS[:1] + CHANGELINGS + (FAMILY[:2] + HEADS[:1] if "cascades" in features else []))
        if draw.random() < 0.5:
            params["recordType"] = draw.choice(TYPES)
        if draw.random() < 0.3:
            params["zoneName"] = draw.choice(zones)
    if kind == "window":
        _put_order(draw, params, features)
    if kind != "count":
        _put_contents(draw, params, features)
    else:
        params["countOnly"] = True
    if kind in ("window", "count"):
        return Definition(params)
    is_whole = "predicate" not in params and "recordName" not in params
    if "suppressOwn" in features and is_whole and saved is None and draw.random() < 0.5:
        params["suppressOwn"] = True
    elif "firesOnce" in features and saved is None and draw.random() < 0.12:
        # Each time that it has fired it is made anew, from there on.
        params["firesOnce"] = True
    bootstraps = ["initial"] + (["query"] if kind == "type" else [])
    resumes = ["since"]
    # fetchChanges has neither included records nor predicates.
    if "changes" in features and is_whole and "include" not in params and not params.get("suppressOwn"):
        resumes.append("changes")
        bootstraps.append("changes")
    # One that fires goes on from the push, and that may be a part of a replay.
    buffers = draw.random() < 0.7 and not params.get("firesOnce")
    return Definition(
        params, bootstrap=draw.choice(bootstraps), resume=draw.choice(resumes) if saved is None else "since",
        buffers=buffers, saved=saved)


def _put(params: Json, chosen: Condition) -> None:
    params["predicate"] = chosen.text
    if chosen.arguments:
        params["arguments"] = chosen.arguments


def _put_order(draw: random.Random, params: Json, features: frozenset[str]) -> None:
    is_item = params["recordType"] == "Item"
    keys = ["name", "quantity", "due", "recordName", "done", "price"] if is_item else ["name", "rank"]
    if "references" in features:
        keys += ["list.name", "list.rank"] if is_item else ["parent.name"]
    descriptors = []
    for key in draw.sample(keys, draw.randrange(1, 3)):
        descriptor: dict[str, Any] = {"key": key, "ascending": draw.random() < 0.6}
        if key.endswith("name") and draw.random() < 0.3:
            descriptor["collation"] = "localized"
        if draw.random() < 0.2:
            descriptor["nulls"] = draw.choice(["first", "last"])
        descriptors.append(descriptor)
    if draw.random() < 0.85:
        params["sortDescriptors"] = descriptors
        if draw.random() < 0.35:
            params["sectionNameKey"] = descriptors[0]["key"]
            if draw.random() < 0.6:
                params["sectionIndexTitle"] = draw.choice(["firstLetter", "whole", "wholeUppercased"])
    if "sortDescriptors" not in params or draw.random() < 0.75:
        params["resultsLimit"] = draw.choice([1, 2, 3, 5, 8, 50])


def _put_contents(draw: random.Random, params: Json, features: frozenset[str]) -> None:
    """What comes along with a change."""
    kind = params.get("recordType")
    names = FIELDS[kind] if kind else FIELDS["Item"]
    if draw.random() < 0.25:
        params["desiredKeys"] = draw.sample(names + ["stamp"], draw.randrange(0, 4))
    if "include" in features and "references" in features and draw.random() < 0.3:
        paths = ["list", "related", "list.parent"] if kind != "List" else ["parent"]
        params["include"] = draw.sample(paths, draw.randrange(1, len(paths) + 1))
    if "includePrevious" in features and draw.random() < 0.3:
        params["includePrevious"] = True
