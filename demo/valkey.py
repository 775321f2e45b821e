"""One embedded Valkey: it carries nudges only, so damaged data is set aside and never stands in the way."""

import secrets
import time
from pathlib import Path

import redis

from demo.accounts import Account
from demo.binaries import Binaries
from demo.children import Child, spawn
from demo.telling import Refusal


def start_valkey(
    data: Path, *, port: int, password: str, keep: bool, binaries: Binaries, account: Account, log: Path
) -> Child:
    """Start the server on its data directory; with `keep`, what it holds survives a restart.

    The password travels in a file: a command line can be read by every user of the machine.
    """
    data.mkdir(exist_ok=True)
    data.chmod(0o700)
    account.owns(data)
    config = data / "valkey.conf"
    config.unlink(missing_ok=True)
    config.touch(mode=0o600)
    config.write_text(
        f"bind 127.0.0.1\nport {port}\nrequirepass {password}\ndir {_quoted(data)}\n"
        f'appendonly {"yes" if keep else "no"}\nsave ""\n'
    )
    account.owns(config)
    return spawn([binaries.valkey, config], name="valkey", log=log, account=account)


def wait_for_valkey(child: Child, url: str, *, seconds: float = 30.0) -> bool:
    """Wait until the server answers; False when it ended instead. Raises Refusal after `seconds`."""
    deadline = time.monotonic() + seconds
    client = redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2)
    try:
        while child.running:
            try:
                client.ping()
            except (redis.ConnectionError, redis.TimeoutError) as error:
                if time.monotonic() > deadline:
                    raise Refusal(f"Valkey does not answer: {error}\n{child.last_words()}") from error
                time.sleep(0.05)
            else:
                return True
    finally:
        client.close()
    return False


def set_aside(data: Path) -> Path:
    """Move damaged data out of the way and return its new name."""
    aside = data.with_name(f"{data.name}.damaged-{secrets.token_hex(3)}")
    data.rename(aside)
    return aside


def _quoted(path: Path) -> str:
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'
