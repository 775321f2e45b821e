"""Judges which tools models choose: each recorded answer against the right one, and the scores that come of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest
from typing import Any

from journal.digests import canonical
from proposals.arguments import check
from proposals.claims import announces, beyond
from proposals.contracts import Contract
from proposals.selection_files import Answer, Case, Wanted
from proposals.turns import ModelCall

NO_CALL = "no call"

Lookup = Callable[[str, str | None], Contract | None]


class Outcome(StrEnum):
    """What became of one answer: right, or the first thing wrong with it."""

    RIGHT = "right"
    WRONG_TOOL = "wrong_tool"
    UNKNOWN_TOOL = "unknown_tool"
    INVALID_ARGUMENTS = "invalid_arguments"
    WRONG_ARGUMENTS = "wrong_arguments"
    MISSED = "missed"
    ANNOUNCED = "announced"
    NEEDLESS = "needless"
    UNREADABLE = "unreadable"


@dataclass(frozen=True)
class Judged:
    """One answer, judged. `tool` is the tool that was right, or `no call`; `contract` the version the model was shown.

    `pairs` are what was right beside what was chosen, call by call. `beyond` names what the final sentence claims
    without being established.
    """

    case: str
    mode: str
    model: str
    tool: str
    contract: str
    outcome: Outcome
    pairs: tuple[tuple[str, str], ...]
    told: bool
    beyond: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether the calls were right; the final sentence is counted apart."""
        return self.outcome is Outcome.RIGHT


@dataclass(frozen=True)
class Regression:
    """A case that was answered right before and is not now: where, and under which contract versions."""

    case: str
    mode: str
    model: str
    before: str
    now: str
    outcome: str


@dataclass
class Score:
    """How often the answers of one group were right, and what was wrong with the others."""

    answers: int = 0
    right: int = 0
    wrong: Counter[str] = field(default_factory=Counter)

    def add(self, judged: Judged) -> None:
        """Count one more answer."""
        self.answers += 1
        self.right += judged.right
        if not judged.right:
            self.wrong[judged.outcome.value] += 1

    def told(self) -> dict[str, Any]:
        """The group as JSON: `rate` from 0 to 1."""
        return {
            "answers": self.answers,
            "right": self.right,
            "rate": round(self.right / self.answers, 4),
            "wrong": dict(sorted(self.wrong.items())),
        }


def judge(case: Case, answer: Answer, contracts: Lookup) -> Judged:
    """One answer against its case. `contracts` gives the contract of a tool and version (None: the active one).

    Where the mode was `none`, no call is right, whatever the case wants in other modes.
    """
    wanted = () if answer.mode == "none" else case.wanted
    tool = wanted[0].tool if wanted else NO_CALL
    shown = contracts(tool, answer.versions.get(tool)) if wanted else None
    calls = answer.turn.calls if answer.turn else ()
    return Judged(
        case=case.id,
        mode=answer.mode,
        model=answer.model,
        tool=tool,
        contract=shown.public_id if shown else tool,
        outcome=_outcome(wanted, answer, calls, contracts),
        pairs=_pairs(wanted, calls),
        told=bool(answer.final),
        beyond=tuple(sorted(beyond(answer.final, answer.status))) if answer.final else (),
    )


def _outcome(wanted: Sequence[Wanted], answer: Answer, calls: Sequence[ModelCall], contracts: Lookup) -> Outcome:
    if answer.turn is None:
        return Outcome.UNREADABLE
    if not calls and announces(answer.turn.words):
        return Outcome.ANNOUNCED
    for one, call in zip_longest(wanted, calls):
        wrong = _wrong(one, call, answer, contracts)
        if wrong is not None:
            return wrong
    return Outcome.RIGHT


def _wrong(wanted: Wanted | None, call: ModelCall | None, answer: Answer, contracts: Lookup) -> Outcome | None:
    if call is None:
        return Outcome.MISSED
    contract = contracts(call.name, answer.versions.get(call.name))
    if contract is None:
        return Outcome.UNKNOWN_TOOL
    if wanted is None:
        return Outcome.NEEDLESS
    if call.name != wanted.tool:
        return Outcome.WRONG_TOOL
    if call.unreadable or check(contract, call.arguments):
        return Outcome.INVALID_ARGUMENTS
    return None if _as_wanted(wanted, call.arguments) else Outcome.WRONG_ARGUMENTS


