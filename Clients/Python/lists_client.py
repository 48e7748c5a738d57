"""A blocking client of the Lists service, from the standard library alone.

    with ListsClient() as lists:
        milk = lists.save_record("Item", {"name": "Milk", "quantity": 2})
        for record in lists.query("Item", "quantity > %@", [1], sort=["name"]):
            print(record["fields"]["name"])
        for change in lists.subscribe("Item"):
            print(change["reason"], change["recordName"])

One client may be used by several threads at once: each call gets its own reply, and changes go to the
subscription that they belong to. ``Protocol/README.md`` says what the methods do and what records hold.
"""

from __future__ import annotations

import base64
import collections
import collections.abc
import contextlib
import datetime
import functools
import hashlib
import json
import logging
import os
import random
import re
import socket
import stat
import struct
import threading
import time
from typing import Any, BinaryIO, Callable, Iterable, Iterator, Mapping, Optional, Sequence

__all__ = [
    "ListsClient", "Subscription", "LiveList", "LiveRecords", "QueryPage", "ListsError", "ServiceError",
    "SubscriptionEnded", "Unreachable", "ConnectionLost", "ReplyTooLarge", "CallTimeout", "UnknownIndexTitle",
    "ListMismatch", "socket_path", "date", "reference", "location",
]

Json = Any
Record = dict[str, Any]

_log = logging.getLogger("lists_client")
_START_ADVICE = (
    "Start yours with 'systemctl --user enable --now lists.socket', or name a socket with LISTS_SOCKET."
)


class ListsError(Exception):
    """Anything that this client raises about the service."""


class Unreachable(ListsError):
    """There is no service, or none that is to be trusted; nothing was sent."""


class ConnectionLost(ListsError):
    """The connection ended before the reply: the request may have taken effect, or not."""


class CallTimeout(ListsError):
    """No reply came in time: the request may have taken effect, or not."""


class ReplyTooLarge(ListsError):
    """The reply is longer than this client takes. Only this call is concerned."""


class ServiceError(ListsError):
    """The service answered with an error."""

    def __init__(self, error: Mapping[str, Json]) -> None:
        super().__init__(error.get("message", "The service gave no reason."))
        self.code: int = error.get("code", 0)
        #: What is needed to recover; ``Protocol/README.md`` lists its members.
        self.data: Mapping[str, Json] = error.get("data") or {}

    @property
    def error_code(self) -> str:
        """The failure's name, such as ``unknownItem``; tell failures apart by it."""
        return self.data.get("errorCode", "")

    @property
    def retry_after(self) -> Optional[float]:
        """Seconds after which the same request may succeed; None where a retry can't help."""
        return self.data.get("retryAfter")


