#!/usr/bin/env python3
"""Cuts the power of a listsd at any moment, and holds it to its promise that nothing answered is lost or half done.

    Tests/PowerCut/power_cut.py [--seconds 60 | --every] [--seed S] [--clients N] [--requests N]
    Tests/PowerCut/power_cut.py --recording FOLDER [--cut PLACE:KIND:SEED | --every]

A listsd with a library in front of the C library is recorded while clients save, delete and send batches: every write,
truncation, sync, rename, removal and reply in their order. From that the states are built in which its disk may be found
when the power is cut at one of these moments: what was synced is there, of the rest any part, down to sectors of 512
bytes. Each is opened with listsd: it starts, all that was answered is there, no batch is half there, the log of changes,
the records and the indexes agree, tokens lead on, and it can be written. A fault ends the run with status 1; the recording
and the state are kept then.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import random
import shutil
import sys
import tempfile
import time
from typing import Callable, Iterator, Optional

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../ServiceProcess"))

from listsd_process import LISTSD  # noqa: E402
from recording import Recording  # noqa: E402
from simulation import Cut, Fault, Judging, Left, Loses, Spoils, cut, drawn, every, roomy  # noqa: E402
from workload import compiled, record  # noqa: E402


@dataclasses.dataclass
class Options:
    listsd: str = LISTSD
    seconds: float = 20
    #: Cuts at every moment, however long that takes.
    every: bool = False
    seed: str = "0"
    clients: int = 4
    #: Of each client.
    requests: int = 60
    #: One that was kept, in place of making one.
    recording: Optional[str] = None
    cut: Optional[str] = None
    #: Whether what has a fault is kept.
    keeps: bool = True
    loses: Optional[Loses] = None
    spoils: Optional[Spoils] = None
    say: Callable[[str], None] = print


#: Cuts for which the recording is followed once.
_CUTS = 20


def perform(options: Options) -> Optional[Fault]:
    """Makes a run and tells of it. Returns the fault that was found."""
    options.say(f"power_cut.py --seed {options.seed} --clients {options.clients} --requests {options.requests}")
    started = time.monotonic()
    folder = options.recording or tempfile.mkdtemp(prefix="lists-power-cut-", dir=roomy())
    fault = None
    try:
        library = os.path.join(folder, "recorder.so")
        compiled(library)
        recording = Recording.load(folder) if options.recording else record(
            folder, library, options.listsd, options.seed, options.clients, options.requests)
        judging = Judging(options.listsd, library, options.keeps, options.spoils)
        deadline = None if options.every else started + options.seconds
        fault = judging.first_fault(_lefts(options, recording), deadline)
        options.say(f"{judging.judged} states in {time.monotonic() - started:.0f} s")
        if fault is not None:
            _tell(options, folder, fault)
    finally:
        if not options.recording and (fault is None or not options.keeps):
            shutil.rmtree(folder)
    if fault is None:
        options.say("nothing that was answered is lost, and nothing is half done")
    return fault


def _lefts(options: Options, recording: Recording) -> Iterator[Left]:
    if options.cut is not None:
        yield from cut(recording, [Cut.parsed(options.cut)], loses=options.loses)
    elif options.every:
        yield from cut(recording, every(recording, options.seed), loses=options.loses)
    else:
        for number in range(1_000_000):
            yield from cut(recording, drawn(recording, f"{options.seed}.{number}", _CUTS), loses=options.loses)


def _tell(options: Options, folder: str, fault: Fault) -> None:
    second = f", and {fault.second} while that was opened," if fault.second else ""
    options.say(f"FAULT behind cut {fault.cut}{second} of seed {options.seed}: {fault.broken}")
    if fault.kept is not None:
        options.say(f"the disk's state is in {fault.kept}")
        options.say(f"again with: power_cut.py --recording {folder} --cut {fault.cut}")


def main() -> int:
    defaults = Options()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listsd", default=defaults.listsd)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--every", action="store_true", help="in place of --seconds: cuts at every moment")
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(1_000_000)))
    parser.add_argument("--clients", type=int, default=defaults.clients)
    parser.add_argument("--requests", type=int, default=defaults.requests, help="of each client")
    parser.add_argument("--recording", metavar="FOLDER", help="one that was kept")
    parser.add_argument("--cut", metavar="PLACE:KIND:SEED", help="only this one, of the recording")
    return 1 if perform(Options(**vars(parser.parse_args()))) else 0


if __name__ == "__main__":
    sys.exit(main())
