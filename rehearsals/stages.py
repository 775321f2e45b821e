"""The stage of one step: an organization of its own, seen by nobody else, with people who cannot sign in."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from approvals import deciding, receiving
from intents import dispatching, opening, queries, revising, verifying
from intents.models import Attempt, Intent
from journal.clock import now as database_now
from journal.digests import canonical, sha256
from proposals import publishing
from proposals.contracts import Contract
from proposals.models import ContractVersion, Proposal, Revision
from rehearsals.wires import Played
from systems.durations import duration
from tenancy import admissions, roles, tokens
from tenancy.access import Caller
from tenancy.models import Agent, Organization, RoleGrant, Scope, User

WORKER = "rehearsal"
TOKENS_LAST = timedelta(hours=1)
# The durations a rehearsal plays with instead of the contract's and the system's: nothing else moves the clock.
OVERLAY: Mapping[str, str] = {"policy.approval_valid_for": "PT1S", "attempt_deadline": "PT2S"}


@dataclass(frozen=True)
class Plan:
    """What is rehearsed, with the example it is rehearsed with; `scope` is the establishment of the target."""

    rehearsal: int
    version: ContractVersion
    contract: Contract
    arguments: Mapping[str, Any]
    target: str | None
    scope: str
    system_version: Any  # the version that the system shows of the target
    adapter: Played
    cases: Sequence[Mapping[str, Any]] = ()  # whatever else could be asked
    witness: str | None = None  # the address of a ledger of the business system's own


@dataclass
class Stage:
    """One step's world, and the verbs of the story on it."""

    plan: Plan
    key: str
    organization: Organization
    caller: Caller
    requester: User
    approvers: list[User]
    operator: User
    proposals: list[Proposal] = field(default_factory=list)

    def propose(self, *, arguments: Mapping[str, Any] | None = None, key: str | None = None) -> Proposal:
        """The agent proposes the example. Raises approvals.receiving.Refusal."""
        given = dict(arguments or self.plan.arguments)
        received = receiving.receive(
            self.caller,
            receiving.Submission(
                tool=self.plan.contract.name,
                contract_version=None,
                arguments=given,
                suggestion="Rehearsal.",
                facts=(),
                session=None,
                answers=None,
            ),
            key=key or uuid.uuid4().hex,
            body_fingerprint=sha256(canonical(given)),
        )
        assert received.proposal is not None  # only a dry run makes none
        self.proposals.append(received.proposal)
        return received.proposal

    def revise(self, proposal: Proposal, arguments: Mapping[str, Any]) -> None:
        """The agent changes what it asks."""
        revising.revise(
            self.caller,
            proposal_id=proposal.pk,
            if_match=1,
            arguments=dict(arguments),
            suggestion="Rehearsal, revised.",
        )

    def sign(self, proposal: Proposal, *, shown: Revision | None = None) -> None:
        """As many people sign as the contract wants, what is shown to them."""
        shown = shown or self.revision(proposal)
        for person in self.approvers:
            deciding.sign(
                person=person,
                proposal_id=proposal.pk,
                revision=shown.number,
                digest=shown.digest,
                present_at=database_now(),
            )

    def approved(self, **more: Any) -> Intent:
        """Proposed, signed, and opened."""
        proposal = self.propose(**more)
        self.sign(proposal)
        return self.open(proposal)

    def open(self, proposal: Proposal) -> Intent:
        """What was signed is opened."""
        authorization = self.revision(proposal).authorizations.get(voided_at__isnull=True)
        intent = opening.open_intent(authorization.pk)
        assert intent is not None  # nobody else takes it: sweeps leave rehearsals alone
        return intent

    def hand_over(self, intent: Intent) -> str:
        """A worker looks at it once."""
        return dispatching.hand_over(intent.pk, worker=WORKER)

    def probe(self, intent: Intent) -> None:
        """The effect is looked up once."""
        verifying.probe(intent.pk)

    def revision(self, proposal: Proposal) -> Revision:
        """The current one."""
        proposal.refresh_from_db()
        return Revision.objects.get(proposal=proposal, number=proposal.current_revision)

    def standing(self, proposal: Proposal | Intent) -> queries.Standing:
        """What an agent would read."""
        row = proposal.revision.proposal if isinstance(proposal, Intent) else proposal
        return queries.standing(Proposal.objects.get(pk=row.pk), language="en")

    def status(self, proposal: Proposal | Intent) -> str:
        """The one word."""
        return self.standing(proposal).status

    def intents(self) -> list[Intent]:
        """Every intent of this stage, oldest first."""
        return list(Intent.objects.filter(organization=self.organization).order_by("pk"))

    def sent(self) -> int:
        """How many hand-overs may have arrived."""
        attempts = Attempt.objects.filter(intent__organization=self.organization)
        return attempts.exclude(result=Attempt.Result.NOT_DELIVERED).count()

    def end_roles(self, person: User) -> None:
        """The person loses every role here."""
        for grant in RoleGrant.objects.filter(organization=self.organization, person=person, ended_at__isnull=True):
            roles.end_grant(actor=self.operator, grant=grant)


