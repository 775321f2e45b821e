"""Fault modes that lose, delay or postpone the answer."""

import json
import time
from typing import Any

from sandbox.calls import Twist
from sandbox.exchange import Exchange
from sandbox.modes import anything, flag, mode, number, whole, words
from sandbox.wire import Reply

LONG = 60.0


@mode()
def drop_before_effect(exchange: Exchange) -> None:
    """No effect, and the connection is closed without a byte."""
    exchange.hang_up()


@mode()
def drop_after_effect(exchange: Exchange) -> None:
    """The effect happens, then the connection is closed without a byte."""
    exchange.perform()
    exchange.hang_up()


@mode()
def reset_after_effect(exchange: Exchange) -> None:
    """The effect happens, then the connection is reset."""
    exchange.perform()
    exchange.connection.reset()


@mode(seconds=number(LONG))
def silence_before_effect(exchange: Exchange) -> None:
    """No effect, no answer; the connection stays open for `seconds`."""
    exchange.wait(exchange.values["seconds"])
    exchange.hang_up()


@mode(seconds=number(LONG))
def silence_after_effect(exchange: Exchange) -> None:
    """The effect happens, no answer; the connection stays open for `seconds`."""
    exchange.perform()
    exchange.wait(exchange.values["seconds"])
    exchange.hang_up()


@mode(seconds=number(1.0), effect_first=flag(False))
def delay(exchange: Exchange) -> None:
    """The honest answer, `seconds` late; the effect is made at that time too, or at once with `effect_first`.

    A client that leaves before does not change when the effect is made.
    """
    early, seconds = exchange.perform() if exchange.values["effect_first"] else None, exchange.values["seconds"]
    began = time.monotonic()
    if exchange.wait(seconds):
        return exchange.send(early or exchange.perform())
    if early is None and not exchange.connection.released:
        exchange.deferred.effect(exchange.request, max(seconds - (time.monotonic() - began), 0))
    return exchange.hang_up()


@mode(status=whole(503, 200, 599), effect=flag(False), body=anything({"error": "unavailable"}))
def status(exchange: Exchange) -> None:
    """Any status, with the effect done or not done."""
    if exchange.values["effect"]:
        exchange.perform()
    code, body = exchange.values["status"], exchange.values["body"]
    if code in (204, 304):
        exchange.send(Reply(code))
    elif isinstance(body, str):
        exchange.send(Reply(code, headers={"Content-Type": "text/plain"}, raw=body.encode("utf-8")))
    else:
        exchange.send(Reply(code, body))


def _accepted(exchange: Exchange) -> Reply:
    return Reply(202, {"status": "accepted", "client_ref": exchange.request.hints.get("client_ref")})


@mode()
def accept_202(exchange: Exchange) -> None:
    """The effect happens at once, the answer only says that the request was accepted."""
    reply = exchange.perform()
    exchange.send(_accepted(exchange) if reply.ok else reply)


@mode(seconds=number(1.0))
def accept_202_then_effect(exchange: Exchange) -> None:
    """Accepted now; the effect comes `seconds` later, a restart of the system included."""
    exchange.deferred.effect(exchange.request, exchange.values["seconds"])
    exchange.send(_accepted(exchange))


@mode()
def accept_202_never(exchange: Exchange) -> None:
    """Accepted, and nothing ever happens."""
    exchange.send(_accepted(exchange))


@mode(
    url=words(required=True),
    secret=words(required=True),
    seconds=number(1.0),
    effect=flag(True),
    changes=anything({}),
    copies=whole(1, 1, 10),
)
def late_callback(exchange: Exchange) -> None:
    """Accepted now; a signed callback tells the result `seconds` later, `copies` times, with `changes` to its body."""
    reply = exchange.perform() if exchange.values["effect"] else _accepted(exchange)
    exchange.send(_accepted(exchange) if reply.ok else reply)
    for _ in range(exchange.values["copies"] if reply.ok else 0):
        exchange.deferred.callback(
            url=exchange.values["url"],
            secret=exchange.values["secret"],
            body=json.dumps(_news(exchange, reply), ensure_ascii=False),
            seconds=exchange.values["seconds"],
        )


def _news(exchange: Exchange, reply: Reply) -> dict[str, Any]:
    effect = exchange.route.effect if exchange.route else None
    news = {"event": f"{effect.name if effect else 'request'}.created", **reply.document}
    changes = exchange.values["changes"]
    return {**news, **changes} if isinstance(changes, dict) else news


@mode(seconds=number(LONG), answer=flag(False))
def invisible(exchange: Exchange) -> None:
    """The effect happens and no search shows it for `seconds`; on a read, what exists is not shown this time."""
    if exchange.reads:
        reply = exchange.perform()
        if reply.ok and "items" in reply.document:
            return exchange.send(Reply(200, {"items": [], "next": None}))
        return exchange.send(Reply(404, {"error": "not_found"}))
    reply = exchange.perform(Twist(invisible_for=exchange.values["seconds"]))
    return exchange.send(reply) if exchange.values["answer"] else exchange.hang_up()


@mode(bytes_per_second=number(1.0, 0.01, 10_000), seconds=number(600.0), from_head=flag(False))
def slow_drip(exchange: Exchange) -> None:
    """The honest answer byte by byte (the body, or all of it with `from_head`), for at most `seconds`."""
    reply = exchange.perform().with_headers(exchange.values["headers"])
    data = reply.wire()
    start = 0 if exchange.values["from_head"] else len(data) - len(reply.body)
    exchange.connection.write(data[:start])
    rate = exchange.values["bytes_per_second"]
    for byte in data[start : start + round(rate * exchange.values["seconds"])]:
        if not exchange.wait(1 / rate):
            break
        exchange.connection.write(bytes([byte]))
    exchange.hang_up()
