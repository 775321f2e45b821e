"""Hostile bytes over a real connection: always a prompt 4xx with a reason, never a 5xx, and nothing stored."""

import json
import threading
import time

from proposals.models import Proposal, Revision
from tests.web.api.calling import GOOD, REFUND, Wire

MEMO = b'{"tool":"refund_create","arguments":{"order_id":"ORD-000123","amount_minor":%s,"currency":"EUR","memo":%s}}'


POISON = {
    "NaN": MEMO % (b"NaN", b'""'),
    "infinity": MEMO % (b"Infinity", b'""'),
    "out of range": MEMO % (b"1e999", b'""'),
    "lone surrogate": MEMO % (b"1", b'"\\ud83d"'),
    "NUL": MEMO % (b"1", b'"a\\u0000b"'),
    "NUL in a key": b'{"tool":"refund_create","arguments":{"a\\u0000b":1}}',
    "deep": MEMO % (b"1", b"[" * 20_000),
    "deep and closed": MEMO % (b"1", b"[" * 20_000 + b"]" * 20_000),
    "many digits": MEMO % (b"9" * 5_000, b'""'),
    "BOM": b"\xef\xbb\xbf" + MEMO % (b"1", b'""'),
    "not UTF-8": MEMO % (b"1", b'"\xff"'),
    "UTF-16": json.dumps({"tool": "refund_create", "arguments": REFUND}).encode("utf-16"),
    "duplicate key": b'{"tool":"refund_create","arguments":{"amount_minor":100,"amount_minor":450000}}',
    "duplicate key spelt otherwise": b'{"tool":"x","arguments":{"amount_minor":1,"amount\\u005fminor":2}}',
    "duplicate member": b'{"tool":"refund_create","tool":"ledger_ping","arguments":{}}',
    "cut short": b'{"tool":"refund_create","arguments":{"amount_minor":12',
    "trailing comma": b'{"tool":"refund_create","arguments":{},}',
    "fence": b'```json\n{"tool":"refund_create","arguments":{}}\n```',
    "single quotes": b"{'tool':'refund_create','arguments':{}}",
    "words behind": b'{"tool":"refund_create","arguments":{}} thanks',
    "empty": b"",
    "a list": b"[]",
    "null": b"null",
    "text": b'"refund_create"',
}


def test_poison_is_a_prompt_refusal_and_the_server_lives(wire: Wire) -> None:
    for name, raw in POISON.items():
        answer = wire.send("POST", "/proposals", raw)
        assert answer.status in (400, 422), (name, answer.status, answer.raw[:300])
        assert answer.code in ("malformed_request", "invalid_arguments"), name
        assert b"Traceback" not in answer.raw
    assert not Proposal.objects.exists()
    assert wire.get("/proposals").body["items"] == []
    assert wire.propose().status == 201


def test_a_body_beyond_the_limit_is_too_large(wire: Wire) -> None:
    for size in (257 * 1024, 3 * 1024 * 1024):
        raw = json.dumps({"tool": "refund_create", "arguments": {**REFUND, "memo": "x" * size}}).encode()
        answer = wire.send("POST", "/proposals", raw)
        assert (answer.status, answer.code) == (413, "too_large")
    assert not Revision.objects.exists()


def test_only_json_in_utf8_is_read(wire: Wire) -> None:
    raw = json.dumps({"tool": "refund_create", "arguments": REFUND}).encode()
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = wire.send("POST", "/proposals", raw, ("Content-Type", kind))
        assert (answer.status, answer.code) == (415, "unsupported_media_type")
    answer = wire.send("POST", "/proposals", raw, ("Content-Type", "application/json; charset=iso-8859-1"))
    assert (answer.status, answer.code) == (400, "malformed_request")


def test_a_header_sent_twice_is_refused(wire: Wire) -> None:
    raw = json.dumps({"tool": "ouvrir_revue_dossier", "arguments": GOOD}).encode()
    answer = wire.send("POST", "/proposals", raw, ("Idempotency-Key", "K1"), ("Idempotency-Key", "K2"))
    assert (answer.status, answer.code) == (400, "malformed_request")
    assert not Proposal.objects.exists()
    honest = wire.send("POST", "/proposals", raw, ("Idempotency-Key", "K1,K2"))
    assert honest.status == 201, "a comma may stand in a key that was sent once"


def test_free_text_that_would_redraw_a_screen_is_kept_as_it_is(wire: Wire) -> None:
    memo = "</script><img src=x onerror=alert(1)> \u202e {{7*7}} =HYPERLINK() ok\r\nINFO approved \u001b[2K \u2028"
    answer = wire.propose({**REFUND, "memo": memo}, tool="refund_create")
    assert answer.status == 201
    shown = wire.get(f"/proposals/{answer.body['id']}/revisions/1").body
    assert shown["arguments"]["memo"] == memo
    assert shown["defaults_not_given"] == {"/notify_customer": True}


def test_twenty_at_once_under_one_key_are_one_proposal(wire: Wire) -> None:
    answers = []
    bodies = [{**REFUND, "amount_minor": 1250}, {**REFUND, "amount_minor": 1251}]

    def post(number: int) -> None:
        answers.append(wire.propose(bodies[number % 2], tool="refund_create", Idempotency_Key="K2"))

    threads = [threading.Thread(target=post, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    created = [answer for answer in answers if answer.status == 201]
    assert len({answer.body["id"] for answer in created}) == 1
    assert sum("idempotent-replayed" not in answer.headers for answer in created) == 1
    assert {answer.code for answer in answers if answer.status != 201} <= {"idempotency_key_reused"}
    assert Proposal.objects.count() == 1


def test_twenty_at_once_without_a_key_are_one_proposal(wire: Wire) -> None:
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(wire.propose())) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status for answer in answers} == {201}
    assert Proposal.objects.count() == 1


def test_many_waiters_do_not_keep_others_out(wire: Wire) -> None:
    public_id = wire.propose().body["id"]
    threads = [threading.Thread(target=wire.get, args=(f"/proposals/{public_id}?wait=9",)) for _ in range(24)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    begun = time.monotonic()
    assert wire.get(f"/proposals/{public_id}").status == 200
    assert time.monotonic() - begun < 5
    for thread in threads:
        thread.join()


def test_an_answer_is_never_many_times_the_question(wire: Wire) -> None:
    for body in (
        {"tool": "refund_create", "arguments": {f"order_i{n}": 1 for n in range(5_000)}},
        {"tool": "x", "arguments": {}, **{f"argument{n}": 1 for n in range(5_000)}},
        {"tool": "x", "arguments": {}, "facts": [1] * 20_000},
        {"tool": "refund_create", "arguments": {**REFUND, "lines": [0] * 20_000}},
    ):
        answer = wire.send("POST", "/proposals", json.dumps(body).encode())
        assert answer.status in (400, 422)
        assert 1 <= len(answer.body["errors"]) <= 50
        assert len(answer.raw) < 50_000
