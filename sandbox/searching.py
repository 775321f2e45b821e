"""Reading: an object with its entity tag, a thing by its reference, things by ours, page by page."""

import json
import time
from urllib.parse import urlencode

from sandbox.calls import Call, entity_tag, invalid, not_found, public
from sandbox.kinds import CANCELLATIONS, EFFECTS
from sandbox.wire import Reply

PAGE_SIZE = 20
MAX_PAGE_SIZE = 200


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
    """The things that carry exactly the given client reference or target, oldest first; 501 without the capability."""
    return _search(call, call.kind.collection, {"client_ref": "client_ref", call.kind.target_field: "target"})


def search_cancellations(call: Call) -> Reply:
    """The cancellations that carry exactly the given client reference, or cancel the thing named."""
    names = {"client_ref": "client_ref", **{kind.ref_field: "target" for kind in EFFECTS.values()}}
    return _search(call, CANCELLATIONS, names)


def _search(call: Call, collection: str, filters: dict[str, str]) -> Reply:
    if not call.capabilities.lookup:
        return Reply(501, {"error": "search_not_supported"})
    asked = call.request.parameters
    unknown = [name for name in asked if name not in {*filters, "page", "page_size"}]
    page, size = _whole(asked, "page", 1), _whole(asked, "page_size", PAGE_SIZE)
    if unknown or page is None or size is None or size > MAX_PAGE_SIZE:
        return invalid(*(unknown or ["page", "page_size"]))
    columns = {filters[name]: value for name, value in asked.items() if name in filters}
    # columns come from the route, never from the request
    where = " AND ".join(["collection = ?", "visible_from <= ?", *(f"{column} = ?" for column in columns)])
    found = call.store.rows(
        f"SELECT document FROM resources WHERE {where} ORDER BY id LIMIT ? OFFSET ?",  # noqa: S608 - see above
        (collection, time.time(), *columns.values(), size + 1, (page - 1) * size),
    )
    items = [public(json.loads(row["document"]), call.capabilities) for row in found[:size]]
    onward = {**asked, "page": str(page + 1)}
    return Reply(200, {"items": items, "next": f"/{collection}?{urlencode(onward)}" if len(found) > size else None})


def _whole(asked: dict[str, str], name: str, default: int) -> int | None:
    """The parameter as a number from 1 to a million, its default where absent, None where it is no such number."""
    value = asked.get(name, str(default))
    return int(value) if value.isascii() and value.isdigit() and 0 < len(value) < 7 and int(value) > 0 else None