class SubscriptionEnded(ListsError):
    """The service ended the subscription: its ``reason`` is ``attachedElsewhere`` (another connection attached to
    the saved subscription), ``deleted`` (the saved subscription was deleted, or is now to something else),
    ``databaseRestored`` (a backup was put in the place of the database) or ``containerDeleted``."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the service ended the subscription: {reason}")
        self.reason = reason


class ListMismatch(ListsError):
    """A change that does not fit the rows of a :class:`LiveList`."""


class _Fired(Exception):
    """The subscription has done what it was for."""


class UnknownIndexTitle(ListsError, KeyError):
    """No section of the result has the index title that was looked for."""

    def __init__(self, title: str, known: Sequence[str]) -> None:
        there_are = f"there are {', '.join(known)}" if known else "there are none"
        super().__init__(f"no section has the index title {title!r}; {there_are}")
        self.title = title
        self.known = list(known)

    def __str__(self) -> str:
        return self.args[0]


def date(moment: datetime.datetime) -> dict[str, str]:
    """A date as a field's value. The moment must have a time zone."""
    if moment.tzinfo is None:
        raise ValueError("a date needs a time zone")
    moment = moment.astimezone(datetime.timezone.utc)
    return {"$date": moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"}


def reference(record_name: str, action: str = "none") -> dict[str, dict[str, str]]:
    """A reference to another record as a field's value."""
    return {"$reference": {"recordName": record_name, "action": action}}


def location(latitude: float, longitude: float) -> dict[str, dict[str, float]]:
    """A place, in degrees, as a field's value."""
    return {"$location": {"latitude": latitude, "longitude": longitude}}


def socket_path(environment: Mapping[str, str] = os.environ) -> str:
    """The socket to use: ``$LISTS_SOCKET``, else the caller's own service, else the machine's.

    A runtime folder that is not the caller's own is refused, and nothing is ever looked for in /tmp:
    whoever owns the folder could answer in the service's place.
    """
    if environment.get("LISTS_SOCKET"):
        return environment["LISTS_SOCKET"]
    user = os.getuid()
    tried = []
    folder = environment.get("XDG_RUNTIME_DIR", "")
    if not folder.startswith("/"):
        folder = f"/run/user/{user}"
    if os.path.isdir(folder):
        owner = os.stat(folder).st_uid
        if owner != user:
            raise Unreachable(f"The runtime folder {folder} belongs to user {owner}, not to user {user}.")
        tried.append(f"{folder}/lists/lists.sock")
    tried.append("/run/lists/lists.sock")
    for path in tried:
        if os.path.exists(path):
            return path
    raise Unreachable(f"No Lists service is set up: there is no {' and no '.join(tried)}. {_START_ADVICE}")


def _connect(path: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(path)
        _check_peer(connection, path)
    except OSError as fault:
        connection.close()
        raise Unreachable(f"Can't connect to {path}: {fault.strerror or fault}. {_START_ADVICE}") from fault
    except Unreachable:
        connection.close()
        raise
    return connection


def _check_peer(connection: socket.socket, path: str) -> None:
    """The other end must be the caller's own or root's, or stand in a folder that root gave it.

    For a socket that systemd listens on, the other end is whoever called listen(2): the user's manager
    or PID 1.
    """
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII"))
    _, owner, _ = struct.unpack("iII", credentials)
    if owner in (os.getuid(), 0):
        return
    folder = os.stat(os.path.dirname(path) or ".")
    above = os.stat(os.path.dirname(os.path.dirname(path)) or "/")
    open_to_others = stat.S_IWGRP | stat.S_IWOTH
    if folder.st_uid in (owner, 0) and above.st_uid == 0:
        if not (folder.st_mode | above.st_mode) & open_to_others:
            return
    raise Unreachable(f"{path} is served by user {owner}, who is neither you nor root.")


def _encode_value(value: Any) -> Json:
    if isinstance(value, datetime.datetime):
        return date(value)
    if isinstance(value, (bytes, bytearray)):
        return {"$bytes": base64.b64encode(value).decode()}
    raise TypeError(f"{type(value).__name__} can't be sent")


#: Bytes of a part, where a file goes in parts.
_PART_BYTES = 2 << 20


def _memory_file(parts: Iterable[bytes]) -> BinaryIO:
    """A file in memory with these bytes, at its start."""
    file = os.fdopen(os.memfd_create("lists-asset", os.MFD_CLOEXEC), "w+b")
    try:
        for part in parts:
            file.write(part)
        file.flush()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _descriptor_of(file: BinaryIO) -> Optional[int]:
    """That of a regular file, with everything in it that was written to it; None of anything else."""
    try:
        descriptor = file.fileno()
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        return None
    if file.writable():
        file.flush()
    return descriptor


class _Lines:
    """Splits received bytes into lines; of one that is too long only the beginning is kept."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._scanned = 0
        self._discarded: Optional[bytes] = None
        self._number = 0
        self._descriptors: list[tuple[int, int]] = []

    def append(self, data: bytes, descriptors: Sequence[int] = ()) -> None:
        """Takes what was received, and what came with it: that belongs to the last line that begins in it."""
        self._buffer += data
        line = self._number + 1 + data.count(b"\n", 0, len(data) - 1)
        self._descriptors += [(line, descriptor) for descriptor in descriptors]

    def take_descriptor(self) -> Optional[int]:
        """That of the line that was taken last, the first where there are more."""
        found = None
        while self._descriptors and self._descriptors[0][0] <= self._number:
            descriptor = self._descriptors.pop(0)[1]
            if found is None:
                found = descriptor
            else:
                os.close(descriptor)
        return found

    def close(self) -> None:
        for _, descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors.clear()

    def take(self) -> Optional[tuple[bytes, bool]]:
        """The next line and whether it was too long; None when more must be received first."""
        end = self._buffer.find(b"\n", self._scanned)
        if end < 0:
            self._scanned = len(self._buffer)
            if self._discarded is not None or self._scanned > self._limit:
                if self._discarded is None:
                    self._discarded = bytes(self._buffer[:512])
                self._buffer.clear()
                self._scanned = 0
            return None
        line = bytes(self._buffer[:end])
        self._number += 1
        del self._buffer[: end + 1]
        self._scanned = 0
        if self._discarded is not None:
            line, self._discarded = self._discarded, None
            return line, True
        return line, len(line) > self._limit


class _Pending:
    """A call that waits for its reply."""

    def __init__(self, on_result: Optional[Callable[[Json], None]]) -> None:
        #: What came with the reply, for who waits for it.
        self.file: Optional[BinaryIO] = None
        self.takes_file = False
        self._done = threading.Event()
        self._on_result = on_result
        self._result: Json = None
        self._error: Optional[ListsError] = None

    def finish(self, result: Json = None, error: Optional[ListsError] = None) -> None:
        self._result, self._error = result, error
        # Before the next message is looked at: a push may follow right behind a subscription's reply.
        if error is None and self._on_result:
            self._on_result(result)
        self._done.set()

    def wait(self, timeout: Optional[float]) -> Json:
        if not self._done.wait(timeout):
            raise CallTimeout(f"no reply within {timeout} seconds")
        if self._error:
            raise self._error
        return self._result


class _Connection:
    """One connection: sends requests, and on a thread of its own gives replies and pushes to their owners."""

    def __init__(self, connection: socket.socket, maximum_message_bytes: int) -> None:
        self._socket = connection
        self._limit = maximum_message_bytes
        self._lock = threading.Lock()
        # Whole requests only: a second thread must not write in the middle of one.
        self._send_lock = threading.Lock()
        self._pending: dict[int, _Pending] = {}
        self._subscriptions: dict[str, "_Buffer"] = {}
        self._next_id = 1
        #: The newest call that was answered: the service answers in the order in which it was asked.
        self._last_answered = 0
        self._ended: Optional[str] = None
        threading.Thread(target=self._read, name="lists_client", daemon=True).start()

    def call(
        self, method: str, params: Json, timeout: Optional[float],
        on_result: Optional[Callable[[Json], None]] = None, descriptor: Optional[int] = None,
        pending: Optional[_Pending] = None,
    ) -> Json:
        pending = pending or _Pending(on_result)
        text = json.dumps(
            {"method": method, "params": params}, ensure_ascii=False, allow_nan=False, separators=(",", ":"),
            default=_encode_value)
        rest = text[1:].encode() + b"\n"
        number = None
        try:
            # Numbered where it is sent, so that the numbers have the order of the requests.
            with self._send_lock:
                number = self._enter(pending)
                self._send(b'{"jsonrpc":"2.0","id":%d,' % number + rest, descriptor)
            return pending.wait(timeout)
        finally:
            with self._lock:
                self._pending.pop(number, None)

    def _enter(self, pending: _Pending) -> int:
        with self._lock:
            if self._ended is not None:
                raise ConnectionLost(f"the connection was lost: {self._ended}")
            number = self._next_id
            self._next_id += 1
            self._pending[number] = pending
            return number

    def _send(self, data: bytes, descriptor: Optional[int]) -> None:
        try:
            if descriptor is not None:
                data = data[socket.send_fds(self._socket, [data], [descriptor]):]
            self._socket.sendall(data)
        except OSError as fault:
            raise ConnectionLost(f"the connection was lost: {fault.strerror or fault}") from fault

    def route(self, subscription_id: str, buffer: "_Buffer") -> None:
        with self._lock:
            self._subscriptions[subscription_id] = buffer

    def unroute(self, subscription_id: str) -> None:
        with self._lock:
            self._subscriptions.pop(subscription_id, None)

    def close(self) -> None:
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _read(self) -> None:
        lines = _Lines(self._limit)
        reason = "the service closed it"
        try:
            while True:
                data, descriptors, _, _ = socket.recv_fds(self._socket, 1 << 18, 1, socket.MSG_CMSG_CLOEXEC)
                if not data:
                    break
                lines.append(data, descriptors)
                while item := lines.take():
                    self._take(item, lines.take_descriptor())
        except OSError as fault:
            reason = fault.strerror or str(fault)
        finally:
            lines.close()
            self._end(reason)

    def _take(self, item: tuple[bytes, bool], descriptor: Optional[int]) -> None:
        line, is_too_large = item
        if is_too_large:
            self._handle_too_large(line)
        elif self._handle(line, descriptor):
            return
        if descriptor is not None:
            os.close(descriptor)

    def _end(self, reason: str) -> None:
        with self._lock:
            self._ended = reason
            pending, self._pending = self._pending, {}
            subscriptions, self._subscriptions = self._subscriptions, {}
        for call in pending.values():
            call.finish(error=ConnectionLost(f"the connection was lost: {reason}"))
        for buffer in subscriptions.values():
            buffer.end(ConnectionLost(f"the connection was lost: {reason}"))
        self._socket.close()

    def _take_pending(self, number: Json, is_error: bool = False) -> Optional[_Pending]:
        with self._lock:
            if number is None and is_error:
                # The service read no id, as of a request that is too large for it: the next one in order.
                number = self._last_answered + 1
            # True and 1.0 equal 1 in Python; an id of another type is still another id.
            if type(number) is not int or not 0 < number < self._next_id:
                return None
            self._last_answered = max(self._last_answered, number)
            return self._pending.pop(number, None)

    def _handle(self, line: bytes, descriptor: Optional[int] = None) -> bool:
        """Whether somebody took the descriptor."""
        if not line.strip():
            return False
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as fault:
            _log.warning("ignored a message that is not JSON: %s", fault)
            return False
        if not isinstance(message, dict):
            _log.warning("ignored a message that is no reply")
        elif "method" in message:
            self._notify(message["method"], message.get("params") or {})
        else:
            pending = self._take_pending(message.get("id"), "error" in message)
            if pending is None:
                _log.warning("ignored a reply with the unknown id %r", message.get("id"))
            elif "error" in message:
                pending.finish(error=ServiceError(message["error"] or {}))
            else:
                is_taken = pending.takes_file and descriptor is not None
                if is_taken:
                    pending.file = os.fdopen(descriptor, "rb")
                pending.finish(message.get("result"))
                return is_taken
        return False

    def _notify(self, method: str, params: Mapping[str, Json]) -> None:
        subscription_id = params.get("subscriptionID")
        with self._lock:
            buffer = self._subscriptions.get(subscription_id) if isinstance(subscription_id, str) else None
        if buffer is None:
            _log.warning("ignored %s of the unknown subscription %r", method, subscription_id)
        elif method == "recordsChanged":
            buffer.append(params)
        elif method == "subscriptionEnded":
            self.unroute(subscription_id)
            reason = params.get("reason")
            if reason == "fired":
                buffer.end(_Fired())
            elif reason is not None and "error" not in params:
                buffer.end(SubscriptionEnded(reason))
            else:
                buffer.end(ServiceError(params.get("error") or {}))

    def _handle_too_large(self, beginning: bytes) -> None:
        error = ReplyTooLarge(f"too large: more than the {self._limit} bytes that are accepted")
        # The service writes the id before the result.
        heading = beginning.split(b'"result":')[0]
        number = re.search(rb'"id":(\d+)', heading)
        subscription = re.search(rb'"subscriptionID":"([^"\\]*)"', heading)
        pending = self._take_pending(int(number[1])) if number else None
        if pending:
            pending.finish(error=error)
        elif subscription:
            with self._lock:
                buffer = self._subscriptions.pop(subscription[1].decode(), None)
            if buffer:
                buffer.end(error)
        else:
            _log.warning("discarded a message of more than %d bytes", self._limit)


class _Buffer:
    """The pushes of a subscription that were not taken yet; beyond its bound only that there were more."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._condition = threading.Condition()
        self._pushes: collections.deque[Mapping[str, Json]] = collections.deque()
        self._gap = False
        self._error: Optional[Exception] = None

    def append(self, push: Mapping[str, Json]) -> None:
        with self._condition:
            if len(self._pushes) >= self._limit:
                self._gap = True
            if not self._gap:
                self._pushes.append(push)
            self._condition.notify()

    def end(self, error: Exception) -> None:
        with self._condition:
            self._error = self._error or error
            self._condition.notify()

    def take(self, timeout: Optional[float]) -> Optional[Mapping[str, Json]]:
        """The next push; None for a gap. Raises TimeoutError, or what ended the subscription."""
        with self._condition:
            ready = lambda: self._pushes or self._gap or self._error
            if not self._condition.wait_for(ready, timeout):
                raise TimeoutError
            if self._pushes:
                return self._pushes.popleft()
            if self._gap:
                return None
            assert self._error is not None
            raise self._error


class Subscription:
    """The changes of one subscription: an iterator, for one thread at a time.

    A change is a dict with ``reason`` (``created``, ``updated``, ``entered``, ``left``, ``deleted``),
    ``recordName``, ``recordType``, ``zoneName``, ``record`` and more; ``included`` has what its push brought along.
    The reason ``reset`` says that changes were missed which are no longer kept: forget what you hold; with
    ``initial`` the matching records follow, otherwise fetch them again. ``zoneDeleted`` names a zone that was
    deleted, and ``count`` has the ``count`` of a subscription that only counts.

    Changes that are taken too slowly are read again from the service's log of changes; none is lost. A token that
    has expired is never tried again.
    """

    def __init__(self, client: "ListsClient", params: dict[str, Json], initial: bool, limit: int) -> None:
        self._client = client
        self._params = params
        self._initial = initial
        self._limit = limit
        window = {"sortDescriptors", "sectionNameKey", "resultsLimit", "countOnly", "subscriptionID"}
        self._goes_on_from_tokens = not window & set(params)
        self._id: Optional[str] = None
        self._changes: collections.deque[dict[str, Json]] = collections.deque()
        self._queued: collections.deque[Mapping[str, Json]] = collections.deque()
        self._closed = False
        self._asks_for_initial = self._within_initial = self._holds_records = self._has_fired = False
        self._token: Optional[str] = params.get("since")
        self._token_after_changes: Optional[str] = None
        if self._token is not None and initial:
            self._resume()
        else:
            self._subscribe(self._token, initial)

    def _subscribe(self, since: Optional[str], initial: bool) -> None:
        params = {key: value for key, value in self._params.items() if key != "since"}
        if since is not None:
            params["since"] = since
        if initial:
            params["sendInitial"] = True
        self._asks_for_initial, self._within_initial = initial, False
        self._buffer = buffer = _Buffer(self._limit)
        connection = self._client._open()
        reply = connection.call(
            "subscribe", params, self._client.timeout,
            on_result=lambda result: connection.route(result["subscriptionID"], buffer))
        self._connection = connection
        self._id = reply["subscriptionID"]
        if since is None and not initial:
            self._token = reply["changeToken"]

    @property
    def change_token(self) -> Optional[str]:
        """The token behind the last push whose changes were all given out: ``since`` of a later subscription.

        None while the initial records are not all given out.
        """
        if self._changes or self._queued or self._token_after_changes is None:
            return self._token
        return self._token_after_changes

    def __iter__(self) -> Iterator[dict[str, Json]]:
        return self

    def __next__(self) -> dict[str, Json]:
        change = self.next_change()
        if change is None:
            raise StopIteration
        return change

    def next_change(self, timeout: Optional[float] = None) -> Optional[dict[str, Json]]:
        """The next change; None when the subscription was closed, or has fired once. Raises TimeoutError."""
        while not self._changes:
            push = self.next_push(timeout)
            if push is None:
                return None
            self._changes.extend(_changes_of(push))
        return self._changes.popleft()

    def next_push(self, timeout: Optional[float] = None) -> Optional[Mapping[str, Json]]:
        """The next push whole, as received, or ``{"reset": True}``; otherwise as :meth:`next_change`.

        Asking for the next one says that the one before was taken in.
        """
        if not self._queued and self._token_after_changes is not None:
            self._token, self._token_after_changes = self._token_after_changes, None
        while True:
            if self._queued:
                return self._queued.popleft()
            if self._closed:
                return None
            try:
                push = self._buffer.take(timeout)
            except _Fired:
                self._id, self._closed = None, True
            except ConnectionLost:
                if self._closed or self._has_fired:
                    return None
                if not self._client.reconnects:
                    raise
                self._reconnect()
            else:
                if push is None:
                    self._unsubscribe_and_resume()
                elif push.get("resync"):
                    self._take_resync(push)
                else:
                    self._take(push)

    def _take(self, push: Mapping[str, Json]) -> None:
        initial, continued = bool(push.get("initial")), bool(push.get("moreComing"))
        if initial and not self._within_initial and self._holds_records:
            self._queued.append({"reset": True})
            self._holds_records = False
        if initial or self._within_initial:
            # What becomes of them before all are told is a part of the beginning.
            self._within_initial = continued or not initial
        if push["changes"]:
            self._holds_records = True
            self._has_fired = bool(self._params.get("firesOnce")) and not initial and not continued
        self._queued.append(push)
        # Of a part of a commit it is the position before that commit; initial records come again, all of them.
        if self._within_initial:
            self._token = self._token_after_changes = None
        else:
            self._token_after_changes = push["changeToken"]

    def _take_resync(self, push: Mapping[str, Json]) -> None:
        if self._initial and self._goes_on_from_tokens and not self._asks_for_initial:
            self._unsubscribe()
            self._begin_anew(push["changeToken"])
            return
        # Where this subscription asked for the initial records they follow by themselves; whether a saved one
        # did is not known here.
        follows = self._asks_for_initial or "subscriptionID" in self._params
        self._token = None if follows else push["changeToken"]
        self._within_initial = self._holds_records = False
        self._queued.append({"reset": True})

    def _begin_anew(self, token: Optional[str]) -> None:
        self._queued.append({"reset": True})
        self._holds_records = False
        self._token = None if self._initial else token
        self._subscribe(self._token, self._initial)

    def _resume(self) -> None:
        if self._token is None or not self._goes_on_from_tokens:
            # Where some of the records that there are were taken they come again, all of them.
            self._subscribe(None, self._initial)
            return
        try:
            self._subscribe(self._token, False)
        except ServiceError as error:
            if error.error_code != "changeTokenExpired":
                raise
            # The old token is never tried again.
            self._id = None
            self._begin_anew(error.data.get("changeToken"))

    def acknowledge(self) -> None:
        """Tells the service that what was taken so far was taken in: a saved subscription goes on behind it."""
        token = self.change_token
        if token is None or "subscriptionID" not in self._params:
            return
        try:
            self._connection.call(
                "acknowledgeChanges", {**self._params, "changeToken": token}, self._client.timeout)
        except ConnectionLost:
            if not self._client.reconnects:
                raise  # Otherwise what was not acknowledged comes again.

    def _unsubscribe_and_resume(self) -> None:
        self._unsubscribe()
        self._resume()

    def _reconnect(self) -> None:
        delay = 0.1
        self._id = None
        while not self._closed:
            try:
                self._resume()
                return
            except (Unreachable, ConnectionLost) as fault:
                _log.info("connecting again: %s", fault)
            except ServiceError as error:
                if error.retry_after is None:
                    raise
            # Apart from each other, so that many clients don't all come at once.
            time.sleep(delay * random.uniform(0.5, 1))
            delay = min(delay * 2, 5)

    def _unsubscribe(self) -> None:
        subscription_id, self._id = self._id, None
        if subscription_id is None:
            return
        self._connection.unroute(subscription_id)
        try:
            self._connection.call("unsubscribe", {"subscriptionID": subscription_id}, self._client.timeout)
        except ListsError:
            pass  # It ended by itself, or with the connection.

    def close(self) -> None:
        """Ends the subscription; an iteration that waits ends too."""
        self._closed = True
        self._buffer.end(ConnectionLost("the subscription was closed"))
        self._unsubscribe()

    def __enter__(self) -> "Subscription":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _changes_of(push: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    if push.get("reset"):
        yield {"reason": "reset"}
        return
    for change in push["changes"]:
        if push.get("initial"):
            change["initial"] = True
        if "included" in push:
            change["included"] = push["included"]
        yield change
    for zone in push.get("deletedZones", ()):
        yield {"reason": "zoneDeleted", "zoneName": zone}
    if "count" in push:
        yield {"reason": "count", "count": push["count"]}


class LiveList:
    """The rows of a window, kept up: iterate to take in what happens, and look at ``records`` meanwhile.

    ``for steps in LiveList(client.subscribe("Item", sort="name"))`` gives for each push the steps ``(from, to)``
    of its changes, to be applied one after another: first taken away at ``from``, then put in at ``to``; None
    where there is no such row. Steps are None for a reset, which empties the list.
    """

    def __init__(self, subscription: Subscription) -> None:
        self.subscription = subscription
        #: The records, in order.
        self.records: list[Record] = []
        #: The section of each row: a dict with ``name`` and ``indexTitle``, or None.
        self.sections: list[Optional[dict[str, str]]] = []

    def __iter__(self) -> Iterator[Optional[list[tuple[Optional[int], Optional[int]]]]]:
        while (push := self.subscription.next_push()) is not None:
            yield self.apply(push)

    def apply(self, push: Mapping[str, Json]) -> Optional[list[tuple[Optional[int], Optional[int]]]]:
        """Takes in a push. Raises :class:`ListMismatch` for a change that does not fit."""
        if push.get("reset"):
            self.records, self.sections = [], []
            return None
        return [self._apply(change) for change in push["changes"]]

    def _apply(self, change: Mapping[str, Json]) -> tuple[Optional[int], Optional[int]]:
        start, end = change.get("from"), change.get("to")
        name = (change["recordName"], change["zoneName"])
        if start is not None:
            if not 0 <= start < len(self.records) or _name(self.records[start]) != name:
                raise ListMismatch(f"{name[0]!r} is not in row {start}")
            del self.records[start], self.sections[start]
        if end is not None:
            if not 0 <= end <= len(self.records):
                raise ListMismatch(f"there is no row {end} for {name[0]!r}")
            self.records.insert(end, change["record"])
            self.sections.insert(end, change.get("section"))
        if start is None and end is None:
            raise ListMismatch(f"the change of {name[0]!r} has no row")
        return start, end


class LiveRecords:
    """The records of a subscription with ``initial``, kept up: ``records`` has them by (recordName, zoneName).

    Iterating gives for each push ``(changed, gone)``: records that are new or other than before, and the names of
    those that are deleted or match no longer. After a reset what is held stays until all that there is has come
    again; what has not come by then is gone.
    """

    def __init__(self, subscription: Subscription, records: Iterable[Record] = ()) -> None:
        self.subscription = subscription
        self.records: dict[tuple[str, str], Record] = {_name(record): record for record in records}
        self._stale: Optional[set[tuple[str, str]]] = None

    def __iter__(self) -> Iterator[tuple[list[Record], list[tuple[str, str]]]]:
        while (push := self.subscription.next_push()) is not None:
            yield self.apply(push)

    def apply(self, push: Mapping[str, Json]) -> tuple[list[Record], list[tuple[str, str]]]:
        """Takes in a push, or a page of :meth:`ListsClient.fetch_changes`."""
        if push.get("reset"):
            self._stale = set(self.records)
        changed: list[Record] = []
        gone: list[tuple[str, str]] = []
        for change in push.get("changes", ()):
            name = (change["recordName"], change["zoneName"])
            if self._stale is not None:
                self._stale.discard(name)
            if change["reason"] in ("deleted", "left"):
                if self.records.pop(name, None) is not None:
                    gone.append(name)
            elif self.records.get(name) != change["record"]:
                self.records[name] = change["record"]
                changed.append(change["record"])
        is_last = not push.get("moreComing") and (push.get("initial") or "subscriptionID" not in push)
        if self._stale is not None and is_last and "changes" in push:
            gone += [name for name in self._stale if self.records.pop(name, None) is not None]
            self._stale = None
        return changed, gone


def _name(record: Record) -> tuple[str, str]:
    return record["recordName"], record["zoneName"]


class QueryPage:
    """A page of a query's result."""

    def __init__(self, result: Mapping[str, Json]) -> None:
        #: The reply's result, as received.
        self.result = result
        self.records: list[Record] = result["records"]
        #: Where the next page begins; None when there is none.
        self.cursor: Optional[str] = result.get("cursor")
        #: The position of the snapshot that was read: a subscription since it misses nothing.
        self.change_token: str = result["changeToken"]
        #: Sections of the whole result: dicts with ``name``, ``indexTitle``, ``numberOfRecords``, ``offset``.
        self.sections: list[dict[str, Json]] = result.get("sections", [])
        #: The titles of the sections in order, each once.
        self.section_index_titles: list[str] = result.get("sectionIndexTitles", [])
        #: How the records were found; None when that was not asked for.
        self.plan: Optional[dict[str, Json]] = result.get("plan")
        self._included = {
            (entry["zoneName"], entry["recordName"]): entry["record"] for entry in result.get("included", [])}

    def section_for_index_title(self, title: str) -> dict[str, Json]:
        """The first section with that index title. Raises :class:`UnknownIndexTitle` when there is none."""
        for section in self.sections:
            if section["indexTitle"] == title:
                return section
        raise UnknownIndexTitle(title, self.section_index_titles)

    def included(self, value: Mapping[str, Json], holder: Record) -> Optional[Record]:
        """The record that a reference in a field of ``holder`` leads to, where it came along."""
        target = value["$reference"]
        return self._included.get((target.get("zoneName", holder["zoneName"]), target["recordName"]))


class ListsClient:
    """A connection to the service, for any number of threads.

    :param path: The socket; found by :func:`socket_path` when omitted.
    :param timeout: Seconds to wait for a reply; None for ever.
    :param reconnects: A lost connection is made anew: subscriptions go on where they were, and the next call
        goes over it. A call that was lost is not repeated, since what it did is not known.
    :param maximum_message_bytes: The most bytes of a reply or push; twice the service's default.
    """

    def __init__(
        self, path: Optional[str] = None, *, container: Optional[str] = None,
        database: Optional[str] = None, timeout: Optional[float] = None, reconnects: bool = True,
        maximum_message_bytes: int = 64 << 20, connection: Optional[socket.socket] = None,
    ) -> None:
        self.timeout = timeout
        self.reconnects = reconnects and connection is None
        self._path = path
        self._maximum_message_bytes = maximum_message_bytes
        self._place = {
            name: value for name, value in (("container", container), ("database", database)) if value}
        self._lock = threading.Lock()
        self._closed = False
        self._connection = _Connection(
            connection or _connect(path or socket_path()), maximum_message_bytes)

    def _open(self) -> _Connection:
        """The connection; a new one when it was lost and this client connects again."""
        with self._lock:
            if self._connection._ended is not None and self.reconnects and not self._closed:
                self._connection = _Connection(
                    _connect(self._path or socket_path()), self._maximum_message_bytes)
            return self._connection

    def close(self) -> None:
        """Closes the connection: waiting calls fail, and iterations of subscriptions too."""
        self._closed = True
        self.reconnects = False
        self._connection.close()

    def __enter__(self) -> "ListsClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, method: str, params: Json = None, *, timeout: Optional[float] = None) -> Json:
        """Calls any method and returns its result."""
        return self._open().call(method, params, self.timeout if timeout is None else timeout)

    def _call(self, method: str, **params: Json) -> Json:
        given = {name: value for name, value in params.items() if value is not None}
        return self.call(method, {**given, **self._place})

    def server_info(self) -> dict[str, Json]:
        """The service's version, limits and capabilities."""
        return self._call("serverInfo")

    def save_asset(self, file: str | os.PathLike[str] | bytes | BinaryIO) -> dict[str, Json]:
        """Saves a file, named by its path or open, or bytes, and returns the value that a field gets by it.

        Of an open file what counts is the whole file, from its start, where it is a regular one, and otherwise
        what can be read from it.
        """
        with contextlib.ExitStack() as stack:
            source: BinaryIO
            if isinstance(file, (bytes, bytearray)):
                source = stack.enter_context(_memory_file([bytes(file)]))
            elif isinstance(file, (str, os.PathLike)):
                source = stack.enter_context(open(file, "rb"))
            else:
                source = file
            descriptor = _descriptor_of(source)
            if descriptor is None:
                source = stack.enter_context(_memory_file(iter(functools.partial(source.read, 1 << 18), b"")))
                descriptor = source.fileno()
            return self._save_file(descriptor)

    def _save_file(self, descriptor: int) -> dict[str, Json]:
        size = os.fstat(descriptor).st_size
        params = {"size": size, "descriptor": True, **self._place}
        try:
            reply = self._open().call("saveAsset", params, self.timeout, descriptor=descriptor)
        except ServiceError as error:
            if error.data.get("parameter") != "descriptor" or error.data.get("reason") != "missing":
                raise
            # Something between passes bytes only.
            reply = self._save_parts(descriptor, size)
        return {"$asset": reply["asset"]}

    def _save_parts(self, descriptor: int, size: int) -> dict[str, Json]:
        params: dict[str, Json] = {"size": size}
        offset = 0
        while True:
            part = os.pread(descriptor, _PART_BYTES, offset)
            reply = self._call("saveAsset", **params, offset=offset, data=base64.b64encode(part).decode())
            if "asset" in reply:
                return reply
            if not part:
                raise ListsError("the file got shorter while it was sent")
            params = {"uploadID": reply["uploadID"]}
            offset = reply["offset"]

    def open_asset(self, asset: str | Mapping[str, Json]) -> BinaryIO:
        """The file of an asset, named by its checksum or the value of a field, open for reading; to be closed.

        Its content is not compared with the checksum.
        """
        checksum = asset if isinstance(asset, str) else asset["$asset"]["checksum"]
        pending = _Pending(None)
        pending.takes_file = True
        params = {"checksum": checksum, "descriptor": True, **self._place}
        size = self._open().call("fetchAsset", params, self.timeout, pending=pending)["size"]
        return pending.file or _memory_file(self._fetch_parts(checksum, size))

    def _fetch_parts(self, checksum: str, size: int) -> Iterator[bytes]:
        offset = 0
        while offset < size:
            part = base64.b64decode(self._call("fetchAsset", checksum=checksum, offset=offset)["data"])
            if not part:
                raise ListsError("the asset's file is shorter than it was")
            yield part
            offset += len(part)

    def fetch_asset(self, asset: str | Mapping[str, Json]) -> bytes:
        """The content of an asset, named by its checksum or the value of a field."""
        checksum = asset if isinstance(asset, str) else asset["$asset"]["checksum"]
        with self.open_asset(checksum) as file:
            content = file.read()
        if hashlib.sha256(content).hexdigest() != checksum:
            raise ListsError("the asset's content is not what its checksum says: it was damaged")
        return content

    def save_record(
        self, record: str | Record, fields: Optional[Mapping[str, Any]] = None, *,
        name: Optional[str] = None, tag: Optional[str] = None, zone: Optional[str] = None,
        policy: Optional[str] = None, idempotency_key: Optional[str] = None,
    ) -> Record:
        """Saves a record, given whole or by its type and fields, and returns it as it is now.

        :param idempotency_key: Sent again with the same key, it is answered again and not done again.
        """
        if isinstance(record, str):
            named = {"recordName": name, "recordChangeTag": tag, "zoneName": zone}
            record = {
                "recordType": record, **{key: value for key, value in named.items() if value is not None},
                "fields": dict(fields or {})}
        return self._call("saveRecord", record=record, savePolicy=policy, idempotencyKey=idempotency_key)["record"]

    def fetch_record(
        self, name: str, *, record_type: Optional[str] = None, zone: Optional[str] = None,
        keys: Optional[Sequence[str]] = None,
    ) -> Record:
        """The record of that name. Raises ServiceError (``unknownItem``) when there is none."""
        return self._call(
            "fetchRecord", recordName=name, recordType=record_type, zoneName=zone,
            desiredKeys=_keys("keys", keys))["record"]

    def fetch_records(
        self, names: Sequence[str], *, zone: Optional[str] = None, keys: Optional[Sequence[str]] = None,
    ) -> list[Record | ServiceError]:
        """Each record in the order asked for, or the error in its place."""
        reply = self._call("fetchRecords", recordNames=_values("names", names), zoneName=zone, desiredKeys=_keys("keys", keys))
        return [
            result["record"] if "record" in result else ServiceError(result["error"])
            for result in reply["results"]]

    def delete_record(
        self, name: str, *, zone: Optional[str] = None, tag: Optional[str] = None,
        ignore_missing: bool = False, idempotency_key: Optional[str] = None,
    ) -> bool:
        """Deletes a record; False when it wasn't there and that may be."""
        reply = self._call(
            "deleteRecord", recordName=name, zoneName=zone, recordChangeTag=tag,
            ignoreMissing=ignore_missing or None, idempotencyKey=idempotency_key)
        return reply["deleted"]

    def modify_records(
        self, operations: Iterable[Mapping[str, Json]], *, atomic: bool = True,
        idempotency_key: Optional[str] = None,
    ) -> list[Json]:
        """Several changes, in order: all or none, or each for itself. Returns one result for each."""
        return self._call(
            "modifyRecords", operations=_values("operations", operations), atomic=atomic,
            idempotencyKey=idempotency_key)["results"]

    def query(
        self, record_type: str, predicate: Optional[str] = None, arguments: Optional[Sequence[Json]] = None,
        *, variables: Optional[Mapping[str, Json]] = None, filter_by: Optional[Sequence[Json]] = None,
        sort: Optional[Sequence[str | Mapping[str, Json]]] = None, limit: Optional[int] = None,
        keys: Optional[Sequence[str]] = None, zone: Optional[str] = None, page_size: int = 1000,
    ) -> Iterator[Record]:
        """The matching records, fetched page by page. A sort key is ``name``, ``-name``, or a descriptor.

        Where a list of keys is asked for, one key may stand alone: ``sort="-name"``.
        """
        cursor = None
        left = limit
        while left is None or left > 0:
            page = self.query_page(
                record_type, predicate, arguments, variables=variables, filter_by=filter_by, sort=sort, keys=keys,
                zone=zone, cursor=cursor, limit=page_size if left is None else min(left, page_size))
            yield from page.records
            left = None if left is None else left - len(page.records)
            cursor = page.cursor
            if cursor is None:
                return

    def query_page(
        self, record_type: str, predicate: Optional[str] = None, arguments: Optional[Sequence[Json]] = None,
        *, variables: Optional[Mapping[str, Json]] = None, filter_by: Optional[Sequence[Json]] = None,
        sort: Optional[Sequence[str | Mapping[str, Json]]] = None, sort_by: Optional[Sequence[Json]] = None,
        keys: Optional[Sequence[str]] = None, limit: Optional[int] = None, cursor: Optional[str] = None,
        zone: Optional[str] = None, section_by: Optional[str] = None, index_title: Optional[str] = None,
        from_index_title: Optional[str] = None, include: Optional[Sequence[str]] = None, explain: bool = False,
    ) -> "QueryPage":
        """One page of the matching records, with what was asked for beside them.

        :param cursor: From the page before, of the same query.
        :param section_by: The key whose values make the sections; ``index_title`` says how a title comes from it.
        :param include: Key paths to references, whose records come along.
        :param explain: Have :attr:`QueryPage.plan` tell how the records were found.
        """
        return QueryPage(self._call(
            "performQuery", **self._selection(record_type, predicate, arguments, variables, filter_by, zone, explain),
            sortDescriptors=[_descriptor(key) for key in _keys("sort", sort) or ()] or None,
            sortBy=_keys("sort_by", sort_by), desiredKeys=_keys("keys", keys),
            resultsLimit=limit, cursor=cursor, sectionNameKey=section_by, sectionIndexTitle=index_title,
            include=_keys("include", include), fromIndexTitle=from_index_title))

    def explain(
        self, record_type: str, predicate: Optional[str] = None, arguments: Optional[Sequence[Json]] = None,
        **options: Any,
    ) -> dict[str, Json]:
        """How :meth:`query_page` with the same parameters finds its records."""
        plan = self.query_page(record_type, predicate, arguments, **options, explain=True).plan
        assert plan is not None
        return plan

    def count(
        self, record_type: str, predicate: Optional[str] = None, arguments: Optional[Sequence[Json]] = None,
        *, variables: Optional[Mapping[str, Json]] = None, filter_by: Optional[Sequence[Json]] = None,
        zone: Optional[str] = None,
    ) -> int:
        """How many records match."""
        selection = self._selection(record_type, predicate, arguments, variables, filter_by, zone)
        return self._call("countRecords", **selection)["count"]

    def distinct(
        self, record_type: str, key: str, predicate: Optional[str] = None,
        arguments: Optional[Sequence[Json]] = None, *, variables: Optional[Mapping[str, Json]] = None,
        filter_by: Optional[Sequence[Json]] = None, zone: Optional[str] = None, limit: Optional[int] = None,
        page_size: int = 1000,
    ) -> Iterator[tuple[Json, int]]:
        """The values under a key, in sort order, each with the number of records that have it.

        None stands for the records without one.
        """
        selection = self._selection(record_type, predicate, arguments, variables, filter_by, zone)
        cursor = None
        left = limit
        while left is None or left > 0:
            page = self._call(
                "distinctValues", key=key, **selection, cursor=cursor,
                resultsLimit=page_size if left is None else min(left, page_size))
            for entry in page["values"]:
                yield entry["value"], entry["count"]
            left = None if left is None else left - len(page["values"])
            cursor = page.get("cursor")
            if cursor is None:
                return

    def aggregate(
        self, record_type: str, aggregates: Sequence[str | Mapping[str, Json]] = ("count",),
        predicate: Optional[str] = None, arguments: Optional[Sequence[Json]] = None, *,
        group_by: Optional[Sequence[str]] = None, variables: Optional[Mapping[str, Json]] = None,
        filter_by: Optional[Sequence[Json]] = None, zone: Optional[str] = None, limit: Optional[int] = None,
    ) -> list[dict[str, Json]]:
        """Counts, sums, averages and extremes, by group: dicts with ``group`` and ``values``.

        An aggregate is ``count``, ``sum:size`` (or ``avg``, ``min``, ``max``), which is its name in ``values`` too,
        or the protocol's own object.
        """
        return self._call(
            "aggregateRecords", **self._selection(record_type, predicate, arguments, variables, filter_by, zone),
            aggregates=[_aggregate(item) for item in _keys("aggregates", aggregates) or ()],
            groupBy=_keys("group_by", group_by), resultsLimit=limit)["groups"]

    def schema(self, record_type: Optional[str] = None) -> list[dict[str, Json]]:
        """The record types, or one of them, with their fields and indexes."""
        return self._call("fetchSchema", recordType=record_type)["recordTypes"]

    def save_record_type(
        self, name: str, *, fields: Optional[Mapping[str, str | Mapping[str, Json]]] = None,
        indexes: Optional[Sequence[Sequence[str] | Mapping[str, Json]]] = None,
        automatic_indexes: Optional[bool] = None, rename: Optional[Mapping[str, str]] = None,
        retype: Optional[Mapping[str, str]] = None, drop: Optional[Sequence[str]] = None, accept_loss: bool = False,
        dry_run: bool = False,
    ) -> dict[str, Json]:
        """Declares fields, rules and indexes of a record type; what is left out stays as it is. Gives the type.

        :param fields: By their names: a type, or the protocol's ``{"type": …, "indexes": […], "min": …}``.
        :param indexes: Those over several keys, each a sequence of keys, in place of those that are declared.
        :param rename: New names of fields that there are, by the old ones.
        :param retype: New types, by the names after renaming. Every record is changed.
        :param drop: Fields that no record has any more.
        :param accept_loss: Whether values may be lost by that; refused otherwise.
        :param dry_run: Does nothing and gives a report of what would be done.
        """
        declaration: dict[str, Json] = {"name": name}
        if fields is not None:
            declaration["fields"] = {
                field: {"type": what} if isinstance(what, str) else what for field, what in fields.items()}
        if indexes is not None:
            declaration["indexes"] = [
                index if isinstance(index, collections.abc.Mapping) else {"keys": _keys("indexes", index)}
                for index in _values("indexes", indexes) or ()]
        if automatic_indexes is not None:
            declaration["automaticIndexes"] = automatic_indexes
        changes: dict[str, Json] = {
            name: what for name, what in
            {"rename": rename, "retype": retype, "drop": _values("drop", drop)}.items() if what}
        reply = self._call(
            "saveRecordType", recordType=declaration, changes=changes or None, dryRun=dry_run or None,
            acceptLoss=accept_loss or None)
        return reply["report" if dry_run else "recordType"]

    def delete_record_type(self, name: str) -> None:
        """Forgets a record type, which must have no records."""
        self._call("deleteRecordType", recordType=name)

    @staticmethod
    def _selection(
        record_type: str, predicate: Optional[str], arguments: Optional[Sequence[Json]],
        variables: Optional[Mapping[str, Json]], filter_by: Optional[Sequence[Json]], zone: Optional[str],
        explain: bool = False,
    ) -> dict[str, Json]:
        """The parameters that say which records are meant."""
        return {
            "recordType": record_type, "predicate": predicate, "arguments": _values("arguments", arguments) or None,
            "variables": variables or None, "filterBy": _keys("filter_by", filter_by), "zoneName": zone,
            "explain": explain or None,
        }

    def subscribe(
        self, record_type: Optional[str] = None, predicate: Optional[str] = None,
        arguments: Optional[Sequence[Json]] = None, *, since: Optional[str] = None, initial: bool = False,
        suppress_own: bool = False, sort: Optional[Sequence[str | Mapping[str, Json]]] = None,
        section_by: Optional[str] = None, index_title: Optional[str] = None, limit: Optional[int] = None,
        count_only: bool = False, saved: Optional[str] = None, buffered_pushes: int = 1000, **filters: Any,
    ) -> Subscription:
        """The changes of the matching records from now on, or since a token, or after the records of now.

        :param initial: Begin with the records that match; with ``since`` only once that is no longer kept.
        :param sort: Makes it a window, as do ``section_by`` and ``limit``: see :class:`LiveList`.
        :param count_only: Only how many records match.
        :param saved: Attach to the saved subscription of that name; nothing else is given beside it.
        :param filters: ``variables``, ``filter_by``, ``zone``, ``record`` (the name of one), ``fires_on``, ``once``,
            ``keys``, ``include``, ``watch_keys``, ``previous``.
        """
        params = {
            **self._definition(record_type, predicate, arguments, **filters), "since": since,
            "suppressOwn": suppress_own or None,
            "sortDescriptors": [_descriptor(key) for key in _keys("sort", sort) or ()] or None,
            "sectionNameKey": section_by, "sectionIndexTitle": index_title, "resultsLimit": limit,
            "countOnly": count_only or None, "subscriptionID": saved,
        }
        given = {name: value for name, value in params.items() if value is not None}
        return Subscription(self, {**given, **self._place}, initial, buffered_pushes)

    @staticmethod
    def _definition(
        record_type: Optional[str], predicate: Optional[str], arguments: Optional[Sequence[Json]], *,
        variables: Optional[Mapping[str, Json]] = None, filter_by: Optional[Sequence[Json]] = None,
        zone: Optional[str] = None, record: Optional[str] = None, fires_on: Optional[Sequence[str]] = None,
        once: bool = False, keys: Optional[Sequence[str]] = None, include: Optional[Sequence[str]] = None,
        watch_keys: Optional[Sequence[str]] = None, previous: bool = False,
    ) -> dict[str, Json]:
        """The parameters that say what is told of."""
        return {
            "recordType": record_type, "predicate": predicate,
            "arguments": _values("arguments", arguments) or None, "variables": variables or None,
            "filterBy": _keys("filter_by", filter_by), "zoneName": zone, "recordName": record,
            "firesOn": _keys("fires_on", fires_on) or None, "firesOnce": once or None,
            "desiredKeys": _keys("keys", keys), "include": _keys("include", include) or None,
            "watchKeys": _keys("watch_keys", watch_keys) or None, "includePrevious": previous or None,
        }

    def save_subscription(
        self, name: str, record_type: Optional[str] = None, predicate: Optional[str] = None,
        arguments: Optional[Sequence[Json]] = None, *, since: Optional[str] = None, initial: bool = False,
        **filters: Any,
    ) -> dict[str, Json]:
        """Saves a subscription, which the service keeps with how far it was acknowledged.

        Attach to it with ``subscribe(saved=name)``, and call :meth:`Subscription.acknowledge` for what was taken in.
        The same one again keeps its position; another one under the name begins anew, at ``since`` or now.
        """
        definition = self._definition(record_type, predicate, arguments, **filters)
        return self._call(
            "saveSubscription", subscriptionID=name, since=since, sendInitial=initial or None, **definition,
        )["subscription"]

    def subscriptions(self, name: Optional[str] = None) -> list[dict[str, Json]]:
        """The saved subscriptions, or one of them, with their definitions and positions."""
        return self._call("fetchSubscriptions", subscriptionID=name)["subscriptions"]

    def delete_subscription(self, name: str, *, ignore_missing: bool = False) -> None:
        """Deletes a saved subscription."""
        self._call("deleteSubscription", subscriptionID=name, ignoreMissing=ignore_missing or None)

    def fetch_changes(
        self, since: Optional[str] = None, *, record_type: Optional[str] = None, zone: Optional[str] = None,
        keys: Optional[Sequence[str]] = None, previous: bool = False, page_size: Optional[int] = None,
    ) -> Iterator[dict[str, Json]]:
        """What changed since a token, page by page: dicts with ``changes``, ``changeToken``, ``deletedZones``.

        Without ``since``, and when it is no longer good, everything that there is; the first page of the latter
        has ``reset``: what is held and does not come is gone. Keep the last page's token.
        """
        token, reset = since, False
        while True:
            try:
                page = self._call(
                    "fetchChanges", since=token, zoneName=zone, recordType=record_type,
                    desiredKeys=_keys("keys", keys), includePrevious=previous or None, resultsLimit=page_size)
            except ServiceError as error:
                if error.error_code != "changeTokenExpired" or token is None:
                    raise
                # The old token is never tried again.
                token, reset = None, True
                continue
            if reset:
                page["reset"], reset = True, False
            yield page
            token = page["changeToken"]
            if not page["moreComing"]:
                return

    def save_zone(self, zone: str) -> None:
        """Makes a zone; one that is there stays as it is."""
        self._call("saveZone", zoneName=zone)

    def zones(self) -> list[str]:
        """The names of the zones."""
        return [zone["zoneName"] for zone in self._call("fetchZones")["zones"]]

    def delete_zone(self, zone: str, *, ignore_missing: bool = False) -> int:
        """Deletes a zone with all its records, and returns how many it had."""
        return self._call("deleteZone", zoneName=zone, ignoreMissing=ignore_missing or None)["deletedRecords"]


def _keys(parameter: str, value: Any) -> Optional[list[Any]]:
    """A list of names or of the protocol's objects; one alone stands for a list of it."""
    return [value] if isinstance(value, (str, collections.abc.Mapping)) else _values(parameter, value)


def _values(parameter: str, value: Any) -> Optional[list[Any]]:
    """A list, of whatever. Raises TypeError for a text, which Python would take for a list of characters."""
    if value is None:
        return None
    if isinstance(value, (str, bytes, collections.abc.Mapping)):
        raise TypeError(f"{parameter} takes a list: [{value!r}], not {value!r}")
    return list(value)


def _descriptor(key: str | Mapping[str, Json]) -> Mapping[str, Json]:
    if not isinstance(key, str):
        return key
    return {"key": key.removeprefix("-"), "ascending": not key.startswith("-")}


def _aggregate(item: str | Mapping[str, Json]) -> Mapping[str, Json]:
    if not isinstance(item, str):
        return item
    function, _, key = item.partition(":")
    return {"function": function, "name": item, **({"key": key} if key else {})}
