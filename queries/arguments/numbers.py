"""Read whole numbers of a command line."""

import argparse
from collections.abc import Callable


def whole(least: int, most: int) -> Callable[[str], int]:
    """Return what reads a whole number between two others, for argparse.

    >>> whole(2, 99)("3")
    3
    """

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")
        return int(text)

    return read
