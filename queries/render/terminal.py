"""Find out what the terminal can show, and add colours and links.

One colour for what agents did, yellow for what is not known or needs a look, red for what is wrong or was refused. A
word or a sign says the same, for whoever sees no colour.
"""

import argparse
import os
from typing import TextIO

AGENT, DOUBT, PROBLEM = "\033[36m", "\033[33m", "\033[31m"
_PLAIN = "\033[0m"
AUTO, ALWAYS, NEVER = COLOURS = ("auto", "always", "never")
# Variables that terminals set which show links; a multiplexer in between may not hand them on.
_LINKING = ("ITERM_SESSION_ID", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "WEZTERM_PANE", "WT_SESSION")
_LINKING_PROGRAMS = {"ghostty", "Hyper", "iTerm.app", "rio", "vscode", "WezTerm"}
_LINKING_TERMS = ("alacritty", "contour", "foot", "xterm-ghostty", "xterm-kitty")
_VTE_SINCE = 5000
_MULTIPLEXERS = ("TMUX", "STY")


def add_terminal(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup,
    *,
    again: bool = False,
) -> None:
    """Add the options about terminals; with `again`, after the command, they have no defaults."""
    colour, pager = (argparse.SUPPRESS, argparse.SUPPRESS) if again else (AUTO, True)
    parser.add_argument("--color", choices=COLOURS, default=colour, help="whether to colour; auto: at a terminal")
    parser.add_argument(
        "--no-pager", dest="pager", action="store_false", default=pager, help="print, however much it is"
    )


def is_dumb() -> bool:
    return os.environ.get("TERM") == "dumb"


def coloured(stream: TextIO, wish: str = AUTO) -> bool:
    """Return whether to use colour: by the option, `NO_COLOR`, `CLICOLOR_FORCE`, or at a terminal."""
    if wish != AUTO:
        return wish == ALWAYS
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("CLICOLOR_FORCE", "0") not in {"", "0"}:
        return True
    return stream.isatty() and not is_dumb()


def links(stream: TextIO) -> bool:
    """Return whether the terminal is known to show links."""
    if not stream.isatty() or is_dumb() or any(os.environ.get(name) for name in _MULTIPLEXERS):
        return False
    version = os.environ.get("VTE_VERSION", "")
    return (
        any(os.environ.get(name) for name in _LINKING)
        or os.environ.get("TERM_PROGRAM") in _LINKING_PROGRAMS
        or os.environ.get("TERM", "").startswith(_LINKING_TERMS)
        or (version.isdecimal() and int(version) >= _VTE_SINCE)
    )


def painted(text: str, tone: str | None) -> str:
    """Return a text in a colour; None leaves it as it is."""
    return f"{tone}{text}{_PLAIN}" if tone and text else text


def linked(text: str, address: str | None) -> str:
    r"""Return a text with a link behind it; None leaves it as it is.

    >>> linked("here", "https://example.org/")
    '\x1b]8;;https://example.org/\x1b\\here\x1b]8;;\x1b\\'
    """
    return f"\033]8;;{address}\033\\{text}\033]8;;\033\\" if address else text
