"""Who the embedded servers run as: PostgreSQL refuses to run as root, so root lends them another account."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Account:
    """An account of this machine; `borrowed` when it is not the one we run as."""

    name: str
    uid: int
    gid: int
    borrowed: bool

    def popen_arguments(self) -> dict[str, Any]:
        """Return what `subprocess` needs to run a command as this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.borrowed else {}

    def owns(self, path: Path) -> None:
        """Make this account the owner of a path that we made for it."""
        if self.borrowed:
            os.chown(path, self.uid, self.gid)

    def can_enter(self, path: Path) -> bool:
        """Say whether this account reaches a path through all its parents, as the kernel sees it."""
        if not self.borrowed:
            return os.access(path, os.X_OK)
        asked = subprocess.run(
            ["/bin/sh", "-c", 'test -x "$1"', "sh", str(path)],
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            **self.popen_arguments(),
        )
        return asked.returncode == 0


def server_account(data: Path) -> Account:
    """Return the account the servers run as: ourselves, or for root the owner of the data already there, else nobody.

    Keeping the owner lets root go on with a demo that an ordinary user began.
    """
    if os.geteuid() != 0:
        return _account(os.geteuid(), os.getegid(), borrowed=False)
    nobody = pwd.getpwnam("nobody")
    found = data.stat() if data.exists() else None
    if found is None or found.st_uid == 0:
        return _account(nobody.pw_uid, nobody.pw_gid, borrowed=True)
    return _account(found.st_uid, found.st_gid, borrowed=True)


def _account(uid: int, gid: int, *, borrowed: bool) -> Account:
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:  # a container may run as a number without a name
        name = str(uid)
    return Account(name=name, uid=uid, gid=gid, borrowed=borrowed)
