"""Which files of the disk a command reaches: what it surely writes, and what of its words is a path.

A word is one where it names what exists, or a place in a folder that exists. A pattern is held as it stands, and with
all that it matches now, since that may be links. Only here is the disk asked; what the command means was read before.
What a command shows is read: an agent without a tool for reading reads so.
"""

import os
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence

from linetrail.ledger.files import open_file
from linetrail.ledger.paths.paths import INVALID_PATH, NOT_A_FILE, OUTSIDE, UNRESOLVABLE, Place
from linetrail.ledger.repository import Repository, git
from linetrail.ledger.shell.commands import Judged
from linetrail.ledger.shell.reading.grammar import read
from linetrail.ledger.shell.reading.syntax import Command, Simple, Unreadable

# Program -> letters whose value is the next word.
_SHOWS = {"cat": "", "bat": "", "batcat": "", "nl": "bdfhilnsvw", "head": "nc", "tail": "nc", "sed": "efl", "tac": "s"}
_MOST_SHOWN = 20
_PATCH_HEADERS = ("*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:")
# Below these anybody may write; a link there that leads into the repository is followed.
TEMPORARY = ("/tmp/", "/var/tmp/", "/private/tmp/", "/private/var/tmp/")  # noqa: S108  nothing is kept there
MOST_ENTRIES, MOST_WALKED, MOST_BYTES = 2_000, 20_000, 262_144
# What nobody formats, or unpacks into.
_INSTALLED = {".venv", "node_modules", "venv"}
_TOOLS_OWN = {".git", *_INSTALLED}
_GLOB = re.compile(r"[*?\[]")
# A name without a folder that does not exist yet is a path where it ends like a file.
_FILE = re.compile(
    r"\.(?:[a-z]*(?:txt|md|rst|log|out|json|jsonl|ya?ml|toml|ini|cfg|conf|csv|tsv|xml|html?|css|scss|less|svg|png|jpe?g|gif|pdf|mp[34]|wav|webm|webp|mov|ico)|py[ic]?|ipynb|[cm]?[jt]sx?"
    r"|vue|svelte|go|rs|rb|php|java|kts?|scala|swift|[ch]|cc|cpp|hpp|cs|fs|lua|pl|pm|r|jl|ex|exs|erl|hs|ml|dart|zig|sh|bash|zsh|fish|ps1|bat|cmd|sql|graphql|proto|tf"
    r"|lock|env|patch|diff|orig|bak|tmp|tar|tgz|gz|bz2|xz|zst|zip|whl|jar|war|so|o|a|dll|exe|bin|dat|db|sqlite3?|parquet|pem|key|crt|mk|cmake|gradle|properties|gitignore|gitattributes)$",
    re.IGNORECASE,
)
_HIDDEN = re.compile(r"\.[A-Za-z]")
Resolve = Callable[[Sequence[str]], list[Place]]


def shown(command: str) -> list[str]:
    """Return the files that a command shows, as they are spelled from where it starts; nothing where it is unreadable.

    >>> shown("cd src && sed -n '1,40p' a.py; nl -ba b.py | head -5; wc -l c.py; cat d.py | wc -l")
    ['src/a.py', 'src/b.py']
    """
    try:
        script = read(command)
    except Unreadable:
        return []
    found, here = list[str](), ""
    for pipeline in script.pipelines:
        first, *rest = [_words(stage) for stage in pipeline.stages]
        if first[:1] == ["cd"] and len(first) == 2:
            here = posixpath.join(here, first[1])
        elif first and first[0] in _SHOWS and all(words and words[0] in _SHOWS for words in rest):
            found += [posixpath.join(here, path) for path in _operands(first)]
    return found[:_MOST_SHOWN]


def temporary_folders() -> tuple[str, ...]:
    """Return the folders for temporary files, each with a slash at its end."""
    own = os.environ.get("TMPDIR", "").rstrip("/")
    return (*TEMPORARY, f"{own}/") if own.startswith("/") else TEMPORARY


def content(cwd: str, path: str) -> str | None:
    """Return the text of a file, more of it than anybody inspects at most; None where there is none."""
    try:
        with open_file(os.path.join(cwd, path)) as file:
            # None where one would have to wait, as for what the kernel has yet to say
            return (file.read(MOST_BYTES) or b"").decode(errors="replace")
    except (OSError, ValueError):
        return None


def fresh(repository: Repository, cwd: str, path: str) -> str | None:
    """Return the lines of a file that the last commit has not: none of what is installed."""
    text = content(cwd, path)
    if text is None or not _INSTALLED.isdisjoint(path.split("/")):
        return text and ""
    stored = repository.relative(os.path.realpath(os.path.join(cwd, path)))
    before = git(repository, "cat-file", "blob", f"HEAD:{stored}") if stored else None
    known = set((before or b"").decode(errors="replace").splitlines())
    return "\n".join(line for line in text.splitlines() if line not in known)


def written(command: Judged, resolve: Resolve, cwd: str, root: str) -> list[Place]:
    """Return the places that a command surely writes, each once."""
    found = dict[str, Place]()
    for path in command.writes:
        for place in _reached(path, resolve, cwd, root, _entries if command.bounded else lambda _: []):
            found.setdefault(place.spelled, place)
    return list(found.values())


def places(command: Judged, resolve: Resolve, cwd: str, root: str) -> list[Place]:
    """Return the places that a command reaches; `resolve` follows paths from `cwd`, and `root` is the repository."""
    found = {place.spelled: place for place in written(command, resolve, cwd, root)}
    for path in (*command.names, *command.files):
        if path not in found and (_is_path(path, cwd) if path in command.names else _is_file(path, cwd)):
            for place in _reached(path, resolve, cwd, root, _links):
                if place.code != INVALID_PATH or os.path.lexists(os.path.join(cwd, path)):
                    found.setdefault(place.spelled, place)
    return list(found.values())


