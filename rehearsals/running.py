"""Runs a rehearsal: every step in its order, each on a stage of its own, each written down as soon as it is over."""

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db import IntegrityError

from journal.clock import now as database_now
from proposals import publishing
from proposals.contracts import contract_of
from proposals.models import ContractVersion
from proposals.nudging import quiet
from rehearsals import playing, trying
from rehearsals.counting import witness_of
from rehearsals.models import Rehearsal, Step
from rehearsals.paths import OWNERS, Path, gap_between, paths_of
from rehearsals.playing import Act, Play
from rehearsals.stages import OVERLAY, Plan, about, example, people
from rehearsals.wires import Cut, Played
from systems.adapters.base import Missing, Observation, Unreachable
from systems.adapters.registry import adapter, standing_in, systems
from tenancy.models import User

log = logging.getLogger(__name__)

Told = Callable[[Path, Step], None]
NOT_OBSERVED = "the target cannot be observed"
ONLY_SOME = "only some steps were played"
NOT_HEARD_OF = "nothing was heard of it any more"
SILENT = timedelta(minutes=15)  # longer than any step: the visibility delay of a system is a few minutes
UNCLEAR = "it broke off"


class CannotRehearse(Exception):
    """There is nothing that could be rehearsed; the text says why."""


class AlreadyRunning(CannotRehearse):
    """A rehearsal of this version has not ended yet."""


def ask(
    *,
    version: ContractVersion,
    against: str,
    targets: Sequence[str] = (),
    cases: Sequence[Mapping[str, Any]] = (),
    by: User | None = None,
) -> Rehearsal:
    """A rehearsal of this version against its business system is to be run; nothing is played yet.

    It asks with the arguments of `cases`, or with those of the first valid example, about each of `targets` if given.
    Raises CannotRehearse: another system than the contract's, nothing to ask with, one running.
    """
    contract = contract_of(version)
    _require_something(version, against)
    _end_the_silent(version)
    given = [dict(one) for one in cases] or _cases(version, targets)
    try:
        return Rehearsal.objects.create(
            organization=version.organization,
            contract=version,
            contract_digest=version.digest,
            system=against,
            system_digest=systems()[against].digest,
            target=str(given[0].get(contract.target_argument, "")) if contract.target_argument else "",
            cases=given,
            overlay=dict(OVERLAY),
            planned=len(paths_of(contract)),
            asked_by=by,
            asked_at=database_now(),
        )
    except IntegrityError as error:
        raise AlreadyRunning(AlreadyRunning.__doc__) from error


def _end_the_silent(version: ContractVersion) -> None:
    """A rehearsal whose worker died keeps no other one from beginning."""
    now = database_now()
    for row in Rehearsal.objects.filter(contract=version, ended_at__isnull=True):
        last = row.steps.order_by("-number").values_list("at", flat=True).first()
        if (last or row.begun_at or row.asked_at) < now - SILENT:
            _end(row, NOT_HEARD_OF)


def _cases(version: ContractVersion, targets: Sequence[str]) -> list[dict[str, Any]]:
    contract, arguments = contract_of(version), example(version)
    if arguments is None:
        raise CannotRehearse(f"{contract.public_id} has no valid example: a rehearsal asks what the first one asks.")
    return [about(arguments, target=target, contract=contract) for target in targets] or [arguments]


def _require_something(version: ContractVersion, against: str) -> None:
    contract = contract_of(version)
    if against not in systems():
        raise CannotRehearse(f"No business system is called {against}.")
    if against != contract.execution.system:
        raise CannotRehearse(f"{contract.public_id} sends its orders to {contract.execution.system}, not to {against}.")


def run(rehearsal: Rehearsal, *, told: Told | None = None, only: Collection[str] = ()) -> Rehearsal:
    """Every step is played; the rehearsal ends with its verdict, whatever happens. `told` hears of each step.

    With `only`, no other steps but the first are: it cannot pass then. One that has begun already is left alone.
    """
    if not Rehearsal.objects.filter(pk=rehearsal.pk, begun_at__isnull=True).update(begun_at=database_now()):
        rehearsal.refresh_from_db()
        return rehearsal
    broke_off = UNCLEAR
    try:
        broke_off = _play_all(rehearsal, told or _nobody, only=only)
    finally:
        _end(rehearsal, broke_off)
    return rehearsal


def _play_all(rehearsal: Rehearsal, told: Told, *, only: Collection[str]) -> str:
    """Why it broke off, or nothing."""
    played = Played(adapter(rehearsal.system))
    if played.config.digest != rehearsal.system_digest:
        return "the configuration of the business system has changed"
    version = rehearsal.contract
    contract = contract_of(version)
    cast = people(rehearsal.pk, approvers=contract.policy.quorum)
    kept: dict[str, Any] = {"orders": {}}
    used = [0] * len(rehearsal.cases)
    for number, path in enumerate(paths_of(contract), start=1):
        if only and number > 1 and path.key not in only:
            continue
        case = used.index(min(used))
        plan = _plan(rehearsal, played, case)
        if plan is None:
            return NOT_OBSERVED
        play = Play(plan, cast, kept, path.key)
        told(path, _step(rehearsal, path, number, play))
        used[case] += play.stage is not None and play.stage.sent() > 0
    return ONLY_SOME if only else ""


