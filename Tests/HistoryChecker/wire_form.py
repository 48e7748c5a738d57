"""Calls as they go over the wire, and answers as the model knows them."""

from __future__ import annotations

import hashlib
from typing import Any, Optional

from history import tupled
from model import Call, Outcome, Record, Reference, Result, Step

Json = Any
RECORD_TYPE = "Item"


class Unexpected(Exception):
    """An answer that the call can't have."""


def name_of(number: int) -> str:
    return f"r{number}"


def number_of(name: str) -> int:
    return int(name[1:])


# MARK: Out


def request(call: Call, key: Optional[str]) -> tuple[str, Json]:
    """The method and its params; with an idempotency key, where there is one."""
    more = {"idempotencyKey": key} if key is not None else {}
    if call.reads:
        if len(call.names) == 1:
            return "fetchRecord", {"recordName": name_of(call.names[0])}
        if call.is_batch:
            return "performQuery", {"recordType": RECORD_TYPE}
        return "fetchRecords", {"recordNames": [name_of(name) for name in call.names]}
    if call.is_batch:
        operations = [{"operationType": step.word, "record": _draft(step)} for step in call.steps]
        return "modifyRecords", {"operations": operations, "atomic": call.is_atomic, **more}
    [step] = call.steps
    if step.word == "restore":
        return "restoreRecord", {"recordName": name_of(step.name)}
    if step.word in ("delete", "forceDelete"):
        return "deleteRecord", {**_draft(step), "ignoreMissing": step.is_lenient, **more}
    policy = {
        "create": "ifServerRecordUnchanged", "replace": "ifServerRecordUnchanged", "forceUpdate": "changedKeys",
        "forceReplace": "allKeys"}[step.word]
    return "saveRecord", {"record": _draft(step), "savePolicy": policy, **more}


def _draft(step: Step) -> Json:
    draft: Json = {"recordName": name_of(step.name)}
    if step.tag is not None:
        draft["recordChangeTag"] = step.tag
    if step.word not in ("delete", "forceDelete"):
        draft["recordType"] = RECORD_TYPE
        draft["fields"] = {name: _FORMS.get(name, _value)(value) for name, value in step.fields}
    return draft


def _reference(value: Any) -> Json:
    if value is None:
        return None
    name, action = value
    return {"$reference": {"recordName": name_of(name), **({} if action == "none" else {"action": action})}}


def asset(number: int) -> bytes:
    """The content of the asset of that number."""
    return f"asset {number} ".encode() * 1000 * (number + 1)


def _asset(number: Any) -> Json:
    if number is None:
        return None
    data = asset(number)
    return {"$asset": {"checksum": hashlib.sha256(data).hexdigest(), "size": len(data)}}


#: How many there are.
ASSETS = 3
#: The fields that are written in another form than they have in the model.
_FORMS = {"p": _reference, "a": _asset}


def _value(value: Any) -> Json:
    if isinstance(value, tuple) and value and isinstance(value[0], str) and value[0].startswith("$"):
        return {value[0]: _value(value[1])}
    return list(value) if isinstance(value, tuple) else value


# MARK: In


def result(call: Call, answer: Optional[Json], error: Optional[Json]) -> Result:
    """What the model says of it. Raises `Unexpected`."""
    if call.reads:
        return _looks(call, answer, error)
    if not call.is_batch:
        return (_outcome(answer, error),)
    if error is not None:
        if _code(error) != "batchRequestFailed" or not call.is_atomic:
            raise Unexpected(error)
        entries = error["data"]["results"]
    else:
        entries = (answer or {})["results"]
    if len(entries) != len(call.steps):
        raise Unexpected(entries)
    return tuple(_outcome(entry, entry.get("error")) for entry in entries)


def commit(answer: Optional[Json]) -> Optional[int]:
    """The commit that an answer says it is of. Tokens are opaque to clients; the checker looks inside on purpose."""
    return int(answer["changeToken"].split("-")[2], 36) if answer and "changeToken" in answer else None


def _code(error: Json) -> str:
    return (error.get("data") or {}).get("errorCode", "")


def _outcome(entry: Optional[Json], error: Optional[Json]) -> Outcome:
    if error is not None:
        code = _code(error)
        if code == "serverRecordChanged":
            return ("conflict", record(error["data"]["serverRecord"]))
        if code == "unknownItem":
            return ("unknown",)
        if code == "batchRequestFailed":
            return ("failed",)
        if code == "referenceViolation":
            return ("held",)
        if code == "constraintViolation" and error["data"]["rule"] == "unique":
            return ("taken", number_of(error["data"]["recordName"]))
        raise Unexpected(error)
    assert entry is not None
    if "record" in entry:
        return ("saved", record(entry["record"]))
    return ("deleted", entry["deleted"], entry.get("cascadedDeletions", 0))


def record(json: Optional[Json]) -> Optional[Record]:
    if json is None:
        return None
    return Record(tuple(sorted((name, _read(name, value)) for name, value in json["fields"].items())), json["recordChangeTag"])


def _read(name: str, value: Json) -> Any:
    if name == "p":
        reference = value["$reference"]
        return Reference(number_of(reference["recordName"]), reference.get("action", "none"))
    if name == "a":
        return next((number for number in range(ASSETS) if _asset(number) == value), str(value))
    return tupled(value)


def _looks(call: Call, answer: Optional[Json], error: Optional[Json]) -> Result:
    if error is not None:
        if len(call.names) != 1 or _code(error) != "unknownItem":
            raise Unexpected(error)
        return (("found", None),)
    assert answer is not None
    if "record" in answer:
        return (("found", record(answer["record"])),)
    if "records" in answer:
        found = {one["recordName"]: record(one) for one in answer["records"]}
        if len(found) != len(answer["records"]) or not set(found) <= {name_of(name) for name in call.names}:
            raise Unexpected(answer)
        return tuple(("found", found.get(name_of(name))) for name in call.names)
    looks = []
    for entry in answer["results"]:
        if "error" in entry and _code(entry["error"]) != "unknownItem":
            raise Unexpected(entry)
        looks.append(("found", record(entry.get("record"))))
    return tuple(looks)
