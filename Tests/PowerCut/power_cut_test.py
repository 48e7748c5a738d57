"""The power cuts against the debug build, and against disks and services that break their promises.

    python3 -m unittest discover -s Tests/PowerCut -p '*_test.py'
"""

import os
import random
import sqlite3
import sys
import tempfile
import unittest
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../ServiceProcess"))

from disk import Disk  # noqa: E402
from disk_test import there  # noqa: E402
from listsd_process import LISTSD  # noqa: E402
from power_cut import Options, perform  # noqa: E402
from simulation import roomy  # noqa: E402
from states import content, state  # noqa: E402
from workload import compiled, record  # noqa: E402

SECONDS = float(os.environ.get("POWER_CUT_SECONDS", "8"))


class PowerCutTests(unittest.TestCase):
    def test_nothing_answered_is_lost_whenever_the_power_is_cut(self):
        lines: list[str] = []
        seed = str(random.SystemRandom().randrange(1_000_000))
        self.assertIsNone(perform(Options(seed=seed, seconds=SECONDS, say=lines.append)), "\n".join(lines))

    def test_the_recording_leads_to_what_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "recorder.so")
            compiled(library)
            recording = record(folder, library, LISTSD, "7", clients=3, requests=30)
            disk = Disk()
            replies = recording.replies()
            for entry in recording.entries():
                if entry.kind == "A":
                    replies.sent(entry.a, entry.text1)
                else:
                    disk.follow(entry)
            self.assertEqual(replies.answered, [30, 30, 30])
            left = state(disk, "all", random.Random(0))
            found = {path: bytes(content(file, parts)) for path, file, parts in left.files}
            self.assertEqual(without_index(found), without_index(there(recording.disk)))


def without_index(files: dict[str, bytes]) -> dict[str, bytes]:
    """The index of the write-ahead log is written through a mapping, and made anew behind a power cut."""
    return {path: data for path, data in files.items() if not path.endswith("-shm")}


class BrokenPromisesTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory(dir=roomy())
        cls.addClassCleanup(cls.folder.cleanup)
        library = os.path.join(cls.folder.name, "recorder.so")
        compiled(library)
        record(cls.folder.name, library, LISTSD, "4", clients=3, requests=30)

    def assert_found(self, *names: str, **options: Any) -> None:
        fault = perform(Options(
            seed="4", seconds=30, recording=self.folder.name, keeps=False, say=lambda _: None, **options))
        self.assertIsNotNone(fault, "nobody noticed")
        assert fault is not None
        self.assertIn(fault.broken.name, names, str(fault.broken))

    def test_a_disk_that_syncs_nothing_is_found(self):
        self.assert_found("lost", "half", "error", "start", loses=lambda path: True)

    def test_a_log_that_is_not_synced_is_found(self):
        self.assert_found("lost", "half", "error", loses=lambda path: path.endswith("-wal"))

    def test_a_copied_log_that_is_written_anew_before_the_file_is_synced_is_found(self):
        self.assert_found("lost", "half", "error", "log", "damage", "since", loses=lambda path: path.endswith(".db"))

    def test_the_name_of_a_store_that_is_not_synced_is_found(self):
        self.assert_found("lost", "half", "error", loses=lambda path: path.endswith("default"))

    def test_the_name_of_a_folder_that_is_not_synced_is_found(self):
        self.assert_found("lost", "half", "error", loses=lambda path: path == "state")

    def test_a_record_that_is_not_there_is_found(self):
        self.assert_found("lost", "half", "log", spoils=sql("DELETE FROM record WHERE name LIKE 'c1-%'"))

    def test_an_entry_of_an_index_that_is_not_there_is_found(self):
        self.assert_found("log", spoils=sql("DELETE FROM entry WHERE record % 2 = 0"))

    def test_what_acts_on_whom_that_is_not_there_is_found(self):
        self.assert_found("unsound", spoils=sql("DELETE FROM reference"))

    def test_a_kept_answer_that_is_not_there_is_found(self):
        self.assert_found("again", spoils=sql("DELETE FROM idempotency"))

    def test_half_a_batch_is_found(self):
        body = "CAST(replace(CAST(body AS TEXT), '\"n\":', '\"n\":1') AS BLOB)"
        self.assert_found("half", spoils=sql(f"UPDATE record SET body = {body} WHERE name = 'shared'"))


def sql(statement: str) -> Any:
    """Spoils all stores in which it does something."""
    def spoil(disk: str) -> None:
        for folder, _, names in os.walk(disk):
            for name in names:
                if name.endswith(".db"):
                    with sqlite3.connect(os.path.join(folder, name)) as database:
                        database.execute(statement)
                    database.close()

    return spoil


if __name__ == "__main__":
    unittest.main()
