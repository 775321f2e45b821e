"""What should be true, told independently: this file imports nothing of the product and reads none of its tables.

It knows the promises (who may sign, what stops a hand-over, which word may follow which) and what the business system
says about itself in its own ledger. The player asks it before each step and shows it what came of it.
"""

from dataclasses import dataclass, field

# What an agent may read next after each word. A word may stay as it is; a final one stays for ever, except that an
# effect found later makes it `diverged`.
FOLLOWS = {
    "awaiting_approval": {"changes_requested", "rejected", "withdrawn", "expired", "approved", "not_executed"}
    | {"confirmed", "diverged", "not_sent", "revoked"},
    "changes_requested": {"awaiting_approval", "withdrawn", "expired"},
    "approved": {"in_progress", "confirmed", "refused_by_target", "outcome_unknown", "accepted_by_target", "diverged"}
    | {"revoked", "withdrawn", "expired", "not_sent", "awaiting_approval", "not_executed"},
    "in_progress": {"confirmed", "refused_by_target", "outcome_unknown", "accepted_by_target", "diverged", "approved"},
    "accepted_by_target": {"confirmed", "refused_by_target", "outcome_unknown", "diverged"},
    "outcome_unknown": {"confirmed", "diverged", "not_executed", "awaiting_approval"},
    "confirmed": {"diverged"},
    "refused_by_target": {"diverged"},
    "not_executed": {"diverged"},
    "not_sent": {"diverged"},
    "expired": {"diverged"},
    "revoked": {"diverged"},
    "withdrawn": set(),
    "rejected": set(),
    "diverged": set(),
}
WITHOUT_EFFECT = {"refused_by_target", "not_executed", "not_sent", "expired", "revoked", "withdrawn", "rejected"}
BEFORE_ANY_EFFECT = {"awaiting_approval", "changes_requested", "approved"}
MOVING = {*BEFORE_ANY_EFFECT, "in_progress", "accepted_by_target", "outcome_unknown"}
IN_DOUBT = {"in_progress", "accepted_by_target", "outcome_unknown"}

# What the answer to one order may lead to at once, by what the business system was told to do.
LEADS_TO = {
    "": {"confirmed"},
    "drop_before_effect": {"outcome_unknown"},
    "drop_after_effect": {"outcome_unknown", "confirmed"},
    "reset_after_effect": {"outcome_unknown", "confirmed"},
    "accept_202": {"accepted_by_target", "confirmed"},
    "accept_202_never": {"accepted_by_target"},
    "wrong_target": {"diverged", "outcome_unknown"},
    "wrong_reason": {"diverged", "outcome_unknown"},
    "other_reference": {"outcome_unknown", "confirmed"},
    "empty_body": {"outcome_unknown", "confirmed"},
    "html_login": {"outcome_unknown"},
    "redirect": {"outcome_unknown"},
    "errors_in_200": {"outcome_unknown"},
    "duplicate_keys": {"outcome_unknown", "confirmed"},
    "truncated": {"outcome_unknown", "confirmed"},
    "short_content_length": {"outcome_unknown", "confirmed"},
    "status": {"outcome_unknown"},
}


class Broken(AssertionError):
    """A promise does not hold."""


@dataclass
class Order:
    """One proposal as the model follows it. `seen` is every word an agent read, in order."""

    name: str
    target: str
    reason: str
    version: int
    contract: str
    signers: set[str] = field(default_factory=set)
    seen: list[str] = field(default_factory=lambda: ["awaiting_approval"])
    rounds: int = 1  # hand-overs that people gave leave to
    held: bool = False  # an effect or a doubt of it may stand on its object

    @property
    def word(self) -> str:
        """What an agent read last."""
        return self.seen[-1]


@dataclass
class Truth:
    """The gates as the player set them."""

    reviewers: set[str]
    requester: bool = True
    stopped: bool = False
    contract: str = "2"
    objects: dict[str, tuple[int, str]] = field(default_factory=dict)
    orders: dict[str, Order] = field(default_factory=dict)

    def may_be_asked(self, target: str, reason: str) -> bool:
        """Whether a proposal about the target, at its present version, is admitted: a refused question is not."""
        version, state = self.objects[target]
        refused = any(
            order.word == "rejected" and (order.target, order.reason, order.version) == (target, reason, version)
            for order in self.orders.values()
        )
        return self.requester and not self.stopped and state == "active" and not refused

    def may_sign(self, order: Order, person: str) -> bool:
        """Whether this person's signature on it counts."""
        return person in self.reviewers and person not in order.signers and self._good(order) and not self.stopped

    def must_be_sent(self, order: Order) -> bool:
        """Whether a hand-over now reaches the business system: every gate is open, and the object is free."""
        return self._good(order) and not self.stopped and order.signers <= self.reviewers and not self.holder(order)

    def must_end(self, order: Order) -> bool:
        """Whether a hand-over now ends it without anything being sent."""
        return not (self._good(order) and order.signers <= self.reviewers)

    def holder(self, order: Order) -> bool:
        """Whether another order stands in doubt on the same object."""
        others = (one for one in self.orders.values() if one is not order and one.target == order.target)
        return any(one.held or one.word in IN_DOUBT or one.word == "diverged" for one in others)

    def _good(self, order: Order) -> bool:
        now = self.objects[order.target]
        return self.requester and order.contract == self.contract and now == (order.version, "active")


def follow(order: Order, word: str) -> None:
    """An agent reads this word now; refuse one that may not follow the last."""
    if word != order.word:
        if word not in FOLLOWS[order.word]:
            raise Broken(f"{order.name}: {word} after {order.word}")
        order.seen.append(word)


def compare(order: Order, *, effects: list[dict], submissions: int) -> None:
    """The word and the business system's own ledger agree."""
    ours = [one for one in effects if (one["target"], one["reason"]) == (order.target, order.reason)]
    if len(effects) > order.rounds:
        raise Broken(f"{order.name}: {len(effects)} effects, leave was given for {order.rounds}")
    if submissions > order.rounds:
        raise Broken(f"{order.name}: {submissions} orders were received, leave was given for {order.rounds}")
    if order.word in WITHOUT_EFFECT and effects:
        raise Broken(f"{order.name} says {order.word}, and there is an effect")
    if order.word in BEFORE_ANY_EFFECT and order.rounds == 1 and submissions:
        raise Broken(f"{order.name} says {order.word}, and an order was received")
    if order.word == "confirmed" and not ours:
        raise Broken(f"{order.name} says confirmed, and no such effect exists")
    if order.word == "diverged" and not effects:
        raise Broken(f"{order.name} says diverged, and nothing exists")
