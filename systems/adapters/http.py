"""The declarative HTTP adapter: a configuration file becomes requests, and answers become facts."""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from systems.adapters import authenticating, templating
from systems.adapters.base import (
    CannotPrepare,
    Delivery,
    Listing,
    Lookup,
    Missing,
    Observation,
    Order,
    Prepared,
    Preview,
    Reply,
    UnknownOperation,
    Unreachable,
    bytes_digest,
    canonical_digest,
)
from systems.adapters.judging import extracted, page_of, reply_of
from systems.adapters.replies import Page, shown
from systems.adapters.searching import Search
from systems.adapters.sending import Exchange, Limits, exchange
from systems.configuration import SystemConfig
from systems.operations import (
    NO_JSON,
    AnswerConfig,
    OperationConfig,
    RequestConfig,
    SearchConfig,
    TargetConfig,
    WriteConfig,
)

log = logging.getLogger(__name__)

MAX_URL = 4_000
ALARMING = frozenset({"tls", "address", "token"})  # nothing was sent, and only an operator can mend it
MAX_LABEL = 300
MAX_CODE = 100
_ALWAYS = (("Accept", "application/json"), ("Accept-Encoding", "identity"), ("User-Agent", "Countersign"))


class _NotShown(Exception):
    """An answer that was found does not show a usable target; the text is a sentence."""


@dataclass(frozen=True)
class HttpAdapter:
    """One configured system over HTTP; holds no connection, so it is shared by threads and forked children."""

    config: SystemConfig

    def resolve(self, operation: str, target: str | None) -> Observation | Missing | Unreachable:
        """The target as it stands now, in exactly one request (none when the reference cannot be one at all).

        For an operation without target: the answer of its read, as an Observation with empty target and scope.
        """
        found = self._operation(operation)
        if found.target is not None and target is not None:
            return self._resolved(found.target, found.answer, target)
        if found.answer is not None and found.answer.request is not None and target is None:
            return self._answered(found.answer, found.answer.request)
        raise UnknownOperation(f"{self.config.name}.{operation} cannot be read in this way.")

    def preview(self, order: Order) -> Preview | Unreachable:
        """What the order would do, as the system says it, in one request that only reads."""
        config = self._operation(order.operation).preview
        if config is None:
            raise UnknownOperation(f"{self.config.name}.{order.operation} has no preview.")
        try:
            request = self._prepared(config.request, {k: v for k, v in _data(order).items() if k != "reference"})
        except CannotPrepare as error:
            return Unreachable(str(error))
        page = self._read(request)
        if isinstance(page, Unreachable):
            return page
        if not (200 <= page.status < 300 and page.readable and config.success.judge(page.facts).holds):
            return Unreachable(page.unreadable_because or f"The system answered {page.status}.")
        fields = extracted(config.extract, page)
        return Preview(fields, canonical_digest(fields))

    def prepare(self, order: Order) -> Prepared:
        """The exact request for this order; CannotPrepare when the order does not fit its templates."""
        write = self._operation(order.operation).submit
        if write is None:
            raise UnknownOperation(f"{self.config.name}.{order.operation} submits nothing.")
        return self._prepared(write.request, _data(order), order.operation)

    def submit(self, prepared: Prepared, *, seconds_left: float) -> Reply:
        """The request is handed over once, within `seconds_left` and the system's attempt deadline."""
        write = self._operation(prepared.operation).submit
        if write is None:
            raise UnknownOperation(f"{self.config.name}.{prepared.operation} submits nothing.")
        return self._written(write, prepared, seconds_left)

    def lookup(self, order: Order) -> Lookup:
        """Every effect that carries the order's reference; never complete where no lookup is configured."""
        config = self._operation(order.operation).lookup
        if config is None:
            return Lookup((), False, "not_declared", "", None, 0.0)
        return self._search(config, _data(order), order.reference).lookup()

    def list(self, operation: str, *, since: datetime, until: datetime) -> Listing:
        """Every effect of ours in this span; never complete where no list is configured."""
        config = self._operation(operation).list
        if config is None:
            return Listing((), False, "not_declared", 0.0)
        span = {"since": _instant(since), "until": _instant(until)}
        return self._search(config, span, None).listing()

    def cancel(self, order: Order, fields: Mapping[str, Any]) -> Reply:
        """Cancellation is asked once, within the attempt deadline; `fields` are those the first answer gave."""
        write = self._operation(order.operation).cancel
        if write is None:
            raise UnknownOperation(f"{self.config.name}.{order.operation} cannot be cancelled.")
        prepared = self._prepared(write.request, {**_data(order), "fields": fields}, order.operation)
        return self._written(write, prepared, self.config.attempt_deadline.total_seconds())

    def person_url(self, operation: str, about: Mapping[str, Any] | str | None) -> str | None:
        """Where a person sees the effect (`about`: its fields) or the target (`about`: its reference), if anywhere."""
        data = {"fields": about} if isinstance(about, Mapping) else {"target": about} if about else {}
        for template in self._operation(operation).person_urls:
            try:
                return self.config.person_base_url + templating.render_path(template, data)
            except CannotPrepare:
                continue
        return None

    def _operation(self, name: str) -> OperationConfig:
        try:
            return self.config.operations[name]
        except KeyError as error:
            raise UnknownOperation(f"{self.config.name} has no operation {name}.") from error

    def _resolved(
        self, config: TargetConfig, answer: AnswerConfig | None, target: str
    ) -> Observation | Missing | Unreachable:
        try:
            request = self._prepared(config.request, {"target": target})
        except CannotPrepare:
            return Missing("The reference cannot be one of this system.")
        page = self._read(request)
        if isinstance(page, Unreachable):
            return page
        if config.missing.judge(page.facts).holds:
            return Missing(f"The system answered {page.status}: there is no such target.")
        if not (page.readable and config.found.judge(page.facts).holds):
            return Unreachable(page.unreadable_because or f"The system answered {page.status}.")
        try:
            return _observation(config, answer, target, page)
        except _NotShown as error:
            return Unreachable(str(error))

    def _answered(self, answer: AnswerConfig, request: RequestConfig) -> Observation | Unreachable:
        page = self._read(self._prepared(request, {}))
        if isinstance(page, Unreachable):
            return page
        if not (page.readable and answer.success is not None and answer.success.judge(page.facts).holds):
            return Unreachable(page.unreadable_because or f"The system answered {page.status}.")
        told = extracted(answer.extract, page)
        return Observation("", "", "", None, "", {}, canonical_digest(told), told)

    def _read(self, request: Prepared) -> Page | Unreachable:
        got = self._exchange(request, self.config.timeouts.resolve.total_seconds())
        if got.fault is not None or got.status is None:
            return Unreachable(f"The system gave no whole answer: {got.fault}.")
        return page_of(got)

    def _search(self, config: SearchConfig, data: Mapping[str, Any], reference: str | None) -> Search:
        request = self._prepared(config.request, data)
        return Search(
            config=config,
            reference=reference,
            url=request.url,
            body=request.body,
            ask=lambda url, body, seconds: self._exchange(replace(request, url=url, body=body), seconds),
            seconds=self.config.timeouts.lookup.total_seconds(),
        )

    def _prepared(self, request: RequestConfig, data: Mapping[str, Any], operation: str = "") -> Prepared:
        url = self.config.base_url + templating.render_path(request.path, data)
        query = templating.render_query(request.query, data)
        url = f"{url}?{query}" if query else url
        if len(url) > MAX_URL:
            raise CannotPrepare("The address of the request would be too long.")
        kind, body = _body(request, data)
        headers = (*_ALWAYS, *kind, *templating.render_headers(request.headers, data))
        return Prepared(
            request.method, url, headers, body, _request_digest(request.method, url, headers, body), operation
        )

    def _written(self, write: WriteConfig, prepared: Prepared, seconds: float) -> Reply:
        got = self._exchange(prepared, min(seconds, self.config.attempt_deadline.total_seconds()))
        return reply_of(got, write=write)

    def _exchange(self, request: Prepared, seconds: float) -> Exchange:
        """The request is made once, within `seconds`, proof of who asks included: without it, nothing is sent."""
        began = time.monotonic()
        try:
            proof = authenticating.proof(self.config, seconds=seconds)
        except authenticating.NoToken:
            fault = "token" if seconds > 0 else "too_late"
            got = Exchange(Delivery.NEVER_SENT, fault, None, (), b"", time.monotonic() - began)
        else:
            got = self._proven(request, proof, seconds - (time.monotonic() - began))
        if got.fault in ALARMING:
            log.error("The business system %s was sent nothing: %s", self.config.name, got.fault)
        return got

    def _proven(self, request: Prepared, proof: authenticating.Proof, seconds: float) -> Exchange:
        got = exchange(
            method=request.method,
            url=request.url,
            headers=(*request.headers, *proof.headers),
            body=request.body,
            limits=self._limits(seconds),
        )
        if got.status == 401:
            authenticating.refused(self.config, proof)
        return replace(got, secrets=proof.secrets)

    def _limits(self, seconds: float) -> Limits:
        config = self.config
        connect = config.timeouts.connect.total_seconds()
        return Limits(seconds, connect, config.response_max_bytes, config.allow_private, config.ca_file)


