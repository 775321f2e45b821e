"""The linter of contracts: each code found in a contract that has just that fault, and in none without it."""

import copy
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command

from proposals.findings import CODES, Severity
from proposals.likeness import OVERLAP, confusable, overlap
from proposals.linting import Neighbour, lint
from proposals.vetting import vet
from systems.yamlfiles import FileError
from tests.docs.pages import ROOT
from tests.docs.test_tables import rows
from tests.proposals.files import CONTRACTS, contract_text
from tests.world import World

REFUND, ARCHIVE = "refund_create-2", "archive_user_by_id-1"
PARAMETER = ("arguments", "properties")


def document(file: str = REFUND) -> dict[str, Any]:
    return yaml.safe_load(contract_text(file))


def changed(file: str, path: tuple[Any, ...], value: Any) -> str:
    """The contract with one field replaced; None takes it away."""
    whole = document(file)
    here = whole
    for key in path[:-1]:
        here = here[key]
    if value is None:
        del here[path[-1]]
    else:
        here[path[-1]] = value
    return yaml.safe_dump(whole, allow_unicode=True)


def text(**about: Any) -> dict[str, Any]:
    return {"description": "Something.", **about}


FAULTS = {
    "free_form_object": (REFUND, (*PARAMETER, "lines", "items", "additionalProperties"), True),
    "parameter_without_description": (REFUND, (*PARAMETER, "memo", "description"), None),
    "parameter_without_type": (REFUND, (*PARAMETER, "memo"), text()),
    "list_without_items": (REFUND, (*PARAMETER, "lines", "items"), None),
    "id_without_pattern": (REFUND, (*PARAMETER, "customer_id"), text(type="string", maxLength=40)),
    "date_without_format": (REFUND, (*PARAMETER, "paid_at"), text(type="string", maxLength=40)),
    "missing_when_not": (REFUND, ("description",), "Use when a customer is owed money; one order per call, please."),
    "destructive_without_confirmation": (ARCHIVE, ("rules",), None),
    "missing_when": (REFUND, ("description",), "Refunds one order. Do not use for anything else. One order per call."),
    "missing_limits": (REFUND, ("description",), "Refunds orders. Use when money is owed. Do not use for invoices."),
    "parameter_without_limit": (REFUND, (*PARAMETER, "memo"), text(type="string")),
    "confusable_name": (REFUND, ("name",), "pay-back"),
    "overlapping_descriptions": (REFUND, ("description",), document(ARCHIVE)["description"]),
    "no_examples": (REFUND, ("examples",), None),
    "no_budget": (REFUND, ("policy", "budget"), None),
    "large_for_models": (REFUND, (*PARAMETER, "currency", "description"), "Currency of the order. " * 250),
}
BESIDE = [Neighbour("archive_user_by_id", document(ARCHIVE)["description"]), Neighbour("pay_back", "Settles a debt.")]


def test_every_code_has_a_contract_that_shows_it() -> None:
    assert set(FAULTS) == set(CODES)


@pytest.mark.parametrize("code", FAULTS)
def test_the_fault_is_found_and_nothing_else(code: str) -> None:
    file = changed(*FAULTS[code])
    if CODES[code][0] == Severity.ERROR:
        with pytest.raises(FileError) as refused:
            vet(file, "x.yaml", others=BESIDE)
        found = {problem.code for problem in refused.value.problems if problem.code}
        assert all(f"[{problem.code}]" in str(problem) for problem in refused.value.problems if problem.code)
    else:
        found = {problem.code for problem in vet(file, "x.yaml", others=BESIDE).warnings}
    assert found == {code}


@pytest.mark.parametrize("file", sorted(CONTRACTS.glob("*.yaml")), ids=lambda file: file.stem)
def test_the_contracts_of_the_demo_are_clean_beside_each_other(file: Path) -> None:
    documents = [document(other.stem) for other in CONTRACTS.glob("*.yaml")]
    others = [Neighbour(one["name"], one["description"]) for one in documents]
    assert lint(document(file.stem), others) == []


