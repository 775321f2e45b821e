"""Organizations, scopes, people, the roles they hold, agents with their tokens, and the admissions switches."""

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class User(AbstractUser):
    """A person. What a person may do is told by the role grants, never by flags on this row."""

    display_name = models.CharField(max_length=200, blank=True)
    language = models.CharField(max_length=5, blank=True)
    theme = models.CharField(max_length=8, blank=True)
    shortcuts = models.BooleanField(default=True)

    class Meta(AbstractUser.Meta):
        swappable = "AUTH_USER_MODEL"
        constraints = [
            models.UniqueConstraint(models.functions.Lower("username"), name="tenancy_one_username_in_any_case")
        ]

    @property
    def shown_name(self) -> str:
        """The name other people read."""
        return self.display_name or self.username


class Organization(models.Model):
    """A tenant. Nothing of one organization is readable or inferable from another."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    # The stage of one path of a rehearsal: nobody of another organization sees it, and only the rehearsal moves it on.
    rehearsal = models.BooleanField(default=False, db_default=False)


class Scope(models.Model):
    """A part of an organization (an establishment, a site) in which roles are held."""

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="scopes")
    code = models.CharField(max_length=64)
    name = models.CharField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "code"], name="tenancy_one_scope_per_code")]


class RoleGrant(models.Model):
    """A role held by a person, in one scope, or in the whole organization when `scope` is empty.

    A grant is never deleted: it ends, with who ended it and when.
    """

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT)
    scope = models.ForeignKey(Scope, on_delete=models.PROTECT, null=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="grants")
    role = models.CharField(max_length=64)
    granted_at = models.DateTimeField(db_default=Now())
    granted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "scope", "person", "role"],
                condition=Q(ended_at__isnull=True),
                nulls_distinct=False,
                name="tenancy_one_live_grant",
            )
        ]
        indexes = [models.Index(fields=["person", "organization"], name="tenancy_grants_of_person")]


class Agent(models.Model):
    """A program that proposes. It acts only through tokens, each on behalf of one person."""

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT)
    name = models.CharField(max_length=100)
    created_at = models.DateTimeField(db_default=Now())
    disabled_at = models.DateTimeField(null=True)
    disabled_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "name"], name="tenancy_one_agent_per_name")]


class AgentToken(models.Model):
    """A bearer token, kept as a hash. Its rights are these limits and the person's rights *now*."""

    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="tokens")
    on_behalf_of = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="agent_tokens")
    hash = models.BinaryField(unique=True)
    prefix = models.CharField(max_length=16)
    scopes = models.ManyToManyField(Scope)
    tools = ArrayField(models.CharField(max_length=64), null=True)  # null: every tool the person may ask for
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    revoked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")


class TokenUse(models.Model):
    """When a token was last used: a row of its own, so that showing it never contends with a hand-over."""

    token = models.OneToOneField(AgentToken, on_delete=models.CASCADE, primary_key=True)
    last_used_at = models.DateTimeField()


class Admission(models.Model):
    """The switch of one organization, one tool or one business system in it. A row exists for each of them."""

    class Subject(models.TextChoices):
        ORGANIZATION = "organization"
        TOOL = "tool"
        SYSTEM = "system"

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="admissions")
    subject = models.CharField(max_length=16, choices=Subject)
    name = models.CharField(max_length=64, blank=True)  # empty for the organization itself
    stopped_at = models.DateTimeField(null=True)
    stopped_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    stopped_until = models.DateTimeField(null=True)
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "subject", "name"], name="tenancy_one_switch_per_subject"),
            models.CheckConstraint(
                condition=Q(stopped_at__isnull=True, stopped_by__isnull=True)
                | Q(stopped_at__isnull=False, stopped_by__isnull=False) & ~Q(reason=""),
                name="tenancy_a_stop_has_a_person_and_a_reason",
            ),
        ]
