"""A refused question cannot return unchanged: a new proposal says which refusal it answers, and what changed."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from approvals.refusals import Refusal
from approvals.submissions import Answers
from journal.reads import Read
from proposals.contracts import Contract
from proposals.models import Proposal
from proposals.revisions import material_digest, target_of
from tenancy.access import Caller
from tenancy.models import Organization, Scope


class Refused(NamedTuple):
    """A refused proposal, and the reason it was refused for."""

    proposal_id: int
    reason: str


def material_digest_of(
    caller: Caller,
    contract: Contract,
    scope: Scope,
    arguments: Mapping[str, Any],
    *,
    expected_version: str | None,
) -> str:
    """The digest of what this caller asks in the scope."""
    return material_digest(
        contract=contract,
        organization=caller.organization.pk,
        scope=scope.pk,
        arguments=arguments,
        target=target_of(contract, arguments),
        target_version=expected_version,
    )


def latest_refusal(digest: str, organization: Organization) -> Read:
    """The last refusal of the same meaning in the organization, as part of one statement: the members of Refused.

    The proposal is looked at for a refusal alone, by its key: a join of all that ever had this meaning grows with it.
    """
    return Read(
        """SELECT json_build_array(refusal.proposal_id, refusal.reason)
           FROM proposals_revision asked
           JOIN approvals_act refusal ON refusal.revision_id = asked.id AND refusal.kind = 'refusal'
           WHERE asked.material_digest = %s
             AND (SELECT proposal.organization_id = %s AND proposal.state = 'rejected'
                  FROM proposals_proposal proposal WHERE proposal.id = asked.proposal_id)
           ORDER BY refusal.at DESC LIMIT 1""",
        (digest, organization.pk),
    )


def require_new_question(
    caller: Caller, answers: Answers | None, refused: Refused | None, *, contract: Contract, scope: Scope
) -> None:
    """Raises Refusal `already_refused`, or `invalid_arguments` for `answers` that name no refused proposal here."""
    answered = _answered(caller, answers, contract=contract, scope=scope) if answers else None
    if refused is None or refused.proposal_id == answered:
        return
    public_id = f"P-{refused.proposal_id}"
    raise Refusal(
        "already_refused",
        detail=f"The same question was refused as {public_id}.",
        hint=f'If something changed, say so: "answers": {{"proposal": "{public_id}", "what_changed": "…"}}.',
        extra={"refused": {"proposal": public_id, "reason": refused.reason}},
    )


def _answered(caller: Caller, answers: Answers, *, contract: Contract, scope: Scope) -> int:
    number = answers.proposal.removeprefix("P-")
    rows = Proposal.objects.filter(
        organization=caller.organization,
        scope=scope,
        tool=contract.name,
        state=Proposal.State.REJECTED,
    )
    if not rows.filter(pk=int(number)).exists():
        expected = "a refused proposal of this tool and scope"
        error = {"pointer": "/answers/proposal", "keyword": "answers", "expected": expected, "received": ""}
        raise Refusal("invalid_arguments", detail="answers names no refused proposal here.", errors=(error,))
    return int(number)
