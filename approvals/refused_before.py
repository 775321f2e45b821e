"""A refused question cannot return unchanged: a new proposal says which refusal it answers, and what changed."""

from approvals.examining import Answers, Examined, Submission
from approvals.models import Act
from approvals.refusals import Refusal
from proposals.models import Proposal, Revision
from proposals.revisions import material_digest, target_of
from tenancy.access import Caller


def require_new_question(
    caller: Caller, submission: Submission, examined: Examined, *, expected_version: str | None
) -> None:
    """Raises Refusal `already_refused`, or `invalid_arguments` for `answers` that name no refused proposal here."""
    answered = _answered(caller, submission.answers, examined) if submission.answers else None
    digest = material_digest(
        contract=examined.contract,
        organization=caller.organization.pk,
        scope=examined.scope.pk,
        arguments=examined.arguments,
        target=target_of(examined.contract, examined.arguments),
        target_version=expected_version,
    )
    refused = _latest_refusal(digest, caller)
    if refused is None or refused.proposal_id == answered:
        return
    public_id = refused.proposal.public_id
    raise Refusal(
        "already_refused",
        detail=f"The same question was refused as {public_id}.",
        hint=f'If something changed, say so: "answers": {{"proposal": "{public_id}", "what_changed": "…"}}.',
        extra={"refused": {"proposal": public_id, "reason": refused.reason}},
    )


def _latest_refusal(digest: str, caller: Caller) -> Act | None:
    asked = Revision.objects.filter(material_digest=digest, proposal__organization=caller.organization)
    refusals = Act.objects.filter(kind=Act.Kind.REFUSAL, revision__in=asked, proposal__state=Proposal.State.REJECTED)
    return refusals.select_related("proposal").order_by("-at").first()


def _answered(caller: Caller, answers: Answers, examined: Examined) -> int:
    number = answers.proposal.removeprefix("P-")
    rows = Proposal.objects.filter(
        organization=caller.organization,
        scope=examined.scope,
        tool=examined.contract.name,
        state=Proposal.State.REJECTED,
    )
    if not rows.filter(pk=int(number)).exists():
        expected = "a refused proposal of this tool and scope"
        error = {"pointer": "/answers/proposal", "keyword": "answers", "expected": expected, "received": ""}
        raise Refusal("invalid_arguments", detail="answers names no refused proposal here.", errors=(error,))
    return int(number)
