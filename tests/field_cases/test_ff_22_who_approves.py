"""FF-22: who approves is who is signed in, never what a request claims; the credential of an agent approves nothing."""

from collections.abc import Callable

from approvals.models import Signature
from tests.clients import AgentClient, PersonClient
from tests.world import World


def test_a_claimed_name_signs_nothing_and_an_agents_token_opens_no_screen(
    world: World, start_web: Callable[..., str]
) -> None:
    url = start_web()
    agent = AgentClient(url, world.secrets["agent-a"])
    proposal = agent.propose().json()["id"]
    fields = PersonClient(url, "approver").form(f"/proposals/{proposal}/check/", "approve-form")
    claims = {"approver": "approver", "person": "approver", "user": "approver"}
    headers = {"X-User": "approver", "Remote-User": "approver", "X-Forwarded-User": "approver"}
    where = f"/proposals/{proposal}/approvals/"
    assert agent.http.post(where, data=fields | claims, headers=headers).status_code == 403
    assert agent.http.post(where, json=fields | claims, headers=headers).status_code == 403
    assert agent.http.get(f"/proposals/{proposal}/").status_code == 302
    requester = PersonClient(url, "requester")
    own = {**fields, "csrfmiddlewaretoken": requester.token(requester.page("/").text)}
    assert requester.post(where, own | claims).status_code == 403
    assert Signature.objects.count() == 0
    assert agent.get(proposal)["status"] == "awaiting_approval"


def test_two_names_that_differ_by_case_alone_are_one_person(world: World, start_web: Callable[..., str]) -> None:
    url = start_web()
    agent = AgentClient(url, world.secrets["agent-a"])
    refund = {"order_id": "ORD-000123", "amount_minor": 1250, "currency": "EUR"}
    proposal = agent.propose(refund, tool="refund_create").json()["id"]
    first = PersonClient(url, "approver")
    first.sign(proposal)
    same = PersonClient(url, "APPROVER")
    page = same.page(f"/proposals/{proposal}/check/")
    assert "approve-form" not in page.text
    assert Signature.objects.count() == 1
    assert agent.get(proposal)["status"] == "awaiting_approval"
