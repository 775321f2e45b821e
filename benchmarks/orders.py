"""Approved intents in any number: one is proposed and signed by the product, the others are copies of its rows."""

import uuid
from datetime import timedelta
from typing import Any

from django.db import transaction

from approvals.models import Authorization, Signature
from intents.models import Intent
from journal.clock import now as database_now
from journal.digests import canonical
from proposals.arguments import parse
from proposals.models import Proposal, Revision


def multiply(pattern: Intent, count: int, *, first: int, look_in: float) -> list[int]:
    """`count` ready intents exist, each on a file of its own from `D-<first>`; their ids, in order.

    A sweep looks at them in `look_in` seconds at the earliest.
    """
    with transaction.atomic():
        proposals = _proposals(pattern, count)
        revisions = _revisions(pattern, proposals, first)
        authorizations = _authorizations(pattern, revisions)
        return _intents(pattern, revisions, authorizations, first, look_in)


def multiply_unsigned(pattern: Intent, count: int, *, first: int) -> list[Revision]:
    """`count` proposals await a signature, each on a file of its own from `D-<first>`; their revisions, in order."""
    with transaction.atomic():
        proposals = _proposals(pattern, count, state=Proposal.State.AWAITING_APPROVAL)
        return _revisions(pattern, proposals, first)


def _proposals(pattern: Intent, count: int, **changes: Any) -> list[Proposal]:
    proposal = pattern.revision.proposal
    made = [_copy(proposal, chain_digest=None, chain_length=0, **changes) for _ in range(count)]
    return Proposal.objects.bulk_create(made, batch_size=500)


def _revisions(pattern: Intent, proposals: list[Proposal], first: int) -> list[Revision]:
    arguments = dict(parse(bytes(pattern.revision.arguments)))
    made = []
    for place, proposal in enumerate(proposals):
        target = f"D-{first + place}"
        told = canonical({**arguments, "dossier_ref": target})
        made.append(_copy(pattern.revision, proposal=proposal, target=target, arguments=told))
    return Revision.objects.bulk_create(made, batch_size=500)


def _authorizations(pattern: Intent, revisions: list[Revision]) -> list[Authorization]:
    lasts = database_now() + timedelta(hours=2)
    made = [_copy(pattern.authorization, revision=revision, expires_at=lasts) for revision in revisions]
    authorizations = Authorization.objects.bulk_create(made, batch_size=500)
    signatures = list(pattern.authorization.signatures.all())
    Signature.objects.bulk_create(
        [
            _copy(signature, revision=authorization.revision, authorization=authorization, expires_at=lasts)
            for authorization in authorizations
            for signature in signatures
        ],
        batch_size=500,
    )
    return authorizations


def _intents(
    pattern: Intent, revisions: list[Revision], authorizations: list[Authorization], first: int, look_in: float
) -> list[int]:
    later = database_now() + timedelta(seconds=look_in)
    made = [
        _copy(
            pattern,
            revision=revision,
            authorization=authorization,
            target=f"D-{first + place}",
            reference=uuid.uuid4(),
            next_look_at=later,
        )
        for place, (revision, authorization) in enumerate(zip(revisions, authorizations, strict=True))
    ]
    return [intent.pk for intent in Intent.objects.bulk_create(made, batch_size=500)]


def _copy(row, **changes):  # type: ignore[no-untyped-def]  # any model in, the same model out
    values = {
        field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if not field.primary_key
    }
    made = type(row)(**values)
    for name, value in changes.items():
        setattr(made, name, value)
    return made
