"""The directory of one demo: who may use it now, which ports are its own, and where the servers' data lies."""

import fcntl
import json
import os
import secrets
import shutil
import socket
import tempfile
from pathlib import Path
from typing import IO, Any

from demo.accounts import Account, server_account
from demo.telling import Refusal, Say

_MARK = ".countersign-demo"


class InUse(Refusal):
    """Another supervisor holds the directory."""


class Home:
    """One directory, locked by one supervisor at a time."""

    def __init__(self, path: Path) -> None:
        """Name the directory (absolute afterwards); nothing is made yet."""
        self.path = path.absolute()
        self._lock: IO[str] | None = None

    @property
    def made(self) -> bool:
        """Whether a demo was ever started here."""
        return (self.path / _MARK).exists()

    @property
    def processes(self) -> Path:
        """Where a running demo notes the processes of the product; absent when none runs."""
        return self.path / "processes.json"

    def take(self) -> None:
        """Make the directory if need be and lock it; raise Refusal when it is in use or not ours to use."""
        try:
            self._make()
            lock = (self.path / "lock").open("a")
        except PermissionError as error:
            raise Refusal(
                f"{error.filename} belongs to another user. Run as that user, or choose another DEMO_DIR."
            ) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.close()
            raise InUse(f"The demo of {self.path} is running: stop it first (Ctrl-C in its terminal).") from error
        (self.path / _MARK).write_text("Made by `make demo`; `make demo-reset` empties this directory.\n")
        self._lock = lock

    def leave(self) -> None:
        """Unlock the directory."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def clear(self) -> None:
        """Remove everything the demo made here; the caller holds the lock. Data kept elsewhere goes as well."""
        elsewhere = self._elsewhere()
        if elsewhere is not None:
            shutil.rmtree(elsewhere, ignore_errors=True)
        for entry in self.path.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()

    def erase(self) -> None:
        """Remove the directory itself; the caller holds the lock, so that nobody else does the same."""
        if self.path.exists():
            self.clear()
            self.path.rmdir()

    def place(self, *, say: Say) -> tuple[Path, Account]:
        """Return the directory for the servers' data, and the account they run as.

        Root lends the servers an account that may be unable to enter a private directory (a clone below /root). We
        never open the user's directories for it: the data then lies in a directory of its own, noted here.
        """
        elsewhere = self._elsewhere()
        account = server_account((elsewhere or self.path) / "postgres")
        if elsewhere is not None or account.can_enter(self.path):
            return elsewhere or self.path, account
        base = next(path for path in (Path("/var/lib"), Path("/var/tmp"), Path(tempfile.gettempdir())) if path.is_dir())  # noqa: S108  # only a parent: mkdtemp makes the name
        made = Path(tempfile.mkdtemp(prefix="countersign-demo-", dir=base))
        made.chmod(0o711)
        (made / _MARK).write_text(str(self.path))
        self._write("elsewhere.json", {"path": str(made)})
        say(f"  The account {account.name}, which runs the servers for root, cannot enter {self.path}.")
        say(f"  Their data is in {made} instead; `make demo-reset` removes it as well.")
        return made, account

    def port(self, name: str, *, fresh: bool = False) -> int:
        """Return the port of a server, chosen once and kept; `fresh` chooses another."""
        ports = self._read("ports.json")
        kept = ports.get(name)
        if isinstance(kept, int) and not fresh and port_is_free(kept):
            return kept
        chosen = free_port()
        self._write("ports.json", {**ports, name: chosen})
        return chosen

    def known_port(self, name: str) -> int:
        """Return the port a running server was given."""
        return int(self._read("ports.json")[name])

    @property
    def given_before(self) -> list[str]:
        """The names of the servers' addresses that the last start here was given."""
        return [name for name in self._read("given.json").get("names", []) if name in ("DATABASE_URL", "REDIS_URL")]

    def note_given(self, names: list[str]) -> None:
        """Keep the names, never the addresses: they hold passwords."""
        self._write("given.json", {"names": names})

    def secret(self, name: str) -> str:
        """Return a secret of this home, made on first use and readable by its owner alone."""
        kept = self._read("secrets.json")
        if name not in kept:
            kept[name] = secrets.token_urlsafe(48)
            self._write("secrets.json", kept)
        return str(kept[name])

    def _make(self) -> None:
        if not self.path.exists():
            self.path.mkdir(parents=True)
            self.path.chmod(0o755)  # ours, and the servers' account must pass; secrets carry their own modes
        if not self.made and any(entry.name != "lock" for entry in self.path.iterdir()):
            raise Refusal(f"{self.path} is not empty and was not made by the demo: choose another DEMO_DIR.")

    def _elsewhere(self) -> Path | None:
        noted = self._read("elsewhere.json").get("path")
        if noted is None:
            return None
        path = Path(str(noted))
        ours = (path / _MARK).exists() and (path / _MARK).read_text() == str(self.path)
        return path if ours and path.stat().st_uid == os.geteuid() else None

    def _read(self, name: str) -> dict[str, Any]:
        try:
            kept = json.loads((self.path / name).read_text())
        except (FileNotFoundError, ValueError):  # not made yet, or cut short by a power cut
            return {}
        return kept if isinstance(kept, dict) else {}

    def _write(self, name: str, content: dict[str, Any]) -> None:
        draft = self.path / f"{name}.draft"
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            json.dump(content, out, indent=1)
            out.flush()
            os.fsync(out.fileno())
        draft.replace(self.path / name)


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def port_is_free(port: int) -> bool:
    """Say whether a server could listen on a port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
