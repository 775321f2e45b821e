"""The operations of a business system as its configuration states them: compiled templates, rules and pointers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from systems.adapters.replies import Pointer
from systems.adapters.templating import Text
from systems.cel import Rule

NO_JSON: Any = object()


@dataclass(frozen=True)
class RequestConfig:
    """One request's templates; at most one of `json` (NO_JSON when absent) and `form`.

    `reads_only` says where it is documented that a POST changes nothing; a reading GET needs no such word.
    """

    method: str
    path: Text
    query: Mapping[str, Text]
    headers: Mapping[str, Text]
    json: Any = NO_JSON
    form: Mapping[str, Text] | None = None
    reads_only: str = ""


@dataclass(frozen=True)
class TargetConfig:
    """How a target is read."""

    request: RequestConfig
    found: Rule
    missing: Rule
    extract: Mapping[str, Pointer]
    attributes: Mapping[str, Pointer]


@dataclass(frozen=True)
class DocumentedCode:
    """A status that means more than its default, with the shape that must go with it and the source of the meaning."""

    status: int
    when: Rule | None
    source: str
    means: Mapping[str, str] | None = None


@dataclass(frozen=True)
class WriteConfig:
    """How an order is handed over, or asked back."""

    request: RequestConfig
    success: Rule
    accepted: Rule | None
    reference: Pointer | None
    extract: Mapping[str, Pointer]
    definitive: tuple[DocumentedCode, ...]
    not_processed: tuple[DocumentedCode, ...]


@dataclass(frozen=True)
class SearchConfig:
    """How effects are searched by reference, or listed; `next` is the entry of the file, or empty."""

    request: RequestConfig
    found: Rule
    missing: Rule | None
    items: str
    reference: str
    extract: Mapping[str, str]
    next: Mapping[str, Any]
    page_limit: int


@dataclass(frozen=True)
class PreviewConfig:
    """How the system is asked what an order would do; `words` name the fields for people, in both languages."""

    request: RequestConfig
    success: Rule
    extract: Mapping[str, Pointer]
    words: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class AnswerConfig:
    """What a read may tell; without a request it comes from the target's own answer."""

    request: RequestConfig | None
    success: Rule | None
    extract: Mapping[str, Pointer]


@dataclass(frozen=True)
class OperationConfig:
    """One operation; a part that the file does not have is None. `by_adapter` names those that Python brings."""

    name: str
    target: TargetConfig | None = None
    submit: WriteConfig | None = None
    lookup: SearchConfig | None = None
    cancel: WriteConfig | None = None
    answer: AnswerConfig | None = None
    person_urls: tuple[Text, ...] = ()
    preview: PreviewConfig | None = None
    list: SearchConfig | None = None
    by_adapter: frozenset[str] = frozenset()

    def has(self, part: str) -> bool:
        """Whether the operation has this part: target, preview, submit, lookup, list, cancel, answer."""
        return part in self.by_adapter or getattr(self, part) is not None
