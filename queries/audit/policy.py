r"""Read what a project makes of the rules: ``.orchestration/policy.yaml``.

A policy changes levels, turns rules off, keeps them to some paths, and lists exceptions, each with its reason, its
owner and, better, the day on which it ends. What is not known is an error with its line: a setting that is silently
ignored is one that somebody relies on. Paths are globs as in the scope of an intent.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cached_property
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from linetrail.ledger.errors import LinetrailError, UsageError
from linetrail.ledger.intents.registry import MisreadError, compose, plain
from linetrail.ledger.paths import globs
from linetrail.ledger.paths.globs import Scope, compile_scope
from linetrail.ledger.repository import FOLDER
from linetrail.queries.arguments.moments import moment
from linetrail.queries.audit import rulebook
from linetrail.queries.audit.finding import Finding

URL = "https://json-schema.org/draft/2020-12/schema"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


class PolicyError(LinetrailError):
    """A policy that cannot be read, or says what is no setting; `linetrail audit --schema` tells what there is."""

    hint = "repair the line; `linetrail audit --schema` prints what may stand there"


def _rule(name: Any) -> Any:
    try:
        return rulebook.find(name).id if isinstance(name, str) else name
    except UsageError as error:
        raise ValueError(str(error)) from None


def _glob(pattern: str) -> str:
    wrong = globs.problem(pattern)
    if wrong is not None:
        raise ValueError(f"{pattern}: {wrong[1]}")
    return pattern


def _moment(text: str) -> str:
    try:
        moment(text)
    except UsageError as error:
        raise ValueError(str(error)) from None
    return text


def _day(text: Any) -> Any:
    """Take a day alone: with a time nobody knows in which zone it ends."""
    if isinstance(text, str) and not _DAY.fullmatch(text):
        raise ValueError(f"{text!r} is no day; write it as 2026-12-31")
    return date.fromisoformat(text) if isinstance(text, str) else text


def _settings(value: Any) -> Any:
    """Read a rule's settings where one word says all of them: a level, or off."""
    if isinstance(value, str):
        return {"off": True} if value == "off" else {"level": value}
    return value


def _each_once(value: Any) -> Any:
    """Refuse a rule that is there under two names: nobody could say which of them holds."""
    if isinstance(value, dict):
        named: dict[str, str] = {}
        for name in value:
            rule = _known(name)
            if rule in named:
                raise ValueError(f"{named[rule]} and {name} are the same rule")
            named[rule] = name
    return value


def _known(name: str) -> str:
    """Return the id of a rule; what is none is told elsewhere, with its line."""
    try:
        return rulebook.find(name).id
    except UsageError:
        return name


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


RuleId = Annotated[str, BeforeValidator(_rule)]
Words = Annotated[str, Field(min_length=1, max_length=500)]
Names = Annotated[list[str], BeforeValidator(_listed, json_schema_input_type=list[str] | str)]
Glob = Annotated[str, AfterValidator(_glob)]
Level = Literal["high", "medium", "low", "info"]
Moment = Annotated[str, AfterValidator(_moment)]


class Shape(BaseModel):
    """What is written by hand: nothing else may stand there, and a key without a value says nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nothing(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {key: value for key, value in data.items() if value is not None or key not in cls.model_fields}


class Paths(Shape):
    """Which files a rule looks at."""

    include: list[Glob] = []
    """These alone; without any, all of them."""
    exclude: list[Glob] = []
    """But not these."""

    @cached_property
    def _scopes(self) -> tuple[Scope | None, Scope | None]:
        included, excluded = (
            compile_scope(patterns) if patterns else None for patterns in (self.include, self.exclude)
        )
        return included, excluded

    def wanted(self, path: str | None) -> bool:
        """Return whether a finding at a path counts; one without a path is about no file, and always does."""
        if path is None:
            return True
        included, excluded = self._scopes
        return (included is None or included.owner(path) is not None) and (
            excluded is None or excluded.owner(path) is None
        )


class Settings(Shape):
    """What holds for one rule."""

    level: Level | None = None
    """Instead of the rule's own."""
    off: bool = False
    """Do not look."""
    since: Moment | None = None
    """Only what happened from this moment on: 2026-01-05, 30d, last month."""
    paths: Paths = Paths()


RuleSettings = Annotated[Settings, BeforeValidator(_settings, json_schema_input_type=Settings | Level | Literal["off"])]


