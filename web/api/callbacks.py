"""Where business systems call back: the signature is the only credential, and says for which organization."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from approvals.refusals import Refusal
from intents import hearing
from web.api.doors import Door
from web.api.errors import MEDIA_TYPE, body_of, not_found
from web.api.parsing import malformed


@extend_schema(exclude=True)  # not for agents: docs/outcomes.md
class Callbacks(Door):
    """`/callbacks/{system}`."""

    authentication_classes = ()
    permission_classes = ()

    def post(self, request: Request, system: str) -> Response:
        """204: the message is evidence, or was already. Whoever did not sign it learns nothing, whatever it names."""
        body = request._request.read(hearing.MAX_BODY + 1)  # the very bytes that were signed
        if len(body) > hearing.MAX_BODY:
            return _not_signed()
        message = hearing.Message(
            system=system,
            identifier=request.headers.get("webhook-id", ""),
            timestamp=request.headers.get("webhook-timestamp", ""),
            signatures=request.headers.get("webhook-signature", ""),
            body=body,
        )
        try:
            hearing.hear(message)
        except hearing.NotSigned:
            return _not_signed()
        except hearing.NotOurs as error:
            raise not_found() from error
        except hearing.NotReadable as error:
            raise malformed(str(error)) from error
        return Response(status=204)


def _not_signed() -> Response:
    """The same bytes for an unknown system, a wrong signature and a message from another time."""
    refusal = Refusal("unauthenticated", detail="A valid signature is needed.")
    body = {**body_of(refusal, ""), "request_id": None}
    return Response(body, status=401, content_type=MEDIA_TYPE, headers={"WWW-Authenticate": "Signature"})
