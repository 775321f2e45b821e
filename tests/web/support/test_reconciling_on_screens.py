"""The desk: whose case it is, what may be concluded when, and that nothing there causes a second effect."""

import time

import pytest

from intents.models import Case, Conclusion, Evidence, Intent
from tests.web.people import Person
from tests.world import World


@pytest.fixture
def unknown(world: World) -> Intent:
    """An order whose answer was lost before any effect, past every delay."""
    world.sandbox.fault("drop_before_effect")
    intent = world.done("D-42")
    assert intent.state == "unknown"
    return intent


def later(intent: Intent) -> None:
    """Wait until absence means something."""
    intent.refresh_from_db()
    assert intent.absence_meaningful_at is not None
    from journal.clock import now

    while now() < intent.absence_meaningful_at:
        time.sleep(0.1)


def taken(world: World, intent: Intent, *, by: str = "support") -> tuple[Person, str]:
    """The person has taken the case."""
    person, address = Person(world, by), f"/reconciliation/{intent.public_id}/"
    assert person.send(f"{address}ownership/", form=person.form(address, "take-form")).status_code == 303
    return person, address


def test_the_desk_lists_the_unknown_and_names_its_owner_once_taken(world: World, unknown: Intent) -> None:
    assert "nobody yet, role support" in Person(world, "support").text("/reconciliation/")
    taken(world, unknown)
    assert "yours" in Person(world, "support").text("/reconciliation/?tab=mine")
    assert world.standing(unknown).responsible == {"role": "support", "person": "Support"}


def test_did_not_happen_is_not_offered_before_absence_means_something(world: World, unknown: Intent) -> None:
    support, address = taken(world, unknown)
    form = support.form(address, "conclude-form")
    said = {"finding": "did_not_happen", "then": "close", "reason": "SEARCHED_NOT_FOUND", "words": "Not there."}
    Intent.objects.filter(pk=unknown.pk).update(absence_meaningful_at="2999-01-01T00:00:00Z")
    assert "Not possible yet" in support.text(address)
    assert support.send(f"{address}conclusions/", form=form, **said).status_code == 409
    Intent.objects.filter(pk=unknown.pk).update(absence_meaningful_at=unknown.absence_meaningful_at)
    later(unknown)
    assert support.send(f"{address}conclusions/", form=form, **said).status_code == 303
    assert world.status(unknown) == "not_executed"


def test_a_new_attempt_is_signed_afresh_by_others(world: World, unknown: Intent) -> None:
    support, address = taken(world, unknown)
    assert "A new attempt exists only after" in support.text(address)
    later(unknown)
    form = support.form(address, "conclude-form")
    said = {"reason": "SEARCHED_NOT_FOUND", "words": "I searched; nothing there."}
    assert support.send(f"{address}attempts/", form=form, **said).status_code == 303
    unknown.refresh_from_db()
    assert unknown.state == "reopened"
    assert f"/proposals/{unknown.revision.proposal.public_id}/" in Person(world, "approver2").text("/")
    assert Person(world, "approver2").sign(unknown.revision.proposal.public_id).status_code == 303


def test_happened_needs_every_field_and_keeps_what_was_typed(world: World, unknown: Intent) -> None:
    support, address = taken(world, unknown)
    form = support.form(address, "conclude-form")
    answer = support.send(
        f"{address}conclusions/",
        form=form,
        finding="happened",
        happened_reason="SEEN_IN_BUSINESS_SYSTEM",
        field_dossier_ref="D-42",
        happened_words="I saw it <there>",
    )
    html = answer.content.decode()
    assert answer.status_code == 422
    assert 'href="#field_request_ref"' in html
    assert "I saw it &lt;there&gt;" in html
    assert Conclusion.objects.count() == 0


def test_an_act_on_an_older_page_is_refused(world: World, unknown: Intent) -> None:
    support, address = taken(world, unknown)
    stale = support.form(address, "evidence-form")
    assert support.send(f"{address}evidence/", form=stale, words="First look.").status_code == 303
    answer = support.send(f"{address}evidence/", form=stale, words="Second look.")
    assert answer.status_code == 409
    assert "Second look." in answer.content.decode()
    assert Evidence.objects.filter(source="person").count() == 1


def test_taking_over_asks_why(world: World, unknown: Intent) -> None:
    taken(world, unknown)
    other, address = Person(world, "support2"), f"/reconciliation/{unknown.public_id}/"
    form = other.form(address, "take-form")
    assert other.send(f"{address}ownership/", form=form).status_code == 422
    assert other.send(f"{address}ownership/", form=form, why="Support is away.").status_code == 303
    assert Case.objects.get().owner == world.people["support2"]


def test_handing_over_names_a_colleague_with_the_role(world: World, unknown: Intent) -> None:
    support, address = taken(world, unknown)
    form = support.form(address, "hand-over-form")
    refused = support.send(f"{address}ownership/", form=form, to="approver", why="You know it.")
    assert refused.status_code == 422
    assert support.send(f"{address}ownership/", form=form, to="support2", why="You know it.").status_code == 303
    assert Case.objects.get().owner == world.people["support2"]


def test_a_probe_from_the_page_sends_nothing_but_a_search(world: World, unknown: Intent) -> None:
    support, address = taken(world, unknown)
    sent = len(world.sandbox.submissions())
    assert support.send(f"{address}probes/", form=support.form(address, "probe-form")).status_code == 303
    assert Evidence.objects.filter(source="probe", person=world.people["support"]).count() == 1
    assert len(world.sandbox.submissions()) == sent


@pytest.mark.parametrize("act", ["ownership", "probes", "evidence", "conclusions", "seconds", "closings", "attempts"])
def test_fetching_an_act_of_the_desk_or_posting_without_token_changes_nothing(
    world: World, unknown: Intent, act: str
) -> None:
    before = list(Case.objects.values())
    client, address = Person(world, "support").client, f"/reconciliation/{unknown.public_id}/{act}/"
    assert client.get(address).status_code == 405
    assert client.post(address, {"version": "1", "words": "x", "finding": "still_unknown"}).status_code == 403
    assert list(Case.objects.values()) == before
    assert Evidence.objects.filter(source__in=["person", "probe"]).count() == 0


@pytest.mark.parametrize("stranger", ["stranger", "support-b", "approver", "requester"])
def test_a_foreign_desk_case_is_a_missing_one(world: World, unknown: Intent, stranger: str) -> None:
    person = Person(world, stranger)
    codes = {person.open(f"/reconciliation/{name}/").status_code for name in (unknown.public_id, "I-999", "I-x")}
    assert codes == {404}
    assert "D-42" not in person.text("/reconciliation/")
