"""Whether the libraries of an extra are installed here; none of them is loaded for that."""

import importlib.util

from linetrail.ledger.errors import LinetrailError

# extra of pyproject.toml -> its libraries, as they are imported
LIBRARIES = {
    "fleet": ("obstore",),
    "lake": ("deltalake", "pyiceberg"),
    "lsp": ("lsprotocol", "pygls"),
    "mcp": ("mcp",),
    "page": ("jinja2", "starlette", "uvicorn"),
    "spark": ("pyspark",),
}


class MissingExtraError(LinetrailError):
    """The libraries of an extra are not installed here."""

    def __init__(self, message: str, extra: str) -> None:
        super().__init__(message)
        self.hint = f"pip install 'linetrail[{extra}]'"


def require_extra(extra: str, command: str) -> None:
    """Raise where one of the libraries is not installed that a command needs."""
    missing = [name for name in LIBRARIES[extra] if importlib.util.find_spec(name) is None]
    if missing:
        named = " and ".join(missing)
        raise MissingExtraError(f"linetrail {command} needs {named}, which {_is(missing)} not installed here", extra)


def _is(missing: list[str]) -> str:
    return "is" if len(missing) == 1 else "are"
