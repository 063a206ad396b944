"""Links that a command makes: what it then writes through one is somewhere else, and was not there to be followed."""

import posixpath
import re
from collections.abc import Iterator, Sequence

from linetrail.ledger.shell.reading.options import Known, take
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.values import Arg

_LN = Known("bdfFiLnPrsTv", "St", "target-directory= backup? force interactive logical no-dereference physical relative symbolic no-target-directory verbose suffix= directory")  # fmt: skip
# With these a copy may be a link, or have links in it.
_COPIES_AS_LINK = r"-[a-zA-Z]*[slPdaRr][a-zA-Z]*|--recursive|--symbolic-link|--link|--links|--archive|--no-dereference|--preserve=.*(?:links|all).*"
# Of the words of tar, the first may be options without a dash.
_UNPACKS = r"^[a-zA-Z]*x|(?:^|\0)-(?:[a-zA-Z]*x|-ext|-get)"
# Programs that may stand in front of another one.
_IN_FRONT = 3


def made(args: Sequence[Arg], scene: Scene) -> tuple[str, ...]:
    """Return where a call makes links, from the root: whether the last word is a folder, only the disk knows."""
    for place, arg in enumerate(args[:_IN_FRONT]):
        name, rest = arg.text.rpartition("/")[2], args[place + 1 :]
        if name in ("ln", "link") or (
            name in ("cp", "rsync") and any(re.fullmatch(_COPIES_AS_LINK, word.text) for word in rest)
        ):
            return tuple(found for path in _places(rest) for found in scene.at(path))
        if name in ("tar", "gtar", "bsdtar") and re.search(_UNPACKS, "\0".join(word.text for word in rest)):
            return tuple(found for path in _unpacked(rest) for found in scene.at(path))
    return ()


def _unpacked(args: Sequence[Arg]) -> Iterator[str]:
    """Yield below where an archive is unpacked: which links are in it, nobody sees here."""
    told = re.search(r"\0(?:-[a-zA-Z]*C\0?|--dir\w*[\0=])([^\0]+)", "\0" + "\0".join(arg.text for arg in args) + "\0")
    yield told[1] if told else "."


def _places(args: Sequence[Arg]) -> Iterator[str]:
    taken = take(args, _LN)
    operands = [arg.text for arg in (taken.operands if taken.unknown is None else args) if arg.text[:1] != "-"]
    folders = [value.text for letter, value in taken.values if letter in ("t", "target-directory")]
    if not folders and len(operands) == 1:
        folders = ["."]
    if not folders and operands:
        folders = [operands.pop()]
        if not folders[0].endswith(("/", ".")) and len(operands) == 1:
            yield folders[0]
    for source in operands:
        yield posixpath.join(folders[0], posixpath.basename(source.rstrip("/")))
