"""Processor time of a process and its children, as the kernel counts it (Linux)."""

import os


def seconds(leader: int) -> float:
    """Of the process and its children, those that ended and were waited for included."""
    ticks = 0
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit() or (told := _stat(entry.name)) is None:
            continue
        if int(entry.name) == leader:
            ticks += sum(int(part) for part in told[11:15])
        elif int(told[1]) == leader:
            ticks += sum(int(part) for part in told[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")


def database() -> int:
    """The process that all backends of the database are children of."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    told = _stat(str(backend))
    assert told is not None  # it has just answered
    return int(told[1])


def _stat(pid: str) -> list[str] | None:
    """The fields of `/proc/<pid>/stat` from the state on; None where the process has just ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None
