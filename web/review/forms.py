"""What a person typed in one of the acts, checked before anything is asked of the house."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from web.formatting import reasons

_MISSING = _("Please say it in a few words.")


class ReasonForm(forms.Form):
    """A typed reason, and words; *another reason* needs words."""

    reason = forms.ChoiceField(
        error_messages={"required": _("Choose a reason."), "invalid_choice": _("Choose one of the reasons listed.")}
    )
    words = forms.CharField(required=False, max_length=4000, strip=True)

    def __init__(self, *args: Any, codes: Iterable[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].choices = reasons.choices(codes)  # type: ignore[attr-defined]  # a ChoiceField, above

    def clean(self) -> dict[str, Any]:
        """Another reason needs words."""
        data = super().clean() or {}
        if data.get("reason") == "OTHER" and not data.get("words"):
            self.add_error("words", _MISSING)
        return data


class SeenForm(forms.Form):
    """Which revision the person had before them; the digest says it exactly."""

    revision = forms.IntegerField(min_value=1, max_value=2**31 - 1)
    digest = forms.RegexField(r"^sha256:[0-9a-f]{64}$")
    round = forms.IntegerField(min_value=1, max_value=2**31 - 1, required=False)

    @property
    def seen(self) -> dict[str, Any]:
        """The keyword arguments that name what was seen."""
        data = self.cleaned_data
        return {"revision": data["revision"], "digest": data["digest"], "round": data["round"] or 1}


class WordsForm(forms.Form):
    """Words alone."""

    words = forms.CharField(max_length=4000, strip=True, error_messages={"required": _MISSING})


class ClaimForm(forms.Form):
    """Why one takes over from a colleague; empty when nobody is on it."""

    why = forms.CharField(max_length=4000, strip=True, required=False)
