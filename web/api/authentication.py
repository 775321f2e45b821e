"""Who calls: a bearer token names one agent and the person it acts for. Cookies never open this door."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from tenancy import tokens
from tenancy.access import Caller
from tenancy.models import User


class AgentTokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`; unknown, expired and revoked tokens are answered alike."""

    def authenticate(self, request: Request) -> tuple[User, Caller] | None:
        """Return the person acted for and the caller; None without the header."""
        header = request.headers.get("Authorization", "")
        if not header:
            return None
        scheme, _, secret = header.partition(" ")
        caller = tokens.authenticate(secret.strip()) if scheme.lower() == "bearer" and secret.isascii() else None
        if caller is None:
            raise AuthenticationFailed
        if not caller.used_lately:
            tokens.touch(caller.token)
        return caller.person, caller

    def authenticate_header(self, request: Request) -> str:
        """The challenge sent with every 401."""
        return 'Bearer realm="countersign"'


class AgentTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # the package has no types
    """How the OpenAPI document names the token."""

    target_class = AgentTokenAuthentication
    name = "agentToken"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """An HTTP bearer token."""
        return {"type": "http", "scheme": "bearer", "description": "A token of one agent, acting for one person."}
