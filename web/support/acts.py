"""The desk's acts. Each is a POST that names the version of the case that was seen, and makes one call."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from intents import lifting, reconciling, verifying
from intents.caseload import SENTENCES
from intents.queries import CaseView
from journal.recording import Actor
from tenancy.models import User
from web.doors import act, person, see_other
from web.support.forms import ClosingForm, ConclusionForm, EvidenceForm, LiftForm, OwnershipForm, VersionForm
from web.support.pages import case_of, case_page

# Where on the form a sentence of the house belongs; one that is about the case as a whole stands above it.
_FIELD = {
    "why_missing": "why",
    "not_a_colleague": "to",
    "unknown_reason": "reason",
    "unknown_finding": "finding",
    "words_missing": "words",
    "words_too_long": "words",
    "link_not_web": "link",
    "choose_then": "then",
}


@act
def ownership(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take the case, take it over with a reason, or hand it over to a colleague."""
    view, form = case_of(request, public_id), OwnershipForm(request.POST)

    def own() -> None:
        data, about = form.cleaned_data, _about(request, view, form)
        if not data["to"]:
            reconciling.take(why=data["why"], **about)
            return
        colleague = User.objects.filter(username=data["to"]).first()
        if colleague is None:  # unknown and without the role are the same answer
            raise reconciling.NotAllowed("not_a_colleague")
        reconciling.hand_to(to=colleague, why=data["why"], **about)

    return _calmly(request, public_id, form, own, name="ownership_form")


@act
def probes(request: HttpRequest, public_id: str) -> HttpResponse:
    """Search the business system by our reference, now."""
    view, reader = case_of(request, public_id), person(request)
    if view.acts.probe:
        return case_page(request, public_id, status=409, problem=_probe_problem(view))
    try:
        verifying.probe(view.intent.pk, actor=Actor.person(reader), by_person=reader)
    except (verifying.NotNow, verifying.NothingToLookUp, verifying.NotSearchable) as refused:
        return case_page(request, public_id, status=409, problem=_not_probed(refused))
    return see_other(f"/reconciliation/{public_id}/")


def _probe_problem(view: CaseView) -> str:
    return str(SENTENCES.get(view.acts.probe, _("There is nothing to look up.")))


def _not_probed(refused: Exception) -> str:
    if isinstance(refused, verifying.NotNow):
        return _("The business system was searched a moment ago. Wait two seconds.")
    if isinstance(refused, verifying.NotSearchable):
        return _("This business system cannot be searched by our reference: a person has to look.")
    return _("There is nothing to look up.")


@act
def evidence(request: HttpRequest, public_id: str) -> HttpResponse:
    """Record what was seen, without concluding."""
    view = case_of(request, public_id)
    form = EvidenceForm(request.POST, contract=view.contract)

    def keep() -> None:
        data = form.cleaned_data
        reconciling.record_evidence(
            fields=form.seen, words=data["words"], link=data["link"], **_about(request, view, form)
        )

    return _calmly(request, public_id, form, keep, name="evidence_form")


@act
def conclusions(request: HttpRequest, public_id: str) -> HttpResponse:
    """Conclude: happened, did not happen, still unknown."""
    view = case_of(request, public_id)
    return _conclude(request, public_id, view, ConclusionForm(request.POST, contract=view.contract))


@act
def attempts(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ask for a new attempt: a conclusion that it did not happen, and what is to follow, in one act."""
    view = case_of(request, public_id)
    data = request.POST.copy()
    data["finding"], data["then"] = "did_not_happen", "new_attempt"
    return _conclude(request, public_id, view, ConclusionForm(data, contract=view.contract))


def _conclude(request: HttpRequest, public_id: str, view: CaseView, form: ConclusionForm) -> HttpResponse:
    def conclude() -> None:
        data = form.cleaned_data
        reconciling.conclude(
            finding=data["finding"],
            then=data["then"],
            reason=data["reason"],
            words=data["words"],
            fields=form.seen,
            link=data["link"],
            differs=data["differs"],
            **_about(request, view, form),
        )

    return _calmly(request, public_id, form, conclude, name="conclusion_form")


@act
def seconds(request: HttpRequest, public_id: str) -> HttpResponse:
    """Agree with a colleague's conclusion, where the contract asks for two."""
    view, form = case_of(request, public_id), VersionForm(request.POST)

    def second() -> None:
        reconciling.second(**_about(request, view, form))

    return _calmly(request, public_id, form, second, name="second_form")


@act
def closings(request: HttpRequest, public_id: str) -> HttpResponse:
    """End the case of a differing effect: compensated, or accepted as it is."""
    view, form = case_of(request, public_id), ClosingForm(request.POST)

    def close() -> None:
        data = form.cleaned_data
        reconciling.close_divergence(
            how=data["how"], words=data["words"], link=data["link"], **_about(request, view, form)
        )

    return _calmly(request, public_id, form, close, name="closing_form")


@act
def lifts(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ask to let the object go although its outcome is unknown; or agree with whoever asked."""
    view, form = case_of(request, public_id), LiftForm(request.POST)

    def lift() -> None:
        if request.POST.get("agree") == "yes":
            lifting.lift(**_about(request, view, form))
        else:
            lifting.ask_to_lift(why=form.cleaned_data["why"], **_about(request, view, form))

    return _calmly(request, public_id, form, lift, name="lift_form")


def _about(request: HttpRequest, view: CaseView, form: forms.Form) -> dict[str, Any]:
    return {"person": person(request), "intent_id": view.intent.pk, "version": form.cleaned_data["version"]}


def _calmly(
    request: HttpRequest, public_id: str, form: forms.Form, call: Callable[[], None], *, name: str
) -> HttpResponse:
    """Make the call; what stood against it is shown beside what was typed, and nothing typed is lost."""
    if not form.is_valid():
        return case_page(request, public_id, status=422, wrong=form, wrong_prefix=_prefix(name), **{name: form})
    try:
        call()
    except reconciling.Outdated:
        problem = _("Somebody changed this case since you opened it. Read it again; what you typed is still here.")
        return case_page(request, public_id, status=409, problem=problem, **{name: form})
    except reconciling.Overtaken:
        return render(request, "support/overtaken.html", {"room": "support", "public_id": public_id}, status=409)
    except reconciling.NotAllowed as refused:
        return _refused(request, public_id, form, refused, name=name)
    return see_other(f"/reconciliation/{public_id}/")


def _refused(
    request: HttpRequest, public_id: str, form: forms.Form, refused: reconciling.NotAllowed, *, name: str
) -> HttpResponse:
    field = _FIELD.get(refused.code)
    at_fields = [f"field_{one}" for one in refused.fields if f"field_{one}" in form.fields]
    for one in at_fields or ([field] if field and field in form.fields else []):
        form.add_error(one, str(refused.sentence))
    if form.errors:
        return case_page(request, public_id, status=422, wrong=form, wrong_prefix=_prefix(name), **{name: form})
    status = 403 if refused.code in {"not_responsible", "own_request"} else 409
    return case_page(request, public_id, status=status, problem=refused.sentence, **{name: form})


def _prefix(name: str) -> str:
    return {
        "evidence_form": "evidence-",
        "ownership_form": "take-",
        "closing_form": "closing-",
        "lift_form": "lift-",
    }.get(name, "")