def _as_wanted(wanted: Wanted, given: Mapping[str, Any]) -> bool:
    if wanted.arguments is None:
        return True
    free = set(wanted.free)
    plain = [{name: value for name, value in side.items() if name not in free} for side in (wanted.arguments, given)]
    return canonical(plain[0]) == canonical(plain[1])


def _pairs(wanted: Sequence[Wanted], calls: Sequence[ModelCall]) -> tuple[tuple[str, str], ...]:
    pairs = zip_longest((one.tool for one in wanted), (call.name for call in calls), fillvalue=NO_CALL)
    return tuple(pairs) or ((NO_CALL, NO_CALL),)


def report(judged: Sequence[Judged]) -> dict[str, Any]:
    """The scores, as JSON: whole, by tool and contract version, by `tool_choice` mode, and what is counted apart."""
    told = [one for one in judged if one.told]
    confused = Counter(pair for one in judged for pair in one.pairs)
    return {
        "whole": _counted(judged, lambda _one: True),
        "by_tool": _grouped(judged, lambda one: one.tool),
        "by_contract": _grouped(judged, lambda one: one.contract),
        "by_mode": _grouped(judged, lambda one: one.mode),
        "by_contract_and_mode": _grouped(judged, lambda one: f"{one.contract} {one.mode}"),
        "confusion": _table(confused),
        "no_call": _counted(judged, lambda one: one.tool == NO_CALL),
        "announced_but_absent": [one.case for one in judged if one.outcome is Outcome.ANNOUNCED],
        "final_sentences": {
            "told": len(told),
            "beyond": [{"case": one.case, "claims": list(one.beyond)} for one in told if one.beyond],
        },
    }


def results(judged: Iterable[Judged]) -> list[dict[str, str]]:
    """What is kept of each answer, to be compared with a later run."""
    return [
        {"case": one.case, "mode": one.mode, "model": one.model, "contract": one.contract, "outcome": one.outcome.value}
        for one in judged
    ]


def regressions(runs: Sequence[Sequence[Mapping[str, str]]]) -> list[Regression]:
    """The cases of the last run that are answered right less often than before.

    `runs` hold `results`, oldest first. A case is compared in the same mode and by the same model: with the run before
    that has it, or, where one run was made under several contract versions, with the version before.
    """
    known: dict[tuple[str, str, str], list[list[Mapping[str, str]]]] = {}
    for run in runs:
        groups: dict[tuple[tuple[str, str, str], str], list[Mapping[str, str]]] = {}
        for one in run:
            groups.setdefault((_key(one), one["contract"]), []).append(one)
        for (key, _), answers in groups.items():
            known.setdefault(key, []).append(answers)
    latest = {_key(one) for one in runs[-1]} if runs else set()
    found = [_regression(key, known[key]) for key in sorted(latest) if len(known[key]) > 1]
    return [one for one in found if one is not None]


def _key(one: Mapping[str, str]) -> tuple[str, str, str]:
    return one["case"], one["mode"], one["model"]


def _regression(key: tuple[str, str, str], runs: list[list[Mapping[str, str]]]) -> Regression | None:
    before, now = runs[-2], runs[-1]
    if _rate(now) >= _rate(before):
        return None
    outcome = next(one["outcome"] for one in now if one["outcome"] != Outcome.RIGHT)
    case, mode, model = key
    return Regression(case, mode, model, before[-1]["contract"], now[-1]["contract"], outcome)


def _rate(answers: Sequence[Mapping[str, str]]) -> float:
    return sum(one["outcome"] == Outcome.RIGHT for one in answers) / len(answers)


def _score(judged: Iterable[Judged]) -> Score:
    score = Score()
    for one in judged:
        score.add(one)
    return score


def _grouped(judged: Sequence[Judged], key: Callable[[Judged], str]) -> dict[str, Any]:
    names = sorted({key(one) for one in judged})
    return {name: _score(one for one in judged if key(one) == name).told() for name in names}


def _counted(judged: Sequence[Judged], which: Callable[[Judged], bool]) -> dict[str, Any]:
    chosen = [one for one in judged if which(one)]
    return _score(chosen).told() if chosen else {"answers": 0, "right": 0, "rate": None, "wrong": {}}


def _table(pairs: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Right tool → chosen tool → how often."""
    table: dict[str, dict[str, int]] = {}
    for (wanted, chosen), times in sorted(pairs.items()):
        table.setdefault(wanted, {})[chosen] = times
    return table