class Exempting(Shape):
    """Findings that somebody answers for. All that is named must fit; one of a list is enough."""

    rules: Annotated[
        list[RuleId], BeforeValidator(_listed, json_schema_input_type=list[str] | str), Field(min_length=1)
    ]
    """Ids or names of rules."""
    paths: Annotated[list[Glob], BeforeValidator(_listed, json_schema_input_type=list[str] | str)] = []
    intents: Names = []
    sessions: Names = []
    fingerprints: Names = []
    """Of single findings, as `linetrail audit --json` prints them."""
    reason: Words
    """Why this is right as it is."""
    owner: Words
    """Who answers for it."""
    expires: Annotated[date | None, BeforeValidator(_day, json_schema_input_type=str)] = None
    """The last day on which it holds, in UTC; from then on it is reported."""

    @model_validator(mode="after")
    def _is_bounded(self) -> "Exempting":
        if not (self.paths or self.intents or self.sessions or self.fingerprints):
            raise ValueError("an exception names paths, intents, sessions or fingerprints; `rules:` turns a rule off")
        return self

    @cached_property
    def _scope(self) -> Scope | None:
        return compile_scope(self.paths) if self.paths else None

    def expired(self, today: date) -> bool:
        """Return whether its last day is over."""
        return self.expires is not None and today > self.expires

    def covers(self, finding: Finding) -> bool:
        return (
            finding.rule.id in self.rules
            and (self._scope is None or (finding.path is not None and self._scope.owner(finding.path) is not None))
            and (not self.intents or finding.intent_id in self.intents)
            and (not self.sessions or finding.session_id in self.sessions)
            and (not self.fingerprints or finding.fingerprint in self.fingerprints)
        )


class Policy(Shape):
    """What a project makes of the rules."""

    fail_on: Literal["none", "high", "medium", "low", "info", "any"] | None = None
    """Findings of this level, or worse, end the audit with status 1."""
    since: Moment | None = None
    """Only what happened from this moment on, unless --since or a rule says otherwise."""
    rules: Annotated[dict[RuleId, RuleSettings], BeforeValidator(_each_once)] = {}
    """By id or name: a level, off, or settings."""
    exceptions: list[Exempting] = []

    def of(self, rule: rulebook.Rule) -> Settings:
        return self.rules.get(rule.id, Settings())

    def expired(self, today: date) -> Iterator[dict[str, Any]]:
        """Yield what LT000 has to say of each exception that ended."""
        for one in self.exceptions:
            if one.expired(today):
                named = {"rules": ", ".join(one.rules), "reason": one.reason, "owner": one.owner}
                anchor = "\0".join([*one.rules, *one.paths, *one.intents, *one.sessions, *one.fingerprints, one.reason])
                yield {**named, "expires": one.expires, "anchor": anchor}

    def excepted(self, finding: Finding, today: date) -> bool:
        """Return whether an exception that has not ended covers a finding."""
        return any(one.covers(finding) for one in self.exceptions if not one.expired(today))


def parse(content: bytes, name: str) -> Policy:
    """Return what the text of a policy says; `name` stands in every message, with the line."""
    try:
        root = compose(content)
        if root is not None:
            _refuse_repeated(root)
    except MisreadError as error:
        raise PolicyError(f"{name}:{error.line}: {error}") from None
    said = plain(root) if root is not None else None
    try:
        return Policy.model_validate(said if said is not None else {})
    except ValidationError as error:
        first = error.errors()[0]
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        where = ".".join(str(step) for step in first["loc"] if step != "[key]")
        message = first["msg"].removeprefix("Value error, ")
        raise PolicyError(
            f"{name}:{_line(root, first['loc'])}: {f'{where}: ' if where else ''}{message}{more}"
        ) from None


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema for editors."""
    return {"$schema": URL, **Policy.model_json_schema(), "title": f"{FOLDER}/policy.yaml"}


def _line(root: yaml.Node | None, steps: Sequence[str | int]) -> int:
    """Return the line of the value that is wrong, or of what should hold it."""
    node = root
    for step in steps:
        inner = _member(node, step)
        if inner is None:
            continue
        node = inner
    return 1 + (node.start_mark.line if node is not None and node.start_mark else 0)


def _member(node: yaml.Node | None, step: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        found: yaml.Node = node.value[step]
        return found
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if str(key.value) == str(step)), None)
    return None


def _refuse_repeated(node: yaml.Node) -> None:
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if str(key.value) in seen:
                raise MisreadError(1 + key.start_mark.line, f"{str(key.value)!r} is here twice")
            seen.add(str(key.value))
            _refuse_repeated(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_repeated(item)
