"""What a tool contract says, as frozen values; read from the stored document, cached by its digest."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from typing import Any, Literal

from journal.digests import canonical, sha256
from proposals import coherence
from proposals.amounts import spoken
from proposals.coherence import Words, rule_of
from proposals.models import ContractVersion
from proposals.rates import Rate, rate
from proposals.repetition import Loops
from systems import cel
from systems.durations import duration
from systems.yamlfiles import FileError, Positions, Problem, check_schema, load_yaml

_CACHED = 512


@dataclass(frozen=True)
class Rule:
    """One invariant in CEL with the sentence told when it does not hold. `argument_only` rules need no target."""

    source: str
    sentence: Words
    compiled: cel.Rule
    argument_only: bool


@dataclass(frozen=True)
class Check:
    """What one field of an observation must show: `present`, or `equals` the named argument."""

    field: str
    rule: Literal["present", "equals"]
    argument: str | None
    max_age: timedelta | None = None
    limits: Words | None = None


@dataclass(frozen=True)
class Policy:
    """Who may ask, who may sign, how many, and the clocks. A contract without effect has no approver and quorum 0."""

    requester_roles: tuple[str, ...]
    approver_roles: tuple[str, ...]
    quorum: int
    review_within: timedelta
    approval_valid_for: timedelta
    outcome_within: timedelta
    version_change: Literal["new_preparation", "ignore"]
    budget: Mapping[str, Rate]
    loops: Loops
    idempotency_window: timedelta


@dataclass(frozen=True)
class Execution:
    """Where the order goes. `delivery_attempts` within `delivery_within` count attempts that never left only."""

    system: str
    operation: str
    queue: str
    handled_by: Words | None
    on_fence: Literal["wait", "refuse"]
    delivery_attempts: int
    delivery_within: timedelta
    compensation: str | None


@dataclass(frozen=True)
class Reconciliation:
    """How an unknown is worked on: probes counted from the hand-over, then a role."""

    probe_after: tuple[timedelta, ...]
    visibility_delay: timedelta
    escalate_to: str
    second_person: bool


@dataclass(frozen=True)
class Reasons:
    """The codes an approver chooses from."""

    refuse: tuple[str, ...]
    change: tuple[str, ...]


@dataclass(frozen=True)
class Contract:
    """One version of a tool contract. `arguments` is its JSON Schema, `digest` that of the whole document."""

    name: str
    version: str
    title: Words
    headline: Words
    description: str
    arguments: Mapping[str, Any]
    target_argument: str | None
    version_argument: str | None
    reason_argument: str | None
    material_arguments: tuple[str, ...]
    reasons: Reasons
    effect: Literal["write", "none"]
    rules: tuple[Rule, ...]
    consequence: Words | None
    consequence_level: Literal["low", "moderate", "high"]
    policy: Policy
    execution: Execution
    effect_to_verify: tuple[Check, ...]
    output_fields: tuple[str, ...]
    output_max_bytes: int
    reconciliation: Reconciliation
    statements: Mapping[str, Words]
    target_word: Words | None
    argument_labels: Mapping[str, Words]
    argument_words: Mapping[str, Words] = field(repr=False)
    amounts: Mapping[str, Mapping[str, Any]]
    digest: str

    @property
    def public_id(self) -> str:
        """`ouvrir_revue_dossier@2`."""
        return f"{self.name}@{self.version}"

    def title_for(self, language: str, target: str | None, arguments: Mapping[str, Any] | None = None) -> str:
        """What one proposal asks: “Open an internal review of D-42”; the bare title where nothing is named."""
        words = in_language(self.headline if target is not None or arguments else self.title, language)
        given = arguments or {}
        return coherence.filled(words, {"target": target, **_dotted(given), **self._amounts(language, given)})

    def amount_words(self, language: str, name: str, arguments: Mapping[str, Any]) -> str:
        """An argument as an amount (“12.50 EUR”); empty where the contract does not say that it is one."""
        return self._amounts(language, arguments).get(f"amounts.{name}", "")

    def _amounts(self, language: str, arguments: Mapping[str, Any]) -> dict[str, str]:
        """`amounts.<name>` for each argument that is one and is given with its currency."""
        return {
            f"amounts.{name}": spoken(
                arguments[name],
                digits=amount["minor_digits"],
                currency=arguments[amount["currency"]],
                language=language,
            )
            for name, amount in self.amounts.items()
            if name in arguments and amount["currency"] in arguments
        }

    def consequence_words(self, language: str) -> str:
        """The consequence as an approver reads it; empty for a contract without effect."""
        return in_language(self.consequence, language)

    def target_words(self, language: str) -> str:
        """The kind of target (“case file”); empty where the contract names none."""
        return in_language(self.target_word, language)

    def reason_words(self, language: str, value: Any) -> str:
        """The words for a reason or another coded value; the value itself where the contract has no words."""
        return in_language(self.argument_words.get(str(value)), language) or str(value)

    def argument_label(self, language: str, name: str) -> str:
        """The words for an argument's name; the name itself where the contract has none."""
        return in_language(self.argument_labels.get(name), language) or name

    def statement(self, language: str, status: str, facts: Mapping[str, Any]) -> str:
        """The sentence of this contract for `status`, with fields filled in; empty where it has none."""
        return coherence.filled(in_language(self.statements.get(status), language), facts)


def in_language(words: Words | None, language: str) -> str:
    """The words in a language tag such as `fr-CA`, English where there is nothing nearer; empty for None."""
    if not words:
        return ""
    return words.get(language.split("-")[0].lower()) or words["en"]


_cache: dict[str, Contract] = {}


