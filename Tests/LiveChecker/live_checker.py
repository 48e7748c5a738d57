#!/usr/bin/env python3
"""Holds the service to its promise: a client that applies what it is pushed holds exactly what a query would give.

    Tests/LiveChecker/live_checker.py [--seconds 60 | --steps 2000] [--seed S] [--writers N] [--subscribers M]

Starts a listsd of its own as systemd would, writes over several connections, and has subscribers of all kinds come and
go, be slow, and go on where they were, while the service is killed, told to end, or ends because nobody needs it. One
driver decides all of it from the seed, which is printed first: a run with the same `--seed` and `--steps` does the same
again. Every push is checked when it comes; now and then, and at the end, what everyone holds is compared with what
queries give, and what is there with what was acknowledged. A fault ends the run with status 1.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from typing import Optional

import grammar
from driver import Options, Run
from subscriber import Subscriber
from wire import Fault


def perform(options: Options) -> Optional[Fault]:
    """Makes a run and tells of it. Returns the fault that was found."""
    say = options.say
    length = f"--steps {options.steps}" if options.steps is not None else f"--seconds {options.seconds:g}"
    command = f"--seed {options.seed} {length} --writers {options.writers} --subscribers {options.subscribers}"
    if options.without:
        command += f" --without {','.join(sorted(options.without))}"
    say(f"live_checker.py {command}")
    run = Run(options)
    say(f"features: {' '.join(sorted(run.features))}")
    if missing := grammar.ALL_FEATURES - run.features:
        say(f"left out: {' '.join(sorted(missing))}")
    started = time.monotonic()
    try:
        run.run()
    except Fault as fault:
        say(f"FAULT at step {run.step} of seed {options.seed}: {fault}")
        if isinstance(fault.about, Subscriber):
            say(f"  {fault.about}")
            for line in fault.about.trace:
                say(f"    {line}")
        say(f"the service's log: {run.log}")
        say(f"again with: live_checker.py {command.replace(length, f'--steps {run.step}')}")
        return fault
    finally:
        say(f"{run.summary()}, in {time.monotonic() - started:.0f} s")
        run.close()
    say("all hold what queries give")
    return None


def main() -> int:
    defaults = Options()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listsd", default=os.environ.get("LISTSD") or defaults.listsd)
    parser.add_argument("--listsrpc", default=os.environ.get("LISTSRPC") or defaults.listsrpc)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--steps", type=int, help="in place of --seconds: a run that can be repeated exactly")
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(1_000_000)))
    parser.add_argument("--writers", type=int, default=defaults.writers)
    parser.add_argument("--subscribers", type=int, default=defaults.subscribers)
    parser.add_argument(
        "--without", type=lambda text: frozenset(text.split(",")), default=frozenset(), metavar="FEATURES",
        help="features that are not to be used, with commas between them")
    return 1 if perform(Options(**vars(parser.parse_args()))) else 0


if __name__ == "__main__":
    sys.exit(main())