def _plan(rehearsal: Rehearsal, played: Played, case: int) -> Plan | None:
    """What the next step is played with: the target as it stands now, since steps before may have moved it on."""
    contract = contract_of(rehearsal.contract)
    arguments = dict(rehearsal.cases[case])
    whole = replace(played, cut=None, seen=None, ordered=None, answered=None, prepared=[], replies=[])
    target = str(arguments[contract.target_argument]) if contract.target_argument else None
    scope, version = "rehearsal", None
    if target is not None:
        seen = whole.resolve(contract.execution.operation, target)
        if isinstance(seen, Missing | Unreachable):
            return None
        assert isinstance(seen, Observation)
        scope, version = seen.scope or scope, seen.version
        if contract.version_argument:
            arguments[contract.version_argument] = version
    return Plan(
        rehearsal=rehearsal.pk,
        version=rehearsal.contract,
        contract=contract,
        arguments=arguments,
        target=target,
        scope=scope,
        system_version=version,
        adapter=whole,
        cases=rehearsal.cases,
        witness=witness_of(played.config),
    )


def _step(rehearsal: Rehearsal, path: Path, number: int, play: Play) -> Step:
    began = time.monotonic()
    with quiet(), standing_in(play.plan.adapter):
        observed = _observed(path, play)
    return _write(rehearsal, path, number, play, observed, took=time.monotonic() - began)


def _observed(path: Path, play: Play) -> playing.Observed | str:
    try:
        return ACTS[path.key](play)
    except (
        Exception
    ) as error:  # whatever a step meets is what it observed: the report says it, and the next one goes on
        log.warning("step %s of a rehearsal broke off", path.key, exc_info=True)
        play.proof["broke_off"] = f"{type(error).__name__}: {error}"[:300]
        return {"broke_off": type(error).__name__}


def _write(
    rehearsal: Rehearsal, path: Path, number: int, play: Play, observed: playing.Observed | str, *, took: float
) -> Step:
    tried = not isinstance(observed, str)
    seen: Mapping[str, Any] = observed if isinstance(observed, dict) else {"not_tried": observed}
    gap = gap_between(path.expected, seen) if tried else ""
    verdict = Step.Verdict.NOT_TRIED if not tried else Step.Verdict.FAILED if gap else Step.Verdict.PASSED
    return Step.objects.create(
        rehearsal=rehearsal,
        number=number,
        key=path.key,
        group=path.group,
        expected={name: list(value) if isinstance(value, tuple) else value for name, value in path.expected.items()},
        observed=dict(seen),
        proof=play.proof,
        verdict=verdict,
        gap=gap,
        cause=path.cause if gap else "",
        owner=OWNERS[path.cause] if gap else "",
        at=database_now(),
        took=round(took, 3),
    )


def _end(rehearsal: Rehearsal, broke_off: str) -> None:
    failed = broke_off or rehearsal.steps.filter(verdict=Step.Verdict.FAILED).exists()
    rehearsal.refresh_from_db()
    rehearsal.verdict = Rehearsal.Verdict.FAILED if failed else Rehearsal.Verdict.PASSED
    rehearsal.broke_off, rehearsal.ended_at = broke_off, database_now()
    rehearsal.save(update_fields=["verdict", "broke_off", "ended_at"])
    if rehearsal.passed:
        publishing.rehearsed(rehearsal.contract)


def _nobody(path: Path, step: Step) -> None:
    """Nobody listens."""


ACTS: Mapping[str, Act] = {
    "accepted": playing.accepted,
    "refused": playing.refused,
    "expired": playing.expired,
    "unknown": playing.unknown,
    "asked_twice": playing.asked_twice,
    "reason_changed": playing.reason_changed,
    "signature_replayed": playing.signature_replayed,
    "role_removed": playing.role_removed,
    "version_moved": playing.version_moved,
    "revoked": playing.revoked,
    "admissions_stopped": playing.admissions_stopped,
    "two_workers": playing.two_workers,
    "same_object": playing.same_object,
    "late_result": playing.late_result,
    **dict.fromkeys([one.value for one in Cut], playing.cut),
    "lookup": trying.lookup,
    "visibility_delay": trying.visibility_delay,
    "echo": trying.echo,
    "answer": trying.answer,
    "idempotency_key": trying.idempotency_key,
    "conditional_write": trying.conditional_write,
    "cancellation": trying.cancellation,
    "nothing_more": trying.nothing_more,
    "answered": playing.answered,
    "not_permitted": playing.not_permitted,
}
