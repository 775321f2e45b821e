"""What owners do on the page of a contract version: rehearse it, record a drill, declare a capacity, make it active."""

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from intents import drilling
from intents.caseload import MAX_WORDS
from intents.drills import Drill
from proposals.contracts import contract_of
from proposals.models import ContractVersion
from proposals.nudging import nudge
from proposals.publishing import OWNER, CannotActivate, NotAnOwner
from rehearsals import clearing
from rehearsals.models import Rehearsal
from rehearsals.running import AlreadyRunning, CannotRehearse, ask
from tenancy.access import roles_of
from tenancy.models import User
from web.doors import act, person, plain, see_other
from web.owners.pages import shown
from web.owners.queries import version_of


class TargetForm(forms.Form):
    """On what a rehearsal makes its orders."""

    organization = forms.SlugField()
    targets = forms.CharField(max_length=4000, required=False)


class ActivationForm(forms.Form):
    """Why a version is active in spite of what is missing."""

    organization = forms.SlugField()
    waiver = forms.CharField(max_length=500, required=False, strip=True)


class CapacityForm(forms.Form):
    """How much a role can carry."""

    organization = forms.SlugField()
    per_day = forms.IntegerField(
        min_value=1,
        max_value=clearing.MOST,
        error_messages=dict.fromkeys(
            ["required", "invalid", "min_value", "max_value"], _("Give a whole number of outcomes a day, at least 1.")
        ),
    )


class DrillForm(forms.Form):
    """What was practised, by whom."""

    organization = forms.SlugField()
    kind = forms.ChoiceField(choices=Drill.Kind.choices, error_messages={"required": _("Choose what was practised.")})
    intent = forms.RegexField(
        r"^\s*(I-)?[0-9]{1,18}\s*$",
        required=False,
        error_messages={
            "invalid": _("Name an unknown outcome of this tool that a person took to its end, such as I-42.")
        },
    )
    people = forms.CharField(max_length=1000, required=False)
    practised = forms.CharField(max_length=MAX_WORDS + 1, required=False, strip=True)


_FIELDS = {"unknown_kind": "kind", "no_such_unknown": "intent", "recorded_before": "intent", "others_did_it": "people"}
_FIELDS |= {
    "people_missing": "people",
    "not_there": "people",
    "words_missing": "practised",
    "words_too_long": "practised",
}


@act
def rehearse(request: HttpRequest, name: str, version: str) -> HttpResponse:
    """A rehearsal is asked for; a worker runs it."""
    form = TargetForm(request.POST)
    row = _owned(request, name, version)
    targets = form.data.get("targets", "").split()[:100] if form.is_valid() else []
    try:
        asked = ask(version=row, against=contract_of(row).execution.system, targets=targets, by=person(request))
    except AlreadyRunning:
        running = Rehearsal.objects.filter(contract=row, ended_at__isnull=True).first()
        return see_other(f"/rehearsals/{running.public_id}/" if running else f"/contracts/{name}/{version}/")
    except CannotRehearse as error:
        form.add_error("targets", str(error))
        return _refused(request, row, form)
    nudge("rehearsals.tasks.rehearse", asked.pk)
    return see_other(f"/rehearsals/{asked.public_id}/")


@act
def activate(request: HttpRequest, name: str, version: str) -> HttpResponse:
    """The version becomes the active one, or what is missing is said beside the form."""
    form = ActivationForm(request.POST)
    row = _owned(request, name, version)
    waiver = form.cleaned_data["waiver"] if form.is_valid() else ""
    if not form.is_valid():
        return _refused(request, row, form)
    try:
        clearing.activate(
            organization=row.organization, name=row.name, version=row.version, by=person(request), waiver=waiver
        )
    except clearing.NotCleared:
        form.add_error("waiver", _("Something is missing: see to it, or say why it may be active all the same."))
    except CannotActivate:
        form.add_error(
            "waiver", _("Somebody other than the publisher makes a version active, and a retired one stays so.")
        )
    except NotAnOwner as error:
        raise Http404 from error
    else:
        return see_other(f"/contracts/{row.name}/{row.version}/?organization={row.organization.slug}")
    return _refused(request, row, form)


@act
def declare(request: HttpRequest, name: str, version: str) -> HttpResponse:
    """How many unknown outcomes a day the role that establishes them can take."""
    form = CapacityForm(request.POST)
    row = _owned(request, name, version)
    if not form.is_valid():
        return _refused(request, row, form)
    clearing.declare_capacity(
        organization=row.organization,
        role=contract_of(row).reconciliation.escalate_to,
        per_day=form.cleaned_data["per_day"],
        by=person(request),
    )
    return see_other(f"/contracts/{row.name}/{row.version}/?organization={row.organization.slug}#release")


@act
def drill(request: HttpRequest, name: str, version: str) -> HttpResponse:
    """A drill that was done is recorded; the ledger and the journal must show it."""
    form = DrillForm(request.POST)
    row = version_of(person(request), plain(name), plain(version), plain(request.POST.get("organization", "")))
    if row is None or not drilling.may_record(person(request), row.organization):
        raise Http404
    if not form.is_valid():
        return _refused(request, row, form)
    data = form.cleaned_data
    named = data["people"].replace(",", " ").split()
    found = list(User.objects.filter(username__in=named, is_active=True))
    try:
        if len(found) != len(set(named)):
            raise drilling.NotRecorded("not_there")
        drilling.record_drill(
            person=person(request),
            organization=row.organization,
            tool=row.name,
            kind=data["kind"],
            people=found,
            words=data["practised"],
            intent_id=int(data["intent"].strip().removeprefix("I-")) if data["intent"] else None,
        )
    except drilling.NotRecorded as error:
        form.add_error(_FIELDS.get(error.code, "kind"), str(error.sentence))
        return _refused(request, row, form)
    return see_other(f"/contracts/{row.name}/{row.version}/?organization={row.organization.slug}#release")


def _refused(request: HttpRequest, row: ContractVersion, form: forms.Form) -> HttpResponse:
    """The page of the contract once more, with what was typed and what is wrong with it."""
    return shown(request, row, form=form, status=422)


def _owned(request: HttpRequest, name: str, version: str) -> ContractVersion:
    """The version, for somebody who owns contracts there; Http404 alike where there is none."""
    row = version_of(person(request), plain(name), plain(version), plain(request.POST.get("organization", "")))
    if row is None or OWNER not in roles_of(person(request), organization=row.organization):
        raise Http404
    return row
