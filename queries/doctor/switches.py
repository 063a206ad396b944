"""Find settings of agents that silently turn hooks, or refusals, off.

A file that cannot be read turns nothing off as far as we know; that it cannot be read is told.
"""

import glob
from collections.abc import Iterator, Mapping
from typing import Any

from linetrail.ledger.adapters.agent import LISTED, REMOVE, Document, Switch
from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.agents import SHELL_VARIABLES
from linetrail.ledger.gate.policy import VARIABLE
from linetrail.ledger.gate.settings import MODES
from linetrail.ledger.repository import Repository
from linetrail.queries.doctor.documents import located, read_json, read_toml
from linetrail.queries.doctor.finding import ERROR, WARNING, Finding

CHECK = "switches"
# How deep settings are searched for variables that an agent sets for what it starts.
_DEEPEST = 6


def files(agent: str, root: str) -> list[str]:
    """Return the files that an agent reads its settings from, as far as they can turn hooks off."""
    paths = [located(path, root) for path in CATALOGUE[agent].switch_files]
    return [found for path in paths for found in (_in(path) if path.endswith("*.json") else [path])]


def check(agent: str, repository: Repository, mode: str) -> Iterator[Finding]:
    """Yield what stands in an agent's settings that should not, where hooks are to do what `mode` says."""
    for path in files(agent, repository.root):
        document = read_toml(path) if path.endswith(".toml") else read_json(path)
        if document.problem:
            message = f"{agent}: {document.shown} {document.problem}, so nobody knows what it turns off"
            yield Finding(CHECK, WARNING, message, "repair the file, or move it away")
        for switch in CATALOGUE[agent].switches:
            for effect in _effects(document, switch):
                message = f"{'.'.join(switch.keys)} in {document.shown} {effect}"
                yield Finding(CHECK, ERROR, message, switch.advice)
        yield from _variables(document, mode)


def _in(pattern: str) -> list[str]:
    """Return the settings in a folder that are read in the order of their names."""
    folder, _, rest = pattern.rpartition("*")
    return sorted(glob.glob(f"{glob.escape(folder)}*{rest}"))


def _effects(document: Document, switch: Switch) -> Iterator[str]:
    """Yield what a switch does as it is set here; in a list, for each entry that names our hook."""
    found = document.at(*switch.keys)
    if switch.value is LISTED:
        listed = found if isinstance(found, list) else []
        yield from (switch.effect.format(repr(one)) for one in listed if isinstance(one, str) and LISTED in one)
    elif found is switch.value:
        yield switch.effect


def _variables(document: Document, mode: str) -> Iterator[Finding]:
    """Check the variables that an agent sets for the processes it starts, hooks too."""
    for environment in _environments(document.values, _DEEPEST):
        told = environment.get(VARIABLE)
        if told in MODES and MODES.index(told) < MODES.index(mode):
            yield Finding(CHECK, ERROR, f"{VARIABLE} is {told} in {document.shown}, which wins over `{mode}`", REMOVE)
        for name in sorted(set(SHELL_VARIABLES) & set(environment)):
            message = f"{name} is set in {document.shown}, so an agent's shell cannot be told from a person's"
            yield Finding(CHECK, ERROR, message, REMOVE)


def _environments(value: Any, left: int) -> Iterator[Mapping[str, Any]]:
    """Yield every object named `env`, of the settings as a whole or of one hook."""
    if left == 0 or not isinstance(value, dict | list):
        return
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if key == "env" and isinstance(item, dict):
            yield item
        else:
            yield from _environments(item, left - 1)