def people(rehearsal: int, *, approvers: int) -> dict[str, User]:
    """Those who play: they have no password, and nobody signs in as one of them."""
    names = ["publisher", "activator", "requester", "operator", "support", *(f"approver{n}" for n in range(approvers))]
    made = {}
    for name in names:
        user = User(username=f"rehearsal-{rehearsal}-{name}", display_name=f"{name} (R-{rehearsal})")
        user.set_unusable_password()
        user.save()
        made[name] = user
    return made


def set_up(
    plan: Plan,
    key: str,
    cast: Mapping[str, User],
    *,
    overlay: Mapping[str, str] | None = None,
    scope: str | None = None,
) -> Stage:
    """A stage for one step, in an organization of its own, with the contract active under the overlay."""
    organization = Organization.objects.create(
        slug=f"rehearsal-{plan.rehearsal}-{key}".replace("_", "-")[:50],
        name=f"R-{plan.rehearsal} {key}",
        rehearsal=True,
    )
    admissions.ensure_switch(organization=organization, subject="organization")
    place = Scope.objects.create(organization=organization, code=scope or plan.scope, name=scope or plan.scope)
    policy = plan.contract.policy
    approvers = [cast[name] for name in cast if name.startswith("approver")]
    _grant(organization, cast["requester"], policy.requester_roles[0], place)
    for person in approvers:
        _grant(organization, person, policy.approver_roles[0], place)
    for name in ("publisher", "activator"):
        _grant(organization, cast[name], publishing.OWNER)
    _grant(organization, cast["operator"], "operator")
    if plan.contract.reconciliation.escalate_to:
        _grant(organization, cast["support"], plan.contract.reconciliation.escalate_to)
    _contract(plan, organization, cast, overlay or {})
    _token, secret = tokens.mint(
        actor=None,
        agent=Agent.objects.create(organization=organization, name=WORKER),
        on_behalf_of=cast["requester"],
        scopes=[place],
        expires_at=database_now() + TOKENS_LAST,
    )
    caller = tokens.authenticate(secret)
    assert caller is not None  # minted a moment ago
    return Stage(plan, key, organization, caller, cast["requester"], approvers, cast["operator"])


def _grant(organization: Organization, person: User, role: str, scope: Scope | None = None) -> None:
    roles.grant(actor=None, person=person, organization=organization, role=role, scope=scope)


def _contract(plan: Plan, organization: Organization, cast: Mapping[str, User], overlay: Mapping[str, str]) -> None:
    """The very contract, with the durations of the overlay, is active in the stage's organization."""
    document = json.loads(bytes(plan.version.canonical))
    for name, value in overlay.items():
        section, _, entry = name.partition(".")
        document[section] = {**document[section], entry: value}
        duration(value)
    version = publishing.publish(
        text=json.dumps(document, ensure_ascii=False),
        file_name=f"{plan.contract.name}.json",
        by=cast["publisher"],
        organization=organization,
    )
    publishing.activate(
        organization=organization, name=version.name, version=version.version, by=cast["activator"], waiver="rehearsal"
    )


def example(version: ContractVersion) -> dict[str, Any] | None:
    """The arguments of the contract's first valid example; None where it has none."""
    document = json.loads(bytes(version.canonical))
    valid = [one["arguments"] for one in document.get("examples", ()) if one.get("valid")]
    return dict(valid[0]) if valid else None


def about(arguments: Mapping[str, Any], *, target: str, contract: Contract) -> dict[str, Any]:
    """The same about another target, wherever its reference stands: one that is repeated to confirm it as well."""
    if contract.target_argument is None:
        return dict(arguments)
    before = arguments.get(contract.target_argument)
    return {name: target if value == before else value for name, value in arguments.items()}
