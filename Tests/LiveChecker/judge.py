"""Asks the service what there is, to hold it to what was told."""

from __future__ import annotations

from typing import Callable, Optional

import grammar
from held import Held, HeldRecords
from results import HeldCount, HeldWindow, is_window
from wire import Connection, Fault, Json, Key, Loop, error_code, key_of, text_of

_PAGE = 1000


class Judge:
    """Queries over a connection of its own."""

    def __init__(self, loop: Loop, path: str) -> None:
        self._loop = loop
        self._path = path
        self._connection: Optional[Connection] = None
        self.comparisons = 0

    def ask(self, method: str, params: Json) -> tuple[Optional[Json], Optional[Json]]:
        """Asks anything. The result, or the error."""
        if self._connection is None or not self._connection.is_open:
            self._connection = Connection(self._loop, self._path)
        return self._connection.ask(method, params)

    def result(self, method: str, params: Json) -> Json:
        """Asks what can't be refused."""
        result, error = self.ask(method, params)
        if result is None:
            raise Fault("query", f"{method} {text_of(params)[:700]}: {text_of(error)[:700]}")
        return result

    def close(self) -> None:
        if self._connection is not None:
            self._connection.lose()

    def everything(self) -> dict[Key, Json]:
        """All records."""
        return {
            key_of(record): record for kind in grammar.TYPES for record in self._all({"recordType": kind})[0]}

    def _all(self, params: Json, limit: int = 1_000_000) -> tuple[list[Json], dict[Key, Json], Json]:
        """The records, those that they refer to, and the first page."""
        records: list[Json] = []
        included: dict[Key, Json] = {}
        first: Json = None
        cursor = None
        while len(records) < limit:
            page, error = self.ask("performQuery", {
                **params, "resultsLimit": min(_PAGE, limit - len(records)), **({"cursor": cursor} if cursor else {})})
            if page is None:
                if error is not None and error_code(error) == "zoneNotFound":
                    return [], {}, {"sections": []}
                raise Fault("query", f"performQuery {text_of(params)[:700]}: {text_of(error)[:700]}")
            first = first or page
            records += page["records"]
            included |= {key_of(entry): entry["record"] for entry in page.get("included", [])}
            cursor = page.get("cursor")
            if cursor is None:
                break
        return records, included, first

    def expectation(self, params: Json) -> Callable[[Held], Optional[str]]:
        """What a client of such a subscription must hold now: gives what is otherwise, None when nothing is."""
        self.comparisons += 1
        query = {key: value for key, value in params.items() if key in _OF_QUERIES}
        if params.get("countOnly"):
            result, error = self.ask("countRecords", {key: query[key] for key in query if key not in _OF_CONTENTS})
            if result is None and (error is None or error_code(error) != "zoneNotFound"):
                raise Fault("query", f"countRecords {text_of(params)[:700]}: {text_of(error)[:700]}")
            count = result["count"] if result else 0
            return lambda held: _count_differs(held, count)
        if is_window(params):
            found = self._all(query, params.get("resultsLimit", 10_000))
            return lambda held: _window_differs(held, *found)
        if "recordName" in params:
            query |= {"predicate": "recordName == %@", "arguments": [params["recordName"]]}
            query["zoneName"] = params.get("zoneName", grammar.DEFAULT_ZONE)
        records: dict[Key, Json] = {}
        included: dict[Key, Json] = {}
        for kind in [params["recordType"]] if "recordType" in params else grammar.TYPES:
            some, others, _ = self._all({**query, "recordType": kind})
            records |= {key_of(record): record for record in some}
            included |= others
        return lambda held: _records_differ(held, records, included)


_OF_QUERIES = {
    "recordType", "predicate", "arguments", "zoneName", "desiredKeys", "include", "sortDescriptors", "sectionNameKey",
    "sectionIndexTitle",
}
_OF_CONTENTS = {"desiredKeys", "include", "sortDescriptors", "sectionNameKey", "sectionIndexTitle"}


def _records_differ(held: Held, records: dict[Key, Json], included: dict[Key, Json]) -> Optional[str]:
    assert isinstance(held, HeldRecords)
    if differs := mapping_differs(held.records, records):
        return differs
    return included_differ(held, included)


def mapping_differs(held: dict[Key, Json], there: dict[Key, Json]) -> Optional[str]:
    """How records by their names differ; None when they don't."""
    if missing := there.keys() - held.keys():
        return f"a query gives {sorted(missing)} too: {text_of(there[min(missing)])[:600]}"
    if extra := held.keys() - there.keys():
        return f"a query does not give {sorted(extra)}: {text_of(held[min(extra)])[:600]}"
    for key, record in there.items():
        if text_of(held[key]) != text_of(record):
            return f"holds {text_of(held[key])[:600]}, and a query gives {text_of(record)[:600]}"
    return None


def included_differ(held: Held, included: dict[Key, Json]) -> Optional[str]:
    due = held.due_included()
    for key, record in included.items():
        if due is not None and key not in due:
            continue
        if key not in held.included or text_of(held.included[key]) != text_of(record):
            return f"holds {text_of(held.included.get(key, 'nothing'))[:600]} of {key}, which includes {text_of(record)[:600]}"
    return None


def _window_differs(held: Held, records: list[Json], included: dict[Key, Json], first: Json) -> Optional[str]:
    assert isinstance(held, HeldWindow)
    if [text_of(row) for row in held.rows] != [text_of(record) for record in records]:
        return f"holds {_outline(held.rows)}, and a query gives {_outline(records)}"
    if "sectionNameKey" in held.params and len(records) < held.params.get("resultsLimit", 10_000):
        mine, theirs = _joined(held.section_list()), _joined(first["sections"])
        if text_of(mine) != text_of(theirs):
            return f"has the sections {mine}, and a query {theirs}"
    return included_differ(held, included)


def _joined(sections: list[Json]) -> list[Json]:
    """Without the border between null and an empty text, which can't be told from each other by their names."""
    joined: list[Json] = []
    for section in sections:
        if joined and joined[-1]["name"] == section["name"] == "":
            joined[-1]["numberOfRecords"] += section["numberOfRecords"]
        else:
            joined.append(dict(section))
    return joined


def _outline(records: list[Json]) -> str:
    return " ".join(f"{record['zoneName'][:2]}/{record['recordName']}@{record['recordChangeTag']}" for record in records)


def _count_differs(held: Held, count: int) -> Optional[str]:
    assert isinstance(held, HeldCount)
    return None if held.count == count else f"holds the number {held.count}, and there are {count}"
