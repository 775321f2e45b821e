"""The epoch file: where the journal ended, kept beside the deployment and outside its database.

JSON: `entry` and `digest` of the newest entry then, `at` (UTC), and `paused` once a database was found older than it.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from journal.heads import End


class Unreadable(Exception):
    """There is an epoch file, and it cannot be read."""


@dataclass(frozen=True)
class Epoch:
    """What the file says: where the journal ended when it was last written."""

    end: End
    at: str


def read(path: Path) -> Epoch | None:
    """What the file says; None when there is none.

    Raises:
        Unreadable: it exists, but is no epoch file, or not ours to read.
    """
    try:
        said = json.loads(path.read_bytes())
        return Epoch(End(int(said["entry"]), str(said["digest"])), str(said["at"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Unreadable(f"{path}: {type(error).__name__}") from error


def write(path: Path, epoch: Epoch, *, paused: dict[str, Any] | None = None) -> None:
    """The file says this, whole at every instant and on the disk when this returns; OSError when it cannot."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    said = {"entry": epoch.end.entry, "digest": epoch.end.digest, "at": epoch.at, "paused": paused}
    with draft.open("w", encoding="utf-8") as out:
        json.dump(said, out, indent=1)
        out.write("\n")
        out.flush()
        os.fsync(out.fileno())
    draft.replace(path)
