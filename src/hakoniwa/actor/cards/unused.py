"""What is on a card and is made no use of, for whoever wants to know: orders to a model, and addresses elsewhere."""

from collections.abc import Iterator
from typing import Any

from hakoniwa.actor.cards.book import Note
from hakoniwa.actor.cards.read import Card

COMMANDS = ("system_prompt", "post_history_instructions")
REMOTE = ("http:", "https:", "ftp:", "//")


def unused(card: Card) -> Iterator[Note]:
    """A note on each kind of it."""
    if commands := [name for name in COMMANDS if _words(card.fields.get(name))]:
        yield Note(key="commands", details={"fields": ", ".join(commands)})
    assets = card.fields.get("assets")
    uris = [_words(one.get("uri")) for one in assets if isinstance(one, dict)] if isinstance(assets, list) else []
    if remote := sum(uri.casefold().startswith(REMOTE) for uri in uris):
        yield Note(key="remote", details={"count": remote})


def _words(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
