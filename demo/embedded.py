"""PostgreSQL and Valkey on free loopback ports, for the demo and for the tests, with nothing to install."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from demo.accounts import Account
from demo.binaries import Binaries, reachable_binaries
from demo.children import Child, clear_leftovers, remember
from demo.given import require_broker, require_database
from demo.home import Home
from demo.postgres import NOT_DURABLE, ensure_database, make_cluster, start_postgres, wait_for_postgres
from demo.telling import Refusal, Say, say
from demo.valkey import set_aside, start_valkey, wait_for_valkey

DATABASE = "countersign"
_ADDRESS_IN_USE = ("Address already in use", "could not bind", "Could not create server TCP listening socket")


class EmbeddedServers:
    """Both servers on one home directory, which they have for themselves until `stop`.

    `DATABASE_URL` or `REDIS_URL` in `environ` replaces the one or the other. `durable=False` trades the safety of the
    data for speed. `postgres` and `valkey` are the running children (None when replaced): tests freeze and kill them.
    """

    def __init__(
        self,
        home: Path,
        *,
        durable: bool = True,
        postgres_settings: Mapping[str, str] | None = None,
        environ: Mapping[str, str] = os.environ,
        say: Say = say,
    ) -> None:
        """Name the home; nothing is started yet."""
        self.home = Home(home)
        self.durable = durable
        self.postgres: Child | None = None
        self.valkey: Child | None = None
        self._settings = {**({} if durable else NOT_DURABLE), **(postgres_settings or {})}
        self._given_database = environ.get("DATABASE_URL", "")
        self._given_redis = environ.get("REDIS_URL", "")
        self._say = say
        self._place: tuple[Path, Account] | None = None

    @property
    def database_url(self) -> str:
        """The address of the database `countersign`, password included."""
        return self._given_database or self._postgres_url(DATABASE)

    @property
    def redis_url(self) -> str:
        """The address of the broker, password included."""
        if self._given_redis:
            return self._given_redis
        return f"redis://:{self.home.secret('VALKEY_PASSWORD')}@127.0.0.1:{self.home.known_port('valkey')}/0"

    def require_given(self) -> None:
        """Ask the servers that are given; raise Refusal, at once and in words, when one of them cannot be used."""
        if self._given_database:
            require_database(self._given_database)
        if self._given_redis:
            require_broker(self._given_redis)

    def note_given(self) -> None:
        """Keep in the home which servers were given: without them, its data is somewhere else."""
        given = {"DATABASE_URL": bool(self._given_database), "REDIS_URL": bool(self._given_redis)}
        self.home.note_given([name for name, is_given in given.items() if is_given])

    def require_those_given_before(self) -> None:
        """Raise Refusal when the demo of this home was started with a server that is not given now."""
        given = {"DATABASE_URL": self._given_database, "REDIS_URL": self._given_redis}
        missing = [name for name in self.home.given_before if not given[name]]
        if missing:
            raise Refusal(f"This demo was started with {' and '.join(missing)}: give the same again, beside DEMO_DIR.")

    def start(self) -> None:
        """Take the home, clear what an earlier run left, and start what is not given; both answer afterwards."""
        self.home.take()
        try:
            clear_leftovers(self._processes, say=self._say)
            if not self._given_database:
                self.start_postgres()
            if not self._given_redis:
                self.start_valkey()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop Valkey, then PostgreSQL, and leave the home."""
        self._stop_servers()
        self.home.leave()

    def discard(self) -> None:
        """Stop both servers and remove the home with everything in it."""
        self._stop_servers()
        self.home.erase()
        self.home.leave()

    def start_postgres(self) -> None:
        """Start PostgreSQL, and make the database if it is not there."""
        place, account, binaries = self._prepared()
        data = place / "postgres"
        password = self.home.secret("POSTGRES_PASSWORD")
        make_cluster(data, binaries=binaries, account=account, password=password, say=self._say)

        def attempt(port: int) -> Child:
            return start_postgres(
                data, port=port, settings=self._settings, binaries=binaries, account=account, log=self._log("postgres")
            )

        self.postgres = self._started(
            "postgres", attempt, lambda child: wait_for_postgres(child, self._postgres_url("postgres"))
        )
        self.create_database(DATABASE)

    def stop_postgres(self) -> None:
        """Stop PostgreSQL in order: open connections are closed, nothing committed is lost."""
        if self.postgres is not None:
            self.postgres.stop(seconds=20)
            self.postgres = None
            self._remember()

    def start_valkey(self) -> None:
        """Start Valkey; data it cannot read is set aside once, since it carries nothing that matters."""
        place, account, binaries = self._prepared()
        data = place / "valkey"

        def attempt(port: int) -> Child:
            return start_valkey(
                data,
                port=port,
                password=self.home.secret("VALKEY_PASSWORD"),
                keep=self.durable,
                binaries=binaries,
                account=account,
                log=self._log("valkey"),
            )

        def answers(child: Child) -> bool:
            return wait_for_valkey(child, self.redis_url)

        try:
            self.valkey = self._started("valkey", attempt, answers)
        except Refusal as refusal:
            self._say(f"  {refusal}\n  Its data was set aside as {set_aside(data).name}; starting with none.")
            self.valkey = self._started("valkey", attempt, answers)

    def stop_valkey(self) -> None:
        """Stop Valkey in order."""
        if self.valkey is not None:
            self.valkey.stop()
            self.valkey = None
            self._remember()

    def create_database(self, name: str) -> str:
        """Make sure that a database exists on the embedded PostgreSQL, and return its address."""
        ensure_database(self._postgres_url("postgres"), name)
        return self._postgres_url(name)

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, whatever happened."""
        self.stop()

    def _stop_servers(self) -> None:
        self.stop_valkey()
        self.stop_postgres()

    @property
    def _processes(self) -> Path:
        return self.home.path / "servers.json"

    def _postgres_url(self, database: str) -> str:
        port = self.home.known_port("postgres")
        return f"postgresql://postgres:{self.home.secret('POSTGRES_PASSWORD')}@127.0.0.1:{port}/{database}"

    def _prepared(self) -> tuple[Path, Account, Binaries]:
        if self._place is None:
            self._place = self.home.place(say=self._say)
        place, account = self._place
        return place, account, reachable_binaries(account, place / "programs", say=self._say)

    def _log(self, name: str) -> Path:
        return self.home.path / "logs" / f"{name}.log"

    def _started(self, name: str, attempt: Callable[[int], Child], answers: Callable[[Child], bool]) -> Child:
        """Start a server on its port; when somebody took the port in between, on another."""
        for fresh in (False, True, True):
            child = attempt(self.home.port(name, fresh=fresh))
            self._remember(child)
            try:
                if answers(child):
                    return child
            except BaseException:
                child.stop()
                raise
            if not any(words in child.last_words(lines=5) for words in _ADDRESS_IN_USE):
                break
        raise Refusal(f"{name} ended instead of starting; the end of {child.log}:\n{child.last_words()}")

    def _remember(self, *starting: Child) -> None:
        remember([child for child in (self.postgres, self.valkey, *starting) if child is not None], self._processes)
