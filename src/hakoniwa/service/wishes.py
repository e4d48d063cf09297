"""What a caller would like: in which language they are told what went wrong, and in which form they get an answer."""

from starlette.requests import Request

from hakoniwa.messages import LANGUAGES

JSON, STREAM = "application/json", "text/event-stream"
LONGEST = 1_000


def language_of(request: Request) -> str:
    """The language of ours that is wanted most; English where nobody says."""
    wishes = _wishes(request.headers.get("accept-language", ""))
    known = {name.partition("-")[0]: much for name, much in sorted(wishes.items(), key=lambda pair: pair[1])}
    return max(LANGUAGES, key=lambda one: (known.get(one, 0.0), one == "en"))


def wants_json(request: Request) -> bool:
    """Whether an answer is wanted in one piece rather than as it comes."""
    wishes = _wishes(request.headers.get("accept", ""))
    return _wish(wishes, JSON) > _wish(wishes, STREAM)


def _wish(wishes: dict[str, float], kind: str) -> tuple[float, int]:
    """How much a kind is wanted, and how exactly it is named."""
    names = (kind, f"{kind.partition('/')[0]}/*", "*/*")
    found = ((wishes[name], -place) for place, name in enumerate(names) if name in wishes)
    return next(found, (0.0, -len(names)))


def _wishes(header: str) -> dict[str, float]:
    """The entries of such a header with their weights; a weight that is none counts nothing."""
    found: dict[str, float] = {}
    for entry in header[:LONGEST].split(","):
        name, *details = (part.strip().casefold() for part in entry.split(";"))
        found[name] = next((_weight(one[2:]) for one in details if one.startswith("q=")), 1.0)
    return found


def _weight(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
