"""Contract versions as somebody may read them."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import get_language

from proposals.contracts import Contract, contract_of, in_language
from proposals.models import ContractVersion
from tenancy.models import RoleGrant, User


@dataclass(frozen=True)
class Read:
    """A contract version with what it says, in the reader's language."""

    version: ContractVersion
    contract: Contract
    title: str
    consequence: str


def visible(reader: User) -> QuerySet[ContractVersion]:
    """The versions of every organization in which the person holds a role now."""
    grants = RoleGrant.objects.filter(person=reader, person__is_active=True, ended_at__isnull=True)
    return (
        ContractVersion.objects.filter(organization__in=grants.values("organization"))
        .select_related("organization", "published_by", "activated_by", "retired_by")
        .order_by("organization__name", "name", "-published_at", "-pk")
    )


def version_of(reader: User, name: str, version: str, slug: str) -> ContractVersion | None:
    """This version, of the organization named or of the first that has one."""
    rows = visible(reader).filter(name=name, version=version)
    return (rows.filter(organization__slug=slug) if slug else rows).first()


def read_of(version: ContractVersion) -> Read:
    """What it says, in the language of the moment."""
    language = (get_language() or "en")[:2]
    contract = contract_of(version)
    return Read(version, contract, in_language(contract.title, language), contract.consequence_words(language))


def reads_of(versions: Iterable[ContractVersion]) -> list[Read]:
    """The same for several."""
    return [read_of(version) for version in versions]
