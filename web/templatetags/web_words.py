"""A contract's and the acts' own words, in the reader's language."""

from typing import Any

from django import template
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from approvals.models import Act
from approvals.wording import sentence
from proposals.arguments import parse
from proposals.contracts import Contract, in_language
from proposals.models import Revision
from web.formatting import reasons, roles, waits

register = template.Library()


def _language() -> str:
    return (get_language() or "en")[:2]


@register.filter
def waiting_words(kind: str) -> str:
    """What an approved order waits for."""
    return waits.words(kind)


@register.filter
def cause_sentence(cause: str) -> str:
    """Why it was not sent, as a sentence."""
    return str(sentence(cause))


@register.simple_tag
def title_of(contract: Contract, revision: Revision) -> str:
    """What the proposal asks, as a sentence."""
    return contract.title_for(_language(), revision.target, parse(revision.arguments))


@register.filter
def role_words(role: str) -> str:
    """A role in words."""
    return roles.words(role)


@register.simple_tag
def title_in_words(contract: Contract) -> str:
    """What the tool does, without a target."""
    return in_language(contract.title, _language())


@register.simple_tag
def consequence_of(contract: Contract) -> str:
    """The consequence as an approver reads it."""
    return contract.consequence_words(_language())


@register.simple_tag
def reason_in_words(code: str) -> str:
    """A typed reason in words."""
    return str(reasons.words(code))


@register.simple_tag
def act_in_words(act: Act) -> str:
    """What kind of act it was."""
    return {
        Act.Kind.REFUSAL: _("refused"),
        Act.Kind.CHANGE_REQUEST: _("asked for changes"),
        Act.Kind.COMMENT: _("commented"),
        Act.Kind.CANCELLATION_REQUEST: _("requested a cancellation"),
    }.get(Act.Kind(act.kind), act.kind)


@register.simple_tag
def decided_in_words(decided: Any) -> str:
    """What had been decided before."""
    words: dict[str, str] = {
        "approved": _("Approved"),
        "refused": _("Refused"),
        "changes requested": _("Changes were requested"),
        "withdrawn": _("Withdrawn"),
        "revoked": _("Revoked"),
    }
    return words.get(decided.what, str(decided.what))
