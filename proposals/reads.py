"""What a submission reads here, as parts of one statement: the active version, a held key, the next number."""

from collections.abc import Mapping
from typing import Any

from journal.reads import Read
from proposals.keys import Claim
from proposals.models import ContractVersion
from tenancy.access import Caller
from tenancy.models import Organization

_COLUMNS = ("id", "organization_id", "name", "version", "digest", "state", "waiver")


def active_version(organization: Organization, tool: str) -> Read:
    """The active version of the tool there, for `version_of`; names match exactly."""
    columns = ", ".join(f"'{name}', {name}" for name in _COLUMNS)
    return Read(
        f"""SELECT json_build_object({columns}) FROM proposals_contractversion
            WHERE organization_id = %s AND name = %s AND state = 'active'""",  # noqa: S608  columns named above
        (organization.pk, tool),
    )


def version_of(row: Mapping[str, Any] | None) -> ContractVersion | None:
    """The version as it was read; its long texts are read when they are asked for."""
    return None if row is None else ContractVersion.from_db("default", list(_COLUMNS), [row[name] for name in _COLUMNS])


def version_standing(version: ContractVersion) -> Read:
    """State and digest of the version as they are now."""
    return Read("SELECT json_build_array(state, digest) FROM proposals_contractversion WHERE id = %s", (version.pk,))


def key_is_held(caller: Caller, claim: Claim) -> Read:
    """Whether a submission holds the key; it may have lapsed since (proposals.keys)."""
    return Read(
        """SELECT EXISTS (SELECT 1 FROM proposals_submissionkey
           WHERE organization_id = %s AND agent_id = %s AND key = %s AND released_at IS NULL)""",
        (caller.organization.pk, caller.agent.pk, claim.key),
    )


NEXT_NUMBER = Read("SELECT nextval(pg_get_serial_sequence('proposals_proposal', 'id'))")
