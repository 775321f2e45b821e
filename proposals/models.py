"""Contract versions, proposals, their revisions, and the keys that make a submission happen once."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from tenancy.models import Agent, AgentToken, Organization, Scope


class ContractVersion(models.Model):
    """One published version of a tool contract. Its content never changes: a trigger refuses it."""

    class State(models.TextChoices):
        DRAFT = "draft"
        REHEARSED = "rehearsed"
        ACTIVE = "active"
        RETIRED = "retired"

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT)
    name = models.CharField(max_length=64)
    version = models.CharField(max_length=32)
    canonical = models.BinaryField()  # RFC 8785 bytes of the whole contract
    digest = models.CharField(max_length=71)  # sha256:<hex> of `canonical`
    source = models.TextField()  # the file as its owner wrote it
    state = models.CharField(max_length=16, choices=State, default=State.DRAFT)
    published_at = models.DateTimeField()
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    activated_at = models.DateTimeField(null=True)
    activated_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    retired_at = models.DateTimeField(null=True)
    retired_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    waiver = models.TextField(blank=True)  # why it is active without a passing rehearsal; shown wherever it is active

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "name", "version"], name="proposals_one_contract_version"),
            models.UniqueConstraint(
                fields=["organization", "name"],
                condition=Q(state="active"),
                name="proposals_one_active_version_per_contract",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "rehearsed"], activated_at__isnull=True)
                | Q(state__in=["active", "retired"], activated_at__isnull=False),
                name="proposals_active_has_a_date",
            ),
        ]


class Proposal(models.Model):
    """What an agent asks, `P-<id>`. It carries the head of its journal chain.

    `state` is what was decided about asking; once an intent exists, the intent says the rest.
    """

    class State(models.TextChoices):
        AWAITING_APPROVAL = "awaiting_approval"
        CHANGES_REQUESTED = "changes_requested"
        REJECTED = "rejected"
        WITHDRAWN = "withdrawn"
        EXPIRED = "expired"
        NOT_SENT = "not_sent"
        ANSWERED = "answered"
        AUTHORIZED = "authorized"  # an intent exists: its state tells the status

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT)
    scope = models.ForeignKey(Scope, on_delete=models.PROTECT)
    contract = models.ForeignKey(ContractVersion, on_delete=models.PROTECT)
    tool = models.CharField(max_length=64)
    requester = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT)
    token = models.ForeignKey(AgentToken, on_delete=models.PROTECT)
    session = models.CharField(max_length=255)
    state = models.CharField(max_length=24, choices=State, default=State.AWAITING_APPROVAL)
    cause = models.CharField(max_length=64, blank=True)
    current_revision = models.IntegerField(default=1)
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()  # when the status last changed
    review_expires_at = models.DateTimeField()
    answer = models.JSONField(null=True)  # bounded answer of a contract without effect
    answers_proposal = models.BigIntegerField(null=True)
    what_changed = models.TextField(blank=True)
    claimed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    claimed_at = models.DateTimeField(null=True)
    chain_digest = models.BinaryField(null=True)
    chain_length = models.IntegerField(default=0)

    class Meta:
        indexes = [
            models.Index(fields=["organization", "state", "review_expires_at"], name="proposals_queue"),
            models.Index(fields=["agent", "-id"], name="proposals_of_agent"),
        ]

    @property
    def public_id(self) -> str:
        """`P-42`."""
        return f"P-{self.pk}"


class Revision(models.Model):
    """One exact content of a proposal. Immutable: a trigger refuses any change."""

    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="revisions")
    number = models.IntegerField()
    contract = models.ForeignKey(ContractVersion, on_delete=models.PROTECT)
    arguments = models.BinaryField()  # canonical bytes; parsed with proposals.arguments.parse
    suggestion = models.TextField(blank=True)
    facts = models.JSONField(default=list)
    target = models.CharField(max_length=255, null=True)  # noqa: DJ001  absent where the contract has no target
    target_version = models.CharField(max_length=255, null=True)  # noqa: DJ001  canonical JSON text of the version
    observation = models.JSONField(
        null=True
    )  # label, state, version, scope, attributes, digest, at: as the system said
    system_digest = models.CharField(max_length=71, blank=True)  # of the business system's configuration
    material_digest = models.CharField(max_length=71)  # same meaning: material arguments + scope + target version
    digest = models.CharField(max_length=71)  # sha256 of `content`
    content = models.BinaryField()  # canonical bytes of everything a signature binds in this revision
    decision = models.JSONField(default=dict)  # the policy's answer at submission: code, policy_version, reasons
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["proposal", "number"], name="proposals_one_revision_per_number")]
        # Every submission asks whether the same meaning was refused before.
        indexes = [models.Index(fields=["material_digest"], name="proposals_same_meaning")]


class SubmissionKey(models.Model):
    """A key under which a submission happened once, in the space of one organization and agent."""

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT)
    key = models.CharField(max_length=300)  # "header:<key>", "derived:<digest>", "call:<id>…"
    fingerprint = models.CharField(max_length=71)
    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="keys")
    revision = models.IntegerField(default=1)
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    released_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "agent", "key"],
                condition=Q(released_at__isnull=True),
                name="proposals_one_live_key",
            )
        ]


class Spending(models.Model):
    """How often one agent, person or session asked for one tool since the count began; a row is gone when it ran out.

    `most` and `per` are the contract's budget when it was last counted.
    """

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT)
    tool = models.CharField(max_length=64)
    subject = models.CharField(max_length=100)  # agent:<id>, person:<id>, agent:<id>:<digest of the session>
    most = models.IntegerField()
    per = models.DurationField()
    since = models.DateTimeField()
    count = models.IntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "tool", "subject"], name="proposals_one_count_per_subject"),
            models.CheckConstraint(condition=Q(count__gte=1, most__gte=1), name="proposals_spending_counts"),
        ]


class Call(models.Model):
    """One call of a session, remembered for a while to see loops. `proposal` is empty where it made none."""

    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, db_index=False)
    session = models.CharField(max_length=255)
    digest = models.CharField(max_length=71)  # of the tool and its canonical arguments
    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, null=True, db_index=False)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["agent", "session", "-id"], name="proposals_calls_of_session")]


class SelectionRun(models.Model):
    """One evaluation of recorded answers: which tools models chose, under which contract versions. Only added to."""

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT)
    dataset = models.CharField(max_length=200)  # the file's name: runs of the same data set are compared
    dataset_digest = models.CharField(max_length=71)
    answers_digest = models.CharField(max_length=71)
    at = models.DateTimeField()
    report = models.JSONField()
    results = models.JSONField()  # case, mode, model, contract, outcome of each answer

    class Meta:
        indexes = [models.Index(fields=["organization", "dataset", "-id"], name="proposals_runs_of_a_dataset")]
