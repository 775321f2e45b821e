"""What is established beside the status, in English and French: why, on what, by whom. Pure.

A role is a word of the house; names and words of people never stand in a sentence.
"""

from collections.abc import Mapping
from dataclasses import dataclass

_Words = Mapping[str, str]

_NEW_ATTEMPT: _Words = {
    "en": "People established that the first attempt had no effect; a new one awaits signatures. Nothing new was sent.",
    "fr": "Des personnes ont établi que la première tentative n’a eu aucun effet ; une nouvelle attend des "
    "signatures. Rien de nouveau n’a été envoyé.",
}
_AGAIN: _Words = {
    "en": "A new attempt is approved and not handed over yet.",
    "fr": "Une nouvelle tentative est approuvée et pas encore remise.",
}
_BY_SUPPORT: _Words = {"en": "Established by support.", "fr": "Établi par le support."}

_WAITING: Mapping[str, _Words] = {
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
    "circuit": {
        "en": "It waits because the business system does not answer; one order tries again from time to time.",
        "fr": "Elle attend : le système métier ne répond pas ; une seule demande réessaie de temps en temps.",
    },
    "paused": {
        "en": "It waits because hand-over is paused after a restore, until an operator resumes it.",
        "fr": "Elle attend : la remise est suspendue après une restauration, jusqu’à ce qu’un opérateur la relance.",
    },
}

STOPPED: Mapping[str, _Words] = {
    "contract_version_not_active": {
        "en": "The contract version is not active any more.",
        "fr": "La version du contrat n’est plus active.",
    },
    "system_changed": {
        "en": "The connection to the business system was changed since this was prepared.",
        "fr": "La connexion au système métier a été modifiée depuis la préparation.",
    },
    "token_revoked": {"en": "The agent’s token was revoked.", "fr": "Le jeton de l’agent a été révoqué."},
    "agent_disabled": {"en": "The agent was disabled.", "fr": "L’agent a été désactivé."},
    "not_permitted": {
        "en": "The person this is asked for may not ask for it any more.",
        "fr": "La personne pour qui c’est demandé n’en a plus le droit.",
    },
    "approver_not_entitled": {
        "en": "Somebody who signed may not sign this any more.",
        "fr": "Une personne qui a signé n’a plus le droit de signer.",
    },
    "target_not_available": {
        "en": "The target is not available any more.",
        "fr": "La cible n’est plus disponible.",
    },
    "rule_violated": {
        "en": "The target does not satisfy the rules of the contract any more.",
        "fr": "La cible ne respecte plus les règles du contrat.",
    },
    "target_changed": {
        "en": "The target has changed since this was prepared.",
        "fr": "La cible a changé depuis la préparation.",
    },
    "object_fenced": {
        "en": "Another outcome on the same object is not established yet.",
        "fr": "Le résultat d’une autre opération sur le même objet n’est pas encore établi.",
    },
    "delivery_budget": {
        "en": "The business system could not be reached within the attempts allowed.",
        "fr": "Le système métier n’a pas pu être joint dans les tentatives permises.",
    },
}
_NOTHING_SENT: _Words = {"en": "Nothing was sent.", "fr": "Rien n’a été envoyé."}

