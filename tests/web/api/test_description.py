"""The OpenAPI document is true: its examples fit, and whatever is asked is answered as it says."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
import schemathesis
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from approvals.refusals import CODES
from proposals.catalogue import SHAPES
from tests import fuzzing
from tests.web.api.calling import GOOD, REFUND, Agent
from tests.world import World
from web.toolcalls.examples import TURNS

Operation = Any
ENVELOPE = {"tool": "ouvrir_revue_dossier", "arguments": GOOD}
FEW = settings(
    max_examples=12,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)

# A token is asked for elsewhere, once; and what arguments fit is the contract's to say, not this document's.
LET_BE = [ignored_auth, positive_data_acceptance]


@pytest.fixture
def document(database: None) -> dict[str, Any]:
    """As it is served."""
    served: dict[str, Any] = Client().get("/api/v1/schema").json()
    return served


@pytest.fixture
def operations(document: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, Operation]:
    """Every operation by its id, called in this process."""
    fuzzing.agree(monkeypatch)
    schema = schemathesis.openapi.from_dict(document)
    schema.app = get_wsgi_application()
    return {one.definition.raw["operationId"]: one for one in (found.ok() for found in schema.get_all_operations())}


def examples(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Place, schema and value of every example."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            bodies = [("request", operation.get("requestBody", {})), *operation["responses"].items()]
            for where, body in bodies:
                for kind, content in body.get("content", {}).items():
                    for name, example in content.get("examples", {}).items():
                        yield f"{method} {path} {where} {kind} {name}", content["schema"], example["value"]


def test_every_example_fits_its_schema_and_every_refusal_has_one(document: dict[str, Any]) -> None:
    shown = set()
    for place, schema, value in examples(document):
        whole = {**schema, "components": document["components"]}
        found = [error.message for error in jsonschema.Draft202012Validator(whole).iter_errors(value)]
        assert found == [], place
        shown.add(value.get("code") if isinstance(value, dict) else None)
    # The one refusal that no documented operation can answer is that of a method it does not have.
    assert set(CODES) - shown == {"method_not_allowed"}


def test_the_command_writes_what_is_served(document: dict[str, Any], tmp_path: Any) -> None:
    file = tmp_path / "openapi.json"
    call_command("spectacular", format="openapi-json", file=str(file), validate=True, fail_on_warn=True)
    assert json.loads(file.read_text()) == document


def test_every_schema_is_closed_or_says_what_it_holds(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert {"401", "500", "503"} <= set(operation["responses"]), (method, path)
            assert operation["security"] == [{"agentToken": []}], (method, path)


def test_whatever_is_asked_is_answered_as_documented(world: World, operations: dict[str, Operation]) -> None:
    headers = {"Authorization": f"Bearer {world.secrets['agent-a']}"}
    for name, operation in operations.items():

        @FEW
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            if case.query and "wait" in case.query:
                case.query["wait"] = 0
            case.call_and_validate(headers=headers, excluded_checks=LET_BE)

        ask()
        assert name


def test_the_story_of_a_proposal_is_answered_as_documented(world: World, operations: dict[str, Operation]) -> None:
    agent, told = Documented(world.secrets["agent-a"], operations), []
    created = agent.asks("submit_proposal", 201, body=ENVELOPE, headers={"Idempotency-Key": "K"})
    agent.asks("submit_proposal", 201, body=ENVELOPE, headers={"Idempotency-Key": "K"})
    agent.asks("submit_proposal", 422, body={**ENVELOPE, "suggestion": "x"}, headers={"Idempotency-Key": "K"})
    agent.asks("submit_proposal", 200, body=ENVELOPE, query={"dry_run": "true"})
    agent.asks("submit_proposal", 201, body={"tool": "ledger_ping", "arguments": {}})
    agent.asks("submit_proposal", 201, body={"tool": "refund_create", "arguments": REFUND})
    agent.asks("submit_proposal", 404, body={**ENVELOPE, "arguments": {**GOOD, "dossier_ref": "D-77"}})
    agent.asks("submit_proposal", 409, body={**ENVELOPE, "arguments": {**GOOD, "expected_version": 6}})
    here = {"public_id": created["id"]}
    changed = {**ENVELOPE, "suggestion": "better"}
    agent.asks("revise_proposal", 412, path=here, body=changed, headers={"If-Match": '"3"'})
    agent.asks("revise_proposal", 201, path=here, body=changed, headers={"If-Match": '"1"'})
    agent.asks("get_revision", 200, path={**here, "number": 1})
    agent.asks("get_proposal", 200, path=here, query={"wait": 0})
    intent = world.done(session="another")
    told.append(agent.asks("get_proposal", 200, path={"public_id": intent.revision.proposal.public_id}))
    agent.asks("list_proposals", 200, query={"limit": 2})
    agent.asks("withdraw_proposal", 200, path=here)
    agent.asks("revise_proposal", 409, path=here, body=changed, headers={"If-Match": '"2"'})
    agent.asks("withdraw_proposal", 409, path=here)
    agent.asks("get_proposal", 404, path={"public_id": "P-999"})
    for turn in TURNS.values():
        agent.asks("answer_tool_calls", 200, body=turn)
    agent.asks("answer_tool_calls", 400, body={"role": "assistant"})
    for shape in SHAPES:
        agent.asks("list_tools", 200, query={"format": shape})
    agent.asks("get_tool", 200, path={"name": "refund_create"})
    agent.asks("get_tool_schema", 200, path={"name": "refund_create"})
    assert told[0]["status"] == "confirmed"


class Documented:
    """An agent whose every answer is held against the document."""

    def __init__(self, secret: str, operations: dict[str, Operation]) -> None:
        self.agent, self.operations = Agent(secret), operations
        self.authorization = {"Authorization": f"Bearer {secret}"}

    def asks(
        self, name: str, status: int, *, path: Any = None, query: Any = None, body: Any = None, **more: Any
    ) -> Any:
        """The answer to one call, with the status that is expected."""
        given = {"body": body, "media_type": "application/json"} if body is not None else {}
        case = self.operations[name].Case(
            path_parameters=path or {}, query=query or {}, headers=more.get("headers", {}), **given
        )
        answer = case.call(headers={**self.authorization, **more.get("headers", {})})
        case.operation.validate_response(answer)
        assert answer.status_code == status, answer.content
        return answer.json()
