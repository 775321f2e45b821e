"""What changes in the arguments that a contract asks for, level by level."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from proposals.changes import About, Change, new_and_gone

_BOUNDS: Mapping[str, tuple[str | Promise, str | Promise, str | Promise]] = {
    # keyword → it changes, it appears, it goes
    "maximum": (
        _("%(name)s may be at most %(new)s instead of %(old)s."),
        _("%(name)s may be at most %(new)s; it was not limited."),
        _("%(name)s is not limited to %(old)s any more."),
    ),
    "minimum": (
        _("%(name)s must be at least %(new)s instead of %(old)s."),
        _("%(name)s must be at least %(new)s; it was not limited."),
        _("%(name)s need not be at least %(old)s any more."),
    ),
    "maxLength": (
        _("%(name)s may hold %(new)s characters instead of %(old)s."),
        _("%(name)s may hold at most %(new)s characters."),
        _("%(name)s may be of any length; it was at most %(old)s characters."),
    ),
    "maxItems": (
        _("%(name)s may hold %(new)s entries instead of %(old)s."),
        _("%(name)s may hold at most %(new)s entries."),
        _("%(name)s may hold any number of entries; it was at most %(old)s."),
    ),
    "pattern": (
        _("%(name)s must match %(new)s instead of %(old)s."),
        _("%(name)s must match %(new)s."),
        _("%(name)s need not match %(old)s any more."),
    ),
    "format": (
        _("%(name)s must be a %(new)s instead of a %(old)s."),
        _("%(name)s must be a %(new)s."),
        _("%(name)s need not be a %(old)s any more."),
    ),
    "default": (
        _("Left out, %(name)s counts as %(new)s instead of %(old)s."),
        _("Left out, %(name)s counts as %(new)s."),
        _("Left out, %(name)s does not count as %(old)s any more."),
    ),
    "type": (
        _("%(name)s is of type %(new)s instead of %(old)s."),
        _("%(name)s must be of type %(new)s."),
        _("%(name)s need not be of type %(old)s any more."),
    ),
}
_TOLD = frozenset({"properties", "required", "items", "enum", "description", *_BOUNDS})


def argument_changes(before: Mapping[str, Any], after: Mapping[str, Any], prefix: str = "") -> Iterator[Change]:
    """Every change between two schemas of arguments; `prefix` names the argument that holds them."""
    old, new = before.get("properties", {}), after.get("properties", {})
    must, had_to = set(after.get("required", ())), set(before.get("required", ()))
    appeared, gone = new_and_gone(old, new)
    for name in appeared:
        text = _("%(name)s is asked for, and must be given.") if name in must else _("%(name)s may be given.")
        yield _change(text, prefix + name)
    for name in gone:
        yield _change(_("%(name)s is not taken any more."), prefix + name)
    for name in (name for name in old if name in new):
        if (name in must) != (name in had_to):
            text = _("%(name)s must be given now.") if name in must else _("%(name)s may be left out now.")
            yield _change(text, prefix + name)
        yield from _one(old[name], new[name], prefix + name)


def _one(before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> Iterator[Change]:
    yield from _values(before, after, name)
    for keyword, texts in _BOUNDS.items():
        old, new = before.get(keyword), after.get(keyword)
        if old != new:
            yield _change(texts[0 if None not in (old, new) else 1 if old is None else 2], name, old=old, new=new)
    if before.get("description") != after.get("description"):
        yield _change(
            _("Models read another description of %(name)s: “%(new)s”"), name, new=after.get("description", "")
        )
    yield from argument_changes(before, after, f"{name}.")
    if {before.get("items") is None, after.get("items") is None} == {False}:
        yield from _one(before["items"], after["items"], f"{name}[]")
    rest = [keyword for keyword in {**before, **after} if keyword not in _TOLD]
    for keyword in (keyword for keyword in rest if before.get(keyword) != after.get(keyword)):
        names = {"keyword": keyword, "old": before.get(keyword), "new": after.get(keyword)}
        yield _change(_("%(keyword)s of %(name)s is %(new)s instead of %(old)s."), name, **names)


def _values(before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> Iterator[Change]:
    if "enum" not in before and "enum" not in after:
        return
    if "enum" not in before or "enum" not in after:
        text = _("%(name)s takes these values only: %(values)s.") if "enum" in after else _("%(name)s takes any value.")
        yield _change(text, name, values=after.get("enum", ()))
        return
    appeared, gone = new_and_gone(before["enum"], after["enum"])
    if appeared:
        yield _change(_("%(name)s takes more values: %(values)s."), name, values=appeared)
    if gone:
        yield _change(_("%(name)s does not take these values any more: %(values)s."), name, values=gone)


def _change(text: str | Promise, name: str, **names: Any) -> Change:
    return Change(About.ARGUMENTS, text, {"name": name, **names})
