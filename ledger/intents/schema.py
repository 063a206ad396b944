"""The published shape of ``active_intents.yaml``: what an editor checks while a person types.

Both documented spellings of each key, and both vocabularies of the status. registry.py reads the file without this;
a property test proves that the two agree on what is well formed.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, SkipValidation, model_validator

from linetrail.ledger.constraints import rules
from linetrail.ledger.intents import criteria
from linetrail.ledger.intents.registry import FIELDS, LISTS, MAX_ID, ROOTS
from linetrail.ledger.intents.rules import ID, moment
from linetrail.ledger.paths import globs

URL = "https://json-schema.org/draft/2020-12/schema"


def _is_time(text: Any) -> Any:
    if isinstance(text, str) and moment(text) is None:
        raise ValueError("no time as 2026-01-05T09:00:00Z")
    return text


def _is_glob(text: Any) -> Any:
    found = globs.problem(text)
    if found is not None and found[0] != globs.ABSOLUTE_PATH:
        raise ValueError(found[1])
    return text


def _listed(value: Any) -> Any:
    return [] if value is None else value


def _named(field: str) -> Any:
    return AliasChoices(*FIELDS[field])


Time = Annotated[str, BeforeValidator(_is_time), Field(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}")]
Pattern = Annotated[str, BeforeValidator(_is_glob)]
IntentId = Annotated[str, Field(pattern=f"^{ID.pattern}$", max_length=MAX_ID)]
Reference = Annotated[str, Field(description="The id of another intent.")]


class Shape(BaseModel):
    """Other keys are kept, and nothing follows from them."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True, use_attribute_docstrings=True)


class Constraint(Shape):
    """A constraint that is checked on what an agent changes."""

    # An editor is told the types; whether a rule can be checked is for rules.py alone to say.

    type: Literal["library_version", "library", "code_pattern", "file_size"]
    """What is checked: the version of a library, what lines hold, or how long a file is."""
    library: SkipValidation[str | None] = None
    """Of `library_version`: its name in the manifest."""
    min_version: SkipValidation[str | int | None] = None
    max_version: SkipValidation[str | int | None] = None
    exact: SkipValidation[str | int | None] = None
    pattern: SkipValidation[str | list[str] | None] = None
    """Of `code_pattern`: what must not be there, in words."""
    forbid: SkipValidation[str | list[str] | None] = None
    """Of `code_pattern`: text that no changed line may hold; * is anything on the line."""
    require: SkipValidation[str | list[str] | None] = None
    max_lines: SkipValidation[int | None] = None
    """Of `file_size`."""
    max_bytes: SkipValidation[int | None] = None
    scope: SkipValidation[str | list[str] | None] = None
    """The files that it is about."""
    enforce: SkipValidation[Literal["warn", "deny"] | None] = None
    """Whether a change that breaks it is refused."""

    @model_validator(mode="before")
    @classmethod
    def _can_be_checked(cls, data: Any) -> Any:
        for problem in rules.problems(data):
            raise ValueError(problem)
        return data


class Criterion(Shape):
    """An acceptance criterion that a command decides."""

    run: str
    """The command, run by the shell at the root of the worktree; it ends with 0 where the criterion is met."""
    text: str | None = None
    """What has to be so, in words."""
    seconds: SkipValidation[int | None] = None
    """How long it may take; 600 where nothing is said."""

    @model_validator(mode="before")
    @classmethod
    def _can_be_run(cls, data: Any) -> Any:
        for problem in criteria.problems(data) if isinstance(data, Mapping) else ():
            raise ValueError(problem)
        return data


