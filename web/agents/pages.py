"""The page of agents: a person makes and revokes their own tokens; operators add agents, revoke and disable."""

from datetime import timedelta
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from journal.clock import now as database_now
from tenancy import registering, tokens
from tenancy.models import Agent, AgentToken, User
from web.agents import queries
from web.agents.forms import DAYS, AgentForm, AgentNumberForm, TokenForm, TokenNumberForm
from web.doors import act, page, person, see_other


@page
def agents(request: HttpRequest) -> HttpResponse:
    """The person's own tokens, what they may still give, and for operators every agent with its tokens."""
    return _shown(request)


@act
def mint(request: HttpRequest) -> HttpResponse:
    """Make a token that acts for the person; its secret is shown in this answer, and never again."""
    giver, now = person(request), database_now()
    organization = queries.organizations_of(giver).filter(slug=request.POST.get("organization", "-")[:50]).first()
    if organization is None:
        raise Http404
    gift = queries.gift(giver, organization, now=now)
    form = TokenForm(request.POST, gift=gift)
    if not form.is_valid():
        return _shown(request, form=form, status=422)
    data = form.cleaned_data
    token, secret = tokens.mint(
        actor=giver,
        agent=next(agent for agent in gift.agents if agent.name == data["agent"]),
        on_behalf_of=giver,
        scopes=[scope for scope in gift.scopes if scope.code in data["scopes"]],
        expires_at=now + timedelta(days=data["days"]),
        tools=data["tools"] if data["reach"] == "listed" else None,
    )
    return _shown(request, made=token, secret=secret, status=201)


@act
def revoke(request: HttpRequest) -> HttpResponse:
    """A token opens nothing from now on: one's own, or as an operator any of the organization."""
    form, actor = TokenNumberForm(request.POST), person(request)
    token = AgentToken.objects.filter(pk=form.cleaned_data["token"]).first() if form.is_valid() else None
    if token is None or not _may_revoke(actor, token):
        raise Http404
    tokens.revoke(actor=actor, token=token)
    return see_other("/agents/")


@act
def add(request: HttpRequest) -> HttpResponse:
    """An agent is known by a name from now on; it can do nothing before somebody makes it a token."""
    form = AgentForm(request.POST)
    if not form.is_valid():
        return _shown(request, agent_form=form, status=422)
    operator = person(request)
    organization = queries.operated_by(operator).filter(slug=form.cleaned_data["organization"]).first()
    if organization is None:
        raise Http404
    try:
        registering.add_agent(actor=operator, organization=organization, name=form.cleaned_data["name"])
    except registering.NameTaken:
        form.add_error("name", _("An agent of this name is known already."))
        return _shown(request, agent_form=form, status=422)
    return see_other("/agents/")


@act
def disable(request: HttpRequest) -> HttpResponse:
    """An agent, with all its tokens, opens nothing from now on."""
    form, operator = AgentNumberForm(request.POST), person(request)
    wanted = form.cleaned_data["agent"] if form.is_valid() else 0
    agent = Agent.objects.filter(pk=wanted, organization__in=queries.operated_by(operator)).first()
    if agent is None:
        raise Http404
    tokens.disable(actor=operator, agent=agent)
    return see_other("/agents/")


def _may_revoke(actor: User, token: AgentToken) -> bool:
    if token.on_behalf_of_id == actor.pk:
        return True
    return queries.operated_by(actor).filter(pk=token.agent.organization_id).exists()


def _shown(
    request: HttpRequest,
    *,
    form: forms.Form | None = None,
    agent_form: forms.Form | None = None,
    made: AgentToken | None = None,
    secret: str = "",
    status: int = 200,
) -> HttpResponse:
    reader, now = person(request), database_now()
    organizations = list(queries.organizations_of(reader))
    if not organizations:
        raise Http404
    live, ended = queries.tokens_of(reader, now=now)
    context: dict[str, Any] = {
        "room": "agents",
        "now": now,
        "gifts": [queries.gift(reader, organization, now=now) for organization in organizations],
        "live": live,
        "ended": ended,
        "operated": [(one, queries.agents_in(one, now=now)) for one in queries.operated_by(reader)],
        "form": form,
        "agent_form": agent_form,
        "days": DAYS,
        "made": made,
        "secret": secret,
    }
    return render(request, "agents/agents.html", context, status=status)
