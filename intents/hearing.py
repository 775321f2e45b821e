"""Hears what business systems tell by themselves: a signed message is evidence about the intent it names, no more.

Whoever signs is one system of one organization, and is heard about that organization's intents only. A message is
taken in once. News is ordered by the time of its event, not by its arrival, and no final state ever turns on it.
"""

import hashlib
import re
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import IntegrityError, transaction

from intents.answering import close_attempt
from intents.doubting import look_soon
from intents.establishing import MOVED_BY, Seen, keep, learn, settle
from intents.evidence import Judgement, Verdict, judge
from intents.failpoints import Step, failpoint
from intents.holding import Held, hold
from intents.models import Attempt, Callback, Evidence, Intent
from intents.states import State
from journal.clock import now as database_now
from journal.kinds import Kind
from journal.recording import Actor, record
from systems.adapters import registry
from systems.adapters.registry import UnknownSystem
from systems.adapters.replies import excerpt
from systems.callbacks import CallbackConfig, News, Unreadable, read_news, signer
from tenancy.models import Organization

NOBODY = 0  # the organization of an entry about a system that none has
MAX_BODY = 64 * 1024
_IDENTIFIER = re.compile(r"[\x21-\x7e]{1,255}")
_SECONDS = re.compile(r"[0-9]{1,12}")


class NotSigned(Exception):
    """Nobody who may call back signed this, or not now."""


class NotOurs(Exception):
    """Truly signed, but about nothing of the organization that signed."""


class NotReadable(Exception):
    """Truly signed, and not to be understood; the text is a sentence."""


@dataclass(frozen=True)
class Message:
    """What arrived: `identifier`, `timestamp` (Unix seconds) and `signatures` are headers as they came."""

    system: str
    identifier: str
    timestamp: str
    signatures: str
    body: bytes

    @property
    def digest(self) -> str:
        """`sha256:…` of the bytes."""
        return "sha256:" + hashlib.sha256(self.body).hexdigest()


def hear(message: Message) -> str:
    """The message stands as evidence with the intent it names; returns the intent's state then, or `repeated`.

    Whatever is not heard is told in the journal.

    Raises:
        NotSigned: an unknown system, a wrong signature, a timestamp outside the window: all alike.
        NotOurs: the reference is none of the organization that signed, or nobody's: alike.
        NotReadable: signed, and without a meaning.
    """
    config = _config(message.system)
    organization, sent_at = _signed_by(message, config)
    assert config is not None  # only a configured system has secrets to sign with
    try:
        news = read_news(config, message.body, sent_at=sent_at)
    except Unreadable as error:
        _tell_refusal(message, [organization.pk], because="unreadable")
        raise NotReadable(str(error)) from error
    if news.event_at > database_now() + config.tolerance:
        _tell_refusal(message, [organization.pk], because="unreadable")
        raise NotReadable("The time of the event has not come yet.")
    intent = _named(organization, message.system, news.reference)
    if intent is None:
        _tell_refusal(message, [organization.pk], because="not_ours")
        raise NotOurs(NotOurs.__doc__)
    try:
        return _take_in(intent.pk, organization, message, news)
    except IntegrityError:  # the same event arrived twice at once, about two intents: the first counts
        if not _heard_before(organization, message):
            raise
        return "repeated"


def _config(system: str) -> CallbackConfig | None:
    try:
        return registry.adapter(system).config.callbacks
    except UnknownSystem:
        return None


def _signed_by(message: Message, config: CallbackConfig | None) -> tuple[Organization, datetime]:
    plain = _IDENTIFIER.fullmatch(message.identifier) and _SECONDS.fullmatch(message.timestamp)
    if config is not None and plain:
        sent_at = datetime.fromtimestamp(int(message.timestamp), UTC)
        slug = signer(
            config,
            identifier=message.identifier,
            timestamp=message.timestamp,
            signatures=message.signatures,
            body=message.body,
        )
        organization = Organization.objects.filter(slug=slug).first() if slug else None
        if organization and abs(database_now() - sent_at) <= config.tolerance:
            return organization, sent_at
    told = Organization.objects.filter(slug__in=config.secrets).values_list("pk", flat=True) if config else []
    _tell_refusal(message, list(told) or [NOBODY], because="not_signed")
    raise NotSigned(NotSigned.__doc__)


