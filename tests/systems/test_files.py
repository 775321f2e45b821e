"""Files of people: one reading, and every complaint with its file, line and field."""

import re
from pathlib import Path

import jsonschema
import pytest

from systems.cel import RuleError, compile_rule
from systems.configuration import load_systems, read_system, system_schema
from systems.durations import DurationError, duration
from systems.yamlfiles import FileError, load_yaml
from tests.systems.conftest import SYSTEM, TOKEN

GOOD = SYSTEM.replace("BASE_URL", "http://127.0.0.1:9").replace("NEXT", "{link: /next}")
ENVIRON = {"DESK_TOKEN": TOKEN}


def complaints(old: str, new: str, *, environ: dict[str, str] = ENVIRON) -> list[str]:
    """What is said about the good file with one thing changed."""
    assert old in GOOD
    with pytest.raises(FileError) as caught:
        read_system(GOOD.replace(old, new), name="desk.yaml", environ=environ)
    return str(caught.value).splitlines()


def line_of(text: str) -> int:
    return GOOD[: GOOD.index(text)].count("\n") + 1


class TestYaml:
    """The loader takes mappings, lists and plain scalars of YAML 1.2, and nothing with two readings."""

    def test_words_stay_words(self) -> None:
        document, _ = load_yaml("a: no\nb: 1:30\nc: 2026-01-01\nd: 0x10\ne: 007\nf: 12\ng: true\nh:\n", name="x")
        expected = {"a": "no", "b": "1:30", "c": "2026-01-01", "d": "0x10", "e": "007", "f": 12, "g": True, "h": None}
        assert document == expected

    @pytest.mark.parametrize(
        ("text", "line", "reason"),
        [
            ("a: 1\nb: 2\na: 3\n", 3, "twice"),
            ("a: &x 1\nb: *x\n", 1, "anchors"),
            ("a: 1\nb: !!python/object:os.system x\n", 2, "tags"),
            ("a: 1\n---\nb: 2\n", 2, "YAML"),
            ("a: {b: 1\n", 2, "YAML"),
            ("- 1\n", 1, "mapping"),
            ("", 1, "mapping"),
            ("1: a\n", 1, "key"),
            ("a: 1\nb: \x07\n", 2, "control"),
            ("a: " + "[" * 90, 1, "deeper"),
            ("a: " + "9" * 5000, 1, "too long"),
        ],
    )
    def test_anything_else_is_refused_with_its_line(self, text: str, line: int, reason: str) -> None:
        with pytest.raises(FileError, match=reason) as caught:
            load_yaml(text, name="x.yaml")
        assert (caught.value.file, caught.value.line) == ("x.yaml", line)

    def test_bytes_that_are_no_utf8_and_huge_files_are_refused(self) -> None:
        for content in (b"a: 1\nb: \xff", b"a: " + b"x" * 300_000):
            with pytest.raises(FileError):
                load_yaml(content, name="x.yaml")


