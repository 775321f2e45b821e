"""Plays the paths and the boundary cases: each function leaves what it observed, by the names that its path expects."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from approvals import deciding
from approvals.receiving import Refusal
from intents import stopping, sweeping
from intents.models import Evidence, Intent
from intents.states import State
from journal.clock import now as database_now
from proposals.models import Proposal, Revision
from rehearsals.contexts import at_once
from rehearsals.counting import count, order_of
from rehearsals.stages import OVERLAY, Plan, Stage, set_up
from rehearsals.wires import Cut, moved_on, until
from systems.adapters.registry import made, standing_in
from systems.durations import duration
from tenancy import admissions
from tenancy.models import User

Observed = dict[str, Any]
NOTHING_TO_CHANGE = "nothing_to_change"
MARGIN = 0.1  # seconds beyond a limit
ELSEWHERE = "rehearsal-elsewhere"  # a scope in which no target lies
COUNTED_WITHIN = 3.0  # seconds in which a search is asked again for an effect that must be there


@dataclass
class Play:
    """One step being played. `orders` are the intents whose effects are counted; `kept` outlives the step."""

    plan: Plan
    cast: Mapping[str, User]
    kept: dict[str, Any]
    key: str
    stage: Stage | None = None
    proof: dict[str, Any] = field(default_factory=dict)

    def set_up(self, *, scope: str | None = None, **overlay: str) -> Stage:
        """The stage of this step. `policy_x="PT1S"` is the overlay's `policy.x`."""
        named = {name.replace("_", ".", 1): value for name, value in overlay.items()}
        self.stage = set_up(self.plan, self.key, self.cast, overlay=named, scope=scope)
        return self.stage

    def status(self, of: Proposal | Intent) -> str:
        """The one word that an agent would read."""
        assert self.stage is not None
        return self.stage.status(of)

    def counted(self, stage: Stage, *, expected: int) -> Observed:
        """How often it was sent, and how many effects there are; one that must be there is waited for."""
        intents = stage.intents()
        total: int | None = 0
        for intent in intents:
            total = self._effects(intent, at_least=expected, total=total)
        return {"sent": stage.sent(), "effects": total if intents else 0}

    def _effects(self, intent: Intent, *, at_least: int, total: int | None) -> int | None:
        order = order_of(intent)
        seen = count(self.plan.adapter, order, witness=self.plan.witness)
        ends = time.monotonic() + COUNTED_WITHIN
        while seen.effects == 0 and at_least and time.monotonic() < ends and self.plan.witness is None:
            time.sleep(MARGIN)
            seen = count(self.plan.adapter, order, witness=None)
        self.kept["orders"][order.reference] = (order, seen.effects or 0)
        self.proof.setdefault("counted", []).append(
            {"reference": order.reference, "by_search": seen.found, "by_ledger": seen.ledger}
        )
        return None if seen.effects is None or total is None else total + seen.effects


Act = Callable[[Play], Observed | str]


def accepted(play: Play) -> Observed:
    """Proposed, signed, handed over, confirmed."""
    stage = play.set_up()
    intent = stage.approved()
    _hand_over_and_settle(play, stage, intent)
    standing = stage.standing(intent)
    adapter = play.plan.adapter
    if adapter.replies:
        play.kept |= {"accepted": intent, "prepared": adapter.prepared[-1], "reply": adapter.replies[-1]}
    play.proof |= {"reference": str(intent.reference), "evidence": dict(standing.references)}
    told = bool(standing.references) or not play.plan.contract.effect_to_verify
    return {"status": standing.status, "reference_told": told, **play.counted(stage, expected=1)}


def refused(play: Play) -> Observed | str:
    """Out of scope, and without a role: told, and nothing reaches the business system."""
    if play.plan.target is None:
        return "no_target"
    stage = play.set_up(scope=ELSEWHERE)
    answer = _refusal(stage)
    stage.end_roles(stage.requester)
    return {"answer": answer, "without_role": _refusal(stage), **play.counted(stage, expected=0)}


def _hand_over_and_settle(play: Play, stage: Stage, intent: Intent) -> None:
    """A worker looks at it; what the business system only accepts is looked up until it is settled."""
    stage.hand_over(intent)
    intent.refresh_from_db()
    if intent.state == State.ACCEPTED:
        look_until_settled(play, stage, intent)


def _refusal(stage: Stage) -> str:
    try:
        stage.propose()
    except Refusal as refusal:
        return refusal.code
    return "taken"


def answered(play: Play) -> Observed:
    """What only reads is answered at once, and nothing is handed over."""
    stage = play.set_up()
    proposal = stage.propose()
    return {"status": stage.status(proposal), "sent": stage.sent()}


