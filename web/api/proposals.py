"""Proposals: submit, read, wait, list, revise, take back."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from approvals import receiving
from approvals.refusals import Refusal
from intents import stopping
from intents.standing import standing
from intents.statements import Status
from proposals import queries
from proposals.models import Proposal, Revision
from web.api import examples
from web.api.answers import BODY, SUBMITTING, UNCHANGED, answers, granted, header
from web.api.doors import Door, unchanged
from web.api.envelopes import fingerprint, submission_of
from web.api.errors import not_found
from web.api.pages import MAX_PAGE, PAGE, page_of
from web.api.parsing import (
    MAX_WAIT,
    idempotency_key,
    malformed,
    parameters,
    revision_expected,
    seconds,
    truth,
)
from web.api.resources import dry_run, etag, old_revision, resource, resource_as_written
from web.api.shapes import SUBMISSION
from web.api.waiting import wait_while

_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    OpenApiParameter.HEADER,
    description="1–255 visible ASCII characters. Without one, a key is derived from the meaning and the session.",
)
_IF_MATCH = OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, required=True, description='The revision: "1".')
_IF_NONE_MATCH = OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER, description="An ETag read before.")
_LANGUAGE = OpenApiParameter(
    "Accept-Language", str, OpenApiParameter.HEADER, description="Of `statement` and `next_step`: `en` or `fr`."
)
_LOCATION = header("Location", "Where the proposal is read.", 201)
_REPLAYED = header("Idempotent-Replayed", "`true`: it existed already under the same key.", 201)
_ID = OpenApiParameter("public_id", str, OpenApiParameter.PATH, description="`P-42`.")
_SUBMITTED = OpenApiExample("an internal review", examples.SUBMISSION, request_only=True)
_CREATED = granted("Proposal", "It exists, and awaits a decision.", 201, awaiting_approval=examples.AWAITING)
_READ = granted(
    "Proposal",
    "As it stands now.",
    200,
    awaiting_approval=examples.AWAITING,
    confirmed=examples.CONFIRMED,
    outcome_unknown=examples.UNKNOWN,
)


class Proposals(Door):
    """`/proposals`."""

    @extend_schema(
        operation_id="submit_proposal",
        summary="Propose an operation",
        parameters=[
            _KEY,
            _LANGUAGE,
            OpenApiParameter("dry_run", bool, description="Answer without recording a proposal."),
            *(_LOCATION, _REPLAYED, header("ETag", "For `If-Match` of a revision.", 201)),
        ],
        request=SUBMISSION,
        examples=[_SUBMITTED],
        responses=answers(
            {
                201: _CREATED,
                200: granted("DryRun", "What it would meet; nothing was recorded.", 200, dry_run=examples.DRY_RUN),
            },
            *SUBMITTING,
        ),
    )
    def post(self, request: Request) -> Response:
        """A proposal exists, or existed already under the same key."""
        with _noted(self):
            dry = truth(parameters(request, "dry_run").get("dry_run", "false"))
            submission, key = submission_of(request.data), idempotency_key(request)
        mark = fingerprint("proposals", request.data)
        received = receiving.receive(self.caller, submission, key=key, body_fingerprint=mark, dry_run=dry)
        if received.decision and not received.proposal:
            return Response(dry_run(received.decision, tool=submission.tool))
        return _created(self, received)

    @extend_schema(
        operation_id="list_proposals",
        summary="The caller's own proposals, newest first",
        parameters=[
            _LANGUAGE,
            OpenApiParameter("status", str, enum=list(Status)),
            OpenApiParameter("cursor", {"type": "string", "pattern": "^[1-9][0-9]{0,17}$"}),
            OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": PAGE}),
        ],
        responses=answers({200: granted("Page", "One page of them.", 200, page=examples.PAGE)}),
    )
    def get(self, request: Request) -> Response:
        """One page; `next_cursor` is null at the end."""
        given = parameters(request, "status", "cursor", "limit")
        page = page_of(
            self.caller,
            status=given.get("status"),
            cursor=given.get("cursor"),
            limit=given.get("limit"),
            language=self.language,
        )
        items = [resource(one, language=self.language, stands=stands, proof=False) for one, stands in page.items]
        return Response({"items": items, "next_cursor": page.cursor})


class OneProposal(Door):
    """`/proposals/{id}`."""

    @extend_schema(
        operation_id="get_proposal",
        summary="A proposal as it stands now",
        parameters=[
            _ID,
            _LANGUAGE,
            _IF_NONE_MATCH,
            OpenApiParameter(
                "wait",
                {"type": "number", "minimum": 0, "maximum": MAX_WAIT, "multipleOf": 0.001},
                description="Seconds to wait for another status.",
            ),
            header("ETag", "For `If-None-Match`, and for `If-Match` of a revision.", 200, 304),
        ],
        responses=answers({200: _READ, 304: UNCHANGED}, "not_found"),
    )
    def get(self, request: Request, public_id: str) -> Response:
        """The current state; with `wait`, as soon as the status changes."""
        given = parameters(request, "wait")
        patience = seconds(given["wait"]) if "wait" in given else 0.0
        proposal = _load(self, public_id)
        body = resource(proposal, language=self.language)
        if patience and ("If-None-Match" not in request.headers or unchanged(request, etag(body))):
            wait_while(_Unchanged(proposal, body["status"], self.language), seconds=patience)
            body = resource(_load(self, public_id), language=self.language)
        tag = etag(body)
        answer = Response(status=304) if unchanged(request, tag) else Response(body)
        answer["ETag"] = tag
        return answer


class Revisions(Door):
    """`/proposals/{id}/revisions`."""

    @extend_schema(
        operation_id="revise_proposal",
        summary="Replace the current revision",
        parameters=[_ID, _IF_MATCH, _KEY, _LANGUAGE, _LOCATION, _REPLAYED, header("ETag", "The new revision.", 201)],
        request=SUBMISSION,
        examples=[_SUBMITTED],
        responses=answers(
            {201: _CREATED}, *SUBMITTING, "not_found", "proposal_closed", "stale_revision", "precondition_required"
        ),
    )
    def post(self, request: Request, public_id: str) -> Response:
        """The next revision is the current one, and awaits approval anew."""
        proposal = _load(self, public_id)
        with _noted(self):
            parameters(request)
            expected = revision_expected(request)
            submission, key = submission_of(request.data), idempotency_key(request)
        revised = stopping.revise(
            self.caller,
            proposal_id=proposal.pk,
            if_match=expected,
            arguments=submission.arguments,
            suggestion=submission.suggestion,
            facts=submission.facts,
            tool=submission.tool,
            contract_version=submission.contract_version,
            session=submission.session,
            answers=submission.answers,
            key=key,
            body_fingerprint=fingerprint("revisions", proposal.pk, request.data),
        )
        return _created(self, revised)


class OneRevision(Door):
    """`/proposals/{id}/revisions/{n}`."""

    @extend_schema(
        operation_id="get_revision",
        summary="One revision with its exact content",
        parameters=[
            _ID,
            _LANGUAGE,
            OpenApiParameter("number", {"type": "integer", "minimum": 1}, OpenApiParameter.PATH),
        ],
        responses=answers(
            {200: granted("Revision", "The revision.", 200, revision=examples.REVISION)},
            "not_found",
        ),
    )
    def get(self, request: Request, public_id: str, number: str) -> Response:
        """An older revision is superseded, and stays readable."""
        parameters(request)
        proposal = _load(self, public_id)
        revision = _revision(proposal, number)
        return Response(old_revision(proposal, revision, language=self.language))


class Withdrawal(Door):
    """`/proposals/{id}/withdrawal`."""

    @extend_schema(
        operation_id="withdraw_proposal",
        summary="Take a proposal back",
        parameters=[_ID, _LANGUAGE],
        request=None,
        responses=answers(
            {200: granted("Proposal", "Nothing is sent.", 200, withdrawn=examples.WITHDRAWN)},
            *BODY,
            "not_found",
            "proposal_closed",
        ),
    )
    def post(self, request: Request, public_id: str) -> Response:
        """It is withdrawn, if nothing was handed over; once it has ended, it is closed."""
        parameters(request)
        if request.data not in ({}, None):
            raise malformed("A withdrawal has no body.")
        proposal = _load(self, public_id)
        stopping.withdraw(self.caller, proposal_id=proposal.pk)
        return Response(resource(_load(self, public_id), language=self.language))


class _Unchanged:
    """Whether a proposal still has the status that was read.

    One small query at each look; the status itself, which also changes by the clock alone, at most every 2 s.
    """

    def __init__(self, proposal: Proposal, status: str, language: str) -> None:
        self._proposal, self._status, self._language = proposal, status, language
        self._mark: object = None
        self._stale_at = 0.0

    def __call__(self) -> bool:
        mark = self._mark_now()
        if mark == self._mark and time.monotonic() < self._stale_at:
            return True
        self._mark, self._stale_at = mark, time.monotonic() + 2.0
        self._proposal.refresh_from_db()
        return str(standing(self._proposal, language=self._language).status) == self._status

    def _mark_now(self) -> object:
        moments = ("changed_at", "current_revision", "revisions__intent__changed_at", "revisions__intent__state")
        return list(Proposal.objects.filter(pk=self._proposal.pk).order_by("revisions__pk").values_list(*moments))


@contextmanager
def _noted(door: Door) -> Iterator[None]:
    """What cannot be read as a submission is told to the journal before it is refused."""
    try:
        yield
    except Refusal as refusal:
        receiving.note(door.caller, refusal)
        raise


def _load(door: Door, public_id: str) -> Proposal:
    try:
        return queries.load(door.caller, public_id)
    except queries.NotFound as error:
        raise not_found() from error


def _revision(proposal: Proposal, number: str) -> Revision:
    found = number.isascii() and number.isdigit() and len(number) <= 9
    rows = proposal.revisions.select_related("contract")
    revision = rows.filter(number=int(number)).first() if found else None
    if revision is None:
        raise not_found()
    return revision


def _created(door: Door, received: receiving.Received) -> Response:
    """201 with the resource; a replay says so, and shows the resource as it stands now."""
    proposal, revision = received.proposal, received.revision
    assert proposal is not None
    assert revision is not None
    body = (
        resource(proposal, language=door.language)
        if received.replayed
        else resource_as_written(revision, language=door.language)
    )
    answer = Response(body, status=201)
    answer["Location"] = f"/api/v1/proposals/{proposal.public_id}"
    answer["ETag"] = etag(body)
    if received.replayed:
        answer["Idempotent-Replayed"] = "true"
    return answer
