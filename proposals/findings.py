"""What the linter of contracts can find: stable codes, whether each blocks publication, and its sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Path = tuple[str | int, ...]


class Severity(StrEnum):
    """An error keeps a contract from being published; a warning is shown wherever the contract is."""

    ERROR = "error"
    WARNING = "warning"


_E, _W = Severity.ERROR, Severity.WARNING

# Codes are never renamed: owners write them down. docs/contract-linter.md explains each; a test keeps the two equal.
CODES: Mapping[str, tuple[Severity, str | Promise]] = {
    "free_form_object": (_E, _("An object takes fields that nobody described: close it.")),
    "parameter_without_description": (_E, _("A description is missing: a model reads nothing else about it.")),
    "parameter_without_type": (_E, _("It takes anything: say its type.")),
    "list_without_items": (_E, _("A list does not say what it holds.")),
    "id_without_pattern": (_E, _("The identifier %(name)s takes any text: give it a pattern or an enum.")),
    "date_without_format": (_E, _("The date %(name)s takes any text: give it the format date or date-time.")),
    "missing_when_not": (_E, _("The description does not say when not to use the tool: write “Do not use …”.")),
    "destructive_without_confirmation": (
        _E,
        _("The tool destroys something: ask for an argument that repeats what is destroyed, and compare it in a rule."),
    ),
    "missing_when": (_W, _("The description does not say when to use the tool: write “Use when …”.")),
    "missing_limits": (_W, _("The description names no limit, such as “one file per call”.")),
    "parameter_without_limit": (_W, _("%(name)s has no limit: %(wanted)s is missing.")),
    "overlapping_descriptions": (
        _W,
        _("%(percent)s %% of its words are those of %(other)s: a model cannot tell the two tools apart."),
    ),
    "confusable_name": (_W, _("The name is easily taken for that of %(other)s.")),
    "no_examples": (_W, _("Show at least one example of arguments that fit, and one of arguments that do not.")),
    "no_budget": (_W, _("No budget limits how often an agent may ask.")),
    "large_for_models": (
        _W,
        _("It takes about %(tokens)s tokens of what a model reads; %(most)s are enough for a good contract."),
    ),
}


@dataclass(frozen=True)
class Finding:
    """One thing the linter found: its code, where in the contract, and what its sentence names."""

    code: str
    path: Path = ()
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def severity(self) -> Severity:
        """Whether it blocks publication."""
        return CODES[self.code][0]

    @property
    def place(self) -> str:
        """The field of the contract, as `policy.budget`; empty for the whole."""
        return ".".join(str(part) for part in self.path)

    def sentence(self) -> str:
        """What is wrong and what would mend it, in the language that is active."""
        text = str(CODES[self.code][1])
        return text % self.names if self.names else text.replace("%%", "%")
