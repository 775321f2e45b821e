"""A world in three lines: the cast, the contracts, and the verbs of the story, each one call to the product."""

import uuid
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import yaml
from django.utils import timezone

from approvals import deciding, receiving
from intents import dispatching, opening, queries, sweeping
from intents.models import Intent
from journal.digests import canonical, sha256
from proposals import publishing
from proposals.models import ContractVersion, Proposal, Revision
from tenancy import admissions, tokens
from tenancy.access import Caller
from tenancy.models import Agent, AgentToken, Organization, RoleGrant, Scope, User
from tests import keeping
from tests.invariants import check_invariants
from tests.processes import ROOT
from tests.sandboxing import Sandbox

CAST = {
    "requester": ("A", "case_manager"),
    "approver": ("A", "review_lead"),
    "approver2": ("A", "review_lead"),
    "support": ("A", "support"),
    "support2": ("A", "support"),
    "requester-b": ("B", "case_manager"),
    "approver-b": ("B", "review_lead"),
    "support-b": ("B", "support"),
    "owner": (None, "owner"),
    "owner2": (None, "owner"),
    "operator": (None, "operator"),
    "auditor": (None, "auditor"),
}
EVERY_ROLE = ("case_manager", "review_lead", "support", "owner", "operator", "auditor")
CONTRACTS = ("ouvrir_revue_dossier-2", "refund_create-2", "annuler_revue_dossier-1", "archive_user_by_id-1")
READS = ("chercher_dossier-1", "ledger_ping-1")

# What takes minutes in the demo takes seconds here.
OVERLAY: dict[str, dict[str, Any]] = {
    "reconciliation": {"probe_after": ["PT1S", "PT2S", "PT4S"], "visibility_delay": "PT1S"},
}
# A test asks as often as it likes, unless it is about that: `policy={"budget": {"per_agent": "3/h"}, "loops": {}}`.
UNHURRIED: dict[str, Any] = {"budget": {"per_agent": "100000/h"}, "loops": {"same_call": 100, "depth": 1}}


def contract_text(file: str, **changes: dict[str, Any]) -> str:
    """The demo's contract file `name-version` with sections changed: `policy={"quorum": 2}`; scalars replace."""
    document = yaml.load((ROOT / "sandbox" / "contracts" / f"{file}.yaml").read_text(), Loader=yaml.CSafeLoader)
    changes["policy"] = {**UNHURRIED, **changes.get("policy", {})}
    for section, values in {**OVERLAY, **changes}.items():
        if isinstance(values, dict) and isinstance(document.get(section), dict):
            document[section] = {**document[section], **values}
        elif section not in OVERLAY or section in document:
            document[section] = values
    return yaml.dump(document, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False)


