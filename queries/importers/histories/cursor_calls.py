"""Calls of tools in the rows of Cursor's database: their arguments and results are JSON inside strings."""

from collections.abc import Iterator, Mapping
from typing import Any

from linetrail.ledger.adapters.adapter import MCP_TOOL, UNKNOWN_TOOL, part, table, tool
from linetrail.ledger.event.signal import Edit, Signal
from linetrail.ledger.observe import hunks
from linetrail.queries.importers.histories.calls import (
    ended,
    listed,
    mapping,
    name_of,
    patch_in,
    patched,
    path_of,
    texts,
)
from linetrail.queries.importers.steps import Change, Step, Talk
from linetrail.queries.importers.transcript import Counts

TOOLS = table(
    write="write write_file create_file Write",
    edit="edit_file edit_file_v2 search_replace reapply edit_notebook StrReplace",
    patch="apply_patch ApplyPatch",
    delete="delete_file Delete",
    commands="run_terminal_cmd run_terminal_command run_terminal_command_v2 Shell",
    read="read_file read_file_v2 list_dir list_dir_v2 Read",
    reading=(
        "codebase_search semantic_search_full grep grep_search ripgrep_search ripgrep_raw_search file_search "
        "glob_file_search web_search fetch_pull_request read_lints search_symbols go_to_definition fetch_rules "
        "Grep Glob LS SemanticSearch WebSearch WebFetch ReadLints"
    ),
    meta="todo_write todo_read task task_v2 create_plan ask_question switch_mode update_memory Task TodoWrite",
)
_PATHS = ("relativeWorkspacePath", "targetFile", "target_file", "file_path", "path")
_CONTENTS = ("streamingContent", "contents", "content")
_FAILED = frozenset({"error", "cancelled", "rejected", "failed"})


def steps(talk: Talk, bubble_id: str, record: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
    """Yield the call of a bubble, and how it ended."""
    call = mapping(record.get("toolFormerData"))
    name, told = name_of(call.get("name")), call.get("toolCallId")
    if name is None:
        return
    # the name that the model gave it stands first, behind it sometimes another
    call_id = name_of(told.split("\n")[0] if isinstance(told, str) else None) or bubble_id
    given = {**part(call, "params"), **part(call, "rawArgs")}
    signal = asked(talk, call_id, name, given)
    yield Step(time, talk, call_id, signal)
    status, result = name_of(call.get("status")), part(call, "result")
    if status in _FAILED:
        error = texts(call.get("error")) or str(status)
        yield Step(time, talk, call_id, ended(signal, error=error[:4000]))
    elif status == "completed" or result:
        review = mapping(mapping(call.get("additionalData")).get("reviewData"))
        if review.get("selectedOption") == "reject":
            counts.skip("edit that a person rejected")
            made: tuple[Change, ...] = ()
        else:
            made = tuple(changes(name, given, result, record))
        output, code = call.get("result"), result.get("exitCode")
        yield Step(time, talk, call_id, ended(signal, output=output, exit_code=code), made)


def asked(talk: Talk, call_id: str, name: str, given: dict[str, Any]) -> Signal:
    """Return the signal of a call, as a hook would have given it."""
    does = MCP_TOOL if name.startswith(("mcp", "call_mcp", "MCP:")) else TOOLS.get(name, UNKNOWN_TOOL)
    path = _path(given)
    made = tool(name, does, given, call_id=call_id, command=given.get("command"), named=[path] if path else [])
    return Signal(
        "pre_tool", "tool", talk.session_id, talk.cwd, model_id=talk.model_id, prompt_id=talk.prompt_id, tool=made
    )


def changes(
    name: str, given: Mapping[str, Any], result: Mapping[str, Any], record: Mapping[str, Any]
) -> Iterator[Change]:
    """Yield what a call did to files: the whole texts where they were kept, else what it was asked to do."""
    does, path = TOOLS.get(name, UNKNOWN_TOOL), _path(given)
    if does.patches:
        for text in given.values():
            yield from patched(patch_in(text)) if isinstance(text, str) else ()
    elif path is not None and does.operation in ("write", "edit", "delete"):
        yield _change(path, does.operation, given, result, record)


def _change(
    path: str, operation: str, given: Mapping[str, Any], result: Mapping[str, Any], record: Mapping[str, Any]
) -> Change:
    before, after = record.get("before"), record.get("after")
    before = before if isinstance(before, str) else None
    if operation == "delete":
        return Change(path, before, gone=True)
    if isinstance(after, str):
        # no file has the same text here as an empty one
        return Change(path, before or None, after, new=before == "")
    old, new = given.get("old_string"), given.get("new_string")
    if isinstance(old, str) and isinstance(new, str):
        return Change(path, edits=(Edit(old, new, given.get("replace_all") is True),))
    chunks = listed(mapping(result.get("diff")).get("chunks"))
    if chunks:
        return Change(path, hunks=tuple(hunk for chunk in chunks for hunk in _hunks(chunk)))
    content = next((given[key] for key in _CONTENTS if isinstance(given.get(key), str)), None)
    return Change(path, after=content)


def _hunks(chunk: Mapping[str, Any]) -> tuple[hunks.Hunk, ...]:
    diff, start = chunk.get("diffString"), chunk.get("oldStart")
    if not isinstance(diff, str) or type(start) is not int or start < 0:
        return ()
    body = diff.split("\n", 1)[1] if diff.startswith("@@") and "\n" in diff else diff
    return hunks.unified(f"@@ -{start} +{start} @@\n{body}")


def _path(given: Mapping[str, Any]) -> str | None:
    return next((path for key in _PATHS if (path := path_of(given.get(key)))), None)
