#!/usr/bin/env python3
"""Debian's own package index as records: some 60,000 of them, asked as an app would ask.

    Tests/PackageIndex/package_index.py --listsd .build/release/listsd [--limit N]

Imports what `apt-cache dumpavail` prints into a listsd of its own, in a folder of its own, declares indexes,
and prints for each query what came of it, the plan that `explain` gives, and its time. Every answer is
compared with one worked out here from the same packages; a query that looked at more than twice the records
that it returned, or a wrong answer, ends the run with status 1.
"""

import argparse
import dataclasses
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unicodedata
from typing import Any, Callable, Iterable, Iterator, Optional

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Clients/Python"))

from lists_client import ListsClient, ServiceError  # noqa: E402

BATCH = 500
PAGE = 1000


@dataclasses.dataclass(frozen=True)
class Package:
    name: str
    section: Optional[str]
    size: int
    tags: tuple[str, ...]
    description: str

    @property
    def record(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"name": self.name, "size": self.size, "description": self.description}
        if self.section is not None:
            fields["section"] = self.section
        if self.tags:
            fields["tags"] = list(self.tags)
        return {"recordType": "Package", "recordName": self.name, "fields": fields}


def read_packages(lines: Iterable[str]) -> Iterator[Package]:
    """The paragraphs of a Packages file (deb822): one package each, long fields on lines that begin with a space."""
    fields: dict[str, str] = {}
    key = ""
    for line in lines:
        line = line.rstrip("\n")
        if not line:
            if "Package" in fields:
                yield _package(fields)
            fields = {}
        elif line[0] in " \t":
            fields[key] = f"{fields.get(key, '')} {line.strip()}"
        else:
            key, _, value = line.partition(":")
            fields[key] = value.strip()
    if "Package" in fields:
        yield _package(fields)


def _package(fields: dict[str, str]) -> Package:
    tags = tuple(tag.strip() for tag in fields.get("Tag", "").split(",") if tag.strip())
    return Package(
        name=fields["Package"],
        section=fields.get("Section"),
        size=int(fields.get("Size", "0")),
        tags=tags,
        description=fields.get("Description", fields.get("Description-en", "")),
    )


def available_packages(limit: Optional[int] = None) -> dict[str, Package]:
    """What apt knows of, by name; of several versions the last that it prints."""
    packages: dict[str, Package] = {}
    with subprocess.Popen(
        ["apt-cache", "dumpavail"], stdout=subprocess.PIPE, text=True, encoding="utf-8", errors="replace"
    ) as dump:
        assert dump.stdout is not None
        for package in read_packages(dump.stdout):
            packages[package.name] = package
            if limit is not None and len(packages) >= limit:
                dump.terminate()
                break
    return packages


