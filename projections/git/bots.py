"""Recognise commits that programs make by themselves: updates of dependencies, releases, formatting, merges.

An agent that writes code is no bot here, whatever its account is called.
"""

import re

from linetrail.projections.git import credits as credited

_NAME = re.compile(
    r"""
      .* \[bot\]
    | .+ [-_] (?:ro)?bot
    | (?:dependabot | renovate | greenkeeper | mergify | bors | snyk | crowdin | weblate | github[-\ ]actions
        | actions-user | pre-commit[-\ ]ci | semantic[-\ ]release | allcontributors | gitlab | travis | jenkins
        | codecov | imgbot | transifex | whitesource) (?: [-\ ] (?: preview | ci | bot | robot ) )*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ADDRESS = re.compile(
    r"\[bot\]@|^actions?@github\.com$|@(?:dependabot|renovateapp|greenkeeper|snyk)\.(?:com|io)$", re.IGNORECASE
)


def is_bot(name: str, address: str) -> bool:
    """Return whether the author of a commit is a program that is no coding agent.

    >>> is_bot("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"), is_bot("Jan Bot", "j@bot.nl")
    (True, False)
    """
    if not (_NAME.fullmatch(name.strip()) or _ADDRESS.search(address)):
        return False
    return not credited.found(f"author {name} <{address}> 0 +0000\n\n".encode(errors="replace"))
