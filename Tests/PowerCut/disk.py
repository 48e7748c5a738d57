"""A disk with a cache: what is on it for certain, and what may be on it when the power is cut.

A sync of a file makes its content certain, as it was when the sync began; a sync of a folder the names in it. What came
later may be there or not, each write for itself and in parts, each name for itself.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
from typing import Any, Iterable, Iterator, Optional, Union

from recording import Entry

SECTOR = 512


@dataclasses.dataclass(frozen=True)
class Change:
    """Of a file's content: bytes at a place, or else a size."""

    when: int
    offset: int
    data: Optional[bytes]


class File:
    def __init__(self, number: int) -> None:
        self.number = number
        self.certain = bytearray()
        self.pending: list[Change] = []
        #: How often `certain` was changed.
        self.version = 0

    def sync(self, when: int) -> None:
        """Makes certain what was written before."""
        kept = [change for change in self.pending if change.when >= when]
        for change in self.pending:
            if change.when < when:
                applied(self.certain, change)
                self.version += 1
        self.pending = kept


class Folder:
    def __init__(self, number: int) -> None:
        self.number = number
        self.now: dict[str, Node] = {}
        self.certain: dict[str, Node] = {}


Node = Union[File, Folder]


@dataclasses.dataclass(frozen=True)
class Naming:
    """A change of names that is made as one: what is then behind each name of a folder, or None."""

    when: int
    effects: tuple[tuple[Folder, str, Optional[Node]], ...]


def applied(content: bytearray, change: Change, sectors: Optional[frozenset[int]] = None) -> None:
    """Makes the change, or of a write only these of its sectors, counted from its own first one."""
    if change.data is None:
        size = change.offset
        if size <= len(content):
            del content[size:]
        else:
            content.extend(bytes(size - len(content)))
        return
    for number, start, end in _sectors(change):
        if sectors is None or number in sectors:
            if len(content) < end:
                content.extend(bytes(end - len(content)))
            content[start:end] = change.data[start - change.offset:end - change.offset]


def _sectors(change: Change) -> Iterator[tuple[int, int, int]]:
    assert change.data is not None
    start, end = change.offset, change.offset + len(change.data)
    for number in itertools.count():
        if start >= end:
            return
        following = min(end, (start // SECTOR + 1) * SECTOR)
        yield number, start, following
        start = following


def sector_count(change: Change) -> int:
    return 0 if change.data is None else len(list(_sectors(change)))


class Disk:
    """Follows a recording, entry by entry. What is in `folder` at first is there for certain."""

    def __init__(self, folder: Optional[str] = None) -> None:
        self._numbers = itertools.count()
        self.root = Folder(next(self._numbers))
        if folder is not None:
            self._fill(self.root, folder)
        self._nodes: dict[int, Node] = {}
        self._syncs: dict[int, int] = {}
        self.names: list[Naming] = []
        self.when = 0

    def _fill(self, node: Folder, path: str) -> None:
        for entry in os.scandir(path):
            other: Node
            if entry.is_dir():
                other = Folder(next(self._numbers))
                self._fill(other, entry.path)
            else:
                other = File(next(self._numbers))
                with open(entry.path, "rb") as file:
                    other.certain += file.read()
            node.now[entry.name] = node.certain[entry.name] = other

    def follow(self, entry: Entry, loses: Any = None) -> None:
        """`loses` says of a synced node's path and the node whether the sync is to be without effect."""
        self.when += 1
        path = "" if entry.kind == "W" else entry.text1.decode()
        if entry.kind == "P":
            self._syncs.clear()
        elif entry.kind == "O":
            self._opened(path, entry.a, entry.b)
        elif entry.kind == "W":
            self._file(entry.a).pending.append(Change(self.when, entry.b, entry.text1))
        elif entry.kind == "T":
            self._file(entry.a).pending.append(Change(self.when, entry.b, None))
        elif entry.kind == "B":
            self._syncs[entry.b] = self.when
        elif entry.kind == "S":
            began = self._syncs.pop(entry.b)
            node = self._nodes[entry.a]
            if loses is None or not loses(self.path(node)):
                self._sync(node, began)
        elif entry.kind == "R":
            self._renamed(path, entry.text2.decode(), exchanges=bool(entry.b & 2))
        elif entry.kind == "L":
            self._name([(*self._place(entry.text2.decode()), self.node(path))])
        elif entry.kind == "U":
            self._name([(*self._place(path), None)])
        elif entry.kind == "M":
            self._name([(*self._place(path), Folder(next(self._numbers)))])
            self._nodes[entry.a] = self.node(path)

    # MARK: Names

    def node(self, path: str) -> Node:
        node: Node = self.root
        for name in path.split("/") if path else []:
            assert isinstance(node, Folder)
            node = node.now[name]
        return node

    def path(self, node: Node) -> str:
        """Where it is now."""
        return next((path for path, other in walk(self.root, lambda folder: folder.now) if other is node), "")

    def _place(self, path: str) -> tuple[Folder, str]:
        folder, _, name = path.rpartition("/")
        node = self.node(folder)
        assert isinstance(node, Folder)
        return node, name

    def _opened(self, path: str, inode: int, how: int) -> None:
        if how & 1:
            self._nodes[inode] = File(next(self._numbers))
            self._name([(*self._place(path), self._nodes[inode])])
            return
        # A folder from before is the root; another file is known by its name.
        node = self._nodes[inode] = self.node(path)
        if how & 2 and isinstance(node, File):
            node.pending.append(Change(self.when, 0, None))

    def _renamed(self, source: str, target: str, exchanges: bool) -> None:
        node = self.node(source)
        other = self.node(target) if exchanges else None
        self._name([(*self._place(source), other), (*self._place(target), node)])

    def _name(self, effects: list[tuple[Folder, str, Optional[Node]]]) -> None:
        for folder, name, node in effects:
            _set(folder.now, name, node)
        self.names.append(Naming(self.when, tuple(effects)))

    def _file(self, inode: int) -> File:
        node = self._nodes[inode]
        assert isinstance(node, File)
        return node

    def _sync(self, node: Node, began: int) -> None:
        if isinstance(node, File):
            return node.sync(began)
        # What became of a name before is on the disk, too, or else it would come back behind what was synced.
        settled: set[tuple[Folder, str]] = set()
        certain, kept = [], []
        for naming in reversed(self.names):
            places = {(folder, name) for folder, name, _ in naming.effects}
            is_synced = naming.when < began and any(folder is node for folder, _ in places)
            if is_synced or places & settled:
                settled |= places
                certain.append(naming)
            else:
                kept.append(naming)
        for naming in reversed(certain):
            for folder, name, other in naming.effects:
                _set(folder.certain, name, other)
        self.names = kept[::-1]

    def tree(self, namings: Iterable[Naming]) -> dict[str, Node]:
        """All paths, were these the names that reached the disk beside the certain ones."""
        folders: dict[Folder, dict[str, Node]] = {}

        def entries(folder: Folder) -> dict[str, Node]:
            return folders.setdefault(folder, dict(folder.certain))

        for naming in namings:
            for folder, name, node in naming.effects:
                _set(entries(folder), name, node)
        return dict(walk(self.root, entries))


def walk(folder: Folder, entries: Any, prefix: str = "") -> Iterator[tuple[str, Node]]:
    for name, node in sorted(entries(folder).items()):
        yield prefix + name, node
        if isinstance(node, Folder):
            yield from walk(node, entries, f"{prefix}{name}/")


def _set(entries: dict[str, Node], name: str, node: Optional[Node]) -> None:
    if node is None:
        entries.pop(name, None)
    else:
        entries[name] = node
