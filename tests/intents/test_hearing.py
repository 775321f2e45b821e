"""What a business system tells by itself is evidence about one intent of one organization, once, in order of events."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connections

from intents import dispatching, verifying
from intents.models import Callback, Case, Evidence, Intent
from journal.models import Entry
from tests.calling_back import configured, post, told
from tests.intents.desk import lost_after_effect, lost_without_effect
from tests.processes import until
from tests.world import World


@pytest.fixture(autouse=True)
def calling_back(world: World, tmp_path: Path) -> Iterator[None]:
    """The review desk calls back."""
    with configured(tmp_path):
        yield


def test_a_true_message_with_every_field_confirms_and_is_evidence_of_its_own_source(world: World) -> None:
    intent = lost_after_effect(world)
    assert post(told(intent)).status_code == 204
    intent.refresh_from_db()
    assert (intent.state, intent.confirmed_by) == ("confirmed", "callback")
    evidence = Evidence.objects.get(source="callback")
    assert evidence.observed_at is not None
    assert evidence.observed_at < evidence.at
    assert len(world.sandbox.submissions()) == 1


def test_the_same_event_is_taken_in_once(world: World) -> None:
    intent = lost_after_effect(world)
    news = told(intent)
    assert [post(news, event="e-1").status_code for _ in range(3)] == [204, 204, 204]
    assert (Callback.objects.count(), Evidence.objects.filter(source="callback").count()) == (1, 1)


@pytest.mark.parametrize("changes", [{"request_ref": None}, {"event": "review_request.done"}])
def test_a_claim_without_its_fields_or_without_a_rule_proves_nothing_and_is_looked_up(
    world: World, changes: dict[str, object]
) -> None:
    intent = lost_without_effect(world)
    Intent.objects.filter(pk=intent.pk).update(next_probe_at=None, probes_made=3)
    assert post(told(intent, **changes)).status_code == 204  # type: ignore[arg-type]  # `event` may be one of them
    intent.refresh_from_db()
    assert (intent.state, intent.next_probe_at is not None) == ("unknown", True)
    verifying.probe(intent.pk)
    intent.refresh_from_db()
    assert (intent.state, intent.next_probe_at) == ("unknown", None)


def test_a_message_about_another_object_than_approved_diverges(world: World) -> None:
    intent = lost_without_effect(world)
    post(told(intent, dossier_ref="D-43"))
    assert world.status(intent) == "diverged"


def test_a_documented_refusal_after_acceptance_is_a_refusal_and_on_an_unknown_only_evidence(world: World) -> None:
    world.sandbox.fault("accept_202_never")
    intent = world.done()
    post(told(intent, "review_request.expired"))
    assert world.status(intent) == "refused_by_target"
    other = lost_without_effect(world)
    post(told(other, "review_request.expired"))
    assert world.status(other) == "outcome_unknown"


def test_whoever_did_not_sign_gets_the_same_bytes_whatever_it_names_and_is_told_in_the_journal(world: World) -> None:
    intent = lost_without_effect(world)
    forged = post(told(intent), secret="not-the-secret-at-all")
    answers = [
        forged,
        post(told(intent), system="nowhere"),
        post(told(intent), system="payments"),
        post(told(intent), late=600),
        post(told(intent), late=-600),
        post(b"{", secret="not-the-secret-at-all"),
    ]
    assert {(answer.status_code, answer.content) for answer in answers} == {(401, forged.content)}
    assert Entry.objects.filter(kind="callback.refused").count() >= len(answers)
    assert (world.status(intent), Evidence.objects.filter(source="callback").exists()) == ("outcome_unknown", False)


def test_a_reference_of_another_organization_is_missing_like_one_of_nobody(world: World) -> None:
    intent = lost_without_effect(world)
    foreign = post(told(intent), signer="other")
    nobody = post({**told(intent), "client_ref": "7c1d0f9e-52b4-4a7e-9a65-0d2b6a6f1c45"})
    upper = post({**told(intent), "client_ref": str(intent.reference).upper()})
    assert {(one.status_code, one.content) for one in (foreign, nobody, upper)} == {(404, foreign.content)}
    assert Entry.objects.filter(kind="callback.refused", organization=world.other.pk).count() == 1
    assert world.status(intent) == "outcome_unknown"


@pytest.mark.parametrize("body", [b"[]", b'{"client_ref": 7}', b'{"client_ref": "a", "client_ref": "b"}', b"\xff"])
def test_a_signed_message_that_cannot_be_understood_is_a_400_and_changes_nothing(world: World, body: bytes) -> None:
    assert post(body).status_code == 400
    assert Callback.objects.count() == 0


def test_a_message_that_overtakes_the_answer_settles_it_and_the_answer_is_late_evidence(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    intent = world.approved()
    assert post(told(intent), system="nowhere").status_code == 401  # whatever is slow the first time is over
    monkeypatch.setenv("COUNTERSIGN_FAILPOINT", "handed_over:sleep=1.2")

    def send() -> None:
        dispatching.hand_over(intent.pk, worker="slow")
        connections.close_all()

    sender = threading.Thread(target=send)
    sender.start()
    until(world.sandbox.effects)
    post(told(intent))
    assert world.status(intent) == "confirmed"
    sender.join()
    intent.refresh_from_db()
    assert (intent.state, intent.confirmed_by) == ("confirmed", "callback")
    assert Evidence.objects.filter(source="answer", late=True, verdict="proves").exists()
    assert not Case.objects.exists()
