"""`POST /tool-calls`: a model's turn in, matched results out."""

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from approvals import receiving
from approvals.refusals import Refusal
from proposals.turns import Family, NotATurn, Turn, read_turn
from web.api.answers import BODY, answers
from web.api.doors import Door
from web.api.parsing import malformed, parameters
from web.toolcalls import examples
from web.toolcalls.calling import propose_each, require_answerable
from web.toolcalls.rendering import rendered, told

_SESSION = OpenApiParameter(
    "session",
    {"type": "string", "minLength": 1, "maxLength": 255},
    description="One conversation; absent, there is one session for each token.",
)


class ToolCalls(Door):
    """`/tool-calls`."""

    @extend_schema(
        operation_id="answer_tool_calls",
        summary="Propose every call of a model's turn",
        parameters=[
            _SESSION,
            OpenApiParameter("Accept-Language", str, OpenApiParameter.HEADER, description="`en` or `fr`."),
        ],
        request={"application/json": examples.TURN},
        examples=[OpenApiExample(name, turn, request_only=True) for name, turn in examples.TURNS.items()],
        responses=answers(
            {
                200: OpenApiResponse(
                    examples.RESULTS,
                    description="One result for each call, in order, in the shape of the family. Refusals are results.",
                )
            },
            *BODY,
        ),
    )
    def post(self, request: Request) -> Response:
        """One result for each call. A turn that cannot be told apart call by call is refused as a whole."""
        try:
            session, turn = _session(request), _turn(request)
        except Refusal as refusal:
            receiving.note(self.caller, refusal)
            raise
        results = propose_each(self.caller, turn, session=session)
        said = [told(result, language=self.language, request_id=self.request_id) for result in results]
        return Response(rendered(turn.family, said))


def _session(request: Request) -> str | None:
    session = parameters(request, "session").get("session")
    if session is not None and not 1 <= len(session) <= 255:
        raise malformed("session is a text of 1 to 255 characters.", keyword="query")
    return session


def _turn(request: Request) -> Turn:
    try:
        turn = read_turn(request.data)
    except NotATurn as error:
        errors = ({"pointer": error.pointer, "keyword": "turn", "expected": "a turn of a model", "received": ""},)
        raise Refusal("malformed_request", detail=str(error), errors=errors) from error
    require_answerable(turn, has_ids=turn.family is not Family.MCP)
    return turn