def _data(order: Order) -> dict[str, Any]:
    """What templates may use; a target or version that the order has not is absent, not null."""
    data = {"arguments": order.arguments, "reference": order.reference, "queue": order.queue}
    if order.target is not None:
        data["target"] = order.target
    if order.observed_version is not None:
        data["observed_version"] = order.observed_version
    return data


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _body(request: RequestConfig, data: Mapping[str, Any]) -> tuple[tuple[tuple[str, str], ...], bytes]:
    if request.json is not NO_JSON:
        return (("Content-Type", "application/json"),), templating.render_json(request.json, data)
    if request.form is not None:
        kind = (("Content-Type", "application/x-www-form-urlencoded"),)
        return kind, templating.render_query(request.form, data).encode("ascii")
    return (), b""


def _request_digest(method: str, url: str, headers: tuple[tuple[str, str], ...], body: bytes) -> str:
    """No part can hold a line break before the body, so the lines read back in one way only."""
    head = "\n".join((f"{method} {url}", *(f"{name}: {value}" for name, value in headers), "", ""))
    return bytes_digest(head.encode("ascii") + body)


def _observation(config: TargetConfig, answer: AnswerConfig | None, target: str, page: Page) -> Observation:
    found = extracted(config.extract, page)
    if found.get("ref") != target:
        raise _NotShown("The system answered about another object.")
    label, state, scope = (_word(found, name) for name in ("label", "state", "scope"))
    version = found.get("version")
    if "version" in config.extract and (isinstance(version, bool) or not isinstance(version, (int, str))):
        raise _NotShown("The system told no version.")
    attributes = extracted(config.attributes, page)
    facts = (target, label, state, version, scope, attributes)
    told = extracted(answer.extract, page) if answer else {}
    return Observation(*facts, digest=canonical_digest(facts), answer=told)


def _word(found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    if not isinstance(value, str) or not value.strip():
        raise _NotShown(f"The system told no {name}.")
    if name != "label" and (len(value) > MAX_CODE or not value.isprintable()):
        raise _NotShown(f"The system told a {name} that is not a plain code.")
    return shown(" ".join(value.split()), MAX_LABEL) if name == "label" else value
