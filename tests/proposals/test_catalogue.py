"""The catalogue: only what this caller may propose now, the same contract in every shape."""

from proposals import catalogue
from proposals.contracts import contract_of
from tests.world import World

ALL = [
    "annuler_revue_dossier",
    "archive_user_by_id",
    "chercher_dossier",
    "ledger_ping",
    "ouvrir_revue_dossier",
    "refund_create",
]


def names(world: World, agent: str = "agent-a") -> list[str]:
    return [version.name for version in catalogue.tools_for(world.caller(agent))]


def test_a_caller_sees_what_its_person_may_propose_in_order(world: World) -> None:
    assert names(world) == ALL
    assert names(world, "agent-other") == ["ouvrir_revue_dossier"]


def test_a_stopped_tool_or_system_is_not_shown(world: World) -> None:
    world.stop("tool", "refund_create")
    assert "refund_create" not in names(world)
    world.resume("tool", "refund_create")
    world.stop("system", "reviews")
    assert names(world) == ["archive_user_by_id", "ledger_ping", "refund_create"]
    world.stop()
    assert names(world) == []


def test_a_person_without_the_role_and_a_token_with_limits_see_less(world: World) -> None:
    token = world.caller().token
    token.tools = ["ledger_ping"]
    token.save(update_fields=["tools"])
    assert names(world) == ["ledger_ping"]
    world.end_role("requester")
    assert names(world) == []


def test_every_shape_carries_the_same_schema_and_the_tag_sees_a_change(world: World) -> None:
    versions = catalogue.tools_for(world.caller())
    schemas = {version.name: contract_of(version).arguments for version in versions}
    for tool in catalogue.rendered(versions, "anthropic"):
        assert tool["input_schema"] == schemas[tool["name"]]
    for tool in catalogue.rendered(versions, "openai"):
        assert tool["function"]["parameters"] == schemas[tool["function"]["name"]]
    for tool in catalogue.rendered(versions, "mcp"):
        assert tool["inputSchema"] == schemas[tool["name"]]
    served = catalogue.rendered(versions)
    assert all(tool["waiver"] == "not rehearsed" and not tool["rehearsed"] for tool in served)
    assert catalogue.etag(served) == catalogue.etag(catalogue.rendered(versions)) != catalogue.etag(served[1:])
