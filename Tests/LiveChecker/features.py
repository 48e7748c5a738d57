"""What the service is able to."""

from __future__ import annotations

import subprocess

from wire import Connection, Fault, Json, Loop, text_of

_PROBE = {"container": "probe"}


def features(loop: Loop, path: str, listsrpc: str) -> frozenset[str]:
    """Asks the service, and where its description doesn't tell tries it out in a container of its own."""
    connection = Connection(loop, path)
    try:
        document, error = connection.ask("rpc.discover", {})
        if document is None:
            raise Fault("discover", text_of(error))
        methods = {method["name"] for method in document["methods"]}
        found = {
            feature for feature, method in
            [("zones", "saveZone"), ("changes", "fetchChanges"), ("saved", "saveSubscription"),
                ("cascades", "restoreRecord")] if method in methods}
        parameters = _parameters(document, "subscribe")
        found |= {"recordName", "include", "includePrevious", "suppressOwn", "firesOnce"} & parameters
        if _is_taken(connection, {"recordType": "Item", "resultsLimit": 3}):
            found.add("windows")
        if _is_taken(connection, {"recordType": "Item", "countOnly": True}):
            found.add("counts")
        if _follows_references(loop, connection):
            found.add("references")
    finally:
        connection.lose()
    usage = subprocess.run([listsrpc, "watch", "--help"], capture_output=True, text=True, check=False).stdout
    if "--state" in usage:
        found.add("watchState")
    return frozenset(found)


def _parameters(document: Json, name: str) -> set[str]:
    method = next(method for method in document["methods"] if method["name"] == name)
    return {parameter["name"] for parameter in method["params"] if "name" in parameter}


def _is_taken(connection: Connection, params: Json) -> bool:
    connection.routes = _Ignored()
    result, _ = connection.ask("subscribe", {**params, **_PROBE})
    return result is not None


def _follows_references(loop: Loop, connection: Connection) -> bool:
    """Whether a filter hears of the records that it looks at through a reference."""
    pushes: list[Json] = []
    connection.routes = _Ignored(pushes)

    def save(kind: str, name: str, fields: Json) -> None:
        connection.ask("saveRecord", {
            "record": {"recordType": kind, "recordName": name, "fields": fields}, "savePolicy": "allKeys", **_PROBE})

    save("List", "list", {"name": "a"})
    save("Item", "item", {"list": {"$reference": {"recordName": "list"}}})
    subscribed, error = connection.ask("subscribe", {"recordType": "Item", "predicate": "list.name == 'b'", **_PROBE})
    if subscribed is None:
        raise Fault("subscribe", text_of(error))
    save("List", "list", {"name": "b"})
    # What comes in any case says that what was to come before is there.
    save("Item", "other", {"list": {"$reference": {"recordName": "list"}}})
    names = lambda: [
        change["recordName"] for push in pushes if push["subscriptionID"] == subscribed["subscriptionID"]
        for change in push["changes"]]
    loop.until(lambda: "other" in names(), 60)
    return "item" in names()


class _Ignored(dict):  # type: ignore[type-arg]
    """A route for whatever comes."""

    def __init__(self, pushes: list[Json] | None = None) -> None:
        super().__init__()
        self._pushes = pushes

    def get(self, key: str, default: object = None) -> object:
        return self._take

    def _take(self, method: str, push: Json) -> None:
        if self._pushes is not None and method == "recordsChanged":
            self._pushes.append(push)
