"""What the server checked, then and now: what can be asked again without leaving the house is asked again."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from approvals.cases import Case
from approvals.fencing import holder
from proposals.contracts import in_language
from proposals.models import ContractVersion
from tenancy.access import entitling_role
from tenancy.admissions import stopped
from web.formatting import roles

AT_SIGNING: Promise = gettext_lazy("read again when you sign")


@dataclass(frozen=True)
class Check:
    """One line: what is checked, its value at submission, its value now, and the verdict (holds, fails, waits …)."""

    words: str
    then: str
    now: str | Promise
    verdict: str


def ledger(case: Case, *, now: datetime) -> list[Check]:
    """The checks of the server's policy about this case, without asking the business system."""
    return [
        _requester(case),
        _contract(case),
        _agent(case),
        _admissions(case, now=now),
        *_target(case),
        *_rules(case),
        *_fence(case),
    ]


def _requester(case: Case) -> Check:
    proposal, policy = case.proposal, case.contract.policy
    role = entitling_role(
        proposal.requester, organization=proposal.organization, scope=proposal.scope, roles=policy.requester_roles
    )
    label = _("%(person)s may ask for this in %(scope)s") % {
        "person": proposal.requester.shown_name,
        "scope": proposal.scope.name,
    }
    return Check(
        label, _("held"), roles.words(role) if role else _("no role that may ask"), "holds" if role else "fails"
    )


def _contract(case: Case) -> Check:
    state = ContractVersion.objects.values_list("state", flat=True).get(pk=case.revision.contract_id)
    active = state == ContractVersion.State.ACTIVE
    return Check(
        _("The contract version is active"),
        _("active"),
        _("active") if active else _("not active any more"),
        "holds" if active else "fails",
    )


def _agent(case: Case) -> Check:
    revoked = bool(case.proposal.token.revoked_at or case.proposal.agent.disabled_at)
    return Check(
        _("The agent may act for this person"),
        _("token valid"),
        _("revoked or disabled") if revoked else _("not revoked"),
        "fails" if revoked else "holds",
    )


def _admissions(case: Case, *, now: datetime) -> Check:
    stop = stopped(
        organization=case.proposal.organization,
        tool=case.contract.name,
        system=case.contract.execution.system,
        now=now,
    )
    now_words = _("stopped: %(reason)s") % {"reason": stop.reason} if stop else _("open")
    return Check(_("Admissions are open"), _("open"), now_words, "waits" if stop else "holds")


def _target(case: Case) -> list[Check]:
    seen = case.revision.observation
    if not seen:
        return []
    version = case.revision.target_version or ""
    return [
        Check(_("State of the target"), str(seen.get("state", "")), AT_SIGNING, "holds_then"),
        Check(_("Version of the target"), version.strip('"'), AT_SIGNING, "holds_then"),
    ]


def _rules(case: Case) -> list[Check]:
    language = get_language() or "en"
    return [
        Check(in_language(rule.sentence, language), _("held"), AT_SIGNING, "holds_then") for rule in case.contract.rules
    ]


def _fence(case: Case) -> list[Check]:
    target = case.revision.target
    if target is None or case.contract.effect == "none":
        return []
    held_by = holder(
        organization=case.proposal.organization,
        system=case.contract.execution.system,
        target=target,
        apart_from=case.revision.pk,
        tool=case.contract.name,
        arguments=case.arguments,
    )
    now = _("%(intent)s is not established") % {"intent": held_by} if held_by else _("none")
    label = _("No outcome in doubt on %(target)s") % {"target": target}
    return [Check(label, "–", now, "waits" if held_by else "holds")]
