"""Webhooks on the operators' page: the secret once, what was heard, and telling again; nothing of other houses."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from standardwebhooks import Webhook as Verifier

from intents import notifying
from intents.models import Webhook
from tests.hooking import Ear, ear
from tests.web.people import Person
from tests.world import World

HERE = "/operations/webhooks/"


@pytest.fixture
def listener(settings: Any) -> Iterator[Ear]:
    """An address on this machine, which the operator of the server allowed."""
    settings.WEBHOOK_HOSTS, settings.WEBHOOK_ALLOW_PRIVATE = ["127.0.0.1"], True
    with ear() as listening:
        yield listening


def test_an_operator_adds_a_webhook_sees_its_secret_once_and_what_it_heard_and_tells_again(
    world: World, listener: Ear
) -> None:
    operator, stranger, approver = (Person(world, name) for name in ("operator", "stranger", "approver"))
    assert (approver.open(HERE).status_code, operator.client.get(f"{HERE}additions/").status_code) == (404, 405)
    form = operator.form(HERE, "add-demo")
    refused = operator.send(f"{HERE}additions/", form=form, agent="agent-a", url="https://elsewhere.example/x")
    assert refused.status_code == 422
    assert "https://elsewhere.example/x" in refused.content.decode(), "what was typed is still there"
    assert "has not allowed it" in refused.content.decode()
    assert operator.send(f"{HERE}additions/", form=form, agent="agent-other", url=listener.url).status_code == 404
    added = operator.send(f"{HERE}additions/", form=form, agent="agent-a", url=listener.url)
    secret = re.search(r"whsec_[A-Za-z0-9+/=]+", added.content.decode())[0]
    assert (added.status_code, "no-store" in added.headers["Cache-Control"]) == (201, True)
    assert "whsec_" not in operator.text(HERE)
    assert operator.send(f"{HERE}additions/", form=form, agent="agent-a", url=listener.url).status_code == 422

    listener.answers = [500]
    proposal = world.propose()
    notifying.write_notices()
    notifying.deliver()
    log = f"{HERE}{Webhook.objects.get().pk}/"
    page = operator.text(log)
    assert proposal.public_id in page
    assert "HTTP 500" in page
    assert "next try" in page
    assert stranger.open(log).status_code == 404
    assert listener.url not in stranger.text(HERE)
    again = operator.form(log, "replay-1")
    assert stranger.send(f"{log}1/replays/", form=stranger.form(HERE, "add-other")).status_code == 404
    assert operator.send(f"{log}1/replays/", form=again).status_code == 303
    assert "HTTP 204" in operator.text(log)
    Verifier(secret).verify(listener.heard[1][1], listener.heard[1][0])
    assert operator.send(f"{log}ends/", form=operator.form(HERE, f"end-{Webhook.objects.get().pk}")).status_code == 303
    assert "Operator" in operator.text(log)
    for odd in ("0", "x", "99999999999999999999"):
        assert operator.open(f"{HERE}{odd}/").status_code == 404
