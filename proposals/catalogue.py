"""What a caller may propose, in the shapes that models are given; each rendered from the same contract."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from journal.clock import now as database_now
from journal.digests import canonical, sha256
from proposals.contracts import Contract, contract_of
from proposals.models import ContractVersion
from tenancy.access import Caller, roles_of
from tenancy.models import Admission


def tools_for(caller: Caller) -> list[ContractVersion]:
    """The active versions that the caller may propose now in one of its scopes, and that are not stopped, by name."""
    versions = ContractVersion.objects.filter(
        organization=caller.organization, state=ContractVersion.State.ACTIVE
    ).order_by("name")
    held = frozenset().union(
        *(roles_of(caller.person, organization=caller.organization, scope=scope) for scope in caller.scopes)
    )
    stops = _stops(caller)
    return [version for version in versions if _open_to(caller, contract_of(version), held, stops)]


def native(contract: Contract, *, waiver: str = "") -> dict[str, Any]:
    """The public part of a contract; `waiver` says why it is active without a passing rehearsal."""
    return {
        "name": contract.name,
        "contract_version": contract.version,
        "digest": contract.digest,
        "title": dict(contract.title),
        "description": contract.description,
        "arguments": contract.arguments,
        "effect": contract.effect,
        "consequence": None if contract.consequence is None else dict(contract.consequence),
        "consequence_level": contract.consequence_level,
        "approvals_needed": contract.policy.quorum,
        "output": {"fields": list(contract.output_fields), "max_bytes": contract.output_max_bytes},
        "compensation": contract.execution.compensation,
        "rehearsed": not waiver,
        "waiver": waiver or None,
    }


def anthropic(contract: Contract, *, waiver: str = "") -> dict[str, Any]:
    """The contract as an Anthropic tool."""
    return {"name": contract.name, "description": contract.description, "input_schema": contract.arguments}


def openai(contract: Contract, *, waiver: str = "") -> dict[str, Any]:
    """The contract as an OpenAI function tool."""
    function = {"name": contract.name, "description": contract.description, "parameters": contract.arguments}
    return {"type": "function", "function": function}


def openai_responses(contract: Contract, *, waiver: str = "") -> dict[str, Any]:
    """The contract as a function tool of OpenAI's Responses, where nothing is nested."""
    return {"type": "function", **openai(contract)["function"]}


def mcp(contract: Contract, *, waiver: str = "") -> dict[str, Any]:
    """The contract as an MCP tool. The annotations describe; nothing is granted by them."""
    return {
        "name": contract.name,
        "title": contract.title["en"],
        "description": contract.description,
        "inputSchema": contract.arguments,
        "annotations": {"readOnlyHint": contract.effect == "none", "idempotentHint": False, "openWorldHint": False},
    }


SHAPES: Mapping[str, Callable[..., dict[str, Any]]] = {
    "native": native,
    "anthropic": anthropic,
    "openai": openai,
    "openai_responses": openai_responses,
    "mcp": mcp,
}


def rendered(versions: Iterable[ContractVersion], shape: str = "native") -> list[dict[str, Any]]:
    """The versions in one of SHAPES, in the order given; KeyError for a shape that does not exist."""
    render = SHAPES[shape]
    return [render(contract_of(version), waiver=version.waiver) for version in versions]


def etag(items: list[dict[str, Any]]) -> str:
    """A strong validator over what is served: the digest of its canonical spelling."""
    return sha256(canonical(items))


def _stops(caller: Caller) -> frozenset[tuple[str, str]]:
    rows = Admission.objects.filter(organization=caller.organization, stopped_at__isnull=False)
    in_force = rows.exclude(stopped_until__lte=database_now())
    return frozenset(in_force.values_list("subject", "name"))


def _open_to(caller: Caller, contract: Contract, held: frozenset[str], stops: frozenset[tuple[str, str]]) -> bool:
    subjects = {
        (Admission.Subject.ORGANIZATION.value, ""),
        (Admission.Subject.TOOL.value, contract.name),
        (Admission.Subject.SYSTEM.value, contract.execution.system),
    }
    entitled = bool(held & set(contract.policy.requester_roles))
    return entitled and caller.may_name(contract.name) and not subjects & stops
