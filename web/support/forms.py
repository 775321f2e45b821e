"""What a person typed at the desk, read before anything is asked of the house; the house says what is wrong with it."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from intents.models import Conclusion
from proposals.contracts import Contract

_REASONS: dict[str, Promise] = {
    "SEEN_IN_BUSINESS_SYSTEM": _("I see it in the business system"),
    "SEARCHED_NOT_FOUND": _("I searched the business system, and it is not there"),
    "CONFIRMED_BY_OWNER": _("The team in charge of the business system told me"),
    "CANNOT_SEARCH": _("I cannot search the business system"),
    "WAITING_FOR_ANSWER": _("I asked, and wait for an answer"),
    "CONTRADICTORY": _("What I found contradicts itself"),
    "OTHER": _("Another reason, in my words"),
}


def reason_choices(codes: Iterable[str]) -> list[tuple[str, Promise | str]]:
    """Code and words, in the order of the house."""
    return [(code, _REASONS.get(code, code)) for code in codes]


class VersionForm(forms.Form):
    """The version of the case the person had before them."""

    version = forms.IntegerField(min_value=1, max_value=2**31 - 1)


class OwnershipForm(VersionForm):
    """Take the case, or hand it over to a colleague with a reason."""

    to = forms.CharField(required=False, max_length=150)
    why = forms.CharField(required=False, max_length=5000, strip=True)


class LiftForm(VersionForm):
    """Ask to let the object go, and why; or agree to it."""

    why = forms.CharField(required=False, max_length=5000, strip=True)


class EvidenceForm(VersionForm):
    """What a person saw, where, in their words; the fields are those that prove the effect."""

    link = forms.CharField(required=False, max_length=2000, strip=True)
    words = forms.CharField(required=False, max_length=5000, strip=True)

    def __init__(self, *args: Any, contract: Contract, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.names = [check.field for check in contract.effect_to_verify]
        for name in self.names:
            self.fields[f"field_{name}"] = forms.CharField(required=False, max_length=500, strip=True)

    def add_prefix(self, field_name: str) -> str:
        """A field of evidence may also come under its bare name."""
        bare = field_name.removeprefix("field_")
        if field_name != bare and field_name not in self.data and bare in self.data:
            return bare
        return super().add_prefix(field_name)

    @property
    def seen(self) -> dict[str, str]:
        """The fields that were filled in, by their names in the business system."""
        return {name: value for name in self.names if (value := self.cleaned_data.get(f"field_{name}"))}


class ConclusionForm(EvidenceForm):
    """What was established, and what follows. Each choice of the page has its own reason and words."""

    finding = forms.ChoiceField(
        choices=[(one.value, "") for one in Conclusion.Finding],
        error_messages={"required": _("Choose what you established.")},
    )
    then = forms.ChoiceField(choices=[("close", ""), ("new_attempt", "")], required=False)
    reason = forms.CharField(max_length=64, error_messages={"required": _("Choose a reason.")})
    differs = forms.BooleanField(required=False)

    def __init__(self, data: Any, **kwargs: Any) -> None:
        data = data.copy()
        for name in ("reason", "words"):
            typed = data.get(f"{data.get('finding', '')}_{name}")
            if typed is not None:
                data[name] = typed
        super().__init__(data, **kwargs)


class ClosingForm(VersionForm):
    """How the case of a differing effect ends."""

    how = forms.ChoiceField(
        choices=[
            ("compensated", _("It was undone by another operation")),
            ("accepted", _("It stays as it is, and everybody concerned agrees")),
        ],
        error_messages={"required": _("Choose how it ends.")},
    )
    words = forms.CharField(required=False, max_length=5000, strip=True)
    link = forms.CharField(required=False, max_length=2000, strip=True)
