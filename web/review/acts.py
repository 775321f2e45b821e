"""The approver's acts. Each is a POST that makes one call; what stood against it becomes a calm page."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language

from approvals import deciding
from intents import stopping
from proposals.models import Proposal
from web.doors import act, person, see_other
from web.formatting.reasons import REVOKE
from web.presence import proven_at
from web.review import queries
from web.review.casefile import open_file
from web.review.forms import ClaimForm, ReasonForm, SeenForm, WordsForm
from web.review.pages import case_page, stale_page

# What the person can mend in the form, and what is not theirs to do; the rest is the state of things.
_MENDABLE = frozenset({"unknown_reason", "words_missing", "words_too_long", "claimed"})
_NOT_THEIRS = frozenset({"not_an_approver", "own_request", "excluded"})


@act
def approvals(request: HttpRequest, public_id: str) -> HttpResponse:
    """Sign exactly the revision that was seen; then the receipt."""
    proposal = queries.proposal_of(person(request), public_id)
    seen = SeenForm(request.POST)
    if not seen.is_valid():
        return _unreadable(request, proposal)

    def sign() -> HttpResponse:
        language = (get_language() or "en")[:2]
        signature = deciding.sign(
            person=person(request),
            proposal_id=proposal.pk,
            language=language,
            present_at=proven_at(request),
            **seen.seen,
        )
        return see_other(f"/receipts/{signature.public_id}/")

    return _calmly(request, proposal, sign, seen=seen)


@act
def refusals(request: HttpRequest, public_id: str) -> HttpResponse:
    """Refuse, with a reason of the contract: one refusal closes it."""
    return _with_reason(request, public_id, kind="refuse", call=deciding.refuse)


@act
def change_requests(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ask the agent for another revision, with a reason of the contract."""

    def ask(*, round: int, **decision: Any) -> Any:
        return deciding.request_changes(**decision)

    return _with_reason(request, public_id, kind="change", call=ask)


def _with_reason(request: HttpRequest, public_id: str, *, kind: str, call: Callable[..., Any]) -> HttpResponse:
    proposal = queries.proposal_of(person(request), public_id)
    file = open_file(person(request), proposal)
    form, seen = ReasonForm(request.POST, codes=getattr(file.contract.reasons, kind)), SeenForm(request.POST)
    if not seen.is_valid():
        return _unreadable(request, proposal)
    if seen.seen["digest"] == file.revision.digest and not form.is_valid():
        return case_page(request, file, status=422, **{f"{kind}_form": form})

    def decide() -> HttpResponse:
        form.is_valid()
        reason, words = form.cleaned_data.get("reason", ""), form.cleaned_data.get("words", "")
        call(person=person(request), proposal_id=proposal.pk, reason=reason, words=words, **seen.seen)
        return see_other(f"/proposals/{proposal.public_id}/")

    return _calmly(request, proposal, decide, seen=seen, form={f"{kind}_form": form})


@act
def revocations(request: HttpRequest, public_id: str) -> HttpResponse:
    """Revoke one's signature: before hand-over it stops the order for certain; afterwards it is too late."""
    return _stopping(request, public_id, name="revoke_form", call=stopping.revoke)


@act
def cancellations(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ask for a cancellation after hand-over; what becomes of it is only what is then observed."""
    return _stopping(request, public_id, name="cancel_form", call=stopping.request_cancellation)


def _stopping(request: HttpRequest, public_id: str, *, name: str, call: Callable[..., Any]) -> HttpResponse:
    proposal = queries.proposal_of(person(request), public_id)
    form = ReasonForm(request.POST, codes=REVOKE)
    if not form.is_valid():
        return case_page(request, open_file(person(request), proposal), status=422, **{name: form})

    def stop() -> HttpResponse:
        call(person=person(request), proposal_id=proposal.pk, **form.cleaned_data)
        return see_other(f"/proposals/{proposal.public_id}/")

    return _calmly(request, proposal, stop, form={name: form})


@act
def comments(request: HttpRequest, public_id: str) -> HttpResponse:
    """Leave words on the case."""
    proposal = queries.proposal_of(person(request), public_id)
    form = WordsForm(request.POST)
    if not form.is_valid():
        return case_page(request, open_file(person(request), proposal), status=422, comment_form=form)

    def say() -> HttpResponse:
        deciding.comment(person=person(request), proposal_id=proposal.pk, words=form.cleaned_data["words"])
        return see_other(f"/proposals/{proposal.public_id}/#comments")

    return _calmly(request, proposal, say, form={"comment_form": form})


@act
def claims(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show others who is on it; taking over from a colleague asks why."""
    proposal = queries.proposal_of(person(request), public_id)
    form = ClaimForm(request.POST)
    if not form.is_valid():
        return case_page(request, open_file(person(request), proposal), status=422, claim_form=form)

    def claim() -> HttpResponse:
        deciding.claim(person=person(request), proposal_id=proposal.pk, why=form.cleaned_data["why"])
        return see_other(f"/proposals/{proposal.public_id}/")

    return _calmly(request, proposal, claim, form={"claim_form": form})


def _calmly(
    request: HttpRequest,
    proposal: Proposal,
    decide: Callable[[], HttpResponse],
    *,
    seen: SeenForm | None = None,
    form: dict[str, forms.Form] | None = None,
) -> HttpResponse:
    """Make the call; whatever stands against it becomes a page that says what happened and what remains possible."""
    try:
        return decide()
    except deciding.Stale:
        number = seen.seen["revision"] if seen else proposal.current_revision
        return stale_page(request, public_id=proposal.public_id, seen=number)
    except deciding.AlreadyDecided as decided:
        return _page(request, "review/decided.html", proposal, status=409, decided=decided)
    except stopping.TooLate as late:
        return _page(request, "review/too_late.html", proposal, status=409, late=late)
    except deciding.NotAllowed as refused:
        if refused.code == "presence_needed":  # the check page asks for the proof, and is there again afterwards
            return see_other(f"/proposals/{proposal.public_id}/check/")
        if refused.code in _MENDABLE and form:
            return _mend(request, proposal, form, refused)
        status = 403 if refused.code in _NOT_THEIRS else 409
        return _page(request, "review/not_allowed.html", proposal, status=status, refused=refused)


def _mend(
    request: HttpRequest, proposal: Proposal, form: dict[str, forms.Form], refused: deciding.NotAllowed
) -> HttpResponse:
    ((name, typed),) = form.items()
    field = "why" if refused.code == "claimed" else "reason" if refused.code == "unknown_reason" else "words"
    typed.add_error(field if field in typed.fields else None, str(refused.sentence))
    return case_page(request, open_file(person(request), proposal), status=422, **{name: typed})


def _page(request: HttpRequest, template: str, proposal: Proposal, *, status: int, **more: Any) -> HttpResponse:
    file = open_file(person(request), queries.proposal_of(person(request), proposal.public_id))
    following = queries.next_to_decide(person(request), now=file.now, apart_from=proposal.pk)
    context = {"room": "review", "now": file.now, "file": file, "next": following, **more}
    return render(request, template, context, status=status)


def _unreadable(request: HttpRequest, proposal: Proposal) -> HttpResponse:
    """The form did not say which revision was seen: nothing is decided."""
    return _page(request, "review/unreadable.html", proposal, status=400)
