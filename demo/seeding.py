"""Fills the demo through the product's own operations. What is there already stays as people left it."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from django.contrib.auth.hashers import make_password

from demo.cast import AGENTS, ORGANIZATIONS, OWNERS, PASSWORD, PEOPLE, SCOPES, Person, Programme
from demo.credentials import Credentials
from journal.clock import now as database_now
from proposals.models import ContractVersion
from proposals.publishing import VersionTaken, activate, publish
from tenancy import admissions, roles, tokens
from tenancy.models import Admission, Agent, Organization, RoleGrant, Scope, User

Say = Callable[[str], None]

TOKENS_LAST = timedelta(days=90)
TOKENS_RENEWED = timedelta(days=7)


def seed(*, credentials: Credentials, contracts: Path, say: Say) -> None:
    """The cast, its tokens and its contracts exist; the credentials hold every sign-in and every token.

    Safe to repeat: a role that was ended stays ended, a retired contract stays retired, a valid token stays.
    """
    say("organizations and scopes")
    organizations = {slug: _organization(slug, name) for slug, name in ORGANIZATIONS.items()}
    scopes = {place: _scope(organizations[place[0]], place[1], name) for place, name in SCOPES.items()}
    say("people and roles")
    people = _people(organizations, scopes)
    say("agents and tokens")
    for programme in AGENTS:
        _token(programme, organizations[programme.organization], scopes, people, credentials)
    for slug, organization in organizations.items():
        say(f"contracts of {slug}")
        _contracts(organization, contracts, people, say)
    credentials.write()


def _organization(slug: str, name: str) -> Organization:
    organization, _ = Organization.objects.get_or_create(slug=slug, defaults={"name": name})
    admissions.ensure_switch(organization=organization, subject=Admission.Subject.ORGANIZATION)
    return organization


def _scope(organization: Organization, code: str, name: str) -> Scope:
    scope, _ = Scope.objects.get_or_create(organization=organization, code=code, defaults={"name": name})
    return scope


def _people(organizations: dict[str, Organization], scopes: dict[tuple[str, str], Scope]) -> dict[str, User]:
    # One slow hash for everybody: they have the same password, and nobody waits at the first start.
    password = None
    people = {}
    for person in PEOPLE:
        user = User.objects.filter(username=person.username).first()
        if user is None:
            password = password or make_password(PASSWORD)
            user = User.objects.create(username=person.username, password=password)
        scope = scopes[(person.organization, person.scope)] if person.scope else None
        _roles(person, user, organizations[person.organization], scope)
        people[person.username] = user
    return people


def _roles(person: Person, user: User, organization: Organization, scope: Scope | None) -> None:
    """Every role is granted once; one that somebody ended is not given back."""
    for role in person.roles:
        known = RoleGrant.objects.filter(organization=organization, scope=scope, person=user, role=role)
        if not known.exists():
            roles.grant(actor=None, person=user, organization=organization, role=role, scope=scope)


def _token(
    programme: Programme,
    organization: Organization,
    scopes: dict[tuple[str, str], Scope],
    people: dict[str, User],
    credentials: Credentials,
) -> None:
    agent, _ = Agent.objects.get_or_create(organization=organization, name=programme.name)
    secret = credentials.token(programme.name)
    caller = tokens.authenticate(secret) if secret else None
    lasting = database_now() + TOKENS_RENEWED
    if caller is not None and secret and caller.agent == agent and caller.token.expires_at > lasting:
        credentials.keep(programme, secret)
        return
    _row, secret = tokens.mint(
        actor=None,
        agent=agent,
        on_behalf_of=people[programme.on_behalf_of],
        scopes=[scopes[(programme.organization, programme.scope)]],
        expires_at=database_now() + TOKENS_LAST,
    )
    credentials.keep(programme, secret)


def _contracts(organization: Organization, contracts: Path, people: dict[str, User], say: Say) -> None:
    publisher, activator = OWNERS[organization.slug]
    for file in sorted(contracts.glob("*.yaml")):
        try:
            version = publish(
                text=file.read_bytes(), file_name=file.name, by=people[publisher], organization=organization
            )
        except VersionTaken:
            say(f"{file.name} differs from what was published before: the published version stays")
            continue
        if version.state == ContractVersion.State.DRAFT and not _activated_before(version):
            activate(organization=organization, name=version.name, version=version.version, by=people[activator])


def _activated_before(version: ContractVersion) -> bool:
    """Whether a later version is active already: the file is then history."""
    others = ContractVersion.objects.filter(organization=version.organization, name=version.name)
    return others.filter(state=ContractVersion.State.ACTIVE, published_at__gt=version.published_at).exists()
