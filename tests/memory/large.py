"""A very large memory, written straight into the tables: taking in so many rows one by one takes minutes."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

from hakoniwa.memory.store.lines import key
from tests.memory.store import Told

PEOPLE = [f"人物{number}" for number in range(200)]
OTHERS = 3


def fill(told: Told, count: int) -> None:
    """Give the ghost `count` memories on one span; other ghosts remember every tenth."""
    path = told.journal.database.path
    mine = told.memories.ghost(told.garden, told.who)
    ghosts = [mine, *(told.memories.ghost(told.garden, f"他{number}") for number in range(OTHERS))]
    told.write("始まり")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA cache_size = -200000")
        _events(connection, told.garden, count)
        for ghost in ghosts:
            _memories(connection, ghost, range(1, count + 1, 1 if ghost == mine else 10))
        connection.commit()


def _events(connection: sqlite3.Connection, garden: str, count: int) -> None:
    rows = ((seq, seq - 1, garden) for seq in range(2, count + 1))
    connection.executemany(
        "INSERT INTO events VALUES (?, ?, ?, 'main', 1, 'chat', 'user', NULL, '', '', '[]', '{}', '[]')", rows
    )
    connection.execute("UPDATE branches SET head = ? WHERE garden = ?", (count, garden))
    connection.execute("UPDATE counters SET value = ? WHERE name = 'events'", (count,))
    connection.execute("INSERT INTO spans VALUES (1, ?, NULL, NULL, ?)", (garden, count))
    connection.executemany("INSERT INTO taken VALUES (?, 1)", ((seq,) for seq in range(1, count + 1)))


def _memories(connection: sqlite3.Connection, ghost: int, seqs: range) -> None:
    connection.executemany(
        "INSERT INTO memories VALUES (?, ?, 1, 'chat', ?, 1, NULL, ?, NULL, NULL, '[]')",
        ((key(ghost, seq), ghost, seq * 10**6, f"{seq}番目の話。" * 5) for seq in seqs),
    )
    connection.executemany("INSERT INTO memory_words VALUES (?, ?, ?, 1)", sorted(_words(ghost, seqs)))
    connection.executemany(
        "INSERT INTO marks VALUES (?, 'entity', ?, ?, 1, ?)",
        sorted((ghost, PEOPLE[seq % len(PEOPLE)], key(ghost, seq), seq) for seq in seqs),
    )
    last = connection.execute("SELECT coalesce(max(id), 0) FROM links").fetchone()[0]
    connection.executemany(
        "INSERT INTO links VALUES (?, ?, 1, ?, 'event', ?, ?, 'same_topic', 1.0)",
        ((last + seq, ghost, seq, seq, seq // 2 + 1) for seq in seqs),
    )


def _words(ghost: int, seqs: range) -> Iterator[tuple[int, str, int]]:
    """A word that everything has, one that is rarer, and one that stands nearly alone."""
    for seq in seqs:
        yield ghost, "毎度", key(ghost, seq)
        if seq % 20 == 0:
            yield ghost, "時折", key(ghost, seq)
        if seq % 5000 == 0:
            yield ghost, "一度", key(ghost, seq)
        yield ghost, f"語{seq % 3000}", key(ghost, seq)
