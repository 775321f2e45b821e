"""FF-09, FF-11: a name is met exactly or not at all, and nobody sets through arguments what the server owns."""

from typing import Any

import pytest

from proposals.models import Proposal
from proposals.turns import Family
from tests.web.api.calling import REFUND, Agent
from tests.web.api.turns import WITH_IDS, Call, ask, turn
from tests.world import World

NAMES = [
    *("functions.refund_create", "mcp__biz__refund_create", "biz_biz_refund_create", "refund_create_mcp_biz_mcp_biz"),
    *("Refund_Create", "refund-create", "refund_create ", "r" * 300, "refund_create@1", ""),
]
OWNED: dict[str, Any] = {
    "status": "approved",
    "approved_by": "R1",
    "tenant": "T2",
    "expires_at": "2099-01-01T00:00:00Z",
    "revision": 99,
    "submitted_by": "U1",
    "id": "P-1",
    "contract_version": 1,
}


@pytest.fixture
def agent(world: World) -> Agent:
    return Agent(world.secrets["agent-a"])


@pytest.mark.parametrize("family", list(Family))
def test_a_name_is_exact_or_unknown_and_the_answer_lists_what_may_be_called(agent: Agent, family: Family) -> None:
    for number, name in enumerate(NAMES):
        (told,) = ask(agent, family, Call(f"c{number}", name, REFUND))
        assert told.body["code"] == "unknown_tool", name
        assert "refund_create" in told.body["hint"]
    assert not Proposal.objects.exists()


def test_what_this_token_may_not_call_is_not_listed(world: World) -> None:
    (told,) = ask(Agent(world.secrets["agent-other"]), Family.MCP, Call(None, "Refund_Create", REFUND))
    assert told.body["code"] == "unknown_tool"
    assert "refund_create" not in told.body["hint"]


@pytest.mark.parametrize("family", list(Family))
def test_what_the_server_owns_is_refused_inside_the_arguments(agent: Agent, family: Family) -> None:
    (told,) = ask(agent, family, Call("c1", "refund_create", {**REFUND, **OWNED}))
    assert told.body["code"] == "invalid_arguments"
    assert {error["pointer"] for error in told.body["errors"]} >= {f"/arguments/{name}" for name in OWNED}
    assert not Proposal.objects.exists()


@pytest.mark.parametrize("family", WITH_IDS)
def test_what_stands_beside_the_calls_sets_nothing(agent: Agent, family: Family) -> None:
    said = turn(family, Call("c1", "refund_create", REFUND))
    beside = [*said, {"type": "reasoning", **OWNED}] if isinstance(said, list) else {**said, **OWNED}
    assert agent.post("/tool-calls", beside).status == 200
    proposal = Proposal.objects.get()
    assert (proposal.state, proposal.current_revision, proposal.organization.slug) == ("awaiting_approval", 1, "demo")
    assert agent.post(f"/tool-calls?status=approved&id={proposal.public_id}", said).code == "malformed_request"
    form = agent.call("POST", "/tool-calls", raw=b"status=approved", Content_Type="application/x-www-form-urlencoded")
    assert form.status == 415
