"""§2.7: what holds after every scenario, checked against the business system's own ledger and the journal's tables."""

import hashlib
import json
from collections import Counter
from typing import Any

from django.db import transaction

from approvals.models import Authorization, Signature
from intents.models import Attempt, Cancellation, Case, Evidence, Intent
from intents.states import State
from journal.chain import snapshot, verify
from journal.digests import sha256
from journal.models import Entry
from proposals.models import Proposal, Revision
from tests.sandboxing import Sandbox

DELIVERED = (Attempt.Result.OPEN, Attempt.Result.ANSWERED, Attempt.Result.NO_ANSWER)


def check_invariants(sandbox: Sandbox, *, business_system_duplicates: bool = False) -> None:
    """Fail with the broken promise and the intent's number."""
    effects = Counter(effect["client_ref"] for effect in sandbox.effects() if not _taken_back(effect))
    requests = [request for request in sandbox.submissions() if "/review-requests" in request["path"]]
    for intent in Intent.objects.select_related("revision__proposal"):
        _one_effect(intent, effects, business_system_duplicates)
        _status_says_no_more_than_evidence(intent, effects)
        _nothing_lost(intent)
        _approval_used_once(intent)
        _what_was_shown_is_what_was_sent(intent, requests)
        _journal_tells_the_story(intent)
    _no_authorization_left_behind()
    _journal_verifies()


def _taken_back(effect: dict[str, Any]) -> bool:
    """The effect of a cancellation that a person asked for, and that was marked, is not a second one of the order."""
    marked = Cancellation.objects.filter(intent__reference=effect["client_ref"], marked_at__isnull=False)
    return str(effect["kind"]).endswith(".cancelled") and marked.exists()


def _one_effect(intent: Intent, effects: Counter[str], duplicates: bool) -> None:
    attempts = intent.attempts.filter(result__in=DELIVERED).count()
    signed_again = Authorization.objects.filter(revision=intent.revision).count()
    made = effects[str(intent.reference)]
    assert attempts <= signed_again, f"{intent.public_id}: {attempts} hand-overs, {signed_again} authorizations"
    assert duplicates or made <= max(1, attempts), f"{intent.public_id}: {made} effects"
    if attempts <= 1 and not duplicates:
        assert made <= 1, f"{intent.public_id}: {made} effects of one attempt"
    if attempts == 0:
        assert made == 0, f"{intent.public_id}: an effect without a hand-over"


def _status_says_no_more_than_evidence(intent: Intent, effects: Counter[str]) -> None:
    verdicts = set(Evidence.objects.filter(intent=intent).values_list("verdict", flat=True))
    delivered = intent.attempts.filter(result__in=DELIVERED).exists()
    if intent.state == State.CONFIRMED:
        assert Evidence.Verdict.PROVES in verdicts, f"{intent.public_id} is confirmed without evidence"
        assert effects[str(intent.reference)] >= 1, f"{intent.public_id} is confirmed, and there is no effect"
    if intent.state == State.REFUSED:
        assert Evidence.Verdict.DISPROVES in verdicts, f"{intent.public_id} is refused without a definitive refusal"
    if intent.state == State.VOID:
        assert not delivered, f"{intent.public_id} says nothing was sent"
    if intent.state == State.NOT_EXECUTED and delivered:
        found = intent.cases.filter(conclusions__finding="did_not_happen").exists()
        assert found, f"{intent.public_id} is not executed, and nobody established it"


def _nothing_lost(intent: Intent) -> None:
    where = {
        State.READY: intent.next_look_at,
        State.SENDING: intent.deadline,
        State.ACCEPTED: intent.deadline,
        State.UNKNOWN: Case.objects.filter(intent=intent, closed_at__isnull=True).exists(),
        State.REOPENED: True,
    }
    assert intent.ended_at or where[State(intent.state)], f"{intent.public_id} stands in no queue ({intent.state})"


def _approval_used_once(intent: Intent) -> None:
    for attempt in intent.attempts.select_related("authorization"):
        authorization = attempt.authorization
        assert authorization.revision_id == intent.revision_id, f"{intent.public_id}: another revision's approval"
        assert attempt.marked_at < authorization.expires_at, f"{intent.public_id}: handed over after its approval ended"
        signatures = Signature.objects.filter(authorization=authorization)
        assert signatures.exists(), f"{intent.public_id}: an authorization nobody signed"
        for signature in signatures:
            bound = json.loads(bytes(signature.payload))
            assert intent.revision.digest in json.dumps(bound), f"{intent.public_id}: signed something else"
            assert sha256(bytes(signature.payload)) == signature.digest


def _what_was_shown_is_what_was_sent(intent: Intent, requests: list[dict[str, object]]) -> None:
    revision: Revision = intent.revision
    assert sha256(bytes(revision.content)) == revision.digest
    arguments = json.loads(bytes(revision.arguments))
    told = [
        json.loads(bytes(entry.body))
        for entry in Entry.objects.filter(chain=revision.proposal.public_id, kind__startswith="proposal.")
    ]
    assert any(revision.digest in json.dumps(entry["facts"]) for entry in told), "the journal tells another revision"
    sent = {request["body_sha256"] for request in requests}
    for attempt in intent.attempts.filter(result__in=DELIVERED):
        body = json.loads(bytes(attempt.body))
        for name, value in arguments.items():
            if name in body:
                assert body[name] == value, f"{intent.public_id}: {name} was sent as {body[name]!r}"
                assert type(body[name]) is type(value), f"{intent.public_id}: {name} changed its type"
        if intent.system == "reviews" and attempt.result == Attempt.Result.ANSWERED:
            digest = hashlib.sha256(bytes(attempt.body)).hexdigest()
            assert {digest, f"sha256:{digest}"} & sent, f"{intent.public_id}: other bytes arrived"


def _journal_tells_the_story(intent: Intent) -> None:
    kinds = set(Entry.objects.filter(chain=intent.revision.proposal.public_id).values_list("kind", flat=True))
    wanted = {"proposal.submitted", "signature.given", "authorization.granted", "intent.opened"}
    if intent.attempts.exists():
        wanted.add("attempt.marked")
    assert wanted <= kinds, f"{intent.public_id}: the journal does not tell of {wanted - kinds}"


def _no_authorization_left_behind() -> None:
    from journal.clock import now

    left = Authorization.objects.filter(voided_at__isnull=True, revision__intent__isnull=True, expires_at__gt=now())
    for authorization in left:
        assert authorization.revision.proposal.state == Proposal.State.AUTHORIZED, "an authorization of nothing"


def _journal_verifies() -> None:
    with transaction.atomic(durable=True):
        snapshot()
        rows = Proposal.objects.exclude(chain_length=0).values_list("pk", "chain_digest", "chain_length")
        report = verify(heads={f"P-{pk}": (bytes(digest), length) for pk, digest, length in rows})
    assert report.ok, f"entry {report.first_broken}: {report.reason}"