def not_permitted(play: Play) -> Observed:
    """Without a role nothing is read."""
    stage = play.set_up()
    stage.end_roles(stage.requester)
    return {"without_role": _refusal(stage), "sent": stage.sent()}


def expired(play: Play) -> Observed:
    """A signature that lapses before a worker comes sends nothing."""
    stage = play.set_up(policy_approval_valid_for=OVERLAY["policy.approval_valid_for"])
    intent = stage.approved()
    lapses = intent.authorization.expires_at
    until(lambda: database_now() >= lapses, seconds=60)
    stage.hand_over(intent)
    return {"status": stage.status(intent), **play.counted(stage, expected=0)}


def unknown(play: Play) -> Observed:
    """The answer is lost: nothing is repeated, and a look confirms (where the system declares a search)."""
    stage, intent = lost(play, Cut.BEFORE_THE_ANSWER)
    before = stage.status(intent)
    if not play.plan.adapter.config.capabilities.can_look_up:
        return {"before": before, "status": "no_search", **play.counted(stage, expected=1)}
    look_until_settled(play, stage, intent)
    stage.hand_over(intent)  # a worker that comes again finds nothing to do
    return {"before": before, "status": stage.status(intent), **play.counted(stage, expected=1)}


def look_until_settled(play: Play, stage: Stage, intent: Intent) -> None:
    """Look again within the declared visibility delay, as its own step measures it."""
    settles = play.plan.adapter.config.capabilities.settles_after
    patience = settles.total_seconds() if settles is not None else COUNTED_WITHIN

    def settled() -> bool:
        stage.probe(intent)
        intent.refresh_from_db()
        return intent.state not in (State.UNKNOWN, State.ACCEPTED)

    began = time.monotonic()
    # A search that breaks off will do so again: three looks are enough to say that.
    until(lambda: settled() or (_broken(intent) and time.monotonic() > began + 1), seconds=patience, every=0.3)


def _broken(intent: Intent) -> bool:
    last = Evidence.objects.filter(intent=intent, source=Evidence.Source.PROBE).order_by("-pk").first()
    return last is not None and bool(last.fault)


def lost(play: Play, where: Cut) -> tuple[Stage, Intent]:
    """An order whose hand-over was cut there."""
    stage = play.set_up()
    intent = stage.approved()
    play.plan.adapter.cut = where
    stage.hand_over(intent)
    intent.refresh_from_db()
    play.proof |= {"reference": str(intent.reference), **_attempts(intent)}
    return stage, intent


def _attempts(intent: Intent) -> Observed:
    rows = intent.attempts.order_by("number").values("number", "digest", "result", "fault", "status")
    return {"attempts": list(rows)}


def asked_twice(play: Play) -> Observed:
    """The same submission under the same key is one proposal, and has one effect."""
    stage = play.set_up()
    first = stage.propose(key="rehearsal-asked-twice")
    second = stage.propose(key="rehearsal-asked-twice")
    stage.sign(first)
    intent = stage.open(first)
    _hand_over_and_settle(play, stage, intent)
    return {
        "proposals": len({first.pk, second.pk}),
        "status": stage.status(intent),
        **play.counted(stage, expected=1),
    }


def reason_changed(play: Play) -> Observed | str:
    """What is changed after approval needs a decision of its own."""
    stage = play.set_up()
    intent = stage.approved()
    proposal = intent.revision.proposal
    if not _revised(play, stage, proposal):
        return NOTHING_TO_CHANGE
    stage.hand_over(intent)
    return {"status": stage.status(proposal), **play.counted(stage, expected=0)}


def _revised(play: Play, stage: Stage, proposal: Proposal) -> bool:
    """Whether some change was taken."""
    for other in _others(play.plan):
        with suppress(Refusal):
            stage.revise(proposal, other)
            return True
    return False


def _others(plan: Plan) -> Iterator[Mapping[str, Any]]:
    """The case with another reason, value of a closed list, or number; other cases of its target. Rules may refuse."""
    properties: Mapping[str, Any] = plan.contract.arguments.get("properties", {})
    fixed = (plan.contract.target_argument, plan.contract.version_argument)
    names = [name for name in (plan.contract.reason_argument, *properties) if name and name not in fixed]
    for name in dict.fromkeys(names):
        value, described = plan.arguments.get(name), properties.get(name, {})
        values = [*described.get("enum", ())]
        if isinstance(value, int) and not isinstance(value, bool):
            values += [value - 1, value + 1]
        yield from ({**plan.arguments, name: other} for other in values if other != value)
    about = plan.contract.target_argument
    yield from (one for one in plan.cases if one != plan.arguments and (not about or str(one[about]) == plan.target))


