"""The sentence a person reads for each code: what did not happen, and what remains possible."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SENTENCES: dict[str, Promise] = {
    "not_an_approver": _("You do not hold a role that may decide this here."),
    "own_request": _("This is asked on your behalf: somebody else must decide it."),
    "presence_needed": _("Because of its consequence, prove first that it is you. Nothing was signed."),
    "already_signed": _("You have signed this."),
    "not_signed": _("You have no signature here that could be taken back."),
    "excluded": _("You concluded that the first attempt did not happen: somebody else must sign the new one."),
    "expired": _("The time for a decision has passed. Nothing was sent."),
    "closed": _("This is not open for a decision any more."),
    "not_open_for_changes": _("A new attempt can be signed or refused, but not changed."),
    "unknown_reason": _("Choose one of the reasons of the contract."),
    "words_missing": _("Please say it in a few words."),
    "words_too_long": _("Please keep it under 4,000 characters."),
    "words_unreadable": _("Your words hold a character that cannot be kept."),
    "claimed": _("Somebody else is looking at this. Say why you take it over."),
    "admissions_stopped": _("Admissions are stopped at the moment. Nothing was signed; try again later."),
    "target_unreachable": _("The business system does not show the target at the moment. Nothing was signed."),
    "contract_version_not_active": _("The contract version is not active any more. Nothing was sent."),
    "system_changed": _("The connection to the business system was changed since this was prepared. Nothing was sent."),
    "token_revoked": _("The agent's token was revoked. Nothing was sent."),
    "agent_disabled": _("The agent was disabled. Nothing was sent."),
    "not_permitted": _("The person this is asked for may not ask for it any more. Nothing was sent."),
    "target_not_available": _("The target is not available in this scope any more. Nothing was sent."),
    "rule_violated": _("The target does not satisfy the rules of the contract any more. Nothing was sent."),
    "target_changed": _("The target has changed since this was prepared. Nothing was sent."),
    "approver_not_entitled": _("Somebody who signed may not sign this any more. Nothing was sent."),
    "approval_lapsed": _("The approval has lapsed. Nothing was sent."),
    "delivery_budget": _("The business system could not be reached within the attempts allowed. Nothing was sent."),
    "object_fenced": _("Another outcome on the target is not established yet."),
}


def sentence(code: str) -> Promise | str:
    """The sentence for a code, in the reader's language; the code itself where there is none."""
    return SENTENCES.get(code, code)
