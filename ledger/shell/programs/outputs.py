"""Programs that write the files that one of their options, or one of their operands, names."""

import re
from collections.abc import Callable, Iterator, Sequence

from linetrail.ledger.shell.reading.options import Known, known, take
from linetrail.ledger.shell.reading.ruling import Ruling
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.values import Arg

_TAR_MODE = r"-?([A-Za-z]*)"
_TAR_WRITES, _TAR_VALUED = "cruA", "fCbTXgIKNHV"
_SPLIT = known("dexuvn", "abClnt", "suffix-length= additional-suffix= bytes= line-bytes= lines= number= separator= numeric-suffixes? hex-suffixes? elide-empty-files verbose filter= unbuffered")  # fmt: skip
_CSPLIT = known("ksqz", "bfn", "prefix= suffix-format= digits= keep-files quiet silent elide-empty-files suppress-matched")  # fmt: skip
_MKTEMP = known("dqut", "p", "directory dry-run quiet tmpdir? suffix= p=")
_UNIQ = known("cdDuiz", "fsw", "count repeated unique ignore-case skip-fields= skip-chars= check-chars= zero-terminated all-repeated? group?", numeric=True)  # fmt: skip
_XXD = known("abCeEdipruv", "clgnoRs", "")
_ONLY_TOLD = r"-[a-zA-Z]*[clt][a-zA-Z]*|--(?:stdout|to-stdout|list|test|help|version)"
_COMPRESS = known("dfkrvqnNaesz0123456789", "STbMo", "decompress uncompress force keep recursive verbose quiet best fast no-name name rm suffix= threads= output= ultra extreme")  # fmt: skip
_COMPRESSORS = {"gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "lzma"}
# -o FILE, -oFILE, --output FILE, --output=FILE
_NAMING = {
    "wget": ("O", "output-document"),
    "curl": ("o", "output"),
    "shuf": ("o", "output"),
    "iconv": ("o", "output"),
    "pandoc": ("o", "output"),
    "zstd": ("o", "output"),
    "unzip": ("d", ""),
}


def rulings(name: str, args: Sequence[Arg], scene: Scene) -> list[Ruling]:
    """Return what is written by name; nothing where that is not known."""
    found = [*_named(name, args), *(_WRITTEN[name](args) if name in _WRITTEN else ())]
    if name in _COMPRESSORS and not any(re.fullmatch(_ONLY_TOLD, arg.text) for arg in args):
        found += take(args, _COMPRESS).operands
    return [scene.writes(arg, name) for arg in found if arg.text != "-"]


def _named(name: str, args: Sequence[Arg]) -> Iterator[Arg]:
    letter, long = _NAMING.get(name, ("", ""))
    folder = "/" if name == "unzip" else ""
    for place, arg in enumerate(args if letter else ()):
        text, following = arg.text, args[place + 1 : place + 2]
        if re.fullmatch(rf"-[a-zA-Z]*{letter}", text) or (long and text == f"--{long}"):
            yield from (value._replace(text=value.text.rstrip("/") + folder) for value in following)
        elif long and text.startswith(f"--{long}="):
            yield arg._replace(text=text.partition("=")[2])
        elif re.match(rf"-{letter}.", text):
            yield arg._replace(text=text[2:].rstrip("/") + folder)


def _tar(args: Sequence[Arg]) -> Iterator[Arg]:
    """Yield the archive that tar makes, or the folder that it unpacks into."""
    mode, archive, folder = "", None, None
    at = 0
    while at < len(args):
        arg, at = args[at], at + 1
        text = arg.text
        bundle = re.fullmatch(_TAR_MODE, text) if text[:1] == "-" or at == 1 else None
        if text.startswith(("--file=", "--directory=")):
            value = arg._replace(text=text.partition("=")[2])
            archive, folder = (value, folder) if text[2] == "f" else (archive, value)
        elif text.startswith("--"):
            mode += {"--create": "c", "--append": "r", "--update": "u", "--extract": "x", "--get": "x"}.get(text, "")
        elif bundle:
            mode += bundle[1]
            for letter in filter(_TAR_VALUED.__contains__, bundle[1]):
                value, at = args[at] if at < len(args) else Arg(""), at + 1
                archive, folder = (
                    value if letter == "f" else archive,
                    value if letter == "C" else folder,
                )
        elif re.match(r"-C.", text):
            folder = arg._replace(text=text[2:])
    if set(mode) & set(_TAR_WRITES):
        yield from filter(None, [archive])
    elif "x" in mode and folder is not None:
        yield folder._replace(text=folder.text.rstrip("/") + "/")


def _split(args: Sequence[Arg]) -> list[Arg]:
    prefix = next(iter(take(args, _SPLIT).operands[1:2]), Arg("x"))
    return [prefix._replace(text=prefix.text + "aa")]


def _csplit(args: Sequence[Arg]) -> list[Arg]:
    given = [value for letter, value in take(args, _CSPLIT).values if letter in ("f", "prefix")]
    prefix = next(iter(given), Arg("xx"))
    return [prefix._replace(text=prefix.text + "00")]


def _mktemp(args: Sequence[Arg]) -> list[Arg]:
    taken = take(args, _MKTEMP)
    folders = [value for letter, value in taken.values if letter in ("p", "tmpdir")]
    if "t" in taken.flags:
        return []  # below the folder for such files
    return [folder._replace(text=folder.text.rstrip("/") + "/") for folder in folders] or taken.operands


def _second(options: Known) -> Callable[[Sequence[Arg]], list[Arg]]:
    return lambda args: take(args, options).operands[1:2]


def _first(args: Sequence[Arg]) -> list[Arg]:
    return [arg for arg in args if not arg.text.startswith("-")][:1]


_WRITTEN: dict[str, Callable[[Sequence[Arg]], Sequence[Arg] | Iterator[Arg]]] = {
    **dict.fromkeys(["tar", "gtar", "bsdtar"], _tar),
    "zip": _first,
    "split": _split,
    "csplit": _csplit,
    "mktemp": _mktemp,
    "uniq": _second(_UNIQ),
    "xxd": _second(_XXD),
    "rsync": lambda args: [arg for arg in args if not arg.text.startswith("-")][1:][-1:],
    "sponge": lambda args: [arg for arg in args if not arg.text.startswith("-")],
}
