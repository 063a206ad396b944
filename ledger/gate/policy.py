"""What the gate goes by: the settings, and the registry of intents, as their files say at this moment.

People write YAML, which is too slow to read at every tool call: what follows from it is kept in ``state/policy.json``
under the hash of the files it was read from. A file that was changed since is read again, whoever changed it.
"""

import contextlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from linetrail.ledger.agents import ONLY_TOLD
from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.files import open_file, publish, sha256
from linetrail.ledger.gate import roles
from linetrail.ledger.gate.settings import ASK, BLOCK, MODES, OBSERVE, WARN, Settings
from linetrail.ledger.intents.intent import MAX_BYTES, TOO_LARGE, Intent, Offer
from linetrail.ledger.intents.registry_file import FILE
from linetrail.ledger.repository import Repository, file_path

if TYPE_CHECKING:
    from mmap import mmap

    from linetrail.ledger.paths.globs import Scope

SHARED, LOCAL = "config.yaml", "config.local.yaml"
VARIABLE = "LINETRAIL_ENFORCE"
# What happens to a refusal of these codes where the mode is `block` and no setting says otherwise.
ASKED_ABOUT = frozenset({"UNKNOWN_TOOL", "SELECTION_TO_APPROVE", "APPROVAL_REQUIRED"})
# 1: first format. What another version has compiled is compiled again.
# 2: thoughts.
# 3: agents.
# 4: commands.
# 5: a line for each intent, read when it is asked for; hashes of files instead of their bytes in the name.
# 6: approvals that people want for intents, paths and commands; criteria that can be checked.
# 7: workers.
# 8: leases of worktrees.
# 9: programs of the project.
# 10: open intents first; the folders in which their patterns begin.
VERSION = 10
MAX_SETTINGS = 256 * 1024
# How many bytes of a registry a hook has time to read anew, and what it says of a larger one.
MAX_READ_BY_HOOK = 256 * 1024
UNREAD = "changed, and too large to be read anew within a call: `linetrail intents lint` reads it for all calls to come"
MAX_READ_WHOLE = 64 * 1024
# Of so many open intents a refusal is told, and of so many it is looked whether they own what was refused.
MAX_OFFERED, MAX_LOOKED_AT = 50, 256
# What a line says of one of those agents; entry.py reads the same without an expression.
_STATED_AGENT = rb"^[^#\n]*\b%b['\"]?[ \t]*:[ \t]*['\"]?(warn|block)\b"
_MEMORY = os.path.join("state", "policy.json")
_PIN = os.path.join("state", "pinned")
# A line of its own, or the first of `{…}`; entry.py reads the same without an expression.
_STATED_MODE = re.compile(
    rb"^(?:\xef\xbb\xbf)?(?:\{[ \t]*)?['\"]?enforce['\"]?[ \t]*:[ \t]*['\"]?(observe|warn|block)\b", re.MULTILINE
)


class Intents:
    """The intents as they were compiled, a line each, open ones first; only those that are asked for are read.

    A call takes no longer however many there are: it asks for the one that is selected, or for some of those that are
    open. From `start` on the content has a line for each intent, from `folders` on one for each folder, which says how
    far behind the start the open intents are that have a pattern of this folder.
    """

    def __init__(self, content: "bytes | mmap", start: int, folders: int, count: int, open_count: int) -> None:
        self.content, self._start, self.folders = content, start, folders
        self._count, self.open_count = count, open_count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Intent]:
        lines = self.content[self._start : self.folders].splitlines()
        return iter(sorted(map(_from_line, lines), key=lambda intent: intent.line))  # as the file has them

    def find(self, intent_id: str) -> Intent | None:
        """Return the intent that has this id."""
        at = self.content.find(b'\n{"id": %b,' % json.dumps(intent_id).encode(), self._start - 1, self.folders)
        return None if at == -1 else self._at(at + 1)

    def open(self, most: int) -> list[Intent]:
        """Return the first of the intents that may be selected."""
        found: list[Intent] = []
        at = self._start
        for _ in range(min(most, self.open_count)):
            found.append(self._at(at))
            at = self.content.find(b"\n", at) + 1
        return found

    def around(self, paths: Sequence[str]) -> Iterator[Intent]:
        """Yield the open intents with a pattern of a folder that has one of these paths, those of inner ones first."""
        names = [file_path(path) for path in paths]
        folders = {name[: at + 1] for name in names for at, sign in enumerate(name) if sign == "/"} | {""}
        places = (at for folder in sorted(folders, key=lambda name: (-len(name), name)) for at in self._of(folder))
        return (self._at(self._start + at) for at in dict.fromkeys(places))

    def _of(self, folder: str) -> Iterator[int]:
        begin = b"\n%b " % json.dumps(folder).encode()
        at = self.content.find(begin, self.folders - 1)
        places = self.content[at + len(begin) : self.content.find(b"\n", at + 1)] if at != -1 else b""
        return map(int, places.split())

    def _at(self, place: int) -> Intent:
        return _from_line(self.content[place : self.content.find(b"\n", place)])


