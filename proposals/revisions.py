"""What one revision says: its target, its reason, its meaning, and the exact content that a signature binds."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from journal.digests import canonical, sha256
from proposals.arguments import MAX_EXACT
from proposals.contracts import Contract
from proposals.models import Revision
from systems.adapters.base import Observation


@dataclass(frozen=True)
class Asked:
    """What an agent asks: arguments that fit the contract, the reason it suggests, the facts it consulted."""

    arguments: Mapping[str, Any]
    suggestion: str = ""
    facts: tuple[Mapping[str, Any], ...] = ()
    session: str = ""
    answers_proposal: int | None = None
    what_changed: str = ""


def target_of(contract: Contract, arguments: Mapping[str, Any]) -> str | None:
    """The target that the arguments name; None where the contract has none."""
    return None if contract.target_argument is None else str(arguments[contract.target_argument])


def target_version_of(contract: Contract, arguments: Mapping[str, Any], observation: Observation | None) -> str | None:
    """The version that is asked about, as canonical JSON text: the one announced, else the one observed."""
    if contract.version_argument is not None and contract.version_argument in arguments:
        return canonical(arguments[contract.version_argument]).decode()
    return None if observation is None else canonical(observation.version).decode()


def reason_of(contract: Contract, arguments: Mapping[str, Any], suggestion: str) -> str:
    """The reason to show: the contract's reason argument, or the agent's suggestion where it has none."""
    if contract.reason_argument is None:
        return suggestion
    return str(arguments.get(contract.reason_argument, ""))


def material_digest(
    *,
    contract: Contract,
    organization: int,
    scope: int,
    arguments: Mapping[str, Any],
    target: str | None,
    target_version: str | None,
) -> str:
    """The digest of the meaning: the same for the same question, whatever words go with it."""
    material = {name: arguments[name] for name in contract.material_arguments if name in arguments}
    return sha256(canonical([contract.name, organization, scope, material, target, target_version]))


def stored_observation(observation: Observation | None, *, now: datetime) -> dict[str, Any] | None:
    """The observation as it is kept: what the system said, at which instant, in values that a database can hold."""
    if observation is None:
        return None
    said: dict[str, Any] = storable(
        {
            "label": observation.label,
            "state": observation.state,
            "version": observation.version,
            "scope": observation.scope,
            "attributes": observation.attributes,
            "digest": observation.digest,
        }
    )
    return {**said, "at": spelt(now)}


def content_of(
    revision: Revision, *, contract: Contract, arguments: Mapping[str, Any], requester: str, scope: str
) -> dict[str, Any]:
    """Everything that a signature on this revision binds, ready to be spelt canonically."""
    return {
        "proposal": f"P-{revision.proposal_id}",
        "number": revision.number,
        "tool": contract.name,
        "contract": {"version": contract.version, "digest": contract.digest},
        "system": {"name": contract.execution.system, "digest": revision.system_digest},
        "arguments": dict(arguments),
        "target": revision.target,
        "target_version": revision.target_version,
        "observation": revision.observation,
        "suggestion": revision.suggestion,
        "facts": revision.facts,
        "requester": requester,
        "scope": scope,
    }


def spelt(moment: datetime) -> str:
    """An instant as facts spell it: UTC, microseconds, `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def storable(value: Any) -> Any:
    """The value without what PostgreSQL or canonical JSON cannot hold: a foreign system may say anything."""
    if isinstance(value, str):
        return value.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {storable(str(key)): storable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [storable(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and not -MAX_EXACT <= value <= MAX_EXACT:
        return str(value)
    return value
