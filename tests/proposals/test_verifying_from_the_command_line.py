"""`manage.py verify_journal` as an operator types it."""

import io
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from tests.world import World


def verified(*arguments: str) -> str:
    said = io.StringIO()
    call_command("verify_journal", *arguments, stdout=said)
    return said.getvalue()


@pytest.fixture
def never_migrated(database: None) -> Iterator[None]:
    """A database as `createdb` makes it, as far as the command can see."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA IF NOT EXISTS empty; SET search_path TO empty")
        yield
        cursor.execute("RESET search_path; DROP SCHEMA empty")


def test_one_proposals_chain_verifies_by_its_number(world: World) -> None:
    assert ", 1 chains, every end in place" in verified("--proposal", world.propose("D-42").public_id)


def test_nothing_is_said_to_verify_where_there_is_nothing(world: World) -> None:
    with pytest.raises(CommandError, match="There is no proposal P-999"):
        verified("--proposal", "P-999")


@pytest.mark.parametrize("named", ["42", "P-x", "P-0", "P--1", "", "P-" + "9" * 30])
def test_what_is_no_number_of_a_proposal_is_told_so(world: World, named: str) -> None:
    with pytest.raises(CommandError, match="is not the number of a proposal"):
        verified("--proposal", named)


def test_a_database_that_was_never_migrated_is_told_so(never_migrated: None) -> None:
    with pytest.raises(CommandError, match="was never migrated"):
        verified()
