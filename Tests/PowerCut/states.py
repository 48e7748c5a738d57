"""The states in which a disk may be found behind a power cut."""

from __future__ import annotations

import dataclasses
import os
import random
from typing import Optional

from disk import Change, Disk, File, Naming, applied, sector_count

#: What reached the disk of all that was not synced.
#:   none · all · names, and no content · content, and no names · ordered: all up to a moment · some of everything, in parts
KINDS = ("none", "all", "names", "content", "ordered", "some")

#: A change, and which of its sectors; all when None.
Part = tuple[Change, Optional[frozenset[int]]]


@dataclasses.dataclass
class DiskState:
    """Says what is on the disk; `written` puts it somewhere."""

    folders: list[str]
    files: list[tuple[str, File, list[Part]]]

    @property
    def key(self) -> object:
        """The same for two states of one recording that are the same."""
        return tuple(self.folders), tuple(
            (path, file.number, file.version, tuple((change.when, sectors) for change, sectors in parts))
            for path, file, parts in self.files)

    def written(self, folder: str) -> None:
        for path in self.folders:
            os.mkdir(os.path.join(folder, path), 0o700)
        for path, file, parts in self.files:
            with open(os.path.join(folder, path), "wb") as target:
                target.write(content(file, parts))
            os.chmod(os.path.join(folder, path), 0o600)


def content(file: File, parts: list[Part]) -> bytearray:
    found = bytearray(file.certain)
    for change, sectors in parts:
        applied(found, change, sectors)
    return found


def state(disk: Disk, kind: str, draw: random.Random) -> DiskState:
    """One that the disk may be found in now."""
    moment = draw.randint(0, disk.when) if kind == "ordered" else 0
    # By and large most, by and large few, or half of it.
    share = draw.choice([0.1, 0.5, 0.9])

    def is_there(what: Naming | Change) -> bool:
        if kind == "ordered":
            return what.when <= moment
        if kind == "some":
            return draw.random() < share
        return kind == "all" or kind == ("names" if isinstance(what, Naming) else "content")

    tree = disk.tree([naming for naming in disk.names if is_there(naming)])
    files = []
    for path, node in tree.items():
        if not isinstance(node, File):
            continue
        parts: list[Part] = [(change, None) for change in node.pending if is_there(change)]
        if kind == "some":
            parts = [_torn(draw, part) for part in parts]
        files.append((path, node, parts))
    return DiskState([path for path, node in tree.items() if not isinstance(node, File)], files)


def _torn(draw: random.Random, part: Part) -> Part:
    """Often a write that reached the disk in parts only."""
    change, _ = part
    count = sector_count(change)
    if count < 2 or draw.random() < 0.5:
        return part
    if draw.random() < 0.5:
        return change, frozenset(range(draw.randint(0, count)))
    return change, frozenset(number for number in range(count) if draw.random() < 0.5)