def patched(text: str, command: Judged) -> tuple[list[str], str | None]:
    """Return the files of a patch in a command, as Codex may be told one, that its grammar did not show to be written.

    Its line breaks may be spelled, as in `$'…'` or for printf; what hides where its files are is a problem.
    """
    if not any(header in text for header in _PATCH_HEADERS):
        return [], None
    from linetrail.ledger.adapters.patches import targets  # few commands bring a patch

    told = (path for spelled in (text, text.replace("\\n", "\n")) for path, _ in targets(spelled))
    known = [f"/{write}" for write in command.writes]
    paths = [path for path in dict.fromkeys(told) if not any(write.endswith(f"/{path}") for write in known)]
    before = text.partition("*** Begin Patch")[0]
    moves = bool(paths) and not {"cd", "pushd"}.isdisjoint(before.replace(";", " ").split())
    return paths, "a patch behind `cd` is not judged; name its files from where you are" if moves else None


def _words(stage: Command) -> list[str]:
    """Return the words of a plain command; of any other none."""
    if not isinstance(stage, Simple) or stage.redirects or stage.assignments:
        return []
    words = [word.literal for word in stage.words]
    return [word for word in words if word is not None] if None not in words else []


def _operands(words: Sequence[str]) -> Iterator[str]:
    name, is_value = words[0], False
    scripted = name != "sed" or any(word.startswith(("-e", "-f", "--expression", "--file")) for word in words)
    for word in words[1:]:
        if is_value or (word.startswith("-") and word != "-"):
            is_value = not is_value and word[1:2] != "-" and word[-1] in _SHOWS[name]
        elif scripted:
            yield word
        else:
            scripted = True


def _is_path(name: str, cwd: str) -> bool:
    path = os.path.join(cwd, os.path.expanduser(name))
    try:
        if os.path.lexists(path) or _matches(path) or re.match(r"\./\w[^/]*/\w", name):
            return True  # what surely is a place is made with the folders above it
        folder = os.path.dirname(path.rstrip("/"))
        if folder == "/" or not ("/" in name.rstrip("/") or _FILE.search(name) or _HIDDEN.match(name)):
            return False
        first = os.path.join(cwd, name.lstrip("./").partition("/")[0])
        return os.path.isdir(folder) or (not name.startswith(("/", "~")) and os.path.isdir(first))
    except (OSError, ValueError):
        return False


def _is_file(name: str, cwd: str) -> bool:
    try:
        return os.path.isfile(os.path.join(cwd, name))
    except ValueError:
        return False


def _reached(path: str, resolve: Resolve, cwd: str, root: str, below: Callable[[str], list[str]]) -> Iterator[Place]:
    spelled = [path]
    if "**" in path:
        spelled += [path.replace("**/", ""), path.replace("**", "*/*")]
    if _GLOB.search(path):
        parent, name = os.path.split(os.path.join(cwd, path))
        spelled += _matches(os.path.join(cwd, path)) or [
            os.path.join(found, name) for found in _matches(parent) if os.path.isdir(found)
        ]
    for place in resolve(spelled):
        if place.code in (OUTSIDE, NOT_A_FILE) and _is_temporary(os.path.join(cwd, place.spelled), root):
            continue
        if place.code != NOT_A_FILE:
            yield place
            continue
        inside = below(os.path.join(cwd, place.spelled))
        if len(inside) > MOST_ENTRIES:
            yield place._replace(code=UNRESOLVABLE, reason=f"{path} has more files than can be held against a scope")
            continue
        for at, one in enumerate(resolve([os.path.join(place.spelled, "*"), *inside])):
            yield one if at else one._replace(spelled=place.spelled)


def _matches(path: str) -> list[str]:
    if not _GLOB.search(path):
        return []
    from glob import iglob
    from itertools import islice

    return list(islice(iglob(path, recursive=True), MOST_ENTRIES))


def _entries(folder: str) -> list[str]:
    """Return everything below a folder, as far as anybody counts; what a link leads to is not below it."""
    found = list[str]()
    for parent, folders, files in os.walk(folder):
        found += [os.path.join(parent, name) for name in files]
        found += [os.path.join(parent, name) for name in folders if os.path.islink(os.path.join(parent, name))]
        found += [os.path.join(parent, name, "*") for name in folders if name == ".git"]
        if len(found) > MOST_ENTRIES:
            break
    return found


def _links(folder: str) -> list[str]:
    """Return the links below a folder, which whoever writes there may follow; of too many entries, more than may be."""
    found, seen = list[str](), list[str]()
    for parent, folders, files in os.walk(folder):
        entries = [os.path.join(parent, name) for name in (*folders, *files)]
        found += [os.path.join(path, "*") if os.path.isdir(path) else path for path in entries if os.path.islink(path)]
        seen += entries
        folders[:] = [name for name in folders if name not in _TOOLS_OWN]
        if len(seen) > MOST_WALKED:
            return seen[: MOST_ENTRIES + 1]
    return found


def _is_temporary(path: str, root: str) -> bool:
    """Return whether a path outside of the repository leads to a file of one name below such a folder."""
    if (os.path.normpath(path) + "/").startswith(root.rstrip("/") + "/"):
        return False  # a link in the repository leads there
    real = os.path.realpath(path)
    if not real.startswith(tuple(os.path.realpath(folder) + "/" for folder in temporary_folders())):
        return False
    try:
        about = os.lstat(real)
    except OSError:
        return True
    return about.st_nlink == 1 or not os.path.isfile(real)