@dataclass
class World:
    """Two organizations, `demo` with scopes A and B, and `other` with X; tokens; active contracts."""

    sandbox: Sandbox
    demo: Organization
    other: Organization
    scopes: dict[str, Scope]
    people: dict[str, User]
    secrets: dict[str, str] = field(default_factory=dict)
    business_system_duplicates: bool = False  # a test says so when the sandbox itself makes two effects of one request

    def publish(self, file: str, *, organization: Organization | None = None, **changes: Any) -> ContractVersion:
        """Publish and activate a contract of the demo with changes; `version="3"` retires the one before."""
        organization = organization or self.demo
        by, other = ("owner", "owner2") if organization == self.demo else ("stranger", "stranger2")
        version = publishing.publish(
            text=contract_text(file, **changes),
            file_name=f"{file}.yaml",
            by=self.people[by],
            organization=organization,
        )
        return publishing.activate(
            organization=organization, name=version.name, version=version.version, by=self.people[other]
        )

    def another_token(self, name: str, *, scope: str = "A", tools: list[str] | None = None) -> AgentToken:
        """A further token of agent-a for the same person, under `name`, with limits of its own."""
        caller = self.caller()
        token, self.secrets[name] = tokens.mint(
            actor=None,
            agent=caller.agent,
            on_behalf_of=caller.person,
            scopes=[self.scopes[scope]],
            expires_at=timezone.now() + timedelta(days=1),
            tools=tools,
        )
        return token

    def caller(self, agent: str = "agent-a") -> Caller:
        """The agent, authenticated anew."""
        caller = tokens.authenticate(self.secrets[agent])
        assert caller is not None
        return caller

    def propose(
        self,
        target: str = "D-42",
        *,
        tool: str = "ouvrir_revue_dossier",
        agent: str = "agent-a",
        key: str | None = None,
        arguments: dict[str, Any] | None = None,
        **more: Any,
    ) -> Proposal:
        """An agent proposes, by default a review of a file at the version that is current in the seed."""
        given = arguments or {"dossier_ref": target, "expected_version": 7, "reason_code": "DONNEE_A_VERIFIER"}
        submission = receiving.Submission(
            tool=tool,
            contract_version=more.pop("contract_version", None),
            arguments=given,
            suggestion=more.pop("suggestion", "The amounts differ."),
            facts=more.pop("facts", ()),
            session=more.pop("session", None),
            answers=more.pop("answers", None),
        )
        fingerprint = sha256(canonical({"tool": tool, "arguments": given}))
        received = receiving.receive(
            self.caller(agent), submission, key=key or uuid.uuid4().hex, body_fingerprint=fingerprint, **more
        )
        return received.proposal

    def refund(self, order: str = "ORD-000123", **more: Any) -> Proposal:
        """An agent proposes a refund (quorum 2)."""
        given = {"order_id": order, "amount_minor": 1250, "currency": "EUR"}
        return self.propose(tool="refund_create", arguments={**given, **more.pop("arguments", {})}, **more)

    def sign(self, proposal: Proposal, *, by: str = "approver", revision: int | None = None) -> Any:
        """A person signs the current revision, or the one given, as shown on its page."""
        proposal.refresh_from_db()
        shown = Revision.objects.get(proposal=proposal, number=revision or proposal.current_revision)
        return deciding.sign(
            person=self.people[by],
            proposal_id=proposal.pk,
            revision=shown.number,
            digest=shown.digest,
            present_at=timezone.now() - timedelta(seconds=1),
        )

    def open(self, proposal: Proposal) -> Intent:
        """The floor above takes the authorization that the signatures made."""
        authorization = self.revision(proposal).authorizations.get(voided_at__isnull=True)
        intent = opening.open_intent(authorization.pk)
        return intent or Intent.objects.get(revision=authorization.revision)

    def approved(self, target: str = "D-42", **more: Any) -> Intent:
        """A proposal was made and signed, and its intent is ready."""
        proposal = self.propose(target, **more)
        self.sign(proposal)
        return self.open(proposal)

    def hand_over(self, intent: Intent, *, worker: str = "test") -> Intent:
        """A worker looks at the intent once."""
        dispatching.hand_over(intent.pk, worker=worker)
        intent.refresh_from_db()
        return intent

    def done(self, target: str = "D-42", **more: Any) -> Intent:
        """Proposed, signed, handed over once."""
        return self.hand_over(self.approved(target, **more))

    def sweep(self, times: int = 1) -> None:
        """The sweep runs, so many times."""
        for _ in range(times):
            sweeping.sweep()

    def revision(self, proposal: Proposal) -> Revision:
        """The current revision."""
        proposal.refresh_from_db()
        return Revision.objects.get(proposal=proposal, number=proposal.current_revision)

    def standing(self, proposal: Proposal | Intent, *, language: str = "en") -> Any:
        """What an agent reads now."""
        row = proposal.revision.proposal if isinstance(proposal, Intent) else proposal
        row.refresh_from_db()
        return queries.standing(row, language=language)

    def status(self, proposal: Proposal | Intent) -> str:
        """The one word of the current revision."""
        return str(self.standing(proposal).status)

    def end_role(self, person: str) -> None:
        """The person loses every role."""
        from tenancy import roles

        for grant in RoleGrant.objects.filter(person=self.people[person], ended_at__isnull=True):
            roles.end_grant(actor=self.people["operator"], grant=grant)

    def stop(self, subject: str = "organization", name: str = "") -> None:
        """Admissions are stopped."""
        admissions.stop(
            actor=self.people["operator"], organization=self.demo, subject=subject, name=name, reason="drill"
        )

    def resume(self, subject: str = "organization", name: str = "") -> None:
        """Admissions go on."""
        admissions.resume(actor=self.people["operator"], organization=self.demo, subject=subject, name=name)

    def check_invariants(self) -> None:
        """§2.7 of the life cycles holds."""
        check_invariants(self.sandbox, business_system_duplicates=self.business_system_duplicates)


def _person(name: str) -> User:
    user = User(username=name, display_name=name.capitalize())
    user.set_password("demo")
    user.save()
    return user


def _grant(person: User, organization: Organization, scope: Scope | None, role: str) -> None:
    RoleGrant.objects.create(organization=organization, scope=scope, person=person, role=role)


def make_world(sandbox: Sandbox) -> World:
    """Seed the cast, the tokens and the contracts."""
    demo = Organization.objects.create(slug="demo", name="Demo")
    other = Organization.objects.create(slug="other", name="Other")
    scopes = {
        "A": Scope.objects.create(organization=demo, code="A", name="Establishment A"),
        "B": Scope.objects.create(organization=demo, code="B", name="Establishment B"),
        "X": Scope.objects.create(organization=other, code="X", name="Establishment X"),
    }
    people = {name: _person(name) for name in (*CAST, "stranger", "stranger2")}
    for name, (scope, role) in CAST.items():
        _grant(people[name], demo, scopes[scope] if scope else None, role)
    for role in EVERY_ROLE:
        _grant(people["stranger"], other, None, role)
        _grant(people["stranger2"], other, None, role)
    world = World(sandbox=sandbox, demo=demo, other=other, scopes=scopes, people=people)
    for organization in (demo, other):
        admissions.ensure_switch(organization=organization, subject="organization")
    for agent, person, organization, scope in (
        ("agent-a", "requester", demo, "A"),
        ("agent-b", "requester-b", demo, "B"),
        ("agent-other", "stranger", other, "X"),
    ):
        _token, secret = tokens.mint(
            actor=None,
            agent=Agent.objects.create(organization=organization, name=agent),
            on_behalf_of=people[person],
            scopes=[scopes[scope]],
            expires_at=timezone.now() + timedelta(days=1),
        )
        world.secrets[agent] = secret
    for file in (*CONTRACTS, *READS):
        world.publish(file)
    world.publish("ouvrir_revue_dossier-2", organization=other)
    return world


def world_as_new(sandbox: Sandbox) -> World:
    """The world as `make_world` makes it: made once, and put back from its copy from then on."""
    world: World | None = keeping.kept()
    if world is None:
        made = make_world(sandbox)
        keeping.keep(made)
        return made
    keeping.wipe(restore=True)
    world.sandbox = sandbox
    return world
