"""What an agent may say and do at each status, in English and French; never more than the established fact. Pure.

Nothing that comes from a target or a person stands inside these sentences, but identifiers that a contract's own
statement asks for, and those only in a shape that cannot carry a sentence of its own.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any


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
        "en": "A check stopped the request before it was handed over. Nothing was sent.",
        "fr": "Un contrôle a arrêté la demande avant sa remise. Rien n’a été envoyé.",
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
        "en": "The request was handed over, and nobody knows yet whether it took effect. It is being established.",
        "fr": "La demande a été remise et personne ne sait encore si elle a pris effet. On l’établit.",
    },
    Status.NOT_EXECUTED: {
        "en": "It was established that the request had no effect, and the matter is closed.",
        "fr": "Il a été établi que la demande n’a eu aucun effet, et l’affaire est close.",
    },
    Status.DIVERGED: {
        "en": "An effect exists that differs from what was approved or established. People are working on it.",
        "fr": "Il existe un effet différent de ce qui a été approuvé ou établi. Des personnes s’en occupent.",
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
        "en": "Do not send it again, in any form. Say that the outcome is being established, and by whom.",
        "fr": "Ne la renvoyez sous aucune forme. Dites que le résultat est en cours d’établissement, et par qui.",
    },
    Status.NOT_EXECUTED: {
        "en": "If it is still needed, make a new proposal.",
        "fr": "Si c’est encore nécessaire, faites une nouvelle proposition.",
    },
    Status.DIVERGED: {
        "en": "Do not send it again and do not correct it yourself. The people named are working on it.",
        "fr": "Ne la renvoyez pas et ne la corrigez pas vous-même. Les personnes indiquées s’en occupent.",
    },
}

_NEW_ATTEMPT = {
    "en": "People established that the first attempt had no effect; a new one awaits signatures. Nothing new was sent.",
    "fr": "Des personnes ont établi que la première tentative n’a eu aucun effet ; une nouvelle attend des "
    "signatures. Rien de nouveau n’a été envoyé.",
}
_AGAIN = {
    "en": "A new attempt is approved and not handed over yet.",
    "fr": "Une nouvelle tentative est approuvée et pas encore remise.",
}
_BY_SUPPORT = {"en": "Established by support.", "fr": "Établi par le support."}

_WAITING: Mapping[str, Mapping[str, str]] = {
    "fence": {
        "en": "It waits until another outcome on the same object is established.",
        "fr": "Elle attend que le résultat d’une autre opération sur le même objet soit établi.",
    },
    "admissions": {
        "en": "It waits because admissions are stopped.",
        "fr": "Elle attend : les admissions sont arrêtées.",
    },
    "target_unreachable": {
        "en": "It waits because the business system cannot be reached.",
        "fr": "Elle attend : le système métier est injoignable.",
    },
    "not_delivered": {
        "en": "It could not be delivered yet and will be tried again.",
        "fr": "Elle n’a pas encore pu être remise ; un nouvel essai suivra.",
    },
}


def statement(
    status: str,
    language: str,
    *,
    own: str = "",
    fields: Mapping[str, Any] | None = None,
    again: bool = False,
    waiting: str = "",
    by_person: bool = False,
) -> str:
    """The sentence an agent may say.

    `own` is the contract's sentence for a confirmed effect, with `{field}` places for `fields`. `again` marks a
    new attempt after people established that the first had no effect, `waiting` what an approved one waits on,
    `by_person` an outcome that people established.
    """
    said = _words(_STATEMENTS[status], language)
    if again and status == Status.AWAITING_APPROVAL:
        said = _words(_NEW_ATTEMPT, language)
    elif again and status == Status.APPROVED:
        said = _words(_AGAIN, language)
    if own and status == Status.CONFIRMED:
        said = _filled(own, fields or {}) or said
    if waiting in _WAITING and status == Status.APPROVED:
        said = f"{said} {_words(_WAITING[waiting], language)}"
    if by_person and status in (Status.CONFIRMED, Status.NOT_EXECUTED):
        said = f"{said} {_words(_BY_SUPPORT, language)}"
    return said


def next_step(status: str, language: str) -> str:
    """What the agent should do now."""
    return _words(_NEXT[status], language)


def _words(said: Mapping[str, str], language: str) -> str:
    return said["fr" if language[:2].lower() == "fr" else "en"]


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
