"""Compiling the operations of a configuration file, with a complaint for everything that could not work."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from systems.adapters.replies import Pointer
from systems.adapters.templating import ROOTS, TemplateError, Text, compile_json, compile_path, compile_text
from systems.capabilities import Capabilities
from systems.cel import Rule, RuleError, compile_rule
from systems.operations import (
    NO_JSON,
    AnswerConfig,
    DocumentedCode,
    OperationConfig,
    PreviewConfig,
    RequestConfig,
    SearchConfig,
    TargetConfig,
    WriteConfig,
)
from systems.yamlfiles import Path, Positions, Problem

ORDER_ROOTS = ROOTS - {"fields"}
PREVIEW_ROOTS = ORDER_ROOTS - {"reference"}  # before anything is approved there is none to tell
LIST_ROOTS = frozenset({"since", "until"})
TARGET_ROOTS = frozenset({"target"})
PERSON_ROOTS = frozenset({"target", "fields"})
RULE_VARIABLES = {"status": "int", "headers": "map", "body": "dyn"}
_OWN_HEADERS = frozenset(
    {
        *("accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect", "host"),
        *("keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "proxy-connection", "origin"),
        *("authorization", "proxy-authorization", "cookie"),
    }
)


@dataclass
class OperationReader:
    """Compiles the operations of one file that fits its schema, and collects every complaint on the way."""

    positions: Positions
    capabilities: Capabilities
    problems: list[Problem] = field(default_factory=list)
    own_adapter: bool = False

    def read(self, name: str, document: Mapping[str, Any]) -> OperationConfig:
        """The operation; complaints go to `problems`, and then what is returned must not be used."""
        path: Path = ("operations", name)
        self._check_capabilities(path, document)
        urls = tuple(
            self._path((*path, "person_url", index), source, PERSON_ROOTS)
            for index, source in enumerate(document.get("person_url", ()))
        )
        return OperationConfig(
            name,
            self._target((*path, "target"), document.get("target")),
            self._write((*path, "submit"), document.get("submit"), ORDER_ROOTS),
            self._search((*path, "lookup"), document.get("lookup"), ORDER_ROOTS),
            self._write((*path, "cancel"), document.get("cancel"), ROOTS),
            self._answer((*path, "answer"), document.get("answer")),
            urls,
            self._preview((*path, "preview"), document.get("preview")),
            self._search((*path, "list"), document.get("list"), LIST_ROOTS),
            frozenset(document.get("by_adapter", ())),
        )

    def _complain(self, path: Path, reason: str) -> None:
        self.problems.append(self.positions.problem(path, reason))

    def _check_capabilities(self, path: Path, document: Mapping[str, Any]) -> None:
        """A part that needs an ability is there exactly when the ability is declared."""
        can, own = self.capabilities, document.get("by_adapter", ())
        has = {*document, *own}
        if own and not self.own_adapter:
            self._complain((*path, "by_adapter"), "is for an adapter of yours: http needs every part spelt out.")
        for part in set(own) & set(document):
            self._complain((*path, part), "by_adapter says that the adapter brings it itself.")
        if "submit" in has and can.can_look_up and "lookup" not in has:
            self._complain(path, "capabilities.lookup_by_reference is true, so a lookup is needed.")
        if "lookup" in has and not can.can_look_up:
            self._complain((*path, "lookup"), "needs capabilities.lookup_by_reference with value true.")
        if "cancel" in has and not can.can_cancel:
            self._complain((*path, "cancel"), "needs capabilities.cancellation with value true.")
        if "submit" in document and can.echoes and "reference" not in document["submit"]:
            self._complain((*path, "submit"), "capabilities.echo is true, so submit.reference is needed.")
        if not {"target", "submit", "answer"} & has:
            self._complain(path, "needs a target, a submit or an answer.")
        for part in {"preview", "list"} & has if "submit" not in has else ():
            self._complain((*path, part), "only for operations with submit.")
        self._check_answer(path, document)

    def _check_answer(self, path: Path, document: Mapping[str, Any]) -> None:
        if "answer" in document and "submit" in document:
            self._complain((*path, "answer"), "only for operations without submit.")
        if "answer" in document and "request" in document["answer"] and "target" in document:
            self._complain((*path, "answer", "request"), "an operation with a target answers from the target's answer.")
        if "answer" in document and "request" not in document["answer"] and "target" not in document:
            self._complain((*path, "answer"), "needs a request, because the operation has no target.")

    def _target(self, path: Path, document: Any) -> TargetConfig | None:
        if document is None:
            return None
        extract = dict(document["extract"])
        attributes = extract.pop("attributes", {})
        return TargetConfig(
            self._read_request((*path, "request"), document["request"], TARGET_ROOTS),
            self._rule((*path, "found"), document["found"]),
            self._rule((*path, "missing"), document["missing"]),
            _pointers(extract),
            _pointers(attributes),
        )

    def _write(self, path: Path, document: Any, roots: frozenset[str]) -> WriteConfig | None:
        if document is None:
            return None
        accepted = document.get("accepted")
        return WriteConfig(
            self._request((*path, "request"), document["request"], roots),
            self._rule((*path, "success"), document["success"]),
            None if accepted is None else self._rule((*path, "accepted"), accepted),
            Pointer(document["reference"]) if "reference" in document else None,
            _pointers(document.get("extract", {})),
            self._codes((*path, "definitive"), document.get("definitive", ())),
            self._codes((*path, "not_processed"), document.get("not_processed", ())),
        )

    def _codes(self, path: Path, entries: Any) -> tuple[DocumentedCode, ...]:
        return tuple(
            DocumentedCode(
                entry["status"],
                self._rule((*path, index, "when"), entry["when"]) if "when" in entry else None,
                entry["source"],
                entry.get("means"),
            )
            for index, entry in enumerate(entries)
        )

    def _preview(self, path: Path, document: Any) -> PreviewConfig | None:
        if document is None:
            return None
        return PreviewConfig(
            self._read_request((*path, "request"), document["request"], PREVIEW_ROOTS),
            self._rule((*path, "success"), document["success"]),
            _pointers(document["extract"]),
            document.get("words", {}),
        )

    def _search(self, path: Path, document: Any, roots: frozenset[str]) -> SearchConfig | None:
        if document is None:
            return None
        missing = document.get("missing")
        self._check_paging((*path, "next"), document)
        return SearchConfig(
            self._read_request((*path, "request"), document["request"], roots),
            self._rule((*path, "found"), document["found"]),
            None if missing is None else self._rule((*path, "missing"), missing),
            document["items"],
            document["reference"],
            document.get("extract", {}),
            document.get("next", {}),
            document.get("page_limit", 10),
        )

    def _check_paging(self, path: Path, document: Mapping[str, Any]) -> None:
        """A parameter in the body needs a body that can hold it."""
        for kind, counter in document.get("next", {}).items():
            if kind == "link" or counter.get("in", "query") == "query":
                continue
            request = document["request"]
            if "form" not in request and not isinstance(request.get("json"), dict):
                self._complain((*path, kind, "in"), "needs a POST whose body is a form or a JSON object.")

    def _answer(self, path: Path, document: Any) -> AnswerConfig | None:
        if document is None:
            return None
        with_request = "request" in document
        return AnswerConfig(
            self._read_request((*path, "request"), document["request"], frozenset()) if with_request else None,
            self._rule((*path, "success"), document["success"]) if with_request else None,
            _pointers(document["extract"]),
        )

    def _read_request(self, path: Path, document: Mapping[str, Any], roots: frozenset[str]) -> RequestConfig:
        """A request that changes nothing: a GET, or a POST of which somebody says so."""
        posts = document.get("method", "GET") == "POST"
        if posts and "reads_only" not in document:
            self._complain(path, "a POST that only reads needs reads_only: where it is documented that it does.")
        for key in {"reads_only", "json", "form"} & document.keys() if not posts else ():
            self._complain((*path, key), "is for a POST.")
        return self._request(path, document, roots)

    def _request(self, path: Path, document: Mapping[str, Any], roots: frozenset[str]) -> RequestConfig:
        return RequestConfig(
            document.get("method", "GET"),
            self._path((*path, "path"), document["path"], roots),
            self._texts((*path, "query"), document.get("query", {}), roots),
            self._headers((*path, "headers"), document.get("headers", {}), roots),
            self._json((*path, "json"), document["json"], roots) if "json" in document else NO_JSON,
            self._texts((*path, "form"), document["form"], roots) if "form" in document else None,
            document.get("reads_only", ""),
        )

    def _path(self, path: Path, source: str, roots: frozenset[str]) -> Text:
        return self._compiled(path, compile_path, source, roots)  # type: ignore[no-any-return]  # a Text or a stand-in

    def _json(self, path: Path, source: Any, roots: frozenset[str]) -> Any:
        """The body's template; a complaint names the innermost field."""
        if isinstance(source, dict):
            return {key: self._json((*path, key), value, roots) for key, value in source.items()}
        if isinstance(source, list):
            return [self._json((*path, index), value, roots) for index, value in enumerate(source)]
        return self._compiled(path, compile_json, source, roots)

    def _texts(self, path: Path, document: Mapping[str, str], roots: frozenset[str]) -> dict[str, Text]:
        return {name: self._compiled((*path, name), compile_text, text, roots) for name, text in document.items()}

    def _headers(self, path: Path, document: Mapping[str, str], roots: frozenset[str]) -> dict[str, Text]:
        needed = {
            "if-match": self.capabilities.honours_condition,
            "idempotency-key": self.capabilities.honours_idempotency,
        }
        names = {"if-match": "conditional_write", "idempotency-key": "idempotency_key"}
        if len({name.lower() for name in document}) != len(document):
            self._complain(path, "a header is there twice.")
        for name in document:
            if name.lower() in _OWN_HEADERS:
                self._complain((*path, name), "this header is set by the adapter, not by a file.")
            if not needed.get(name.lower(), True):
                self._complain((*path, name), f"needs capabilities.{names[name.lower()]} with value true.")
        return self._texts(path, document, roots)

    def _compiled(self, path: Path, compiler: Any, source: Any, roots: frozenset[str]) -> Any:
        try:
            return compiler(source, roots=roots)
        except TemplateError as error:
            self._complain(path, str(error))
            return Text(())

    def _rule(self, path: Path, source: str) -> Rule:
        try:
            return compile_rule(source, RULE_VARIABLES)
        except RuleError as error:
            self._complain(path, str(error))
            return NEVER


NEVER = compile_rule("false", RULE_VARIABLES)


def _pointers(document: Mapping[str, str]) -> dict[str, Pointer]:
    return {name: Pointer(source) for name, source in document.items()}
