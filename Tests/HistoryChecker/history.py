"""What was asked and answered, in the order in which it was seen; kept as a file when it is to be looked at again."""

from __future__ import annotations

import dataclasses
import json
import threading
from typing import Any, Iterable, NamedTuple, Optional, Union

from model import UNIQUE, Call, Record, Result, Step


class Invoked(NamedTuple):
    call: Call


class Answered(NamedTuple):
    number: int


class Ended(NamedTuple):
    """A process of the service ended; `lost` are the calls that it did not answer, and nobody sends again."""

    lost: tuple[int, ...]


Event = Union[Invoked, Answered, Ended]


@dataclasses.dataclass
class History:
    """A whole one. `names` says how many records there are."""

    names: int
    events: list[Event] = dataclasses.field(default_factory=list)
    results: dict[int, Result] = dataclasses.field(default_factory=dict)
    #: The commit at which each call says that it is.
    commits: dict[int, int] = dataclasses.field(default_factory=dict)

    @property
    def calls(self) -> dict[int, Call]:
        return {event.call.number: event.call for event in self.events if isinstance(event, Invoked)}

    @property
    def is_separable(self) -> bool:
        """Whether what becomes of a record depends on that record alone, but for batches."""
        return not any(name in ("p", *UNIQUE) for call in self.calls.values() for step in call.steps for name, _ in step.fields)

    def of_one(self, name: int) -> "History":
        """What concerns one record, as if it were the only one; batches are whole only in the whole."""
        calls: dict[int, Call] = {}
        results: dict[int, Result] = {}
        for number, call in self.calls.items():
            concerned = call.names if call.reads else tuple(step.name for step in call.steps)
            result = self.results.get(number)
            if name not in concerned:
                continue
            place = concerned.index(name)
            if call.is_batch and call.is_atomic and result is not None and ("failed",) in result:
                if result[place] == ("failed",):
                    continue
            if call.reads:
                calls[number] = dataclasses.replace(call, names=(0,))
            else:
                step = dataclasses.replace(call.steps[place], name=0)
                calls[number] = dataclasses.replace(call, steps=(step,))
            if result is not None:
                results[number] = (result[place],)
        events: list[Event] = []
        for event in self.events:
            if isinstance(event, Invoked) and event.call.number in calls:
                events.append(Invoked(calls[event.call.number]))
            elif isinstance(event, Answered) and event.number in calls:
                events.append(event)
            elif isinstance(event, Ended):
                events.append(Ended(tuple(number for number in event.lost if number in calls)))
        return History(1, events, results, {number: self.commits[number] for number in calls if number in self.commits})

    # MARK: As a file

    def save(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps({"names": self.names}) + "\n")
            for event in self.events:
                file.write(json.dumps(self._line(event)) + "\n")

    def _line(self, event: Event) -> Any:
        if isinstance(event, Invoked):
            return {"invoked": dataclasses.asdict(event.call)}
        if isinstance(event, Answered):
            return {"answered": event.number, "result": self.results[event.number], "commit": self.commits.get(event.number)}
        return {"ended": event.lost}

    @staticmethod
    def load(path: str) -> "History":
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        history = History(lines[0]["names"])
        for line in lines[1:]:
            if "invoked" in line:
                call = line["invoked"]
                steps = tuple(Step(**{**step, "fields": tupled(step["fields"])}) for step in call.pop("steps"))
                history.events.append(Invoked(Call(**{**call, "names": tuple(call["names"])}, steps=steps)))
            elif "answered" in line:
                number = line["answered"]
                history.events.append(Answered(number))
                history.results[number] = tuple(_outcome(one) for one in line["result"])
                if line["commit"] is not None:
                    history.commits[number] = line["commit"]
            else:
                history.events.append(Ended(tuple(line["ended"])))
        return history


def tupled(value: Any) -> Any:
    """Lists as tuples all the way down."""
    return tuple(tupled(one) for one in value) if isinstance(value, (list, tuple)) else value


def _outcome(line: list[Any]) -> Any:
    if line[0] in ("saved", "conflict", "found"):
        return (line[0], None if line[1] is None else Record(tupled(line[1][0]), line[1][1]))
    return tuple(line)


class Recorder:
    """Takes down what many threads do."""

    def __init__(self, names: int) -> None:
        self._names = names
        self._lock = threading.Lock()
        self._events: list[tuple[str, Any]] = []
        self._results: dict[int, Result] = {}
        self._commits: dict[int, int] = {}
        self._process = 0

    def invoked(self, call: Call, process: int, is_repeated: bool) -> None:
        """`process`: how many had ended when its connection was made. `is_repeated`: it is sent again until it is answered."""
        with self._lock:
            self._events.append(("invoked", (call, process, is_repeated)))

    @property
    def processes(self) -> int:
        """How many have ended."""
        return self._process

    def answered(self, number: int, result: Result, commit: Optional[int]) -> None:
        with self._lock:
            self._results[number] = result
            if commit is not None:
                self._commits[number] = commit
            self._events.append(("answered", number))

    def ended(self) -> None:
        """A process has ended; what is invoked from now on is the next one's."""
        with self._lock:
            self._events.append(("ended", self._process))
            self._process += 1

    @property
    def answers(self) -> int:
        return len(self._results)

    def history(self) -> History:
        """When nobody records any more. A call that its process did not answer ends with that process."""
        lost: dict[int, list[int]] = {}
        ended: set[int] = set()
        dropped: set[int] = set()
        for kind, what in self._events:
            if kind == "ended":
                ended.add(what)
            elif kind == "invoked":
                call, process, is_repeated = what
                if call.number in self._results:
                    continue
                if is_repeated:
                    lost.setdefault(self._process - 1, []).append(call.number)
                elif process in ended:
                    dropped.add(call.number)
                else:
                    lost.setdefault(process, []).append(call.number)
        history = History(self._names, results=self._results, commits=self._commits)
        for kind, what in self._events:
            if kind == "ended":
                history.events.append(Ended(tuple(lost.get(what, ()))))
            elif kind == "answered":
                history.events.append(Answered(what))
            elif what[0].number not in dropped:
                history.events.append(Invoked(what[0]))
        return history


def commits_in_order(history: History) -> Optional[str]:
    """Whether whoever asks later is told a later position, or the same. Says where not."""
    at_least: dict[int, int] = {}
    latest = 0
    calls = history.calls
    for event in history.events:
        if isinstance(event, Invoked):
            at_least[event.call.number] = latest
        elif isinstance(event, Answered) and event.number in history.commits:
            commit = history.commits[event.number]
            if commit < at_least[event.number]:
                return (f"call {event.number} was sent after an answer of commit {at_least[event.number]}, and answered of "
                        f"commit {commit}: {calls[event.number]}")
            if commit > latest:
                latest = commit
    return None


def tags_differ(history: History) -> Optional[str]:
    """Whether a tag names one version. Says where not."""
    versions: dict[tuple[int, str], Any] = {}
    for number, call in history.calls.items():
        names: Iterable[int] = call.names if call.reads else (step.name for step in call.steps)
        for name, outcome in zip(names, history.results.get(number, ())):
            record = outcome[1] if outcome[0] in ("saved", "conflict", "found") else None
            if record is not None and versions.setdefault((name, record.tag), record.fields) != record.fields:
                return f"the tag {record.tag} of record {name} names two versions: {record.fields} and {versions[(name, record.tag)]}"
    return None
