"""The durable order to act, its numbered attempts, what was observed, and the cases people work on."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from approvals.models import Authorization
from intents.drills import Drill
from intents.lifts import Lift
from intents.news import Callback, Cancellation
from intents.notices import Fact, Notice, Telling, Webhook
from intents.states import State
from intents.withheld import Circuit, Pause, Silence
from proposals.models import Revision
from tenancy.models import Organization

__all__ = [
    "Attempt",
    "Callback",
    "Cancellation",
    "Case",
    "Circuit",
    "Conclusion",
    "Drill",
    "Evidence",
    "Fact",
    "Intent",
    "Lift",
    "Notice",
    "Pause",
    "Progress",
    "Recheck",
    "Silence",
    "Telling",
    "Webhook",
]

STATES = [(state.value, state.value) for state in State]


class Intent(models.Model):
    """The durable order to act, `I-<id>`, tied one-to-one to the approved revision.

    `attempt` is the number of the current attempt and the fence of every move. `reference` is what the
    business system is told, the same for every attempt.
    """

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT)
    revision = models.OneToOneField(Revision, on_delete=models.PROTECT, related_name="intent")
    authorization = models.ForeignKey(Authorization, on_delete=models.PROTECT, related_name="+")
    tool = models.CharField(max_length=64)
    system = models.CharField(max_length=64)
    target = models.CharField(max_length=255, null=True)  # noqa: DJ001  absent where the contract has no target
    reference = models.UUIDField(unique=True)
    state = models.CharField(max_length=16, choices=STATES, default=State.READY)
    attempt = models.IntegerField(default=0)
    cause = models.CharField(max_length=64, blank=True)  # why it is void, unknown, not executed …
    opened_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    # ready: when the sweep looks again, and what it waits on
    next_look_at = models.DateTimeField(null=True)
    looks = models.IntegerField(default=0)
    waiting = models.CharField(
        max_length=64, blank=True
    )  # fence | admissions | target_unreachable | not_delivered | circuit | paused
    waiting_on = models.CharField(
        max_length=64, blank=True
    )  # the intent `I-41` a fence waits on, the stopped subject …
    # sending, accepted: when doubt begins
    deadline = models.DateTimeField(null=True)
    # accepted, unknown: the declared probe schedule
    probes_made = models.IntegerField(default=0)
    next_probe_at = models.DateTimeField(null=True)
    # unknown and after
    handed_over_at = models.DateTimeField(null=True)  # of the latest attempt that may have left
    absence_meaningful_at = models.DateTimeField(null=True)  # deadline + visibility delay: earliest "did not happen"
    reopened_at = models.DateTimeField(null=True)
    fence_lifted_at = models.DateTimeField(null=True)
    output = models.JSONField(null=True)  # the fields of the output contract, once confirmed
    confirmed_by = models.CharField(max_length=16, blank=True)  # answer | confirmation | probe | callback | person

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=[s.value for s in State]), name="intents_known_state"),
            models.CheckConstraint(
                condition=Q(
                    state__in=["confirmed", "refused", "diverged", "not_executed", "void"], ended_at__isnull=False
                )
                | Q(state__in=["ready", "sending", "accepted", "unknown", "reopened"], ended_at__isnull=True),
                name="intents_final_states_have_an_end",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["sending", "accepted"]) | Q(deadline__isnull=False),
                name="intents_doubt_has_a_beginning",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["void", "not_executed"]) | ~Q(cause=""), name="intents_a_stop_has_a_cause"
            ),
            models.CheckConstraint(
                condition=~Q(state="sending") | Q(attempt__gte=1, handed_over_at__isnull=False),
                name="intents_sending_has_an_attempt",
            ),
            # The object fence: while an outcome on an object may be in doubt, nobody else touches that object.
            models.UniqueConstraint(
                fields=["organization", "system", "target"],
                condition=Q(target__isnull=False, fence_lifted_at__isnull=True)
                & (
                    Q(state__in=["sending", "accepted", "unknown", "reopened"])
                    | Q(state="ready", reopened_at__isnull=False)
                ),
                name="intents_one_doubt_per_object",
            ),
        ]
        indexes = [
            models.Index(fields=["next_look_at"], condition=Q(state="ready"), name="intents_ready"),
            models.Index(fields=["deadline"], condition=Q(state__in=["sending", "accepted"]), name="intents_deadlines"),
            models.Index(
                fields=["next_probe_at"], condition=Q(state__in=["accepted", "unknown"]), name="intents_probes"
            ),
            models.Index(fields=["organization", "system", "target"], name="intents_on_object"),
        ]

    @property
    def public_id(self) -> str:
        """`I-42`."""
        return f"I-{self.pk}"


class Attempt(models.Model):
    """One hand-over, written down and committed before its first byte. `digest` is of the exact bytes."""

    class Result(models.TextChoices):
        OPEN = "open"
        NOT_DELIVERED = "not_delivered"  # provably never left
        ANSWERED = "answered"
        NO_ANSWER = "no_answer"  # may have arrived

    intent = models.ForeignKey(Intent, on_delete=models.PROTECT, related_name="attempts")
    number = models.IntegerField()
    authorization = models.ForeignKey(Authorization, on_delete=models.PROTECT, related_name="attempts")
    method = models.CharField(max_length=8)
    url = models.TextField()
    body = models.BinaryField()
    digest = models.CharField(max_length=71)
    marked_at = models.DateTimeField()
    deadline = models.DateTimeField()
    worker = models.CharField(max_length=200)
    result = models.CharField(max_length=16, choices=Result, default=Result.OPEN)
    fault = models.CharField(max_length=64, blank=True)
    status = models.IntegerField(null=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["intent", "number"], name="intents_one_attempt_per_number"),
            models.UniqueConstraint(
                fields=["authorization"],
                condition=~Q(result="not_delivered"),
                name="intents_one_delivered_or_doubtful_attempt_per_authorization",
            ),
        ]


class Recheck(models.Model):
    """The two-ended ledger of one look before a hand-over: value when approved → value now → verdict."""

    intent = models.ForeignKey(Intent, on_delete=models.PROTECT, related_name="rechecks")
    attempt = models.IntegerField()
    at = models.DateTimeField()
    outcome = models.CharField(max_length=16)  # send | void | wait
    ledger = models.JSONField()  # [{check, approved, now, verdict}]


class Evidence(models.Model):
    """One observation of the business system about an intent, with its source, never changed."""

    class Source(models.TextChoices):
        ANSWER = "answer"
        CONFIRMATION = "confirmation"
        PROBE = "probe"
        CALLBACK = "callback"
        CANCELLATION = "cancellation"
        PERSON = "person"

    class Verdict(models.TextChoices):
        PROVES = "proves"  # names this intent and satisfies every rule
        CONTRADICTS = "contradicts"  # names this intent and shows another effect
        DISPROVES = "disproves"  # a definitive refusal: no effect
        NOTHING = "nothing"  # no conclusion either way

    intent = models.ForeignKey(Intent, on_delete=models.PROTECT, related_name="evidence")
    attempt = models.IntegerField()
    source = models.CharField(max_length=16, choices=Source)
    verdict = models.CharField(max_length=16, choices=Verdict)
    because = models.CharField(max_length=64, blank=True)  # the verdict's reason, in one word
    at = models.DateTimeField()
    observed_at = models.DateTimeField(null=True)  # when it was so: before a look began, or by the sender's clock
    status = models.IntegerField(null=True)
    fault = models.CharField(max_length=64, blank=True)
    fields = models.JSONField(default=dict)
    rules = models.JSONField(default=list)  # [{field, expected, observed, verdict}]
    digest = models.CharField(max_length=71, blank=True)  # of the bytes observed
    excerpt = models.TextField(blank=True)
    late = models.BooleanField(default=False)  # came after its attempt was no longer the one being sent
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    link = models.TextField(blank=True)
    words = models.TextField(blank=True)


class Case(models.Model):
    """Work for a person: an unknown to establish, or an effect that differs. One open case per intent."""

    class Kind(models.TextChoices):
        UNKNOWN = "unknown"
        DIVERGED = "diverged"

    intent = models.ForeignKey(Intent, on_delete=models.PROTECT, related_name="cases")
    kind = models.CharField(max_length=16, choices=Kind)
    cause = models.CharField(max_length=64, blank=True)
    role = models.CharField(max_length=64)  # who is responsible: the contract's escalate_to
    opened_at = models.DateTimeField()
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    owned_at = models.DateTimeField(null=True)
    escalated_at = models.DateTimeField(null=True)
    version = models.IntegerField(default=1)  # every act on the case adds one; an act on an older one is refused
    closed_at = models.DateTimeField(null=True)
    closed_how = models.CharField(max_length=32, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["intent"], condition=Q(closed_at__isnull=True), name="intents_one_open_case"
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True, closed_how="") | Q(closed_at__isnull=False) & ~Q(closed_how=""),
                name="intents_a_closed_case_says_how",
            ),
        ]


class Conclusion(models.Model):
    """What a person established about a case, on which evidence, and who seconded it."""

    class Finding(models.TextChoices):
        HAPPENED = "happened"
        DID_NOT_HAPPEN = "did_not_happen"
        STILL_UNKNOWN = "still_unknown"

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="conclusions")
    finding = models.CharField(max_length=16, choices=Finding)
    then = models.CharField(max_length=16, blank=True)  # did_not_happen: close | new_attempt
    reason = models.CharField(max_length=64)
    words = models.TextField(blank=True)
    evidence = models.ForeignKey(Evidence, on_delete=models.PROTECT, null=True, related_name="+")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    seconded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    seconded_at = models.DateTimeField(null=True)


class Progress(models.Model):
    """When a recurring duty last completed: liveness means progress, not a process."""

    duty = models.CharField(max_length=32, primary_key=True)
    at = models.DateTimeField()
