"""A stale page, a GET on any decision address, and a POST without its CSRF token change nothing."""

import pytest

from approvals.models import Act, Signature
from intents import stopping
from intents.models import Conclusion, Intent
from proposals.models import Proposal
from tests.scenarios.conftest import Line
from tests.world import World

DECISIONS = (
    "approvals",
    "refusals",
    "change-requests",
    "revocations",
    "cancellations",
    "comments",
)


def counts() -> tuple[object, ...]:
    """Everything a decision would change."""
    return (
        list(Proposal.objects.values_list("state", "claimed_by", "chain_length")),
        list(Intent.objects.values_list("state", "attempt")),
        Signature.objects.count(),
        Act.objects.count(),
        Conclusion.objects.count(),
    )


def revise(world: World, proposal: Proposal) -> None:
    """The agent corrects the reason."""
    stopping.revise(
        world.caller(),
        proposal_id=proposal.pk,
        if_match=proposal.current_revision,
        arguments={"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"},
        suggestion="A document is missing.",
        facts=(),
    )


def test_a_stale_page_signs_nothing_and_shows_what_changed(doors: Line) -> None:
    proposal = doors.world.propose()
    person = doors.person()
    fields = person.form(f"/proposals/{proposal.public_id}/check/", "approve-form")
    revise(doors.world, proposal)
    before = counts()
    answer = person.post(f"/proposals/{proposal.public_id}/approvals/", fields)
    assert answer.status_code == 409
    assert "PIECE_MANQUANTE" in answer.text
    assert "DONNEE_A_VERIFIER" in answer.text
    assert counts() == before


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_reading_any_decision_address_changes_nothing(doors: Line, method: str) -> None:
    doors.world.sandbox.fault("drop_after_effect")
    waiting = doors.world.propose("D-51", arguments=_review(doors.world, "D-51"))
    unknown = doors.world.done()
    before = counts()
    clients = [doors.person(name).http for name in ("approver", "support", "requester")]
    paths = [f"/proposals/{p.public_id}/{act}/" for p in (waiting, unknown.revision.proposal) for act in DECISIONS]
    paths += [f"/proposals/{waiting.public_id}/", f"/proposals/{waiting.public_id}/check/", "/", "/reconciliation/"]
    paths += [
        f"/reconciliation/{unknown.public_id}/{act}/"
        for act in ("ownership", "probes", "evidence", "conclusions", "attempts")
    ]
    paths.append(f"/reconciliation/{unknown.public_id}/")
    for client in clients:
        for path in paths:
            assert client.request(method, path).status_code < 500, path
    assert counts() == before
    assert len(doors.world.sandbox.submissions()) == 1


def test_a_post_without_its_csrf_token_changes_nothing(doors: Line) -> None:
    proposal = doors.world.propose()
    person = doors.person()
    fields = person.form(f"/proposals/{proposal.public_id}/check/", "approve-form")
    fields.pop("csrfmiddlewaretoken")
    before = counts()
    for act in DECISIONS:
        answer = person.post(f"/proposals/{proposal.public_id}/{act}/", {**fields, "reason": "OTHER", "words": "x"})
        assert answer.status_code == 403, act
    cookies_only = person.http.post(f"/api/v1/proposals/{proposal.public_id}/withdrawal", json={})
    assert cookies_only.status_code == 401, "cookies never authenticate the agents' door"
    assert counts() == before


def test_signing_twice_at_once_leaves_one_signature_and_a_calm_answer(line: Line) -> None:
    from tests.scenarios.test_boundaries import in_threads

    proposal = line.world.propose().public_id
    person = line.person()
    fields = person.form(f"/proposals/{proposal}/check/", "approve-form")
    answers = in_threads(*[lambda: person.post(f"/proposals/{proposal}/approvals/", fields).status_code] * 2)
    assert set(answers) <= {200, 409}, answers
    assert 200 in answers
    assert Signature.objects.count() == 1
    line.agent().wait_for(proposal, "confirmed")
    assert len(line.world.sandbox.submissions()) == 1


def _review(world: World, target: str) -> dict[str, object]:
    version = world.sandbox.call("GET", f"/dossiers/{target}")["version"]
    return {"dossier_ref": target, "expected_version": version, "reason_code": "ECART_MONTANT"}
