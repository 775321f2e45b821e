"""The calls of an agent, one method each; nothing but Python's own library."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator, Mapping, Sequence
from email.message import Message
from typing import Any, NamedTuple

from countersign_client.shapes import Page, Proposal, Refused, Unreachable

_LONGEST_WAIT = 30.0  # seconds; the server holds a question no longer
_PAUSE = 1.0  # seconds between two tries, where the server names none


class _Answer(NamedTuple):
    status: int
    headers: Message
    body: Any


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A token is never carried to another address."""

    def redirect_request(self, *_about: Any, **_more: Any) -> None:
        return None


class Countersign:
    """One agent, acting for one person.

    `url` is the server's, without `/api/v1`; `language` (`en` or `fr`) that of the sentences. A submission is sent up
    to `tries` times under one idempotency key while the server is unreachable or says *later*: it is made at most
    once. Redirections are not followed, and proxies named in the environment not used: the token stays between two.
    """

    def __init__(self, url: str, token: str, *, language: str = "en", timeout: float = 30.0, tries: int = 3) -> None:
        if not url.startswith(("https://", "http://")):
            raise ValueError("the address begins with https:// (or http://, on this machine)")
        self._base = url.rstrip("/") + "/api/v1"
        self._headers = {"Authorization": f"Bearer {token}", "Accept-Language": language}
        self._timeout, self._tries = timeout, max(1, tries)
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects())

    def tools(self, family: str = "native") -> list[dict[str, Any]]:
        """What may be proposed now, in the shape of a family: `native`, `anthropic`, `openai`, `mcp`."""
        told: list[dict[str, Any]] = self._call("GET", "/tools", query={"format": family}).body["tools"]
        return told

    def propose(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        key: str | None = None,
        suggestion: str = "",
        facts: Sequence[Mapping[str, Any]] = (),
        session: str | None = None,
        contract_version: str | None = None,
        answers: Mapping[str, str] | None = None,
    ) -> Proposal:
        """A proposal exists, or existed already under this key. Without a key one is made for this call.

        Raises Refused, Unreachable.
        """
        body = _submission(tool, arguments, suggestion, facts, session, contract_version, answers)
        headers = {"Idempotency-Key": key or uuid.uuid4().hex}
        return _proposal(self._patiently("POST", "/proposals", body=body, headers=headers))

    def would(self, tool: str, arguments: Mapping[str, Any], **more: Any) -> Mapping[str, Any]:
        """The policy's answer to a submission that is not made; it counts against budgets. Raises Refused."""
        body = {"tool": tool, "arguments": dict(arguments), **more}
        told: Mapping[str, Any] = self._call("POST", "/proposals", query={"dry_run": "true"}, body=body).body
        return told

    def revise(
        self,
        proposal: Proposal,
        arguments: Mapping[str, Any],
        *,
        key: str | None = None,
        suggestion: str = "",
        facts: Sequence[Mapping[str, Any]] = (),
        contract_version: str | None = None,
    ) -> Proposal:
        """The revision that was read is replaced, and awaits a decision anew. Raises Refused (`stale_revision` …)."""
        body = _submission(proposal.tool, arguments, suggestion, facts, None, contract_version, None)
        headers = {"Idempotency-Key": key or uuid.uuid4().hex, "If-Match": f'"{proposal.revision}"'}
        return _proposal(
            self._patiently("POST", f"/proposals/{_part(proposal.id)}/revisions", body=body, headers=headers)
        )

    def read(self, proposal_id: str, *, wait: float = 0.0, etag: str = "") -> Proposal | None:
        """The proposal as it stands now; with `wait`, as soon as its status changes. None: as it was under `etag`."""
        query = {"wait": f"{min(wait, _LONGEST_WAIT):.3f}"} if wait > 0 else {}
        headers = {"If-None-Match": etag} if etag else {}
        path = f"/proposals/{_part(proposal_id)}"
        answer = self._call("GET", path, query=query, headers=headers, timeout=self._timeout + wait)
        return None if answer.status == 304 else _proposal(answer)

    def wait(self, proposal_id: str, *, seconds: float) -> Proposal:
        """The proposal once it is settled, or as it stands after so long: an unknown outcome may take people days."""
        end = time.monotonic() + seconds
        found = self.read(proposal_id)
        assert found is not None  # nothing was asked about what was known
        while not found.settled and (left := end - time.monotonic()) > 0:
            found = self.read(proposal_id, wait=min(left, _LONGEST_WAIT), etag=found.etag) or found
        return found

    def withdraw(self, proposal_id: str) -> Proposal:
        """It is taken back: nothing is sent. Raises Refused (`proposal_closed`: it is too late)."""
        return _proposal(self._call("POST", f"/proposals/{_part(proposal_id)}/withdrawal"))

    def page(self, *, status: str | None = None, cursor: str | None = None, limit: int = 20) -> Page:
        """Some of the proposals of this agent and person."""
        named = {"status": status, "cursor": cursor, "limit": str(limit)}
        told = self._call("GET", "/proposals", query={name: one for name, one in named.items() if one is not None}).body
        return Page([Proposal.of(one) for one in told["items"]], told["next_cursor"])

    def proposals(self, *, status: str | None = None) -> Iterator[Proposal]:
        """All of them, the newest first, read page by page."""
        page = self.page(status=status, limit=100)
        yield from page.items
        while page.next_cursor:
            page = self.page(status=status, cursor=page.next_cursor, limit=100)
            yield from page.items

    def answer(self, turn: Any) -> Any:
        """The results of every tool call in a model's turn, in the same family's shape and order. Refusals are results.

        Posting the same turn again creates nothing new, so it is sent again while the server says *later*.
        """
        return self._patiently("POST", "/tool-calls", body=turn, headers={}).body

    def _patiently(self, method: str, path: str, *, body: Any, headers: Mapping[str, str]) -> _Answer:
        for last in (*(False,) * (self._tries - 1), True):
            try:
                return self._call(method, path, body=body, headers=headers)
            except Unreachable:
                if last:
                    raise
                time.sleep(_PAUSE)
            except Refused as refused:
                if last or refused.status != 503:
                    raise
                time.sleep(min(refused.retry_after or _PAUSE, _LONGEST_WAIT))
        raise AssertionError("the last try returns or raises")

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> _Answer:
        url = self._base + path + (f"?{urllib.parse.urlencode(query)}" if query else "")
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        sent = {**self._headers, "Content-Type": "application/json", **(headers or {})}
        request = urllib.request.Request(url, data=data, headers=sent, method=method)  # noqa: S310  http(s) alone
        try:
            with self._opener.open(request, timeout=timeout or self._timeout) as answer:
                return _Answer(answer.status, answer.headers, json.load(answer))
        except urllib.error.HTTPError as error:
            with error:
                return _refused(error)
        except (OSError, ValueError) as error:
            raise Unreachable(f"{method} {path}: {error}") from error


