"""Fault modes whose answer is wrong: about somebody else, about something else, or not an answer at all."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sandbox.bodies import LOGIN_PAGE, gzip_bomb_pieces
from sandbox.calls import Twist
from sandbox.exchange import STRANGER, Exchange, altered
from sandbox.modes import anything, flag, mode, number, whole, words
from sandbox.wire import Reply


def _bent(exchange: Exchange, changes: Mapping[str, Any]) -> None:
    """Do and tell something else, or with `only_in_answer` (and on reads) only tell it."""
    if exchange.reads or exchange.values["only_in_answer"]:
        reply = altered(exchange.perform(), lambda document: {**document, **changes})
    else:
        reply = exchange.perform(Twist(changes=changes))
    exchange.send(reply)


@mode(target=words(), only_in_answer=flag(False))
def wrong_target(exchange: Exchange) -> None:
    """The effect lands on another object, `target` or a neighbour; the ledger keeps what was asked beside it."""
    _bent(exchange, _another_target(exchange))


def _another_target(exchange: Exchange) -> dict[str, Any]:
    route = exchange.route
    if route is None or route.about is None or route.target_field is None:
        return {}
    asked = str(exchange.request.hints.get(route.target_field) or route.reference(exchange.request.path))
    target = exchange.values["target"] or exchange.store.neighbour(route.about.collection, asked)
    return {route.target_field: target}


@mode(value=anything(), only_in_answer=flag(False))
def wrong_reason(exchange: Exchange) -> None:
    """The effect has another reason (amount, for refunds): `value` or an invented one."""
    _bent(exchange, _another_reason(exchange))


def _another_reason(exchange: Exchange) -> dict[str, Any]:
    effect = exchange.route.effect if exchange.route else None
    if effect is None:
        return {}
    asked, value = exchange.request.hints.get(effect.detail_field), exchange.values["value"]
    invented = asked + 1 if isinstance(asked, int) else "ECART_MONTANT" if asked != "ECART_MONTANT" else "OTHER"
    return {effect.detail_field: invented if value is None else value}


@mode(reference=words(STRANGER))
def other_reference(exchange: Exchange) -> None:
    """The effect is right; the answer carries somebody else's reference."""
    reference = exchange.values["reference"]
    exchange.send(altered(exchange.perform(), lambda document: {**document, "client_ref": reference}))


@mode(seconds=number(1.0, 0, 60))
def swap_replies(exchange: Exchange) -> None:
    """Two concurrent requests get each other's answer; one that stays alone for `seconds` gets a stranger's."""
    mine = exchange.perform()
    other = exchange.crossroads.swap(mine, exchange.values["seconds"])
    exchange.send(other or altered(mine, lambda document: _of_a_stranger(exchange, document)))


def _of_a_stranger(exchange: Exchange, document: Mapping[str, Any]) -> dict[str, Any]:
    effect, about = (exchange.route.effect, exchange.route.about) if exchange.route else (None, None)
    foreign: dict[str, Any] = {"client_ref": STRANGER}
    if effect and about and effect.target_field in document:
        foreign[effect.target_field] = exchange.store.neighbour(about.collection, str(document[effect.target_field]))
    if effect and effect.ref_field in document:
        foreign[effect.ref_field] = f"{effect.prefix}1"
    return {**document, **foreign}


@mode()
def duplicate_effect(exchange: Exchange) -> None:
    """Two effects with the same client reference, one answer; a search shows every hit twice."""
    reply = exchange.perform(Twist(copies=2))
    if exchange.reads and reply.ok and "items" in reply.document:
        items = [twin for item in reply.document["items"] for twin in (item, _twin(exchange, item))]
        reply = replace(reply, document={**reply.document, "items": items})
    exchange.send(reply)


def _twin(exchange: Exchange, item: Mapping[str, Any]) -> dict[str, Any]:
    field = exchange.route.effect.ref_field if exchange.route and exchange.route.effect else "ref"
    return {**item, field: f"{item.get(field, '')}-2"}


def _performed(exchange: Exchange) -> Reply | None:
    return exchange.perform() if exchange.values["effect"] else None


@mode(status=whole(201, 200, 599), effect=flag(True))
def empty_body(exchange: Exchange) -> None:
    """A status and nothing else; `Location` only when given in `headers`."""
    _performed(exchange)
    exchange.send(Reply(exchange.values["status"]))


