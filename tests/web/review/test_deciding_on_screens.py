"""The approver's screens: what they show, what a click does, and what a click can never do."""

from collections.abc import Callable

import pytest
from django.db import connection

from approvals.models import Act, Authorization, Signature
from intents import stopping
from intents.models import Intent
from proposals.models import Proposal, Revision
from tests.web.people import Person
from tests.world import World
from web.doors import WroteWhileReading, reading_only

ACTS = ("approvals", "refusals", "change-requests", "revocations", "cancellations", "comments", "claims")


def decisions() -> tuple[int, ...]:
    """How many decisions of people exist."""
    tables = (Signature, Act, Authorization)
    claimed = Proposal.objects.filter(claimed_by__isnull=False).count()
    return (*(table.objects.count() for table in tables), claimed)  # type: ignore[attr-defined]  # models


def test_an_approver_signs_from_the_check_page_and_gets_a_receipt(world: World) -> None:
    proposal = world.propose("D-42")
    approver = Person(world, "approver")
    assert "open an internal review of D-42" in approver.text(f"/proposals/{proposal.public_id}/check/")
    answer = approver.sign(proposal.public_id)
    assert (answer.status_code, answer["Location"]) == (303, "/receipts/A-1/")
    signature = Signature.objects.get()
    receipt = approver.text("/receipts/A-1/")
    assert signature.digest in receipt
    assert world.revision(proposal).digest in receipt
    file = approver.open("/receipts/A-1/countersign.json")
    assert file.content == bytes(signature.payload)


def test_the_case_shows_target_reason_consequence_and_who_says_so(world: World) -> None:
    fact = {"label": "Invoice total", "value": "4 180.00", "source": "INV-2231", "observed_at": "2026-01-02T03:04:05Z"}
    proposal = world.propose("D-42", suggestion="The amounts differ.", facts=(fact,))
    html = Person(world, "approver").text(f"/proposals/{proposal.public_id}/")
    order = [html.index(f"<h2>{heading}</h2>") for heading in ("Target", "Reason", "Consequence")]
    assert order == sorted(order)
    assert "Written by agent “agent-a”, on behalf of Requester — not checked" in html
    for shown in ("INV-2231", "DONNEE_A_VERIFIER", "version 7", "Journal of this case"):
        assert shown in html


def test_words_of_an_agent_stay_words(world: World) -> None:
    said = "</script><img src=x onerror=alert(1)>{{7*7}}\n````\n[Approve](https://other.example) \u202eevil \u200b"
    proposal = world.propose("D-42", suggestion=said)
    html = Person(world, "approver").text(f"/proposals/{proposal.public_id}/")
    assert "<img src=x" not in html
    assert "{{7*7}}" in html
    assert "\u202e" not in html
    assert "\u200b" not in html
    assert "⟦U+202E⟧" in html
    assert "⟦U+200B⟧" in html


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("method", ["get", "head", "options"])
def test_fetching_the_address_of_an_act_changes_nothing(world: World, act: str, method: str) -> None:
    proposal = world.propose("D-42")
    before = decisions()
    answer = getattr(Person(world, "approver").client, method)(f"/proposals/{proposal.public_id}/{act}/")
    assert answer.status_code == 405
    assert decisions() == before


@pytest.mark.parametrize("act", ACTS)
def test_a_post_without_its_token_changes_nothing(world: World, act: str) -> None:
    proposal = world.propose("D-42")
    revision, before = world.revision(proposal), decisions()
    fields = {"revision": 1, "digest": revision.digest, "reason": "WRONG_TARGET", "words": "no"}
    answer = Person(world, "approver").client.post(f"/proposals/{proposal.public_id}/{act}/", fields)
    assert answer.status_code == 403
    assert decisions() == before


