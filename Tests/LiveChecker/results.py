"""Live results, as a client holds them: rows in order, and numbers."""

from __future__ import annotations

from typing import Optional

from held import Held, HeldRecords, check_form
from wire import Fault, Json, key_of, text_of, version_of


class HeldWindow(Held):
    """The rows of a sorted result, in order."""

    def __init__(self, params: Json) -> None:
        super().__init__(params)
        self.rows: list[Json] = []
        self.sections: list[Json] = []

    def apply(self, push: Json) -> None:
        limit = self.params.get("resultsLimit", 10_000)
        for change in push["changes"]:
            check_form(change, is_row=True)
            self._apply(change)
            if len(self.rows) > limit:
                raise Fault("window", f"{len(self.rows)} rows where {limit} were asked for")
        self.take_included(push)

    def _apply(self, change: Json) -> None:
        reason, start, end = change["reason"], change.get("from"), change.get("to")
        leaves, comes = reason in ("left", "deleted", "updated"), reason in ("created", "entered", "updated")
        if (start is not None) != leaves or (end is not None) != comes:
            raise Fault("window", f"{reason} from {start} to {end}")
        before = None
        if start is not None:
            if not 0 <= start < len(self.rows):
                raise Fault("window", f"from {start} of {len(self.rows)} rows")
            before = self.rows.pop(start)
            self.sections.pop(start)
            if key_of(before) != key_of(change):
                raise Fault("window", f"row {start} is {key_of(before)}, not {key_of(change)}")
            if reason == "updated":
                self._check_moved(change, before)
            elif reason == "deleted" and "previous" in change:
                self.check_previous(change, before)
        if end is not None:
            if not 0 <= end <= len(self.rows):
                raise Fault("window", f"to {end} of {len(self.rows)} rows")
            if any(key_of(row) == key_of(change) for row in self.rows):
                raise Fault("window", f"{key_of(change)} is there twice")
            if ("section" in change) != ("sectionNameKey" in self.params):
                raise Fault("window", f"a section where none belongs, or none where one does: {text_of(change)[:300]}")
            self.rows.insert(end, change["record"])
            self.sections.insert(end, change.get("section"))

    def _check_moved(self, change: Json, before: Json) -> None:
        if version_of(change["record"]) < version_of(before):
            raise Fault("stale", f"{key_of(before)} goes back to {change['record']['recordChangeTag']}")
        # A result that is read anew tells of a row only that it is another one or elsewhere.
        if text_of(before) == text_of(change["record"]) and change["from"] == change["to"]:
            if not any("." in key or key in self.include for key in change.get("changedKeys", [])):
                raise Fault("twice", f"{key_of(before)} is told again as it was")

    def section_list(self) -> list[Json]:
        """The sections as a query gives them."""
        found: list[Json] = []
        for place, section in enumerate(self.sections):
            if not found or section != self.sections[place - 1]:
                found.append({**section, "numberOfRecords": 0, "offset": place})
            found[-1]["numberOfRecords"] += 1
        return found


class HeldCount(Held):
    """How many there are."""

    def __init__(self, params: Json) -> None:
        super().__init__(params)
        self.count: Optional[int] = None

    def apply(self, push: Json) -> None:
        if push["changes"]:
            raise Fault("count", f"changes beside a count: {text_of(push)[:300]}")
        count = push.get("count")
        if count is None:
            return
        if count == self.count and not push.get("initial"):
            raise Fault("count", f"the number {count} is told again")
        self.count = count


def held_for(params: Json) -> Held:
    """What is held of a subscription."""
    if params.get("countOnly"):
        return HeldCount(params)
    if is_window(params):
        return HeldWindow(params)
    return HeldRecords(params)


def is_window(params: Json) -> bool:
    return any(key in params for key in ("sortDescriptors", "sectionNameKey", "resultsLimit"))
