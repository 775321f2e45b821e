"""The runner itself: it would notice a page that lies."""

import os
from pathlib import Path

import pytest

from tests.docs.pages import Command, answers_as_written
from tests.docs.shell import run

PAGE = Path("page.md")


def played(*commands: Command) -> None:
    run(list(commands), page=PAGE, environment=os.environ, instead={"HERE": "there"})


def test_variables_and_functions_last_for_the_whole_page():
    played(Command(1, "A=1; double() { echo $(($1 * 2)); }", None), Command(5, "double $((A + 20))", "42\n"))


def test_what_stands_on_the_page_is_replaced_in_command_and_answer():
    played(Command(1, "echo HERE", "HERE"))


def test_a_command_that_fails_is_told_with_its_line():
    with pytest.raises(AssertionError, match=r"page\.md:7 fails \(3\)"):
        played(Command(1, "true", None), Command(7, "(exit 3)", None), Command(9, "true", None))


def test_another_answer_is_told_with_its_line():
    with pytest.raises(AssertionError, match=r"page\.md:2 answers otherwise"):
        played(Command(2, "echo no", "yes"))


def test_a_page_that_ends_the_shell_is_noticed():
    with pytest.raises(AssertionError, match="stops after 0 commands"):
        played(Command(1, "exit 0", None))


@pytest.mark.parametrize(
    ("written", "answer", "same"),
    [("P-…", "P-42\n", True), ("P-…", "I-42", False), ("a\n…\nc", "a\nb\nb\nc", True), ("a.c", "abc", False)],
)
def test_an_ellipsis_stands_for_anything_and_nothing_else_does(written: str, answer: str, same: bool):
    assert answers_as_written(written, answer) is same
