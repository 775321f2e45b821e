"""What an operator does about what holds hand-overs back: a silent business system, and a restore."""

from contextlib import suppress

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from intents import circuit, comparing, pausing
from web.doors import act, person, see_other
from web.operations import queries
from web.operations.pages import organization_of, shown


class ReasonForm(forms.Form):
    """Of which organization (and system), and why."""

    organization = forms.SlugField()
    subject = forms.CharField(max_length=16)
    name = forms.CharField(required=False, max_length=64)
    reason = forms.CharField(
        max_length=2000,
        strip=True,
        error_messages={"required": _("Say why hand-over goes on: it is kept in the journal.")},
    )


class WhichForm(forms.Form):
    """Of which organization."""

    organization = forms.SlugField()


@act
def close_circuit(request: HttpRequest) -> HttpResponse:
    """Let everything that waits for a silent business system go on."""
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return shown(request, form=form, status=422)
    data, operator = form.cleaned_data, person(request)
    organization = organization_of(operator, data["organization"])
    with suppress(circuit.NotOpen):  # it has answered meanwhile: the page shows that nothing waits
        circuit.close(person=operator, organization=organization.pk, system=data["name"], reason=data["reason"])
    return see_other("/operations/")


@act
def compare(request: HttpRequest) -> HttpResponse:
    """Search the business systems for what this ledger may have forgotten; go on where the last search stopped."""
    form = WhichForm(request.POST)
    if not form.is_valid():
        raise Http404
    operator = person(request)
    pause = queries.pause(organization_of(operator, form.cleaned_data["organization"]))
    if pause is not None:
        comparing.compare_with_targets(person=operator, pause=pause)
    return see_other("/operations/")


@act
def resume(request: HttpRequest) -> HttpResponse:
    """Hand-over of an organization goes on after a restore."""
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return shown(request, form=form, status=422)
    data, operator = form.cleaned_data, person(request)
    organization = organization_of(operator, data["organization"])
    with suppress(pausing.NotPaused, pausing.NotCompared):  # the page shows what stands
        pausing.lift(person=operator, organization=organization.pk, reason=data["reason"])
    return see_other("/operations/")
