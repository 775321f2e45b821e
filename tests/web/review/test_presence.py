"""A high consequence is signed only by somebody who has just proven to be there; anything less asks for no proof."""

from datetime import timedelta

from approvals.models import Signature
from journal.clock import now as database_now
from journal.queries import entries_of
from tests.web.people import Person
from tests.world import World

PROOF = 'id="presence"'
FORM = 'id="approve-form"'


def at(person: Person, *, ago: timedelta, whose: str = "approver") -> Person:
    """The person, with a proof of that age in the session."""
    session = person.client.session
    session["present"] = [person.world.people[whose].pk, (database_now() - ago).isoformat()]
    session.save()
    return person


def test_without_a_fresh_proof_a_high_consequence_is_not_signed_and_with_one_it_is(world: World) -> None:
    refund, revision = (made := world.refund()).public_id, world.revision(made)
    check = f"/proposals/{refund}/check/"
    approver = Person(world, "approver", present=False)
    seen = {"revision": "1", "digest": revision.digest, "round": "1"}
    for stale in (approver, at(approver, ago=timedelta(minutes=11)), at(approver, ago=timedelta(0), whose="owner")):
        page = stale.text(check)
        assert (PROOF in page, FORM in page) == (True, False)
        token = approver.form(f"/proposals/{refund}/", "comment-form")
        answer = approver.send(f"/proposals/{refund}/approvals/", form=token | seen)
        assert (answer.status_code, answer["Location"], Signature.objects.count()) == (303, check, 0)
    requester = Person(world, "requester", present=False)
    token = requester.form(f"/proposals/{refund}/", "comment-form")
    assert requester.send(f"/proposals/{refund}/approvals/", form=token | seen).status_code == 403

    proof = f"/accounts/reauthenticate/?next={check}"
    assert f'href="/accounts/reauthenticate/?next={check.replace("/", "%2F")}"' in approver.text(check)
    form = {**approver.form(proof, "presence-form"), "next": check}
    wrong = approver.client.post("/accounts/reauthenticate/", {**form, "password": "wrong"})
    assert (wrong.status_code, "It was not proven" in wrong.content.decode()) == (200, True)
    assert FORM not in approver.text(check)
    right = approver.client.post("/accounts/reauthenticate/", {**form, "password": "demo"})
    assert (right.status_code, right["Location"]) == (302, check)
    assert approver.sign(refund)["Location"].startswith("/receipts/A-")
    given = next(told for told in entries_of(refund) if told.kind == "signature.given")
    assert given.facts["present_at"] <= given.at.isoformat().replace("+00:00", "Z")


def test_signing_in_is_a_proof_and_a_moderate_consequence_asks_for_none(world: World) -> None:
    refund, review = world.refund().public_id, world.propose("D-42").public_id
    approver = Person(world, "approver", present=False)
    assert FORM in approver.text(f"/proposals/{review}/check/")
    approver.client.logout()
    page = approver.client.get("/accounts/login/").content.decode()
    token = page.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    fields = {"csrfmiddlewaretoken": token, "login": "approver", "password": "demo"}
    assert approver.client.post("/accounts/login/", fields).status_code == 302
    assert FORM in approver.text(f"/proposals/{refund}/check/")