def test_an_act_of_somebody_signed_out_leads_to_the_case_and_changes_nothing(world: World) -> None:
    proposal = world.propose("D-42")
    approver = Person(world, "approver")
    form = approver.form(f"/proposals/{proposal.public_id}/check/", "approve-form")
    approver.client.cookies.pop("sessionid")
    answer = approver.send(f"/proposals/{proposal.public_id}/approvals/", form=form)
    assert answer["Location"] == f"/accounts/login/?next=/proposals/{proposal.public_id}/"
    assert Signature.objects.count() == 0


def test_pages_write_nothing(world: World) -> None:
    proposal = world.propose("D-42")
    approver = Person(world, "approver")
    for address in ("/", f"/proposals/{proposal.public_id}/", f"/proposals/{proposal.public_id}/check/"):
        assert approver.open(address).status_code == 200  # the guard is on: a write would have raised


def test_a_page_that_writes_is_stopped_before_the_database_hears_of_it(database: None) -> None:
    with reading_only(), connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        with pytest.raises(WroteWhileReading):
            cursor.execute("UPDATE proposals_proposal SET claimed_by_id = 1")
        with pytest.raises(WroteWhileReading):
            cursor.execute("WITH x AS (DELETE FROM approvals_act RETURNING id) SELECT * FROM x")


@pytest.fixture
def revised(world: World) -> tuple[Proposal, Callable[[], Proposal]]:
    """A proposal, and a way to give it another revision."""
    proposal = world.propose("D-42")

    def revise() -> Proposal:
        arguments = {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "ECART_MONTANT"}
        stopping.revise(
            world.caller(), proposal_id=proposal.pk, if_match=1, arguments=arguments, suggestion="Another reason."
        )
        proposal.refresh_from_db()
        return proposal

    return proposal, revise


def test_a_stale_page_cannot_sign_and_shows_what_changed(
    world: World, revised: tuple[Proposal, Callable[[], Proposal]]
) -> None:
    proposal, revise = revised
    approver = Person(world, "approver")
    form = approver.form(f"/proposals/{proposal.public_id}/check/", "approve-form")
    revise()
    answer = approver.send(f"/proposals/{proposal.public_id}/approvals/", form=form)
    html = answer.content.decode()
    assert answer.status_code == 409
    assert "revision 2 is the current one" in html
    assert "<del>DONNEE_A_VERIFIER</del>" in html
    assert "<ins>ECART_MONTANT</ins>" in html
    assert Signature.objects.count() == 0


def test_signing_twice_is_one_signature_and_a_calm_answer(world: World) -> None:
    proposal = world.propose("D-42")
    approver = Person(world, "approver")
    form = approver.form(f"/proposals/{proposal.public_id}/check/", "approve-form")
    address = f"/proposals/{proposal.public_id}/approvals/"
    assert approver.send(address, form=form).status_code == 303
    again = approver.send(address, form=form)
    assert again.status_code == 409
    assert "Approved by you" in again.content.decode()
    assert Signature.objects.count() == 1


def test_the_second_of_two_people_learns_who_was_quicker(world: World) -> None:
    proposal = world.propose("D-42")
    first, second = Person(world, "approver"), Person(world, "approver2")
    form = second.form(f"/proposals/{proposal.public_id}/", "refuse-form")
    first.sign(proposal.public_id)
    answer = second.send(f"/proposals/{proposal.public_id}/refusals/", form=form, reason="WRONG_TARGET")
    assert answer.status_code == 409
    assert "Approved by Approver" in answer.content.decode()
    assert Act.objects.count() == 0


def test_a_refusal_has_a_reason_and_closes_the_case(world: World) -> None:
    proposal = world.propose("D-42")
    approver, case = Person(world, "approver"), f"/proposals/{proposal.public_id}/"
    form = approver.form(case, "refuse-form")
    assert approver.send(f"{case}refusals/", form=form).status_code == 422
    assert approver.send(f"{case}refusals/", form=form, reason="MADE_UP").status_code == 422
    assert approver.send(f"{case}refusals/", form=form, reason="NOT_JUSTIFIED", words="No.").status_code == 303
    assert world.status(proposal) == "rejected"


