"""One embedded PostgreSQL: made, repaired, started and stopped as a plain foreground child."""

import os
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from demo.accounts import Account
from demo.binaries import Binaries
from demo.children import Child, end_process, lives, spawn
from demo.telling import Refusal, Say

MAJOR = "18"
BASE_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # a socket's path is limited to 107 bytes; TCP costs the same
    "max_connections": "100",
    "shared_buffers": "64MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
# Only for databases that nobody will miss: a power cut may cost the last transactions, or all of it.
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def make_cluster(data: Path, *, binaries: Binaries, account: Account, password: str, say: Say) -> None:
    """Make the data directory, whole or not at all: a half-made one is never at its final name."""
    if (data / "global" / "pg_control").exists():
        _check_version(data)
        return
    if data.exists():
        aside = data.with_name(f"{data.name}.incomplete-{secrets.token_hex(3)}")
        data.rename(aside)
        say(f"  {data} is not a whole database; it was set aside as {aside.name}.")
    half = data.with_name(data.name + ".half")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(mode=0o700)
    account.owns(half)
    _initdb(half, binaries=binaries, account=account, password=password)
    half.rename(data)


def start_postgres(
    data: Path, *, port: int, settings: Mapping[str, str], binaries: Binaries, account: Account, log: Path
) -> Child:
    """Start the server on its data directory; it may not answer yet. End it with SIGINT: SIGTERM waits for clients."""
    clear_stale_lock(data)
    command: list[str | Path] = [binaries.postgres, "-D", data]
    for name, value in {**BASE_SETTINGS, **settings, "port": str(port)}.items():
        command += ["-c", f"{name}={value}"]
    return spawn(command, name="postgres", log=log, account=account, stop_signal=signal.SIGINT)


def wait_for_postgres(child: Child, url: str, *, seconds: float = 60.0) -> bool:
    """Wait until the server answers; False when it ended instead. Raises Refusal after `seconds`."""
    deadline = time.monotonic() + seconds
    while child.running:
        try:
            psycopg.connect(url, connect_timeout=5).close()
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                raise Refusal(
                    "This database was made with another password than the one in secrets.json: "
                    "put that file back, or run `make demo-reset` and start with new data."
                ) from error
            if time.monotonic() > deadline:
                raise Refusal(f"PostgreSQL does not answer: {error}\n{child.last_words()}") from error
            time.sleep(0.05)
        else:
            return True
    return False


def ensure_database(admin_url: str, name: str) -> None:
    """Make sure that a database of this name exists."""
    with psycopg.connect(admin_url, autocommit=True) as connection:
        if not connection.execute("select 1 from pg_database where datname = %s", [name]).fetchone():
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))


def clear_stale_lock(data: Path) -> None:
    """Make `postmaster.pid` true again after a kill -9.

    PostgreSQL itself handles a lock whose process is gone. It refuses for ever when the number now belongs to some
    other process of the same account, or to one that ended and that nobody collected. A server that still runs on this
    very directory is ended first, as are backends that have not noticed yet that their server is gone: removing the
    lock under them would let two servers write to one directory.
    """
    lock = data / "postmaster.pid"
    if not lock.exists():
        return
    first = lock.read_text(errors="replace").partition("\n")[0].strip()
    pid = int(first) if first.isdigit() else 0
    if pid and _is_server_of(pid, data):
        end_process(pid, signal.SIGINT, seconds=20)
    _wait_for_backends(data)
    if not first.isdigit() or pid_is_taken(pid):
        lock.unlink(missing_ok=True)


def pid_is_taken(pid: int) -> bool:
    """Say whether a process has this number, ended or not, as PostgreSQL asks the kernel."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _initdb(data: Path, *, binaries: Binaries, account: Account, password: str) -> None:
    secret = data.with_name("postgres.password")
    secret.unlink(missing_ok=True)
    with os.fdopen(os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        out.write(password + "\n")
    account.owns(secret)
    command = [binaries.initdb, "-D", data, "-U", "postgres", "-A", "scram-sha-256", f"--pwfile={secret}", "-E", "UTF8"]
    command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--no-sync"]
    command += ["-c", "scram_iterations=1"]  # the password is 64 random characters; iterations only cost time here
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            **account.popen_arguments(),
        )
    finally:
        secret.unlink(missing_ok=True)
    if done.returncode:
        raise Refusal(f"The database directory {data} could not be made:\n{done.stderr or done.stdout}")


def _check_version(data: Path) -> None:
    found = (data / "PG_VERSION").read_text().strip()
    if found != MAJOR:
        raise Refusal(f"{data} was made by PostgreSQL {found}, this is {MAJOR}: run `make demo-reset`.")


def _is_server_of(pid: int, data: Path) -> bool:
    try:
        process = psutil.Process(pid)
        return lives(pid) and process.name().startswith("postgres") and str(data) in process.cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


def _wait_for_backends(data: Path, *, seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while left := _backends(data):
        if time.monotonic() > deadline:
            for process in left:
                process.kill()
        time.sleep(0.05)


def _backends(data: Path) -> list[psutil.Process]:
    """Return the processes of a server that works in this directory."""
    found = []
    for process in psutil.process_iter(["name"]):
        try:
            if process.info["name"] == "postgres" and lives(process.pid) and Path(process.cwd()) == data:
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found
