"""Name the calls of agents that give them no ids, so that what was asked for finds how it ended.

The name is derived from where the call was first heard of; what is on its way is kept by session and by what it does.
Of equal calls the youngest ends first: an older one may have been refused, and never ends.
"""

import hashlib
import json

from linetrail.ledger.event.drafts import input_digest
from linetrail.ledger.event.signal import Signal, Tool
from linetrail.ledger.hook import deliveries
from linetrail.ledger.hook.deliveries import Delivery
from linetrail.ledger.repository import Repository

# Of equal calls on their way, those that are remembered.
MAX_OPEN = 20


def identified(repository: Repository, signal: Signal, delivery: Delivery) -> Signal:
    """Return the signal with an id for its call; one that has an id, and one of no call, as it is."""
    tool = signal.tool
    if tool is None or tool.call_id is not None or signal.kind not in ("pre_tool", "post_tool", "tool_failure"):
        return signal
    about = signal.session_id or "", signal.agent_id or "", _what(tool)
    known = deliveries.recall(repository, "open", *about)
    told, last = known.get("calls"), known.get("last")
    waiting = told if isinstance(told, list) else []
    is_start = signal.kind == "pre_tool"
    # Behind its end, the same call may start again at once, and is no echo.
    if isinstance(last, list) and len(last) == 2 and last[0] != is_start:
        deliveries.forget(repository, str(last[1]))
    call_id = f"derived-{hashlib.sha256(f'{delivery.key}{delivery.now_ns}'.encode()).hexdigest()[:24]}"
    if is_start:
        others = [call for call in waiting if call != call_id]
        rest = [*others[1 - MAX_OPEN :], call_id]
    else:
        rest, call_id = (waiting[:-1], waiting[-1]) if waiting else ([], call_id)
    deliveries.remember(repository, "open", *about, calls=rest, last=[is_start, delivery.key])
    return signal._replace(tool=tool._replace(call_id=call_id))


def _what(tool: Tool) -> str:
    """Say what a call does in words that are the same before and after it."""
    what = tool.command if tool.operation == "shell" else sorted(path for path, _ in tool.targets)
    return json.dumps([tool.operation, what or input_digest(tool)])
