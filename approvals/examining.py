"""Examines a submission in the order of its checks, each assuming the one before, up to one look at the target."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from approvals import assessing
from approvals.assessing import Look
from approvals.policy import TargetIs
from approvals.refusals import Refusal
from approvals.restraining import counted_if_refused, require_pace
from approvals.rules import about_arguments, judge
from approvals.submissions import Answers, Submission
from approvals.surroundings import Before
from proposals import catalogue
from proposals.arguments import check
from proposals.contracts import Contract, contract_of
from proposals.models import ContractVersion
from proposals.pacing import Asking, asking
from proposals.revisions import target_of
from proposals.secrets import secrets_in
from proposals.submitting import session_of
from tenancy.access import Caller
from tenancy.models import Scope
from tenancy.reads import roles_in, stop_for

__all__ = ["Answers", "Examined", "Fitting", "Submission", "examine", "fit"]

# A fact names its source; a whole document is not a fact.
MAX_TEXT = 4_000
MAX_FACTS = 50


@dataclass(frozen=True)
class Fitting:
    """A submission whose tool exists and whose arguments fit; nothing is known of rights or target yet."""

    version: ContractVersion
    contract: Contract
    arguments: Mapping[str, Any]
    call: Asking


@dataclass(frozen=True)
class Examined:
    """A submission whose requester holds the right in `scope`, with one look at its target."""

    version: ContractVersion
    contract: Contract
    arguments: Mapping[str, Any]
    scope: Scope
    look: Look
    call: Asking


def fit(caller: Caller, submission: Submission, known: Before) -> Fitting:
    """The tool exists, the arguments fit its schema and its argument-only rules, and nothing holds a secret.

    `known` is what `surroundings.before` read for this caller and tool.

    Raises:
        Refusal: unknown_tool, contract_version_not_active, invalid_arguments, rule_violated.
    """
    version = _version(caller, submission, known)
    contract = contract_of(version)
    _require_shape(contract, submission)
    _require_no_secrets(submission)
    _require_bounds(submission)
    arguments: Mapping[str, Any] = submission.arguments
    answers = judge(about_arguments(contract.rules), arguments=arguments, requester={}, target={})
    broken = [answer.sentence["en"] for answer in answers if not answer.holds]
    if broken:
        raise rule_violated(broken)
    session = submission.session or session_of(caller)
    return Fitting(
        version, contract, arguments, asking(caller, contract=contract, session=session, arguments=arguments)
    )


def examine(caller: Caller, fitting: Fitting, known: Before, *, within: Iterable[Scope] | None = None) -> Examined:
    """The requester holds the right, admissions are open, the pace is kept, and the target was seen in scope.

    `within` narrows the scopes (a revision stays in its proposal's). Outside any transaction: at most one remote call.

    Raises:
        Refusal: not_permitted, admissions_stopped, budget_exceeded, loop_detected, target_not_available,
            target_unreachable.
    """
    contract = fitting.contract
    scopes = _entitled_scopes(caller, contract, known, within=caller.scopes if within is None else within)
    if stop_for(known.stops, tool=contract.name, system=contract.execution.system):
        raise admissions_stopped()
    require_pace(fitting.call, known.spending)
    with counted_if_refused(fitting.call):
        look = _look(fitting, scopes)
    scope = next((scope for scope in scopes if scope.code == look.target.scope), scopes[0])
    return Examined(fitting.version, contract, fitting.arguments, scope, look, fitting.call)


def _look(fitting: Fitting, scopes: Iterable[Scope]) -> Look:
    target = target_of(fitting.contract, fitting.arguments)
    look = assessing.look(fitting.contract, target=target, scopes=[scope.code for scope in scopes])
    if look.target.known == TargetIs.NOT_AVAILABLE:
        raise target_not_available(look.technical_reason)
    if look.target.known == TargetIs.UNREACHABLE:
        raise target_unreachable(look.technical_reason)
    return look


def rule_violated(sentences: Iterable[str]) -> Refusal:
    """One entry for each rule that does not hold, with its sentence."""
    said = tuple(sentences)
    errors = tuple({"pointer": "/arguments", "keyword": "rule", "expected": one, "received": ""} for one in said)
    return Refusal("rule_violated", detail="A rule of the contract does not hold.", hint=" ".join(said), errors=errors)


def target_not_available(technical_reason: str) -> Refusal:
    """Missing or foreign: the same words for both, and the reason for the journal only."""
    return Refusal(
        "target_not_available",
        detail="The target is not available to this caller.",
        hint="Check the reference. Targets outside your scope are answered as if they did not exist.",
        technical_reason=technical_reason,
    )


def target_unreachable(technical_reason: str) -> Refusal:
    """Nothing is known about the target, so nothing is said about it."""
    return Refusal(
        "target_unreachable",
        detail="The business system does not show the target at the moment. Nothing was recorded.",
        hint="Send the same request later.",
        technical_reason=technical_reason,
    )


def admissions_stopped() -> Refusal:
    """Somebody stopped new work; what was handed over before goes on being followed."""
    return Refusal(
        "admissions_stopped",
        detail="Admissions are stopped for this tool at the moment. Nothing was recorded.",
        hint="Send the same request later.",
    )


def _version(caller: Caller, submission: Submission, known: Before) -> ContractVersion:
    active = known.version
    if active is None:
        names = ", ".join(version.name for version in catalogue.tools_for(caller)) or "none"
        raise Refusal("unknown_tool", detail="There is no such tool.", hint=f"Names are exact. Known here: {names}.")
    if submission.contract_version not in (None, active.version):
        detail = f"The active version of {active.name} is {active.version}."
        raise Refusal(
            "contract_version_not_active", detail=detail, hint="Read the contract again before proposing under it."
        )
    return active


def _require_shape(contract: Contract, submission: Submission) -> None:
    found = check(contract, submission.arguments)
    if not found:
        return
    errors = tuple(
        {
            "pointer": "/arguments" + error.pointer,
            "keyword": error.keyword,
            "expected": error.expected,
            "received": error.received,
            "hint": error.hint,
        }
        for error in found
    )
    places = ", ".join(error["pointer"] for error in errors[:5])
    detail = "The arguments do not fit the contract."
    hint = f"Correct {places}{' and the others' if len(errors) > 5 else ''}, and send it again."
    raise Refusal("invalid_arguments", detail=detail, hint=hint, errors=errors)


def _require_no_secrets(submission: Submission) -> None:
    told = {
        "arguments": submission.arguments,
        "suggestion": submission.suggestion,
        "facts": list(submission.facts),
        "session": submission.session or "",
        "answers": {"what_changed": submission.answers.what_changed} if submission.answers else {},
    }
    found = secrets_in(told)
    if found:
        errors = tuple(_error(pointer, "secret", "no secret; a reference is enough") for pointer in found)
        detail = "Something here looks like a secret. It was not recorded."
        raise Refusal("invalid_arguments", detail=detail, hint="Send a reference instead.", errors=errors)


def _require_bounds(submission: Submission) -> None:
    errors = []
    if len(submission.suggestion) > MAX_TEXT:
        errors.append(_error("/suggestion", "maxLength", f"at most {MAX_TEXT} characters"))
    if len(submission.facts) > MAX_FACTS:
        errors.append(_error("/facts", "maxItems", f"at most {MAX_FACTS} facts"))
    for index, fact in enumerate(submission.facts):
        for name, value in fact.items():
            if isinstance(value, str) and len(value) > MAX_TEXT:
                errors.append(_error(f"/facts/{index}/{name}", "maxLength", f"at most {MAX_TEXT} characters"))
    if errors:
        detail = "What goes with the arguments is too long: references are enough."
        raise Refusal("invalid_arguments", detail=detail, errors=tuple(errors))


def _error(pointer: str, keyword: str, expected: str) -> dict[str, str]:
    return {"pointer": pointer, "keyword": keyword, "expected": expected, "received": ""}


def _entitled_scopes(caller: Caller, contract: Contract, known: Before, *, within: Iterable[Scope]) -> list[Scope]:
    if not caller.may_name(contract.name):
        raise _not_permitted(contract, "the token is limited to other tools")
    asking = frozenset(contract.policy.requester_roles)
    ours = [scope for scope in within if scope.organization_id == caller.organization.pk]
    scopes = [scope for scope in ours if asking & roles_in(scope, known.grants)]
    if not scopes:
        raise _not_permitted(contract, "the person holds no requester role in a scope of the token")
    return sorted(scopes, key=lambda scope: scope.code)


def _not_permitted(contract: Contract, technical_reason: str) -> Refusal:
    detail = f"The person this is asked for may not ask for {contract.name} with this token."
    return Refusal("not_permitted", detail=detail, technical_reason=technical_reason)
