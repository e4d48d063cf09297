"""How far something long has come, as a bar on a terminal."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn


def progress_bar(*fields: str) -> Progress:
    """A bar on a terminal, and nothing elsewhere; only words of ours are to stand in it."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), *map(TextColumn, fields))
    return Progress(*columns, console=console, disable=not console.is_terminal)