class Service:
    """A listsd of our own, in a folder that goes with it."""

    def __init__(self, listsd: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="lists-packages-")
        self.socket = os.path.join(self._folder.name, "lists.sock")
        self._log = open(os.path.join(self._folder.name, "log"), "wb")
        # It says READY=1 here once it takes connections, as it would to systemd.
        notify = os.path.join(self._folder.name, "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
            ready.bind(notify)
            ready.settimeout(30)
            self._process = subprocess.Popen(
                [listsd, "--socket", self.socket, "--state-directory", os.path.join(self._folder.name, "state")],
                stdout=self._log,
                stderr=self._log,
                env={**os.environ, "NOTIFY_SOCKET": notify},
            )
            while b"READY=1" not in ready.recv(4096):
                pass

    def state_bytes(self) -> int:
        return sum(
            os.path.getsize(os.path.join(folder, name))
            for folder, _, names in os.walk(os.path.join(self._folder.name, "state"))
            for name in names
        )

    def __enter__(self) -> "Service":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait()
        self._log.close()
        self._folder.cleanup()


@dataclasses.dataclass
class Answer:
    title: str
    returned: int
    examined: int
    plan: str
    milliseconds: float
    faults: list[str]


class Demonstration:
    """The packages in a service, and what it is asked."""

    def __init__(self, client: ListsClient, packages: dict[str, Package], report: Callable[[str], None]) -> None:
        self.client = client
        self.packages = packages
        self.report = report
        self.answers: list[Answer] = []

    # Filling

    def fill(self) -> None:
        start = time.monotonic()
        records = [package.record for package in self.packages.values()]
        for first in range(0, len(records), BATCH):
            operations = [
                {"operationType": "forceReplace", "record": record} for record in records[first : first + BATCH]
            ]
            self.client.call("modifyRecords", {"operations": operations})
        seconds = time.monotonic() - start
        self.report(f"{len(records)} packages imported in {seconds:.1f} s")

    def declare_indexes(self) -> None:
        """Declared on records that are there: they are built while the service goes on."""
        start = time.monotonic()
        self.client.call(
            "saveRecordType",
            {
                "recordType": {
                    "name": "Package",
                    "fields": {
                        "name": {"type": "string", "indexes": ["queryable", "sortable"]},
                        "size": {"type": "int64", "indexes": ["sortable"]},
                        "tags": {"type": "list<string>", "indexes": ["queryable"]},
                        "description": {"type": "string", "indexes": ["searchable"]},
                    },
                    "indexes": [{"keys": ["section", "name"]}],
                }
            },
        )
        asked, slowest = 0, 0.0
        while True:
            before = time.monotonic()
            schema = self.client.call("fetchSchema", {"recordType": "Package"})
            slowest = max(slowest, time.monotonic() - before)
            asked += 1
            indexes = schema["recordTypes"][0]["indexes"]
            if all(index["state"] == "ready" for index in indexes):
                break
        seconds = time.monotonic() - start
        self.report(
            f"{len(indexes)} indexes built in {seconds:.1f} s;"
            f" meanwhile {asked} other requests were answered, the slowest in {slowest * 1000:.0f} ms"
        )
        for index in indexes:
            self.report(f"  {', '.join(index['keys']) or '(text)':<20} {index['kind']:<9}"
                        f" {index['entries']:>8} entries {index['bytes'] / 1e6:8.1f} MB")

    # Asking

    def ask(self, title: str, check: Callable[[list[dict], dict], list[str]], **query: Any) -> None:
        """All pages of a query; `check` is given the records and the last page."""
        query = {"recordType": "Package", "explain": True, "resultsLimit": PAGE, **query}
        records: list[dict] = []
        examined = pages = 0
        start = time.monotonic()
        while True:
            page = self.client.call("performQuery", query)
            pages += 1
            records += page["records"]
            examined += page["plan"]["rowsExamined"]
            if "cursor" not in page:
                break
            query["cursor"] = page["cursor"]
        milliseconds = (time.monotonic() - start) * 1000
        plan = page["plan"]
        faults = check(records, page)
        if examined > 2 * len(records):
            faults.append(f"looked at {examined} records to return {len(records)}: {plan}")
        keys = ", ".join(plan["index"] or [])
        words = f"{plan['access']} {keys}{' (in order)' if plan['ordered'] else ''}, {pages} page{'s' * (pages > 1)}"
        self.answers.append(Answer(title, len(records), examined, words, milliseconds, faults))

    def expecting(self, packages: Iterable[Package]) -> Callable[[list[dict], dict], list[str]]:
        expected = [package.name for package in packages]

        def check(records: list[dict], _: dict) -> list[str]:
            names = [record["recordName"] for record in records]
            if names == expected:
                return []
            return [f"{len(names)} records, expected {len(expected)}; first difference: {_difference(names, expected)}"]

        return check

    def run(self) -> bool:
        everything = sorted(self.packages.values(), key=lambda package: package.name)
        by_size = sorted(everything, key=lambda package: -package.size)
        self.ask(
            "by size, largest first, to the end",
            self.expecting(by_size),
            sortDescriptors=[{"key": "size", "ascending": False}],
            desiredKeys=["size"],
        )
        self.ask(
            "name BEGINSWITH 'lib'",
            self.expecting(package for package in everything if package.name.startswith("lib")),
            predicate="name BEGINSWITH %@",
            arguments=["lib"],
            sortDescriptors=[{"key": "name"}],
            desiredKeys=[],
        )
        self.ask(
            "sections by section",
            self.check_sections(everything),
            sortDescriptors=[{"key": "section"}, {"key": "name"}],
            sectionNameKey="section",
            sectionIndexTitle="firstLetter",
            desiredKeys=["section"],
        )
        self.ask(
            "tags CONTAINS 'role::program'",
            self.expecting(package for package in everything if "role::program" in package.tags),
            predicate="tags CONTAINS 'role::program'",
            desiredKeys=[],
        )
        self.ask(
            "description TOKENMATCHES 'text editor'",
            self.expecting(
                package for package in everything if {"text", "editor"} <= words(package.description)
            ),
            predicate="description TOKENMATCHES %@",
            arguments=["text editor"],
        )
        self.ask(
            "SELF CONTAINS 'quaternion warfare'",
            self.expecting(
                package
                for package in everything
                if {"quaternion", "warfare"}
                & words(" ".join([package.name, package.section or "", package.description, *package.tags]))
            ),
            predicate="SELF CONTAINS %@",
            arguments=["quaternion warfare"],
        )
        for answer in self.answers:
            self.report(
                f"{answer.title:<42} {answer.returned:>6} returned {answer.examined:>6} looked at"
                f" {answer.milliseconds:8.1f} ms  {answer.plan}"
            )
            for fault in answer.faults:
                self.report(f"  WRONG: {fault}")
        return not any(answer.faults for answer in self.answers)

    def check_sections(self, everything: list[Package]) -> Callable[[list[dict], dict], list[str]]:
        counts: dict[str, int] = {}
        for package in everything:
            counts[package.section or ""] = counts.get(package.section or "", 0) + 1
        order = sorted(everything, key=lambda package: (package.section or "", package.name))

        def check(records: list[dict], page: dict) -> list[str]:
            faults = self.expecting(order)(records, page)
            offset = 0
            expected = []
            for name in sorted(counts):
                expected.append((name, counts[name], offset))
                offset += counts[name]
            sections = [(one["name"], one["numberOfRecords"], one["offset"]) for one in page["sections"]]
            if sections != expected:
                faults.append(f"sections: {_difference(sections, expected)}")
            titles = list(dict.fromkeys(name[:1].upper() for name in sorted(counts)))
            if page["sectionIndexTitles"] != titles:
                faults.append(f"titles: {_difference(page['sectionIndexTitles'], titles)}")
            return faults

        return check


def words(text: str) -> set[str]:
    """Words of ASCII text as full text sees them; enough for the words that are asked for here."""
    folded = "".join(
        scalar for scalar in unicodedata.normalize("NFKD", text).casefold() if not unicodedata.combining(scalar)
    )
    return set("".join(scalar if scalar.isalnum() else " " for scalar in folded).split())


def _difference(found: list, expected: list) -> str:
    for place, (left, right) in enumerate(zip(found, expected)):
        if left != right:
            return f"at {place} {left!r} instead of {right!r}"
    return f"{len(found)} instead of {len(expected)}"


def demonstrate(listsd: str, packages: dict[str, Package], report: Callable[[str], None]) -> bool:
    """Whether every answer was right and cheap."""
    with Service(listsd) as service, ListsClient(service.socket) as client:
        demonstration = Demonstration(client, packages, report)
        demonstration.fill()
        demonstration.declare_indexes()
        report(f"store: {service.state_bytes() / 1e6:.1f} MB")
        return demonstration.run()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--listsd", default=str(ROOT / ".build/release/listsd"))
    parser.add_argument("--limit", type=int, help="packages to take; all when omitted")
    options = parser.parse_args()
    packages = available_packages(options.limit)
    if not packages:
        print("apt knows of no packages: run `apt-get update` first", file=sys.stderr)
        return 1
    try:
        return 0 if demonstrate(options.listsd, packages, lambda line: print(line, flush=True)) else 1
    except ServiceError as error:
        print(f"the service refused: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
