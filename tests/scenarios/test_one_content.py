"""Whatever JSON goes in: what an agent reads back, what is signed, what the journal names and what is sent are one."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from intents.models import Attempt
from journal.digests import canonical, sha256
from journal.queries import entries_of
from proposals.models import Proposal
from tests.web.api.calling import Agent
from tests.world import World

TOOL = "refund_create"
# Every character that strict JSON takes: no lone surrogate and no NUL.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60)
LINES = st.lists(
    st.fixed_dictionaries({"sku": st.from_regex(r"[A-Z0-9-]{1,40}", fullmatch=True), "qty": st.integers(1, 100_000)}),
    min_size=1,
    max_size=4,
)
MORE = st.fixed_dictionaries(
    {},
    optional={
        "memo": TEXT,
        "notify_customer": st.booleans(),
        "not_before": st.sampled_from(["2026-03-04T10:00:00Z", "2026-03-04T10:00:00.5+01:00"]),
        "ledger_ref": st.integers(0, 2**53 - 1),
        "lines": LINES,
    },
)


@pytest.fixture
def agent(world: World) -> Agent:
    return Agent(world.secrets["agent-a"])


def test_what_is_asked_is_what_is_shown_signed_journalled_and_sent(world: World, agent: Agent) -> None:
    tried: list[dict[str, Any]] = []

    @settings(
        max_examples=12,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(more=MORE, amount=st.integers(1, 100))
    def ask(more: dict[str, Any], amount: int) -> None:
        arguments = {"order_id": "ORD-000123", "amount_minor": amount, "currency": "EUR", **more}
        answer = agent.propose(arguments, tool=TOOL, envelope={"session": f"s{len(tried)}"})
        if answer.status != 201:  # text that looks like a secret, or hides characters where they are refused
            assert answer.code in ("invalid_arguments", "rule_violated", "loop_detected", "budget_exceeded")
            return
        tried.append(arguments)
        _one_content(world, agent, answer.body["id"], arguments)

    ask()
    assert len(tried) >= 6


def _one_content(world: World, agent: Agent, public_id: str, arguments: dict[str, Any]) -> None:
    proposal = Proposal.objects.get(pk=int(public_id.removeprefix("P-")))
    revision = world.revision(proposal)
    assert agent.get(f"/proposals/{public_id}/revisions/1").body["arguments"] == arguments
    content = bytes(revision.content)
    assert json.loads(content)["arguments"] == arguments
    assert sha256(content) == revision.digest
    assert revision.digest in canonical([entry.facts for entry in entries_of(public_id)]).decode()
    for person in ("approver", "approver2"):
        world.sign(proposal, by=person)
    intent = world.hand_over(world.open(proposal))
    attempt = Attempt.objects.get(intent=intent)
    sent = json.loads(bytes(attempt.body))
    assert {name: value for name, value in sent.items() if name != "client_ref"} == arguments
    assert sent["client_ref"] == str(intent.reference)
