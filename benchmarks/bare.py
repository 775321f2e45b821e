"""The peer: a Celery task that makes the same HTTP calls, with the same settings, and keeps no promise at all."""

import os

import httpx2
from celery import Celery

app = Celery("bare", broker=os.environ.get("REDIS_URL"), set_as_current=False)  # the house keeps its own
app.conf.update(
    task_ignore_result=True,
    worker_prefetch_multiplier=1,
    task_acks_late=os.environ.get("BARE_ACKS_LATE") == "1",
    task_reject_on_worker_lost=os.environ.get("BARE_ACKS_LATE") == "1",
    broker_transport_options={"visibility_timeout": 5, "unacked_restore_interval": 1, "unacked_restore_throttle": 1},
    worker_hijack_root_logger=False,
)

_client: dict[int, httpx2.Client] = {}


def _own_client() -> httpx2.Client:
    """One client for each process, a fresh connection for each call: what the house does as well."""
    if os.getpid() not in _client:
        limits = httpx2.Limits(max_keepalive_connections=0)
        _client[os.getpid()] = httpx2.Client(limits=limits, trust_env=False, timeout=10)
    return _client[os.getpid()]


def _post(reference: str) -> None:
    order = {"dossier_ref": "D-1", "reason_code": "ECART_MONTANT", "queue": "internal_review", "client_ref": reference}
    answer = _own_client().post(f"{os.environ['SANDBOX_URL']}/review-requests", json=order)
    answer.raise_for_status()


@app.task(name="bare.post")
def post(reference: str) -> None:
    """The order alone."""
    _post(reference)


@app.task(name="bare.look_and_post")
def look_and_post(reference: str) -> None:
    """The observation of the target, and the order."""
    _own_client().get(f"{os.environ['SANDBOX_URL']}/dossiers/D-1").raise_for_status()
    _post(reference)