def signature_replayed(play: Play) -> Observed | str:
    """A signature for revision 1 is none for revision 2."""
    stage = play.set_up()
    proposal = stage.propose()
    first = Revision.objects.get(proposal=proposal, number=1)
    if not _revised(play, stage, proposal):
        return NOTHING_TO_CHANGE
    answer = "taken"
    try:
        stage.sign(proposal, shown=first)
    except deciding.Stale:
        answer = "stale"
    return {"answer": answer, "status": stage.status(proposal), **play.counted(stage, expected=0)}


def role_removed(play: Play) -> Observed:
    """Who signed holds the role no more: nothing is sent."""
    stage = play.set_up()
    intent = stage.approved()
    stage.end_roles(stage.approvers[0])
    stage.hand_over(intent)
    return {"status": stage.status(intent), **play.counted(stage, expected=0)}


def version_moved(play: Play) -> Observed | str:
    """The target is shown at another version than the one approved: it needs a new preparation."""
    if play.plan.system_version is None or play.plan.contract.policy.version_change != "new_preparation":
        return "no_version"
    stage = play.set_up()
    intent = stage.approved()
    play.plan.adapter.seen = moved_on
    stage.hand_over(intent)
    play.proof |= {"approved": intent.revision.target_version, "altered_by": "the rehearsal, in what a look shows"}
    return {"status": stage.status(intent), **play.counted(stage, expected=0)}


def revoked(play: Play) -> Observed:
    """A signature taken back before the hand-over sends nothing."""
    stage = play.set_up()
    intent = stage.approved()
    stopping.revoke(
        person=stage.approvers[0], proposal_id=intent.revision.proposal_id, reason="OTHER", words="Rehearsal."
    )
    stage.hand_over(intent)
    return {"status": stage.status(intent), **play.counted(stage, expected=0)}


def admissions_stopped(play: Play) -> Observed:
    """While admissions are stopped, what is approved waits visibly."""
    stage = play.set_up()
    intent = stage.approved()
    admissions.stop(
        actor=stage.operator, organization=stage.organization, subject="organization", name="", reason="rehearsal"
    )
    stage.hand_over(intent)
    intent.refresh_from_db()
    return {"status": stage.status(intent), "waiting": intent.waiting, **play.counted(stage, expected=0)}


def two_workers(play: Play) -> Observed:
    """Two workers take the same order at once: it is sent once."""
    stage = play.set_up()
    intent = stage.approved()
    at_once(*[lambda: _hand_over_and_settle(play, stage, intent)] * 2)
    return {"status": stage.status(intent), **play.counted(stage, expected=1)}


def same_object(play: Play) -> Observed | str:
    """While the outcome of one is unknown, another on the same object is not sent."""
    if play.plan.target is None:
        return "no_target"
    stage = play.set_up()
    first, second = stage.approved(), _second(play, stage)
    if second is None:
        return NOTHING_TO_CHANGE
    play.plan.adapter.cut = Cut.BEFORE_THE_ANSWER
    stage.hand_over(first)
    stage.hand_over(second)
    second.refresh_from_db()
    play.proof |= {"first": first.public_id, "second_waits_on": second.waiting_on}
    return {"second": second.waiting or second.cause, **play.counted(stage, expected=1)}


def _second(play: Play, stage: Stage) -> Intent | None:
    for other in _others(play.plan):
        with suppress(Refusal):
            return stage.approved(arguments=other)
    return None


def late_result(play: Play) -> Observed:
    """The answer is read only after its deadline, when the outcome is unknown already: it is evidence, and confirms."""
    stage = play.set_up()
    intent = stage.approved()
    before: list[str] = []

    def asleep() -> None:
        intent.refresh_from_db()
        deadline = intent.deadline
        until(lambda: deadline is None or database_now() >= deadline, seconds=60)
        with suppress(Intent.DoesNotExist):
            sweeping.doubt(intent.pk)
        before.append(stage.status(intent))

    hurried = made(replace(play.plan.adapter.config, attempt_deadline=duration(OVERLAY["attempt_deadline"])))
    with standing_in(replace(play.plan.adapter, inner=hurried, answered=asleep)):
        stage.hand_over(intent)
    late = Evidence.objects.filter(intent=intent, late=True).exists()
    return {
        "before": before[0] if before else "never_sent",
        "late_evidence": late,
        "status": stage.status(intent),
        **play.counted(stage, expected=1),
    }


def cut(play: Play) -> Observed:
    """The wire is cut at one step of the hand-over: what stands says no more than what is known."""
    where = Cut(play.key)
    stage, intent = lost(play, where)
    expected = int(where in (Cut.BEFORE_THE_ANSWER, Cut.IN_THE_ANSWER))
    return {"before": stage.status(intent), "waiting": intent.waiting, **play.counted(stage, expected=expected)}
