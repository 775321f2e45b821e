"""Rights are the roles held now, in that scope or in the whole organization; tokens only limit them."""

from datetime import timedelta

import pytest
from django.utils import timezone

from journal.models import Entry
from tenancy import admissions, roles, tokens
from tenancy.access import entitling_role, organizations_with, roles_of, scopes_with
from tenancy.models import Agent, AgentToken, Organization, RoleGrant, Scope, TokenUse, User

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def demo() -> Organization:
    return Organization.objects.create(slug="demo", name="Demo")


@pytest.fixture
def site(demo: Organization) -> Scope:
    return Scope.objects.create(organization=demo, code="A", name="A")


@pytest.fixture
def someone() -> User:
    return User.objects.create(username="someone")


def test_a_role_in_one_scope_gives_nothing_in_another(demo: Organization, site: Scope, someone: User) -> None:
    elsewhere = Scope.objects.create(organization=demo, code="B", name="B")
    roles.grant(actor=None, person=someone, organization=demo, role="review_lead", scope=site)
    assert roles_of(someone, organization=demo, scope=site) == {"review_lead"}
    assert roles_of(someone, organization=demo, scope=elsewhere) == frozenset()
    assert list(scopes_with(someone, roles=["review_lead"])) == [site]


def test_a_role_in_the_organization_holds_in_every_scope_of_it(demo: Organization, site: Scope, someone: User) -> None:
    foreign = Organization.objects.create(slug="other", name="Other")
    theirs = Scope.objects.create(organization=foreign, code="A", name="A")
    roles.grant(actor=None, person=someone, organization=demo, role="auditor")
    assert entitling_role(someone, organization=demo, scope=site, roles=["owner", "auditor"]) == "auditor"
    assert entitling_role(someone, organization=foreign, scope=theirs, roles=["auditor"]) is None
    assert list(organizations_with(someone, roles=["auditor"])) == [demo]


def test_an_ended_role_and_an_inactive_person_hold_nothing(demo: Organization, site: Scope, someone: User) -> None:
    grant = roles.grant(actor=None, person=someone, organization=demo, role="support", scope=site)
    someone.is_active = False
    someone.save()
    assert roles_of(someone, organization=demo, scope=site) == frozenset()
    someone.is_active = True
    someone.save()
    assert roles.end_grant(actor=someone, grant=grant)
    assert not roles.end_grant(actor=someone, grant=grant)
    assert roles_of(someone, organization=demo, scope=site) == frozenset()
    assert RoleGrant.objects.count() == 1, "a grant is ended, never deleted"
    assert list(Entry.objects.order_by("pk").values_list("kind", flat=True)) == ["role.granted", "role.removed"]


def test_user_names_are_unique_in_any_case() -> None:
    User.objects.create(username="Amélie")
    with pytest.raises(Exception, match="tenancy_one_username_in_any_case"):
        User.objects.create(username="amélie")


def make_token(demo: Organization, someone: User, **more: object) -> tuple[AgentToken, str]:
    agent = Agent.objects.create(organization=demo, name="agent")
    return tokens.mint(
        actor=None,
        agent=agent,
        on_behalf_of=someone,
        scopes=Scope.objects.filter(organization=demo),
        expires_at=more.pop("expires_at", timezone.now() + timedelta(hours=1)),  # type: ignore[arg-type]
    )


def test_a_token_is_kept_as_a_hash_and_recognised_by_its_secret(demo: Organization, site: Scope, someone: User) -> None:
    token, secret = make_token(demo, someone)
    caller = tokens.authenticate(secret)
    assert caller is not None
    assert (caller.person, caller.organization, caller.scopes) == (someone, demo, (site,))
    assert secret.encode() not in bytes(token.hash)
    assert tokens.authenticate(secret[:-1]) is None
    assert tokens.authenticate("") is None
    assert tokens.authenticate("cs_" + "é" * 40) is None


def test_a_token_opens_nothing_once_revoked_expired_disabled_or_its_person_inactive(
    demo: Organization, someone: User
) -> None:
    token, secret = make_token(demo, someone)
    User.objects.filter(pk=someone.pk).update(is_active=False)
    assert tokens.authenticate(secret) is None
    User.objects.filter(pk=someone.pk).update(is_active=True)
    assert tokens.authenticate(secret) is not None
    AgentToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert tokens.authenticate(secret) is None
    AgentToken.objects.update(expires_at=timezone.now() + timedelta(hours=1))
    assert tokens.disable(actor=someone, agent=token.agent)
    assert tokens.authenticate(secret) is None
    Agent.objects.update(disabled_at=None, disabled_by=None)
    assert tokens.revoke(actor=someone, token=token)
    assert tokens.authenticate(secret) is None


def test_the_last_use_is_remembered_without_touching_the_token(demo: Organization, someone: User) -> None:
    token, _secret = make_token(demo, someone)
    tokens.touch(token)
    first = TokenUse.objects.get().last_used_at
    tokens.touch(token)
    assert TokenUse.objects.get().last_used_at == first


def test_a_stop_names_its_subject_its_reason_and_ends_by_itself_when_it_says_so(
    demo: Organization, someone: User
) -> None:
    admissions.ensure_switch(organization=demo, subject="organization")
    admissions.ensure_switch(organization=demo, subject="tool", name="refund_create")
    admissions.ensure_switch(organization=demo, subject="tool", name="refund_create")
    where = {"organization": demo, "tool": "refund_create", "system": "payments", "now": timezone.now()}
    assert admissions.stopped(**where) is None
    admissions.stop(actor=someone, organization=demo, subject="tool", name="refund_create", reason="wrong amounts")
    stop = admissions.stopped(**where, lock=False)
    assert stop is not None
    assert (stop.subject, stop.name, stop.reason) == ("tool", "refund_create", "wrong amounts")
    assert admissions.stopped(**{**where, "tool": "another"}) is None
    with pytest.raises(admissions.AlreadySo):
        admissions.stop(actor=someone, organization=demo, subject="tool", name="refund_create", reason="again")
    admissions.resume(actor=someone, organization=demo, subject="tool", name="refund_create")
    assert admissions.stopped(**where) is None
    soon = timezone.now() + timedelta(minutes=5)
    admissions.stop(actor=someone, organization=demo, subject="organization", reason="drill", until=soon)
    assert admissions.stopped(**where) is not None
    assert admissions.stopped(**{**where, "now": soon}) is None


def test_a_stop_without_a_reason_or_of_an_unknown_subject_is_refused(demo: Organization, someone: User) -> None:
    admissions.ensure_switch(organization=demo, subject="organization")
    with pytest.raises(ValueError, match="reason"):
        admissions.stop(actor=someone, organization=demo, subject="organization", reason="  ")
    with pytest.raises(admissions.UnknownSwitch):
        admissions.stop(actor=someone, organization=demo, subject="system", name="nowhere", reason="x")
