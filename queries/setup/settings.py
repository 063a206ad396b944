"""Read a settings file of an agent, so that it can be edited without a risk to what is in it.

The file belongs to a person. Whatever is not a plain file with strict JSON in it is left alone with a clear error.
"""

import os
import stat

from linetrail.ledger.errors import LinetrailError
from linetrail.queries.setup.jsontext import parse

COMMAND = "linetrail-hook"
NEW_FILE = "{}\n"

# A container we filled, by its path joined with "/" -> its text while it was empty; None: it was not there.
Record = dict[str, str | None]


class SettingsError(LinetrailError):
    """A settings file that cannot be edited safely; it was left as it is."""

    hint = "put that right by hand, then run the same again"


def read(path: str, above: str | None = None) -> str | None:
    """Return the text of a settings file that may be edited; None when there is no file.

    No folder between it and `above` may be a link; without one that is the folder it is in.
    """
    text = read_text(path, above)
    if text is not None:
        _check(path, text)
    return text


def read_text(path: str, above: str | None = None) -> str | None:
    """Return the text of any file that may be edited; None when there is no file."""
    forbid_links(path, above)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise SettingsError(f"{path} is not a file")
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise SettingsError(f"{_not_a_folder(path)} is in the way: it is not a folder") from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8: byte {error.start}") from None
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {error.strerror}") from None
    if not os.access(path, os.W_OK):
        raise SettingsError(f"{path} is not writable")
    return text


def forbid_links(path: str, above: str | None = None) -> None:
    """Raise where a file, or a folder on the way to it, is a link to somewhere else."""
    end = os.path.dirname(os.path.dirname(path)) if above is None else above
    while len(path) > len(end):
        if os.path.islink(path):
            raise SettingsError(f"{path} is a symbolic link; linetrail edits plain files only")
        path = os.path.dirname(path)


def _check(path: str, text: str) -> None:
    if text.startswith("\ufeff"):
        raise SettingsError(f"{path} begins with a byte order mark, which is no JSON; save it without one")
    try:
        document = parse(text)
    except ValueError as error:
        raise SettingsError(f"{path} is not strict JSON (comments count as errors): {error}") from None
    if not isinstance(document, dict):
        raise SettingsError(f"{path} holds no JSON object")


def _not_a_folder(path: str) -> str:
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return path