class TestConfiguration:
    """A system's file is refused whole, with everything that is wrong in it."""

    def test_the_good_file_is_read(self) -> None:
        config = read_system(GOOD, name="desk.yaml", environ=ENVIRON)
        assert config.attempt_deadline.total_seconds() == 1
        assert config.capabilities.can_look_up
        assert config.capabilities.visibility_delay.source == "documented"
        assert set(config.operations) == {"open", "ping"}

    @pytest.mark.parametrize(
        ("old", "new", "field"),
        [
            ("name: desk", "name: desk\nsecret: x", "secret"),
            ("attempt_deadline: PT1S\n", "", ""),
            (
                "timeouts: {connect: PT0.5S, resolve: PT1S, lookup: PT1S}",
                "timeouts: {connect: PT1S, resolve: PT1S}",
                "timeouts",
            ),
            ("attempt_deadline: PT1S", "attempt_deadline: 1 s", "attempt_deadline"),
            ("attempt_deadline: PT1S", "attempt_deadline: PT0S", "attempt_deadline"),
            ("connect: PT0.5S", "connect: P1Y", "timeouts.connect"),
            ("connect: PT0.5S", "connect: PT9S", "timeouts.connect"),
            ("base_url: http://127.0.0.1:9", "base_url: http://169.254.169.254", "base_url"),
            ("base_url: http://127.0.0.1:9", "base_url: ${NOWHERE}", "base_url"),
            ("desk.test]", "169.254.169.254]", "hosts.2"),
            ("allow_private: true", "allow_private: false", "base_url"),
            ("allow_private: true", "allow_private: yes", "allow_private"),
            ("name: desk\n", "name: desk\nca_file: /nonexistent/ca.pem\n", "ca_file"),
            ("{env: DESK_TOKEN}", "{env: OTHER_TOKEN}", "authentication"),
            ("{env: DESK_TOKEN}", "{file: /nonexistent/secret}", "authentication"),
            ("{env: DESK_TOKEN}", "plain-text", "authentication.header.value"),
            ("status == 201 && has(body.id)", "status = 201 && has(body.id)", "operations.open.submit.success"),
            ("status == 201 && has(body.id)", "status", "operations.open.submit.success"),
            ("path: /ping", "path: ping", "operations.ping.answer.request.path"),
            ('"/orders/{target}"', '"/orders/{fields.id}"', "operations.open.submit.request.path"),
            ("n={arguments.n?}", "n={argument.n?}", "operations.open.submit.request.json.note"),
            ("Idempotency-Key:", "Host:", "operations.open.submit.request.headers.Host"),
            (
                "idempotency_key: {value: true",
                "idempotency_key: {value: false",
                "operations.open.submit.request.headers.Idempotency-Key",
            ),
            (
                "conditional_write: {value: true",
                "conditional_write: {value: false",
                "operations.open.submit.request.headers.If-Match",
            ),
            ("lookup_by_reference: {value: true", "lookup_by_reference: {value: false", "operations.open.lookup"),
            ("cancellation: {value: true", "cancellation: {value: false", "operations.open.cancel"),
            ("      reference: /ref\n      extract: {id: /id, thing: /thing, n: /n}\n", "", "operations.open.submit"),
            ("echo: {value: true, source: documented}", "echo: {value: true}", "capabilities.echo"),
            ("echo: {value: true, source: documented}", "echo: {value: true, source: unknown}", "capabilities.echo"),
            ("value: PT2M", "value: soon", "capabilities.visibility_delay.value"),
            ("status: 409", "status: 429", "operations.open.submit.definitive.0.status"),
            ("status: 503", "status: 404", "operations.open.submit.not_processed.0.status"),
            ("id: /id, thing: /thing, n: /n", "id: id", "operations.open.submit.extract.id"),
            ("          source: 'documented: guide, errors'\n", "", "operations.open.submit.definitive.0"),
            (
                "          source: 'documented: guide, errors'",
                "          source: documented",
                "operations.open.submit.definitive.0.source",
            ),
            (
                "'1'\", source: 'documented: guide, errors'",
                "'1'\", source: 'unknown: somebody said so'",
                "operations.open.submit.not_processed.0.source",
            ),
            ("{path: /ping}", "{path: /ping, method: POST}", "operations.ping.answer.request"),
            ("{path: /ping}", "{path: /ping, json: {}}", "operations.ping.answer.request.json"),
            (
                "next: {link: /next}",
                "next: {page: {in: body, parameter: p, size: 2}}",
                "operations.open.lookup.next.page.in",
            ),
            ("next: {link: /next}", "next: {link: 'header:X-Next'}", "operations.open.lookup.next.link"),
            ("  ping:\n", "  ping:\n    by_adapter: [target]\n", "operations.ping.by_adapter"),
            ("name: desk\n", "name: desk\noptions: {a: 1}\n", "options"),
            ("    answer: {request", "    list: {}\n    answer: {request", "operations.ping.list"),
        ],
    )
    def test_a_mistake_is_named_with_file_line_and_field(self, old: str, new: str, field: str) -> None:
        said = complaints(old, new)
        assert any(re.match(rf"desk\.yaml:\d+: {re.escape(field)}:? ?.+\.$", line) for line in said), said

    def test_the_line_is_the_fields_own(self) -> None:
        (said,) = complaints("status == 201 && has(body.id)", "status = 201")
        assert said.startswith(f"desk.yaml:{line_of('success: ')}: operations.open.submit.success: ")

    def test_all_mistakes_are_told_at_once(self) -> None:
        text = (
            GOOD.replace("connect: PT0.5S", "connect: soon").replace("path: /ping", "path: ping").replace("= 404", "")
        )
        with pytest.raises(FileError) as caught:
            read_system(text, name="desk.yaml", environ={})
        assert {problem.field for problem in caught.value.problems} == {
            "authentication",
            "timeouts.connect",
            "operations.open.target.missing",
            "operations.ping.answer.request.path",
        }

    def test_the_digest_moves_with_the_content_and_the_environment_and_not_with_secrets_or_layout(self) -> None:
        def digest(text: str = GOOD, **environ: str) -> str:
            return read_system(text, name="x.yaml", environ={**ENVIRON, **environ}).digest

        same = {digest(), digest("# a remark\n" + GOOD), digest(DESK_TOKEN="another-secret")}
        moved = GOOD.replace("http://127.0.0.1:9", "${WHERE}")
        others = {digest(GOOD.replace("PT2M", "PT3M")), digest(moved, WHERE="http://127.0.0.1:8")}
        assert len(same) == 1
        assert len(same | others) == 3
        assert digest(moved, WHERE="http://127.0.0.1:9") in same

    def test_a_name_used_twice_and_a_missing_directory_are_refused(self, tmp_path: Path) -> None:
        for name in ("a.yaml", "b.yaml"):
            (tmp_path / name).write_text(GOOD)
        with pytest.raises(FileError, match=r"b\.yaml:1: name: desk is configured in a\.yaml already\."):
            load_systems(tmp_path, environ=ENVIRON)
        with pytest.raises(FileError, match="does not exist"):
            load_systems(tmp_path / "nowhere", environ=ENVIRON)

    def test_no_secret_is_ever_shown(self, tmp_path: Path) -> None:
        (tmp_path / "secret").write_text("from-a-file\n")
        text = GOOD.replace("{env: DESK_TOKEN}", f"{{file: {tmp_path}/secret}}")
        config = read_system(text, name="x.yaml", environ={})
        assert config.credentials.headers == (("Authorization", "Bearer from-a-file"),)
        assert "from-a-file" not in repr(config)
        said = complaints("{env: DESK_TOKEN}", "{env: DESK_TOKEN}", environ={"DESK_TOKEN": "line\nbreak"})
        assert "break" not in "".join(said)

    def test_the_published_schema_is_valid_and_describes_every_part(self) -> None:
        schema = system_schema()
        jsonschema.Draft202012Validator.check_schema(schema)
        assert all(
            "description" in entry or "$ref" in entry or name == "name" for name, entry in schema["properties"].items()
        )


