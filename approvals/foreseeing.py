"""What approvers may ask before they decide: how the target stands now, and what its system says the order would do.

Nothing of it is kept, and nothing of it is evidence: the policy looks again when somebody signs.
"""

from dataclasses import dataclass

from approvals.assessing import look
from approvals.cases import Case
from approvals.policy import Target, TargetIs
from proposals.arguments import parse
from systems.adapters.base import Order, Unreachable
from systems.foreseeing import Foreseen, can_foresee, foresee


@dataclass(frozen=True)
class Outlook:
    """`target` as it stands now; `changed` when its version is not the one this was prepared for any more.

    `foreseen` is None when the system did not answer, or was not asked because the target is not there to be shown.
    """

    target: Target
    changed: bool
    foreseen: Foreseen | None


def has_outlook(case: Case) -> bool:
    """Whether the business system can be asked what this would do."""
    execution = case.contract.execution
    return can_foresee(system=execution.system, operation=execution.operation)


def outlook(case: Case) -> Outlook:
    """Ask now, in at most two requests that only read. The caller has checked that the person may decide the case.

    The target is seen first, within the proposal's scope: what has left it is not told, not even to approvers.
    """
    revision, execution = case.revision, case.contract.execution
    target = look(case.contract, target=revision.target, scopes={case.proposal.scope.code}).target
    changed = target.known == TargetIs.SEEN and revision.target_version not in (None, target.version)
    if target.known not in (TargetIs.SEEN, TargetIs.NONE):
        return Outlook(target, changed, None)
    version = parse(revision.target_version.encode()) if revision.target_version else None
    order = Order(execution.operation, case.arguments, revision.target, version, "", execution.queue)
    foreseen = foresee(system=execution.system, order=order)
    return Outlook(target, changed, None if isinstance(foreseen, Unreachable) else foreseen)
