"""The checks themselves, each a promise of `systems.adapters.base` put to the test over real sockets.

A check is a function of a bench; it returns when the adapter keeps the promise, and raises NotConforming when not.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from systems.adapters.base import CannotPrepare, Delivery, Missing, Observation, Prepared, Reply
from systems.conformance.bench import Bench, require
from systems.conformance.bytesserver import Behaviour, before_reading, close_silently, reply, says, silence
from systems.conformance.faults import BROKEN, CODES, MEANINGLESS, REDIRECTS, code, redirect

Check = Callable[[Bench], None]
CHECKS: dict[str, Check] = {}
HOSTILE = ("../../admin", "a/../../b", "..", "?x=1", "#x", "%2e%2e/x", "//evil.test/", "@evil.test", "a\r\nX-Evil: b")


def check(function: Check) -> Check:
    """Every check is known by its name."""
    CHECKS[function.__name__] = function
    return function


@check
def the_same_order_is_the_same_bytes(bench: Bench) -> None:
    adapter, order = bench.adapter(), bench.order()
    first, again = adapter.prepare(order), adapter.prepare(order)
    require(first == again, "preparing the same order twice gives two different requests.")
    other = adapter.prepare(replace(order, reference=order.reference[::-1]))
    require(first.digest != other.digest, "two references give the same digest.")


@check
def the_request_carries_the_reference_and_no_secret(bench: Bench) -> None:
    adapter, order = bench.adapter(), bench.order()
    text = _everything(adapter.prepare(order))
    require(order.reference in text, "the request does not carry the order's reference.")
    hidden = [secret for secret in adapter.config.credentials.secrets if secret in text]
    require(not hidden, "the prepared request, which is kept, holds a secret.")


@check
def preparing_sends_nothing(bench: Bench) -> None:
    server = bench.serve(silence)
    bench.adapter(server).prepare(bench.order())
    require(server.connections == 0, "preparing a request opens a connection.")


@check
def no_value_changes_host_path_or_headers(bench: Bench) -> None:
    adapter, order = bench.adapter(), bench.order()
    plain = adapter.prepare(order)
    for value in HOSTILE:
        spoilt = replace(order, arguments=dict.fromkeys(order.arguments, value))
        for candidate in (spoilt, replace(order, target=value) if order.target is not None else spoilt):
            try:
                prepared = adapter.prepare(candidate)
            except CannotPrepare:
                continue
            same = _place(prepared) == _place(plain)
            require(same, f"the value {value!r} changes the host or the depth of the path: {prepared.url}")
            names = [name for name, _ in prepared.headers], [name for name, _ in plain.headers]
            flat = not any("\n" in part or "\r" in part for header in prepared.headers for part in header)
            require(flat and names[0] == names[1], f"the value {value!r} changes the headers.")


@check
def the_bytes_sent_are_the_bytes_prepared(bench: Bench) -> None:
    server = bench.serve(says(reply(b"{}", status=400)))
    adapter = bench.adapter(server)
    prepared = adapter.prepare(bench.order())
    adapter.submit(prepared, seconds_left=1)
    require(len(server.requests) == 1, f"{len(server.requests)} requests arrived for one order.")
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    parts = urlsplit(prepared.url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    require(body == prepared.body, "the body that arrived is not the one prepared.")
    require(head.startswith(f"{prepared.method} {target} ".encode()), "the method or address is not the one prepared.")


@check
def whatever_breaks_off_is_in_doubt_and_asked_once(bench: Bench) -> None:
    for name, behaviour in BROKEN.items():
        server = bench.serve(behaviour)
        got = bench.submit(server)
        _once(server.connections, name)
        require(got.delivery is Delivery.MAYBE_SENT, f"{name}: delivery is {got.delivery}, and nobody can know that.")
        require(not _claims(got), f"{name}: the reply claims {_claims(got)}.")
        require(got.fault is not None, f"{name}: the reply tells no fault.")


@check
def an_answer_without_one_meaning_proves_nothing(bench: Bench) -> None:
    for name, content in MEANINGLESS.items():
        server = bench.serve(says(content))
        got = bench.submit(server)
        _once(server.connections, name)
        require(got.delivery is not Delivery.NEVER_SENT, f"{name}: the reply says that nothing was sent.")
        require(not _claims(got), f"{name}: the reply claims {_claims(got)}.")


@check
def a_code_nobody_documents_proves_nothing_and_is_not_asked_again(bench: Bench) -> None:
    for status in CODES:
        server = bench.serve(code(status))
        got = bench.submit(server)
        _once(server.connections, f"a {status}")
        require(got.delivery is not Delivery.NEVER_SENT, f"a {status}: the reply says that nothing was sent.")
        require(not (got.success or got.accepted), f"a {status}: the reply claims a success.")
        require(not got.refused, f"a {status} with a body of no declared shape passes for a definitive refusal.")


@check
def a_redirect_is_not_followed(bench: Bench) -> None:
    elsewhere = bench.serve(says(reply(b'{"ok":true}', status=201)))
    for status in REDIRECTS:
        server = bench.serve(redirect(status, f"{elsewhere.url()}/x"))
        got = bench.submit(server)
        _once(server.connections, f"a {status}")
        require(not _claims(got), f"a {status}: the reply claims {_claims(got)}.")
        bench.adapter(server).lookup(bench.order())
    require(elsewhere.connections == 0, "a redirect was followed.")


@check
def a_connection_that_is_refused_was_never_sent(bench: Bench) -> None:
    got = bench.submit(bench.closed())
    require(got.delivery is Delivery.NEVER_SENT, f"delivery is {got.delivery}.")


@check
def a_handshake_that_fails_was_never_sent(bench: Bench) -> None:
    server = bench.serve(before_reading(close_silently))
    got = bench.submit(server.url().replace("http:", "https:"))
    require(got.delivery is Delivery.NEVER_SENT, f"delivery is {got.delivery}.")


@check
def an_order_whose_time_is_over_is_never_sent(bench: Bench) -> None:
    server = bench.serve(says(reply(b"{}", status=201)))
    for seconds in (0.0, -1.0):
        got = bench.submit(server, seconds=seconds)
        require(got.delivery is Delivery.NEVER_SENT, f"delivery is {got.delivery}.")
    require(server.connections == 0, "a connection was opened although the time was over.")


@check
def the_time_left_is_the_whole_time(bench: Bench) -> None:
    server = bench.serve(silence)
    began = time.monotonic()
    got = bench.submit(server, seconds=0.2)
    took = time.monotonic() - began
    require(took < 0.8, f"0.2 seconds were left, and the call took {took:.1f}.")
    require(got.delivery is Delivery.MAYBE_SENT, f"delivery is {got.delivery}.")


@check
def no_secret_shows_in_what_is_kept_of_an_answer(bench: Bench) -> None:
    adapter = bench.adapter(bench.serve(lambda connection: None))
    secrets = adapter.config.credentials.secrets
    content = reply(" ".join(("you sent", *secrets)).encode(), status=400, kind="text/plain")
    got = bench.submit(bench.serve(says(content)))
    require(not any(secret in got.excerpt for secret in secrets), "an answer that echoes the secret is kept with it.")
    require(len(got.excerpt) <= 2_000, "the excerpt is longer than 2,000 characters.")


@check
def a_look_that_fails_shows_no_target(bench: Bench) -> None:
    order = bench.order()
    if order.target is None or not bench.has("target"):
        return
    for name, behaviour in _useless():
        server = bench.serve(behaviour)
        seen = bench.adapter(server).resolve(order.operation, order.target)
        _once(server.connections, name)
        require(not isinstance(seen, Observation), f"{name}: it passes for an observation of the target.")
        require(not isinstance(seen, Missing), f"{name}: it passes for an answer that there is no such target.")


@check
def a_search_that_fails_is_never_complete(bench: Bench) -> None:
    if not bench.has("lookup"):
        return
    for name, behaviour in _useless():
        got = bench.adapter(bench.serve(behaviour)).lookup(bench.order())
        require(not got.complete, f"{name}: the search calls itself complete.")
        require(not got.found, f"{name}: the search finds something.")


@check
def a_list_that_fails_is_never_complete(bench: Bench) -> None:
    if not bench.has("list"):
        return
    until = datetime(2026, 3, 1, tzinfo=UTC)
    for name, behaviour in _useless():
        adapter = bench.adapter(bench.serve(behaviour))
        got = adapter.list(bench.order().operation, since=until - timedelta(hours=1), until=until)
        require(not got.complete, f"{name}: the list calls itself complete.")


@check
def a_search_finds_exactly_our_reference(bench: Bench) -> None:
    order = bench.order()
    near = (order.reference + "0", order.reference[:-1], order.reference.upper() + " ", "")
    expected = {(): 0, near: 0, (*near, order.reference): 1, (order.reference, order.reference): 2}
    for references, count in expected.items():
        content = bench.subject.page(references)
        if content is None:
            return
        got = bench.adapter(bench.serve(says(content))).lookup(order)
        require(len(got.found) == count, f"{len(got.found)} effects are found where {count} carry our reference.")
        require(all(one.reference == order.reference for one in got.found), "an effect of another reference is found.")


@check
def a_cancellation_is_asked_once(bench: Bench) -> None:
    if not bench.has("cancel"):
        return
    order = bench.order()
    for name in ("a reset", "fewer bytes than announced"):
        server = bench.serve(BROKEN[name])
        try:
            got = bench.adapter(server).cancel(order, bench.subject.fields())
        except CannotPrepare:
            return
        _once(server.connections, name)
        require(not _claims(got), f"{name}: the reply claims {_claims(got)}.")


def _useless() -> Iterator[tuple[str, Behaviour]]:
    """Every answer to a read that tells nothing; how slow ones end is checked where it matters most."""
    yield from ((name, behaviour) for name, behaviour in BROKEN.items() if name != "a body that drips")
    yield from ((name, says(content)) for name, content in MEANINGLESS.items())
    yield "a 500", code(500)


def _once(connections: int, name: str) -> None:
    require(connections == 1, f"{name}: {connections} connections were made for one call.")


def _claims(got: Reply) -> str:
    claimed = ("success", "accepted", "refused", "not_processed")
    return ", ".join(name for name in claimed if getattr(got, name))


def _place(prepared: Prepared) -> tuple[str, str, int, bool]:
    parts = urlsplit(prepared.url)
    climbs = bool({".", ".."} & set(parts.path.replace("%2e", ".").replace("%2E", ".").split("/")))
    return parts.scheme, parts.netloc, parts.path.count("/"), climbs or bool(parts.fragment)


def _everything(prepared: Prepared) -> str:
    lines = [prepared.url, *(f"{name}: {value}" for name, value in prepared.headers)]
    return "\n".join([*lines, prepared.body.decode("utf-8", "replace")])
