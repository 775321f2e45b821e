"""FF-02, FF-03: doubly encoded, cut or decorated arguments are refused where they stand; nothing is patched up."""

import json
from typing import Any

import pytest

from journal.models import Personal
from proposals.models import Proposal
from proposals.turns import Family
from tests.web.api.calling import REFUND, Agent
from tests.web.api.turns import AS_TEXT, Call, ask
from tests.world import World

TEXT = json.dumps(REFUND)
BROKEN = {
    "cut in a number": '{"order_id":"ORD-000123","currency":"EUR","amount_minor":12',
    "cut in a list": '{"order_id":"ORD-000123","amount_minor":1250,"currency":"EUR","lines":[{"sku":"S1","qty":1}',
    "a comma too many": TEXT[:-1] + ",}",
    "a fence": f"```json\n{TEXT}\n```",
    "single quotes": TEXT.replace('"', "'"),
    "thanks": TEXT + " thanks",
    "encoded twice": json.dumps(TEXT),
    "a repeated key": '{"amount_minor":100,"amount\\u005fminor":450000,"order_id":"ORD-000123","currency":"EUR"}',
    "not a number": TEXT.replace("1250", "NaN"),
    "half a character": TEXT.replace("ORD-000123", "\\ud83d"),
    "very deep": '{"memo":' + "[" * 20_000,
    "very long": TEXT.replace("1250", "9" * 5_000),
}


@pytest.fixture
def agent(world: World) -> Agent:
    return Agent(world.secrets["agent-a"])


@pytest.mark.parametrize("family", AS_TEXT)
def test_broken_text_is_refused_created_nothing_and_is_kept(agent: Agent, family: Family) -> None:
    for number, (name, text) in enumerate(BROKEN.items()):
        (told,) = ask(agent, family, Call(f"c{number}", "refund_create", text))
        assert told.body["code"] == "invalid_arguments", name
        assert told.body["errors"][0]["pointer"].startswith("/arguments"), name
    assert not Proposal.objects.exists()
    kept = b"".join(bytes(row.content) for row in Personal.objects.all())
    assert b"thanks" in kept


@pytest.mark.parametrize("family", list(Family))
def test_a_field_that_spells_json_or_nearly_the_word_is_refused_there(agent: Agent, family: Family) -> None:
    wrong: list[tuple[str, Any]] = [("lines", '[{"sku":"S1","qty":1}]')]
    wrong += [("currency", word) for word in ('"EUR"', "eur", "Euro", " EUR")]
    for number, (name, value) in enumerate(wrong):
        (told,) = ask(agent, family, Call(f"c{number}", "refund_create", {**REFUND, name: value}))
        assert told.body["code"] == "invalid_arguments"
        assert f"/arguments/{name}" in [error["pointer"] for error in told.body["errors"]]
    assert not Proposal.objects.exists()
