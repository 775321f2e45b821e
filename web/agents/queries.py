"""What a person may give to agents, the tokens they gave, and for operators every agent of the organization."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, F, Q, QuerySet

from proposals.contracts import Contract, contract_of
from proposals.models import ContractVersion, Proposal
from tenancy.access import organizations_with, scopes_with
from tenancy.models import Admission, Agent, AgentToken, Organization, RoleGrant, Scope, User

ENDED_SHOWN = 20
# What a revoked token or a disabled agent ends: nothing of these was handed over.
_ENDS_WITH_ITS_TOKEN = Q(state__in=("awaiting_approval", "changes_requested")) | Q(
    state="authorized", revisions__number=F("current_revision"), revisions__intent__state="ready"
)


@dataclass(frozen=True)
class Gift:
    """What the person may hand to an agent in one organization now; nothing when `scopes` or `tools` are empty."""

    organization: Organization
    agents: list[Agent]
    scopes: list[Scope]
    tools: list[Contract]
    stops: list[Admission]


@dataclass(frozen=True)
class Held:
    """One token for reading. `ends` is how many proposals would end with it."""

    token: AgentToken
    last_used: datetime | None
    ended: bool
    ends: int


@dataclass
class Kept:
    """One agent of an organization, for its operators. `ends` is how many proposals would end with it."""

    agent: Agent
    tokens: list[Held] = field(default_factory=list)

    @property
    def ends(self) -> int:
        """How many proposals would end if it were disabled."""
        return sum(held.ends for held in self.tokens)


def organizations_of(person: User) -> QuerySet[Organization]:
    """Where the person holds a role now, of any kind."""
    grants = RoleGrant.objects.filter(person=person, person__is_active=True, ended_at__isnull=True)
    return Organization.objects.filter(pk__in=grants.values("organization")).order_by("name")


def operated_by(person: User) -> QuerySet[Organization]:
    """Where the person is an operator now."""
    return organizations_with(person, roles=["operator"]).order_by("name")


def gift(person: User, organization: Organization, *, now: datetime) -> Gift:
    """Agents, places and tools that a token of the person may name, and what is stopped there at the moment."""
    held = set(
        RoleGrant.objects.filter(
            person=person, person__is_active=True, ended_at__isnull=True, organization=organization
        ).values_list("role", flat=True)
    )
    active = ContractVersion.objects.filter(organization=organization, state=ContractVersion.State.ACTIVE)
    tools = [contract for contract in map(contract_of, active.order_by("name")) if _may_ask(contract, held)]
    roles = {role for contract in tools for role in contract.policy.requester_roles}
    stopped = Admission.objects.filter(organization=organization, stopped_at__isnull=False)
    return Gift(
        organization,
        agents=list(Agent.objects.filter(organization=organization, disabled_at__isnull=True).order_by("name")),
        scopes=list(scopes_with(person, roles=roles).filter(organization=organization).order_by("code")),
        tools=tools,
        stops=list(stopped.exclude(stopped_until__lte=now).order_by("pk")),
    )


def _may_ask(contract: Contract, held: set[str]) -> bool:
    return bool(held & set(contract.policy.requester_roles))


def tokens_of(person: User, *, now: datetime) -> tuple[list[Held], list[Held]]:
    """The person's tokens that open something, the newest first, and the last ones that opened something."""
    rows = AgentToken.objects.filter(on_behalf_of=person, agent__organization__in=organizations_of(person))
    return _live_and_ended(rows, now=now)


def agents_in(organization: Organization, *, now: datetime) -> list[Kept]:
    """Every agent there, by name, those at work first, with the tokens that open something."""
    kept = {agent.pk: Kept(agent) for agent in Agent.objects.filter(organization=organization)}
    live, _ended = _live_and_ended(AgentToken.objects.filter(agent__organization=organization), now=now)
    for held in live:
        kept[held.token.agent_id].tokens.append(held)
    return sorted(kept.values(), key=lambda one: (one.agent.disabled_at is not None, one.agent.name))


def _live_and_ended(rows: QuerySet[AgentToken], *, now: datetime) -> tuple[list[Held], list[Held]]:
    rows = rows.select_related("agent__organization", "on_behalf_of", "revoked_by", "tokenuse")
    rows = rows.prefetch_related("scopes").order_by("-pk")
    open_now = Q(revoked_at__isnull=True, expires_at__gt=now, agent__disabled_at__isnull=True)
    live, ended = list(rows.filter(open_now)), list(rows.exclude(open_now)[:ENDED_SHOWN])
    ends = _ending(live)
    return (
        [Held(one, _used(one), ended=False, ends=ends.get(one.pk, 0)) for one in live],
        [Held(one, _used(one), ended=True, ends=0) for one in ended],
    )


def _ending(tokens: Iterable[AgentToken]) -> dict[int, int]:
    rows = Proposal.objects.filter(_ENDS_WITH_ITS_TOKEN, token__in=list(tokens)).order_by()
    return dict(rows.values("token").annotate(n=Count("pk", distinct=True)).values_list("token", "n"))


def _used(token: AgentToken) -> datetime | None:
    use = getattr(token, "tokenuse", None)
    return use.last_used_at if use else None
