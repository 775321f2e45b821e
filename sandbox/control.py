"""The control interface under /_control: set the scene, order faults, read the ledgers; never counted itself."""

import json
from collections.abc import Callable
from typing import Any

from sandbox import capabilities, ledgers
from sandbox.faults import FaultBook
from sandbox.kinds import EFFECTS, OBJECTS, ObjectKind, positive, text, word
from sandbox.storing import Store, dumps
from sandbox.wire import Reply, Request

PREFIX = "/_control/"
Answer = Callable[[Request], Reply]


def concerns(request: Request) -> bool:
    return request.path.startswith(PREFIX)


class Control:
    """Answers control requests; `gauges` tells about the process, `release` lets held connections go."""

    def __init__(
        self, store: Store, faults: FaultBook, gauges: Callable[[], dict[str, int]], release: Callable[[], None]
    ) -> None:
        self._store, self._faults, self._gauges, self._release = store, faults, gauges, release
        self._answers: dict[tuple[str, str], Answer] = {
            ("GET", "capabilities"): lambda request: Reply(200, capabilities.read(store).document()),
            ("PUT", "capabilities"): lambda request: Reply(200, capabilities.change(store, request.fields).document()),
            ("GET", "faults"): lambda request: Reply(200, {"items": faults.documents()}),
            ("POST", "faults"): lambda request: Reply(201, faults.add(request.fields).document()),
            ("DELETE", "faults"): lambda request: Reply(200, {"removed": faults.remove()}),
            ("GET", "effects"): lambda request: Reply(200, {"items": ledgers.effects(store, request.parameters)}),
            ("GET", "requests"): lambda request: Reply(200, {"items": ledgers.requests(store, request.parameters)}),
            ("GET", "callbacks"): self._callbacks,
            ("GET", "counts"): lambda request: Reply(200, {**ledgers.totals(store), **gauges()}),
            ("POST", "reset"): self._reset,
        }

    def handle(self, request: Request) -> Reply:
        """The answer; 422 with words for whatever is asked wrongly, 403 to pages of other origins."""
        if request.header("Origin"):
            return Reply(403, {"error": "not_for_browsers"})
        collection, _, ref = request.path[len(PREFIX) :].partition("/")
        try:
            if ref:
                return self._one(request, collection, ref)
            answer = self._answers.get((request.method, collection))
            return answer(request) if answer else Reply(404, {"error": "not_found"})
        except ValueError as error:  # each of ours carries the sentence to show
            return Reply(422, {"error": "invalid", "detail": str(error)})

    def _one(self, request: Request, collection: str, ref: str) -> Reply:
        if request.method == "DELETE" and collection == "faults" and ref.isdigit():
            return Reply(200, {"removed": self._faults.remove(int(ref))})
        if request.method == "PUT" and collection in OBJECTS:
            return Reply(200, self._put_object(OBJECTS[collection], ref, request.fields))
        if request.method == "PUT" and collection in EFFECTS:
            return self._put_status(collection, ref, request.fields)
        return Reply(404, {"error": "not_found"})

    def _put_object(self, kind: ObjectKind, ref: str, asked: dict[str, Any]) -> dict[str, Any]:
        """The object exists with the fields given; the others stay, or get the defaults of a new one."""
        checks = {
            "version": positive,
            "state": lambda value: value in kind.states,
            "establishment": word,
            "label": text,
            "total_minor": positive,
            "currency": word,
        }
        for name, value in asked.items():
            if name not in checks or not checks[name](value):
                raise ValueError(f"{name}: {kind.collection} do not take {value!r}")
        new = {kind.ref_field: ref, "label": ref, "state": kind.usable_state, "version": 1, "establishment": "A"}
        with self._store.transaction():
            document = {**(self._store.object(kind.collection, ref) or new), **asked}
            self._store.put_object(kind.collection, ref, document)
        return document

    def _put_status(self, collection: str, ref: str, asked: dict[str, Any]) -> Reply:
        """The thing has another status: the handled one makes a cancellation come too late."""
        kind = EFFECTS[collection]
        if set(asked) != {"status"} or asked["status"] not in (kind.status, kind.handled_status, "cancelled"):
            raise ValueError(f"status: {kind.status}, {kind.handled_status} or cancelled")
        with self._store.transaction() as store:
            row = store.row("SELECT id, document FROM resources WHERE collection = ? AND ref = ?", (collection, ref))
            if row is None:
                return Reply(404, {"error": "not_found"})
            document = {**json.loads(row["document"]), **asked}
            store.change("UPDATE resources SET document = ? WHERE id = ?", (dumps(document), row["id"]))
        return Reply(200, document)

    def _callbacks(self, request: Request) -> Reply:
        return Reply(200, {"items": [dict(row) for row in self._store.rows("SELECT * FROM callbacks ORDER BY seq")]})

    def _reset(self, request: Request) -> Reply:
        self._faults.remove()
        self._store.reset()
        self._release()
        return Reply(200, {"ok": True})
