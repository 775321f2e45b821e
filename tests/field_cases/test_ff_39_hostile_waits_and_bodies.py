"""FF-39: hostile waiting times and bodies; every wait and every size is bounded, and nothing is sent again."""

import time
from pathlib import Path
from typing import Any

from intents.models import Attempt, Evidence, Intent
from journal.clock import now
from tests.rewiring import replaced, rewired
from tests.world import World

WAITS = ("99999999", "-5", "0", "1.5", "abc", "Fri, 01 Jan 2099 00:00:00 GMT")
BODIES: dict[str, dict[str, Any]] = {
    "a gzip bomb": {"mode": "gzip_bomb", "megabytes": 256},
    "two hundred megabytes": {"mode": "flood"},
    "ten thousand headers": {"mode": "huge_headers"},
    "ten thousand short headers": {"mode": "huge_headers", "size": 1},
    "a drip": {"mode": "slow_drip", "bytes_per_second": 20},
}


def met(world: World, number: int, **fault: Any) -> Intent:
    ref = f"D-{3900 + number}"
    world.sandbox.put("dossiers", ref, version=7, state="active", establishment="A")
    world.sandbox.fault(**fault)
    return world.done(ref)


def test_no_wait_that_the_system_names_is_obeyed_and_none_sends_again(world: World) -> None:
    began = time.monotonic()
    for number, wait in enumerate(WAITS):
        intent = met(world, number, mode="status", status=503, headers={"Retry-After": wait})
        assert (wait, world.status(intent)) == (wait, "outcome_unknown")
        assert intent.next_probe_at is not None
        assert (intent.next_probe_at - now()).total_seconds() < 5, "the declared schedule, and no other"
    assert time.monotonic() - began < 20
    world.sweep()
    assert len(world.sandbox.submissions()) == len(WAITS)


def test_a_code_documented_as_not_processed_waits_within_the_approval_and_the_delivery_budget(
    world: World, tmp_path: Path
) -> None:
    documented = '      not_processed: [{status: 503, source: "documented: guide, overload"}]\n      definitive:'
    world.sandbox.fault("status", status=503, headers={"Retry-After": "99999999"}, times=None)
    with rewired(tmp_path / "systems", replaced(("      definitive:", documented))):
        intent = world.done()
        assert (world.status(intent), intent.waiting) == ("approved", "not_delivered")
        assert intent.next_look_at is not None
        assert intent.next_look_at <= intent.authorization.expires_at
        assert (intent.next_look_at - now()).total_seconds() < 60
        for _ in range(2):
            world.hand_over(intent)
    assert world.status(intent) == "not_sent"
    assert Attempt.objects.filter(intent=intent, result="not_delivered").count() == 3, "the whole budget"
    assert world.sandbox.effects() == []


def test_a_hostile_body_is_cut_off_in_size_and_time_and_what_is_kept_of_it_is_short(world: World) -> None:
    for number, (name, fault) in enumerate(BODIES.items()):
        began = time.monotonic()
        intent = met(world, number, **fault)
        assert time.monotonic() - began < 6, name
        assert (name, world.status(intent)) == (name, "outcome_unknown")
    assert all(len(each.excerpt) <= 2000 for each in Evidence.objects.all())
    assert len(world.sandbox.submissions()) == len(world.sandbox.effects()) == len(BODIES)
    world.sandbox.clear_faults()
    refund = world.refund()
    for person in ("approver", "approver2"):
        world.sign(refund, by=person)
    assert world.status(world.hand_over(world.open(refund))) == "confirmed", "other orders flow on"


def test_an_excerpt_that_is_kept_is_short_masked_and_plain(world: World) -> None:
    told = {"note": "x" * 9000, "token": "sk-live-abcdef", "sign": "\u202e\u0007<script>alert(1)</script>"}
    world.sandbox.fault("status", status=500, body=told)
    intent = world.done()
    (kept,) = Evidence.objects.filter(intent=intent, source="answer")
    assert len(kept.excerpt) <= 2000
    assert not {"\u202e", "\u0007"} & set(kept.excerpt)
    assert "sk-live-abcdef" not in kept.excerpt
