"""Late, repeated and contradictory news is appended and never overwrites; on a settled intent it opens a case."""

import pytest
from django.db import transaction

from intents import queries, reconciling, verifying
from intents.establishing import Seen, learn
from intents.evidence import Judgement, Verdict
from intents.holding import hold
from intents.models import Case, Evidence, Intent
from journal.clock import now
from journal.recording import Actor
from tests.intents.desk import conclude, lost_after_effect, lost_without_effect, take
from tests.world import World

FIELDS = {"request_ref": "R-98", "dossier_ref": "D-42", "reason_code": "DONNEE_A_VERIFIER"}


def news(intent: Intent, verdict: Verdict) -> None:
    """An observation with this verdict arrives from outside, late."""
    with transaction.atomic(durable=True):
        held = hold(intent.pk)
        judgement = Judgement(verdict, "test", (), FIELDS if verdict is not Verdict.DISPROVES else {})
        seen = Seen(Evidence.Source.CALLBACK, judgement, attempt=max(held.intent.attempt, 1), late=True)
        learn(held, seen, actor=Actor.server(), now=now())
    intent.refresh_from_db()


def test_a_late_refusal_never_erases_a_confirmation_and_opens_a_case(world: World) -> None:
    intent = world.done()
    news(intent, Verdict.DISPROVES)
    assert (intent.state, world.status(intent)) == ("confirmed", "confirmed")
    assert Case.objects.get().kind == "diverged"
    assert Evidence.objects.filter(intent=intent).count() == 2


def test_the_same_news_twice_changes_nothing_more(world: World) -> None:
    intent = world.done()
    news(intent, Verdict.PROVES)
    news(intent, Verdict.PROVES)
    assert (intent.state, intent.confirmed_by) == ("confirmed", "answer")
    assert not Case.objects.exists()


def test_a_late_definitive_refusal_on_an_unknown_is_evidence_and_a_person_concludes(world: World) -> None:
    intent = lost_without_effect(world)
    news(intent, Verdict.DISPROVES)
    assert world.status(intent) == "outcome_unknown"


@pytest.mark.parametrize("verdict", [Verdict.PROVES, Verdict.CONTRADICTS])
def test_an_effect_found_on_what_people_closed_as_not_executed_reads_diverged(world: World, verdict: Verdict) -> None:
    intent = lost_without_effect(world)
    take(world, intent)
    conclude(world, intent, "did_not_happen", then="close")
    news(intent, verdict)
    assert (intent.state, world.status(intent)) == ("not_executed", "diverged")
    assert Case.objects.get(closed_at__isnull=True).kind == "diverged"
    assert world.standing(intent).responsible == {"role": "support", "person": None}


def test_a_divergence_is_closed_apart_and_frees_the_object(world: World) -> None:
    world.sandbox.fault("wrong_target")
    intent = world.done()
    other = world.approved(arguments={"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"})
    assert world.hand_over(other).waiting_on == intent.public_id
    case = take(world, intent)
    reconciling.close_divergence(
        person=world.people["support"],
        intent_id=intent.pk,
        version=case.version,
        how="accepted",
        words="The team keeps it as it is.",
    )
    assert world.status(intent) == "diverged"
    assert world.hand_over(other).state == "confirmed"


@pytest.mark.parametrize("how", ["accepted", "compensated"])
def test_an_effect_that_was_found_is_not_denied_once_its_case_is_closed(world: World, how: str) -> None:
    intent = lost_without_effect(world)
    take(world, intent)
    conclude(world, intent, "did_not_happen", then="close")
    news(intent, Verdict.PROVES)
    version = take(world, intent).version
    reconciling.close_divergence(
        person=world.people["support"], intent_id=intent.pk, version=version, how=how, words="Settled with the team."
    )
    told = world.standing(intent)
    assert (told.status, told.responsible, told.retryable) == ("diverged", None, False)
    assert "People closed the matter" in told.statement
    assert "is on it" not in told.statement
    assert told.next_step == "Nothing more to do."


def test_a_compensation_that_names_the_effect_passes_its_case_and_nothing_else_does(world: World) -> None:
    world.business_system_duplicates = True
    intent = lost_after_effect(world)
    (effect,) = world.sandbox.effects()
    world.sandbox.call("POST", "/review-requests", effect["arguments"])
    verifying.probe(intent.pk)
    assert world.status(intent) == "diverged"
    effects = Evidence.objects.filter(verdict="contradicts").latest("pk").fields["effects"]
    other = world.approved(arguments={"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"})
    assert world.hand_over(other).waiting == "fence"
    undo = world.propose(
        tool="annuler_revue_dossier", arguments={"dossier_ref": "D-42", "request_ref": effects[0]["request_ref"]}
    )
    world.sign(undo)
    handed = world.hand_over(world.open(undo))
    assert handed.waiting != "fence"
    assert handed.attempt == 1


def test_a_foreign_answer_leaves_nothing_but_its_digest(world: World) -> None:
    world.sandbox.fault("other_reference")
    world.sandbox.fault("status", route="GET /review-requests", times=None, status=503, effect=False)
    intent = world.done()
    assert (world.status(intent), intent.cause) == ("outcome_unknown", "foreign_reference")
    evidence = Evidence.objects.get(source="answer")
    assert (evidence.fields, evidence.excerpt, evidence.rules) == ({}, "", [])
    assert evidence.digest.startswith("sha256:")


def test_a_spent_schedule_tells_the_role_once_and_goes_on_as_unknown(world: World) -> None:
    intent = lost_without_effect(world)
    for _ in range(5):
        verifying.probe(intent.pk)
    intent.refresh_from_db()
    assert (intent.state, intent.probes_made, intent.next_probe_at) == ("unknown", 3, None)
    view = queries.case(world.people["support"], intent.public_id)
    assert view.case is not None
    assert view.case.escalated_at is not None
    assert [told.kind for told in view.journal].count("reconciliation.escalated") == 1


def test_an_order_that_was_accepted_and_never_carried_out_becomes_unknown_past_its_outcome_deadline(
    world: World,
) -> None:
    world.publish("ouvrir_revue_dossier-2", version="3", policy={"outcome_within": "PT1S"})
    world.sandbox.fault("accept_202_never")
    intent = world.done()
    assert world.status(intent) == "accepted_by_target"
    Intent.objects.filter(pk=intent.pk).update(deadline="2020-01-01T00:00:00Z")
    assert world.status(intent) == "outcome_unknown", "a read says so before any sweep"
    world.sweep()
    intent.refresh_from_db()
    assert (intent.state, intent.cause) == ("unknown", "outcome_deadline")


def test_an_effect_found_after_losing_the_answer_is_confirmed_by_the_probe(world: World) -> None:
    intent = lost_after_effect(world)
    verifying.probe(intent.pk)
    intent.refresh_from_db()
    assert (intent.state, intent.confirmed_by) == ("confirmed", "probe")
    assert world.standing(intent).references["request_ref"].startswith("R-")
