"""What a person typed about an agent or a token, checked against what they may give now."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from web.agents.queries import Gift

DAYS = (1, 7, 30, 90)


class TokenForm(forms.Form):
    """Which agent, where, for which tools, for how long. Nothing is chosen beforehand."""

    organization = forms.SlugField()
    agent = forms.ChoiceField(
        error_messages={"required": _("Choose the agent."), "invalid_choice": _("Choose one of the agents listed.")}
    )
    scopes = forms.MultipleChoiceField(
        error_messages={
            "required": _("Choose where it may ask."),
            "invalid_choice": _("You hold no role there that may ask for anything."),
        }
    )
    reach = forms.ChoiceField(
        choices=[("listed", ""), ("every", "")],
        error_messages={"required": _("Say what it may ask for."), "invalid_choice": _("Say what it may ask for.")},
    )
    tools = forms.MultipleChoiceField(
        required=False, error_messages={"invalid_choice": _("You may not ask for this tool yourself.")}
    )
    days = forms.TypedChoiceField(
        choices=[(days, "") for days in DAYS],
        coerce=int,
        error_messages={"required": _("Say how long it holds."), "invalid_choice": _("Say how long it holds.")},
    )

    def __init__(self, *args: Any, gift: Gift, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, listed in (
            ("agent", [agent.name for agent in gift.agents]),
            ("scopes", [scope.code for scope in gift.scopes]),
            ("tools", [tool.name for tool in gift.tools]),
        ):
            self.fields[name].choices = [(one, one) for one in listed]  # type: ignore[attr-defined]  # choice fields

    def clean(self) -> dict[str, Any]:
        """A list of tools has at least one."""
        data = super().clean() or {}
        if data.get("reach") == "listed" and not data.get("tools") and "tools" not in self.errors:
            self.add_error("tools", _("Choose at least one tool."))
        return data


class AgentForm(forms.Form):
    """A new agent's name, as proposals, the journal and webhooks will show it."""

    organization = forms.SlugField()
    name = forms.RegexField(
        r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
        max_length=100,
        strip=True,
        error_messages={
            "required": _("Give the agent a name."),
            "invalid": _("Letters, digits, dots, dashes and underscores, without accents."),
        },
    )


class TokenNumberForm(forms.Form):
    """Which token."""

    token = forms.IntegerField(min_value=1, max_value=2**63 - 1)


class AgentNumberForm(forms.Form):
    """Which agent."""

    agent = forms.IntegerField(min_value=1, max_value=2**63 - 1)
