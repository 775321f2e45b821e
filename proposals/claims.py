"""What a sentence told to a user claims about an order, and whether that goes beyond the order's status.

A lexicon in English and French, read clause by clause; the same answer every time. It knows less than a reader does: a
sentence it does not understand claims nothing.
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum


class Claim(StrEnum):
    """What can be said to have happened."""

    APPROVED = "approved"
    REFUSED = "refused"
    HANDED_OVER = "handed over"
    ACCEPTED = "accepted"
    DONE = "done"
    NO_EFFECT = "no effect"


_A, _R, _H, _T, _D, _N = Claim
# Status → what may be said. What is not here goes beyond what is established.
MAY_SAY: Mapping[str, frozenset[Claim]] = {
    "awaiting_approval": frozenset({_N}),
    "changes_requested": frozenset({_N}),
    "rejected": frozenset({_N, _R}),
    "withdrawn": frozenset({_N}),
    "superseded": frozenset({_N}),
    "expired": frozenset({_N}),
    "revoked": frozenset({_N}),
    "approved": frozenset({_A, _N}),
    "not_sent": frozenset({_N}),
    "in_progress": frozenset({_A, _H}),
    "accepted_by_target": frozenset({_A, _H, _T}),
    "confirmed": frozenset({_A, _H, _T, _D}),
    "answered": frozenset({_D}),
    "refused_by_target": frozenset({_A, _H, _R, _N}),
    "outcome_unknown": frozenset({_A, _H}),
    "not_executed": frozenset({_A, _H, _N}),
    "diverged": frozenset({_A, _H, _T}),
}

_CLAUSES = re.compile(r"[.;:!?\n]+|, |,? \b(?:and|but|et|mais)\b ", re.I)
# What may be, will be, or depends on something claims nothing yet; nor does doubt, openly told.
_OPEN = re.compile(
    r"\b(will|would|shall|once|if|whether|when|as soon as|until|before|unless|may|might|can|cannot|could|should|must"
    r"|to be|awaits?|awaiting|pending|need(s|ed)?|wait|sera|seront|serait|seraient|dès que|si|s’il|quand|lorsque|avant"
    r"|peut|peuvent|pourra|pourrait|doit|attend|attendent|en attente|attendez|asked?|asks|differs?|différent)\b",
    re.I,
)
_DOUBT = re.compile(
    r"\b(not (yet )?(been )?(established|known|confirmed|certain)|unknown|nobody knows|do(es)? not know|unclear"
    r"|pas (encore )?(été )?(établie?|connue?|confirmée?)|inconnue?|personne ne sait|ne sai[ts] pas)\b",
    re.I,
)
_NOT = re.compile(
    r"\b(not|no|nothing|never|none|without)\b|n['’]t\b|\bn['’](?:a|est|ont|y|ai|avez|avons)\b|\bne\b|\bpas\b|\baucune?\b"
    r"|\brien\b|\bjamais\b|\bsans\b",
    re.I,
)
_SAYS: Mapping[Claim, re.Pattern[str]] = {
    _A: re.compile(r"\b(approved|authori[sz]ed|signed|approuvée?s?|autorisée?s?|validée?s?|signée?s?)\b", re.I),
    _R: re.compile(r"\b(refused|rejected|declined|denied|refusée?s?|rejetée?s?)\b", re.I),
    _H: re.compile(
        r"\b(sent|handed over|transmitted|in progress|under way|being processed|envoyée?s?|remise?s?|transmise?s?"
        r"|en cours)\b",
        re.I,
    ),
    _T: re.compile(r"\b(accepted|acceptée?s?|pris(e|es)? en charge)\b", re.I),
    _D: re.compile(
        r"\b(done|completed?|carried out|executed|refunded|created|opened|archived|cancelled|canceled|booked|paid"
        r"|confirmed|succeeded|success(ful|fully)?|took effect|gone through|went through|effectuée?s?|exécutée?s?"
        r"|remboursée?s?|créée?s?|ouverte?s?|archivée?s?|annulée?s?|enregistrée?s?|versée?s?|confirmée?s?|réussie?s?"
        r"|abouti|terminée?s?|fait|faite|réglée?s?)\b",
        re.I,
    ),
    _N: re.compile(r"\b(failed|failure|échoué|échec)\b", re.I),
}
_EFFECT = re.compile(r"\b(effect|effet)\b", re.I)
# “I created a proposal” speaks of the proposal.
_OF_THE_PROPOSAL = re.compile(r"\b(proposal|proposition|approval request|demande d['’]accord)\b", re.I)

_ANNOUNCES = re.compile(
    r"\b(i['’]ll|i will|i am going to|i['’]m going to|let me|i['’]ve|i have|i am now|i['’]m now)\s+(now |just |also )?"
    r"(call|run|use|open|create|submit|propose|refund|archive|cancel|look|check|search|send|file|call?ed|run|used|opened"
    r"|created|submitted|proposed|refunded|archived|cancel+ed|sent|filed|calling|opening|creating|submitting|refunding)\b"
    r"|\b(je vais|j['’]ai|je viens de?|je)\s+(maintenant |donc )?(l['’])?"
    r"(appel|lanc|ouvr|cré|soumet|soumi|propos|rembours|archiv|annul|cherch|vérifi|envo|ouvert)\w*",
    re.I,
)


def claims_in(text: str) -> frozenset[Claim]:
    """Everything the sentences say has happened."""
    return frozenset(claim for clause in _CLAUSES.split(text) for claim in _claims(clause))


def beyond(text: str, status: str) -> frozenset[Claim]:
    """What the sentences claim beyond `status`; KeyError for a word that is no status."""
    return claims_in(text) - MAY_SAY[status]


def announces(text: str) -> bool:
    """Whether the words say that the speaker calls a tool, or has called one."""
    return any(_ANNOUNCES.search(clause) and not _NOT.search(clause) for clause in _CLAUSES.split(text))


def _claims(clause: str) -> Iterator[Claim]:
    if _OPEN.search(clause) or _DOUBT.search(clause):
        return
    happened = [claim for claim, pattern in _SAYS.items() if pattern.search(clause)]
    if _D in happened and _OF_THE_PROPOSAL.search(clause):
        happened.remove(_D)
    if not _NOT.search(clause):
        yield from happened
    elif {_D, _H} & set(happened) or _EFFECT.search(clause):
        yield _N
