"""The Python client of agents, against the running server."""

import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from countersign_client import Countersign, Family, Refused, TooManyTurns, Unreachable, converse, tool_choice
from countersign_client.turns import calls_in
from django.db import connections

from proposals.models import Proposal
from tests.processes import free_port
from tests.web.api.calling import GOOD
from tests.world import World


@pytest.fixture
def agent(world: World, start_web: Callable[..., str]) -> Countersign:
    """agent-a, over a real connection."""
    return Countersign(start_web(), world.secrets["agent-a"], tries=1)


def test_it_proposes_reads_waits_revises_and_takes_back(world: World, agent: Countersign) -> None:
    made = agent.propose("ouvrir_revue_dossier", GOOD, suggestion="The amounts differ.", key="K")
    assert (made.status, made.revision, made.settled, made.replayed) == ("awaiting_approval", 1, False, False)
    again = agent.propose("ouvrir_revue_dossier", GOOD, suggestion="The amounts differ.", key="K")
    assert (again.id, again.replayed) == (made.id, True)
    assert agent.read(made.id, etag=again.etag) is None
    revised = agent.revise(made, {**GOOD, "reason_code": "ECART_MONTANT"})
    assert revised.revision == 2
    with pytest.raises(Refused) as stale:
        agent.revise(made, GOOD)
    assert (stale.value.code, stale.value.problem["current_revision"]) == ("stale_revision", 2)
    signing = threading.Timer(0.5, lambda: (world.sign(Proposal.objects.get()), connections.close_all()))
    signing.start()
    begun = time.monotonic()
    found = agent.read(made.id, wait=15, etag=revised.etag)
    signing.join()
    assert (found and found.status, time.monotonic() - begun < 8) == ("approved", True)
    assert agent.withdraw(made.id).settled
    assert agent.wait(made.id, seconds=5).status == "withdrawn"
    second = agent.propose("chercher_dossier", {"numero": "A-4417"}, session="s2")
    assert (second.status, bool(second.evidence)) == ("answered", True)
    assert [one.id for one in agent.proposals()] == [second.id, made.id]
    assert [one.id for one in agent.page(status="withdrawn").items] == [made.id]


def test_what_the_server_refuses_is_told_so_that_a_model_can_correct_itself(agent: Countersign) -> None:
    with pytest.raises(Refused) as refused:
        agent.propose("ouvrir_revue_dossier", {**GOOD, "expected_version": "7"})
    assert (refused.value.code, refused.value.status, refused.value.retryable) == ("invalid_arguments", 422, False)
    assert refused.value.errors[0]["pointer"] == "/arguments/expected_version"
    assert agent.would("ouvrir_revue_dossier", GOOD)["decision"]["code"] == "allowed"
    assert "ouvrir_revue_dossier" in [tool["name"] for tool in agent.tools("anthropic")]
    with pytest.raises(Refused, match="not_found"):
        agent.read("P-1/../../tools")
    with pytest.raises(Refused, match="unauthenticated"):
        Countersign(agent._base.removesuffix("/api/v1"), "cs_wrong").tools()


def test_a_server_that_is_away_or_somebody_else_is_told_apart_from_a_refusal(world: World) -> None:
    away = Countersign(f"http://127.0.0.1:{free_port()}", "cs_x", tries=1)
    with pytest.raises(Unreachable):
        away.propose("ouvrir_revue_dossier", GOOD)
    with pytest.raises(ValueError):
        Countersign("file:///etc", "cs_x")


def test_a_submission_is_sent_again_under_one_key_and_a_redirection_is_not_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[str, str | None]] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append((self.path, self.headers["Idempotency-Key"]))
            self.rfile.read(int(self.headers["Content-Length"]))
            busy = len(seen) == 1
            self.send_response(503 if busy else 307)
            self.send_header("Location", "/stolen")
            body = b'{"code": "busy", "detail": "Not now."}' if busy else b"moved"
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_said: object) -> None:
            pass

    monkeypatch.setattr("countersign_client.client._PAUSE", 0.01)
    server = HTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        with pytest.raises(Unreachable):
            Countersign(f"http://127.0.0.1:{server.server_port}", "cs_x", tries=3).propose("x", {})
    finally:
        server.shutdown()
        server.server_close()
    assert {path for path, _key in seen} == {"/api/v1/proposals"}
    assert (len(seen), len({key for _path, key in seen})) == (3, 1)


