"""Check that every event of an agent reaches a hook of ours that can be run, and that the hook can stop calls."""

import itertools
import os
from collections.abc import Iterator, Sequence
from typing import Any

from linetrail.ledger.adapters.agent import GROUPS, PLUGIN, SCRIPTS, Agent, shown
from linetrail.ledger.adapters.catalogue import CATALOGUE, FIRST, lenders
from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.gate.policy import SHARED, told_mode
from linetrail.ledger.gate.settings import BLOCK, OBSERVE
from linetrail.ledger.repository import Repository
from linetrail.queries.doctor import installs
from linetrail.queries.doctor.finding import ERROR, OK, WARNING, Finding
from linetrail.queries.doctor.hooks import Hook, Site, hooked
from linetrail.queries.setup.commands import names_event, stated_floor
from linetrail.queries.setup.entries import VERSION
from linetrail.queries.setup.installation import hook_path
from linetrail.queries.setup.place import is_own, sign_of

# The agent's own timeout must not end before ours.
LEAST_TIMEOUT_SECONDS = 2
# How many reasons for which a file is passed over are named.
SHOWN = 3
# What an agent may be told that lets a call pass by its hook.
_EVASIONS = ("async", "asyncRewake", "once", "if")


def hooks(repository: Repository, found: Sequence[Site], mode: str) -> Iterator[Finding]:
    """Report for each agent whether its events reach our hook, and name agents in use that do not call it."""
    for site in found:
        if not site.agent.called:  # the agent whose entries it shares is told of
            yield from _site(site, mode)
    ours, with_package = hooked(found), installs.packaged(repository)
    yield from installs.check_packages(with_package, ours, mode)
    if not with_package and not found:
        signed = [name for name, agent in CATALOGUE.items() if sign_of(agent, repository.root)]
        used = [*signed, *(one.agent for one in installs.programs(repository)), FIRST][0]
        path = os.path.join(repository.root, CATALOGUE[used].file)
        level = ERROR if mode == BLOCK else WARNING
        yield Finding("hooks", level, f"no hooks of {used} in {path}", f"linetrail init --agent {used}")
    else:
        yield from _others(repository, [*ours, *with_package])


def gate(repository: Repository, found: Sequence[Site], mode: str) -> Iterator[Finding]:
    """Check that the hook judges every call of every tool, and that a hook that fails stops the call."""
    if mode == OBSERVE:
        return
    level = ERROR if mode == BLOCK else WARNING
    for name in [name for name in hooked(found) if not CATALOGUE[name].called]:
        sites = [site for site in found if site.agent.name == name]
        # Where the project and the person have hooks, one that is complete is enough.
        gaps = min(([*_gaps(site, mode, level)] for site in sites if site.hooks), key=len)
        yield from gaps
        if not gaps:
            failing = _failing(CATALOGUE[name], mode, told_mode(repository, mode, name))
            yield Finding("gate", OK, f"{name}: every call of every tool is judged{failing}")


def _site(site: Site, mode: str) -> Iterator[Finding]:
    agent, where = site.agent, shown(site.path)
    init = _init(site)
    if site.document.problem:
        message = f"{agent.name}: {site.path} {site.document.problem}"
        yield Finding("hooks", ERROR, message, f"repair the file, then {init}")
        return
    for message, advice in itertools.islice(_voids(site), SHOWN):
        yield Finding("hooks", ERROR, f"{agent.name} passes over {where}: {message}", advice)
    missing = [event for event in agent.events if event not in site.events]
    if missing:
        yield Finding("hooks", WARNING, f"{agent.name}: not installed for {', '.join(missing)}", init)
    names = {hook.executable for hook in site.hooks if hook.executable}
    scripts = {hook.handler["path"] for hook in site.hooks if agent.layout == SCRIPTS}
    broken = sorted(name for name in names | scripts if not _can_run(name))
    for name in broken:
        yield _broken(site, name, mode)
    if mode != OBSERVE:
        yield from _untried(site, names - set(broken))
    if not missing and not broken:
        yield Finding("hooks", OK, f"{agent.name}: {len(agent.events)} events in {where}{_changed(site)}")


def _voids(site: Site) -> Iterator[tuple[str, str]]:
    """Yield what makes an agent pass over a whole file of hooks, ours among them, without a word, and what helps."""
    agent, document = site.agent, site.document
    if agent.closed:
        allowed = " and ".join(agent.closed)
        for key in sorted(set(document.values) - set(agent.closed)):
            yield f"`{key}` may not stand at its root, where only {allowed} may", f"remove {key}"
    events = document.at(*agent.root)
    if agent.known_events and isinstance(events, dict):
        for event in sorted(set(events) - agent.known_events):
            reader = agent.program.name if agent.program else "it"
            yield f"`{event}` is no event of {agent.title}, and {reader} skips a file with one", f"remove {event}"
    version = agent.skeleton.get(VERSION)
    if version is not None and document.exists and document.values.get(VERSION) != version:
        yield f"it does not say that it is of version {version}", f'add "{VERSION}": {version}'


def _can_run(path: str) -> bool:
    try:
        return os.access(path, os.X_OK)
    except ValueError:  # what no path can be
        return False


def _broken(site: Site, name: str, mode: str) -> Finding:
    """Report a hook that is gone, with the steps that bring it back."""
    lost = site.agent.unstarted or _fails(site.agent)
    consequence = lost if mode == BLOCK else ""
    message = f"{site.agent.name} calls {name}, which cannot be run{consequence}"
    if not site.agent.frozen:
        return Finding("hooks", ERROR, message, _init(site))
    message += "; an entry that is changed has to be reviewed again"
    advice = f"put the hook back there, or linetrail doctor --fix --retrust {site.agent.name}, then trust it in /hooks"
    return Finding("hooks", ERROR, message, advice)


