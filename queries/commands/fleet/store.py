"""Which store a verb of `linetrail fleet` is about: the URL that it is told, else the one of the environment."""

import argparse
import os
from collections.abc import Sequence

from linetrail.ledger.errors import UsageError

VARIABLE = "LINETRAIL_FLEET"
METAVAR = "URL"
ABOUT = f"s3://BUCKET/PREFIX, gs://…, az://… or file:///FOLDER; else ${VARIABLE}"


def add_url(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar=METAVAR, nargs="?", help=ABOUT)


def url_of(told: str | None) -> str:
    url = told or os.environ.get(VARIABLE)
    if not url:
        raise UsageError(f"which store? give its URL, or set {VARIABLE}", f"export {VARIABLE}=s3://BUCKET/PREFIX")
    return url


def parted(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the URL that words begin with, if they do, and the other words.

    >>> parted(["file:///store", "@activity"]), parted(["select 1"])
    (('file:///store', ['@activity']), (None, ['select 1']))
    """
    scheme, found, _ = words[0].partition("://") if words else ("", "", "")
    return (words[0], [*words[1:]]) if found and scheme.isalnum() else (None, [*words])
