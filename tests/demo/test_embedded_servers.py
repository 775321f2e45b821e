"""The embedded servers keep their data, repair themselves, harm nobody, and leave nothing behind."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from demo.accounts import Account, server_account
from demo.binaries import reachable_binaries
from demo.choices import ROOT
from demo.embedded import EmbeddedServers
from demo.home import InUse
from demo.postgres import pid_is_taken
from demo.telling import Refusal

STARTER = """
import signal, sys
from pathlib import Path
from demo.embedded import EmbeddedServers
servers = EmbeddedServers(Path(sys.argv[1]), environ={}, say=lambda _: None)
servers.start()
print(servers.postgres.process.pid, servers.valkey.process.pid, flush=True)
signal.pause()
"""


def servers_of(home: Path, said: list[str] | None = None, **options: bool) -> EmbeddedServers:
    return EmbeddedServers(home, environ={}, say=(said if said is not None else []).append, **options)


def write_fact(servers: EmbeddedServers) -> None:
    with psycopg.connect(servers.database_url) as connection:
        connection.execute("create table fact as select 42 as answer")


def read_fact(servers: EmbeddedServers) -> int:
    with psycopg.connect(servers.database_url) as connection:
        return connection.execute("select answer from fact").fetchone()[0]


def gone(pids: list[int], *, seconds: float = 15) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(pid_is_taken(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE for pid in pids):
            return True
        time.sleep(0.1)
    return False


def kill_postgres_without_a_trace(servers: EmbeddedServers) -> Path:
    servers.postgres.kill()
    servers.stop()
    return next(servers.home.path.glob("postgres/postmaster.pid"))


def test_data_and_ports_are_the_same_after_an_ordered_stop_and_a_start(home):
    with servers_of(home) as servers:
        write_fact(servers)
        first = servers.database_url
    with servers_of(home) as servers:
        assert read_fact(servers) == 42
        assert servers.database_url == first


def test_committed_data_survives_a_kill_of_both_servers(home):
    with servers_of(home) as servers:
        write_fact(servers)
        servers.postgres.kill()
        servers.valkey.kill()
    with servers_of(home) as servers:
        assert read_fact(servers) == 42
        assert redis.Redis.from_url(servers.redis_url).ping()


def test_a_kill_of_their_parent_leaves_no_server_and_the_next_start_works(home):
    starter = subprocess.Popen([sys.executable, "-c", STARTER, str(home)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    pids = [int(pid) for pid in starter.stdout.readline().split()]
    assert len(pids) == 2
    starter.kill()
    starter.wait()
    starter.stdout.close()
    with servers_of(home) as servers:  # at once: the old ones may still be ending
        assert gone(pids)
        write_fact(servers)


def test_a_home_in_use_is_refused_in_words(home):
    with servers_of(home), pytest.raises(InUse, match="is running"):
        servers_of(home).start()


def test_two_homes_run_side_by_side(home):
    with servers_of(home / "one") as one, servers_of(home / "two") as two:
        write_fact(one)
        write_fact(two)
        assert one.database_url != two.database_url
    shutil.rmtree(home)


def test_a_stale_lock_naming_a_stranger_is_cleared_and_the_stranger_is_not_harmed(home):
    with servers_of(home) as servers:
        write_fact(servers)
        lock = kill_postgres_without_a_trace(servers)
    account = server_account(home / "postgres")
    stranger = subprocess.Popen(["sleep", "60"], cwd="/", **account.popen_arguments())
    try:
        lock.write_text("\n".join([str(stranger.pid), *lock.read_text().splitlines()[1:]]) + "\n")
        with servers_of(home) as servers:
            assert read_fact(servers) == 42
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_truncated_lock_is_cleared(home):
    with servers_of(home) as servers:
        write_fact(servers)
        kill_postgres_without_a_trace(servers).write_text("")
    with servers_of(home) as servers:
        assert read_fact(servers) == 42


def test_a_data_directory_left_half_made_is_made_again(home):
    begun = servers_of(home).home
    begun.take()
    begun.leave()
    for name in ("postgres.half", "postgres"):
        (home / name).mkdir()
        (home / name / "PG_VERSION").write_text("18\n")
    said: list[str] = []
    with servers_of(home, said) as servers:
        write_fact(servers)
    assert "not a whole database" in "".join(said)
    assert not (home / "postgres.half").exists()


def test_damaged_broker_data_is_set_aside_and_said(home):
    with servers_of(home) as servers:
        redis.Redis.from_url(servers.redis_url).set("key", "value")
    for part in (home / "valkey" / "appendonlydir").iterdir():
        part.write_bytes(b"\x00garbage\r\n" * 50)
    said: list[str] = []
    with servers_of(home, said) as servers:
        assert redis.Redis.from_url(servers.redis_url).get("key") is None
    assert "set aside" in "".join(said)


def test_a_database_whose_password_was_lost_is_told_with_the_way_out_and_kept(home):
    with servers_of(home) as servers:
        write_fact(servers)
    kept = (home / "secrets.json").read_text()
    (home / "secrets.json").write_text("{")
    with pytest.raises(Refusal, match="put that file back, or run `make demo-reset`"):
        servers_of(home).start()
    (home / "secrets.json").write_text(kept)
    with servers_of(home) as servers:
        assert read_fact(servers) == 42


def test_a_port_taken_meanwhile_is_replaced(home):
    with servers_of(home) as servers:
        port = servers.home.known_port("postgres")
    with socket.socket() as thief:
        thief.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections just closed linger on the port
        thief.bind(("127.0.0.1", port))
        thief.listen()
        with servers_of(home) as servers:
            assert servers.home.known_port("postgres") != port


def test_given_addresses_replace_the_servers(home):
    given = {"DATABASE_URL": "postgresql://elsewhere/db", "REDIS_URL": "redis://elsewhere/3"}
    with EmbeddedServers(home, environ=given, say=[].append) as servers:
        assert (servers.postgres, servers.valkey) == (None, None)
        assert (servers.database_url, servers.redis_url) == tuple(given.values())


def test_passwords_are_on_no_command_line_and_in_no_file_that_others_read(home):
    with servers_of(home) as servers:
        secrets = [servers.home.secret(name) for name in ("POSTGRES_PASSWORD", "VALKEY_PASSWORD")]
        lines = [" ".join(psutil.Process(child.process.pid).cmdline()) for child in (servers.postgres, servers.valkey)]
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(servers.database_url.replace(secrets[0], "guess"))
    assert not any(secret in line for secret in secrets for line in lines)
    readable = [path for path in home.rglob("*") if path.is_file() and path.stat().st_mode & 0o044]
    assert not any(secret.encode() in path.read_bytes() for secret in secrets for path in readable)


def test_durability_is_traded_for_speed_only_where_asked(home):
    with servers_of(home, durable=False) as servers, psycopg.connect(servers.database_url) as connection:
        assert connection.execute("show fsync").fetchone() == ("off",)
    with servers_of(home) as servers, psycopg.connect(servers.database_url) as connection:
        assert connection.execute("show fsync").fetchone() == ("on",)
        assert connection.execute("show synchronous_commit").fetchone() == ("on",)


def test_a_frozen_broker_keeps_connections_and_answers_nothing(private_servers):
    servers = private_servers(durable=False)
    client = redis.Redis.from_url(servers.redis_url, socket_timeout=0.3, retry=None)
    servers.valkey.freeze()
    with pytest.raises(redis.TimeoutError):
        client.ping()
    servers.valkey.thaw()
    assert redis.Redis.from_url(servers.redis_url).ping()
    client.close()


def test_a_home_below_a_private_directory_works_and_its_modes_stay():
    with tempfile.TemporaryDirectory() as private:  # mode 700, as /root is
        home = Path(private) / "clone" / ".demo"
        home.parent.mkdir()
        said: list[str] = []
        with servers_of(home, said) as servers:
            write_fact(servers)
        with servers_of(home) as servers:
            assert read_fact(servers) == 42
        assert stat_mode(Path(private)) == 0o700
        elsewhere = servers_place(servers)
        servers.home.clear()
        assert not any(home.iterdir())
        assert elsewhere == home or not elsewhere.exists()
    assert os.geteuid() != 0 or "cannot enter" in "".join(said)


class OfAnotherRoom(Account):
    """An account that reaches nothing below private directories, the installed programs among them."""

    def can_enter(self, path: Path) -> bool:
        return False


def test_programs_copied_for_another_account_are_its_to_run_whatever_the_umask(home):
    home.mkdir()
    before = os.umask(0o077)
    try:
        account = OfAnotherRoom(name="other", uid=os.geteuid(), gid=os.getegid(), borrowed=False)
        programs = reachable_binaries(account, home / "programs", say=[].append)
    finally:
        os.umask(before)
    for program in (programs.initdb, programs.postgres, programs.valkey):
        way = [program, *program.relative_to(home).parents]
        assert all(stat_mode(home / part) & 0o005 == 0o005 for part in way if part != Path()), program


def stat_mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def servers_place(servers: EmbeddedServers) -> Path:
    return servers.home.place(say=[].append)[0]


def test_postgres_ends_at_once_while_clients_are_connected(home):
    with servers_of(home) as servers:
        connection = psycopg.connect(servers.database_url)
        begun = time.monotonic()
        servers.stop_postgres()
        assert time.monotonic() - begun < 5
        connection.close()
