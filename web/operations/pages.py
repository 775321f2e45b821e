"""The operators' page, and the switch it holds."""

from datetime import datetime
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from journal.clock import now as database_now
from systems.adapters.registry import systems
from tenancy import admissions
from tenancy.models import Organization, User
from web.doors import act, page, person, see_other
from web.formatting.times import zone
from web.operations import queries


class SwitchForm(forms.Form):
    """Which switch, which way, and why."""

    organization = forms.SlugField()
    subject = forms.ChoiceField(choices=[("organization", ""), ("tool", ""), ("system", "")])
    name = forms.CharField(required=False, max_length=64)
    move = forms.ChoiceField(choices=[("stop", ""), ("resume", "")])
    reason = forms.CharField(required=False, max_length=2000, strip=True)
    until = forms.DateTimeField(required=False, error_messages={"invalid": _("Give a day and a time.")})

    def clean_until(self) -> datetime | None:
        """The instant, read on the reader's wall; one that has passed would stop nothing."""
        given: datetime | None = self.cleaned_data["until"]
        until = given.replace(tzinfo=zone()) if given else None
        if until and until <= database_now():
            raise forms.ValidationError(_("This time has passed: it would stop nothing."))
        return until

    def clean(self) -> dict[str, Any]:
        """A stop needs a reason."""
        data: dict[str, Any] = super().clean() or {}
        if data.get("move") == "stop" and not data.get("reason"):
            self.add_error("reason", _("Say why admissions are stopped: it is shown wherever something waits."))
        return data


@page
def operations(request: HttpRequest) -> HttpResponse:
    """Switches, queues, stuck work, and what the business systems are known to do."""
    return shown(request)


@act
def switch(request: HttpRequest) -> HttpResponse:
    """Stop or resume admissions of an organization, a tool or a business system."""
    form = SwitchForm(request.POST)
    if not form.is_valid():
        return shown(request, form=form, status=422)
    data = form.cleaned_data
    organization = organization_of(person(request), data["organization"])
    about = {"organization": organization, "subject": data["subject"], "name": data["name"]}
    try:
        if data["move"] == "stop":
            admissions.stop(actor=person(request), reason=data["reason"], until=data["until"], **about)
        else:
            admissions.resume(actor=person(request), **about)
    except admissions.UnknownSwitch as unknown:
        raise Http404 from unknown
    except admissions.AlreadySo:
        pass  # somebody was quicker, and it is as both wanted: the page shows who and when
    return see_other("/operations/")


def organization_of(operator: User, slug: str) -> Organization:
    """The organization of that slug, where the person is an operator; else Http404."""
    organization = queries.organizations_of(operator).filter(slug=slug).first()
    if organization is None:
        raise Http404
    return organization


def shown(request: HttpRequest, *, form: forms.Form | None = None, status: int = 200) -> HttpResponse:
    """The page, with what was wrong with a form."""
    organizations = list(queries.organizations_of(person(request)))
    if not organizations:
        raise Http404
    now = database_now()
    context = {
        "room": "operations",
        "now": now,
        "form": form,
        "organizations": [
            {
                "row": organization,
                "switches": queries.switches(organization),
                "piles": queries.piles(organization),
                "stuck": queries.stuck(organization, now=now),
                "circuits": queries.circuits(organization),
                "pause": queries.pause(organization),
            }
            for organization in organizations
        ],
        "queues": queries.queue_lengths(),
        "last_sweep": queries.last_sweep(),
        "systems": systems(),
    }
    return render(request, "operations/operations.html", context, status=status)
