"""Webhooks: every status is told, signed, to its own agent's address alone; again until heard; and nowhere inside."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from approvals import deciding
from intents import notifying, stopping, subscribing, telling, verifying
from intents.models import Fact, Notice, Telling, Webhook
from journal.kinds import Kind
from journal.recording import Actor
from systems.addresses import UnsafeAddress
from tests.hooking import Ear, ear
from tests.world import World


@pytest.fixture
def listener(settings: Any) -> Iterator[Ear]:
    """An address on this machine, which the operator of the server allowed."""
    settings.WEBHOOK_HOSTS, settings.WEBHOOK_ALLOW_PRIVATE = ["127.0.0.1"], True
    with ear() as listening:
        yield listening


def subscribed(world: World, listener: Ear, *, agent: str = "agent-a") -> tuple[Webhook, str]:
    return subscribing.add(actor=world.people["operator"], agent=world.caller(agent).agent, url=listener.url)


def told() -> int:
    """A worker does what the sweep asks for."""
    while notifying.write_notices():
        pass
    return notifying.deliver()


def due_now() -> None:
    Notice.objects.filter(state="waiting").update(next_try_at="2020-01-01T00:00:00Z")


def heard(listener: Ear) -> list[tuple[str, str, int]]:
    bodies = [json.loads(body) for _headers, body in listener.heard]
    return [(body["id"], body["status"], body["revision"]) for body in bodies]


def test_the_database_leaves_a_fact_for_the_kinds_that_may_begin_a_status(world: World) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = 'intents_leave_fact'")
        (trigger,) = cursor.fetchone()
    assert {kind for kind in Kind if f"'{kind}'" in trigger} == telling.KINDS


def test_every_status_of_a_story_is_told_as_it_was_read_then(world: World, listener: Ear) -> None:
    _webhook, secret = subscribed(world, listener)
    read: list[tuple[str, str, int]] = []

    def now(proposal: Any) -> None:
        stands = world.standing(proposal)
        row = (proposal.public_id, str(stands.status), stands.revision)
        if row not in read:
            read.append(row)

    world.sandbox.fault("drop_after_effect")
    first = world.propose()
    now(first)
    world.sign(first)
    now(first)
    intent = world.open(first)
    world.hand_over(intent)
    read.append((first.public_id, "in_progress", 1))
    now(first)
    assert read[-1][1] == "outcome_unknown"
    verifying.probe(intent.pk, actor=Actor.worker("test"))
    now(first)
    second = world.propose(session="another")
    now(second)
    shown = world.revision(second)
    deciding.request_changes(
        person=world.people["approver"],
        proposal_id=second.pk,
        revision=1,
        digest=shown.digest,
        reason="REASON",
        words="Why?",
    )
    now(second)
    stopping.withdraw(world.caller(), proposal_id=second.pk)
    now(second)
    third = world.propose(tool="chercher_dossier", arguments={"numero": "A-4417"})
    now(third)
    assert told() == len(read)
    assert heard(listener) == read
    for headers, body in listener.heard:
        Verifier(secret).verify(body, headers)
        assert list(json.loads(body)) == ["id", "status", "revision"]
    with pytest.raises(WebhookVerificationError):
        Verifier(secret).verify(listener.heard[0][1], listener.heard[1][0])
    assert len({headers["webhook-id"] for headers, _ in listener.heard}) == len(read)
    assert (told(), Fact.objects.exists()) == (0, False)


def test_another_agent_is_not_told_and_where_nobody_listens_nothing_is_left(world: World, listener: Ear) -> None:
    world.propose()
    assert not Fact.objects.exists()
    subscribed(world, listener, agent="agent-b")
    world.propose(session="again")
    assert Fact.objects.count() == 1
    assert (told(), listener.heard, Notice.objects.count()) == (0, [], 0)


def test_what_is_not_heard_is_told_again_later_with_the_same_id_and_given_up_at_last(
    world: World, listener: Ear
) -> None:
    subscribed(world, listener)
    listener.answers = [500, 302, 204, 410]
    world.propose()
    assert (told(), told()) == (0, 0), "it is not told again before its time"
    due_now()
    assert told() == 0, "a redirection is neither followed nor taken for an answer"
    due_now()
    assert told() == 1
    assert len({headers["webhook-id"] for headers, _ in listener.heard}) == 1
    assert list(Telling.objects.order_by("pk").values_list("status", flat=True)) == [500, 302, 204]
    world.propose(session="two")
    told()
    gone = Notice.objects.latest("pk")
    assert (gone.state, gone.next_try_at) == ("given_up", None)
    assert notifying.replay(person=world.people["operator"], notice=gone)
    gone.refresh_from_db()
    assert (gone.state, gone.tellings.latest("pk").person) == ("delivered", world.people["operator"])
    spent = Notice(state="waiting", tries=len(telling.AGAIN_AFTER) + 1)
    assert notifying._later(spent, status=500, now=gone.at)["state"] == "given_up"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/x",
        "https://169.254.169.254/",
        "https://elsewhere.example/",
        "https://user@hooks.example/",
        "ftp://hooks.example/",
        "https://hooks.example/?a=b",
    ],
)
def test_an_address_nobody_allowed_is_never_added(world: World, settings: Any, url: str) -> None:
    settings.WEBHOOK_HOSTS = ["hooks.example", "127.0.0.1", "169.254.169.254"]
    with pytest.raises(UnsafeAddress):
        subscribing.add(actor=world.people["operator"], agent=world.caller().agent, url=url)
    assert not Webhook.objects.exists()


def test_an_address_is_asked_for_again_each_time_and_an_ended_one_is_left_alone(world: World, listener: Ear) -> None:
    webhook, _secret = subscribed(world, listener)
    with pytest.raises(subscribing.AlreadyTold):
        subscribed(world, listener)
    world.propose()
    settings.WEBHOOK_ALLOW_PRIVATE = False
    told()
    assert (Telling.objects.get().fault, listener.heard) == ("address", [])
    settings.WEBHOOK_ALLOW_PRIVATE = True
    assert subscribing.end(actor=world.people["operator"], webhook=webhook)
    assert not subscribing.end(actor=world.people["operator"], webhook=webhook)
    due_now()
    told()
    assert (Telling.objects.latest("pk").fault, listener.heard) == ("ended", [])
    subscribed(world, listener)


def test_the_secret_is_kept_nowhere(world: World, listener: Ear) -> None:
    webhook, secret = subscribed(world, listener)
    assert secret.startswith("whsec_")
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_jsonb(w)::text FROM intents_webhook w")
        assert secret not in cursor.fetchone()[0]
        cursor.execute("SELECT string_agg(encode(body, 'escape'), '') FROM journal_entry")
        assert secret.removeprefix("whsec_") not in cursor.fetchone()[0]
    assert subscribing.secret_of(webhook) == secret