_NOBODY_YET: _Words = {
    "en": "It is for the role “{role}” to deal with; nobody has taken it yet.",
    "fr": "C’est au rôle « {role} » de s’en charger ; personne ne s’en est encore saisi.",
}
_SOMEBODY: _Words = {
    "en": "Somebody of the role “{role}” is on it.",
    "fr": "Une personne du rôle « {role} » s’en occupe.",
}
_CLOSED: Mapping[str, _Words] = {
    "compensated": {
        "en": "People closed the matter: it was undone by another operation.",
        "fr": "Des personnes ont clos l’affaire : une autre opération l’a annulé.",
    },
    "accepted": {
        "en": "People closed the matter: it stays as it is.",
        "fr": "Des personnes ont clos l’affaire : il reste tel quel.",
    },
}
_CANCELLATION: Mapping[str, _Words] = {
    "not_offered": {
        "en": "A cancellation was asked for. The business system takes no such order back, so nothing was sent for it.",
        "fr": "Une annulation a été demandée. Le système métier n’annule pas de telles demandes : rien n’a été "
        "envoyé pour elle.",
    },
    "asked": {
        "en": "A cancellation was asked for; it was not sent yet.",
        "fr": "Une annulation a été demandée ; elle n’a pas encore été envoyée.",
    },
    "needless": {
        "en": "A cancellation was asked for; nothing was sent for it.",
        "fr": "Une annulation a été demandée ; rien n’a été envoyé pour elle.",
    },
    "open": {
        "en": "A cancellation was sent afterwards; no answer has come yet.",
        "fr": "Une annulation a été envoyée ensuite ; aucune réponse n’est encore venue.",
    },
    "not_delivered": {
        "en": "A cancellation was asked for and could not be delivered: nothing was sent for it.",
        "fr": "Une annulation a été demandée et n’a pas pu être remise : rien n’a été envoyé pour elle.",
    },
    "cancelled": {
        "en": "A cancellation was sent afterwards, and the business system says it cancelled it.",
        "fr": "Une annulation a été envoyée ensuite, et le système métier dit l’avoir annulée.",
    },
    "refused": {
        "en": "A cancellation was sent afterwards, and the business system refused to cancel.",
        "fr": "Une annulation a été envoyée ensuite, et le système métier a refusé d’annuler.",
    },
    "no_answer": {
        "en": "A cancellation was sent afterwards; it is not known whether it was cancelled.",
        "fr": "Une annulation a été envoyée ensuite ; on ne sait pas si l’annulation a eu lieu.",
    },
}
_HANDED_OVER = ("in_progress", "accepted_by_target", "outcome_unknown", "confirmed", "diverged", "refused_by_target")


@dataclass(frozen=True)
class Circumstances:
    """What may be said beside the status.

    `again`: a new attempt after people established that the first had no effect. `waiting`: what an approved one
    waits on. `by_person`: people established the outcome. `cause`: why it was stopped. `role`: who is responsible;
    `taken`: a person of that role is on it. `closed`: how people ended the case of an effect that differs.
    `cancellation`: what became of a request to take it back, in one word, empty where nobody asked.
    """

    again: bool = False
    waiting: str = ""
    by_person: bool = False
    cause: str = ""
    role: str = ""
    taken: bool = False
    closed: str = ""
    cancellation: str = ""

    def instead_of(self, status: str, language: str) -> str:
        """What is said in place of the ordinary sentence; empty where that holds."""
        if self.again and status == "awaiting_approval":
            return in_words(_NEW_ATTEMPT, language)
        if self.again and status == "approved":
            return in_words(_AGAIN, language)
        if status == "not_sent" and self.cause in STOPPED:
            return f"{in_words(STOPPED[self.cause], language)} {in_words(_NOTHING_SENT, language)}"
        return ""

    def more(self, status: str, language: str) -> list[str]:
        """What is said beside it."""
        said: list[_Words] = []
        if status == "approved" and self.waiting in _WAITING:
            said.append(_WAITING[self.waiting])
        if status in ("confirmed", "not_executed") and self.by_person:
            said.append(_BY_SUPPORT)
        if status == "diverged" and self.closed in _CLOSED:
            said.append(_CLOSED[self.closed])
        if status in ("outcome_unknown", "diverged") and self.role:
            said.append(_SOMEBODY if self.taken else _NOBODY_YET)
        if status in _HANDED_OVER and self.cancellation in _CANCELLATION:
            said.append(_CANCELLATION[self.cancellation])
        return [in_words(words, language).format(role=self.role) for words in said]


PLAIN = Circumstances()


def in_words(said: _Words, language: str) -> str:
    """French for whoever asks for it, else English."""
    return said["fr" if language[:2].lower() == "fr" else "en"]
