"""Looks for an order in which the calls of a history took effect one after another, each between its being sent and its
being answered, so that the model answers as the service did.

Wing and Gong's search as Lowe does it just in time ("Testing for linearizability", 2017): behind each event of the
history there is the set of all the states in which the service may be, each with the calls that took effect already and
are still to be answered. A call takes effect only when an answer demands it. What is the same twice is looked at once.
"""

from __future__ import annotations

import dataclasses
from typing import Iterable, NamedTuple, Optional

from history import Answered, Event, Invoked
from model import Call, Result, State, apply


class Configuration(NamedTuple):
    state: State
    #: Calls that took effect and are not answered yet.
    done: frozenset[int]


@dataclasses.dataclass
class Impossible(Exception):
    """There is no such order. `event` is the answer that none of the states explains."""

    place: int
    event: Event
    before: list[Configuration]
    pending: list[Call]
    reason: str = "no order of the calls explains this answer"


class Search:
    """Goes along a history. `budget` bounds the states looked at behind one event."""

    def __init__(self, state: State, results: dict[int, Result], budget: int = 500_000) -> None:
        self._configurations = {Configuration(state, frozenset())}
        self._results = results
        self._pending: dict[int, Call] = {}
        self._budget = budget
        #: The largest number of configurations that there was.
        self.most = 1

    def follow(self, events: Iterable[Event]) -> None:
        """Raises `Impossible` at the first event that nothing explains."""
        for place, event in enumerate(events):
            before = self._configurations
            pending = list(self._pending.values())
            if isinstance(event, Invoked):
                self._pending[event.call.number] = event.call
                self._configurations = {self._settled(one) for one in before}
            elif isinstance(event, Answered):
                ends = self._reached(event.number)
                self._configurations = {one._replace(done=one.done - {event.number}) for one in ends}
                del self._pending[event.number]
            else:
                # What the process had not answered has taken effect by now, or never will.
                lost = frozenset(event.lost)
                self._configurations = {one._replace(done=one.done - lost) for one in self._reached(None)}
                for number in lost:
                    del self._pending[number]
            self.most = max(self.most, len(self._configurations))
            if not self._configurations:
                raise Impossible(place, event, sorted(before, key=repr)[:4], pending)

    def _reached(self, answered: Optional[int]) -> list[Configuration]:
        """Where pending calls lead to in any order: all of it, or just up to where the one has taken effect."""
        ends: list[Configuration] = []
        seen = set(self._configurations)
        waiting = list(seen)
        while waiting:
            one = waiting.pop()
            if answered is None or answered in one.done:
                ends.append(one)
                if answered is not None:
                    continue
            for following in self._successors(one):
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
            if len(seen) > self._budget:
                raise OverflowError(f"more than {self._budget} states behind one event")
        return ends

    def _successors(self, one: Configuration) -> Iterable[Configuration]:
        for number, call in self._pending.items():
            if number in one.done:
                continue
            after = apply(one.state, call, self._results.get(number))
            if after is not None and after != one.state:
                yield self._settled(Configuration(after, one.done | {number}))

    def _settled(self, one: Configuration) -> Configuration:
        """With what leaves the state as it is: nothing is gained by having that later."""
        done = {
            number for number, call in self._pending.items()
            if number not in one.done and number in self._results
            and apply(one.state, call, self._results[number]) == one.state}
        return one._replace(done=one.done | done) if done else one