def test_an_error_is_told_beside_the_field_and_nothing_typed_is_lost(world: World) -> None:
    proposal = world.propose("D-42")
    approver, case = Person(world, "approver"), f"/proposals/{proposal.public_id}/"
    answer = approver.send(
        f"{case}change-requests/", form=approver.form(case, "change-form"), words="Keep these <words>"
    )
    html = answer.content.decode()
    assert answer.status_code == 422
    assert 'href="#change-reason"' in html
    assert "Keep these &lt;words&gt;" in html
    assert world.status(proposal) == "awaiting_approval"


def test_changes_are_asked_for_with_a_reason(world: World) -> None:
    proposal = world.propose("D-42")
    approver, case = Person(world, "approver"), f"/proposals/{proposal.public_id}/"
    approver.send(f"{case}change-requests/", form=approver.form(case, "change-form"), reason="REASON", words="Why?")
    assert world.status(proposal) == "changes_requested"
    assert "Why?" in approver.text(case)


def test_revoking_before_hand_over_stops_it_and_afterwards_is_too_late(world: World) -> None:
    approver = Person(world, "approver")
    early, late = world.propose("D-42"), world.propose("D-44", arguments=review_of("D-44", 3))
    for proposal in (early, late):
        approver.sign(proposal.public_id)
    forms = {one.pk: approver.form(f"/proposals/{one.public_id}/", "revoke-form") for one in (early, late)}
    world.hand_over(world.open(late))
    for proposal, code in ((early, 303), (late, 409)):
        answer = approver.send(
            f"/proposals/{proposal.public_id}/revocations/", form=forms[proposal.pk], reason="MISTAKE"
        )
        assert answer.status_code == code
    assert (world.status(early), world.status(late)) == ("revoked", "confirmed")


def review_of(target: str, version: int) -> dict[str, object]:
    """The arguments of a review."""
    return {"dossier_ref": target, "expected_version": version, "reason_code": "ECART_MONTANT"}


def test_who_is_asked_for_it_cannot_sign_it(world: World) -> None:
    proposal = world.propose("D-42")
    revision = world.revision(proposal)
    requester = Person(world, "requester")
    assert 'id="approve-form"' not in requester.text(f"/proposals/{proposal.public_id}/check/")
    token = requester.form(f"/proposals/{proposal.public_id}/", "comment-form")
    answer = requester.send(
        f"/proposals/{proposal.public_id}/approvals/", form=token, revision="1", digest=revision.digest
    )
    assert answer.status_code == 403
    assert Signature.objects.count() == 0


@pytest.mark.parametrize("stranger", ["stranger", "approver-b", "support-b"])
@pytest.mark.parametrize("path", ["", "check/", "?revision=1"])
def test_a_foreign_case_and_a_missing_one_are_the_same_page(world: World, stranger: str, path: str) -> None:
    world.propose("D-42")
    person = Person(world, stranger)
    foreign, missing = person.open(f"/proposals/P-1/{path}"), person.open(f"/proposals/P-9/{path}")
    assert (foreign.status_code, missing.status_code) == (404, 404)
    without_address = [page.content.decode().replace("P-9", "P-1") for page in (foreign, missing)]
    tokens = [page.split('name="csrfmiddlewaretoken"')[0] for page in without_address]
    assert tokens[0] == tokens[1]
    assert "D-42" not in without_address[0]


def test_the_inbox_puts_consequence_first_and_shows_only_what_one_may_decide(world: World) -> None:
    review, refund = world.propose("D-42"), world.refund()
    html = Person(world, "approver").text("/")
    assert html.index(f"/proposals/{refund.public_id}/") < html.index(f"/proposals/{review.public_id}/")
    for other in ("requester", "approver-b", "stranger", "support"):
        assert "/proposals/P-" not in Person(world, other).text("/")


