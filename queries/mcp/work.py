"""The tools that stand for commands of several agents at work: same arguments, and what `--json` answers."""

import json
from typing import Any

from linetrail.ledger.gate.inputs import command_line
from linetrail.ledger.intents.changes import Author
from linetrail.queries.command_line import answer
from linetrail.queries.mcp.answers import MAX_ANSWER, Call, compact, fitting
from linetrail.queries.mcp.caller import caller
from linetrail.queries.mcp.tools import NAME
from linetrail.queries.record.author import acting_for
from linetrail.queries.render.text import document


def command(call: Call) -> dict[str, Any]:
    """Run the command that a tool stands for, for the session that calls, and return its JSON document."""
    _, *words = command_line(f"mcp__{NAME}__{call.tool}", call.arguments) or [NAME]
    who = caller(call.repository, call.client, call.tool, call.arguments)
    with acting_for(Author("ai", who.agent, who.session_id)):
        found = answer(["-C", call.repository.root, *words])
    told: dict[str, Any] = json.loads(document(found.table, found.meta))
    rows = told["rows"]
    told["rows"] = fitting(rows, MAX_ANSWER - len(compact(told["meta"]).encode()))
    return told if len(told["rows"]) == len(rows) else told | {"more": True}
