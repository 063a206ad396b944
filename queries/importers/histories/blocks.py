"""The ways in which Cline and its forks write calls and edits: tags in a text, and blocks of SEARCH and REPLACE."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from linetrail.ledger.adapters.adapter import Table, table
from linetrail.ledger.event.signal import Edit
from linetrail.ledger.observe.hunks import Hunk
from linetrail.queries.importers.histories.calls import listed, patch_in, patched, path_of
from linetrail.queries.importers.steps import Change

TOOLS: Table = table(
    write="write_to_file",
    edit="replace_in_file apply_diff insert_content search_and_replace search_replace edit edit_file",
    patch="apply_patch",
    delete="delete_file",
    commands="execute_command",
    read="read_file list_files search_files list_code_definition_names",
    reading="codebase_search web_fetch web_search fetch_instructions access_mcp_resource",
    meta=(
        "ask_followup_question attempt_completion new_task switch_mode update_todo_list plan_mode_respond focus_chain "
        "condense summarize_task new_rule load_mcp_documentation use_subagents use_skill skill"
    ),
)
MCP = "use_mcp_tool"
_NAMES = "|".join([*TOOLS, MCP, "browser_action"])
_CALL = re.compile(rf"<({_NAMES})>(.*?)(?:</\1>|\Z)", re.DOTALL)
_OPENING = re.compile(r"<([a-z_]{1,40})>")
# A text for a file may hold any tag: it ends with the last one of its kind.
_LONG = ("content", "diff", "args")
# So many tags that are not closed make a text that holds no parameters.
_MAX_UNCLOSED = 50
_SEARCH = re.compile(r"[-<]{7,} SEARCH>?\s*")
_DIVIDER, _REPLACE = re.compile(r"={7,}\s*"), re.compile(r"[+>]{7,} REPLACE")
# Where a block belongs, as some write before what is searched.
_HINT = re.compile(r":\w+:.*|-{7,}\s*")
_FINAL = '<final_file_content path="', '">\n', "</final_file_content>"
_FAILED = re.compile(
    r"\s*(?:\[[^\]]*\] Result:\s*)?(?:The user denied|The tool execution failed|<error>|Error\b|"
    r"\{\s*\"status\":\s*\"(?:denied|error)\")|This is the (?:first|second|third) attempt|The content was reverted"
)
_CHANGED_BY_USER = "The user made the following updates to your content"
_CHECKED = 400


class Result(NamedTuple):
    """What came of a call: the whole text of the file where that is told."""

    failed: bool
    final: str | None
    user_modified: bool | None


def calls(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the calls that are written as tags, each with its parameters."""
    for name, body in _CALL.findall(text):
        given: dict[str, Any] = {}
        rest = body
        for long in _LONG:
            begin, end = rest.find(f"<{long}>"), rest.rfind(f"</{long}>")
            if 0 <= begin < end:
                given[long] = rest[begin + len(long) + 2 : end].removeprefix("\n").removesuffix("\n")
                rest = rest[:begin] + rest[end:]
        yield name, dict(_parameters(rest)) | given


def words(text: str) -> str:
    """Return what an answer says besides the calls that are written as tags."""
    return _CALL.sub("", text).strip()


def _parameters(body: str) -> Iterator[tuple[str, str]]:
    at = unclosed = 0
    while unclosed < _MAX_UNCLOSED and (opening := _OPENING.search(body, at)):
        end = body.find(f"</{opening[1]}>", opening.end())
        at = max(end, opening.end())
        unclosed += end < 0
        if end >= 0:
            yield opening[1], body[opening.end() : end].strip()


def result(told: str) -> Result:
    """Read the answer that the agent was given."""
    modified = True if _CHANGED_BY_USER in told else None
    return Result(_FAILED.match(told[:_CHECKED]) is not None, _final(told), modified)


def _final(told: str) -> str | None:
    """Return the whole text of a file that was saved; its last line is ended."""
    opening, opened, closing = _FINAL
    begin = told.find(opened, max(told.find(opening), 0))
    end = told.find(closing, begin)
    if opening not in told or not 0 <= begin < end:
        return None
    text = told[begin + len(opened) : end].removesuffix("\n")
    return text if text.endswith("\n") or not text else f"{text}\n"


def changes(name: str, given: Mapping[str, Any], came: Result) -> Iterator[Change]:
    """Yield what a call did to files; a text that the editor saved may be another than the agent wrote."""
    if name == "apply_patch":
        patch = next((given[key] for key in ("input", "patch") if isinstance(given.get(key), str)), "")
        yield from patched(patch_in(patch) or patch)
        return
    path = next((found for key in ("path", "absolutePath", "file_path") if (found := path_of(given.get(key)))), None)
    if path is None:
        return
    change = Change(path, after=came.final, user_modified=came.user_modified)
    content, diff = given.get("content"), given.get("diff")
    if name == "write_to_file" and isinstance(content, str):
        yield change._replace(after=came.final or content)
    elif name == "delete_file":
        yield change._replace(gone=True)
    elif isinstance(diff, str):
        yield change._replace(hunks=tuple(_blocks(diff)))
    elif name == "insert_content" and isinstance(content, str):
        yield change._replace(hunks=(_inserted(content, given.get("line")),))
    elif name in TOOLS and TOOLS[name].operation == "edit":
        yield change._replace(edits=tuple(_edits(given)))


def _blocks(diff: str) -> Iterator[Hunk]:
    old: list[str] | None = None
    new: list[str] | None = None
    for line in diff.replace("\r\n", "\n").split("\n"):
        if new is not None and old is not None and _REPLACE.match(line):
            yield Hunk(tuple(old), tuple(new))
            old = new = None
        elif new is not None:
            new.append(line)
        elif old is None:
            old = [] if _SEARCH.fullmatch(line) else None
        elif _DIVIDER.fullmatch(line):
            new = []
        elif old or not _HINT.fullmatch(line):
            old.append(line)


def _inserted(content: str, line: Any) -> Hunk:
    number = int(line) if isinstance(line, int) or (isinstance(line, str) and line.isdecimal()) else 0
    return Hunk((), tuple(content.removesuffix("\n").split("\n")), start=number - 1 if number > 0 else None)


def _edits(given: Mapping[str, Any]) -> Iterator[Edit]:
    if str(given.get("use_regex", "")).lower() == "true":
        return
    for one in listed(given.get("operations")) or [given]:
        old, new = one.get("old_string", one.get("search")), one.get("new_string", one.get("replace"))
        every = "search" in given or given.get("replace_all") is True
        if isinstance(old, str) and isinstance(new, str):
            yield Edit(old, new, every)
