"""Who is told of statuses: the operators' page of webhooks, and the log of what each of them heard."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django import forms
from django.db.models import Count, Max, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from intents import notifying, subscribing
from intents.models import Notice, Telling, Webhook
from journal.clock import now as database_now
from systems.addresses import UnsafeAddress
from tenancy.models import Agent, Organization, User
from web.doors import act, page, person, see_other
from web.operations.queries import organizations_of

PAGE = 50


class WebhookForm(forms.Form):
    """Which agent's proposals, and where they are told."""

    organization = forms.SlugField()
    agent = forms.CharField(max_length=100)
    url = forms.CharField(max_length=500, strip=True, error_messages={"required": _("Give the address to be told.")})


@dataclass(frozen=True)
class Line:
    """One notice for reading, with its last try."""

    notice: Notice
    last: Telling | None
    tries: int


@page
def webhooks(request: HttpRequest) -> HttpResponse:
    """Every webhook of the person's organizations, and a form to add one."""
    return _shown(request)


@act
def add(request: HttpRequest) -> HttpResponse:
    """Add a webhook; its secret is shown in this answer, and never again."""
    form = WebhookForm(request.POST)
    if not form.is_valid():
        return _shown(request, form=form, status=422)
    data, operator = form.cleaned_data, person(request)
    agent = Agent.objects.filter(
        organization__in=organizations_of(operator), organization__slug=data["organization"], name=data["agent"]
    ).first()
    if agent is None:
        raise Http404
    try:
        webhook, secret = subscribing.add(actor=operator, agent=agent, url=data["url"])
    except UnsafeAddress:
        form.add_error("url", _("Nobody is told at this address: the operator of the server has not allowed it."))
    except subscribing.AlreadyTold:
        form.add_error("url", _("This address is told of this agent’s proposals already."))
    else:
        return _shown(request, added=webhook, secret=secret, status=201)
    return _shown(request, form=form, status=422)


@act
def end(request: HttpRequest, number: str) -> HttpResponse:
    """The address is told of nothing more."""
    subscribing.end(actor=person(request), webhook=_of(person(request), number))
    return see_other("/operations/webhooks/")


@page
def log(request: HttpRequest, number: str) -> HttpResponse:
    """What one webhook was told, the newest first, and what came of it."""
    webhook = _of(person(request), number)
    before = request.GET.get("before", "")
    rows = Notice.objects.filter(webhook=webhook).select_related("proposal").order_by("-pk")
    if before.isascii() and before.isdigit() and len(before) < 19:
        rows = rows.filter(pk__lt=int(before))
    found = list(rows.annotate(tries_made=Count("tellings"))[: PAGE + 1])
    context = {
        "room": "operations",
        "now": database_now(),
        "webhook": webhook,
        "lines": _lines(found[:PAGE]),
        "next_before": found[PAGE - 1].pk if len(found) > PAGE else None,
    }
    return render(request, "operations/webhook.html", context)


@act
def replay(request: HttpRequest, number: str, notice: str) -> HttpResponse:
    """Tell one notice once more, at once; the page shows what came of it."""
    webhook = _of(person(request), number)
    row = Notice.objects.filter(webhook=webhook, pk=_pk(notice)).select_related("webhook", "proposal").first()
    if row is None:
        raise Http404
    notifying.replay(person=person(request), notice=row)
    return see_other(f"/operations/webhooks/{webhook.pk}/")


def _lines(notices: Sequence[Notice]) -> list[Line]:
    last = Telling.objects.filter(notice__in=notices).order_by("notice", "-pk").distinct("notice")
    by_notice = {telling.notice_id: telling for telling in last.select_related("person")}
    return [Line(one, by_notice.get(one.pk), getattr(one, "tries_made", 0)) for one in notices]


def _of(operator: User, number: str) -> Webhook:
    rows = Webhook.objects.filter(agent__organization__in=organizations_of(operator))
    webhook = rows.filter(pk=_pk(number)).select_related("agent__organization", "ended_by", "added_by").first()
    if webhook is None:
        raise Http404
    return webhook


def _pk(number: str) -> int:
    return int(number) if number.isascii() and number.isdigit() and len(number) < 19 else 0


def _of_organization(organization: Organization) -> QuerySet[Webhook]:
    waiting = Count("notices", filter=Q(notices__state=Notice.State.WAITING))
    given_up = Count("notices", filter=Q(notices__state=Notice.State.GIVEN_UP))
    rows = Webhook.objects.filter(agent__organization=organization).select_related("agent")
    told = rows.annotate(waiting=waiting, given_up=given_up, heard_at=Max("notices__delivered_at"))
    return told.order_by("ended_at", "agent__name", "pk")


def _shown(
    request: HttpRequest,
    *,
    form: forms.Form | None = None,
    added: Webhook | None = None,
    secret: str = "",
    status: int = 200,
) -> HttpResponse:
    organizations = list(organizations_of(person(request)))
    if not organizations:
        raise Http404
    now: datetime = database_now()
    context = {
        "room": "operations",
        "now": now,
        "form": form,
        "added": added,
        "secret": secret,
        "organizations": [
            {
                "row": organization,
                "webhooks": list(_of_organization(organization)),
                "agents": Agent.objects.filter(organization=organization, disabled_at__isnull=True).order_by("name"),
            }
            for organization in organizations
        ],
    }
    return render(request, "operations/webhooks.html", context, status=status)
