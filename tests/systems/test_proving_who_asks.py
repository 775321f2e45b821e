"""A business system that lets nobody in without proof, and orders that reach it all the same, once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from systems.adapters import authenticating
from tests.rewiring import replaced, rewired
from tests.world import World

PROOFS = {
    "header": "{header: {name: X-Api-Key, value: {env: SANDBOX_SECRET}}}",
    "basic": "{basic: {username: {env: SANDBOX_NAME}, password: {env: SANDBOX_SECRET}}}",
    "oauth2": """
  oauth2:
    token_url: ${SANDBOX_URL}/oauth/token
    client_id: {env: SANDBOX_NAME}
    client_secret: {env: SANDBOX_SECRET}
    within: PT1S""",
}


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SANDBOX_NAME", "sandbox")
    monkeypatch.setenv("SANDBOX_SECRET", "sandbox-password")
    authenticating._tokens.clear()
    yield
    authenticating._tokens.clear()


@pytest.mark.parametrize("kind", PROOFS)
def test_an_order_reaches_a_guarded_system_once(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    if kind == "header":
        monkeypatch.setenv("SANDBOX_SECRET", "sandbox-key")
    world.sandbox.capabilities(authentication=kind)
    with rewired(tmp_path / "systems", replaced(("authentication: none", f"authentication: {PROOFS[kind]}"))):
        intent = world.done()
        assert world.status(intent) == "confirmed"
    assert len(world.sandbox.requests(path="/oauth/token")) == (1 if kind == "oauth2" else 0)
    assert "sandbox-password" not in str(world.standing(intent))


def test_a_token_that_fails_between_the_look_and_the_order_leaves_it_unsent_and_it_goes_later(
    world: World, tmp_path: Path
) -> None:
    world.sandbox.capabilities(authentication="oauth2", token_seconds=0.0)
    edit = replaced(("authentication: none", f"authentication: {PROOFS['oauth2']}"))
    with rewired(tmp_path / "systems", edit):
        world.sandbox.capabilities(authentication="none")  # every call asks for a token, and none is looked at
        intent = world.approved()
        asked = len(world.sandbox.requests(path="/oauth/token"))
        world.sandbox.fault("status", route="POST /oauth/token", skip=1, status=500)
        world.hand_over(intent)
        assert len(world.sandbox.requests(path="/oauth/token")) == asked + 2, "one for the look, one for the order"
        assert (world.status(intent), intent.waiting, intent.waiting_on) == ("approved", "not_delivered", "token")
        assert world.sandbox.effects() == []
        assert world.status(world.hand_over(intent)) == "confirmed"
    assert len(world.sandbox.effects()) == 1


def test_a_401_on_the_order_is_an_unknown_outcome_and_sends_nothing_again(world: World, tmp_path: Path) -> None:
    world.sandbox.capabilities(authentication="oauth2")
    with rewired(tmp_path / "systems", replaced(("authentication: none", f"authentication: {PROOFS['oauth2']}"))):
        intent = world.approved()
        world.sandbox.fault("status", status=401, body={"error": "invalid_token"})
        assert world.status(world.hand_over(intent)) == "outcome_unknown"
    orders = world.sandbox.requests(method="POST", path="/review-requests")
    assert len(orders) == 1
    assert len(world.sandbox.requests(path="/oauth/token")) == 2, "the look after it asks for a new token"
