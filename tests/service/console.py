"""A page to serve, as small as can be: one file of every kind that a build leaves."""

from pathlib import Path

FILES = {
    "index.html": '<!doctype html><title>箱庭</title><script type="module" src="./assets/index-C0ffee.js"></script>',
    "icon.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
    "assets/index-C0ffee.js": "document.title = '箱庭';",
    "assets/index-Decaf1.css": "body { margin: 0 }",
    "assets/more.unheard-of": "?",
}
PATHS = frozenset({"/", *(f"/{name}" for name in FILES if name != "index.html")})


def planted(folder: Path) -> Path:
    """The page in a folder."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