NO_INTENTS = Intents(b"\n", 1, 1, 0, 0)


class Policy(NamedTuple):
    """Settings and registry together; an `error` says in which line a file cannot be read, and what is wrong there."""

    settings: Settings
    settings_error: str | None
    intents: Intents
    registry_error: str | None
    # sha256 of the registry's bytes; None where there is no file
    registry_digest: str | None
    # what the environment says, which wins
    told: str | None = None
    # what holds until a person says otherwise, since the settings were changed while an agent's call ran
    pinned: str | None = None
    # what holds for an agent that is only told
    only_told: bool = False
    # of whoever works in this worktree
    role: str | None = None

    @property
    def mode(self) -> str:
        """What refusals do here, unless a setting for their code says otherwise."""
        return self._bounded(self.told or stricter(self.settings.mode, self.pinned or OBSERVE))

    @property
    def in_use(self) -> bool:
        """Somebody wants calls to be judged: refusals have an effect, or there are intents to hold calls against."""
        return self.mode != OBSERVE or bool(self.intents or self.registry_error or self.settings.codes)

    def mode_for(self, code: str) -> str:
        """Say what a refusal of this code does: observe, warn, ask or block."""
        if self.told in (OBSERVE, WARN):
            return self.told
        mode = self._bounded(self.settings.codes.get(code, self.mode))
        if self.told == BLOCK and mode in (OBSERVE, WARN):
            return BLOCK
        return ASK if mode == BLOCK and code in ASKED_ABOUT and code not in self.settings.codes else mode

    def towards(self, agent: str) -> "Policy":
        """Return what holds for one agent: it is only told where a refusal would end its run and nobody wants that."""
        is_wanted = self.told is not None or BLOCK in (self.pinned, self.settings.agents.get(agent))
        return self if agent not in ONLY_TOLD or is_wanted else self._replace(only_told=True)

    def _bounded(self, mode: str) -> str:
        return WARN if self.only_told and mode in (ASK, BLOCK) else mode

    def intent(self, intent_id: str | None) -> Intent | None:
        """Return an intent of the registry."""
        return None if intent_id is None else self.intents.find(intent_id)

    def bounded(self, intent_id: str | None) -> Intent | None:
        """Return an intent of the registry with the scope that the role here has for it."""
        intent = self.intent(intent_id)
        return intent if intent is None or self.role not in roles.SCOPES else roles.bounded(intent, self.role)

    def offer(self) -> Offer:
        """Return what may be selected."""
        named = [(intent.id, intent.name) for intent in self.intents.open(MAX_OFFERED)]
        return Offer(named, self.intents.open_count - len(named))

    def owners(self, paths: Sequence[str]) -> list[str]:
        """Return the open intents that own any of these paths, the one that owns most of them first.

        Where very many might, those are looked at whose patterns say most.
        """
        scopes = {intent.id: scope_of(intent) for intent in islice(self.intents.around(paths), MAX_LOOKED_AT)}
        owned = {
            name: sum(scope.owner(path) is not None for path in paths)
            for name, scope in scopes.items()
            if scope is not None
        }
        return sorted((name for name, count in owned.items() if count), key=lambda name: -owned[name])


def scope_of(intent: Intent) -> "Scope | None":
    """Return what an intent owns; one whose scope is no scope has flaws, and is refused for them."""
    from linetrail.ledger.paths.globs import ScopeError, compile_scope  # most events need no scope

    try:
        return compile_scope(intent.scope)
    except ScopeError:
        return None


