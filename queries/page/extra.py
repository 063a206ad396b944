"""Whether the libraries of the extra `page` are installed here; none of them is loaded for that."""

import importlib.util

from linetrail.ledger.errors import LinetrailError

LIBRARIES = ("jinja2", "starlette", "uvicorn")


class MissingExtraError(LinetrailError):
    """The libraries of the page are not installed here."""

    hint = "pip install 'linetrail[page]'"


def require_library(command: str, libraries: tuple[str, ...] = LIBRARIES) -> None:
    """Raise where one of the libraries that a command needs is not installed."""
    missing = [name for name in libraries if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtraError(f"linetrail {command} needs {', '.join(missing)}, which is not installed here")
