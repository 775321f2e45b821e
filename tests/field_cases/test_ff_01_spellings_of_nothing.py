"""FF-01: `null`, `"null"` and `""` are three things, and a reader sees which one it is."""

import pytest

from tests.clients import AgentClient, PersonClient
from tests.world import World
from web.formatting.values import spelt

REFUND = {"order_id": "ORD-000123", "amount_minor": 1250, "currency": "EUR"}


def test_null_is_refused_where_the_contract_takes_text_and_the_word_null_is_text(world: World, start_web) -> None:
    agent = AgentClient(start_web(), world.secrets["agent-a"])
    refused = agent.propose({**REFUND, "memo": None}, tool="refund_create")
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/arguments/memo")
    assert agent.propose({**REFUND, "ledger_ref": "null"}, tool="refund_create").status_code == 422
    accepted = agent.propose({**REFUND, "memo": "null"}, tool="refund_create")
    assert accepted.status_code == 201
    case = PersonClient(start_web(), "approver").page(f"/proposals/{accepted.json()['id']}/").text
    assert '<span class="ref">&quot;null&quot;</span>' in case


@pytest.mark.parametrize("text", ["null", "true", "12", "", " ", '"EUR"', "[1]", "{}"])
def test_text_that_would_read_as_another_value_stands_in_quotes(text: str) -> None:
    assert spelt(text).startswith('"')
    assert spelt(text).endswith('"')


@pytest.mark.parametrize(("value", "shown"), [("D-42", "D-42"), ("Null", "Null"), (None, "null"), (True, "true")])
def test_everything_else_is_spelt_plainly(value: object, shown: str) -> None:
    assert spelt(value) == shown
