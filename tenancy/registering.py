"""Agents become known by a name; what one may do is told by its tokens alone."""

from django.db import IntegrityError, transaction

from journal.clock import now as database_now
from journal.kinds import Kind
from journal.recording import Actor, record
from tenancy.models import Agent, Organization, User


class NameTaken(ValueError):
    """An agent of this name is known in the organization already, perhaps disabled."""


def add_agent(*, actor: User, organization: Organization, name: str) -> Agent:
    """The agent is known from now on, without any right. The caller has checked the actor's role.

    Raises:
        NameTaken.
    """
    try:
        with transaction.atomic(durable=True):
            agent = Agent.objects.create(organization=organization, name=name)
            record(
                kind=Kind.AGENT_ADDED,
                actor=Actor.person(actor),
                organization=organization.pk,
                now=database_now(),
                subjects={"agent": name},
            )
    except IntegrityError as taken:  # the only thing that can be taken is the name
        raise NameTaken(NameTaken.__doc__) from taken
    return agent
