"""What each tool needs to be told before anything is read out of it: the input schemas, as data.

A field with two spellings, or of another kind, would be read one way by the gate and another by the tool. Fields that
are not listed are nobody's business here. A tool that is not listed has no schema.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from linetrail.ledger.adapters.adapter import COMMANDS, own_tool

Kind = Literal["text", "flag", "number", "texts", "objects"]

MAX_PATH = 4096
MAX_ID = 256
MAX_WORDS = 100_000
MAX_COMMAND = 1024 * 1024
MAX_CONTENT = 64 * 1024 * 1024
MAX_ITEMS = 10_000
# What a number may be written with where it comes as text.
_DIGITS = frozenset("-.0123456789")


class Field(NamedTuple):
    """One argument. `limit` counts the characters of each text; `also` are other names that some tools give it.

    `operand`: the command that the tool stands for takes it without a name, so it must not look like an option.
    """

    name: str
    kind: Kind = "text"
    limit: int = MAX_CONTENT
    required: bool = False
    also: tuple[str, ...] = ()
    # of each object in a list
    fields: tuple["Field", ...] = ()
    operand: bool = False


_PATHS = ("file_path", "notebook_path", "path")
_FILE = Field("file_path", limit=MAX_PATH, required=True, also=_PATHS)
# Other agents have tools of the same names that spell their arguments otherwise.
_REPLACEMENT = (
    Field("old_string", required=True, also=("old_str", "old_text")),
    Field("new_string", required=True, also=("new_str", "new_text")),
    Field("replace_all", "flag", also=("change_all",)),
)
_SHELL = (
    Field("command", limit=MAX_COMMAND, required=True, also=("cmd",)),
    Field("description", limit=MAX_WORDS),
    Field("timeout", "number"),
    Field("run_in_background", "flag"),
)
_AGENT = (
    Field("prompt", limit=MAX_CONTENT, required=True),
    Field("description", limit=MAX_WORDS),
    Field("subagent_type", limit=MAX_ID),
)
_INTENT = Field("intent_id", limit=MAX_ID, required=True)
_HANDLE = Field("session_handle", limit=MAX_ID)
_WORK = Field("intent_id", limit=MAX_ID, required=True, operand=True)
_WORKS = Field("intent_ids", "texts", limit=MAX_ID, operand=True)

# tool -> its arguments; another agent's tools are further rows
TOOLS: dict[str, tuple[Field, ...]] = {
    "Write": (_FILE, Field("content", required=True, also=("contents", "file_text"))),
    "Edit": (_FILE, *_REPLACEMENT),
    "MultiEdit": (_FILE, Field("edits", "objects", required=True, also=("changes",), fields=_REPLACEMENT)),
    "NotebookEdit": (
        Field("notebook_path", limit=MAX_PATH, required=True, also=_PATHS),
        Field("new_source"),
        Field("cell_id", limit=MAX_ID),
        Field("cell_type", limit=MAX_ID),
        Field("edit_mode", limit=MAX_ID),
    ),
    "Bash": _SHELL,
    "PowerShell": _SHELL,
    "Read": (_FILE, Field("offset", "number"), Field("limit", "number")),
    "Agent": _AGENT,
    "Task": _AGENT,
    "TodoWrite": (
        Field(
            "todos",
            "objects",
            required=True,
            fields=(Field("content", limit=MAX_WORDS, required=True), Field("status", limit=MAX_ID)),
        ),
    ),
}
# Those of our own server.
OURS: dict[str, tuple[Field, ...]] = {
    "select_active_intent": (
        _INTENT,
        Field("reasoning", limit=MAX_WORDS),
        Field("expected_mutations", "texts", limit=MAX_PATH),
        Field("switch", "flag"),
        _HANDLE,
    ),
    "complete_intent": (
        _INTENT,
        Field("verification_notes", limit=MAX_WORDS),
        Field("summary", limit=MAX_WORDS),
        _HANDLE,
    ),
    "get_active_intent": (_HANDLE,),
    "get_intent_context": (_INTENT,),
    "list_active_intents": (Field("status_filter", limit=MAX_ID),),
    "clear_active_intent": (_HANDLE, Field("reason", limit=MAX_WORDS)),
    "record_decision": (
        Field("title", limit=MAX_WORDS, required=True),
        Field("rationale", limit=MAX_WORDS),
        Field("alternatives", "texts", limit=MAX_WORDS),
        Field("lines", "texts", limit=MAX_PATH),
        Field("supersedes", limit=MAX_ID),
        _HANDLE,
    ),
    "record_lesson": (
        Field("text", limit=MAX_WORDS, required=True),
        Field("resolution", limit=MAX_WORDS),
        Field("pattern", limit=MAX_WORDS),
        Field("path", limit=MAX_PATH),
        _HANDLE,
    ),
    "query_traces": (
        Field("path", limit=MAX_PATH),
        Field("intent_id", limit=MAX_ID),
        Field("session", limit=MAX_ID),
        Field("type", limit=MAX_ID),
        Field("since", limit=MAX_ID),
        Field("limit", "number"),
    ),
    "why": (Field("place", limit=MAX_PATH, required=True),),
    "what_changed_since": (_HANDLE,),
    "plan_intents": (
        _WORKS,
        Field("risk", "number"),
        Field("scope_only", "flag"),
        Field("definitions", "flag"),
        Field("suggest", "flag"),
        Field("parts", "number"),
    ),
    "start_intent": (
        _WORK,
        Field("role", limit=MAX_ID),
        Field("agent", limit=MAX_ID),
        Field("seconds", "number"),
        Field("command", "texts", limit=MAX_WORDS),
        _HANDLE,
    ),
    "who_is_working": (Field("stalled_after", "number"),),
    "give_back": (_WORK, Field("abandon", "flag"), Field("reason", limit=MAX_WORDS), _HANDLE),
    "land_intents": (
        _WORKS,
        Field("check", limit=MAX_WORDS),
        Field("seconds", "number"),
        Field("accept", "flag"),
        _HANDLE,
    ),
    "arbitrate_intents": (
        Field("one", limit=MAX_ID, required=True, operand=True),
        Field("other", limit=MAX_ID, required=True, operand=True),
        Field("for", limit=MAX_ID),
        Field("why", limit=MAX_WORDS),
        _HANDLE,
    ),
}
# The argument whose words stand behind everything else.
_WORDS = "command"


def problem(tool_name: str, arguments: object) -> str | None:
    """Return what is wrong with the arguments of a call, with the remedy; None when nothing is.

    >>> problem("Write", {"file_path": ["a.py"], "content": ""})
    'Write: `file_path` must be text, and is a list'
    >>> problem("mcp__linetrail__complete_intent", {})
    'complete_intent: `intent_id` is missing; call it again with `intent_id` as text'
    """
    name, fields = schema(tool_name)
    if fields is None:
        return None
    if arguments is None and not any(field.required for field in fields):
        return None
    if not isinstance(arguments, Mapping):
        return f"{name}: the arguments must be an object, and are {_kind(arguments)}"
    wrong = _object(arguments, fields, "")
    return wrong and f"{name}: {wrong}"


def command_line(tool_name: str, arguments: Mapping[str, Any]) -> list[str] | None:
    """Return the command line that one of our tools stands for; None for any other.

    >>> command_line("mcp__linetrail__land_intents", {"intent_ids": ["INT-001"], "check": "make test"})
    ['linetrail', 'land', '--check=make test', 'INT-001']
    """
    tool = own_tool(tool_name)
    if tool is None or tool not in COMMANDS:
        return None
    given = {_folded(key): value for key, value in arguments.items()}
    options, operands, behind = [], [], []
    for field in OURS[tool]:
        value = given.get(_folded(field.name))
        if value is None or field is _HANDLE:
            continue
        if field.operand:
            operands += _texts(value)
        elif field.name == _WORDS:
            behind += ["--", *_texts(value)]
        elif field.kind != "flag":
            number = int(value) if isinstance(value, float) and value.is_integer() else value
            options.append(f"--{field.name.replace('_', '-')}={number}")
        elif value in (True, "true"):
            options.append(f"--{field.name.replace('_', '-')}")
    return ["linetrail", COMMANDS[tool], *options, *operands, *behind]


def _texts(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list | tuple) else [str(value)]


def schema(tool_name: str) -> tuple[str, tuple[Field, ...] | None]:
    """Return the name that a tool has in the tables, and its arguments; None when it is in none."""
    if tool_name in TOOLS:
        return tool_name, TOOLS[tool_name]
    # A tool of any server that is called like one of ours may be one, under a name that somebody gave the server.
    named = tool_name.rpartition("__")[2] if tool_name.startswith("mcp__") else tool_name
    bare = own_tool(tool_name) or named
    return bare, OURS.get(bare)


def _object(given: Mapping[Any, Any], fields: tuple[Field, ...], where: str) -> str | None:
    spellings: dict[str, list[str]] = {}
    for key in given:
        if isinstance(key, str):
            spellings.setdefault(_folded(key), []).append(key)
    for field in fields:
        wrong = _field(given, field, spellings, where)
        if wrong is not None:
            return wrong
    return None


def _field(given: Mapping[Any, Any], field: Field, spellings: Mapping[str, list[str]], where: str) -> str | None:
    names = dict.fromkeys(map(_folded, (field.name, *field.also)))
    spelled = [key for name in names for key in spellings.get(name, ())]
    if len(spelled) > 1:
        return f"{_list(spelled, where)} name the same thing; give `{where}{field.name}` alone"
    value = given[spelled[0]] if spelled else None
    if value is None:
        missing = f"`{where}{field.name}` is missing; call it again with `{where}{field.name}` as {_NAMES[field.kind]}"
        return missing if field.required else None
    return _value(value, field, f"{where}{spelled[0]}")


def _value(value: object, field: Field, name: str) -> str | None:
    if not _fits(value, field.kind):
        return f"`{_shown(name)}` must be {_NAMES[field.kind]}, and is {_kind(value)}"
    if isinstance(value, str) and len(value) > field.limit:
        return f"`{_shown(name)}` has {len(value):,} characters, {field.limit:,} are allowed"
    if field.operand and isinstance(value, str) and value.startswith("-"):
        return f"`{_shown(name)}` is `{_shown(value)}`, which would be read as an option"
    return _items(value, field, name) if isinstance(value, list | tuple) else None


def _items(items: list[Any] | tuple[Any, ...], field: Field, name: str) -> str | None:
    if len(items) > MAX_ITEMS:
        return f"`{_shown(name)}` has {len(items):,} items, {MAX_ITEMS:,} are allowed"
    for at, item in enumerate(items):
        if field.kind == "texts":
            wrong = _value(item, field._replace(kind="text"), f"{name}[{at}]")
        elif isinstance(item, Mapping):
            wrong = _object(item, field.fields, f"{name}[{at}].")
        else:
            wrong = f"`{_shown(name)}[{at}]` must be an object, and is {_kind(item)}"
        if wrong is not None:
            return wrong
    return None


def _fits(value: object, kind: Kind) -> bool:
    if kind == "text":
        return isinstance(value, str)
    if kind == "flag":
        # Models write them as text, and the tools read them so.
        return isinstance(value, bool) or value in ("true", "false")
    if kind == "number":
        return (isinstance(value, int | float) and not isinstance(value, bool)) or (
            isinstance(value, str) and 0 < len(value) < MAX_ID and _DIGITS.issuperset(value)
        )
    return isinstance(value, list | tuple)


def _folded(key: str) -> str:
    return key.replace("_", "").replace("-", "").lower()


def _list(keys: list[str], where: str) -> str:
    return " and ".join(f"`{where}{_shown(key)}`" for key in keys[:3])


def _shown(name: str) -> str:
    """Return a name that somebody else chose, short and without what steers a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in name[:80])


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "something else")


_NAMES: dict[Kind, str] = {
    "text": "text",
    "flag": "true or false",
    "number": "a number",
    "texts": "a list of texts",
    "objects": "a list of objects",
}
_KINDS: dict[type, str] = {
    type(None): "missing",
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    tuple: "a list",
    dict: "an object",
}
