"""Which tools models choose: every kind of answer is judged, in every shape, and what got worse is named."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from proposals.models import SelectionRun
from proposals.selection import regressions
from proposals.selection_files import BadLine, read_answers, read_cases
from tests.processes import ROOT
from tests.world import World

DEMO = ROOT / "sandbox" / "selection"
REVIEW = {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "ECART_MONTANT"}
CASES = [
    {"id": "review", "prompt": "Check D-42.", "expected": {"tool": "ouvrir_revue_dossier", "arguments": REVIEW}},
    {"id": "any-file", "prompt": "Look one up.", "expected": {"tool": "chercher_dossier"}},
    {"id": "thanks", "prompt": "Thanks.", "expected": None},
]


def used(name: str, arguments: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": name, "input": arguments}]}


def said(words: str) -> dict[str, Any]:
    return {"role": "assistant", "content": words}


def files(folder: Path, answers: list[dict[str, Any]], cases: list[dict[str, Any]] = CASES) -> tuple[str, str]:
    for name, rows in (("cases.jsonl", cases), ("answers.jsonl", answers)):
        (folder / name).write_text("\n".join(json.dumps(row) for row in rows))
    return str(folder / "cases.jsonl"), str(folder / "answers.jsonl")


def evaluated(*paths: str, **options: Any) -> dict[str, Any]:
    out = StringIO()
    call_command("evaluate_selection", *paths, json=True, stdout=out, **options)
    return dict(json.loads(out.getvalue()))


ANSWERS: list[tuple[str, Any, str]] = [
    ("review", used("ouvrir_revue_dossier", REVIEW), "right"),
    ("review", used("ouvrir_revue_dossier", {**REVIEW, "dossier_ref": "D-43"}), "wrong_arguments"),
    ("review", used("ouvrir_revue_dossier", {**REVIEW, "expected_version": "7"}), "invalid_arguments"),
    ("review", used("ouvrir_revue_dossier", "{}"), "invalid_arguments"),
    (
        "review",
        {"tool_calls": [{"function": {"name": "ouvrir_revue_dossier", "arguments": "{'a'"}}]},
        "invalid_arguments",
    ),
    ("review", used("chercher_dossier", {"numero": "A-4417"}), "wrong_tool"),
    ("review", used("open_review", REVIEW), "unknown_tool"),
    ("review", said("Which file do you mean?"), "missed"),
    ("review", said("I have opened the review."), "announced"),
    ("review", {"content": [{"type": "tool_use"}]}, "unreadable"),
    ("review", "text", "unreadable"),
    ("any-file", used("chercher_dossier", {"numero": "B-0001"}), "right"),
    ("thanks", said("You are welcome."), "right"),
    ("thanks", used("ledger_ping", {}), "needless"),
    ("thanks", said("I have called ledger_ping for you."), "announced"),
]


def test_every_kind_of_answer_is_judged(world: World, tmp_path: Path) -> None:
    for number, (case, answer, outcome) in enumerate(ANSWERS):
        told = evaluated(*files(tmp_path, [{"case": case, "answer": answer}]), no_history=True)
        wrong = {} if outcome == "right" else {outcome: 1}
        assert (told["whole"]["right"], told["whole"]["wrong"]) == (int(outcome == "right"), wrong), number
    assert SelectionRun.objects.count() == 0


def test_scores_are_by_tool_version_and_mode_with_a_table_of_what_was_confused(world: World, tmp_path: Path) -> None:
    rows = [{"case": case, "answer": answer, "tool_choice": "auto"} for case, answer, _ in ANSWERS]
    rows += [{"case": "thanks", "answer": used("ledger_ping", {}), "tool_choice": {"type": "any"}}]
    rows += [{"case": "review", "answer": said("It was refunded."), "final": "It was refunded.", "status": "approved"}]
    told = evaluated(*files(tmp_path, rows))
    assert told["by_tool"]["chercher_dossier"] == {"answers": 1, "right": 1, "rate": 1.0, "wrong": {}}
    assert told["by_contract"]["ouvrir_revue_dossier@2"]["answers"] == 12
    assert told["by_mode"]["any"] == {"answers": 1, "right": 0, "rate": 0.0, "wrong": {"needless": 1}}
    assert told["confusion"]["ouvrir_revue_dossier"]["chercher_dossier"] == 1
    assert told["confusion"]["no call"] == {"ledger_ping": 2, "no call": 2}
    assert told["no_call"]["answers"] == 4
    assert told["announced_but_absent"] == ["review", "thanks"]
    assert told["final_sentences"] == {"told": 1, "beyond": [{"case": "review", "claims": ["done"]}]}


def test_where_no_call_could_be_made_none_is_right(world: World, tmp_path: Path) -> None:
    rows = [{"case": "review", "answer": said("I cannot."), "tool_choice": "none"}]
    rows += [{"case": "review", "answer": used("ouvrir_revue_dossier", REVIEW), "tool_choice": "none"}]
    told = evaluated(*files(tmp_path, rows), no_history=True)
    assert told["by_tool"] == {"no call": {"answers": 2, "right": 1, "rate": 0.5, "wrong": {"needless": 1}}}


def test_what_got_worse_under_a_new_version_is_named(world: World, tmp_path: Path) -> None:
    right = {"case": "review", "answer": used("ouvrir_revue_dossier", REVIEW)}
    wrong = {"case": "review", "answer": used("chercher_dossier", {"numero": "A-4417"})}
    assert evaluated(*files(tmp_path, [right]))["regressions"] == []
    world.publish("ouvrir_revue_dossier-2", version="3")
    paths = files(tmp_path, [wrong])
    told = evaluated(*paths)
    named = {"case": "review", "mode": "auto", "model": "", "outcome": "wrong_tool"}
    named |= {"before": "ouvrir_revue_dossier@2", "now": "ouvrir_revue_dossier@3"}
    assert told["regressions"] == [named]
    assert list(told["history"]) == ["ouvrir_revue_dossier@2"]
    assert evaluated(*paths)["regressions"] == [named], "the same run again is the same run"
    assert SelectionRun.objects.count() == 2
    with pytest.raises(CommandError, match="1 cases were answered better before"):
        call_command("evaluate_selection", *paths, strict=True, stdout=StringIO())
    both = [{**right, "contract_versions": {"ouvrir_revue_dossier": "2"}}, wrong]
    assert evaluated(*files(tmp_path, both), no_history=True)["regressions"] == [named]


def test_a_case_is_compared_with_the_same_mode_and_model_only() -> None:
    def one(outcome: str, **other: str) -> dict[str, str]:
        return {"case": "c", "mode": "auto", "model": "m", "contract": "t@1", "outcome": outcome, **other}

    assert regressions([[one("right")], [one("missed", mode="any"), one("missed", model="n")]]) == []
    assert len(regressions([[one("right")], [], [one("missed")]])) == 1
    assert len(regressions([[one("right"), one("right")], [one("right"), one("missed")]])) == 1
    assert regressions([[one("missed")], [one("right")]]) == regressions([]) == []


def test_the_data_set_of_the_demo_is_evaluated_and_told_in_words(world: World) -> None:
    out = StringIO()
    call_command("evaluate_selection", str(DEMO / "cases.jsonl"), str(DEMO / "answers.jsonl"), stdout=out)
    text = out.getvalue()
    assert text.startswith("15 of 22 right (68 %)")
    assert "  refund_create@2: 2 of 3 right (67 %); wrong_arguments 1" in text
    assert "announced in words, but not called: no-amount" in text
    assert "final sentences beyond the status: 2 of 6" in text
    assert "answered better before: 0" in text


@pytest.mark.parametrize(
    ("cases", "answers", "words"),
    [
        ('{"id": "a"', "", r"c:1: .*strict JSON"),
        ('{"id": "a", "id": "b", "prompt": "x"}', "", "c:1: .*twice"),
        ('{"id": "a", "prompt": "x", "expect": null}', "", "c:1: expect is not known here"),
        ('{"id": "", "prompt": "x"}', "", "c:1: id is a text"),
        ('{"id": "a", "prompt": "x"}\n\n{"id": "a", "prompt": "y"}', "", "c:3: the case a is there twice"),
        ('{"id": "a", "prompt": "x", "expected": 7}', "", "c:1: expected is a call"),
        ("[1]", "", "c:1: a line holds one object"),
        ('{"id": "a", "prompt": "x"}', '{"case": "b", "answer": {}}', "a:1: there is no case b"),
        ('{"id": "a", "prompt": "x"}', '{"case": "a"}', "a:1: answer is missing"),
        ('{"id": "a", "prompt": "x"}', '{"case": "a", "answer": {}, "tool_choice": "maybe"}', "a:1: tool_choice"),
        ('{"id": "a", "prompt": "x"}', '{"case": "a", "answer": {}, "final": "x"}', "a:1: .*status is missing"),
        ('{"id": "a", "prompt": "x"}', '{"case": "a", "answer": {}, "status": "fine"}', "a:1: fine is not a status"),
        ('{"id": "a", "prompt": "x"}', '{"case": "a", "answer": {}, "contract_versions": {"t": 2}}', "a:1: .*as text"),
    ],
)
def test_a_file_that_cannot_be_used_says_which_line(cases: str, answers: str, words: str) -> None:
    with pytest.raises(BadLine, match=words):
        read_answers(answers.encode(), "a", read_cases(cases.encode(), "c"))


def test_the_command_refuses_in_words(world: World, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        call_command("evaluate_selection", "none.jsonl", "none.jsonl")
    paths = files(tmp_path, [], [{"id": "a", "prompt": "x", "expected": {"tool": "nothing_like_it"}}])
    with pytest.raises(CommandError, match="No organization offers any tool"):
        call_command("evaluate_selection", *paths)
