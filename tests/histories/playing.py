"""Plays one history: steps drawn from a seed, done to the product, predicted by the model, checked at the ledger."""

from collections import Counter
from collections.abc import Callable

from approvals import deciding
from approvals.refusals import Refusal
from intents import dispatching, stopping, sweeping, verifying
from intents.failpoints import Step
from intents.models import Intent
from tests.conftest import flush_broker
from tests.crash.recovering import recover, take_messages
from tests.histories.model import BEFORE_ANY_EFFECT, IN_DOUBT, LEADS_TO, MOVING, Broken, Order, compare, follow
from tests.histories.staging import REFUSED, TOOL, Scene
from tests.intents.desk import absence_means_something, case_of, conclude, take

REASONS = ("DONNEE_A_VERIFIER", "PIECE_MANQUANTE", "ECART_MONTANT")
SIGNERS = ("approver", "approver2", "requester", "support", "approver-b")
KILLED = (*Step,)


class History(Scene):
    """The steps, and what the model says of each."""

    def play(self, length: int) -> None:
        """So many steps, then everything is taken up until it is still, and compared once more."""
        self._begin()
        for _ in range(length):
            name, step = self.chance.choice(self._choices())
            self.steps.append(name)
            self.counts[f"step {name}"] += 1
            step()
            self._look()
        self._end()

    def _choices(self) -> list[tuple[str, Callable[[], None]]]:
        """What there is to do now, the likelier the more often it stands here."""
        words = Counter(order.word for order in self.truth.orders.values())
        open_ones = sum(words[word] for word in ("awaiting_approval", "approved", *IN_DOUBT))
        doubts = words["outcome_unknown"] + words["accepted_by_target"]
        choices: list[tuple[str, Callable[[], None], int]] = [
            ("propose", self.propose, 6 if open_ones == 0 else 3 if open_ones < 3 else 0),
            ("sign", self.sign, 8 if words["awaiting_approval"] else 0),
            ("hand over", self.hand_over, 8 if words["approved"] else 0),
            ("deliver twice", self.hand_over_twice, 2 if words["approved"] else 0),
            ("kill a worker", self.kill, 2 if words["approved"] + words["outcome_unknown"] else 0),
            ("take messages", self.take_messages, 2 if words["approved"] + doubts else 0),
            ("probe", self.probe, 2 if doubts else 0),
            ("conclude", self.conclude, 3 if words["outcome_unknown"] else 0),
            ("revoke", self.revoke, 1 if words["approved"] + doubts + words["confirmed"] else 0),
            ("withdraw", self.withdraw, 1 if words["awaiting_approval"] + words["approved"] else 0),
            ("refuse", self.refuse, 1 if words["awaiting_approval"] else 0),
            ("give roles back", self.give_roles_back, 4 if len(self.truth.reviewers) < 2 else 0),
            ("stop or resume", self.stop_or_resume, 4 if self.truth.stopped else 1),
            ("sweep", self.sweep, 2),
            ("flush the broker", flush_broker, 1),
            ("change a file", self.change_file, 1),
            ("take a role", self.take_role, 1),
            ("publish", self.publish, 1),
        ]
        return [(name, step) for name, step, weight in choices for _ in range(weight)]

    # --- steps

    def propose(self) -> None:
        """An agent proposes; the model says whether it is admitted."""
        target, reason = self.chance.choice(sorted(self.truth.objects)), self.chance.choice(REASONS)
        version, expected = self.truth.objects[target][0], self.truth.may_be_asked(target, reason)
        given = {"dossier_ref": target, "expected_version": version, "reason_code": reason}
        try:
            row = self.world.propose(arguments=given, session=f"{self.seed}-{len(self.rows)}")
        except Refusal as refusal:
            if expected:
                raise Broken(f"a proposal that is admitted was refused: {refusal.code}") from refusal
            return
        if not expected:
            raise Broken("a proposal was admitted that no gate admits")
        order = Order(row.public_id, target, reason, version, self.truth.contract)
        self.truth.orders[order.name], self.rows[order.name] = order, row
        self.steps.append(f"  {order.name} on {target}, {reason}, version {version}")

    def sign(self) -> None:
        """Somebody tries to sign."""
        order = self.one("awaiting_approval")
        if order is None or order.rounds > 1:
            return
        person = self.chance.choice((*SIGNERS, *SIGNERS[:2] * 4))
        expected = self.truth.may_sign(order, person)
        try:
            self.world.sign(self.rows[order.name], by=person)
        except REFUSED as error:
            if expected:
                raise Broken(f"{order.name}: the signature of {person} was refused: {error!r}") from error
            return
        if not expected:
            raise Broken(f"{order.name}: {person} signed, and may not")
        order.signers.add(person)
        self.steps.append(f"  {person} signed {order.name}")

    def hand_over(self) -> None:
        """A worker looks at one order that is ready; the model says whether it is sent."""
        order = self.one("approved")
        intent = self.intent(order) if order else None
        if order is None or intent is None:
            return
        again = order.rounds > 1
        sent, ends = self.truth.must_be_sent(order), self.truth.must_end(order)
        fault = self.chance.choice([*LEADS_TO, *[""] * 8]) if sent and not again else ""
        if fault:
            self.world.sandbox.fault(fault)
            self.counts[f"fault {fault}"] += 1
        before = self.received(intent)
        dispatching.hand_over(intent.pk, worker="history")
        self.world.sandbox.clear_faults()
        received = self.received(intent) - before
        word = self.world.status(self.rows[order.name])
        self.steps.append(f"  {order.name} with {fault or 'no fault'}: {received} received, {word}")
        if again:
            return
        if received != (1 if sent else 0):
            raise Broken(f"{order.name}: {received} orders were received; it {'is' if sent else 'is not'} to be sent")
        if sent and word not in LEADS_TO[fault]:
            raise Broken(f"{order.name}: {word} after {fault or 'an honest answer'}")
        if not sent and word != ("not_sent" if ends else "approved"):
            raise Broken(f"{order.name}: {word}, and nothing was to be sent")

    def hand_over_twice(self) -> None:
        """The same message is delivered to two processes at once."""
        order = self.one("approved")
        intent = self.intent(order) if order else None
        if intent is None:
            return
        self.in_children(2, lambda: dispatching.hand_over(intent.pk, worker="twice"), failpoint="")

    def kill(self) -> None:
        """A worker is killed at a random step of whatever it does; its deadline passes."""
        order = self.one("approved", "outcome_unknown")
        intent = self.intent(order) if order else None
        if order is None or intent is None:
            return
        step = self.chance.choice(KILLED)
        self.steps.append(f"  at {step}, on {order.name}")
        call = verifying.probe if order.word == "outcome_unknown" else dispatching.hand_over
        given = {} if order.word == "outcome_unknown" else {"worker": "killed"}
        self.in_children(1, lambda: call(intent.pk, **given), failpoint=f"{step}:kill")

    def sweep(self) -> None:
        """Beat's turn; deadlines of what is being sent have passed."""
        Intent.objects.filter(state="sending").update(deadline="2020-01-01T00:00:00Z")
        sweeping.sweep()

    def take_messages(self) -> None:
        """Workers take what is in the broker."""
        take_messages()

    def probe(self) -> None:
        """Support looks the effect up."""
        order = self.one("outcome_unknown", "accepted_by_target")
        intent = self.intent(order) if order else None
        if intent is not None:
            self.tried(lambda: verifying.probe(intent.pk))

    def conclude(self) -> None:
        """Support concludes, truthfully or not: what the business system shows outweighs it."""
        order = self.one("outcome_unknown")
        intent = self.intent(order) if order else None
        if order is None or intent is None:
            return
        absence_means_something(intent)
        finding = self.chance.choice(("happened", "did_not_happen", "still_unknown"))
        more: dict = {}
        if finding == "did_not_happen":
            more["then"] = self.chance.choice(("close", "new_attempt"))
        if finding == "happened":
            effects = self.effects(intent)
            if not effects:
                return  # nobody invents evidence here; that is tested elsewhere
            more["fields"] = {"request_ref": effects[0]["request_ref"], "dossier_ref": order.target}
            more["fields"]["reason_code"] = order.reason
        who = self.chance.choice(("support", "support2"))
        try:
            if case_of(intent).owner is None:
                take(self.world, intent, by=who)
            conclude(self.world, intent, finding, by=who, **more)
        except REFUSED:
            return
        self.steps.append(f"  {who} concludes {finding} {more.get('then', '')} of {order.name}")
        order.held = more.get("then") == "new_attempt"

    def revoke(self) -> None:
        """Whoever signed takes it back; before the hand-over that stops it for certain."""
        order = self.one("approved", "outcome_unknown", "confirmed")
        if order is None or not order.signers:
            return
        person = self.chance.choice(sorted(order.signers))
        row = self.rows[order.name]
        if self.tried(
            lambda: stopping.revoke(person=self.world.people[person], proposal_id=row.pk, reason="OTHER", words="No.")
        ):
            self.steps.append(f"  {person} revoked {order.name}")
            order.signers.discard(person)

    def withdraw(self) -> None:
        """The agent takes its proposal back."""
        order = self.one("awaiting_approval", "approved")
        if order is not None and self.chance.random() < 0.4:
            row = self.rows[order.name]
            self.tried(lambda: stopping.withdraw(self.world.caller(), proposal_id=row.pk))

    def refuse(self) -> None:
        """A reviewer refuses."""
        order = self.one("awaiting_approval")
        if order is None or order.rounds > 1 or self.chance.random() < 0.6:
            return
        shown = self.world.revision(self.rows[order.name])
        person = self.world.people["approver2"]
        given = {"revision": shown.number, "digest": shown.digest, "reason": "NOT_JUSTIFIED", "words": "No."}
        self.tried(lambda: deciding.refuse(person=person, proposal_id=shown.proposal_id, **given))

    def change_file(self) -> None:
        """The business changes a file: its version, or its state."""
        target = self.chance.choice(sorted(self.truth.objects))
        version, state = self.truth.objects[target]
        if self.chance.random() < 0.3:
            state = "closed" if state == "active" else "active"
        self.put(target, version + 1, state)

    def take_role(self) -> None:
        """A reviewer loses the role."""
        person = self.chance.choice(("approver", "approver2"))
        self.world.end_role(person)
        self.truth.reviewers.discard(person)

    def give_roles_back(self) -> None:
        """Both reviewers hold their role again."""
        for person in ("approver", "approver2"):
            self.grant(person)

    def stop_or_resume(self) -> None:
        """The tool is stopped, or admitted again."""
        if self.truth.stopped:
            self.world.resume("tool", TOOL)
        else:
            self.world.stop("tool", TOOL)
        self.truth.stopped = not self.truth.stopped

    def publish(self) -> None:
        """A new version of the contract is active."""
        if self.chance.random() < 0.5:
            self.publish_next()

    # --- around them

    def _begin(self) -> None:
        for place in range(2):
            self.put(f"D-{(self.seed % 40_000_000 + 1) * 2 + place + 1000}", 1, "active")
        self.give_roles_back()
        self.truth.contract = self.active()

    def _end(self) -> None:
        if self.truth.stopped:
            self.stop_or_resume()
        recover()
        Intent.objects.filter(state="accepted").update(deadline="2020-01-01T00:00:00Z")
        recover()
        self._look(whole=True)
        for order in self.truth.orders.values():
            self.counts[f"ended {order.word}"] += 1
            if order.word in IN_DOUBT and order.word != "outcome_unknown":
                raise Broken(f"{order.name} stays {order.word} for ever")
            if order.word in BEFORE_ANY_EFFECT:  # what nobody decides is not left to the next history
                row = self.rows[order.name]
                self.tried(lambda row=row: stopping.withdraw(self.world.caller(), proposal_id=row.pk))

    def _look(self, *, whole: bool = False) -> None:
        """What an agent reads follows from what it read before, and agrees with the ledger.

        Orders that have ended are looked at once more when the `whole` history is over.
        """
        for order in self.truth.orders.values():
            if order.word in MOVING or whole:
                follow(order, self.world.status(self.rows[order.name]))
                self._compare(order)

    def _compare(self, order: Order) -> None:
        intent = Intent.objects.filter(revision__proposal=self.rows[order.name]).select_related("revision").first()
        if intent is None:
            return
        order.rounds = max(order.rounds, intent.revision.authorizations.count())
        if order.word == "awaiting_approval" and order.held:
            order.rounds = max(order.rounds, 2)
        if order.word not in ("awaiting_approval", "approved"):
            order.held = False
        compare(order, effects=self.effects(intent), submissions=self.received(intent))
