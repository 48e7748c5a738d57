"""Subscribers: they come, go, are slow, and come again, and hold what they are told."""

from __future__ import annotations

import collections
from typing import Any, Callable, Optional

import grammar
from client import Client
from held import Held, HeldRecords
from results import held_for
from stream import Stream
from wire import Connection, Fault, Json, Key, error_code, key_of, text_of, version_of
from writes import Ledger

#: Called with a subscriber and a push before it takes it; gives the pushes that it gets in its place.
Tamper = Callable[["Subscriber", Json], list[Json]]


class Subscriber:
    """One subscription and what is held of it, over all its connections."""

    def __init__(self, number: int, client: Client, ledger: Ledger, has_pruning: bool, on_change: Callable[["Subscriber", Json], None]) -> None:
        self.number = number
        self.client = client
        self._ledger = ledger
        self._has_pruning = has_pruning
        self._on_change = on_change
        self.tamper: Optional[Tamper] = None
        self.definition = grammar.Definition({})
        self.held: Held = held_for({})
        #: From where to go on; None to begin anew.
        self.token: Optional[str] = None
        self.stream: Optional[Stream] = None
        self.id: Optional[str] = None
        #: Whether a request is under way that will end with being attached.
        self.is_starting = False
        #: Which attempt to be attached it is: replies to earlier ones are not looked at.
        self._attempt = 0
        #: What happened to it last, for a person.
        self.trace: collections.deque[str] = collections.deque(maxlen=30)
        #: Of a saved one: what was held at positions that are or may be acknowledged.
        self._snapshots: dict[str, Held] = {}
        self._is_saved = False
        self._saved_token: Optional[str] = None
        self._is_acknowledging = False
        #: Acknowledgements that are not answered: they may still be on their way.
        self._unanswered: list[str] = []
        #: What it was told of: record, tag and whether it was said to be its own, until that is checked.
        self.told: list[tuple[Key, str, bool, int, Optional[int]]] = []
        self._endings: list[dict[str, Any]] = []
        self.pushes = self.changes = self.resumes = self.beginnings = self.resyncs = self.expiries = 0

    def __str__(self) -> str:
        return f"subscriber {self.number} on connection {self.client.number}: {self.definition}"

    def define(self, definition: grammar.Definition) -> None:
        """Becomes another subscription, from its beginning on."""
        self.unsubscribe()
        # Nobody takes over what it was, where that was still to be done.
        self._endings = []
        self.definition = definition
        self.begin_anew()
        self.attach()

    def begin_anew(self) -> None:
        self.held = held_for(self.definition.params)
        self.token = None
        self._snapshots = {}
        self._is_saved = False
        self.beginnings += 1

    # MARK: Attaching

    def attach(self) -> None:
        """Subscribes, from where it was or from the beginning."""
        if not self.client.is_connected or self.is_starting or self.stream is not None:
            return
        self.is_starting = True
        self._attempt += 1
        definition = self.definition
        if definition.saved is not None:
            return self._attach_saved()
        params = dict(definition.params)
        if not isinstance(self.held, HeldRecords):
            self.held = held_for(params)
            return self._subscribe(params, None, expects_initial=True)
        if self.token is not None:
            self.resumes += 1
            if definition.resume == "changes":
                return self._fetch_changes(self.token)
            return self._subscribe({**params, "since": self.token}, self.token)
        self.held = held_for(params)
        if definition.bootstrap == "query":
            return self._query(lambda token: self._subscribe({**params, "since": token}, token))
        if definition.bootstrap == "changes":
            return self._fetch_changes(None)
        self._subscribe({**params, "sendInitial": True}, None, expects_initial=True)

    def _call(self, method: str, params: Json, answered: Callable[[Optional[Json], Optional[Json]], None]) -> None:
        if self.client.connection is not None:
            self.client.connection.call(method, params, answered)

    def _asked(self, method: str, params: Json, then: Callable[[Json], None]) -> None:
        """Asks for what leads to being attached."""
        attempt, connection = self._attempt, self.client.connection

        def answered(result: Optional[Json], error: Optional[Json]) -> None:
            if attempt != self._attempt:
                if method == "subscribe" and result is not None and connection is not None:
                    self._drop(connection, result["subscriptionID"])
                return
            if error is not None:
                return self._refused(method, params, error)
            if result is not None:
                then(result)

        self._call(method, params, answered)

    def _drop(self, connection: Connection, identifier: str) -> None:
        """Ends what is not wanted any more since it was asked for."""
        if identifier == self.definition.saved:
            connection.routes.setdefault(identifier, lambda *_: None)
            return
        connection.routes[identifier] = lambda *_: None
        connection.call(
            "unsubscribe", {"subscriptionID": identifier}, lambda *_: connection.routes.pop(identifier, None))

    def _refused(self, method: str, params: Json, error: Json) -> None:
        self.is_starting = False
        code = error_code(error)
        self.trace.append(f"{method}: {text_of(error)[:300]}")
        if code == "changeTokenExpired" and self._has_pruning and error["data"].get("reason", "pruned") == "pruned":
            self.expiries += 1
            self.begin_anew()
            return self.attach()
        # Until the zone is there again; or the service, which is just stopping.
        if code in ("zoneNotFound", "serviceUnavailable"):
            return
        raise Fault("subscribe", f"{method} {text_of(params)[:700]}: {text_of(error)[:700]}")

    def _subscribe(
        self, params: Json, token: Optional[str], expects_initial: bool = False, may_begin_again: bool = False,
    ) -> None:
        def subscribed(result: Json) -> None:
            self.is_starting = False
            self.id = result["subscriptionID"]
            stream = self.stream = Stream(self.held, token, self.definition.buffers)
            stream.may_begin_again = may_begin_again and not expects_initial
            if expects_initial:
                stream.expect_initial()
            assert self.client.connection is not None
            # The ones before it end with their connection, or are forgotten when unsubscribe is answered.
            self.client.connection.routes[self.id] = lambda method, pushed: self._receive(stream, method, pushed)

        self._asked("subscribe", params, subscribed)

    def _query(self, then: Callable[[str], None]) -> None:
        params = {key: value for key, value in self.definition.params.items() if key in _OF_QUERIES}

        def found(result: Json) -> None:
            assert isinstance(self.held, HeldRecords)
            if "cursor" in result:
                raise Fault("query", "a page of 1000 did not hold everything")
            self.held.records = {key_of(record): record for record in result["records"]}
            self.held.included = {key_of(entry): entry["record"] for entry in result.get("included", [])}
            then(result["changeToken"])

        self._asked("performQuery", {**params, "resultsLimit": 1000}, found)

    def _fetch_changes(self, since: Optional[str]) -> None:
        names = ("zoneName", "recordType", "desiredKeys", "includePrevious")
        params = {name: self.definition.params[name] for name in names if name in self.definition.params}
        params["resultsLimit"] = 7
        # What is between two pages is never gone on from after the connection was lost: a copy takes it.
        held = self.held.copied()

        def fetch(token: Optional[str]) -> None:
            self._asked("fetchChanges", {**params, **({"since": token} if token else {})}, take)

        def take(result: Json) -> None:
            self.trace.append(f"fetchChanges: {text_of(result)[:300]}")
            held.may_be_told_gone = True
            held.apply(result)
            held.may_be_told_gone = False
            if result["moreComing"]:
                return fetch(result["changeToken"])
            self.held = held
            self.token = result["changeToken"]
            self._subscribe({**self.definition.params, "since": self.token}, self.token)

        fetch(since)

    # MARK: Saved subscriptions

    def _attach_saved(self) -> None:
        self._once_left(self._find_position if self._is_saved else self._save_anew)

    def _once_left(self, then: Callable[[], None]) -> None:
        """Goes on when no acknowledgement can arrive any more that was sent over a connection that was lost.

        Else it might move the position after that was asked for. It is sent by one that is attached, so the service
        has read all of it once nobody is.
        """
        if not self._unanswered:
            return then()

        def found(result: Json) -> None:
            saved = {one["subscriptionID"]: one for one in result["subscriptions"]}
            if saved.get(self.definition.saved or "", {}).get("isAttached"):
                return self._once_left(then)
            # One writes after the other: an answer to this one says that those before it are written.
            self._asked("deleteSubscription", {"subscriptionID": "nobody", "ignoreMissing": True}, settled)

        def settled(_: Json) -> None:
            self._unanswered.clear()
            then()

        self._asked("fetchSubscriptions", {}, found)

    def _save_anew(self) -> None:
        params = {**self.definition.params, "subscriptionID": self.definition.saved}
        self.held = held_for(self.definition.params)
        if self.definition.bootstrap == "query":
            return self._query(lambda token: self._save({**params, "since": token}))
        self._save({**params, "sendInitial": True})

    def _save(self, params: Json) -> None:
        if "since" in params:
            self._snapshots[params["since"]] = self.held.copied()

        def saved(result: Json) -> None:
            self._is_saved = True
            token = self._saved_token = result["subscription"]["changeToken"]
            if "since" not in params:
                self._snapshots[token] = held_for(self.definition.params)
            self._attach_at(token)

        # One of that name that is still there has another definition, or another position than this.
        self._call("deleteSubscription", {"subscriptionID": self.definition.saved, "ignoreMissing": True}, lambda *_: None)
        self._asked("saveSubscription", params, saved)

    def _find_position(self) -> None:
        """Asks for the position, since an acknowledgement may have been lost on its way or on the way back."""
        def found(result: Json) -> None:
            self._attach_at(result["subscriptions"][0]["changeToken"])

        self._asked("fetchSubscriptions", {"subscriptionID": self.definition.saved}, found)

    def _attach_at(self, token: str) -> None:
        if token not in self._snapshots:
            raise Fault("saved", f"the position is {token}, and {list(self._snapshots)} were acknowledged")
        self._snapshots = {token: self._snapshots[token]}
        self._is_acknowledging = False
        self.held = self._snapshots[token].copied()
        self.resumes += 1
        is_initial = self.definition.bootstrap != "query" and not self._was_acknowledged(token)
        self._subscribe(
            {"subscriptionID": self.definition.saved}, None if is_initial else token, is_initial,
            may_begin_again=self.definition.bootstrap != "query" and token == self._saved_token)

    def _was_acknowledged(self, token: str) -> bool:
        """Whether a position was acknowledged, and is not the one that it was saved with."""
        return self._snapshots[token].is_acknowledged

    def acknowledge(self) -> None:
        """Says that all is kept that was told up to now."""
        stream = self.stream
        if self.definition.saved is None or stream is None or stream.token is None or not stream.is_whole:
            return
        if self._is_acknowledging or stream.has_parts:
            return
        token = stream.token
        snapshot = self.held.copied()
        snapshot.is_acknowledged = True
        self._snapshots[token] = snapshot
        self._is_acknowledging = True
        self._unanswered.append(token)

        def answered(result: Optional[Json], error: Optional[Json]) -> None:
            self._is_acknowledging = False
            if (result is not None or error is not None) and token in self._unanswered:
                self._unanswered.remove(token)
            if error is not None and error_code(error) != "serviceUnavailable":
                raise Fault("acknowledge", text_of(error)[:500])
            if result is not None and token in self._snapshots:
                self._snapshots = {token: snapshot}

        self._call("acknowledgeChanges", {"subscriptionID": self.definition.saved, "changeToken": token}, answered)

    # MARK: Pushes

    def _receive(self, stream: Stream, method: str, push: Json) -> None:
        if stream is not self.stream:
            # Sent before the service heard that it is not wanted any more.
            return
        try:
            for given in self.tamper(self, push) if self.tamper and method == "recordsChanged" else [push]:
                self._take(stream, method, given)
        except Fault as fault:
            fault.about = self
            raise

    def _take(self, stream: Stream, method: str, push: Json) -> None:
        self.trace.append(f"{method} {text_of(push)[:1200]}")
        if method == "subscriptionEnded":
            if push.get("reason") == "fired" and self.definition.params.get("firesOnce") and stream.has_told:
                return self._begin_again()
            raise Fault("ended", f"the service ended it: {text_of(push)[:500]}")
        self.pushes += 1
        known = stream.position
        for applied in stream.receive(push):
            for change in applied["changes"]:
                self.changes += 1
                if change["origin"]["userRecordName"] is None and not self._has_pruning:
                    raise Fault("origin", f"who deleted it is said not to be kept, and all is: {text_of(change)[:500]}")
                if "record" in change and not applied.get("initial"):
                    # One that is told for what it refers to, or for its place, was not written now.
                    is_own = change["origin"]["isOwn"] and version_of(change["record"]) > known and any(
                        "." not in key and key not in self.held.include for key in change.get("changedKeys", ["stamp"]))
                    self.told.append((
                        key_of(change), change["record"]["recordChangeTag"], is_own, self.client.author,
                        change["record"]["fields"].get("stamp")))
                self._on_change(self, change)
        if not stream.has_parts:
            self.token = stream.token
        if push.get("resync"):
            self._resynchronise(stream)

    def _resynchronise(self, stream: Stream) -> None:
        if not self._has_pruning:
            raise Fault("resync", "changes are said not to be kept, and all are")
        if not isinstance(self.held, HeldRecords):
            raise Fault("resync", "a live result never has to be read anew")
        self.resyncs += 1
        self.held.forget_all()
        if stream.sends_initial or (self._is_saved and self.definition.bootstrap != "query"):
            # The initial records come by themselves.
            self.token = None
            return stream.expect_initial()
        self.unsubscribe()
        self.begin_anew()
        self.attach()

    def _begin_again(self) -> None:
        """It has fired, and goes on from there as another subscription."""
        if self.client.connection is not None and self.id is not None:
            self.client.connection.routes.pop(self.id, None)
        self.stream = self.id = None
        self.attach()

    def unsubscribe(self) -> None:
        """Ends the subscription, and stays where it was."""
        self.is_starting = False
        self._attempt += 1
        identifier, self.id = self.id, None
        connection = self.client.connection
        is_attached = self.stream is not None
        self.stream = None
        self._is_acknowledging = False
        if identifier is None or not is_attached or connection is None or not connection.is_open:
            return
        if self.definition.saved is not None:
            # It has the same name again when it is attached the next time.
            self._call("unsubscribe", {"subscriptionID": identifier}, lambda *_: None)
            return
        self._call("unsubscribe", {"subscriptionID": identifier}, lambda *_: connection.routes.pop(identifier, None))

    def move(self, client: Client) -> None:
        """Attaches a saved subscription over another connection, and leaves the one that it has to the service to end."""
        connection, identifier = self.client.connection, self.id
        if self.stream is None or identifier is None or connection is None or client is self.client:
            return
        if self._unanswered:
            # It might arrive after the other connection has asked for the position.
            return
        ending = {"connection": connection, "reason": None}

        def ended(method: str, push: Json) -> None:
            if method == "subscriptionEnded":
                ending["reason"] = push.get("reason")
                connection.routes.pop(identifier, None)

        connection.routes[identifier] = ended
        self._endings.append(ending)
        self.client.subscribers.remove(self)
        client.subscribers.append(self)
        self.client = client
        self.detached()
        self.attach()

    def has_taken_over(self) -> bool:
        """Whether the connections that it was attached over before were told."""
        self._endings = [
            ending for ending in self._endings
            if ending["connection"].is_open and ending["reason"] != "attachedElsewhere"]
        for ending in self._endings:
            if ending["reason"] is not None:
                raise Fault("ended", f"a subscription that was taken over ended with {ending['reason']}")
        return not self._endings

    def detached(self) -> None:
        """The connection was lost."""
        self.stream = None
        self.id = None
        self.is_starting = False
        self._attempt += 1
        self._is_acknowledging = False
        self.trace.append("the connection was lost")

    @property
    def is_settled(self) -> bool:
        """Whether it is attached and waits for no part of anything."""
        return self.stream is not None and self.stream.is_whole

    def check_told(self) -> None:
        """Once all writes are answered: what was told was written, and by whom it says."""
        for key, tag, is_own, author, stamp in self.told:
            if not self._ledger.is_certain(key):
                continue
            if (key, tag) not in self._ledger.tags:
                fate = self._ledger.fates.get(stamp, "unknown")
                raise Fault("unwritten", f"{key} was told as {tag}, which no write was answered with; the write {stamp} is {fate}")
            version = version_of({"recordChangeTag": tag})
            writers = self._ledger.authors.get(key, {}).get(version, set())
            if is_own and author not in writers:
                raise Fault("isOwn", f"{key} {tag} is told as its own, and another connection wrote it")
        self.told = []
        if isinstance(self.held, HeldRecords):
            self._check_suspects(self.held)

    def _check_suspects(self, held: HeldRecords) -> None:
        """What it wrote alone is not told with `suppressOwn`."""
        suspects, held.suspects = held.suspects, []
        for key, before, after in suspects:
            authors = self._ledger.authors.get(key, {})
            writers = [authors[version] for version in authors if before < version <= after]
            # No client deletes zones: that was somebody else.
            if any(zone == key[0] and before < position <= after for zone, position in self._ledger.zones_deleted):
                continue
            if self._ledger.knows_authors(key, before) and writers and all(who == {self.client.author} for who in writers):
                raise Fault("suppressOwn", f"{key} was told, and nobody else wrote it after version {before}")


_OF_QUERIES = {"recordType", "predicate", "arguments", "zoneName", "desiredKeys", "include"}
