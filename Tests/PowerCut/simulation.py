"""Cuts the power again and again at moments of a recording, and judges what is left."""

from __future__ import annotations

import dataclasses
import os
import random
import shutil
import tempfile
import time
from typing import Callable, Iterator, Optional

from disk import Disk
from recording import Entry, Recording, Replies
from states import KINDS, DiskState, state
from verdict import Broken, Promised, judge
from workload import recorded

#: Says of a synced path whether its sync is to be without effect, for the tests of the checker.
Loses = Callable[[str], bool]
#: Changes what was left, at this path, before it is opened, for the tests of the checker.
Spoils = Callable[[str], None]


@dataclasses.dataclass(frozen=True)
class Cut:
    """A moment, and what of the rest reached the disk. The same again with the same recording."""

    #: The number of the entry that the cut comes behind.
    place: int
    kind: str
    seed: str

    def __str__(self) -> str:
        return f"{self.place}:{self.kind}:{self.seed}"

    @staticmethod
    def parsed(text: str) -> "Cut":
        place, kind, seed = text.split(":", 2)
        return Cut(int(place), kind, seed)


@dataclasses.dataclass
class Left:
    """What a cut left."""

    cut: Cut
    state: DiskState
    promised: Promised
    #: Whether the power was cut before.
    is_second: bool = False


def moments(recording: Recording) -> tuple[list[int], list[int]]:
    """The numbers of entries behind which something may be lost; and of those right before a sync has its effect, when
    most is promised that depends on the one before."""
    changes, ends = [], []
    for place, entry in enumerate(recording.entries(), 1):
        if entry.kind == "S":
            ends.append(place - 1)
        if entry.kind in "OWTSRULMA":
            changes.append(place)
    return changes, ends


def drawn(recording: Recording, seed: str, count: int) -> list[Cut]:
    """So many cuts, in order."""
    draw = random.Random(seed)
    changes, ends = moments(recording)
    cuts = []
    for number in range(count):
        if draw.random() < 0.5:
            cuts.append(Cut(draw.choice(ends), draw.choice(["none", "none", "names", "ordered", "some"]), f"{seed}.{number}"))
        else:
            cuts.append(Cut(draw.choice(changes), draw.choice(KINDS), f"{seed}.{number}"))
    return sorted(cuts, key=lambda cut: cut.place)


def every(recording: Recording, seed: str) -> list[Cut]:
    """At every write and sync; in every way where it makes a difference, and in some drawn ones."""
    changes, ends = moments(recording)
    before_sync = set(ends)
    cuts = []
    for place in sorted({*changes, *ends}):
        kinds = ["all", "some", "ordered"] + (["none", "names", "content", "some"] if place in before_sync else [])
        cuts += [Cut(place, kind, f"{seed}.{place}.{number}") for number, kind in enumerate(kinds)]
    return cuts


def cut(
    recording: Recording, cuts: list[Cut], disk: Optional[Disk] = None, promised: Optional[Promised] = None,
    loses: Optional[Loses] = None,
) -> Iterator[Left]:
    """What each of the cuts leaves; they are in order of their places. `disk` and `promised`: what was there before."""
    disk = disk or Disk()
    replies = recording.replies()
    waiting = list(reversed(cuts))
    for place, entry in enumerate(recording.entries(), 1):
        _follow(disk, replies, entry, loses)
        while waiting and waiting[-1].place == place:
            one = waiting.pop()
            found = state(disk, one.kind, random.Random(one.seed))
            yield Left(one, found, promised or Promised.by(recording, replies), is_second=promised is not None)
        if not waiting:
            return


def _follow(disk: Disk, replies: Replies, entry: Entry, loses: Optional[Loses]) -> None:
    if entry.kind == "A":
        replies.sent(entry.a, entry.text1)
        return
    if entry.kind == "P":
        replies.started()
    disk.follow(entry, loses)


@dataclasses.dataclass
class Fault:
    cut: Cut
    broken: Broken
    #: Where what was left is kept, if it is.
    kept: Optional[str] = None
    #: Of the recording of the service that opened what the first one left.
    second: Optional[Cut] = None


class Judging:
    """Judges what is left, once for each state that differs.

    Now and then the power is cut a second time, while the service opens what the first cut left.
    """

    #: Of so many states one is cut again, at so many moments.
    AGAIN, CUTS = 8, 3

    def __init__(self, listsd: str, library: str, keeps: bool, spoils: Optional[Spoils] = None) -> None:
        self._listsd = listsd
        self._library = library
        self._keeps = keeps
        self._spoils = spoils
        self._seen: set[object] = set()
        self.judged = 0

    def first_fault(self, lefts: Iterator[Left], deadline: Optional[float] = None) -> Optional[Fault]:
        for left in lefts:
            key = (left.state.key, tuple(left.promised.answered))
            if key not in self._seen:
                self._seen.add(key)
                if (fault := self._judge(left, random.Random(left.cut.seed))) is not None:
                    return fault
            if deadline is not None and time.monotonic() > deadline:
                return None
        return None

    def _judge(self, left: Left, draw: random.Random) -> Optional[Fault]:
        folder = tempfile.mkdtemp(prefix="lists-power-cut-", dir=roomy())
        disk = os.path.join(folder, "disk")
        os.mkdir(disk)
        try:
            left.state.written(disk)
            if self._spoils is not None:
                self._spoils(disk)
            if draw.randrange(self.AGAIN) or left.is_second:
                return self._open(folder, left, draw)
            return self._open_and_cut(folder, left, draw)
        finally:
            shutil.rmtree(folder)

    def _open(
        self, folder: str, left: Left, draw: random.Random, environment: Optional[dict[str, str]] = None,
    ) -> Optional[Fault]:
        self.judged += 1
        try:
            judge(folder, self._listsd, left.promised, draw, environment)
        except Broken as broken:
            return Fault(left.cut, broken, self._kept(left) if self._keeps else None)
        return None

    def _open_and_cut(self, folder: str, left: Left, draw: random.Random) -> Optional[Fault]:
        again = Recording(folder, left.promised.recording.states, left.promised.recording.requests)
        first = Disk(again.disk)
        environment = recorded(self._library, again.log, again.disk)
        if (fault := self._open(folder, left, draw, environment)) is not None:
            return fault
        cuts = drawn(again, f"{left.cut.seed}.again", self.CUTS)
        for second in cut(again, cuts, first, left.promised):
            if (fault := self._judge(second, draw)) is not None:
                return dataclasses.replace(fault, cut=left.cut, second=second.cut)
        return None

    def _kept(self, left: Left) -> str:
        folder = tempfile.mkdtemp(prefix="lists-power-cut-")
        left.state.written(folder)
        return folder


def roomy() -> Optional[str]:
    """A folder in memory, where there is one: nothing of this is to last."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