def of(repository: Repository, fallback: str = OBSERVE, *, most: int = MAX_BYTES) -> Policy:
    """Return what holds in this worktree now; `fallback` is the mode where no settings state one.

    A registry of more than `most` bytes that nobody has read since it changed is not read: the error says `UNREAD`.
    """
    folder = _source(repository)
    texts = [_read(os.path.join(folder, name)) for name in (SHARED, LOCAL)]
    texts.append(_read(os.path.join(folder, FILE), MAX_BYTES, TOO_LARGE))
    key = sha256(b"%d %b" % (VERSION, fallback.encode()))
    for text in texts:
        key.update(b"-" if text is None else sha256(text).digest())
    name = key.hexdigest()
    known = _recall(repository, name)
    is_left = known is None and len(texts[-1] or b"") > most
    if is_left:
        texts[-1] = b"\0" + UNREAD.encode()
    policy = known or _compile(repository, texts, fallback)
    if known is None and not is_left:
        _remember(repository, name, policy)
    return policy._replace(told=_told(), pinned=_least(repository, fallback), role=role_of(repository))


def told_mode(repository: Repository | None, fallback: str = OBSERVE, agent: str = "") -> str:
    """Say what refusals do here without trusting anything but a line of text: for when something went wrong."""
    told = _told()
    if told is not None:
        return told
    mode = fallback
    if repository is not None:
        mode = stricter(_stated(_source(repository), fallback), _least(repository, fallback) or OBSERVE)
    return WARN if mode == BLOCK and agent in ONLY_TOLD and not _is_wanted(repository, agent) else mode


def _is_wanted(repository: Repository | None, agent: str) -> bool:
    """Return whether the settings let a refusal end the run of this agent, as far as that can be seen without YAML."""
    if repository is None:
        return False
    expression = re.compile(_STATED_AGENT % agent.encode(), re.MULTILINE)
    texts = (_read(os.path.join(_source(repository), name)) or b"" for name in (LOCAL, SHARED))
    found = next(filter(None, map(expression.search, texts)), None)
    return pinned(repository) == BLOCK or (found is not None and found.group(1) == BLOCK.encode())


def _stated(folder: str, fallback: str) -> str:
    found = (stated_mode(_read(os.path.join(folder, name)) or b"") for name in (LOCAL, SHARED))
    return next((mode for mode in found if mode is not None), fallback)


def _source(repository: Repository) -> str:
    """Return the folder whose files count: of a linked worktree that has none of them, that of the main one."""
    own = any(os.path.lexists(os.path.join(repository.folder, name)) for name in (SHARED, LOCAL, FILE))
    return repository.folder if own else repository.main_folder() or repository.folder


def _least(repository: Repository, fallback: str) -> str | None:
    """Return what the mode is at least: what was pinned, and in a linked worktree what holds in the main one."""
    main = repository.main_folder()
    found = [mode for mode in (pinned(repository), main and _stated(main, fallback)) if mode]
    return max(found, key=MODES.index, default=None)


def stricter(one: str, other: str) -> str:
    """Return the mode that stops more.

    >>> stricter("warn", "block")
    'block'
    """
    return max(one, other, key=MODES.index)


def role_of(repository: Repository) -> str | None:
    """Return the role of whoever works in this worktree; None where none was given."""
    text = (_read(os.path.join(repository.folder, roles.FILE)) or b"").decode(errors="replace")
    return text if text in roles.ROLES else None


def pin(repository: Repository, mode: str) -> None:
    """Let nothing weaken the mode any more, until a person takes that back."""
    publish(os.path.join(repository.folder, _PIN), stricter(mode, pinned(repository) or OBSERVE).encode(), durable=True)


