"""Tell what a comment says, and whether it speaks to people or to a machine."""

import re
from typing import Final

# Bundlers, minifiers, compilers and test runners obey these: without them the program that runs is another one.
# What only checkers and formatters obey (eslint-disable, @ts-ignore, prettier-ignore) changes nothing of it.
_OBEYED: Final = re.compile(
    r"""
    ^\#!
    | ^///\s*<(?:reference|amd-)
    | ^//[\#@]\s*source(?:Mapping)?URL=
    | [@\#]__(?:PURE|NO_SIDE_EFFECTS|INLINE|NOINLINE|KEY|MANGLE_PROP)__
    | \bwebpack[A-Z]\w*\s*:
    | \bturbopack[A-Z]\w*\s*:
    | @vite-ignore\b
    | @jsx(?:Frag|ImportSource|Runtime)?\s
    | @(?:jest|vitest)-environment
    | @ngInject\b
    """,
    re.VERBOSE,
)


def comment_text(comment: str) -> str:
    r"""Return a comment without the blanks that only indent it.

    >>> comment_text("/*\n   * told\n   */")
    '/*\n* told\n*/'
    """
    return "\n".join(line.strip() for line in comment.splitlines())


def is_obeyed(comment: str) -> bool:
    """Return whether a build or the run time obeys a comment."""
    return _OBEYED.search(comment) is not None
