"""What this business system knows: the objects it keeps and the kinds of effect that can be asked on them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Check = Callable[[Any], bool]


@dataclass(frozen=True)
class ObjectKind:
    """Things that exist before anything is asked: files, orders, people."""

    collection: str
    ref_field: str
    states: tuple[str, ...]  # the first is the one in which an effect may be asked
    closed_error: str

    @property
    def usable_state(self) -> str:
        return self.states[0]


@dataclass(frozen=True)
class EffectKind:
    """Things that come into being because somebody asked; each carries the asker's `client_ref`."""

    name: str
    collection: str
    ref_field: str
    prefix: str
    first_number: int
    about: ObjectKind
    target_field: str
    detail_field: str
    status: str
    handled_status: str
    checks: Mapping[str, Check]
    optional: Mapping[str, Check] = field(default_factory=dict)
    keeps_extras: bool = False
    state_after: str | None = None

    def invalid_fields(self, arguments: Mapping[str, Any]) -> list[str]:
        """The fields that are missing or of the wrong shape, in the order of the declaration."""
        wrong = [name for name, fits in self.checks.items() if not fits(arguments.get(name))]
        return wrong + [name for name, fits in self.optional.items() if name in arguments and not fits(arguments[name])]

    def kept(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What the new thing remembers of what was asked."""
        known = {*self.checks, *self.optional}
        return {name: value for name, value in arguments.items() if self.keeps_extras or name in known}


def word(value: Any) -> bool:
    """A non-empty string of at most 200 characters."""
    return isinstance(value, str) and 0 < len(value) <= 200


def text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= 4000


def positive(value: Any) -> bool:
    """A whole number above zero; a boolean is none."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def currency(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 3 and value.isascii() and value.isupper()


def boolean(value: Any) -> bool:
    return isinstance(value, bool)


DOSSIERS = ObjectKind("dossiers", "dossier_ref", ("active", "closed"), "dossier_closed")
ORDERS = ObjectKind("orders", "order_ref", ("paid", "refunded", "cancelled"), "order_closed")
USERS = ObjectKind("users", "user_ref", ("active", "archived"), "user_archived")
OBJECTS = {kind.collection: kind for kind in (DOSSIERS, ORDERS, USERS)}

REVIEW_REQUEST = EffectKind(
    name="review_request",
    collection="review-requests",
    ref_field="request_ref",
    prefix="R-",
    first_number=98,
    about=DOSSIERS,
    target_field="dossier_ref",
    detail_field="reason_code",
    status="open",
    handled_status="handled",
    checks={"dossier_ref": word, "reason_code": word, "queue": word, "client_ref": word},
)
REFUND = EffectKind(
    name="refund",
    collection="refunds",
    ref_field="refund_ref",
    prefix="RF-",
    first_number=7,
    about=ORDERS,
    target_field="order_id",
    detail_field="amount_minor",
    status="booked",
    handled_status="paid_out",
    checks={"order_id": word, "amount_minor": positive, "currency": currency, "client_ref": word},
    optional={"memo": text, "notify_customer": boolean},
    keeps_extras=True,
)
ARCHIVAL = EffectKind(
    name="archival",
    collection="archivals",
    ref_field="archival_ref",
    prefix="AR-",
    first_number=1,
    about=USERS,
    target_field="user_ref",
    detail_field="reason",
    status="archived",
    handled_status="purged",
    checks={"user_ref": word, "client_ref": word},
    optional={"reason": text},
    state_after="archived",
)
EFFECTS = {kind.collection: kind for kind in (REVIEW_REQUEST, REFUND, ARCHIVAL)}

CANCELLATIONS = "cancellations"
