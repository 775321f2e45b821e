"""Servers of somebody else, named by DATABASE_URL and REDIS_URL: asked before anything is begun with them."""

from contextlib import suppress

import psycopg
import redis

from demo.telling import Refusal

_OLDEST_POSTGRES = 15
_OLDEST_REDIS = 7


def require_database(url: str) -> None:
    """The address is that of a PostgreSQL we can use; else Refusal, in words and without the password."""
    if not url.startswith(("postgres://", "postgresql://")):
        raise Refusal("DATABASE_URL is not the address of a PostgreSQL: postgres://USER:PASSWORD@HOST:PORT/DATABASE")
    try:
        with psycopg.connect(url, connect_timeout=5) as connection:
            version = connection.info.server_version // 10_000
    except psycopg.Error as error:
        raise Refusal(f"The PostgreSQL that DATABASE_URL names cannot be used: {str(error).strip()}") from error
    if version < _OLDEST_POSTGRES:
        raise Refusal(f"DATABASE_URL names PostgreSQL {version}: {_OLDEST_POSTGRES} or newer is needed.")


def require_broker(url: str) -> None:
    """The address is that of a Redis or Valkey we can use; else Refusal, in words and without the password."""
    try:
        client = redis.Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5)
    except ValueError as error:
        raise Refusal("REDIS_URL is not the address of a Redis or Valkey: redis://:PASSWORD@HOST:PORT/0") from error
    version = _OLDEST_REDIS
    try:
        client.ping()
        with suppress(redis.exceptions.NoPermissionError):  # an account of its own may be kept from asking
            version = int(str(client.info("server")["redis_version"]).partition(".")[0])
    except redis.RedisError as error:
        raise Refusal(f"The broker that REDIS_URL names cannot be used: {error}") from error
    finally:
        client.close()
    if version < _OLDEST_REDIS:
        raise Refusal(f"REDIS_URL names Redis {version}: {_OLDEST_REDIS} or newer, or Valkey, is needed.")
