"""Notice that what the gate goes by was changed while a call ran: settings, hooks, the intent it was judged under.

What an event explains is nobody's violation: another session may complete its intent meanwhile, and the agent itself
writes permissions into its own settings.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from linetrail.ledger.event.signal import Signal
from linetrail.ledger.files import open_file
from linetrail.ledger.gate.gate import Held
from linetrail.ledger.gate.policy import LOCAL, SHARED, pin, stricter
from linetrail.ledger.hook.situation import Scene
from linetrail.ledger.intents import selection
from linetrail.ledger.intents.registry_file import FILE
from linetrail.ledger.repository import FOLDER

# Relative to the worktree.
SETTINGS = (
    *(os.path.join(FOLDER, name) for name in (SHARED, LOCAL, ".intentignore")),
    ".amp/plugins/linetrail.ts",
    ".clinerules/hooks/PreToolUse",
    ".codex/hooks.json",
    ".cursor/hooks.json",
    ".devin/hooks.v1.json",
    ".github/hooks/linetrail.json",
    ".kiro/agents/linetrail.json",
    ".opencode/plugins/linetrail.ts",
    ".windsurf/hooks.json",
)
# Settings of agents that hold more than hooks.
HOOKS = (
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".continue/settings.json",
    ".factory/settings.json",
    ".gemini/settings.json",
)
# What in an agent's own settings says whether hooks run, and how.
_OURS = ("hooks", "hooksConfig", "disableAllHooks", "allowManagedHooksOnly", "env")


def before(scene: Scene, held: Held) -> dict[str, Any]:
    """Return what a call depends on, to be kept until it has ended."""
    scope = list(held.intent.scope) if held.intent else None
    return {"files": _files(scene), "mode": scene.policy.mode, "intent_id": held.selected, "scope": scope}


def changes(scene: Scene, signal: Signal, known: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Yield what has changed since, as a sentence and a path; a mode that was weakened holds on."""
    if not known:
        return
    now = _files(scene)
    for path in sorted({*known["files"], *now}):
        if known["files"].get(path) != now.get(path):
            yield f"{path} changed", path
    if stricter(known["mode"], scene.policy.mode) != scene.policy.mode:
        scene.afterwards.append(lambda _: pin(scene.repository, known["mode"]))
    registry = os.path.join(FOLDER, FILE)
    intent = scene.policy.intent(known["intent_id"])
    if scene.found:
        yield f"{registry} changed", registry
    elif intent is not None and known["scope"] is not None and set(intent.scope) - set(known["scope"]):
        yield f"the scope of {intent.id} was widened", registry
    selected = selection.read(scene.repository, signal.session_id)
    if selected is not None and selected != known["intent_id"]:
        yield f"{selected} was selected in this session", None


def is_settled(path: str, known: Mapping[str, Any], scene: Scene) -> bool:
    """Tell whether a settings file of the agent changed in nothing that concerns the gate."""
    return path in HOOKS and bool(known) and known["files"].get(path) == _files(scene).get(path)


def _files(scene: Scene) -> dict[str, str]:
    """Name each file by what in it concerns the gate; one that is not there is left out."""
    contents = {path: _read(os.path.join(scene.repository.root, path)) for path in (*SETTINGS, *HOOKS)}
    told = {path: _ours(content or b"{}") if path in HOOKS else content for path, content in contents.items()}
    return {path: hashlib.sha256(content).hexdigest() for path, content in told.items() if content is not None}


def _ours(content: bytes) -> bytes:
    """Return the part of an agent's settings that is about hooks; all of it where it cannot be read."""
    try:
        document = json.loads(content)
        return json.dumps({key: document.get(key) for key in _OURS}, sort_keys=True).encode()
    except (ValueError, AttributeError, RecursionError):
        return content


def _read(path: str) -> bytes | None:
    try:
        with open_file(path) as file:
            return file.read()
    except OSError:
        return None
