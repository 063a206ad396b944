"""Tell an agent that its call was refused: what, why, who else is concerned, and what to do."""

import json
import os
from collections.abc import Iterator, Sequence

from linetrail.ledger.event.signal import UNKNOWN, Answer, Tool
from linetrail.ledger.gate.gate import Held, Judgement
from linetrail.ledger.gate.refusals import Refusal, message
from linetrail.ledger.gate.settings import WARN
from linetrail.ledger.hook.situation import Situation


def answers(
    situation: Situation, tool: Tool, held: Held, judgement: Judgement, owners: Sequence[str], asked: str
) -> Iterator[Answer]:
    """Tell the agent what was refused, or would be; `asked` is the intent that the call was about."""
    path, verdict = next(iter(judgement.paths), ""), judgement.verdict if judgement.enforced else WARN
    refusal = _refusal(situation, tool, held, judgement, owners)
    text = message(refusal, tool=tool.name, path=situation.tellable(path), asked=asked, verdict=verdict)
    if judgement.enforced:
        yield Answer(judgement.verdict, text)
    elif judgement.mode == WARN:
        yield Answer(context=text)


def _refusal(situation: Situation, tool: Tool, held: Held, judgement: Judgement, owners: Sequence[str]) -> Refusal:
    return Refusal(
        judgement.code,
        judgement.reason,
        attempted(situation, tool),
        held.selected,
        held.intent.scope if held.intent else (),
        held.policy.offer(),
        owners,
        judgement.approval_id,
        _stated(situation, tool, judgement),
        situation.policy.role,
        _holder_of(held, judgement),
    )


def _holder_of(held: Held, judgement: Judgement) -> dict[str, str] | None:
    """Return who has the file that a call was refused for."""
    lease = held.leased.get(next(iter(judgement.paths), "")) if judgement.code == "LEASE_HELD" else None
    if lease is None:
        return None
    where = os.path.basename(lease.worktree)
    return {"session_id": lease.session_id, "intent_id": lease.intent_id, "worktree": where}


def _stated(situation: Situation, tool: Tool, judgement: Judgement) -> str | None:
    """Return the command that a person could state to only read; None where that would not help."""
    if tool.operation != "shell" or judgement.code not in ("DANGEROUS_COMMAND", "NO_INTENT", "OUT_OF_SCOPE"):
        return None
    from linetrail.ledger.shell.commands import stated

    command = stated(tool.command or "")
    return command if command is not None and situation.tellable(command) == command else None


def attempted(situation: Situation, tool: Tool) -> str:
    """Return in a few words what an agent tried."""
    named = ", ".join(path for path, _ in tool.targets[:3])
    given = json.dumps(tool.input, ensure_ascii=False) if tool.kind == UNKNOWN else ""
    what = tool.command if tool.command is not None else named or given
    return situation.redactor.excerpt(f"{tool.name} {what}".strip())
