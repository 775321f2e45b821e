"""Why something was refused, in a few words: at the agents' door, at a signature, or in the policy."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from web.formatting.faults import fault_words

WORDS: dict[str, Promise] = {
    "unauthenticated": _("no valid token"),
    "not_permitted": _("the right was missing"),
    "not_found": _("nothing of the kind for this caller"),
    "unknown_tool": _("no tool of this name"),
    "target_not_available": _("the target is missing or out of scope"),
    "method_not_allowed": _("the address does not take this"),
    "invalid_arguments": _("the arguments do not fit the contract"),
    "rule_violated": _("a rule of the contract does not hold"),
    "idempotency_key_reused": _("its key was used before for something else"),
    "contract_version_not_active": _("the contract version is not active"),
    "target_changed": _("the target has changed since it was read"),
    "already_refused": _("the same was refused before, and nothing says what changed"),
    "object_fenced": _("another outcome on the same object is not established yet"),
    "proposal_closed": _("the proposal was closed already"),
    "loop_detected": _("the agent turns in circles"),
    "stale_revision": _("it was about an older revision"),
    "precondition_required": _("it did not say which revision it changes"),
    "malformed_request": _("it could not be read"),
    "unsupported_media_type": _("it was not sent as JSON"),
    "too_large": _("it was too large"),
    "budget_exceeded": _("the agent has asked too often"),
    "admissions_stopped": _("admissions are stopped"),
    "target_unreachable": _("the business system does not show the target at the moment"),
    "busy": _("the server was busy"),
    "server_error": _("a fault of this server"),
    "not_an_approver": _("no role that may decide this there"),
    "presence_needed": _("no fresh proof that it is that person"),
    "own_request": _("asked on behalf of the same person"),
    "excluded": _("that person concluded that the first attempt did not happen"),
    "expired": _("the time for it has passed"),
    "system_changed": _("the connection to the business system was changed"),
    "token_revoked": _("the agent’s token was revoked"),
    "agent_disabled": _("the agent was disabled"),
    "approver_not_entitled": _("somebody who signed may not sign it any more"),
    "approval_lapsed": _("the approval has lapsed"),
}


def refusal_words(code: str) -> str:
    """The words for a code; those of a fault, or the code itself, where there are none."""
    return str(WORDS[code]) if code in WORDS else fault_words(code)
