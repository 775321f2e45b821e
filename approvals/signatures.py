"""What a signature is over: the canonical bytes of everything the person was shown and is bound to."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from approvals.policy import policy_version
from journal.digests import canonical, sha256
from proposals.contracts import Contract
from proposals.models import Revision
from tenancy.models import User

FORMAT = "countersign.approval/1"


def payload(
    *,
    revision: Revision,
    contract: Contract,
    arguments: Mapping[str, Any],
    person: User,
    role: str,
    round: int,
    signed_at: datetime,
    expires_at: datetime,
    language: str,
) -> bytes:
    """Return the canonical bytes (RFC 8785) that a signature binds; every word in them was on the page.

    Times are RFC 3339 in UTC with microseconds; `language` is the one the page was read in.
    """
    return canonical(
        {
            "format": FORMAT,
            "proposal": revision.proposal.public_id,
            "revision": revision.number,
            "revision_digest": revision.digest,
            "arguments_digest": sha256(bytes(revision.arguments)),
            "contract": {"name": contract.name, "version": contract.version, "digest": contract.digest},
            "policy_version": policy_version(contract),
            "system": {"name": contract.execution.system, "digest": revision.system_digest},
            "shown": {
                "language": language,
                "title": contract.title_for(language, revision.target, arguments),
                "consequence": contract.consequence_words(language),
                "consequence_level": contract.consequence_level,
            },
            "target": revision.target,
            "target_version": revision.target_version,
            "reason": _reason(revision, contract=contract, arguments=arguments),
            "approver": {"name": person.get_username(), "role": role},
            "round": round,
            "signed_at": spelt(signed_at),
            "expires_at": spelt(expires_at),
        }
    )


def _reason(revision: Revision, *, contract: Contract, arguments: Mapping[str, Any]) -> Any:
    """The contract's reason argument; without one the suggestion, which the page labels as the agent's words."""
    if contract.reason_argument:
        return arguments.get(contract.reason_argument)
    return revision.suggestion


def spelt(moment: datetime) -> str:
    """`2026-03-01T09:30:00.000000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
