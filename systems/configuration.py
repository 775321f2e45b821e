"""Business systems as configuration: one YAML file each, checked to the last field before anything is sent."""

import json
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from systems.adapters.base import canonical_digest
from systems.adapters.replies import Pointer
from systems.addresses import BaseAddress, UnsafeAddress, base_address, checked_host
from systems.callbacks import SHORTEST, CallbackConfig, key_of
from systems.capabilities import Capabilities, read_capabilities
from systems.cel import Rule, RuleError, compile_rule
from systems.compiling import RULE_VARIABLES, OperationReader
from systems.credentials import Credentials, MissingSecret, read_credentials, read_secret
from systems.durations import DurationError, duration
from systems.operations import OperationConfig
from systems.yamlfiles import FileError, Positions, Problem, check_schema, load_yaml
from systems.yamlfiles import Path as Place

SCHEMA_FILE = Path(__file__).parent / "schemas" / "system.schema.json"
LONGEST = timedelta(minutes=10)
_VARIABLE = re.compile(r"\$\{([A-Z_][A-Z0-9_]*)\}")
_SUBSTITUTED = ("base_url", "person_base_url", "ca_file")
HTTP = "http"
_TOKEN_URL: Place = ("authentication", "oauth2", "token_url")


@dataclass(frozen=True)
class Timeouts:
    """Totals for each kind of call; `connect` bounds name lookup plus connection, and the TLS handshake."""

    connect: timedelta
    resolve: timedelta
    lookup: timedelta


@dataclass(frozen=True)
class SystemConfig:
    """A business system, ready to use. `digest` covers everything but secrets, with the environment filled in."""

    name: str
    title: Mapping[str, str]
    adapter: str
    base_url: str
    hosts: frozenset[str]
    allow_private: bool
    ca_file: str | None
    attempt_deadline: timedelta
    timeouts: Timeouts
    response_max_bytes: int
    operations: Mapping[str, OperationConfig]
    capabilities: Capabilities
    digest: str
    source_file: str
    address: BaseAddress
    person_base_url: str
    credentials: Credentials = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    callbacks: CallbackConfig | None = None


