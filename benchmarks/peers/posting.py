"""What every peer's job does: it looks at the target, then orders, over fresh connections, each tried once."""

import os

import httpx2


def look_and_post(reference: str) -> None:
    """Look, and send the order; raise when an answer is no success."""
    order = {"dossier_ref": "D-1", "reason_code": "ECART_MONTANT", "queue": "internal_review", "client_ref": reference}
    limits = httpx2.Limits(max_keepalive_connections=0)
    with httpx2.Client(limits=limits, trust_env=False, timeout=10) as client:
        client.get(f"{os.environ['SANDBOX_URL']}/dossiers/D-1").raise_for_status()
        client.post(f"{os.environ['SANDBOX_URL']}/review-requests", json=order).raise_for_status()
