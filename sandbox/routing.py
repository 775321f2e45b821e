"""Which addresses there are, and which piece of business answers each."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote

from sandbox import admitting, capabilities, creating, searching
from sandbox.calls import PLAIN, Call, Twist, not_found
from sandbox.kinds import EFFECTS, OBJECTS, USERS, EffectKind, ObjectKind
from sandbox.storing import Store
from sandbox.wire import MalformedBody, Reply, Request

Answer = Callable[[Call], Reply]


@dataclass(frozen=True)
class Route:
    """One address: `template` holds `{ref}` where a reference stands."""

    method: str
    template: str
    answer: Answer
    effect: EffectKind | None = None
    about: ObjectKind | None = None

    def reference(self, path: str) -> str | None:
        """The decoded reference in the path, empty where the template has none; None when the path is another's."""
        wanted, given = self.template.split("/"), path.split("/")
        if len(wanted) != len(given):
            return None
        if any(want not in ("{ref}", got) for want, got in zip(wanted, given, strict=True)):
            return None
        return unquote(given[wanted.index("{ref}")]) if "{ref}" in wanted else ""

    @property
    def target_field(self) -> str | None:
        """The field of an answer that names what it is about."""
        return self.effect.target_field if self.effect else self.about.ref_field if self.about else None


def _ping(call: Call) -> Reply:
    return Reply(200, {"ok": True})


def _routes() -> list[Route]:
    found = [
        Route("GET", "/ledger/ping", _ping),
        Route("POST", admitting.TOKEN_PATH, admitting.give_token),
        Route("GET", "/cancellations", searching.search_cancellations),
    ]
    for about in OBJECTS.values():
        found.append(Route("GET", f"/{about.collection}/{{ref}}", searching.read_object, about=about))
    for kind in EFFECTS.values():
        base = f"/{kind.collection}"
        creation = "/users/{ref}/archival" if kind.about is USERS else base
        found += [
            Route("POST", creation, creating.create, kind, kind.about),
            Route("GET", base, searching.search_things, kind, kind.about),
            Route("POST", f"/searches{base}", searching.search_by_body, kind, kind.about),
            Route("GET", f"/previews{base}", searching.preview, kind, kind.about),
            Route("GET", f"{base}/{{ref}}", searching.read_thing, kind, kind.about),
            Route("POST", f"{base}/{{ref}}/cancellation", creating.cancel, kind, kind.about),
        ]
    return found


ROUTES = _routes()


def find(request: Request) -> Route | None:
    """The route of a request, or None."""
    return next((r for r in ROUTES if r.method == request.method and r.reference(request.path) is not None), None)


def handle(store: Store, request: Request, twist: Twist = PLAIN) -> Reply:
    """Do the business a request asks for, bent as the twist says, and return the honest answer."""
    route = find(request)
    if route is None:
        methods = sorted({r.method for r in ROUTES if r.reference(request.path) is not None})
        return Reply(405, {"error": "method_not_allowed"}, {"Allow": ", ".join(methods)}) if methods else not_found()
    refusal = admitting.stranger(store, request)
    if refusal is not None:
        return refusal
    ref = route.reference(request.path) or ""
    call = Call(store, request, ref, capabilities.read(store), twist, route.effect, route.about)
    try:
        return route.answer(call)
    except (MalformedBody, UnicodeError):
        return Reply(400, {"error": "malformed"})
