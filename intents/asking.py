"""Asks the policy's question at hand-over of what `intents_held` gathered under lock in one statement.

`approvals.assessing.gather` asks the same of the same rows, one by one; a test holds the two equal.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from approvals.assessing import Look, stop_in_words, system_digest
from approvals.policy import Approver, Question, Stage
from intents.fences import holder_for
from intents.holding import Held


def question_at_hand_over(held: Held, look: Look) -> Question:
    """The question about a ready intent that was held with its gates; `now` is the clock after the last lock."""
    gates, policy, person = held.gates, held.contract.policy, held.proposal.requester
    roles = gates["requester"]
    assert held.now is not None  # whoever was held with gates was held in one statement
    return Question(
        stage=Stage.HANDOVER,
        now=held.now,
        stop=stop_in_words(**gates["stop"]) if gates["stop"] else None,
        contract_state=gates["contract"]["state"],
        contract_digest=gates["contract"]["digest"],
        system_approved=held.revision.system_digest,
        system_now=system_digest(held.contract),
        token_revoked=gates["token"]["revoked"],
        agent_disabled=gates["token"]["disabled"],
        requester={"name": person.get_username(), "roles": sorted(roles), "scope": held.proposal.scope.code},
        requester_role=next((role for role in policy.requester_roles if role in roles), None),
        scope=held.proposal.scope.code,
        arguments=held.arguments,
        target=look.target,
        expected_version=held.revision.target_version,
        fence=holder_for(held) if gates["on_object"] else None,
        approvers=tuple(_as_it_stands(one, policy.approver_roles) for one in gates["signatures"]),
        quorum_met_until=held.authorization.expires_at if not held.authorization.voided_at else None,
    )


def signed_as(held: Held) -> dict[str, str]:
    """The role in which each approver signed, by name."""
    return {one["person"]: one["signed_as"] for one in held.gates["signatures"]}


def _as_it_stands(signature: Mapping[str, Any], roles: tuple[str, ...]) -> Approver:
    role = next((role for role in roles if role in signature["roles"]), None)
    return Approver(
        signature["person"], role, datetime.fromisoformat(signature["expires_at"]), bool(signature["revoked"])
    )