def _named(organization: Organization, system: str, reference: str) -> Intent | None:
    try:
        known = uuid.UUID(reference)
    except ValueError:
        return None
    if str(known) != reference:  # compared exactly, as it was told
        return None
    return Intent.objects.filter(organization=organization, system=system, reference=known).first()


def _tell_refusal(message: Message, organizations: list[int], *, because: str) -> None:
    """Nothing of a message that is not heard is kept but its digest."""
    facts = {"because": because, "digest": message.digest}
    with transaction.atomic(durable=True):
        for organization in organizations:
            record(
                kind=Kind.CALLBACK_REFUSED,
                actor=Actor("adapter", message.system[:64]),
                organization=organization,
                now=database_now(),
                subjects={"system": message.system[:64]},
                facts=facts,
            )


def _heard_before(organization: Organization, message: Message) -> bool:
    return Callback.objects.filter(organization=organization, system=message.system, event=message.identifier).exists()


def _take_in(intent_id: int, organization: Organization, message: Message, news: News) -> str:
    with transaction.atomic(durable=True):
        held, now = hold(intent_id), database_now()
        if _heard_before(organization, message):
            return "repeated"
        seen = _as_seen(held, message, news, now=now)
        evidence = _learned(held, seen, actor=Actor("adapter", message.system), now=now)
        Callback.objects.create(
            organization=organization,
            system=message.system,
            event=message.identifier,
            event_at=news.event_at,
            at=now,
            digest=message.digest,
            evidence=evidence,
        )
        if seen.judgement.verdict is Verdict.NOTHING and seen.judgement.because != "overtaken":
            look_soon(held, now=now)  # a claim is worth a look
        failpoint(Step.BEFORE_CALLBACK_COMMIT)
    return held.intent.state


def _as_seen(held: Held, message: Message, news: News, *, now: datetime) -> Seen:
    return Seen(
        source=Evidence.Source.CALLBACK,
        judgement=_judged(held, news, now=now),
        attempt=held.intent.attempt,
        observed_at=news.event_at,
        digest=message.digest,
        excerpt=excerpt(message.body),
        late=held.state is not State.SENDING,
        facts={"event": message.identifier},
    )


def _judged(held: Held, news: News, *, now: datetime) -> Judgement:
    """A word alone proves nothing: an effect needs its fields; a refusal, a documented rule and no newer news."""
    if news.success:
        return judge(
            held.contract.effect_to_verify,
            arguments=held.arguments,
            fields=news.fields,
            names_us=True,
            age=now - news.event_at,
        )
    if not news.refused:
        return Judgement(Verdict.NOTHING, "claim")
    shown = Evidence.objects.filter(intent=held.intent, verdict__in=list(MOVED_BY), observed_at__gte=news.event_at)
    newer = Evidence.objects.filter(intent=held.intent, source=Evidence.Source.CALLBACK, observed_at__gt=news.event_at)
    if shown.exists() or newer.exists():
        return Judgement(Verdict.NOTHING, "overtaken")
    return Judgement(Verdict.DISPROVES, "refused")


def _learned(held: Held, seen: Seen, *, actor: Actor, now: datetime) -> Evidence:
    """Positive news settles what is still being sent, and what by this ledger was never sent, too."""
    to = MOVED_BY.get(seen.judgement.verdict)
    never_sent = held.state is State.READY and held.intent.attempt == 0
    if to is None or not (held.state is State.SENDING or never_sent):
        return learn(held, seen, actor=actor, now=now)
    evidence = keep(held, seen, actor=actor, now=now)
    if held.state is State.SENDING:
        attempt = Attempt.objects.get(intent=held.intent, number=held.intent.attempt)
        close_attempt(attempt, result=Attempt.Result.NO_ANSWER, now=now, fault="called_back")
    settle(held, evidence, to=to, actor=actor, now=now)
    return evidence
