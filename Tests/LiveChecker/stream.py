"""The pushes of one subscription in the order in which they come."""

from __future__ import annotations

from typing import Optional

from held import Held
from wire import Fault, Json, key_of, position_of, version_of, text_of


class Stream:
    """The pushes of one subscription: that they are numbered, in order and whole before they are applied."""

    def __init__(self, held: Held, token: Optional[str], buffers: bool = True) -> None:
        self.held = held
        # One that applied a part at once, and then was away, gets the whole once more.
        held.is_lenient = held.is_midway
        # What its position leaves open comes; where that is nothing, nothing comes.
        held.is_midway = False
        held.may_be_told_gone = token is not None
        #: The newest from which a later subscription goes on; None while the initial records come.
        self.token = token
        #: Whether a change was told, and whether it was told whole.
        self.has_told = self.has_fired = False
        self._sequence = 0
        self._position = position_of(token) if token else 0
        #: The position at which the last whole push was.
        self._whole = self._position
        #: Whether parts wait for the last one, or are applied at once.
        self._buffers = buffers
        self._parts: list[Json] = []
        self._expects_initial = False
        #: Whether the initial records may come once more: nobody knows whether an acknowledgement of the
        #: position at which they came arrived.
        self.may_begin_again = False
        #: Whether it was asked for with the initial records, which then come again after a resync.
        self.sends_initial = False

    @property
    def position(self) -> int:
        """Up to where all was told."""
        return self._whole

    @property
    def is_whole(self) -> bool:
        """Whether nothing waits for another part."""
        return not self._parts and not self._expects_initial and not self.held.is_midway

    @property
    def has_parts(self) -> bool:
        """Whether a part of something was taken and not applied."""
        return bool(self._parts)

    def expect_initial(self) -> None:
        self._expects_initial = self.sends_initial = True

    def receive(self, push: Json) -> list[Json]:
        """Takes a push and applies what is whole. Returns the pushes that it applied."""
        self._sequence += 1
        if push["seq"] != self._sequence:
            raise Fault("seq", f"number {push['seq']} where {self._sequence} comes next")
        position = position_of(push["changeToken"])
        if position < self._position:
            raise Fault("order", f"position {position} after {self._position}")
        self._position = position
        if push["changes"] and not push.get("initial"):
            if self.has_fired and self.held.params.get("firesOnce"):
                raise Fault("fired", "another push of a subscription that has fired")
            self.has_told, self.has_fired = True, not push.get("moreComing")
        if push.get("resync"):
            self._parts = []
            return []
        if push.get("initial"):
            if self.may_begin_again and self._sequence == 1:
                self.held.forget_all()
                self._expects_initial = True
            if not self._expects_initial:
                raise Fault("initial", "marked initial, and the initial records were told")
            self._expects_initial = bool(push.get("moreComing"))
            for change in push["changes"]:
                if "record" in change and version_of(change["record"]) > position:
                    raise Fault("initial", f"{key_of(change)} is of after the position {position} of its page")
            self.held.apply(push)
            self._finish(push)
            return [push]
        if self._expects_initial:
            raise Fault("initial", f"not marked initial, and the initial records are not told yet: {text_of(push)[:300]}")
        self._parts.append(push)
        if self._buffers and push.get("moreComing"):
            return []
        applied, self._parts = self._parts, []
        if not push.get("moreComing"):
            self._check_versions(applied)
        for part in applied:
            self.held.apply(part)
        self._finish(push)
        return applied

    def _finish(self, push: Json) -> None:
        more = bool(push.get("moreComing"))
        if more and push.get("initial"):
            return
        # Any token but those of initial pages is good for going on; the parts before it come again perhaps.
        self.token = push["changeToken"]
        self.held.is_midway = more
        if not more:
            self._whole = self._position
            self.held.may_be_told_gone = False
        self.held.is_lenient = more and self.held.is_lenient

    def _check_versions(self, pushes: list[Json]) -> None:
        """What is told lies between the two positions."""
        for change in (change for push in pushes for change in push["changes"]):
            if "record" not in change:
                continue
            version = version_of(change["record"])
            if version > self._position:
                raise Fault("order", f"version {version} of {key_of(change)} at position {self._position}")
            if change["reason"] == "created" and version <= self._whole and not self.held.is_lenient:
                raise Fault("order", f"version {version} of {key_of(change)} after position {self._whole}")