def test_a_finding_names_the_line_and_the_field_of_the_file() -> None:
    file = contract_text(REFUND, **{'      pattern: "^ORD-[0-9]{6,20}$"\n': ""})
    with pytest.raises(FileError) as refused:
        vet(file, "refund.yaml")
    (problem,) = refused.value.problems
    assert problem.line == file[: file.index("    order_id:\n      type: string")].count("\n") + 1
    assert (problem.field, problem.code) == ("arguments.properties.order_id", "id_without_pattern")
    assert "order_id" in problem.reason


def test_a_pattern_is_as_good_for_a_list_of_identifiers() -> None:
    whole = document()
    items: dict[str, Any] = {"type": "string", "maxLength": 20}
    whole["arguments"]["properties"]["customer_ids"] = text(type="array", maxItems=3, items=items)
    assert [finding.code for finding in lint(whole)] == ["id_without_pattern"]
    items["pattern"] = "^C-[0-9]+$"
    assert lint(whole) == []


def test_a_read_destroys_nothing_whatever_its_name() -> None:
    whole = document("chercher_dossier-1")
    whole["name"] = "list_archive_requests"
    assert lint(whole) == []


def test_likeness_is_the_same_number_every_time_and_ends_at_one() -> None:
    one, other = document()["description"], document(ARCHIVE)["description"]
    assert overlap(one, one) == 1.0
    assert overlap(one, other) == overlap(other, one) < 0.1
    assert overlap("", one) == 0.0
    alike = "Refunds a paid order to its customer. Use when a customer is owed money."
    assert overlap(alike, "Refund of paid orders to customers, when money is owed to them.") >= OVERLAP


def test_names_that_only_an_attentive_reader_tells_apart() -> None:
    names = ["refund-create", "refund_created", "refund_update", "Refund_Create", "refund_craete"]
    assert confusable("refund_create", names) == ["Refund_Create", "refund-create", "refund_created"]


def test_every_code_is_explained_with_whether_it_blocks() -> None:
    written = {code: cells[0] for code, cells in rows("docs/contract-linter.md", "Codes").items()}
    assert written == {code: severity for code, (severity, _) in CODES.items()}
    share = f"{round(100 * OVERLAP)} %"
    assert share in (ROOT / "docs" / "contract-linter.md").read_text(encoding="utf-8")


def test_the_command_reads_every_file_and_fails_on_errors_only(tmp_path: Path) -> None:
    out = StringIO()
    files = {"warned.yaml": copy.copy(FAULTS["no_budget"]), "wrong.yaml": FAULTS["id_without_pattern"]}
    for name, fault in files.items():
        (tmp_path / name).write_text(changed(*fault))
    call_command("lint_contract", str(tmp_path / "warned.yaml"), stdout=out)
    assert "warning: warned.yaml:" in out.getvalue()
    assert "[no_budget]\nrefund_create@2 may be published: 1 warnings." in out.getvalue()
    with pytest.raises(CommandError, match=r"Not fit to be published: wrong\.yaml\."):
        call_command("lint_contract", *[str(tmp_path / name) for name in files], stdout=out)
    assert "[id_without_pattern]" in out.getvalue()
    (tmp_path / "broken.yaml").write_text("name: [")
    with pytest.raises(CommandError, match=r"broken\.yaml"):
        call_command("lint_contract", str(tmp_path / "broken.yaml"), stdout=out)
    with pytest.raises(CommandError, match="No such file"):
        call_command("lint_contract", str(tmp_path / "none.yaml"), stdout=out)


def test_publishing_refuses_errors_and_shows_warnings(world: World, tmp_path: Path) -> None:
    wrong, warned = tmp_path / "wrong.yaml", tmp_path / "warned.yaml"
    wrong.write_text(changed(*FAULTS["id_without_pattern"]))
    with pytest.raises(CommandError, match=r"Nothing was published\.\nwrong\.yaml:\d+: .*\[id_without_pattern\]"):
        call_command("publish_contract", str(wrong), by="owner")
    copied = document("ouvrir_revue_dossier-2")
    warned.write_text(yaml.safe_dump({**copied, "name": "ouvrir_revue_urgente", "version": "1"}))
    out = StringIO()
    call_command("publish_contract", str(warned), by="owner", stdout=out)
    assert "warning: description: 100 % of its words are those of ouvrir_revue_dossier" in out.getvalue()
