"""`manage.py evaluate_selection DATASET ANSWERS`: which tools do models choose, and what do they say about it?"""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from proposals.evaluating import Evaluated, NoOrganization, evaluate
from proposals.management.commands.publish_contract import organization
from proposals.selection_files import BadLine


class Command(BaseCommand):
    """Scores recorded answers per tool, contract version and tool_choice mode; names what got worse since before."""

    help = "Score recorded answers of models (JSON Lines, four shapes) against a data set of prompts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "dataset", type=Path, metavar="DATASET", help="cases: id, prompt, expected (a call or null)"
        )
        parser.add_argument("answers", type=Path, metavar="ANSWERS", help="answers: case, answer, tool_choice, …")
        parser.add_argument("--organization", metavar="SLUG", help="whose contracts; else who offers most of the tools")
        parser.add_argument("--json", action="store_true", help="print the scores as JSON")
        parser.add_argument("--no-history", action="store_true", help="do not keep this run")
        parser.add_argument("--strict", action="store_true", help="exit with 1 when something got worse")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, score, keep, tell."""
        dataset, answers = options["dataset"], options["answers"]
        try:
            done = evaluate(
                dataset=dataset.read_bytes(),
                answers=answers.read_bytes(),
                dataset_name=dataset.name,
                answers_name=answers.name,
                organization=organization(options["organization"]),
                keep=not options["no_history"],
            )
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error
        except (BadLine, NoOrganization) as error:
            raise CommandError(f"Nothing was evaluated. {error}") from error
        if options["json"]:
            told = {**done.report, "regressions": [asdict(one) for one in done.regressions], "history": done.history}
            self.stdout.write(json.dumps(told, indent=2, ensure_ascii=False))
        else:
            for line in _lines(done):
                self.stdout.write(line)
        if options["strict"] and done.regressions:
            raise CommandError(f"{len(done.regressions)} cases were answered better before.")


def _lines(done: Evaluated) -> Iterator[str]:
    report = done.report
    yield f"{_told(report['whole'])} (contracts of {done.organization.slug})"
    for title, group in (
        ("by tool", "by_tool"),
        ("by contract version", "by_contract"),
        ("by tool_choice", "by_mode"),
        ("by contract version and tool_choice", "by_contract_and_mode"),
    ):
        yield f"{title}:"
        yield from (f"  {name}: {_told(score)}" for name, score in report[group].items())
    yield "right tool → chosen tool:"
    for wanted, chosen in report["confusion"].items():
        yield f"  {wanted} → " + ", ".join(f"{name} {times}" for name, times in chosen.items())
    yield f"no call was right: {_told(report['no_call'])}"
    yield f"announced in words, but not called: {', '.join(report['announced_but_absent']) or 'none'}"
    final = report["final_sentences"]
    yield f"final sentences beyond the status: {len(final['beyond'])} of {final['told']}"
    yield from (f"  {one['case']} claims: {', '.join(one['claims'])}" for one in final["beyond"])
    yield "earlier runs:"
    for contract, runs in sorted(done.history.items()):
        told = "; ".join(f"{run['at'][:16]}Z {run['right']} of {run['answers']}" for run in runs)
        yield f"  {contract}: {told}"
    yield f"answered better before: {len(done.regressions)}"
    for one in done.regressions:
        who = f" by {one.model}" if one.model else ""
        yield f"  {one.case} ({one.mode}{who}): right under {one.before}, {one.outcome} under {one.now}"


def _told(score: dict[str, Any]) -> str:
    if not score["answers"]:
        return "no answers"
    wrong = ", ".join(f"{name} {times}" for name, times in score["wrong"].items())
    return f"{score['right']} of {score['answers']} right ({100 * score['rate']:.0f} %){f'; {wrong}' if wrong else ''}"
