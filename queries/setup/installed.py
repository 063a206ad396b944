"""Look which agents call our hook, as their settings say."""

import os
from collections.abc import Iterator

from linetrail.ledger.adapters.agent import Agent
from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.gate.policy import MODES, OBSERVE
from linetrail.queries.setup import commands, entries, own_files, settings
from linetrail.queries.setup.place import Place, is_own
from linetrail.queries.setup.settings import COMMAND, SettingsError


def agents(place: Place) -> list[str]:
    """Return the names of the agents whose settings hold entries of ours here."""
    return [name for name in CATALOGUE if is_installed(place, name)]


def is_installed(place: Place, name: str) -> bool:
    """Return whether an agent calls our hook here."""
    row = place.row(name)
    if is_own(row):
        return any(True for _ in _own(place, row))
    return any(entries.has_handlers(text, row) for _, text in documents(place, row))


def floor(place: Place) -> str:
    """Return the strictest mode that the installed hooks hold to where no settings state one."""
    told = [mode for name in CATALOGUE for mode in _floors(place, place.row(name)) if mode in MODES]
    return max(told, key=MODES.index, default=OBSERVE)


def documents(place: Place, row: Agent) -> Iterator[tuple[str, str]]:
    """Yield the settings files that may hold entries of ours, with their texts.

    One that cannot be edited, and does not name our hook either, is a person's matter alone.
    """
    for path in place.documents(row):
        try:
            text = settings.read(path, place.above(path))
        except SettingsError:
            if names_hook(path):
                raise
            continue
        if text is not None:
            yield path, text


def names_hook(path: str) -> bool:
    """Return whether our hook is named in a file, whatever else is in it."""
    try:
        with open(path, "rb") as file:
            return COMMAND.encode() in file.read()
    except OSError:
        return False


def _floors(place: Place, row: Agent) -> Iterator[str | None]:
    try:
        if is_own(row):
            yield from (own_files.called(text, row)[1] for text in _own(place, row))
            return
        for _, text in documents(place, row):
            for event in row.gates:
                yield from (commands.stated_floor(command) for _, command in entries.handlers(text, row, event))
    except SettingsError:
        return


def _own(place: Place, row: Agent) -> Iterator[str]:
    for path in own_files.paths(place.path(row.file), row):
        if not os.path.isfile(path):
            continue
        text = settings.read_text(path, place.above(path))
        if text is not None and own_files.is_ours(text, row):
            yield text