def test_claiming_shows_who_is_on_it_and_taking_over_asks_why(world: World) -> None:
    proposal = world.propose("D-42")
    first, second = Person(world, "approver"), Person(world, "approver2")
    case, address = f"/proposals/{proposal.public_id}/", f"/proposals/{proposal.public_id}/claims/"
    first.send(address, form=first.form(case, "claim-form"))
    assert "Approver is on it" in second.text("/")
    form = second.form(case, "claim-form")
    assert second.send(address, form=form).status_code == 422
    assert second.send(address, form=form, why="Approver is on holiday.").status_code == 303
    assert second.sign(proposal.public_id).status_code == 303


def test_a_live_part_that_changed_nothing_costs_nothing(world: World) -> None:
    proposal = world.propose("D-42")
    approver, case = Person(world, "approver"), f"/proposals/{proposal.public_id}/"
    tag = approver.open(case)["ETag"]
    headers = {"HTTP_HX_REQUEST": "true", "HTTP_IF_NONE_MATCH": tag}
    answers = {approver.open(case, **headers).status_code for _ in range(2)}
    assert 304 in answers  # the minute may turn between two of them
    world.sign(proposal, by="approver2")
    assert approver.open(case, **headers).status_code == 200


def test_an_order_that_waits_says_on_what(world: World) -> None:
    intent = world.approved("D-42")
    world.stop()
    world.hand_over(intent)
    assert Intent.objects.get(pk=intent.pk).waiting == "admissions"
    assert "Waiting" in Person(world, "approver").text(f"/proposals/{intent.revision.proposal.public_id}/")


def test_an_older_revision_is_read_and_not_decided(
    world: World, revised: tuple[Proposal, Callable[[], Proposal]]
) -> None:
    proposal, revise = revised
    revise()
    html = Person(world, "approver").text(f"/proposals/{proposal.public_id}/?revision=1")
    assert "This is revision 1, an older one" in html
    assert 'id="refuse-form"' not in html
    assert Revision.objects.filter(proposal=proposal).count() == 2


def test_french_pages_hold_french(world: World) -> None:
    proposal = world.propose("D-42")
    approver = Person(world, "approver")
    token = approver.form(f"/proposals/{proposal.public_id}/", "comment-form")
    answer = approver.send(
        "/preferences/language/", form=token, language="fr", next=f"/proposals/{proposal.public_id}/"
    )
    assert answer["Location"] == f"/proposals/{proposal.public_id}/"
    html = approver.text(f"/proposals/{proposal.public_id}/check/")
    assert 'lang="fr"' in html
    assert "ouvrir une revue interne de D-42" in html
    assert "Votre signature expire" in html


def test_while_admissions_are_stopped_a_signature_is_refused_in_words_and_the_page_says_so_before(world: World) -> None:
    proposal, approver = world.propose("D-42"), Person(world, "approver")
    case = f"/proposals/{proposal.public_id}/"
    assert "Admissions are stopped" not in approver.text(f"{case}check/")
    world.stop("tool", "ouvrir_revue_dossier")
    for address in (case, f"{case}check/"):
        assert "Admissions are stopped for ouvrir_revue_dossier" in approver.text(address)
    answer = approver.sign(proposal.public_id)
    text = answer.content.decode()
    assert (answer.status_code, Signature.objects.count()) == (409, 0)
    for words in ("Nothing was signed", "drill", "until an operator resumes them"):
        assert words in text
    assert "admissions are stopped" in approver.text(case), "the journal of the case says it in words"
    world.resume("tool", "ouvrir_revue_dossier")
    assert approver.sign(proposal.public_id).status_code == 303


def test_the_last_check_before_hand_over_is_read_in_words(world: World) -> None:
    sent = world.done("D-42")
    case = f"/proposals/{sent.revision.proposal.public_id}/"
    text = Person(world, "approver").text(case)
    for words in (
        "The file must be active.",
        "target.state == &#x27;active&#x27;",
        "case manager",
        "approver · review lead",
    ):
        assert words in text
    assert "case_manager" not in text
    french = Person(world, "approver").open(case, HTTP_ACCEPT_LANGUAGE="fr").content.decode()
    assert "Le dossier doit être actif." in french