def _refused(error: urllib.error.HTTPError) -> _Answer:
    """304 is an answer; anything else that is not a success is a refusal, if it is one of the server's own."""
    if error.code == 304:
        return _Answer(304, error.headers, None)
    try:
        problem = json.load(error)
    except ValueError as unreadable:
        raise Unreachable(f"an answer {error.code} that is not the server's own") from unreadable
    pause = error.headers.get("Retry-After", "")
    raise Refused(error.code, problem, retry_after=float(pause) if pause.isdigit() else None)


def _submission(
    tool: str,
    arguments: Mapping[str, Any],
    suggestion: str,
    facts: Sequence[Mapping[str, Any]],
    session: str | None,
    contract_version: str | None,
    answers: Mapping[str, str] | None,
) -> dict[str, Any]:
    told: dict[str, Any] = {"tool": tool, "arguments": dict(arguments)}
    more: dict[str, Any] = {"suggestion": suggestion, "facts": [dict(fact) for fact in facts], "session": session}
    more |= {"contract_version": contract_version, "answers": dict(answers) if answers else None}
    return {**told, **{name: value for name, value in more.items() if value}}


def _proposal(answer: _Answer) -> Proposal:
    replayed = answer.headers.get("Idempotent-Replayed") == "true"
    return Proposal.of(answer.body, etag=answer.headers.get("ETag", ""), replayed=replayed)


def _part(text: str) -> str:
    """One part of an address, whatever it holds."""
    return urllib.parse.quote(text, safe="")
