"""The recheck ledger for reading: each line's check, value when approved and value at hand-over, in words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from proposals.contracts import Contract, in_language
from web.formatting import roles, statuses

CHECKS: dict[str, Promise] = {
    "admissions": gettext_lazy("Admissions are open"),
    "contract_active": gettext_lazy("The contract version is active"),
    "contract_digest": gettext_lazy("The contract is the same, byte for byte"),
    "system": gettext_lazy("The business system’s configuration"),
    "system_unchanged": gettext_lazy("The business system’s configuration"),
    "token": gettext_lazy("The agent’s token"),
    "requester_entitled": gettext_lazy("The requester may ask for this"),
    "approval_valid": gettext_lazy("The approval is valid until"),
    "approver_entitled": gettext_lazy("The approver may sign this"),
    "target_in_scope": gettext_lazy("The target is in scope"),
    "target_state": gettext_lazy("State of the target"),
    "rules": gettext_lazy("A rule of the contract"),
    "target_version": gettext_lazy("Version of the target"),
    "object_fence": gettext_lazy("No outcome in doubt on the target"),
}


@dataclass(frozen=True)
class Line:
    """One line of a ledger; `source` is the rule as the contract writes it, empty for every other check."""

    check: str
    approved: Any
    now: Any
    verdict: str
    source: str = ""


def lines(ledger: Iterable[Mapping[str, Any]], contract: Contract) -> list[Line]:
    """The ledger as stored, in the reader's language and with the contract's own sentences."""
    return [_line(row, contract) for row in ledger]


def _line(row: Mapping[str, Any], contract: Contract) -> Line:
    check, approved, now, verdict = (row[name] for name in ("check", "approved", "now", "verdict"))
    words = str(CHECKS.get(check, check))
    if check == "rules":
        held = str(statuses.verdict(verdict))
        return Line(_sentence(str(now), contract) or words, _("held"), held, verdict, source=str(now))
    if check == "requester_entitled":
        return Line(words, _role(approved), _role(now) or _("no role that may ask"), verdict)
    if check == "approver_entitled":
        return Line(words, _person(approved), _person(now), verdict)
    if check == "object_fence":
        return Line(words, _("none"), now or _("none"), verdict)
    return Line(words, approved, now, verdict)


def _sentence(source: str, contract: Contract) -> str:
    """The rule's own words: what must hold."""
    language = (get_language() or "en")[:2]
    return next((in_language(rule.sentence, language) for rule in contract.rules if rule.source == source), "")


def _role(role: Any) -> str:
    return roles.words(str(role)) if role else ""


def _person(told: Any) -> str:
    """`amelie: review_lead` as a person with a role; without one, that none is held."""
    name, _colon, role = str(told).partition(": ")
    return f"{name} · {_role(role) or _('no role that may sign')}"
