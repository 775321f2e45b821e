"""What the person may choose (PORT, SANDBOX_PORT, DEMO_DIR), and the environment that follows from it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from demo.embedded import EmbeddedServers
from demo.telling import Refusal

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_DIRECTORY = ROOT / ".demo"


@dataclass(frozen=True)
class Choices:
    """Ports of 127.0.0.1 and the directory of one demo."""

    port: int
    sandbox_port: int
    directory: Path

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> "Choices":
        """Read the choices; raise Refusal for a port that is none."""
        chosen = cls(
            port=_port("PORT", environ.get("PORT") or "8000"),
            sandbox_port=_port("SANDBOX_PORT", environ.get("SANDBOX_PORT") or "8900"),
            directory=ROOT / (environ.get("DEMO_DIR") or DEFAULT_DIRECTORY),
        )
        if chosen.port == chosen.sandbox_port:
            raise Refusal(f"PORT and SANDBOX_PORT are both {chosen.port}: choose two different ones.")
        return chosen

    @property
    def base_url(self) -> str:
        """Where the product is served."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def sandbox_url(self) -> str:
        """Where the pretend business system is served."""
        return f"http://127.0.0.1:{self.sandbox_port}"

    def environment(self, servers: EmbeddedServers, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
        """Return the environment of everything the demo runs."""
        # A given database outlives this directory: `make demo-reset` would make it look restored.
        epoch = {} if "DATABASE_URL" in environ else {"EPOCH_FILE": str(self.directory / "epoch.json")}
        return {
            **environ,
            **epoch,
            "DATABASE_URL": servers.database_url,
            "REDIS_URL": servers.redis_url,
            "SECRET_KEY": servers.home.secret("SECRET_KEY"),
            "DEMO": "1",
            "DEBUG": "0",
            "DEMO_DIR": str(self.directory),
            "ALLOWED_HOSTS": "127.0.0.1,localhost",
            "BASE_URL": self.base_url,
            "SANDBOX_URL": self.sandbox_url,
            "SYSTEMS_DIR": str(ROOT / "sandbox" / "systems"),
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PYTHONUNBUFFERED": "1",
            "PYTHONIOENCODING": ":replace",  # no log and no terminal ends a process by what it cannot show
        }


def _port(name: str, text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        raise Refusal(f"{name}={text} is not a port: choose a number from 1 to 65535.")
    return int(text)