def _untried(site: Site, names: set[str]) -> Iterator[Finding]:
    """Report hooks of other installations: the probe tries the hook of this one only."""
    try:
        tried = hook_path()
    except LinetrailError:
        return  # the probe tells
    for name in sorted(names):
        if os.path.realpath(name) != os.path.realpath(tried):
            message = f"{site.agent.name} calls {name}, which was not tried; the hook of this installation is {tried}"
            yield Finding("hooks", WARNING, message, f"{_init(site)}, or run that one's `linetrail doctor`")


def _changed(site: Site) -> str:
    """Describe the matchers that a person wrote, which `init` keeps."""
    ours = (site.agent.tools, site.agent.every_tool, None, "")
    own = sorted({f"{hook.event} only for {hook.matcher!r}" for hook in site.hooks if hook.matcher not in ours})
    unknown = sum(hook.executable is None for hook in site.hooks)
    own += [f"{unknown} called in a way of your own"] if unknown else []
    return f"; {', '.join(own)}" if own else ""


def _others(repository: Repository, ours: Sequence[str]) -> Iterator[Finding]:
    """Report agents in use here, or by this person, that do not call our hook."""
    files = {CATALOGUE[name].file for name in ours}
    for name, agent in CATALOGUE.items():
        sign = sign_of(agent, repository.root) if name not in ours and agent.file not in files else None
        if sign is not None:
            here = sign.startswith(os.path.join(repository.root, ""))
            lent = [f"{lender.title}'s" for lender in lenders(agent, ours)]
            reads = f"; it may run {' and '.join(lent)} here{agent.borrows_where}" if lent else ""
            message = f"{name}: none, though there is {shown(sign)}{reads}"
            # What shows VS Code shows no Copilot.
            certain = here and not reads and not agent.called
            yield Finding("hooks", WARNING if certain else OK, message, f"linetrail init --agent {name}")


def _gaps(site: Site, mode: str, level: str) -> Iterator[Finding]:
    for event in site.agent.tool_events:
        for severity, message, advice in _gaps_of(site, event, mode):
            yield Finding("gate", severity or level, f"{site.agent.name}: {event}: {message}", advice)


def _gaps_of(site: Site, event: str, mode: str) -> Iterator[tuple[str | None, str, str]]:
    """Yield how an event may pass us by; a gap without a level of its own is as bad as the mode is strict."""
    agent, ours = site.agent, site.of(event)
    if not ours:
        yield None, "no hook of ours", _init(site)
        return
    if not any(hook.matcher in (agent.every_tool, "", None) for hook in ours):
        # What a person wrote stays.
        every = f'"matcher": "{agent.every_tool}"' if agent.every_tool else f"remove the matcher of {event}"
        advice = _init(site) if ours[0].matcher == agent.tools else every
        yield None, f"only for {ours[0].matcher!r}, other tools are not judged", advice
    if event in agent.gates:
        yield from _gaps_at_gate(site, ours[0], mode)


def _gaps_at_gate(site: Site, hook: Hook, mode: str) -> Iterator[tuple[str | None, str, str]]:
    agent, handler = site.agent, hook.handler
    if mode == BLOCK and agent.fail_closed and handler.get(agent.fail_closed[0]) != agent.fail_closed[1]:
        key, value = agent.fail_closed
        spelled = f'"{key}": {"true" if value is True else chr(34) + str(value) + chr(34)}'
        yield ERROR, f"without `{spelled}` a hook that fails stops nothing", _init(site)
    unsaid = _unsaid(site, hook, mode)
    if unsaid:
        yield WARNING, f"the command does not {unsaid}", _init(site)
    for key in _EVASIONS if agent.layout == GROUPS else ():
        if handler.get(key):
            yield None, f"with `{key}` it cannot stop every call", f"remove it from {hook.event}"
    if agent.timeout is not None:
        key, wanted = agent.timeout
        told = handler.get(key, wanted)
        seconds = _number(told)
        if seconds is None or seconds / agent.units_a_second < LEAST_TIMEOUT_SECONDS:
            said = f"{told} {'s' if agent.units_a_second == 1 else 'ms'}"
            yield None, f"after {said} the agent goes on before the hook has answered", f'"{key}": {wanted}'


def _unsaid(site: Site, hook: Hook, mode: str) -> str | None:
    """Return what a command should say, for when the payload, or the settings, cannot be read."""
    if hook.executable is None or site.is_of_user:
        return None
    if not names_event(hook.command) and not is_own(site.agent):
        return "name its event"
    # An entry that has to stay as it is names no mode.
    return f"say `--enforce {mode}`" if not site.agent.frozen and stated_floor(hook.command) != mode else None


def _failing(agent: Agent, mode: str, own: str) -> str:
    """Describe what happens to a call whose hook fails; `own` is the mode that holds for this agent."""
    if mode != BLOCK:
        return ""
    if agent.only_told and own != BLOCK:
        wanted = f"agents: {{{agent.name}: block}}"
        return f", and a refusal is only told, as it would end the run; {wanted} in {SHARED} ends it"
    # A plugin is all ours: it refuses what nobody could judge.
    if agent.fail_closed or agent.layout == PLUGIN:
        return ", and one that cannot be judged is stopped"
    return _fails(agent)


def _fails(agent: Agent) -> str:
    return f"; where the hook itself fails: {agent.marks.fails}"


def _init(site: Site) -> str:
    return f"linetrail init --agent {site.agent.name}" + (" --user" if site.is_of_user else "")


def _number(value: Any) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None
