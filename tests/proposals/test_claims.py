"""What a sentence claims, and whether it goes beyond the status of the order."""

import pytest

from intents.statements import _STATEMENTS, Status
from proposals.claims import MAY_SAY, Claim, announces, beyond, claims_in


def test_every_status_says_what_may_be_claimed() -> None:
    assert list(MAY_SAY) == [status.value for status in Status]


@pytest.mark.parametrize("status", list(Status))
@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_products_own_sentence_never_goes_beyond_its_status(status: Status, language: str) -> None:
    said = _STATEMENTS[status][language]
    assert beyond(said, status) == frozenset(), said


@pytest.mark.parametrize(
    ("sentence", "status", "claims"),
    [
        ("Your refund has been completed.", "awaiting_approval", {Claim.DONE}),
        ("Your refund has been completed.", "outcome_unknown", {Claim.DONE}),
        ("Your refund has been completed.", "diverged", {Claim.DONE}),
        ("Your refund has been completed.", "confirmed", set()),
        ("The review was opened successfully!", "accepted_by_target", {Claim.DONE}),
        ("Le remboursement a été effectué.", "in_progress", {Claim.DONE}),
        ("La revue est ouverte.", "approved", {Claim.DONE}),
        ("The order was sent to the payments desk.", "approved", {Claim.HANDED_OVER}),
        ("It was approved.", "awaiting_approval", {Claim.APPROVED}),
        ("The refund failed, nothing was paid.", "outcome_unknown", {Claim.NO_EFFECT}),
        ("Le remboursement n’a pas été effectué.", "outcome_unknown", {Claim.NO_EFFECT}),
        ("Le remboursement n’a pas été effectué.", "not_executed", set()),
        ("It was refused.", "outcome_unknown", {Claim.REFUSED}),
        ("I submitted the request; it awaits approval.", "awaiting_approval", set()),
        ("I created a proposal for the refund.", "awaiting_approval", set()),
        ("It will be refunded once two people have approved it.", "awaiting_approval", set()),
        ("Nobody knows yet whether the money was paid.", "outcome_unknown", set()),
        ("Le résultat n’est pas encore connu.", "outcome_unknown", set()),
        ("The weather is fine.", "awaiting_approval", set()),
    ],
)
def test_a_sentence_is_held_against_the_status(sentence: str, status: str, claims: set[Claim]) -> None:
    assert beyond(sentence, status) == claims


def test_what_is_said_of_a_later_status_goes_beyond_an_earlier_one() -> None:
    for status in (Status.AWAITING_APPROVAL, Status.APPROVED, Status.IN_PROGRESS, Status.OUTCOME_UNKNOWN):
        for language in ("en", "fr"):
            assert Claim.DONE in claims_in(_STATEMENTS[Status.CONFIRMED][language])
            assert beyond(_STATEMENTS[Status.CONFIRMED][language], status)


@pytest.mark.parametrize(
    ("text", "announced"),
    [
        ("I'll open the review now.", True),
        ("I have submitted the refund.", True),
        ("Let me look up the file.", True),
        ("J’ai ouvert la revue.", True),
        ("Je vais lancer le remboursement.", True),
        ("I will not open a review for that.", False),
        ("Which file do you mean?", False),
        ("The file is closed, so there is nothing to do.", False),
    ],
)
def test_a_call_announced_in_words_is_recognised(text: str, announced: bool) -> None:
    assert announces(text) is announced
