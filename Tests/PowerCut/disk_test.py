"""The disk that is simulated, against what is known of disks.

    python3 -m unittest discover -s Tests/PowerCut -p '*_test.py'
"""

import os
import random
import subprocess
import sys
import tempfile
import unittest
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../ServiceProcess"))

from disk import Disk  # noqa: E402
from recording import Entry, Recording  # noqa: E402
from states import content, state  # noqa: E402
from workload import compiled, recorded  # noqa: E402

FOLDER, FILE = 1, 2


class DiskTests(unittest.TestCase):
    def setUp(self) -> None:
        self.disk = Disk()
        self.follow("O", FOLDER, 4, b"")
        self.syncs = 0

    def follow(self, kind: str, a: int = 0, b: int = 0, text1: bytes = b"", text2: bytes = b"") -> None:
        self.disk.follow(Entry(kind, a, b, text1, text2))

    def made(self, name: bytes = b"a", inode: int = FILE) -> None:
        self.follow("O", inode, 1, name)

    def sync(self, inode: int) -> None:
        self.syncs += 1
        self.follow("B", inode, self.syncs)
        self.follow("S", inode, self.syncs)

    def found(self, kind: str, seed: int = 0) -> dict[str, bytes]:
        left = state(self.disk, kind, random.Random(seed))
        return {path: bytes(content(file, parts)) for path, file, parts in left.files}

    def some(self) -> list[dict[str, bytes]]:
        return [self.found("some", seed) for seed in range(1000)]

    def test_what_was_not_synced_may_be_there_or_not(self):
        self.made()
        self.follow("W", FILE, 0, b"one")
        self.assertEqual(self.found("none"), {})
        self.assertEqual(self.found("all"), {"a": b"one"})
        self.assertEqual(self.found("names"), {"a": b""})

    def test_a_file_that_was_moved_does_not_come_back_where_it_was_made(self):
        self.follow("M", 10, 0, b"new")
        self.follow("M", 11, 0, b"there")
        self.sync(FOLDER)
        self.made(b"new/a")
        self.follow("R", FILE, 0, b"new/a", b"there/a")
        self.follow("O", 11, 4, b"there")
        self.sync(11)
        for found in [self.found("all"), self.found("none"), *self.some()]:
            self.assertEqual(found, {"there/a": b""})

    def test_a_file_that_was_synced_is_not_found_without_its_name(self):
        self.made()
        self.follow("W", FILE, 0, b"one")
        self.sync(FILE)
        self.assertEqual(self.found("none"), {})
        self.sync(FOLDER)
        self.assertEqual(self.found("none"), {"a": b"one"})

    def test_a_sync_keeps_what_was_written_before_it_began(self):
        self.made()
        self.sync(FOLDER)
        self.follow("W", FILE, 0, b"one")
        self.follow("B", FILE, 7)
        self.follow("W", FILE, 3, b"two")
        self.follow("S", FILE, 7)
        self.assertEqual(self.found("none"), {"a": b"one"})

    def test_later_writes_may_be_there_without_earlier_ones(self):
        self.made()
        self.sync(FOLDER)
        self.follow("W", FILE, 0, b"one")
        self.follow("W", FILE, 3, b"two")
        self.assertIn({"a": b"\0\0\0two"}, self.some())

    def test_a_write_may_be_there_in_sectors(self):
        self.made()
        self.sync(FOLDER)
        self.follow("W", FILE, 500, b"x" * 600)
        # Of each sector how many of its bytes are there.
        found = {tuple(one["a"][start:start + 512].count(b"x") for start in (0, 512, 1024)) for one in self.some()}
        self.assertEqual(found, {(first, second, third) for first in (0, 12) for second in (0, 512) for third in (0, 76)})

    def test_a_truncation_that_was_not_synced_may_be_undone(self):
        self.made()
        self.sync(FOLDER)
        self.follow("W", FILE, 0, b"one")
        self.sync(FILE)
        self.follow("T", FILE, 0)
        self.assertEqual((self.found("none"), self.found("all")), ({"a": b"one"}, {"a": b""}))

    def test_a_rename_is_there_or_not_and_never_half(self):
        self.made()
        self.follow("W", FILE, 0, b"old")
        self.sync(FILE)
        self.made(b"b", 3)
        self.follow("W", 3, 0, b"new")
        self.sync(3)
        self.sync(FOLDER)
        self.follow("R", 3, 0, b"b", b"a")
        self.assertEqual(self.found("none"), {"a": b"old", "b": b"new"})
        self.assertEqual(self.found("all"), {"a": b"new"})
        for found in self.some():
            self.assertIn(found, [{"a": b"old", "b": b"new"}, {"a": b"new"}])

    def test_a_file_of_a_number_that_another_had_is_another(self):
        self.made()
        self.follow("W", FILE, 0, b"one")
        self.sync(FILE)
        self.follow("U", 0, 0, b"a")
        self.made(b"b")
        self.assertEqual(self.found("all"), {"b": b""})

    def test_what_is_recorded_leads_to_what_is_there(self):
        """Every kind of call, made by a program that the recorder is loaded into."""
        program = """
import os
os.mkdir("d")
with open("d/a", "wb") as file:
    file.write(b"x" * 10000); file.flush()
    os.pwrite(file.fileno(), b"middle", 5000)
    os.writev(file.fileno(), [b"one", b"two"])
    os.ftruncate(file.fileno(), 10003)
    os.fsync(file.fileno())
with open("d/a", "ab") as file:
    file.write(b"end")
with open("d/a", "rb") as source, open("b", "wb") as target:
    os.copy_file_range(source.fileno(), target.fileno(), 6000)
    os.sendfile(target.fileno(), source.fileno(), 6000, 3000)
os.rename("b", "d/b"); os.link("d/b", "c"); os.replace("c", "d/a")
open("gone", "w").close(); os.unlink("gone")
os.mkdir("e"); os.rename("d", "e/d"); os.mkdir("f"); os.rmdir("f")
"""
        with tempfile.TemporaryDirectory() as folder:
            recording = Recording(folder, [], [])
            os.mkdir(recording.disk)
            library = os.path.join(folder, "recorder.so")
            compiled(library)
            subprocess.run(
                [sys.executable, "-c", program], check=True, cwd=recording.disk,
                env={**os.environ, **recorded(library, recording.log, recording.disk)})
            disk = Disk()
            for entry in recording.entries():
                disk.follow(entry)
            left = state(disk, "all", random.Random(0))
            self.assertEqual({path: bytes(content(file, parts)) for path, file, parts in left.files}, there(recording.disk))


def there(root: str) -> dict[str, bytes]:
    """All files under a folder."""
    found: dict[str, bytes] = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, root)] = file.read()
    return found


if __name__ == "__main__":
    unittest.main()
