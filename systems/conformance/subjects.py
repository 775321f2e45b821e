"""What the checks are run on: an adapter that can be pointed at any address, and an order it can hand over."""

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Protocol

from systems.adapters.base import Adapter, Order
from systems.adapters.registry import made
from systems.adapters.replies import Page
from systems.adapters.templating import Text
from systems.addresses import base_address
from systems.configuration import SystemConfig, Timeouts
from systems.conformance.bytesserver import reply
from systems.credentials import Credentials
from systems.operations import NO_JSON, RequestConfig

SECRET = "a-secret-of-the-checks"  # noqa: S105 - it opens nothing: it is looked for where no secret may show
DEADLINE, LOOK = timedelta(seconds=0.6), timedelta(seconds=0.4)


class Subject(Protocol):
    """One operation of one business system, as the checks need it."""

    def connect(self, base_url: str) -> Adapter:
        """A new adapter that speaks to this address (plain http on loopback), with an attempt deadline below 2 s."""

    def order(self) -> Order:
        """An order that `prepare` takes; its reference is new each time."""

    def page(self, references: Sequence[str]) -> bytes | None:
        """The whole HTTP answer of a search, its only page: one effect for each reference. None to leave it out."""

    def fields(self) -> Mapping[str, Any]:
        """Fields as a first answer would have given them, for a cancellation."""


@dataclass(frozen=True)
class ConfiguredSubject:
    """An operation of a configuration file: everything else follows from the file."""

    config: SystemConfig
    operation: str

    def connect(self, base_url: str) -> Adapter:
        """The same system at another address, in a hurry, with a secret of the checks."""
        url = base_url + self.config.address.prefix
        address = base_address(url, hosts=frozenset({"127.0.0.1"}), allow_private=True)
        return made(
            replace(
                self.config,
                base_url=address.url,
                person_base_url=address.url,
                address=address,
                hosts=frozenset({"127.0.0.1"}),
                allow_private=True,
                ca_file=None,
                attempt_deadline=DEADLINE,
                timeouts=Timeouts(LOOK, LOOK, LOOK),
                credentials=Credentials((("Authorization", f"Bearer {SECRET}"),), (SECRET,)),
            )
        )

    def order(self) -> Order:
        """Every place of the templates is filled with a word."""
        arguments = self._words("arguments")
        target = "T-1" if self.config.operations[self.operation].has("target") else None
        return Order(self.operation, arguments, target, "7", str(uuid.uuid4()), "queue")

    def page(self, references: Sequence[str]) -> bytes | None:
        """Built from the pointers of the lookup; None where its rule wants more of a page than they say."""
        lookup = self.config.operations[self.operation].lookup
        if lookup is None or (lookup.next and "link" not in lookup.next and len(references) >= _size(lookup.next)):
            return None
        document = _at(lookup.items, [_at(lookup.reference, reference) for reference in references])
        page = Page(200, {"content-type": "application/json"}, document, None)
        missing = lookup.missing is not None and lookup.missing.judge(page.facts).holds
        return reply(json.dumps(document).encode()) if lookup.found.judge(page.facts).holds and not missing else None

    def fields(self) -> Mapping[str, Any]:
        """The same for the places that a first answer fills."""
        return self._words("fields")

    def _words(self, root: str) -> dict[str, Any]:
        words: dict[str, Any] = {}
        for request in self._requests():
            for name in (place.name for text in _texts(request) for place in text.places):
                if name[0] == root:
                    _put(words, name[1:], "word")
        return words

    def _requests(self) -> Iterator[RequestConfig]:
        operation = self.config.operations[self.operation]
        for part in (operation.submit, operation.lookup, operation.cancel, operation.preview):
            if part is not None:
                yield part.request


def subjects(config: SystemConfig) -> list[ConfiguredSubject]:
    """One for each operation that hands over."""
    return [ConfiguredSubject(config, name) for name, operation in config.operations.items() if operation.has("submit")]


def _texts(request: RequestConfig) -> Iterator[Text]:
    yield request.path
    for held in (request.query, request.headers, request.form or {}):
        yield from held.values()
    if request.json is not NO_JSON:
        yield from _leaves(request.json)


def _leaves(template: Any) -> Iterator[Text]:
    if isinstance(template, Text):
        yield template
    elif isinstance(template, Mapping):
        for value in template.values():
            yield from _leaves(value)
    elif isinstance(template, list):
        for value in template:
            yield from _leaves(value)


def _put(document: dict[str, Any], name: Iterable[str], value: str) -> None:
    *above, last = name
    for part in above:
        document = document.setdefault(part, {})
    document[last] = value


def _at(pointer: str, value: Any) -> Any:
    """A document in which the pointer leads to the value."""
    for part in reversed(pointer.split("/")[1:]):
        value = {part.replace("~1", "/").replace("~0", "~"): value}
    return value


def _size(following: Mapping[str, Any]) -> int:
    """From how many items on a page is not the last."""
    (counter,) = following.values()
    return int(counter["size"])
