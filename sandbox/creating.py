"""Effects come into being: review requests, refunds, archivals, and their cancellations."""

import json
import time
from collections.abc import Mapping
from typing import Any

from sandbox.calls import Call, conflict, entity_tag, invalid, not_found, public
from sandbox.kinds import CANCELLATIONS, EffectKind
from sandbox.storing import dumps, instant
from sandbox.wire import Reply


def create(call: Call) -> Reply:
    """The thing asked for exists once, with its line in the ledger of effects; or a refusal, and nothing exists.

    201 with the thing; 200-range replay under a recognised Idempotency-Key; 404, 409, 412 or 422 otherwise.
    """
    kind, asked = call.kind, dict(call.request.fields)
    if call.ref:
        asked[kind.target_field] = call.ref
    if wrong := kind.invalid_fields(asked):
        return invalid(*wrong)
    with call.store.transaction():
        if reply := _replayed(call, f"{kind.name}.created") or _refused(call, kind, asked):
            return reply
        documents = [_created(call, kind, asked) for _ in range(call.twist.copies)]
    first = public(documents[0], call.capabilities)
    return Reply(201, first, {"Location": f"/{kind.collection}/{first[kind.ref_field]}"})


def cancel(call: Call) -> Reply:
    """What was created is cancelled, an effect of its own: 200; 409 when it is too late or already done."""
    kind, asked = call.kind, call.request.fields
    client_ref = asked.get("client_ref")
    if client_ref is not None and not kind.checks["client_ref"](client_ref):
        return invalid("client_ref")
    with call.store.transaction():
        found = call.store.row(
            "SELECT document FROM resources WHERE collection = ? AND ref = ?", (kind.collection, call.ref)
        )
        if found is None:
            return not_found()
        document = json.loads(found["document"])
        if asked.get(kind.target_field, document[kind.target_field]) != document[kind.target_field]:
            return invalid(kind.target_field)
        reply = _replayed(call, f"{kind.name}.cancelled") or _cancelled_before(call, kind, client_ref)
        if reply is None and document["status"] == kind.handled_status:
            reply = conflict("too_late")
        return reply or Reply(200, public(_cancelled(call, kind, document, client_ref), call.capabilities))


def _replayed(call: Call, effect: str) -> Reply | None:
    """The first answer again, where the system recognises the key and has seen it."""
    key = call.request.header("Idempotency-Key")
    if not (call.capabilities.idempotency and key):
        return None
    found = call.store.row(
        "SELECT result, body_sha256 FROM effects WHERE kind = ? AND idempotency_key = ? ORDER BY seq LIMIT 1",
        (effect, key),
    )
    if found is None:
        return None
    if found["body_sha256"] != call.request.sha256:
        return Reply(422, {"error": "idempotency_key_reused"})
    status = 201 if effect.endswith(".created") else 200
    document = public(json.loads(found["result"]), call.capabilities)
    return Reply(status, document, {"Idempotency-Replayed": "true"})


def _refused(call: Call, kind: EffectKind, asked: Mapping[str, Any]) -> Reply | None:
    target = call.store.object(kind.about.collection, asked[kind.target_field])
    if target is None:
        return not_found()
    expected = call.request.header("If-Match")
    if call.capabilities.conditional and expected and not _matches(expected, target["version"]):
        return Reply(412, {"error": "version_changed", "current": target["version"]})
    return None if target["state"] == kind.about.usable_state else conflict(kind.about.closed_error)


def _matches(expected: str, version: int) -> bool:
    tags = {tag.strip() for tag in expected.split(",")}
    return "*" in tags or entity_tag(version) in tags


def _created(call: Call, kind: EffectKind, asked: Mapping[str, Any]) -> dict[str, Any]:
    number = _next_number(call, kind.collection, kind.first_number)
    ref = f"{kind.prefix}{number}"
    document = {kind.ref_field: ref, **kind.kept(asked), "status": kind.status, **call.twist.changes}
    _store(call, kind.collection, number, ref, document, target=document[kind.target_field])
    _record(call, f"{kind.name}.created", ref, document)
    if kind.state_after:
        _set_state(call, kind, document[kind.target_field], kind.state_after)
    return document


def _cancelled_before(call: Call, kind: EffectKind, client_ref: str | None) -> Reply | None:
    found = call.store.row(
        "SELECT client_ref, document FROM resources WHERE collection = ? AND target = ?", (CANCELLATIONS, call.ref)
    )
    if found is None:
        return None
    if found["client_ref"] != client_ref:
        return conflict("already_cancelled")
    return Reply(200, public(json.loads(found["document"]), call.capabilities))


def _cancelled(call: Call, kind: EffectKind, was: Mapping[str, Any], client_ref: str | None) -> dict[str, Any]:
    number = _next_number(call, CANCELLATIONS, 1)
    ref = f"C-{number}"
    named = {"client_ref": client_ref, "status": "cancelled"}
    document = {"cancellation_ref": ref, **was, **named, **call.twist.changes}
    call.store.change(
        "UPDATE resources SET document = ? WHERE collection = ? AND ref = ?",
        (dumps({**was, "status": "cancelled"}), kind.collection, call.ref),
    )
    _store(call, CANCELLATIONS, number, ref, document, target=call.ref)
    _record(call, f"{kind.name}.cancelled", ref, document)
    if kind.state_after:
        _set_state(call, kind, was[kind.target_field], kind.about.usable_state)
    return document


def _next_number(call: Call, collection: str, first: int) -> int:
    found = call.store.row("SELECT max(number) AS last FROM resources WHERE collection = ?", (collection,))
    return first if found is None or found["last"] is None else found["last"] + 1


def _store(call: Call, collection: str, number: int, ref: str, document: Mapping[str, Any], *, target: str) -> None:
    hidden = max(call.twist.invisible_for, call.capabilities.visibility_seconds)
    call.store.insert(
        "resources",
        collection=collection,
        number=number,
        ref=ref,
        client_ref=document.get("client_ref"),
        target=target,
        visible_from=time.time() + hidden if hidden else 0,
        document=dumps(document),
    )


def _record(call: Call, kind: str, ref: str, document: Mapping[str, Any]) -> None:
    call.store.insert(
        "effects",
        at=instant(time.time()),
        kind=kind,
        ref=ref,
        client_ref=document.get("client_ref"),
        arguments=dumps(call.request.fields),
        body_sha256=call.request.sha256,
        idempotency_key=call.request.header("Idempotency-Key"),
        if_match=call.request.header("If-Match"),
        result=dumps(document),
        request_seq=call.request.seq,
    )


def _set_state(call: Call, kind: EffectKind, ref: str, state: str) -> None:
    about = call.store.object(kind.about.collection, ref)
    if about is not None:
        changed = {**about, "state": state, "version": about["version"] + 1}
        call.store.put_object(kind.about.collection, ref, changed)