@lru_cache(maxsize=1)
def system_schema() -> Mapping[str, Any]:
    """The JSON Schema (2020-12) of a system's file."""
    schema: Mapping[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    return schema


def load_systems(directory: Path, *, environ: Mapping[str, str]) -> dict[str, SystemConfig]:
    """Every system configured in the directory's `*.yaml` files, by name.

    Raises one FileError with the problems of all files: unknown keys, unsafe addresses, missing timeouts or secrets,
    rules and templates that cannot work, a name used twice.
    """
    if not directory.is_dir():
        raise FileError(Problem(str(directory), 0, "", "the directory of business systems does not exist."))
    systems: dict[str, SystemConfig] = {}
    problems: list[Problem] = []
    for file in sorted(directory.glob("*.yaml")):
        try:
            config = read_system(file.read_bytes(), name=file.name, environ=environ)
        except FileError as error:
            problems.extend(error.problems)
            continue
        if config.name in systems:
            first = systems[config.name].source_file
            problems.append(Problem(file.name, 1, "name", f"{config.name} is configured in {first} already."))
        systems[config.name] = config
    if problems:
        raise FileError(*problems)
    return systems


def read_system(text: bytes | str, *, name: str, environ: Mapping[str, str]) -> SystemConfig:
    """The system of one file; FileError with every problem that could be found."""
    document, positions = load_yaml(text, name=name)
    check_schema(document, positions, schema=system_schema(), name=name)
    return _SystemReader(document, positions, environ).read()


class _SystemReader:
    """Reads one document that fits the schema; complaints gather, and are raised together at the end."""

    def __init__(self, document: dict[str, Any], positions: Positions, environ: Mapping[str, str]) -> None:
        self.document = document
        self.positions = positions
        self.environ = environ
        self.problems: list[Problem] = []

    def read(self) -> SystemConfig:
        self._substitute()
        document = self.document
        capabilities = self._capabilities()
        kind = document.get("adapter", HTTP)
        operations = OperationReader(self.positions, capabilities, self.problems, own_adapter=kind != HTTP)
        read_operations = {name: operations.read(name, entry) for name, entry in document["operations"].items()}
        deadline, timeouts = self._times()
        hosts = self._hosts()
        address = self._address(("base_url",), document["base_url"], hosts)
        person = address
        if "person_base_url" in document:
            person = self._address(("person_base_url",), document["person_base_url"], hosts)
        credentials, callbacks = self._credentials(deadline, hosts), self._callbacks()
        self._check_ca_file()
        if kind == HTTP and "options" in document:
            self._complain(("options",), "is for an adapter of yours.")
        if self.problems or address is None or person is None:
            raise FileError(*sorted(self.problems, key=lambda problem: (problem.line, problem.field)))
        return SystemConfig(
            name=document["name"],
            title=document["title"],
            adapter=kind,
            base_url=address.url,
            hosts=hosts,
            allow_private=document.get("allow_private", False),
            ca_file=document.get("ca_file"),
            attempt_deadline=deadline,
            timeouts=timeouts,
            response_max_bytes=document.get("response_max_bytes", 65536),
            operations=read_operations,
            capabilities=capabilities,
            digest=canonical_digest(document),
            source_file=self.positions.name,
            address=address,
            person_base_url=person.url,
            credentials=credentials,
            options=document.get("options", {}),
            callbacks=callbacks,
        )

    def _complain(self, path: Place, reason: str) -> None:
        self.problems.append(self.positions.problem(path, reason))

    def _substitute(self) -> None:
        for key in _SUBSTITUTED:
            if key in self.document:
                self.document[key] = self._filled((key,), self.document[key])
        hosts = self.document["hosts"]
        self.document["hosts"] = [self._filled(("hosts", index), host) for index, host in enumerate(hosts)]
        authentication = self.document["authentication"]
        if "oauth2" in authentication:
            entry = authentication["oauth2"]
            entry["token_url"] = self._filled(_TOKEN_URL, entry["token_url"])

    def _filled(self, path: Place, text: str) -> str:
        for name in _VARIABLE.findall(text):
            if not self.environ.get(name):
                self._complain(path, f"the environment variable {name} is not set.")
        return _VARIABLE.sub(lambda found: self.environ.get(found[1], ""), text)

    def _capabilities(self) -> Capabilities:
        entries = self.document.get("capabilities", {})
        for name, entry in entries.items():
            if (entry.get("value") is None) != (entry["source"] == "unknown"):
                self._complain(("capabilities", name), "has a value exactly when its source is not unknown.")
        try:
            return read_capabilities(entries)
        except DurationError as error:
            self._complain(("capabilities", "visibility_delay", "value"), str(error))
            return Capabilities()

    def _times(self) -> tuple[timedelta, Timeouts]:
        deadline = self._duration(("attempt_deadline",), self.document["attempt_deadline"])
        entries = self.document["timeouts"]
        timeouts = Timeouts(**{name: self._duration(("timeouts", name), text) for name, text in entries.items()})
        if timeouts.connect > deadline:
            self._complain(("timeouts", "connect"), "is longer than attempt_deadline.")
        return deadline, timeouts

    def _duration(self, path: Place, text: str) -> timedelta:
        try:
            length = duration(text)
        except DurationError as error:
            self._complain(path, str(error))
            return timedelta()
        if not timedelta() < length <= LONGEST:
            self._complain(path, "must be longer than nothing and at most ten minutes.")
        return length

    def _hosts(self) -> frozenset[str]:
        allow_private = self.document.get("allow_private", False)
        hosts = set()
        for index, host in enumerate(self.document["hosts"]):
            try:
                hosts.add(checked_host(host, allow_private=allow_private))
            except UnsafeAddress as error:
                self._complain(("hosts", index), str(error))
        return frozenset(hosts)

    def _address(self, path: Place, url: str, hosts: frozenset[str]) -> BaseAddress | None:
        allow_private = self.document.get("allow_private", False)
        try:
            return base_address(url, hosts=hosts, allow_private=allow_private)
        except UnsafeAddress as error:
            self._complain(path, str(error))
            return None

    def _credentials(self, deadline: timedelta, hosts: frozenset[str]) -> Credentials:
        try:
            credentials = read_credentials(self.document["authentication"], environ=self.environ)
        except (MissingSecret, DurationError) as error:
            self._complain(("authentication",), str(error))
            return Credentials()
        if credentials.client is not None:
            self._address(_TOKEN_URL, credentials.client.url, hosts)
            if not timedelta() < credentials.client.within < deadline:
                self._complain(
                    (*_TOKEN_URL[:2], "within"), "must leave time for the request: less than attempt_deadline."
                )
        return credentials

    def _callbacks(self) -> CallbackConfig | None:
        entry = self.document.get("callbacks")
        if entry is None:
            return None
        refused = entry.get("refused")
        return CallbackConfig(
            secrets={slug: self._callback_key(slug, where) for slug, where in entry["secrets"].items()},
            tolerance=self._duration(("callbacks", "tolerance"), entry["tolerance"]),
            reference=Pointer(entry["reference"]),
            event_time=Pointer(entry["event_time"]) if "event_time" in entry else None,
            extract={name: Pointer(source) for name, source in entry.get("extract", {}).items()},
            success=self._rule(("callbacks", "success"), entry["success"]),
            refused=self._rule(("callbacks", "refused", "when"), refused["when"]) if refused else None,
        )

    def _callback_key(self, slug: str, where: Mapping[str, str]) -> bytes:
        try:
            secret = read_secret(where, environ=self.environ)
            if len(secret) < SHORTEST:
                raise MissingSecret(f"a callback's secret has at least {SHORTEST} characters.")
            return key_of(secret)
        except ValueError as error:
            self._complain(("callbacks", "secrets", slug), str(error))
            return b""

    def _rule(self, path: Place, source: str) -> Rule:
        try:
            return compile_rule(source, RULE_VARIABLES)
        except RuleError as error:
            self._complain(path, str(error))
            return compile_rule("false", RULE_VARIABLES)

    def _check_ca_file(self) -> None:
        if "ca_file" not in self.document:
            return
        try:
            ssl.create_default_context(cafile=self.document["ca_file"])
        except (OSError, ValueError):
            self._complain(("ca_file",), "holds no readable certificates.")
