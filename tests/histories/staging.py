"""What a history is played on: the product's world, the business system's ledger, and processes that may die."""

import random
import signal
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from approvals.cases import AlreadyDecided, NotAllowed, Stale
from approvals.models import Authorization
from approvals.refusals import Refusal
from intents import caseload, opening, stopping, verifying
from intents.models import Intent
from proposals.models import ContractVersion, Proposal
from proposals.queries import NotFound
from tenancy import roles
from tests.crash.apart import LOST, ended, forked
from tests.histories.model import Broken, Order, Truth
from tests.world import World

TOOL = "ouvrir_revue_dossier"
REFUSED = (
    Refusal,
    NotAllowed,
    NotFound,
    AlreadyDecided,
    Stale,
    caseload.NotAllowed,
    caseload.Outdated,
    caseload.Overtaken,
    stopping.TooLate,
    verifying.NotNow,
    verifying.NothingToLookUp,
    verifying.NotSearchable,
)


class Scene:
    """One seed. `steps` is the trace, in words; `counts` what was done and how it ended."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.seed = world, seed
        self.chance = random.Random(seed)
        self.steps: list[str] = []
        self.counts: Counter[str] = Counter()
        self.truth = Truth(reviewers={"approver", "approver2"})
        self.rows: dict[str, Proposal] = {}

    def one(self, *words: str) -> Order | None:
        """Any order that reads one of these words, or None."""
        fitting = [order for order in self.truth.orders.values() if order.word in words]
        return self.chance.choice(fitting) if fitting else None

    def intent(self, order: Order) -> Intent | None:
        """The order's intent; an approved one is opened first, as a nudge would."""
        row = self.rows[order.name]
        if order.word == "approved":
            live = Authorization.objects.filter(revision__proposal=row, voided_at__isnull=True)
            for authorization in live.exclude(pk__in=Intent.objects.values("authorization")):
                opening.open_intent(authorization.pk)
        return Intent.objects.select_related("revision").filter(revision__proposal=row).first()

    def effects(self, intent: Intent) -> list[dict]:
        """What the business system's ledger holds under the intent's reference."""
        found = self.world.sandbox.effects(client_ref=str(intent.reference))
        return [
            {
                "target": one["result"]["dossier_ref"],
                "reason": one["result"]["reason_code"],
                "request_ref": one["result"]["request_ref"],
            }
            for one in found
        ]

    def received(self, intent: Intent) -> int:
        """How many orders with the intent's reference the business system received."""
        asked = self.world.sandbox.requests(client_ref=str(intent.reference), method="POST")
        return sum(one["path"] == "/review-requests" for one in asked)

    def tried(self, act: Callable[[], object]) -> bool:
        """Whether the act was allowed."""
        try:
            act()
        except REFUSED:
            return False
        return True

    def put(self, target: str, version: int, state: str) -> None:
        """The business system's file stands so, and the model knows."""
        self.world.sandbox.put("dossiers", target, version=version, state=state, establishment="A")
        self.truth.objects[target] = (version, state)
        self.steps.append(f"  {target} is {state} at version {version}")

    def grant(self, person: str) -> None:
        """The person is a reviewer, and the model knows."""
        world = self.world
        roles.grant(
            actor=None,
            person=world.people[person],
            organization=world.demo,
            role="review_lead",
            scope=world.scopes["A"],
        )
        self.truth.reviewers.add(person)

    def publish_next(self) -> None:
        """The next version of the contract is active, and the model knows."""
        version = str(int(self.truth.contract) + 1)
        self.world.publish(f"{TOOL}-2", version=version)
        self.truth.contract = version

    def active(self) -> str:
        """The version of the contract that is active."""
        active = ContractVersion.objects.get(organization=self.world.demo, name=TOOL, state="active")
        return str(active.version)

    def in_children(self, count: int, call: Callable[[], object], *, failpoint: str) -> None:
        """The call was made in so many processes at once, each with the failpoint."""

        def worker() -> None:
            with suppress(*REFUSED):
                call()

        for pid in [forked(worker, failpoint=failpoint) for _ in range(count)]:
            code = ended(pid)
            if code not in (0, LOST, -signal.SIGKILL):
                raise Broken(f"a worker ended with {code}")
