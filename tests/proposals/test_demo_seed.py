"""The demo's seed: the whole cast, safe to repeat, only in a demo."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError

from demo.credentials import Credentials
from demo.management.commands.seed_demo import Command
from demo.seeding import seed
from journal.models import Entry
from proposals.models import ContractVersion
from tenancy import roles, tokens
from tenancy.models import AgentToken, RoleGrant, User
from tests.sandboxing import Sandbox

CONTRACTS = settings.BASE_DIR / "sandbox" / "contracts"


def seeded(folder: Path) -> dict[str, Any]:
    credentials = Credentials(folder, base_url="http://127.0.0.1:1", sandbox_url="http://127.0.0.1:2")
    seed(credentials=credentials, contracts=CONTRACTS, say=lambda text: None)
    return json.loads((folder / "credentials.json").read_text())


def test_the_seed_is_complete_and_a_second_run_changes_nothing(
    database: None, sandbox: Sandbox, tmp_path: Path
) -> None:
    first = seeded(tmp_path)
    counted = [model.objects.count() for model in (User, RoleGrant, AgentToken, ContractVersion, Entry)]
    assert seeded(tmp_path) == first
    assert [model.objects.count() for model in (User, RoleGrant, AgentToken, ContractVersion, Entry)] == counted
    assert (tmp_path / "credentials.json").stat().st_mode & 0o777 == 0o600
    caller = tokens.authenticate(first["agents"]["agent-a"]["token"])
    assert caller is not None
    assert (caller.person.username, [scope.code for scope in caller.scopes]) == ("requester", ["A"])
    assert User.objects.get(username="approver").check_password("demo")
    states = ContractVersion.objects.filter(organization__slug="demo", name="ouvrir_revue_dossier")
    assert dict(states.values_list("version", "state")) == {"1": "retired", "2": "active"}


def test_what_people_changed_is_not_seeded_back(database: None, sandbox: Sandbox, tmp_path: Path) -> None:
    first = seeded(tmp_path)
    operator = User.objects.get(username="operator")
    roles.end_grant(actor=operator, grant=RoleGrant.objects.get(person__username="approver"))
    tokens.revoke(actor=operator, token=AgentToken.objects.get(agent__name="agent-a"))
    again = seeded(tmp_path)
    assert not RoleGrant.objects.filter(person__username="approver", ended_at__isnull=True).exists()
    assert again["agents"]["agent-a"]["token"] != first["agents"]["agent-a"]["token"]
    assert tokens.authenticate(again["agents"]["agent-a"]["token"])
    assert again["agents"]["agent-b"] == first["agents"]["agent-b"]


def test_nothing_is_seeded_outside_a_demo(database: None) -> None:
    assert not settings.DEMO
    with pytest.raises(CommandError, match="not a demo"):
        Command().handle()
    assert not User.objects.exists()
