"""Every code that the house can say at the desk has words on the screen."""

from intents.concluding import REASONS
from web.support.forms import reason_choices


def test_every_reason_for_a_conclusion_has_words() -> None:
    for codes in REASONS.values():
        for code, words in reason_choices(codes):
            assert str(words) != code
