"""What a new version of a contract changes, in words; whatever no sentence was written for is named as changed."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from proposals.changes import About, Change, new_and_gone
from proposals.differing_arguments import argument_changes
from systems.durations import duration

Document = Mapping[str, Any]
_Path = tuple[str, ...]

# Fields with one value: its place, what it touches, and the sentence.
_VALUES: tuple[tuple[_Path, About, str | Promise], ...] = (
    (("consequence",), About.MEANING, _("Approvers are told another consequence: “%(new)s” instead of “%(old)s”")),
    (("consequence_level",), About.MEANING, _("The consequence counts as %(new)s instead of %(old)s.")),
    (("effect",), About.MEANING, _("Its effect is %(new)s instead of %(old)s.")),
    (
        ("execution", "handled_by"),
        About.MEANING,
        _("Somebody else is told to handle the result: “%(new)s” instead of “%(old)s”"),
    ),
    (
        ("execution", "queue"),
        About.MEANING,
        _("A new recipient is notified: the result goes to the queue %(new)s instead of %(old)s."),
    ),
    (("execution", "system"), About.MEANING, _("It is handed to another business system: %(new)s instead of %(old)s.")),
    (
        ("execution", "operation"),
        About.MEANING,
        _("It is handed over as another operation: %(new)s instead of %(old)s."),
    ),
    (("execution", "compensation"), About.MEANING, _("It is undone by %(new)s instead of %(old)s.")),
    (
        ("execution", "on_fence"),
        About.POLICY,
        _("While another outcome on the same object is in doubt, it will %(new)s instead of %(old)s."),
    ),
    (("execution", "delivery_budget", "attempts"), About.POLICY, _("%(new)s deliveries are tried instead of %(old)s.")),
    (
        ("execution", "delivery_budget", "within"),
        About.POLICY,
        _("Delivery is tried for %(new)s instead of %(old)s."),
    ),
    (("policy", "quorum"), About.POLICY, _("The signatures needed go from %(old)s to %(new)s.")),
    (("policy", "review_within"), About.POLICY, _("The longest time to sign goes from %(old)s to %(new)s.")),
    (("policy", "approval_valid_for"), About.POLICY, _("A signature holds for %(new)s instead of %(old)s.")),
    (("policy", "outcome_within"), About.POLICY, _("The outcome is expected within %(new)s instead of %(old)s.")),
    (
        ("policy", "version_change"),
        About.POLICY,
        _("When the target changes after the signature: %(new)s instead of %(old)s."),
    ),
    (
        ("policy", "idempotency_window"),
        About.POLICY,
        _("The same request counts as a repetition for %(new)s instead of %(old)s."),
    ),
    (
        ("policy", "loops"),
        About.POLICY,
        _("A session counts as turning in circles by %(new)s instead of %(old)s."),
    ),
    (
        ("reconciliation", "escalate_to"),
        About.PROOF,
        _("An unknown outcome goes to the role %(new)s instead of %(old)s."),
    ),
    (
        ("reconciliation", "visibility_delay"),
        About.PROOF,
        _("An effect may stay invisible for %(new)s instead of %(old)s."),
    ),
    (
        ("reconciliation", "probe_after"),
        About.PROOF,
        _("The server looks for the effect after %(new)s instead of %(old)s."),
    ),
    (("output", "max_bytes"), About.PROOF, _("An agent is given back at most %(new)s bytes instead of %(old)s.")),
    (("description",), About.WORDS, _("Models read another description: “%(new)s”")),
    (("title",), About.WORDS, _("It is called “%(new)s” instead of “%(old)s”.")),
    (("statements", "confirmed"), About.WORDS, _("Once it is proven, agents may say: “%(new)s” instead of “%(old)s”")),
    (("statements", "answered"), About.WORDS, _("Agents may answer: “%(new)s” instead of “%(old)s”")),
)
_BUDGETS: Mapping[str, tuple[str | Promise, str | Promise, str | Promise]] = {
    # budget → it changes, it appears, it goes
    "per_agent": (
        _("An agent may ask %(new)s instead of %(old)s."),
        _("An agent may ask %(new)s; it was not limited."),
        _("An agent may ask without limit; it was %(old)s."),
    ),
    "per_session": (
        _("A session may ask %(new)s instead of %(old)s."),
        _("A session may ask %(new)s; it was not limited."),
        _("A session may ask without limit; it was %(old)s."),
    ),
    "per_person": (
        _("A person's agents may ask %(new)s instead of %(old)s."),
        _("A person's agents may ask %(new)s; they were not limited."),
        _("A person's agents may ask without limit; it was %(old)s."),
    ),
}
# Fields that are lists of names: what is new in them, and what is gone.
_LISTS: tuple[tuple[_Path, About, str | Promise, str | Promise], ...] = (
    (
        ("policy", "requester_roles"),
        About.POLICY,
        _("May ask now, too: %(names)s."),
        _("May not ask any more: %(names)s."),
    ),
    (
        ("policy", "approver_roles"),
        About.POLICY,
        _("May sign now, too: %(names)s."),
        _("May not sign any more: %(names)s."),
    ),
    (
        ("reasons", "refuse"),
        About.POLICY,
        _("New reasons to refuse: %(names)s."),
        _("Reasons to refuse that are gone: %(names)s."),
    ),
    (
        ("reasons", "change"),
        About.POLICY,
        _("New reasons to ask for changes: %(names)s."),
        _("Reasons to ask for changes that are gone: %(names)s."),
    ),
    (
        ("material_arguments",),
        About.POLICY,
        _("Asking again with another %(names)s is another question now."),
        _("Asking again with another %(names)s is the same question now."),
    ),
    (
        ("output", "fields"),
        About.PROOF,
        _("An agent is given back, too: %(names)s."),
        _("An agent is not given back any more: %(names)s."),
    ),
)
# Nobody reads these as a change: the version is the change, and examples prove the schema.
_SILENT: frozenset[_Path] = frozenset({("version",), ("examples",)})
_NONE, _USUAL = _("nothing"), _("the usual numbers")


def changes(before: Document, after: Document) -> list[Change]:
    """Every change from one version's document to another's, the weightiest first; empty when they mean the same."""
    told: list[Change] = []
    covered = set(_SILENT)
    for find in (_values, _budgets, _lists, _roles_of_arguments, _rules, _proofs, _second_person, _arguments):
        told += find(before, after, covered)
    told += _rest(before, after, covered)
    order = list(About)
    return sorted(told, key=lambda change: order.index(change.about))


def _values(before: Document, after: Document, covered: set[_Path]) -> Iterator[Change]:
    for path, about, text in _VALUES:
        covered.add(path)
        old, new = _at(before, path), _at(after, path)
        if old != new:
            yield Change(about, text, {"old": _shown(path, old), "new": _shown(path, new)})


def _budgets(before: Document, after: Document, covered: set[_Path]) -> Iterator[Change]:
    path = ("policy", "budget")
    covered.add(path)
    for name, texts in _BUDGETS.items():
        old, new = _at(before, (*path, name)), _at(after, (*path, name))
        if old != new:
            text = texts[1 if old is None else 2 if new is None else 0]
            yield Change(About.POLICY, text, {"old": old, "new": new})


def _lists(before: Document, after: Document, covered: set[_Path]) -> Iterator[Change]:
    for path, about, more, fewer in _LISTS:
        covered.add(path)
        for text, names in zip(
            (more, fewer), new_and_gone(_at(before, path) or (), _at(after, path) or ()), strict=True
        ):
            if names:
                yield Change(about, text, {"names": names})


def _roles_of_arguments(before: Document, after: Document, covered: set[_Path]) -> Iterator[Change]:
    covered.add(("roles_of_arguments",))
    old, new = before.get("roles_of_arguments", {}), after.get("roles_of_arguments", {})
    for role in (role for role in ("target", "observed_version", "reason") if old.get(role) != new.get(role)):
        text = _("The %(role)s is told by %(new)s instead of %(old)s.")
        names = {"role": role, "new": new.get(role, _NONE), "old": old.get(role, _NONE)}
        yield Change(About.ARGUMENTS, text, names)


def _rules(before: Document, after: Document, covered: set[_Path]) -> Iterator[Change]:
    covered.add(("rules",))
    old, new = before.get("rules", ()), after.get("rules", ())
    appeared, gone = new_and_gone(old, new)
    for rule in list(appeared):
        twin = next((one for one in gone if one["else"] == rule["else"] or one["if"] == rule["if"]), None)
        if twin is not None:
            gone.remove(twin)
            text = _("A rule is written otherwise: “%(sentence)s” %(new)s instead of %(old)s")
            yield Change(About.POLICY, text, {"sentence": rule["else"], "new": rule["if"], "old": twin["if"]})
        else:
            yield Change(About.POLICY, _("A new rule: “%(sentence)s”"), {"sentence": rule["else"]})
    for rule in gone:
        yield Change(About.POLICY, _("A rule is gone: “%(sentence)s”"), {"sentence": rule["else"]})


def _proofs(before: Document, after: Document, covered: set[_Path]) -> Iterator[Change]:
    covered.add(("effect_to_verify",))
    old, new = before.get("effect_to_verify", {}), after.get("effect_to_verify", {})
    for name in {**old, **new}:
        if name not in old:
            yield Change(About.PROOF, _("%(name)s must prove the effect, too: %(new)s."), _proof(name, None, new[name]))
        elif name not in new:
            yield Change(About.PROOF, _("%(name)s need not prove the effect any more."), _proof(name, None, None))
        elif old[name] != new[name]:
            text = _("%(name)s proves the effect by %(new)s instead of %(old)s.")
            yield Change(About.PROOF, text, _proof(name, old[name], new[name]))


def _proof(name: str, old: Any, new: Any) -> dict[str, Any]:
    return {"name": name, "old": old, "new": new}


def _second_person(before: Document, after: Document, covered: set[_Path]) -> Iterator[Change]:
    path = ("reconciliation", "second_person")
    covered.add(path)
    old, new = bool(_at(before, path)), bool(_at(after, path))
    if old != new:
        two, one = (
            _("Two people conclude about an unknown outcome."),
            _("One person concludes about an unknown outcome."),
        )
        yield Change(About.PROOF, two if new else one)


def _arguments(before: Document, after: Document, covered: set[_Path]) -> Iterator[Change]:
    covered.add(("arguments", "properties"))
    covered.add(("arguments", "required"))
    yield from argument_changes(before["arguments"], after["arguments"])


def _rest(before: Document, after: Document, covered: set[_Path]) -> Iterator[Change]:
    """Whatever else differs is named: nothing changes in silence."""
    fields = [".".join(path) for path in _differing(before, after, covered, ())]
    words = [field for field in fields if field.partition(".")[0] in ("words", "headline")]
    if words:
        yield Change(About.WORDS, _("People read other words: %(fields)s."), {"fields": words})
    for field in (field for field in fields if field not in words):
        yield Change(About.POLICY, _("%(field)s is written otherwise."), {"field": field})


def _differing(before: Any, after: Any, covered: set[_Path], path: _Path) -> Iterator[_Path]:
    """The places that differ and have no sentence of their own, down to where one side is no mapping."""
    if before == after or path in covered:
        return
    below = {**before, **after} if isinstance(before, Mapping) and isinstance(after, Mapping) else {}
    if not below or {"en", "fr"} & below.keys():
        yield path
    for name in () if {"en", "fr"} & below.keys() else below:
        yield from _differing(before.get(name), after.get(name), covered, (*path, name))


def _at(document: Document, path: _Path) -> Any:
    value: Any = document
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


_SPANS: frozenset[str] = frozenset(
    {"within", "review_within", "approval_valid_for", "outcome_within", "idempotency_window", "visibility_delay"}
)


def _shown(path: _Path, value: Any) -> Any:
    if value is None:
        return _USUAL if path[-1] == "loops" else _NONE
    if path[-1] in _SPANS:
        return duration(value)
    return [duration(one) for one in value] if path[-1] == "probe_after" else value
