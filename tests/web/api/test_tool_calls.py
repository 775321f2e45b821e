"""`POST /tool-calls`: four families, one result for each call, in order; nothing is repaired, nothing happens twice."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from intents import stopping
from journal.kinds import Kind
from journal.models import Entry
from proposals.models import Proposal
from proposals.turns import Family
from tests.web.api.calling import GOOD, REFUND, Agent
from tests.web.api.turns import AS_TEXT, WITH_IDS, Call, Told, ask, post, results, turn
from tests.world import World
from web.toolcalls.calling import MOST_CALLS

PIECE = {**GOOD, "reason_code": "PIECE_MANQUANTE"}


def codes(told: list[Told]) -> list[str]:
    return [one.body["code"] if one.is_error else one.body["status"] for one in told]


@pytest.mark.parametrize("family", list(Family))
def test_a_call_is_a_proposal_in_every_family_and_reads_the_same_at_the_plain_address(
    agent: Agent, family: Family
) -> None:
    (told,) = ask(agent, family, Call())
    assert (told.is_error, told.body["status"]) == (False, "awaiting_approval")
    assert told.id == (None if family is Family.MCP else "c1")
    read = agent.get(f"/proposals/{told.body['id']}").body
    del read["proof"]
    assert told.body == read
    assert list(told.body).index("statement") < 8


@pytest.mark.parametrize("family", list(Family))
def test_the_same_turn_again_creates_nothing_whatever_became_of_it(world: World, agent: Agent, family: Family) -> None:
    calls = [Call("a"), Call("b", arguments=PIECE)] if family is not Family.MCP else [Call()]
    first = [one.body["id"] for one in ask(agent, family, *calls)]
    assert [one.body["id"] for one in ask(agent, family, *calls)] == first
    if family is not Family.MCP:  # what has no id is asked anew once it has ended
        stopping.withdraw(world.caller(), proposal_id=Proposal.objects.order_by("pk").first().pk)
        assert codes(ask(agent, family, *calls)) == ["withdrawn", "awaiting_approval"]
    assert Proposal.objects.count() == len(calls)


@pytest.mark.parametrize("family", WITH_IDS)
def test_two_ids_with_equal_arguments_are_two_proposals(agent: Agent, family: Family) -> None:
    told = ask(agent, family, Call("c1"), Call("c2"))
    assert len({one.body["id"] for one in told}) == 2
    assert [one.id for one in told] == ["c1", "c2"]


@pytest.mark.parametrize("family", WITH_IDS)
def test_an_id_means_something_else_in_another_session_and_with_another_meaning(agent: Agent, family: Family) -> None:
    ids = {
        ask(agent, family, Call(arguments=given), session=name)[0].body["id"]
        for name in "xy"
        for given in (GOOD, PIECE)
    }
    assert len(ids) == 4


@pytest.mark.parametrize("family", WITH_IDS)
@pytest.mark.parametrize(
    "pair",
    [
        (Call("c1"), Call("c1")),
        (Call("c1"), Call("c1", arguments=PIECE)),
        (Call(""), Call("")),
        (Call(None), Call("c1")),
    ],
)
def test_calls_that_cannot_be_told_apart_are_refused_as_a_whole(
    agent: Agent, family: Family, pair: tuple[Call, Call]
) -> None:
    refused = post(agent, family, *pair)
    assert (refused.status, refused.code) == (400, "malformed_request")
    assert refused.pointers[0].rsplit("/", 1)[-1] in "012"
    assert not Proposal.objects.exists()
    assert Entry.objects.filter(kind=Kind.SUBMISSION_REFUSED).exists()


@pytest.mark.parametrize("family", WITH_IDS)
def test_one_bad_call_among_three_is_answered_and_its_siblings_are_proposed(agent: Agent, family: Family) -> None:
    bad = Call("c2", arguments={**GOOD, "expected_version": "7"})
    told = ask(agent, family, Call("c1"), bad, Call("c3", "ledger_ping", {}))
    assert [one.id for one in told] == ["c1", "c2", "c3"]
    assert codes(told) == ["awaiting_approval", "invalid_arguments", "answered"]
    assert told[1].body["errors"][0]["pointer"] == "/arguments/expected_version"
    assert told[2].body["evidence"] is not None


@pytest.mark.parametrize("family", WITH_IDS)
def test_what_nobody_foresaw_in_one_call_keeps_no_other_from_its_answer(
    agent: Agent, family: Family, monkeypatch: pytest.MonkeyPatch
) -> None:
    from approvals import receiving

    receives = receiving.receive

    def breaks(caller, submission, **more):
        if submission.tool == "refund_create":
            raise ZeroDivisionError
        return receives(caller, submission, **more)

    monkeypatch.setattr(receiving, "receive", breaks)
    told = ask(agent, family, Call("c1", "refund_create", REFUND), Call("c2"))
    assert codes(told) == ["server_error", "awaiting_approval"]


@pytest.mark.parametrize("family", WITH_IDS)
def test_calls_after_the_time_of_a_turn_are_answered_too_and_asked_by_the_same_turn_again(
    agent: Agent, family: Family, monkeypatch: pytest.MonkeyPatch
) -> None:
    from web.toolcalls import calling

    monkeypatch.setattr(calling, "PATIENCE", -1.0)
    assert codes(ask(agent, family, Call("c1"), Call("c2"))) == ["busy", "busy"]
    monkeypatch.undo()
    assert codes(ask(agent, family, Call("c1"), Call("c2"))) == ["awaiting_approval"] * 2


@pytest.mark.parametrize("family", WITH_IDS)
def test_words_alone_have_no_results_and_too_many_calls_are_refused(agent: Agent, family: Family) -> None:
    assert ask(agent, family) == []
    assert post(agent, family, *(Call(f"c{n}") for n in range(MOST_CALLS + 1))).code == "malformed_request"
    assert not Proposal.objects.exists()


@pytest.mark.parametrize("body", ["x", 1, None, {}, [1], [[]], {"content": [1]}, {"tool_calls": {}}, {"name": 1}])
def test_what_is_no_turn_is_refused(agent: Agent, body: object) -> None:
    refused = agent.post("/tool-calls", raw=b"null" if body is None else None, body=body)
    assert (refused.status, refused.code) == (400, "malformed_request")


@pytest.mark.parametrize("family", AS_TEXT)
@pytest.mark.parametrize("text", ["", " ", "null", "42", "[1,2]", '"{}"', "{'a': 1}", '{"a": 1,}', "```json\n{}\n```"])
def test_text_that_spells_no_object_is_refused_alike_and_never_taken_for_an_empty_one(
    agent: Agent, family: Family, text: str
) -> None:
    (told,) = ask(agent, family, Call(name="ledger_ping", arguments=text))
    assert (told.body["code"], told.body["errors"][0]["pointer"]) == ("invalid_arguments", "/arguments")
    assert not Proposal.objects.exists()


@pytest.mark.parametrize("family", [Family.ANTHROPIC, Family.MCP])
def test_a_value_that_is_no_object_is_refused_alike(agent: Agent, family: Family) -> None:
    for given in ("{}", "", 42, [1, 2], '{"order_id":"ORD-000123"}'):
        (told,) = ask(agent, family, Call(name="ledger_ping", arguments=given))
        assert (told.body["code"], told.body["errors"][0]["pointer"]) == ("invalid_arguments", "/arguments")
    mcp = agent.post("/tool-calls", {"name": "ledger_ping", "arguments": None})
    assert mcp.body["structuredContent"]["code"] == "invalid_arguments"


@pytest.mark.parametrize("family", list(Family))
def test_a_sentence_follows_the_language_that_is_asked_for(agent: Agent, family: Family) -> None:
    answer = agent.post("/tool-calls", turn(family, Call()), Accept_Language="fr")
    (told,) = results(family, answer)
    assert "attend" in told.body["statement"]
    assert answer.headers["content-language"] == "fr"


def test_a_foreign_target_and_a_missing_one_are_answered_in_the_same_bytes(agent: Agent) -> None:
    said = []
    for target in ("D-77", "D-99999"):
        (told,) = ask(agent, Family.ANTHROPIC, Call(arguments={**GOOD, "dossier_ref": target}))
        said.append(told.body)
    assert said[0] == said[1]
    assert said[0]["code"] == "target_not_available"


def test_the_same_turn_from_many_at_once_is_one_proposal_for_each_call(world: World, agent: Agent) -> None:
    calls = [Call("a"), Call("b", arguments=PIECE)]

    def one(_number: int) -> list[str]:
        try:
            return [told.body["id"] for told in ask(Agent(world.secrets["agent-a"]), Family.OPENAI_CHAT, *calls)]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as pool:
        seen = list(pool.map(one, range(12)))
    assert all(ids == seen[0] for ids in seen)
    assert Proposal.objects.count() == 2


def test_nobody_calls_without_a_token_and_an_unknown_parameter_is_refused(agent: Agent) -> None:
    assert Agent(None).post("/tool-calls", turn(Family.MCP, Call())).status == 401
    assert agent.post("/tool-calls?sesion=x", turn(Family.MCP, Call())).code == "malformed_request"
    assert agent.post("/tool-calls?session=", turn(Family.MCP, Call())).code == "malformed_request"
    assert agent.get("/tool-calls").code == "method_not_allowed"
