"""What an agent may say and do at each status, in English and French; never more than the established fact. Pure.

Nothing that comes from a target or a person stands inside these sentences, but identifiers that a contract's own
statement asks for, and those only in a shape that cannot carry a sentence of its own.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from intents.circumstances import PLAIN, Circumstances, in_words


class Status(StrEnum):
    """The one word for the current revision."""

    AWAITING_APPROVAL = "awaiting_approval"
    CHANGES_REQUESTED = "changes_requested"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    REVOKED = "revoked"
    APPROVED = "approved"
    NOT_SENT = "not_sent"
    IN_PROGRESS = "in_progress"
    ACCEPTED_BY_TARGET = "accepted_by_target"
    CONFIRMED = "confirmed"
    ANSWERED = "answered"
    REFUSED_BY_TARGET = "refused_by_target"
    OUTCOME_UNKNOWN = "outcome_unknown"
    NOT_EXECUTED = "not_executed"
    DIVERGED = "diverged"


# The agent may prepare the same matter anew, as a new proposal. Never while an effect may exist.
ANEW = frozenset({Status.EXPIRED, Status.NOT_SENT, Status.REFUSED_BY_TARGET, Status.NOT_EXECUTED})
# Nothing will change by itself any more.
SETTLED = frozenset(
    {
        Status.REJECTED,
        Status.WITHDRAWN,
        Status.SUPERSEDED,
        Status.EXPIRED,
        Status.REVOKED,
        Status.NOT_SENT,
        Status.CONFIRMED,
        Status.ANSWERED,
        Status.REFUSED_BY_TARGET,
        Status.NOT_EXECUTED,
        Status.DIVERGED,
    }
)

_PLAIN = re.compile(r"[\w.:/@-]{1,64}")

_STATEMENTS: Mapping[str, Mapping[str, str]] = {
    Status.AWAITING_APPROVAL: {
        "en": "The request was received and awaits approval. Nothing was sent.",
        "fr": "La demande a été reçue et attend un accord. Rien n’a été envoyé.",
    },
    Status.CHANGES_REQUESTED: {
        "en": "The approver asks for changes before deciding. Nothing was sent.",
        "fr": "L’approbateur demande des modifications avant de décider. Rien n’a été envoyé.",
    },
    Status.REJECTED: {
        "en": "The request was refused by an approver. Nothing was sent.",
        "fr": "La demande a été refusée par un approbateur. Rien n’a été envoyé.",
    },
    Status.WITHDRAWN: {
        "en": "The request was withdrawn. Nothing was sent.",
        "fr": "La demande a été retirée. Rien n’a été envoyé.",
    },
    Status.SUPERSEDED: {
        "en": "This revision was replaced by a newer one. Nothing was sent for it.",
        "fr": "Cette révision a été remplacée par une plus récente. Rien n’a été envoyé pour elle.",
    },
    Status.EXPIRED: {
        "en": "The request expired before it was handed over. Nothing was sent.",
        "fr": "La demande a expiré avant sa remise. Rien n’a été envoyé.",
    },
    Status.REVOKED: {
        "en": "The approval was revoked before the request was handed over. Nothing was sent.",
        "fr": "L’accord a été révoqué avant la remise de la demande. Rien n’a été envoyé.",
    },
    Status.APPROVED: {
        "en": "The request is approved and not handed over yet. Nothing was sent so far.",
        "fr": "La demande est approuvée et pas encore remise. Rien n’a été envoyé jusqu’ici.",
    },
    Status.NOT_SENT: {
        "en": "The request was stopped before it was handed over. Nothing was sent.",
        "fr": "La demande a été arrêtée avant sa remise. Rien n’a été envoyé.",
    },
    Status.IN_PROGRESS: {
        "en": "The request was handed over. Its outcome is not established yet.",
        "fr": "La demande a été remise. Son résultat n’est pas encore établi.",
    },
    Status.ACCEPTED_BY_TARGET: {
        "en": "The business system accepted the request for processing. That it was carried out is not established.",
        "fr": "Le système métier a pris la demande en charge. Son exécution n’est pas établie.",
    },
    Status.CONFIRMED: {
        "en": "The request was carried out, and the business system proves it.",
        "fr": "La demande a été exécutée ; le système métier en apporte la preuve.",
    },
    Status.ANSWERED: {"en": "The question was answered.", "fr": "La question a reçu sa réponse."},
    Status.REFUSED_BY_TARGET: {
        "en": "The business system refused the request. It had no effect.",
        "fr": "Le système métier a refusé la demande. Elle n’a eu aucun effet.",
    },
    Status.OUTCOME_UNKNOWN: {
        "en": "The request was handed over, and nobody knows yet whether it took effect.",
        "fr": "La demande a été remise et personne ne sait encore si elle a pris effet.",
    },
    Status.NOT_EXECUTED: {
        "en": "It was established that the request had no effect, and the matter is closed.",
        "fr": "Il a été établi que la demande n’a eu aucun effet, et l’affaire est close.",
    },
    Status.DIVERGED: {
        "en": "An effect exists that differs from what was approved or established.",
        "fr": "Il existe un effet différent de ce qui a été approuvé ou établi.",
    },
}

_NEXT: Mapping[str, Mapping[str, str]] = {
    Status.AWAITING_APPROVAL: {
        "en": "Wait for the decision. Do not send it again.",
        "fr": "Attendez la décision. Ne renvoyez pas la demande.",
    },
    Status.CHANGES_REQUESTED: {
        "en": "Send a revision of this proposal that takes the reason into account, or withdraw it.",
        "fr": "Envoyez une révision de cette proposition qui tient compte du motif, ou retirez-la.",
    },
    Status.REJECTED: {
        "en": "Do not send it again unchanged. A new proposal must say what changed.",
        "fr": "Ne la renvoyez pas inchangée. Une nouvelle proposition doit dire ce qui a changé.",
    },
    Status.WITHDRAWN: {"en": "Nothing more to do.", "fr": "Il n’y a plus rien à faire."},
    Status.SUPERSEDED: {"en": "Read the current revision.", "fr": "Lisez la révision actuelle."},
    Status.EXPIRED: {
        "en": "If it is still needed, read the target again and make a new proposal.",
        "fr": "Si c’est encore nécessaire, relisez la cible et faites une nouvelle proposition.",
    },
    Status.REVOKED: {"en": "Nothing more to do.", "fr": "Il n’y a plus rien à faire."},
    Status.APPROVED: {
        "en": "Wait. It is handed over as soon as every check holds.",
        "fr": "Attendez. Elle sera remise dès que tous les contrôles seront satisfaits.",
    },
    Status.NOT_SENT: {
        "en": "Read the reason, read the target again, and make a new proposal if it is still needed.",
        "fr": "Lisez le motif, relisez la cible et faites une nouvelle proposition si c’est encore nécessaire.",
    },
    Status.IN_PROGRESS: {
        "en": "Wait for the outcome. Do not send it again.",
        "fr": "Attendez le résultat. Ne renvoyez pas la demande.",
    },
    Status.ACCEPTED_BY_TARGET: {
        "en": "Wait for the proof. Do not send it again.",
        "fr": "Attendez la preuve. Ne renvoyez pas la demande.",
    },
    Status.CONFIRMED: {"en": "Nothing more to do.", "fr": "Il n’y a plus rien à faire."},
    Status.ANSWERED: {"en": "Read the answer in “evidence”.", "fr": "Lisez la réponse dans « evidence »."},
    Status.REFUSED_BY_TARGET: {
        "en": "Read the target again, and make a new proposal if it is still needed.",
        "fr": "Relisez la cible et faites une nouvelle proposition si c’est encore nécessaire.",
    },
    Status.OUTCOME_UNKNOWN: {
        "en": "Do not send it again, in any form. Say that the outcome is not known yet, and who is responsible.",
        "fr": "Ne la renvoyez sous aucune forme. Dites que le résultat n’est pas encore connu et qui est responsable.",
    },
    Status.NOT_EXECUTED: {
        "en": "If it is still needed, make a new proposal.",
        "fr": "Si c’est encore nécessaire, faites une nouvelle proposition.",
    },
    Status.DIVERGED: {
        "en": "Do not send it again and do not correct it yourself. Say who is responsible for it.",
        "fr": "Ne la renvoyez pas et ne la corrigez pas vous-même. Dites qui en est responsable.",
    },
}


def statement(
    status: str,
    language: str,
    *,
    own: str = "",
    fields: Mapping[str, Any] | None = None,
    about: Circumstances = PLAIN,
) -> str:
    """The sentence an agent may say.

    `own` is the contract's sentence for a confirmed effect, with `{field}` places for `fields`; `about` is what else
    is established: why it was stopped, what it waits on, who is responsible, who established it.
    """
    said = about.instead_of(status, language) or in_words(_STATEMENTS[status], language)
    if own and status == Status.CONFIRMED:
        said = _filled(own, fields or {}) or said
    return " ".join([said, *about.more(status, language)])


def next_step(status: str, language: str, *, closed: bool = False) -> str:
    """What the agent should do now; `closed` once people ended the case of an effect that differs."""
    return in_words(_NEXT[Status.CONFIRMED if closed and status == Status.DIVERGED else status], language)


def _filled(own: str, fields: Mapping[str, Any]) -> str:
    """The sentence with its places filled, or empty when a field is missing or is more than an identifier."""
    missing = False

    def value(place: re.Match[str]) -> str:
        nonlocal missing
        text = str(fields.get(place[1], ""))
        missing = missing or not _PLAIN.fullmatch(text)
        return text

    said = re.sub(r"\{(\w+)\}", value, own)
    return "" if missing else said
