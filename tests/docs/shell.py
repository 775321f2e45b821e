"""Runs a page of the documentation in one shell, as a reader would who types every line of it."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.docs.pages import ROOT, Command, answers_as_written

_MARK = "\x1e"
PATIENCE = 120


def run(commands: list[Command], *, page: Path, environment: Mapping[str, str], instead: Mapping[str, str]) -> None:
    """Run the commands one after the other; fail at the first that fails or answers otherwise than the page says.

    `instead` maps what stands on the page (an address, a directory) to what this run uses.
    """
    script = "set -uo pipefail\n"
    for command in commands:
        script += f"{_replaced(command.text, instead).rstrip()}\n"
        script += f"__status=$?; printf '{_MARK}%s{_MARK}' $__status; [ $__status = 0 ] || exit $__status\n"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    told = re.findall(rf"(.*?){_MARK}(\d+){_MARK}", done.stdout, re.DOTALL)
    for command, (answer, status) in zip(commands, told, strict=False):
        place = f"{page}:{command.line}"
        assert status == "0", f"{place} fails ({status}):\n{command.text}\n{answer}"
        if command.answer:
            written = _replaced(command.answer, instead)
            assert answers_as_written(written, answer), f"{place} answers otherwise:\n{command.text}\n{answer}"
    assert len(told) == len(commands), f"{page} stops after {len(told)} commands:\n{done.stdout[-3000:]}"


def _replaced(text: str, instead: Mapping[str, str]) -> str:
    for written, used in instead.items():
        text = text.replace(written, used)
    return text
