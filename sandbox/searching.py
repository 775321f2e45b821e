"""Reading: an object with its entity tag, a thing by its reference, things by ours, page by page."""

import json
import time
from urllib.parse import urlencode

from sandbox.calls import Call, entity_tag, invalid, not_found, public
from sandbox.kinds import CANCELLATIONS, EFFECTS
from sandbox.wire import Reply

PAGE_SIZE = 20
MAX_PAGE_SIZE = 200
SPAN = {"since": ">=", "until": "<"}  # instants as the ledger writes them: ISO 8601 in UTC with microseconds
# the reference of the asker is there only because it has an index
MADE = (
    "EXISTS (SELECT 1 FROM effects WHERE effects.client_ref IS resources.client_ref"
    " AND effects.ref = resources.ref AND effects.at {sign} ?)"
)


def read_object(call: Call) -> Reply:
    """200 with the object and its version as entity tag, or 404."""
    if call.about is None:
        return not_found()
    document = call.store.object(call.about.collection, call.ref)
    return Reply(200, document, {"ETag": entity_tag(document["version"])}) if document else not_found()


def read_thing(call: Call) -> Reply:
    """200 with the thing whose reference stands in the path, or 404; a young thing is found here at once."""
    found = call.store.row(
        "SELECT document FROM resources WHERE collection = ? AND ref = ?", (call.kind.collection, call.ref)
    )
    return Reply(200, public(json.loads(found["document"]), call.capabilities)) if found else not_found()


def search_things(call: Call) -> Reply:
    """The things that carry exactly the given client reference or target, or were made from `since` until before
    `until`, oldest first; 501 without the capability."""
    return _search(call, call.kind.collection, _filters(call), call.request.parameters)


def search_by_body(call: Call) -> Reply:
    """The same, asked by the body of a POST, which changes nothing; the next page is asked by its number."""
    asked = {name: str(value) for name, value in call.request.fields.items()}
    return _search(call, call.kind.collection, _filters(call), asked)


def _filters(call: Call) -> dict[str, str]:
    return {"client_ref": "client_ref", call.kind.target_field: "target"}


def preview(call: Call) -> Reply:
    """200 with what a creation would do to the target named, or 404; nothing is done."""
    target = call.request.parameters.get(call.kind.target_field, "")
    found = call.store.object(call.about.collection, target) if call.about else None
    if call.about is None or found is None:
        return not_found()
    rows = call.store.rows(
        "SELECT 1 FROM resources WHERE collection = ? AND target = ?", (call.kind.collection, target)
    )
    told = {"label": found["label"], "possible": found["state"] == call.about.usable_state, "already": len(rows)}
    return Reply(200, {call.kind.target_field: target, **told})


def search_cancellations(call: Call) -> Reply:
    """The cancellations that carry exactly the given client reference, or cancel the thing named."""
    names = {"client_ref": "client_ref", **{kind.ref_field: "target" for kind in EFFECTS.values()}}
    return _search(call, CANCELLATIONS, names, call.request.parameters)


def _search(call: Call, collection: str, filters: dict[str, str], asked: dict[str, str]) -> Reply:
    if not call.capabilities.lookup:
        return Reply(501, {"error": "search_not_supported"})
    unknown = [name for name in asked if name not in {*filters, *SPAN, "page", "page_size"}]
    page, size = _whole(asked, "page", 1), _whole(asked, "page_size", PAGE_SIZE)
    if unknown or page is None or size is None or size > MAX_PAGE_SIZE:
        return invalid(*(unknown or ["page", "page_size"]))
    columns = {filters[name]: value for name, value in asked.items() if name in filters}
    # columns come from the route, never from the request
    made = [MADE.format(sign=SPAN[name]) for name in SPAN if name in asked]
    where = " AND ".join(["collection = ?", "visible_from <= ?", *(f"{column} = ?" for column in columns), *made])
    span = [asked[name] for name in SPAN if name in asked]
    found = call.store.rows(
        f"SELECT document FROM resources WHERE {where} ORDER BY id LIMIT ? OFFSET ?",  # noqa: S608 - see above
        (collection, time.time(), *columns.values(), *span, size + 1, (page - 1) * size),
    )
    items = [public(json.loads(row["document"]), call.capabilities) for row in found[:size]]
    onward = {**asked, "page": str(page + 1)}
    return Reply(200, {"items": items, "next": f"/{collection}?{urlencode(onward)}" if len(found) > size else None})


def _whole(asked: dict[str, str], name: str, default: int) -> int | None:
    """The parameter as a number from 1 to a million, its default where absent, None where it is no such number."""
    value = asked.get(name, str(default))
    return int(value) if value.isascii() and value.isdigit() and 0 < len(value) < 7 and int(value) > 0 else None
