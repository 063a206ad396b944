"""Put our entries into the text of an agent's settings, and take them out again.

Only the bytes of our own entries ever change. What was made to hold them goes with them; a record says how it looked
before. Without the record (a fresh clone) containers that hold nothing else go.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from linetrail.ledger.adapters.agent import GATE_SECONDS, GROUPS, Agent
from linetrail.ledger.gate.settings import BLOCK, OBSERVE
from linetrail.queries.setup import commands
from linetrail.queries.setup.jsontext import Path, find, insert, parse, remove, replace, value_at
from linetrail.queries.setup.settings import NEW_FILE, Record, SettingsError

# Without it some agents read nothing of a document. It is added to one that holds nothing; elsewhere it is a person's.
VERSION = "version"


def new_file(row: Agent) -> str:
    """Return the text of a new settings file, before our entries are in it."""
    return json.dumps(row.skeleton, ensure_ascii=False, indent=2) + "\n" if row.skeleton else NEW_FILE


def install(text: str, row: Agent, hook: str, mode: str = OBSERVE, *, user: bool = False) -> tuple[str, Record]:
    """Add the entries that are missing, and let those of an earlier run call this `hook` as this `mode` needs it.

    For all repositories of a `user` each of them says itself how strict it is.
    """
    _require_readable(text, row)
    record: Record = {}
    text = _provide(text, (), {}, record)
    if VERSION in row.skeleton and not value_at(text, ()):
        text = insert(text, (), row.skeleton[VERSION], key=VERSION)
    for depth in range(1, len(row.root) + 1):
        text = _provide(text, row.root[:depth], {}, record)
    for event in row.events:
        handler = _handler(row, hook, event, mode, user=user)
        if row.frozen:
            text = text if _is_heard(text, row, event) else _add(text, row, event, None, handler, record)
            continue
        matcher = _wanted_matcher(row, event, mode)
        text = _leave_shared_groups(text, row, event, matcher)
        known = [path for path, _ in handlers(text, row, event)]
        for path in known:
            text = _update(text, row, path, matcher, handler)
        if not known:
            text = _add(text, row, event, matcher, handler, record)
    return text, record


def uninstall(text: str, row: Agent, record: Record) -> str:
    """Remove our entries, and what held nothing else; `record` says how it looked before they came."""
    if not has_handlers(text, row):
        return text
    for event in row.events:
        known = [path for path, _ in handlers(text, row, event)]
        for path in reversed(known):
            text = _remove_handler(text, row, path)
        if known:
            text = _withdraw(text, (*row.root, event), record)
    for depth in range(len(row.root), 0, -1):
        text = _withdraw(text, row.root[:depth], record)
    if VERSION in row.skeleton and record.get("") is not None and [*value_at(text, ())] == [VERSION]:
        text = remove(text, (VERSION,))
    return _withdraw(text, (), record)


def handlers(text: str, row: Agent, event: str) -> Iterator[tuple[Path, str]]:
    """Yield where our entries for an event are, and the command of each."""
    for path, handler in _candidates(text, row, event):
        command = _command(handler, row)
        if command is not None:
            yield path, command


def has_handlers(text: str, row: Agent) -> bool:
    """Return whether an entry of ours is there, for whichever event."""
    return any(True for event in row.events for _ in handlers(text, row, event))


def matcher_at(text: str, row: Agent, path: Path) -> Any:
    """Return the matcher that an entry of ours is called by."""
    return value_at(text, (*(path[:-2] if row.layout == GROUPS else path), "matcher"))


def _candidates(text: str, row: Agent, event: str) -> Iterator[tuple[Path, Any]]:
    root: Path = (*row.root, event)
    for i, item in enumerate(_list(value_at(text, root))):
        if row.layout != GROUPS:
            yield (*root, i), item
            continue
        for j, handler in enumerate(_list(item.get("hooks") if isinstance(item, dict) else None)):
            yield (*root, i, "hooks", j), handler


def _command(handler: Any, row: Agent) -> str | None:
    """Return the command of an entry if it is one of ours."""
    told = handler if isinstance(handler, dict) else {}
    found = (told.get(key) for key in (row.command_key, row.windows_key) if key)
    return next((text for text in found if isinstance(text, str) and commands.executable(text, row.argument)), None)


def _is_heard(text: str, row: Agent, event: str) -> bool:
    """Return whether an entry calls our hook in any spelling: it was trusted as it is, and has to stay so."""
    told = [handler for _, handler in _candidates(text, row, event) if isinstance(handler, dict)]
    texts = (handler.get(key) for handler in told for key in (row.command_key, row.windows_key) if key)
    return any(isinstance(text, str) and commands.mentions(text, row.argument) for text in texts)


def _require_readable(text: str, row: Agent) -> None:
    """Raise where the agent would not read what is written: hooks that never fire are worse than none."""
    unknown = [key for key in parse(text) if key not in row.closed] if row.closed else []
    if unknown:
        raise SettingsError(f"`{unknown[0]}` stands at its root, for which {row.title} ignores the whole file")


def _handler(row: Agent, hook: str, event: str, mode: str, *, user: bool) -> dict[str, Any]:
    """Return our entry for an event, without a matcher."""
    words = commands.arguments(row, event, mode, user=user)
    handler = {**row.handler, row.command_key: commands.posix(row, hook, words, mode)}
    if row.windows_key and commands.is_windows(hook):
        handler[row.windows_key] = commands.powershell(row, hook, words, mode)
    if row.timeout:
        handler[row.timeout[0]] = row.timeout[1]
        if mode == BLOCK and event in row.gates and not row.frozen and not user:
            handler[row.timeout[0]] = GATE_SECONDS * row.units_a_second
    if row.fail_closed and mode == BLOCK and event in row.gates and not user:
        handler[row.fail_closed[0]] = row.fail_closed[1]
    return handler


def _wanted_matcher(row: Agent, event: str, mode: str) -> str | None:
    """Return the matcher: what is judged is every tool, since one that is not known may write."""
    if event not in row.tool_events:
        return None
    return row.tools if mode == OBSERVE else row.every_tool


def _add(text: str, row: Agent, event: str, matcher: str | None, handler: Mapping[str, Any], record: Record) -> str:
    path = (*row.root, event)
    told = {} if matcher is None else {"matcher": matcher}
    entry = {**told, "hooks": [handler]} if row.layout == GROUPS else {**told, **handler}
    return insert(_provide(text, path, [], record), path, entry)


def _leave_shared_groups(text: str, row: Agent, event: str, matcher: str | None) -> str:
    """Take our entries out of groups that a person put others in, where ours are to be called for other tools."""
    if row.layout != GROUPS:
        return text
    for path, command in reversed(list(handlers(text, row, event))):
        shared = not all(_command(handler, row) for handler in _list(value_at(text, path[:-1])))
        if shared and _is_our_matcher(text, row, path, command) and matcher_at(text, row, path) != matcher:
            text = remove(text, path)
    return text


def _update(text: str, row: Agent, path: Path, matcher: str | None, handler: Mapping[str, Any]) -> str:
    """Let an entry of ours be as it is wanted; a matcher that a person wrote, and a timeout, stay."""
    command = _command(value_at(text, path), row)
    if matcher is not None and command and _is_our_matcher(text, row, path, command):
        group = path[:-2] if row.layout == GROUPS else path
        text = replace(text, (*group, "matcher"), json.dumps(matcher))
    for key in filter(None, (row.command_key, row.windows_key)):
        if key in handler:
            text = _set(text, path, key, handler[key])
    # a number is read as it is spelled
    ours = (str(row.timeout[1]), str(GATE_SECONDS * row.units_a_second)) if row.timeout else ()
    if row.timeout and str(value_at(text, (*path, row.timeout[0]))) in ours:
        text = _set(text, path, row.timeout[0], handler[row.timeout[0]])
    if row.fail_closed is None:
        return text
    key, value = row.fail_closed
    if key in handler:
        return _set(text, path, key, value)
    return remove(text, (*path, key)) if value_at(text, (*path, key)) == value else text


def _set(text: str, path: Path, key: str, value: Any) -> str:
    if find(text, (*path, key)):
        return replace(text, (*path, key), json.dumps(value, ensure_ascii=False))
    return insert(text, path, value, key=key)


def _is_our_matcher(text: str, row: Agent, path: Path, command: str) -> bool:
    """Return whether the matcher of an entry is ours: a `*` beside a command that only observes is a person's."""
    matcher = matcher_at(text, row, path)
    return matcher is not None and (
        matcher == row.tools or (matcher == row.every_tool and commands.names_event(command))
    )


def _provide(text: str, path: Path, empty: dict[str, Any] | list[Any], record: Record) -> str:
    """Make sure that a container is at `path`, and record how it looks while nothing is in it."""
    name = "/".join(map(str, path))
    found = find(text, path)
    if found is None:
        record[name] = None
        return insert(text, path[:-1], empty, key=str(path[-1]))
    if not isinstance(found.value, type(empty)):
        raise SettingsError(f"`{name}` in it is not {'an object' if empty == {} else 'a list'}")
    if not found.value:
        record[name] = text[found.start : found.end]
    return text


def _withdraw(text: str, path: Path, record: Record) -> str:
    """Bring an empty container back to how it was; one that was not there goes."""
    found = find(text, path)
    if found is None or found.value:
        return text
    before = record.get("/".join(map(str, path)))
    if before is not None:
        return replace(text, path, before)
    return remove(text, path) if path else text


def _remove_handler(text: str, row: Agent, path: Path) -> str:
    """Remove one entry, and its group when it was the only one in it."""
    text = remove(text, path)
    if row.layout != GROUPS:
        return text
    rest = find(text, path[:-1])
    return text if rest is not None and rest.value else remove(text, path[:-2])


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