@pytest.mark.parametrize(
    ("family", "chosen"),
    [
        ("anthropic", [{"type": "auto"}, {"type": "none"}, {"type": "any"}, {"type": "tool", "name": "t"}]),
        ("openai", ["auto", "none", "required", {"type": "function", "function": {"name": "t"}}]),
        ("responses", ["auto", "none", "required", {"type": "function", "name": "t"}]),
    ],
)
def test_what_a_model_may_call_is_said_in_its_own_family_s_words(family: str, chosen: list[Any]) -> None:
    modes = [("auto", None), ("none", None), ("required", None), ("tool", "t")]
    assert [tool_choice(Family(family), mode, tool=tool) for mode, tool in modes] == chosen
    for mode, tool in (("tool", None), ("auto", "t"), ("any", None)):
        with pytest.raises(ValueError):
            tool_choice(family, mode, tool=tool)


def a_turn(family: Family, *ids: str) -> Any:
    """A model's turn with calls of these ids, in its family's shape."""
    match family:
        case Family.ANTHROPIC:
            calls = [{"type": "tool_use", "id": one, "name": "ledger_ping", "input": {}} for one in ids]
            return {"role": "assistant", "content": calls or [{"type": "text", "text": "Done."}]}
        case Family.OPENAI:
            function = {"name": "ledger_ping", "arguments": "{}"}
            calls = [{"id": one, "type": "function", "function": function} for one in ids]
            return {"role": "assistant", "content": None if ids else "Done.", **({"tool_calls": calls} if ids else {})}
        case Family.RESPONSES:
            calls = [{"type": "function_call", "call_id": one, "name": "ledger_ping", "arguments": "{}"} for one in ids]
            return calls or [{"type": "message", "content": [{"type": "output_text", "text": "Done."}]}]


@pytest.mark.parametrize("family", list(Family))
def test_a_conversation_with_the_server_is_answered_in_its_own_shape(agent: Countersign, family: Family) -> None:
    script = [a_turn(family, "c1", "c2"), a_turn(family)]
    said = converse(agent, lambda _messages: script.pop(0), [], family=family)
    answered = str(said[1:-1])
    assert answered.count("answered") >= 2
    assert all(one in answered for one in ("c1", "c2"))


class Echo:
    """Answers each call of a turn with its id."""

    def __init__(self, family: Family) -> None:
        self.family, self.answered = family, []

    def answer(self, turn: Any) -> Any:
        ids = calls_in(turn, self.family)
        self.answered += ids
        if self.family is Family.ANTHROPIC:
            return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": one} for one in ids]}
        return [{"answers": one} for one in ids]


@pytest.mark.parametrize("family", list(Family))
def test_a_conversation_answers_every_call_and_ends(family: Family) -> None:
    script = [a_turn(family, "c1", "c2"), a_turn(family, "c3"), a_turn(family)]
    echo, asked = Echo(family), [{"role": "user", "content": "Is the ledger there?"}]
    said = converse(echo, lambda _messages: script.pop(0), asked, family=family)
    assert (echo.answered, script) == (["c1", "c2", "c3"], [])
    last = [said[-1]] if family is Family.RESPONSES else said[-1]
    assert calls_in(last, family) == []
    assert "Done." in str(said[-1])
    endless = Echo(family)
    with pytest.raises(TooManyTurns) as stopped:
        converse(endless, lambda messages: a_turn(family, f"c{len(messages)}"), asked, family=family, turns=3)
    assert len(endless.answered) == 3
    assert len(stopped.value.messages) == 1 + 3 * 2