class TestRules:
    """A rule holds only on a boolean true."""

    @pytest.mark.parametrize(
        ("source", "data"),
        [
            ("a.x == 1", {}),
            ("a.x == 1", {"a": {}}),
            ("a.x <= 5", {"a": {"x": "1"}}),
            ("a.x <= 5", {"a": {"x": 10**40}}),
            ("a.x + 1 > 0", {"a": {"x": 2**63 - 1}}),
            ("1 / a.x == 1", {"a": {"x": 0}}),
            ("a.x == 'b'", {"a": {"x": "\ud800"}}),
            ("a.x", {"a": {"x": "true"}}),
        ],
    )
    def test_an_error_is_a_verdict_that_does_not_hold(self, source: str, data: dict) -> None:
        try:
            verdict = compile_rule(source, {"a": "map"}).judge(data)
        except RuleError:
            return
        assert not verdict.holds
        assert verdict.error

    def test_a_huge_integer_elsewhere_spoils_nothing_and_equals_only_itself(self) -> None:
        rule = compile_rule("a.x == 1 && a.big == b.big && a.big != 5", {"a": "map", "b": "map"})
        assert rule.judge({"a": {"x": 1, "big": 10**40}, "b": {"big": 10**40}}).holds
        assert not rule.judge({"a": {"x": 1, "big": 10**40}, "b": {"big": 10**40 + 1}}).holds

    @pytest.mark.parametrize("source", ["", "a.x ==", "b == 1", "a", "a.x", "1", "'true'", "x" * 5000])
    def test_what_is_no_boolean_over_known_names_is_refused_with_a_sentence(self, source: str) -> None:
        with pytest.raises(RuleError, match="The rule"):
            compile_rule(source, {"a": "map"})


@pytest.mark.parametrize(("text", "seconds"), [("PT10S", 10), ("PT0.5S", 0.5), ("PT1H30M", 5400), ("P1DT1S", 86401)])
def test_a_duration_has_one_length(text: str, seconds: float) -> None:
    assert duration(text).total_seconds() == seconds


@pytest.mark.parametrize(
    "text", ["", "P", "PT", "P1DT", "P1M", "P1Y", "1S", "PT1S ", "pt1s", "PT-1S", "PT1.S", "PT\u0661S"]
)
def test_what_is_no_duration_of_one_length_is_refused(text: str) -> None:
    with pytest.raises(DurationError):
        duration(text)
