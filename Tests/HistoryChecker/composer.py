"""Makes calls up. What is drawn depends on the seed, the client and the number of its call alone; only the tags are
those that the client has seen."""

from __future__ import annotations

import random
from typing import Any, Callable, Optional

from model import Call, Fields, Reference, Step
from wire_form import ASSETS

#: What a round may be about.
KINDS = ("plain", "references", "unique")


class Composer:
    """One client's."""

    def __init__(self, seed: str, client: int, names: int, kind: str = "plain") -> None:
        self._seed = seed
        self._client = client
        self._names = names
        #: What the round is about: "plain", "references" or "unique".
        self._kind = kind
        self._turn = 0
        #: The tag that was seen last, by record.
        self.tags: dict[int, str] = {}

    def compose(self) -> tuple[Call, random.Random]:
        """The next call, and what is drawn on for how it is sent."""
        self._turn += 1
        number = self._turn * 100 + self._client
        draw = random.Random(f"{self._seed}/{self._client}/{self._turn}")
        make: Callable[[random.Random, int], Call] = draw.choices(
            [self._fetch, self._look, self._save, self._batch], [5, 2, 8, 3])[0]
        return make(draw, number), draw

    def _fetch(self, draw: random.Random, number: int) -> Call:
        return Call(number, self._client, names=(draw.randrange(self._names),))

    def _look(self, draw: random.Random, number: int) -> Call:
        """At all of them in one snapshot, by a query or by their names."""
        return Call(number, self._client, names=tuple(range(self._names)), is_batch=draw.random() < 0.6)

    def _save(self, draw: random.Random, number: int) -> Call:
        name = draw.randrange(self._names)
        words = ["create", "replace", "forceUpdate", "forceReplace", "delete", "restore"]
        word = draw.choices(words, [2, 5, 7, 2, 2, 2] if self._kind == "plain" else [3, 3, 7, 4, 8, 6])[0]
        is_lenient = word == "replace" or (word == "delete" and draw.random() < 0.5)
        step = self._step(draw, word, name, number, always_tagged=word == "replace", is_lenient=is_lenient)
        return Call(number, self._client, (step,))

    def _batch(self, draw: random.Random, number: int) -> Call:
        names = draw.sample(range(self._names), draw.randint(min(2, self._names), self._names))
        words = ["create", "update", "replace", "forceUpdate", "forceReplace", "delete", "forceDelete"]
        # What a deletion takes with it in the middle of a batch is not among what the model knows.
        weights = [1, 4, 2, 6, 3, 0, 0] if self._kind == "references" else [1, 4, 2, 6, 3, 1, 2]
        steps = tuple(
            self._step(draw, draw.choices(words, weights)[0], name, number, is_alone=False) for name in names)
        return Call(number, self._client, steps, is_batch=True, is_atomic=draw.random() < 0.7)

    def _step(
        self, draw: random.Random, word: str, name: int, number: int, always_tagged: bool = False,
        is_lenient: bool = False, is_alone: bool = True,
    ) -> Step:
        has_tag = word in ("update", "replace", "delete") and (always_tagged or draw.random() < 0.3)
        tag: Optional[str] = None
        if has_tag:
            # One that no record ever had, where none was seen.
            tag = self.tags.get(name, "1-none")
        merges = word in ("update", "forceUpdate")
        fields: Fields = ()
        if word not in ("delete", "forceDelete", "restore"):
            fields = tuple(sorted((*self._fields(draw, number, merges), *self._more(draw, is_alone))))
        # Without a tag a save of a record that is to be there is a creation.
        return Step(word, name, fields, tag, is_lenient)

    def _more(self, draw: random.Random, is_alone: bool) -> Fields:
        """Fields whose values depend on what else there is."""
        fields: list[tuple[str, Any]] = []
        if self._kind == "references" and draw.random() < 0.6:
            # What is to be there when a batch is done is not among what the model knows.
            actions = ["none", "deleteSelf", "setNull", "restrict"] + (["validate"] if is_alone else [])
            weights = [1, 4, 3, 2] + ([3] if is_alone else [])
            fields.append(("p", Reference(draw.randrange(self._names), draw.choices(actions, weights)[0])))
        if self._kind == "unique" and draw.random() < 0.6:
            fields.append(("k", draw.choice(["x", "y", None])))
        if draw.random() < 0.15:
            fields.append(("a", draw.randrange(ASSETS)))
        return tuple(fields)

    def _fields(self, draw: random.Random, number: int, merges: bool) -> Fields:
        if not merges:
            return (("l", (f"c{draw.randrange(4)}",)), ("n", draw.randrange(1000)), ("s", f"v{number}"))
        choices: list[tuple[str, Any]] = [
            ("n", ("$increment", 1)), ("n", ("$increment", draw.choice([-3, 5]))), ("s", f"v{number}"),
            ("l", ("$append", (f"e{number}",))), ("l", ("$addUnique", (f"c{draw.randrange(4)}",))),
            ("l", ("$remove", (f"c{draw.randrange(4)}",))), ("s", None)]
        drawn = draw.choices(choices, [8, 2, 4, 2, 2, 2, 1], k=draw.choice([1, 1, 2]))
        return tuple(sorted(dict(drawn).items()))