@mode(effect=flag(False))
def html_login(exchange: Exchange) -> None:
    """200 and a page that asks to sign in."""
    _performed(exchange)
    exchange.send(Reply(200, headers={"Content-Type": "text/html; charset=utf-8"}, raw=LOGIN_PAGE))


@mode(status=whole(307, 300, 399), location=words(), effect=flag(False))
def redirect(exchange: Exchange) -> None:
    """Sent elsewhere: to `location`, or to the same address, where whoever follows asks a second time."""
    _performed(exchange)
    location = exchange.values["location"] or exchange.request.path
    exchange.send(Reply(exchange.values["status"], headers={"Location": location}))


@mode(status=whole(200, 200, 599), effect=flag(False))
def errors_in_200(exchange: Exchange) -> None:
    """A success by its status whose body lists errors, beside the thing itself where the effect was made."""
    reply = _performed(exchange)
    thing = reply.document if reply is not None and reply.ok else {"status": "error"}
    errors = {"ok": True, "errors": [{"item": 1, "code": "POSTING_FAILED", "message": "item 1 was not posted"}]}
    exchange.send(Reply(exchange.values["status"], {**errors, **thing}))


@mode(effect=flag(True))
def duplicate_keys(exchange: Exchange) -> None:
    """JSON in which every key stands twice, first with a stranger's value."""
    reply = _performed(exchange) or Reply(201, {"client_ref": exchange.request.hints.get("client_ref")})
    foreign = _of_a_stranger(exchange, reply.document)
    pairs = [f"{json.dumps(key)}: {json.dumps(held)}" for key, held in (*foreign.items(), *reply.document.items())]
    raw = ("{" + ", ".join(pairs) + "}").encode("utf-8")
    exchange.send(Reply(reply.status, headers={"Content-Type": "application/json"}, raw=raw))


def _honest(exchange: Exchange) -> Reply:
    reply = _performed(exchange) or Reply(201, {"client_ref": exchange.request.hints.get("client_ref")})
    return reply.with_headers(exchange.values["headers"])


@mode(effect=flag(True))
def truncated(exchange: Exchange) -> None:
    """The body stops half-way through its announced length."""
    reply = _honest(exchange)
    half = reply.body[: len(reply.body) // 2]
    exchange.send_last(reply.head(Content_Length=str(len(reply.body))) + half)


@mode(effect=flag(True))
def short_content_length(exchange: Exchange) -> None:
    """The announced length is half of what is sent."""
    reply = _honest(exchange)
    exchange.send_last(reply.head(Content_Length=str(len(reply.body) // 2)) + reply.body)


@mode(effect=flag(True))
def no_content_length(exchange: Exchange) -> None:
    """The body ends where the connection ends, and nobody can tell whether that was all."""
    reply = _honest(exchange)
    exchange.send_last(reply.head(Connection="close") + reply.body)


@mode(count=whole(10_000, 1, 100_000), size=whole(16, 1, 100_000), effect=flag(True))
def huge_headers(exchange: Exchange) -> None:
    """The honest answer under `count` more headers of `size` bytes each."""
    reply = _honest(exchange)
    filler = {f"X-Filler-{number}": "x" * exchange.values["size"] for number in range(exchange.values["count"])}
    exchange.send(reply.with_headers(filler))


@mode(megabytes=whole(1024, 1, 4096), status=whole(201, 200, 599), effect=flag(True))
def gzip_bomb(exchange: Exchange) -> None:
    """About a thousandth of `megabytes` on the wire, which unpack to valid JSON of that size."""
    _performed(exchange)
    pieces = gzip_bomb_pieces(exchange.values["megabytes"])
    reply = Reply(exchange.values["status"], headers={"Content-Type": "application/json", "Content-Encoding": "gzip"})
    reply = reply.with_headers(exchange.values["headers"])
    exchange.connection.write(reply.head(Content_Length=str(sum(map(len, pieces)))))
    for piece in pieces:
        exchange.connection.write(piece)


@mode(megabytes=whole(200, 1, 4096), status=whole(201, 200, 599), effect=flag(True))
def flood(exchange: Exchange) -> None:
    """A chunked body of `megabytes`, for as long as the client listens."""
    _performed(exchange)
    reply = Reply(
        exchange.values["status"], headers={"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
    )
    exchange.connection.write(reply.with_headers(exchange.values["headers"]).head())
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    for _ in range(exchange.values["megabytes"] * 16):
        exchange.connection.write(chunk)
    exchange.connection.write(b"0\r\n\r\n")
