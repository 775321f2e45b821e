"""People give programs tokens within their own rights, and take them back; operators add and disable agents."""

import re
from typing import Any

from journal.queries import entries_of_organization
from tenancy import tokens
from tenancy.models import Agent, AgentToken
from tests.web.people import Person
from tests.world import World

HERE = "/agents/"
TOOL = "ouvrir_revue_dossier"


def mint(person: Person, *, organization: str = "demo", **fields: Any) -> Any:
    form = {"organization": organization, **person.form(HERE, f"mint-{organization}")}
    return person.client.post(f"{HERE}tokens/", {**form, **fields})


def secret_in(answer: Any) -> str:
    return re.search(r'id="secret">(cs_[\w-]{43})<', answer.content.decode())[1]


def test_a_person_makes_a_token_within_their_rights_sees_it_once_and_revokes_it(world: World) -> None:
    requester, stranger, approver = (Person(world, name) for name in ("requester", "stranger", "approver"))
    asked = {"agent": "agent-b", "scopes": ["A"], "reach": "listed", "tools": [TOOL], "days": "7"}
    for wrong, says in (
        ({"agent": ""}, "Choose the agent."),
        ({"agent": "agent-other"}, "Choose one of the agents listed."),
        ({"scopes": ["B"]}, "You hold no role there that may ask for anything."),
        ({"reach": ""}, "Say what it may ask for."),
        ({"tools": []}, "Choose at least one tool."),
        ({"tools": ["nothing_such"]}, "You may not ask for this tool yourself."),
        ({"days": "3650"}, "Say how long it holds."),
    ):
        answer = mint(requester, **{**asked, **wrong})
        assert (answer.status_code, says in answer.content.decode()) == (422, True), wrong
        assert "agent" in wrong or '<option value="agent-b" selected>' in answer.content.decode(), (
            "what was typed stays"
        )
    assert AgentToken.objects.count() == 3

    made = mint(requester, **asked)
    caller = tokens.authenticate(secret_in(made))
    assert (made.status_code, "no-store" in made.headers["Cache-Control"]) == (201, True)
    assert (caller.agent.name, caller.person.username, caller.tools) == ("agent-b", "requester", {TOOL})
    assert [scope.code for scope in caller.scopes] == ["A"]
    told = entries_of_organization(world.demo.pk, kinds=["token.minted"], limit=1)[0]
    assert (told.actor, told.facts["scopes"], told.facts["tools"]) == ("requester", ["A"], [TOOL])

    page = requester.text(HERE)
    assert caller.token.prefix in page
    assert secret_in(made) not in page
    assert caller.token.prefix not in stranger.text(HERE) + approver.text(HERE)
    form = requester.form(HERE, f"revoke-{caller.token.pk}")
    for nosy in (stranger, approver):
        theirs = {**form, "csrfmiddlewaretoken": csrf_of(nosy)}
        assert nosy.client.post(f"{HERE}revocations/", theirs).status_code == 404
    assert requester.send(f"{HERE}revocations/", form=form).status_code == 303
    assert tokens.authenticate(secret_in(made)) is None
    assert "revoked by Requester" in requester.text(HERE)


def csrf_of(person: Person) -> str:
    return re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', person.text(HERE))[1]


def test_who_may_ask_for_nothing_gives_nothing(world: World) -> None:
    auditor = Person(world, "auditor")
    assert "no agent can ask for you" in auditor.text(HERE)
    form = {"csrfmiddlewaretoken": csrf_of(auditor), "organization": "demo", "agent": "agent-a", "reach": "every"}
    refused = auditor.client.post(f"{HERE}tokens/", {**form, "scopes": ["A"], "days": "7"})
    assert (refused.status_code, AgentToken.objects.count()) == (422, 3)
    foreign = auditor.client.post(f"{HERE}tokens/", {**form, "organization": "other"})
    assert foreign.status_code == 404
    world.end_role("auditor")
    assert auditor.open(HERE).status_code == 404


def test_an_operator_adds_and_disables_agents_and_is_told_what_ends_with_them(world: World) -> None:
    operator, requester = Person(world, "operator"), Person(world, "requester")
    world.propose()
    waiting = world.approved(
        "D-44", arguments={"dossier_ref": "D-44", "expected_version": 3, "reason_code": "ECART_MONTANT"}
    )
    assert requester.client.post(f"{HERE}additions/", {"csrfmiddlewaretoken": csrf_of(requester)}).status_code == 422
    form = operator.form(HERE, "add-demo")
    for name, status in (("été", 422), ("agent-a", 422), ("billing-assistant", 303), ("billing-assistant", 422)):
        assert operator.send(f"{HERE}additions/", form=form, name=name).status_code == status, name
    foreign = {**form, "organization": "other"}
    assert operator.send(f"{HERE}additions/", form=foreign, name="x").status_code == 404
    page = operator.text(HERE)
    assert "billing-assistant" in page
    assert "agent-other" not in page
    assert "2 proposals that were not handed over end with it." in page

    agent = Agent.objects.get(name="agent-a", organization=world.demo)
    form = operator.form(HERE, f"disable-{agent.pk}")
    assert operator.client.get(f"{HERE}disablements/").status_code == 405
    theirs = {**form, "csrfmiddlewaretoken": csrf_of(requester)}
    assert requester.client.post(f"{HERE}disablements/", theirs).status_code == 404
    assert operator.send(f"{HERE}disablements/", form=form).status_code == 303
    assert tokens.authenticate(world.secrets["agent-a"]) is None
    world.hand_over(waiting)
    assert world.status(waiting) == "not_sent"
    assert "the agent is disabled" in requester.text(HERE)