def contract_of(version: ContractVersion) -> Contract:
    """The contract a version holds, parsed once per process and digest.

    Raises RuntimeError when the stored bytes are not those that the digest names.
    """
    known = _cache.get(version.digest)
    if known is None:
        content = bytes(version.canonical)
        if sha256(content) != version.digest:
            raise RuntimeError(f"the stored bytes of {version.name}@{version.version} do not match their digest")
        while len(_cache) >= _CACHED:
            _cache.pop(next(iter(_cache)), None)
        known = _cache[version.digest] = from_document(json.loads(content), version.digest)
    return known


def parse_contract(
    text: bytes | str, name: str, *, systems: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], Contract]:
    """The document in `text` and the contract it makes; `name` is the file's name in complaints.

    With `systems`, the configured business systems by name, the contract must also fit the one it names.

    Raises systems.yamlfiles.FileError with every problem, each with file, line and field.
    """
    content, positions, contract = _read(text, name)
    document: dict[str, Any] = json.loads(content)
    if systems is not None:
        _refuse(coherence.disagreements(document, positions, systems))
    return document, contract


def positions_of(text: bytes | str, name: str) -> Positions:
    """Where each field of a contract file stands. Raises FileError as `parse_contract` does."""
    return _read(text, name)[1]


# One file is published into several organizations: it is read once.
@lru_cache(maxsize=64)
def _read(text: bytes | str, name: str) -> tuple[bytes, Positions, Contract]:
    document, positions = load_yaml(text, name=name)
    check_schema(document, positions, schema=coherence.contract_schema(), name=name)
    _refuse(coherence.problems(document, positions))
    content = canonical(document)
    # Read back, so that a contract is the same value here and wherever its stored bytes are read: 2.0 becomes 2.
    return content, positions, from_document(json.loads(content), sha256(content))


def _refuse(problems: Iterable[Problem]) -> None:
    found = sorted(problems, key=lambda problem: (problem.line, problem.field))
    if found:
        raise FileError(*found)


def from_document(document: Mapping[str, Any], digest: str) -> Contract:
    """The contract of a document that passed its checks."""
    roles = document.get("roles_of_arguments", {})
    words = document.get("words", {})
    reasons = document.get("reasons", {})
    described = words.get("arguments", {})
    values = {code: said for about in described.values() for code, said in about.get("values", {}).items()}
    return Contract(
        name=document["name"],
        version=document["version"],
        title=document["title"],
        headline=document.get("headline", document["title"]),
        description=document["description"],
        arguments=document["arguments"],
        target_argument=roles.get("target"),
        version_argument=roles.get("observed_version"),
        reason_argument=roles.get("reason"),
        material_arguments=tuple(document.get("material_arguments", ())),
        reasons=Reasons(tuple(reasons.get("refuse", ())), tuple(reasons.get("change", ()))),
        effect=document["effect"],
        rules=tuple(Rule(rule["if"], rule["else"], *rule_of(rule["if"])) for rule in document.get("rules", ())),
        consequence=document.get("consequence"),
        consequence_level=document.get("consequence_level", "low"),
        policy=_policy(document["policy"]),
        execution=_execution(document["execution"]),
        effect_to_verify=tuple(_check(*item) for item in document.get("effect_to_verify", {}).items()),
        output_fields=tuple(document["output"]["fields"]),
        output_max_bytes=document["output"]["max_bytes"],
        reconciliation=_reconciliation(document.get("reconciliation", {})),
        statements=document.get("statements", {}),
        target_word=words.get("target"),
        argument_labels={name: about["label"] for name, about in described.items() if "label" in about},
        argument_words={**words.get("reasons", {}), **values},
        amounts={name: about["amount"] for name, about in described.items() if "amount" in about},
        digest=digest,
    )


def _policy(said: Mapping[str, Any]) -> Policy:
    return Policy(
        requester_roles=tuple(said["requester_roles"]),
        approver_roles=tuple(said.get("approver_roles", ())),
        quorum=said.get("quorum", 0),
        review_within=duration(said.get("review_within", "PT0S")),
        approval_valid_for=duration(said.get("approval_valid_for", "PT0S")),
        outcome_within=duration(said.get("outcome_within", "PT0S")),
        version_change=said.get("version_change", "ignore"),
        budget={name: rate(text) for name, text in said.get("budget", {}).items()},
        loops=_loops(said.get("loops", {})),
        idempotency_window=duration(said["idempotency_window"]),
    )


def _loops(said: Mapping[str, Any]) -> Loops:
    known = {name: value for name, value in said.items() if name != "within"}
    return Loops(**known, within=duration(said["within"])) if "within" in said else Loops(**known)


def _execution(said: Mapping[str, Any]) -> Execution:
    budget = said.get("delivery_budget", {"attempts": 1, "within": "PT0S"})
    return Execution(
        system=said["system"],
        operation=said["operation"],
        queue=said.get("queue", ""),
        handled_by=said.get("handled_by"),
        on_fence=said.get("on_fence", "wait"),
        delivery_attempts=budget["attempts"],
        delivery_within=duration(budget["within"]),
        compensation=said.get("compensation"),
    )


def _check(name: str, said: str | Mapping[str, Any]) -> Check:
    about: Mapping[str, Any] = {"rule": said} if isinstance(said, str) else said
    argument = about["rule"].partition(" arguments.")[2]
    max_age = duration(about["max_age"]) if "max_age" in about else None
    return Check(name, "equals" if argument else "present", argument or None, max_age, about.get("limits"))


def _reconciliation(said: Mapping[str, Any]) -> Reconciliation:
    return Reconciliation(
        probe_after=tuple(duration(after) for after in said.get("probe_after", ())),
        visibility_delay=duration(said.get("visibility_delay", "PT0S")),
        escalate_to=said.get("escalate_to", ""),
        second_person=said.get("second_person", False),
    )


def _dotted(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {f"arguments.{name}": value for name, value in arguments.items()}