def unpin(repository: Repository) -> None:
    """Let the settings count again as they are."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(repository.folder, _PIN))


def pinned(repository: Repository) -> str | None:
    """Return the mode that was pinned."""
    text = (_read(os.path.join(repository.folder, _PIN)) or b"").decode(errors="replace")
    return text if text in MODES else None


def stated_mode(text: bytes) -> str | None:
    """Return the mode that a settings file states, as far as that can be seen without reading YAML."""
    found = _STATED_MODE.search(text)
    return found.group(1).decode() if found else None


def _told() -> str | None:
    told = os.environ.get(VARIABLE, "").strip().lower()
    return told if told in MODES else None


def _read(path: str, most: int = MAX_SETTINGS, said: str = f"larger than {MAX_SETTINGS // 1024} KB") -> bytes | None:
    """Return the bytes of a file; one that is there and cannot be read, or is too large, is as good as malformed."""
    try:
        with open_file(path) as file:
            content = file.read(most + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        return b"\0" + str(error.strerror).encode()
    return content if len(content) <= most else b"\0" + said.encode()


def _compile(repository: Repository, texts: Sequence[bytes | None], fallback: str) -> Policy:
    if all(text is None for text in texts):
        return Policy(Settings(), None, NO_INTENTS, None, None)
    from linetrail.ledger.gate.settings_text import parse as parse_settings  # YAML costs 16 ms, once for each change
    from linetrail.ledger.intents.registry import parse as parse_registry

    shared, local, registry = texts
    settings, settings_error = Settings(mode=fallback), None
    intents = NO_INTENTS
    registry_error = None
    try:
        for name, text in ((SHARED, shared), (LOCAL, local)):
            settings = settings if text is None else parse_settings(_sound(text), name, settings)
    except LinetrailError as error:
        settings, settings_error = Settings(mode=_mode_of_unreadable(repository, fallback)), str(error)
    try:
        intents = NO_INTENTS if registry is None else compile_intents(parse_registry(_sound(registry), FILE))
    except LinetrailError as error:
        registry_error = str(error)
    digest = None if registry is None else f"sha256:{sha256(registry).hexdigest()}"
    return Policy(settings, settings_error, intents, registry_error, digest)


def _mode_of_unreadable(repository: Repository, fallback: str) -> str:
    """Say what holds while the settings cannot be read: what they still state, what they said last, or a warning."""
    last = OBSERVE
    lost = contextlib.suppress(OSError, ValueError, KeyError, TypeError, IndexError)
    with lost, open(os.path.join(repository.folder, _MEMORY), "rb") as file:
        last = json.loads(file.readline())["policy"][0]["mode"]
    return stricter(stricter(told_mode(repository, fallback), WARN), last if last in MODES else OBSERVE)


def _sound(text: bytes) -> bytes:
    if text.startswith(b"\0"):
        raise LinetrailError(f"cannot be read: {text[1:].decode(errors='replace')}")
    return text


def _recall(repository: Repository, name: str) -> Policy | None:
    try:
        with open(os.path.join(repository.folder, _MEMORY), "rb") as file:
            record = json.loads(file.readline())
            if record["name"] != name:
                return None
            start = file.tell() - 1
            content = _mapped(file)
        settings, settings_error, (size, folders), counts, registry_error, digest = record["policy"]
        if len(content) != start + size or content.find(b"\0") != -1:  # as a machine leaves it that lost its power
            return None
        intents = Intents(content, start + 1, start + folders, *counts)
        return Policy(Settings(**settings), settings_error, intents, registry_error, digest)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _mapped(file: BinaryIO) -> "bytes | mmap":
    """Return all of a file that nobody writes to any more; of a large one only what is looked at is read."""
    if os.fstat(file.fileno()).st_size <= MAX_READ_WHOLE:
        file.seek(0)
        return file.read()
    import mmap  # few registries are so large

    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _remember(repository: Repository, name: str, policy: Policy) -> None:
    """Keep what was compiled; where that is not possible it is compiled again."""
    intents, settings = policy.intents, policy.settings._asdict()
    sizes, counts = (len(intents.content), intents.folders), (len(intents), intents.open_count)
    record = (settings, policy.settings_error, sizes, counts, policy.registry_error, policy.registry_digest)
    try:
        head = json.dumps({"name": name, "policy": record}).encode()
        publish(os.path.join(repository.folder, _MEMORY), b"".join((head, intents.content)), durable=False)
    except (OSError, LinetrailError):
        return


def compile_intents(intents: Sequence[Intent]) -> Intents:
    """Return these intents as hooks read them."""
    from linetrail.ledger.paths.globs import folder  # nothing is compiled in most calls

    lines: list[bytes] = []
    folders: dict[str, list[int]] = {}
    size = 0
    for intent in sorted(intents, key=lambda one: one.closed):
        for name in {folder(pattern): None for pattern in intent.scope if not intent.closed and pattern[:1] != "!"}:
            folders.setdefault(name, []).append(size)
        lines.append(json.dumps(intent._asdict()).encode() + b"\n")
        size += len(lines[-1])
    by_folder = (f"\n{json.dumps(name)} {' '.join(map(str, places))}" for name, places in folders.items())
    open_count = sum(not intent.closed for intent in intents)
    content = b"\n%b%b\n" % (b"".join(lines), "".join(by_folder).encode().removeprefix(b"\n"))
    return Intents(content, 1, size + 1, len(intents), open_count)


def _from_line(line: bytes) -> Intent:
    return Intent(**{key: _tuple(value) for key, value in json.loads(line).items()})


def _tuple(value: Any) -> Any:
    return tuple(map(_tuple, value)) if isinstance(value, list) else value
