"""What a submission is decided in: read in one statement before the look, and in one more inside its transaction."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from approvals.assessing import Look, expected_version, stop_in_words, system_digest
from approvals.fencing import holder, is_held
from approvals.policy import Question, Stage
from approvals.refused_before import Refused, latest_refusal, material_digest_of
from journal.reads import CLOCK, NOTHING, ask
from proposals import pacing, reads
from proposals.contracts import Contract
from proposals.keys import Claim
from proposals.models import ContractVersion
from proposals.pacing import Spending
from tenancy.access import Caller
from tenancy.models import Scope
from tenancy.reads import Grant, Stop, grants_of, roles_in, stop_for, stops_in, token_standing


@dataclass(frozen=True)
class Before:
    """What is known before anything is examined. `version` is the active one of the tool, None without such a tool."""

    version: ContractVersion | None
    grants: tuple[Grant, ...]
    stops: tuple[Stop, ...]
    key_is_held: bool
    spending: Spending


@dataclass(frozen=True)
class Within:
    """What is known inside the transaction: the policy's question, and who refused the same question last.

    `number` is that of the proposal to be, where one was asked for.
    """

    question: Question
    refused: Refused | None
    number: int | None

    @property
    def now(self) -> datetime:
        """The database's clock as it was read together with everything else."""
        return self.question.now


def before(caller: Caller, tool: str, claim: Claim | None, *, session: str) -> Before:
    """Read what the tool is, what the person may, what is stopped, what was asked lately, and whose the key is."""
    found = ask(
        version=reads.active_version(caller.organization, tool if len(tool) <= 64 else ""),
        grants=grants_of(caller.person.pk, organization=caller.organization.pk),
        stops=stops_in(caller.organization),
        key_is_held=reads.key_is_held(caller, claim) if claim else NOTHING,
        now=CLOCK,
        spent=pacing.spent(caller, tool, session=session),
        recent=pacing.recent(caller, session=session),
    )
    return Before(
        version=reads.version_of(found["version"]),
        grants=tuple(found["grants"]),
        stops=tuple(found["stops"]),
        key_is_held=bool(found["key_is_held"]),
        spending=Spending(found["now"], found["spent"], found["recent"]),
    )


def within(
    *,
    caller: Caller,
    version: ContractVersion,
    contract: Contract,
    scope: Scope,
    arguments: Mapping[str, Any],
    look: Look,
    numbered: bool = False,
) -> Within:
    """The question of a submission, inside its transaction; with `numbered`, the next proposal's number is taken.

    `approvals.assessing.gather` asks the same of the same rows at signature and hand-over.
    """
    target, expected = look.target, expected_version(contract, arguments, look.target)
    system = contract.execution.system
    on_object: dict[str, Any] = {"organization": caller.organization, "system": system, "target": target.ref}
    meaning = material_digest_of(caller, contract, scope, arguments, expected_version=expected)
    found = ask(
        now=CLOCK,
        version=reads.version_standing(version),
        token=token_standing(caller.token.pk),
        grants=grants_of(caller.person.pk, organization=caller.organization.pk),
        stops=stops_in(caller.organization),
        held=is_held(**on_object),
        refused=latest_refusal(meaning, caller.organization),
        number=reads.NEXT_NUMBER if numbered else NOTHING,
    )
    roles = roles_in(scope, found["grants"])
    stop = stop_for(found["stops"], tool=contract.name, system=system)
    state, digest = found["version"]
    revoked, disabled = found["token"]
    question = Question(
        stage=Stage.SUBMISSION,
        now=found["now"],
        stop=stop_in_words(*stop) if stop else None,
        contract_state=state,
        contract_digest=digest,
        system_approved="",
        system_now=system_digest(contract),
        token_revoked=revoked,
        agent_disabled=disabled,
        requester={"name": caller.person.get_username(), "roles": sorted(roles), "scope": scope.code},
        requester_role=next((role for role in contract.policy.requester_roles if role in roles), None),
        scope=scope.code,
        arguments=arguments,
        target=target,
        expected_version=expected,
        # Whose it is, and whether this compensates it, is asked only where somebody holds the object at all.
        fence=holder(**on_object, tool=contract.name, arguments=arguments) if found["held"] else None,
    )
    return Within(question, Refused(*found["refused"]) if found["refused"] else None, found["number"])
