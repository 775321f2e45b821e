"""Who plays in the demo: two organizations, their scopes, the people with their roles, the agents."""

from dataclasses import dataclass

PASSWORD = "demo"  # noqa: S105  the demo is on loopback, and says that it is a demo

EVERY_ROLE = ("case_manager", "review_lead", "support", "owner", "operator", "auditor")


@dataclass(frozen=True)
class Person:
    """A person and the roles held; `scope` is None for the whole organization."""

    username: str
    organization: str
    scope: str | None
    roles: tuple[str, ...]


@dataclass(frozen=True)
class Programme:
    """An agent, the person it acts for, and the scope its token is limited to."""

    name: str
    organization: str
    on_behalf_of: str
    scope: str


ORGANIZATIONS = {"demo": "Maison Ardoise", "other": "Comptoir Boréal"}
SCOPES = {
    ("demo", "A"): "Établissement A, Brest",
    ("demo", "B"): "Établissement B, Épinal",
    ("other", "X"): "Établissement X, Avignon",
}
PEOPLE = (
    Person("requester", "demo", "A", ("case_manager",)),
    Person("approver", "demo", "A", ("review_lead",)),
    Person("approver2", "demo", "A", ("review_lead",)),
    Person("requester-b", "demo", "B", ("case_manager",)),
    Person("approver-b", "demo", "B", ("review_lead",)),
    Person("support-b", "demo", "B", ("support",)),
    Person("support", "demo", "A", ("support",)),
    Person("support2", "demo", "A", ("support",)),
    Person("owner", "demo", None, ("owner",)),
    Person("owner2", "demo", None, ("owner",)),
    Person("operator", "demo", None, ("operator",)),
    Person("auditor", "demo", None, ("auditor",)),
    Person("stranger", "other", None, EVERY_ROLE),
    Person("stranger2", "other", None, EVERY_ROLE),
)
AGENTS = (
    Programme("agent-a", "demo", "requester", "A"),
    Programme("agent-b", "demo", "requester-b", "B"),
    Programme("agent-other", "other", "stranger", "X"),
)
# Who publishes the contracts of an organization, and who activates them.
OWNERS = {"demo": ("owner", "owner2"), "other": ("stranger", "stranger2")}
