"""The statements that read an intent with all that moves along with it; after `TAKE` they see what it locked.

`gates` are what the policy asks at hand-over of rows that others may change: `intents.asking` reads them.
"""

from collections.abc import Sequence
from typing import Any

from approvals.models import Authorization
from intents.instances import Shape
from intents.models import Attempt, Intent
from proposals.models import ContractVersion, Proposal, Revision
from tenancy.models import Scope, User

TAKE = "SELECT intents_take($1, $2)"

# What may have changed since somebody looked, and what never does.
_MOVING: tuple[tuple[str, Shape[Any]], ...] = (
    ("i", Shape(Intent)),
    ("p", Shape(Proposal)),
    ("a", Shape(Authorization)),
    ("t", Shape(Attempt, without=["body"])),
)
_LASTING: tuple[tuple[str, Shape[Any]], ...] = (
    ("r", Shape(Revision)),
    ("s", Shape(Scope)),
    ("u", Shape(User, "id", "username")),
    ("c", Shape(ContractVersion, without=["canonical", "source"])),
)

_ROLES = """(
    SELECT coalesce(jsonb_agg(DISTINCT granted.role), '[]')
    FROM tenancy_rolegrant granted JOIN tenancy_user holder ON holder.id = granted.person_id
    WHERE granted.person_id = {person} AND holder.is_active AND granted.ended_at IS NULL
      AND granted.organization_id = p.organization_id
      AND (granted.scope_id IS NULL OR granted.scope_id = p.scope_id))"""

_GATES = f"""jsonb_build_object(
    'stop', (SELECT jsonb_build_object('subject', subject, 'name', name) FROM tenancy_admission
             WHERE organization_id = p.organization_id
               AND ((subject = 'organization' AND name = '') OR (subject = 'tool' AND name = i.tool)
                    OR (subject = 'system' AND name = i.system))
               AND stopped_at IS NOT NULL AND (stopped_until IS NULL OR stopped_until > clock.now)
             ORDER BY id LIMIT 1),
    'contract', (SELECT jsonb_build_object('state', v.state, 'digest', v.digest)
                 FROM proposals_contractversion v WHERE v.id = r.contract_id),
    'token', (SELECT jsonb_build_object('revoked', k.revoked_at IS NOT NULL, 'disabled', n.disabled_at IS NOT NULL)
              FROM tenancy_agenttoken k JOIN tenancy_agent n ON n.id = k.agent_id WHERE k.id = p.token_id),
    'requester', {_ROLES.format(person="p.requester_id")},
    'signatures', (SELECT coalesce(jsonb_agg(jsonb_build_object(
                        'person', signer.username, 'signed_as', signed.role, 'expires_at', signed.expires_at,
                        'revoked', signed.revoked_at IS NOT NULL, 'roles', {_ROLES.format(person="signed.person_id")})
                        ORDER BY signed.id), '[]')
                   FROM approvals_signature signed JOIN tenancy_user signer ON signer.id = signed.person_id
                   WHERE signed.authorization_id = a.id),
    'on_object', i.target IS NOT NULL AND EXISTS (
        SELECT 1 FROM intents_intent other
        WHERE other.organization_id = i.organization_id AND other.system = i.system AND other.target = i.target
          AND other.id <> i.id AND other.fence_lifted_at IS NULL
          AND (other.state IN ('sending', 'accepted', 'unknown', 'reopened')
               OR (other.state = 'ready' AND other.reopened_at IS NOT NULL)
               OR EXISTS (SELECT 1 FROM intents_case f WHERE f.intent_id = other.id AND f.closed_at IS NULL))))"""  # noqa: S608  made of the texts above alone

_FROM = """
FROM intents_intent i
JOIN proposals_revision r ON r.id = i.revision_id
JOIN proposals_proposal p ON p.id = r.proposal_id
JOIN approvals_authorization a ON a.id = i.authorization_id
LEFT JOIN intents_attempt t ON t.intent_id = i.id AND t.number = i.attempt
CROSS JOIN (SELECT clock_timestamp() AS now OFFSET 0) clock"""
_LASTING_FROM = """
JOIN tenancy_scope s ON s.id = p.scope_id
JOIN tenancy_user u ON u.id = p.requester_id
JOIN proposals_contractversion c ON c.id = r.contract_id"""


def _select(shapes: Sequence[tuple[str, Shape[Any]]], *more: str) -> str:
    return "SELECT " + ", ".join(["clock.now", *more, *(shape.columns(alias) for alias, shape in shapes)])


# All of it, the clock first.
READ = _select(_MOVING + _LASTING) + _FROM + _LASTING_FROM + "\nWHERE i.id = $1"
# What may have changed of what was read before: the clock, the gates, and an id that nobody else will give to evidence.
READ_AGAIN = _select(_MOVING, _GATES, "nextval('intents_evidence_id_seq')") + _FROM + "\nWHERE i.id = $1"


def moving(values: Sequence[Any]) -> tuple[list[Any], Sequence[Any]]:
    """Intent, proposal, authorization and current attempt (or None), and the values after them."""
    return _made(_MOVING, values)


def lasting(values: Sequence[Any]) -> tuple[list[Any], Sequence[Any]]:
    """Revision, scope, requester and contract version, and the values after them."""
    return _made(_LASTING, values)


def _made(shapes: Sequence[tuple[str, Shape[Any]]], values: Sequence[Any]) -> tuple[list[Any], Sequence[Any]]:
    rows: list[Any] = []
    for _, shape in shapes:
        mine, values = values[: len(shape)], values[len(shape) :]
        rows.append(shape.made(mine) if mine[0] is not None else None)  # the key comes first
    return rows, values
