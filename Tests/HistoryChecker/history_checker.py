#!/usr/bin/env python3
"""Holds the service to one order: whatever many clients ask at once, the answers are those of one asking after another.

    Tests/HistoryChecker/history_checker.py [--seconds 60 | --round N] [--seed S] [--clients N] [--names N]
    Tests/HistoryChecker/history_checker.py --history FILE

Plays rounds: clients save with and without tags, increment, send batches, delete, restore and fetch, all on a few records,
while listsd is killed and started again. In every second and third round of three the records refer to each other, so that
deletions take others along or are refused, or have values that must be unique. Beside them others count, with a key for
each time, which is sent again until it is answered: in the end there are as many as there were keys. What was asked and answered is then searched for an order of the calls that explains
every answer; an answered call has taken effect between the two, also when the service was killed right behind it, and
one that a killed process left unanswered has taken effect before its end or never. A fault ends the run with status 1,
and leaves the history in a file that can be judged again.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from typing import Optional

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../ServiceProcess"))

from composer import KINDS  # noqa: E402
from counting import Miscounted  # noqa: E402
from history import History  # noqa: E402
from judge import Fault, judge  # noqa: E402
from round import Options, play  # noqa: E402


def perform(options: Options) -> Optional[Fault]:
    """Plays rounds and tells of them. Returns the first fault."""
    kind = f"--kind {options.kind} " if options.kind is not None else ""
    command = f"{kind}--seed {options.seed} --clients {options.clients} --names {options.names} --answers {options.answers}"
    options.say(f"history_checker.py {command}")
    started = time.monotonic()
    number = options.round or 0
    calls = 0
    while True:
        try:
            history = play(options, number)
            fault = judge(history)
        except Miscounted as miscounted:
            fault = Fault("counter", str(miscounted))
            history = History(options.names)
        calls += len(history.results)
        if fault is not None:
            options.say(f"FAULT in round {number} of seed {options.seed}: {fault.name}: {fault.text}")
            options.say(f"again with: history_checker.py {command} --round {number}")
            if options.keeps:
                options.say(f"the history is in {_kept(history)}")
            return fault
        number += 1
        seconds = time.monotonic() - started
        if options.round is not None or seconds >= options.seconds:
            rounds = number - (options.round or 0)
            options.say(f"{rounds} rounds, {calls} calls in {seconds:.0f} s: one order explains each")
            return None


def _kept(history: History) -> str:
    descriptor, path = tempfile.mkstemp(prefix="lists-history-", suffix=".jsonl")
    os.close(descriptor)
    history.save(path)
    return path


def main() -> int:
    defaults = Options()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listsd", default=defaults.listsd)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--round", type=int, help="in place of --seconds: plays only this round")
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(1_000_000)))
    parser.add_argument("--answers", type=int, default=defaults.answers, help="in a round")
    parser.add_argument("--clients", type=int, default=defaults.clients)
    parser.add_argument("--names", type=int, default=defaults.names, help="records that all is done with")
    parser.add_argument("--kind", choices=KINDS, help="only rounds that are about this")
    parser.add_argument("--history", metavar="FILE", help="judges a history that was kept, and asks no service")
    options = vars(parser.parse_args())
    if (path := options.pop("history")) is not None:
        fault = judge(History.load(path))
        print(f"FAULT: {fault.name}: {fault.text}" if fault else "one order explains it")
        return 1 if fault else 0
    return 1 if perform(Options(**options)) else 0


if __name__ == "__main__":
    sys.exit(main())
