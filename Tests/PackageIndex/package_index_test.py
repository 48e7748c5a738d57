"""The package index as records, with the debug build: a part of it, so that it takes seconds.

    python3 -m unittest discover -s Tests/PackageIndex -p '*_test.py'
"""

import os
import unittest

from package_index import ROOT, Package, available_packages, demonstrate, read_packages

LISTSD = os.environ.get("LISTSD") or str(ROOT / ".build/debug/listsd")
PARAGRAPHS = """\
Package: 0ad
Section: games
Size: 7891488
Tag: game::strategy, interface::graphical,
 uitoolkit::sdl
Description: Real-time strategy game of ancient warfare

Package: bare
Size: 12
Description: Has no section and no tags
"""


class PackageFileTests(unittest.TestCase):
    def test_paragraphs_become_packages_with_continued_lines_joined(self):
        self.assertEqual(
            list(read_packages(PARAGRAPHS.splitlines(keepends=True))),
            [
                Package(
                    "0ad", "games", 7891488, ("game::strategy", "interface::graphical", "uitoolkit::sdl"),
                    "Real-time strategy game of ancient warfare",
                ),
                Package("bare", None, 12, (), "Has no section and no tags"),
            ],
        )


class PackageIndexTests(unittest.TestCase):
    def test_every_query_is_right_and_looks_at_no_more_than_twice_what_it_returns(self):
        packages = available_packages(limit=4000)
        self.assertGreater(len(packages), 1000, "apt knows of no packages: run `apt-get update`")
        lines: list[str] = []
        self.assertTrue(demonstrate(LISTSD, packages, lines.append), "\n".join(lines))


if __name__ == "__main__":
    unittest.main()
