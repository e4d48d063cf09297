"""Files for a browser to keep."""

from urllib.parse import quote

from starlette.responses import Response


def download(content: str | bytes, name: str, kind: str) -> Response:
    """A file that is kept rather than shown, nor taken for anything else than it is."""
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
    }
    return Response(content, media_type=kind, headers=headers)
