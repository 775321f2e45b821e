"""Every adapter of the house passes the conformance checks; a bad one is told what it does wrong."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from systems.adapters import registry
from systems.adapters.base import Adapter, Delivery, Lookup, Order, Prepared, Reply
from systems.configuration import read_system
from systems.conformance.bench import NotConforming, bench
from systems.conformance.checks import CHECKS
from systems.conformance.subjects import ConfiguredSubject
from systems.conformance.suite import AdapterConformance
from systems.yamlfiles import FileError
from tests.sandboxing import Sandbox
from tests.systems.conftest import SYSTEM, TOKEN, configured
from tests.systems.letterbox import CONFIGURATION, Letterbox, letter, results


@pytest.mark.parametrize("name", CHECKS)
def test_the_declarative_adapter_keeps_every_promise(name: str) -> None:
    with bench(ConfiguredSubject(configured(str), "open")) as made:
        CHECKS[name](made)


def letters(base_url: str, text: str = CONFIGURATION) -> Any:
    text = text.replace("BASE_URL", base_url)
    return read_system(text, name="letters.yaml", environ={"LETTERS_KEY": "letters-key"})


class TestLetterbox(AdapterConformance):
    """An adapter in Python, as somebody else would write one, with the suite as they would use it."""

    def connect(self, base_url: str) -> Adapter:
        return Letterbox(letters(base_url))

    def order(self) -> Order:
        return letter()

    def page(self, references: Sequence[str]) -> bytes:
        return results(references)


def test_the_suite_has_a_test_for_every_check() -> None:
    assert {name for name in dir(AdapterConformance) if name.startswith("test_")} == {f"test_{name}" for name in CHECKS}


class TestAnotherKind:
    """A class in Python joins by a setting and a file that names it."""

    @pytest.fixture(autouse=True)
    def kinds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(settings, "SYSTEM_ADAPTERS", {"letterbox": "tests.systems.letterbox.Letterbox"})

    def test_it_is_made_with_its_options_and_its_parts_are_known(self) -> None:
        config = letters("http://127.0.0.1:9")
        assert isinstance(registry.made(config), Letterbox)
        operation = config.operations["post"]
        assert [part for part in ("target", "submit", "lookup", "list", "cancel") if operation.has(part)] == [
            "target",
            "submit",
            "lookup",
        ]

    @pytest.mark.parametrize(
        ("old", "new", "words"),
        [
            ("adapter: letterbox", "adapter: nobody", "SYSTEM_ADAPTERS names no class"),
            ("options: {box: main}", "options: {colour: red}", "needs its box"),
        ],
    )
    def test_a_kind_nobody_knows_or_options_it_refuses_are_told_with_the_file(
        self, old: str, new: str, words: str
    ) -> None:
        with pytest.raises(FileError, match=rf"letters\.yaml:1: adapter: .*{words}"):
            registry.made(letters("http://127.0.0.1:9", CONFIGURATION.replace(old, new)))

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("by_adapter: [target, submit, lookup]", "by_adapter: [target, submit]"),
            ("by_adapter: [target, submit, lookup]", "by_adapter: [target, submit, lookup, cancel]"),
            ("by_adapter: [target, submit, lookup]", "by_adapter: [everything]"),
            ("adapter: letterbox\n", ""),
        ],
    )
    def test_what_it_brings_fits_what_is_declared(self, old: str, new: str) -> None:
        with pytest.raises(FileError):
            letters("http://127.0.0.1:9", CONFIGURATION.replace(old, new))


@dataclass(frozen=True)
class Twisted:
    """A good adapter with one habit that is wrong."""

    good: Any
    submitted: Callable[[Any, Prepared, float], Reply] = lambda good, prepared, left: good.submit(
        prepared, seconds_left=left
    )
    searched: Callable[[Lookup], Lookup] = lambda found: found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.good, name)

    def submit(self, prepared: Prepared, *, seconds_left: float) -> Reply:
        return self.submitted(self.good, prepared, seconds_left)

    def lookup(self, order: Order) -> Lookup:
        return self.searched(self.good.lookup(order))


def tries_again(good: Any, prepared: Prepared, left: float) -> Reply:
    got = good.submit(prepared, seconds_left=left)
    return got if got.delivery is Delivery.ANSWERED else good.submit(prepared, seconds_left=left)


def tries_again_on_503(good: Any, prepared: Prepared, left: float) -> Reply:
    got = good.submit(prepared, seconds_left=left)
    return good.submit(prepared, seconds_left=left) if got.status == 503 else got


def calls_every_2xx_a_success(good: Any, prepared: Prepared, left: float) -> Reply:
    got = good.submit(prepared, seconds_left=left)
    return replace(got, success=200 <= (got.status or 0) < 300 and got.fault is None)


def calls_every_4xx_a_refusal(good: Any, prepared: Prepared, left: float) -> Reply:
    got = good.submit(prepared, seconds_left=left)
    return replace(got, refused=400 <= (got.status or 0) < 500)


def calls_a_reset_a_failure(good: Any, prepared: Prepared, left: float) -> Reply:
    got = good.submit(prepared, seconds_left=left)
    return replace(got, delivery=Delivery.NEVER_SENT) if got.fault == "reset" else got


def takes_its_time(good: Any, prepared: Prepared, left: float) -> Reply:
    return good.submit(prepared, seconds_left=left + 5)


def sends_other_bytes(good: Any, prepared: Prepared, left: float) -> Reply:
    return good.submit(replace(prepared, body=prepared.body + b" "), seconds_left=left)


HABITS: dict[str, tuple[dict[str, Any], str]] = {
    "tries again": ({"submitted": tries_again}, "whatever_breaks_off_is_in_doubt_and_asked_once"),
    "tries again on 503": (
        {"submitted": tries_again_on_503},
        "a_code_nobody_documents_proves_nothing_and_is_not_asked_again",
    ),
    "calls every 2xx a success": (
        {"submitted": calls_every_2xx_a_success},
        "an_answer_without_one_meaning_proves_nothing",
    ),
    "calls every 4xx a refusal": (
        {"submitted": calls_every_4xx_a_refusal},
        "a_code_nobody_documents_proves_nothing_and_is_not_asked_again",
    ),
    "calls a reset a failure": (
        {"submitted": calls_a_reset_a_failure},
        "whatever_breaks_off_is_in_doubt_and_asked_once",
    ),
    "takes its time": ({"submitted": takes_its_time}, "an_order_whose_time_is_over_is_never_sent"),
    "sends other bytes": ({"submitted": sends_other_bytes}, "the_bytes_sent_are_the_bytes_prepared"),
    "calls every search complete": (
        {"searched": lambda found: replace(found, complete=True)},
        "a_search_that_fails_is_never_complete",
    ),
    "finds one of two": (
        {"searched": lambda found: replace(found, found=found.found[:1])},
        "a_search_finds_exactly_our_reference",
    ),
}


@dataclass(frozen=True)
class TwistedSubject(ConfiguredSubject):
    habit: Any = None

    def connect(self, base_url: str) -> Adapter:
        return Twisted(super().connect(base_url), **self.habit)  # type: ignore[return-value]


@pytest.mark.parametrize("habit", HABITS)
def test_a_bad_habit_is_found(habit: str) -> None:
    twist, check = HABITS[habit]
    with bench(TwistedSubject(configured(str), "open", twist)) as made, pytest.raises(NotConforming):
        CHECKS[check](made)


class TestCommand:
    """`check_system` tells what is wrong by file and line, and fails when something is."""

    def run(self, *arguments: str) -> str:
        out = io.StringIO()
        call_command("check_system", *arguments, stdout=out)
        return out.getvalue()

    def file(self, folder: Path, text: str) -> str:
        path = folder / "desk.yaml"
        path.write_text(text.replace("NEXT", "{link: /next}"))
        return str(path)

    @pytest.fixture(autouse=True)
    def environ(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DESK_TOKEN", TOKEN)

    def test_a_file_of_somebody_is_checked_and_what_it_leaves_open_is_noted_by_line(self, tmp_path: Path) -> None:
        text = SYSTEM.replace("BASE_URL", "http://127.0.0.1:9").replace(" && has(body.id)", "")
        text = text.replace(" && !has(body.errors)", "").replace("      next: NEXT\n", "")
        told = self.run(self.file(tmp_path, text))
        line = text[: text.index("success:")].count("\n") + 1
        assert f"desk.yaml:{line}: operations.open.submit.success: holds on an answer that proves nothing" in told
        assert "operations.open.lookup: no next" in told
        assert "plain http" in told

    def test_a_mistake_ends_it_with_file_line_and_reason(self, tmp_path: Path) -> None:
        text = SYSTEM.replace("BASE_URL", "http://127.0.0.1:9").replace("attempt_deadline: PT1S\n", "secret: x\n")
        with pytest.raises(CommandError, match=r"desk\.yaml:\d+: secret: unknown key\.") as caught:
            self.run(self.file(tmp_path, text))
        assert "missing: attempt_deadline." in str(caught.value)

    def test_a_name_nobody_has_is_no_success(self, sandbox: Sandbox) -> None:
        with pytest.raises(CommandError, match="No business system is called nobody"):
            self.run("nobody")

    def test_the_conformance_checks_run_on_a_file_alone(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from systems.management.commands import check_system

        few = ("preparing_sends_nothing", "a_search_finds_exactly_our_reference")
        monkeypatch.setattr(check_system, "CHECKS", {name: CHECKS[name] for name in few})
        told = self.run(self.file(tmp_path, SYSTEM.replace("BASE_URL", "https://desk.test/api/v2")), "--conformance")
        assert told.count("  ok    open: ") == 2

    def test_the_real_system_is_looked_at_and_nothing_is_changed(self, database: None, sandbox: Sandbox) -> None:
        told = self.run("reviews", "--live", "--target", "D-42")
        assert "ok    reviews.yaml:" in told
        assert "shows D-42: active, version 7, of A." in told
        assert "finds nothing for a reference nobody used." in told
        assert "FAIL" not in told
        assert {request["method"] for request in sandbox.requests()} == {"GET"}
        assert sandbox.effects() == []

    def test_a_system_that_is_not_as_declared_fails(self, database: None, sandbox: Sandbox) -> None:
        sandbox.capabilities(lookup=False)
        with pytest.raises(CommandError, match="checks failed"):
            self.run("reviews", "--live", "--target", "D-404")