class Intent(Shape):
    """One piece of work, and the files that are its own."""

    id: IntentId
    """INT- and three digits or more."""
    name: str | None = None
    """What it is about, in a few words."""
    description: str | None = None
    """What it is about, in full."""
    status: Literal["DRAFT", "IN_PROGRESS", "DONE", "BLOCKED", "ABORTED", "PENDING", "COMPLETED"]
    """How far it is; PENDING is DRAFT, COMPLETED is DONE."""
    owner: str | None = None
    """Whose it is."""
    priority: Literal["LOW", "MEDIUM", "HIGH", "CRITICAL"] | None = None
    """How urgent it is."""
    created_at: Annotated[Time | None, Field(validation_alias=_named("created_at"))] = None
    """When it was written down, as 2026-01-05T09:00:00Z."""
    updated_at: Annotated[Time | None, Field(validation_alias=_named("updated_at"))] = None
    """When it was changed last."""
    owned_scope: Annotated[list[Pattern], Field(min_length=1, validation_alias=_named("owned_scope"))]
    """Patterns of the files that may be written for it; ** is any number of folders."""
    constraints: Annotated[list[str | Constraint], BeforeValidator(_listed)] = []
    """What has to stay true: in words, or so that it can be checked."""
    acceptance_criteria: Annotated[
        list[str | Criterion], BeforeValidator(_listed), Field(validation_alias=_named("acceptance_criteria"))
    ] = []
    """What has to be so when it is done: in words, or decided by a command."""
    dependencies: Annotated[list[Reference], BeforeValidator(_listed)] = []
    """Intents that have to be done first."""
    parent_intent: Annotated[str | None, Field(validation_alias=_named("parent_intent"))] = None
    """The intent that it is a part of."""
    references: Annotated[list[str], BeforeValidator(_listed)] = []
    """What to read about it."""
    blocked_reason: Annotated[str | None, Field(validation_alias=_named("blocked_reason"))] = None
    """What it waits for, where it is BLOCKED."""
    forked_from: Annotated[str | None, Field(validation_alias=_named("forked_from"))] = None
    """The intent that it was split off."""
    merged_into: Annotated[str | None, Field(validation_alias=_named("merged_into"))] = None
    """The intent that goes on with it."""
    approval: Literal["none", "destructive", "all"] | None = None
    """What of it a person approves though it is in scope: nothing, what runs or deletes, or each change."""
    metadata: Any = None
    """Whatever else belongs to it."""

    @model_validator(mode="before")
    @classmethod
    def _in_one_spelling(cls, data: Any) -> Any:
        for spellings in FIELDS.values():
            if isinstance(data, Mapping) and sum(spelling in data for spelling in spellings) > 1:
                raise ValueError(f"{' and '.join(spellings)} are the same; keep one")
        return data


class Registry(Shape):
    """The intents of a repository."""

    active_intents: Annotated[list[Intent], Field(validation_alias=AliasChoices(*ROOTS))]

    @model_validator(mode="before")
    @classmethod
    def _in_one_spelling(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and all(root in data for root in ROOTS):
            raise ValueError(f"{' and '.join(ROOTS)} are the same; keep one")
        return data

    @model_validator(mode="after")
    def _each_once(self) -> "Registry":
        if len({intent.id for intent in self.active_intents}) != len(self.active_intents):
            raise ValueError("two intents have the same id")
        return self


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema for editors: each key in all its spellings."""
    schema = Registry.model_json_schema(by_alias=False)
    intent = schema["$defs"]["Intent"]
    for field, spellings in FIELDS.items():
        if field in LISTS and field != "owned_scope":
            described = intent["properties"][field]
            intent["properties"][field] = {"anyOf": [described, {"type": "null"}]}
        for spelling in spellings[1:]:
            intent["properties"][spelling] = intent["properties"][field]
    scope = intent["required"].pop(intent["required"].index("owned_scope"))
    intent["oneOf"] = [{"required": [spelling]} for spelling in FIELDS[scope]]
    schema["properties"][ROOTS[1]] = schema["properties"][ROOTS[0]]
    del schema["required"]
    schema["oneOf"] = [{"required": [root]} for root in ROOTS]
    return {"$schema": URL, **schema, "title": "active_intents.yaml"}
