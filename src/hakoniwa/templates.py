"""Templates of a package: strict about names, tidy about blank lines."""

from jinja2 import Environment, PackageLoader, StrictUndefined


def environment(package: str, folder: str = "", *, autoescape: bool, keep_trailing_newline: bool = True) -> Environment:
    """The templates in a folder of a package; a name that nothing was given for is an error."""
    return Environment(
        loader=PackageLoader(package, folder),
        autoescape=autoescape,
        undefined=StrictUndefined,
        auto_reload=False,  # looking whether a file has changed takes longer than rendering it
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=keep_trailing_newline,
    )
