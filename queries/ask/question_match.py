"""Find the named question that answers one in plain words, and what it has to be told.

A question is taken apart into what is measured (cost, tokens, lines, changes, prompts …), by what it is summed up, and
of whom, where and when. What none of the named questions can be told is no reason to leave it out in silence: then
there is no answer, and that is said. None stands for a question that looks for rows, which `search` answers.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from linetrail.ledger.agents import AGENTS
from linetrail.queries.ask import question_files, question_vocabulary, time_spans, words
from linetrail.queries.ask.interpretation import LEAST, MOST, Known
from linetrail.queries.ask.question_files import Question

_WORD = re.compile(r"[^\s,;!?\"()\[\]{}<>`\u2018\u201c\u201d]+")
_FILE = re.compile(r"\.?[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,9}")
_NAME = re.compile(r"[A-Za-z_]\w*[a-z0-9](?:[A-Z_]\w*)+|[A-Z]\w+")
_REVISION = re.compile(r"HEAD(?:[~^]\d*)*|[0-9a-f]{7,40}")
_DEFINITIONS = frozenset({"function", "class", "method", "definition", "def"})
_CODE = re.compile(r"[A-Z]+(?:_[A-Z]+)+")
_POSSESSIVE = re.compile("['\N{RIGHT SINGLE QUOTATION MARK}]s?$")
_HUMAN, _AI = "human", "ai"
# what a question is told -> the column that says the same of its rows, where it cannot be told
_COLUMNS = {"agent": "agent_name", "model": "model_id", "intent": "intent_id", "path": "path"}
_KINDS = frozenset({"refusal", "prompt", "decision", "lesson", "approval", "thought"})
_OF_GROUPS = {
    **_COLUMNS,
    "session": "session_id",
    "person": "human_id",
    "author": "author",
    "file": "path",
    "contributor": "contributor_type",
}
# the parameters that say by what an answer is summed up
_DIMENSIONS = ("by", "dim", "cohort")


class Chosen(NamedTuple):
    """A named question with what it is told; `kept` are texts of which the columns of its rows must have one.

    `backwards`: least first; `in_time`: day after day, or month after month; `before`: only rows of what occurred
    before this moment. `others` are files of the same name.
    """

    question: Question
    told: Mapping[str, Any]
    kept: Mapping[str, Sequence[str]] = {}
    backwards: bool = False
    others: Sequence[str] = ()
    in_time: bool = False
    before: datetime | None = None


class Unanswered(NamedTuple):
    """That there is no answer, why, and what could be asked instead."""

    reason: str
    near: Sequence[str] = ()


class _Said:
    """What the words of a question say."""

    def __init__(self, question: str, now: datetime, known: Known, paths: Sequence[str]) -> None:
        time = time_spans.said(question, now)
        self.since, self.until = time.since, time.until
        text = words.phrased(time.rest)
        self.tokens: list[str] = [token.strip(":.'-") for token in _WORD.findall(text) if token.strip(":.'-/")]
        self.low = [_POSSESSIVE.sub("", token.lower()) for token in self.tokens]
        self.stems = {words.stem(word) for word in self.low}
        self.concepts = {words.concept(word) for at, word in enumerate(self.low) if not self._is_order(at)}
        # what is not only done to files: a question of refusals is none of writes
        self.kinds = {words.concept(word) for word in self.low} & _KINDS
        # that a question, all of whose words were said, has to be told more
        self.short: Unanswered | None = None
        self.used: set[int] = set()
        self.told: dict[str, Any] = {}
        self.others: list[str] = []
        self.endings: list[str] = []
        self.several: dict[str, list[str]] = {}
        self.missing: list[str] = []
        self._places(paths)
        self.compared = self._names(known)
        named = self.told.keys() & {"line", "intent", "session", "commit"}
        self.node = self._definition(question)
        named |= {"definition"} if self.node and "path" not in self.told else set()
        for kind in named:  # who names one speaks of one
            self.stems.add(words.stem(kind))
            self.concepts.add(words.concept(kind))
        self.who = {words.meanings("who").get(word) for at, word in enumerate(self.low) if at not in self.used}
        self.versus = bool(set(self.low) & set(words.vocabulary()["grouping"]["versus"]))
        part = bool(set(self.low) & set(words.vocabulary()["shapes"]["shares"])) or "much of" in " ".join(self.low)
        shares = part and bool(self.who & {_HUMAN, _AI})
        self.both = not self.compared and (self.versus or shares or self.who >= {_HUMAN, _AI})
        self.orders = {words.meanings("orders").get(word) for word in self.low} | (
            {MOST} if "top" in self.low else set()
        )
        self.groups = self._groups()
        # by what is said to be summed up, and not only asked for by `which`
        self.summed = any(self.low[at - 1] in words.vocabulary()["grouping"]["words"] for at in self.groups if at)
        self.counts = bool(set(self.low) & set(words.vocabulary()["shapes"]["counts"]))

    def _is_order(self, at: int) -> bool:
        """Return whether `last` says which one, and not that something lasts."""
        behind = self.low[at + 1 : at + 2]
        return self.low[at] == "last" and bool(behind) and behind[0] not in ("long", "longer")

    def is_degree(self, at: int) -> bool:
        """Return whether a word asks for a figure, as `good` in `how good`."""
        return at > 0 and self.low[at - 1] == "how" and self.low[at] in words.vocabulary()["shapes"]["degrees"]

    def _definition(self, question: str) -> str | None:
        """Return what is named as definitions are, or stands behind what it is: `tokens()`, `RateLimiter`."""
        for at, token in enumerate(self.tokens):
            if at and (self.low[at - 1] in _DEFINITIONS or (at not in self.used and f"{token}(" in question)):
                return token
        free = (token for at, token in enumerate(self.tokens) if at and at not in self.used)
        return next((token for token in free if _NAME.fullmatch(token) and not token.isupper()), None)

    def _places(self, paths: Sequence[str]) -> None:
        """Take paths, and folders by their names, for what they are; a file is found by the end of its path."""
        for at, token in enumerate(self.tokens):
            name, _, line = token.partition(":")
            looks = "/" in name or _FILE.fullmatch(name) is not None
            before = self.low[at - 1] if at else ""
            if not looks and not (before in ("in", "under", "below", "of") and _is_folder(name, paths)):
                continue
            found = _located(name.strip("/"), paths)
            if not looks and not found:
                continue
            self.used.add(at)
            if found:
                self.told["path"], self.others = found[0], found[1:]
            else:
                self.missing.append(name)
            if line.isdigit():
                self.told["line"] = int(line)
        self._behind(words.vocabulary()["languages"], words.meanings("code"))

    def _behind(self, languages: Mapping[str, Sequence[str]], files: Mapping[str, str]) -> None:
        """Take what one word says of the next: a commit and its id, a line and its number, a language and its files."""
        for at, word in enumerate(self.low[:-1]):
            if word in ("commit", "revision") and _REVISION.fullmatch(self.tokens[at + 1]):
                self.told["commit"] = self.tokens[at + 1]
                self.used.add(at + 1)
            if word in languages and self.low[at + 1] in files:
                self.endings += [f".{ending}" for ending in languages[word]]
                self.used.add(at)
            if word == "line" and self.low[at + 1].isdigit():
                self.told["line"] = int(self.low[at + 1])
                self.used.add(at + 1)

    def _names(self, known: Known) -> str | None:
        """Take names of agents, models, intents and sessions; part of a name stands for all that have it.

        What several were named of is returned: they are compared.
        """
        for at, low in enumerate(self.low):
            if at in self.used:
                continue
            for kind, names in (("intent", known.intents), ("session", known.sessions), ("agent", known.agents)):
                found = [name for name in names if _stands_for(low, name, kind)]
                if kind == "agent" and not any(low in name.lower() for name in known.models):
                    found = found or [name for name in AGENTS if _stands_for(low, name, kind)][:1]
                if found:
                    self._name(at, kind, found[0] if len(found) == 1 and found[0] in names else low)
                    break
            else:
                exact = [name for name in known.models if low in (name.lower(), name.lower().rpartition("/")[2])]
                family = any(low in re.split("[-/_. ]", name.lower()) for name in known.models)
                if len(low) > 1 and (
                    exact or (family and not low.isdigit()) or low in words.vocabulary()["families"]["models"]
                ):
                    self._name(at, "model", exact[0] if exact else low)
        for kind, names in self.several.items():
            if len(names) > 1:
                del self.told[kind]
                return kind
        return None

    def _name(self, at: int, kind: str, name: str) -> None:
        self.told[kind] = name
        self.several.setdefault(kind, []).append(name)
        self.used.add(at)

    def _groups(self) -> dict[int, str]:
        """Return by what is summed up, at the place of the word that says it."""
        grouping = words.vocabulary()["grouping"]
        found: dict[int, str] = {}
        for at, word in enumerate(self.low):
            name = words.meanings("groups").get(word)
            before = self.low[max(0, at - 2) : at]
            if name is None or at in self.used:
                continue
            if (before and before[-1] in grouping["words"]) or word in ("daily", "monthly"):
                found[at] = name
            elif before and before[-1] in grouping["which"] and (before[-1] != "what" or MOST in self.orders):
                found.setdefault(at, name)
        return found

    def group(self, question: str, default: str) -> str:
        """Return what the answer is summed up by, as a question calls it."""
        parameter = next(one for one in question_files.find(question).parameters if one.name in _DIMENSIONS)
        wanted = [*([self.compared] if self.compared else []), *(name for _, name in sorted(self.groups.items()))]
        wanted = [
            {"person": "contributor", "author": "agent"}.get(name, name) if name not in parameter.values else name
            for name in wanted
            if not (self.both and name == "agent")
        ]
        return next((name for name in wanted if name in parameter.values), default)

    def left(self, *tables: str) -> list[str]:
        """Return the words that nothing was made of, but for those that these tables know."""
        shapes = {*words.vocabulary()["shapes"]["counts"], *words.vocabulary()["grouping"]["words"]}
        rest = []
        for at, (token, low) in enumerate(zip(self.tokens, self.low, strict=True)):
            known = (
                self.is_degree(at)
                or words.is_idle(low)
                or words.is_idle(low, "idle")
                or low in shapes
                or any(low in words.meanings(table) for table in ("who", "orders", *tables))
            )
            if at not in self.used and at not in self.groups and not known and any(map(str.isalpha, low)):
                rest.append(token)
        return rest


def choose(question: str, now: datetime, known: Known, paths: Sequence[str]) -> Chosen | Unanswered | None:
    """Return what answers a question at a moment, with the names that a ledger has and the files of a repository."""
    said = _Said(question, now, known, paths)
    named = _of_file(said, paths) or _by_words(said, words.stem)
    if named is not None:
        return named
    if said.missing and not said.kinds and {"who", "author", "authors"} & set(said.low):
        return Unanswered(f"no file here is called {', '.join(said.missing)}")
    asked = {low for at, low in enumerate(said.low) if not said.is_degree(at)}
    never = sorted(asked & set(words.vocabulary()["shapes"]["never"]))
    shaped = bool(said.counts or said.groups or said.both or said.versus or said.orders & {MOST, LEAST})
    measure = _measure(said) or ("lines" if said.both else None)
    if never and (shaped or measure):
        return Unanswered(f"what was recorded tells nothing of {', '.join(never)}", _near(said))
    return _best(said, measure, shaped=shaped)


def _best(said: _Said, measure: str | None, *, shaped: bool) -> Chosen | Unanswered | None:
    """Return what sums up what is measured, else the question that has the same words; else say that there is none."""
    found = _measured(said, measure) if measure and (shaped or measure in ("cost", "tokens")) else None
    if isinstance(found, Chosen) and "text" not in found.told and not said.orders & {MOST, LEAST}:
        return found
    attempts = set(said.low) & set(words.vocabulary()["shapes"]["attempts"])
    grouped = isinstance(found, Chosen) and any(found.told.get(name) in said.groups.values() for name in _DIMENSIONS)
    alike = None if attempts else _by_words(said, words.concept) or (None if grouped else _by_vocabulary(said))
    if alike is not None or isinstance(found, Chosen):
        return alike or found
    if measure is None or said.short:
        return said.short or _uncounted(said)
    return found if said.counts or said.both or said.versus or said.summed else None


def _of_file(said: _Said, paths: Sequence[str]) -> Chosen | None:
    """Return the question whose lines a file is made of, where somebody asks who wrote it."""
    asks, low = words.vocabulary()["authors"], set(said.low)
    somebody = said.who & {_HUMAN, _AI} or said.told.keys() & {"agent", "model"} or said.groups or said.compared
    asked = low & set(asks["words"]) or (somebody and (low & set(asks["verbs"]) or not said.left("who")))
    folder = said.told.get("path") is not None and said.told.get("path") not in paths
    if not asked or "path" not in said.told or (folder and said.who & {_HUMAN, _AI}):
        return None
    gone = "delete" in {words.meanings("outcomes").get(word) for word in low}
    if gone or "line" in said.told or said.since or said.until or "why" in low or "what" in low:
        return None
    left = said.left("measures", "counted", "kinds", "groups")
    left = [word for word in left if word.lower() not in asks["verbs"]]
    if folder:
        found = _told("lines_by", said, {**said.told, "by": said.group("lines_by", "author")}, left)
    else:
        found = _told("file_share", said, said.told, left)
    return found if isinstance(found, Chosen) else None


def _uncounted(said: _Said) -> Unanswered | None:
    """Say that nothing here is counted so, where something was to be counted."""
    if not said.counts and not said.summed:
        return None
    rest = ", ".join(said.left()) or "that"
    return Unanswered(f"nothing that is recorded here is counted as {rest}", _near(said))


def _measured(said: _Said, measure: str) -> Chosen | Unanswered:
    """Return the question that sums up what is measured, with all that was said."""
    told = {**said.told, "since": said.since, "until": said.until}
    first = next((kind for kind in ("model", "agent", "intent") if kind in said.told), None)
    left = said.left("measures")
    if measure in ("cost", "tokens"):
        name, parameter = ("cost_by", "dim") if measure == "cost" else ("tokens_by", "by")
        told[parameter] = said.group(name, "contributor" if said.both else first or "total")
        session = told.pop("session", None)
        if session is None:
            return _told(name, said, told, left)
        found = _told(name, said, {**told, parameter: "session"}, left)
        return found._replace(kept={"dim": (str(session),)}) if isinstance(found, Chosen) else found
    if not said.both and said.who & {_HUMAN, _AI}:
        told["contributor"] = _HUMAN if _HUMAN in said.who else _AI
    if measure in ("lines", "files", "change"):
        return _of_lines(said, measure, told, first, left)
    if set(said.low) & set(words.vocabulary()["shapes"]["shares"]) and not said.groups:
        return Unanswered(f"no share of {measure}s is worked out", _near(said))
    told |= {"kind": measure, "by": said.group("count_by", "contributor" if said.both else first or "total")}
    tables = ["counted"] if measure in ("refusal", "approval") else ["counted", "outcomes"]
    tables += ["statuses"] if measure == "intent" else []
    meant = [words.meanings(table).get(word) for table in tables[1:] for word in said.low]
    told["outcome"] = next(filter(None, meant), None)
    left = [
        word
        for word in said.left()
        if not any(word.lower() in words.meanings(table) for table in (*tables, "outcomes"))
    ]
    if len(left) == 1:
        told["text"] = words.stem(left.pop())
    return _told("count_by", said, told, left)


def _of_lines(
    said: _Said, measure: str, told: dict[str, Any], first: str | None, left: Sequence[str]
) -> Chosen | Unanswered:
    """Return what counts lines, files and changes: as HEAD has them, or as they came and went where that was asked."""
    dated = (said.since is not None or said.until is not None) and not said.both
    moved = measure != "lines" or dated or any(map(_is_moving, said.low))
    name, default = ("changes_by", first or "total") if measure != "lines" else ("lines_by", first or "contributor")
    name = "changes_by" if moved else name
    told["by"] = said.group(name, "contributor" if said.both else default)
    rest = [word for word in left if not _is_moving(word.lower()) and word.lower() not in words.meanings("counted")]
    return _told(name, said, told, rest)


def _by_words(said: _Said, meaning: Callable[[str], str]) -> Chosen | None:
    """Return the question whose own words were used, the one with most of them; all that was said must be of use."""
    found_in = said.stems if meaning is words.stem else said.concepts
    best: tuple[tuple[int, int], Chosen] | None = None
    for name, question in question_files.questions().items():
        for phrase in question.phrases:
            stems = [{meaning(word) for word in one} for one in phrase]
            known = set().union(*stems)
            summed = said.summed or said.orders & {MOST, LEAST}
            groups = [group for at, group in said.groups.items() if summed and meaning(said.low[at]) not in known]
            if not all(one & found_in for one in stems) or not _answers_for(question, groups):
                continue
            told = {**said.told, "since": said.since, "until": said.until, **_dimensions(said, question)}
            left = [
                word
                for word in said.left("measures", "counted", "groups", "kinds", "outcomes", "cost", "why", "code")
                if meaning(word.lower()) not in known
                and words.concept(word.lower()) not in question_vocabulary.vocabularies()[name]
            ]
            if _needs_node(question):
                told["node"] = said.node or next(iter(left), None)
                left = [word for word in left if word.removesuffix("()") != told["node"]]
            left += said.kinds - known - question_vocabulary.vocabularies()[name]
            found = _told(name, said, told, left)
            if isinstance(found, Unanswered) and not left and len(stems) > 1:
                said.short = said.short or found
            if isinstance(found, Chosen) and (best is None or (len(stems), -len(question.parameters)) > best[0]):
                best = (len(stems), -len(question.parameters)), found
    return None if best is None else best[1]


def _by_vocabulary(said: _Said) -> Chosen | None:
    """Return the question that has all words that were said, in its sentence or its phrases."""
    free = [
        low
        for at, low in enumerate(said.low)
        if at not in said.used and at not in said.groups and any(map(str.isalpha, low)) and not words.is_idle(low)
    ]
    counts = words.vocabulary()["shapes"]["counts"]
    helping = {low for low in free if words.is_idle(low, "idle") or low in counts or low in words.meanings("orders")}
    filters = {low for low in free if low in words.meanings("kinds") or low in words.meanings("outcomes")}
    wanted = set(free) - helping
    if wanted <= filters or wanted <= words.meanings("who").keys():
        return None
    for name in question_vocabulary.nearest(wanted, helping):
        question = question_files.find(name)
        if _answers_for(question, said.groups.values()):
            told = {**said.told, "since": said.since, "until": said.until}
            found = _told(name, said, told | _dimensions(said, question), ())
            if isinstance(found, Chosen):
                return found
    return None


def _answers_for(question: Question, groups: Iterable[str]) -> bool:
    """Return whether a question answers for each agent, each intent and so on, as one asked."""
    values = {value for one in question.parameters if one.name in _DIMENSIONS for value in one.values}
    return all(group in values or _OF_GROUPS.get(group) in question.columns for group in groups)


def _told(name: str, said: _Said, told: Mapping[str, Any], left: Sequence[str]) -> Chosen | Unanswered:
    """Return a question with what it is told, if that is all that was said and all that it needs."""
    question = question_files.find(name)
    parameters = {parameter.name: parameter for parameter in question.parameters}
    given = {key: value for key, value in told.items() if value is not None}
    if left or said.missing:
        return Unanswered(f"@{name} cannot be narrowed by {', '.join([*left, *said.missing])}", [name])
    kept = {"dim": tuple(said.several[said.compared])} if said.compared and "dim" in question.columns else {}
    if said.endings and "path" not in question.columns:
        return Unanswered(f"@{name} cannot be narrowed by {', '.join(said.endings)}", [name])
    if said.endings:
        kept["path"] = tuple(said.endings)
    late = "until" in given and "until" not in parameters and "occurred_at" in question.columns
    before = given.pop("until") if late else None
    for key in [key for key in given if key not in parameters]:
        column = _COLUMNS.get(key)
        if _summed_by(question, key, given):
            given["cohort"], kept["cohort_value"] = key, (str(given.pop(key)),)
            continue
        if column not in question.columns:
            return Unanswered(f"@{name} cannot be narrowed by {key}", [name])
        kept[column] = (str(given.pop(key)),)
    short = [key for key, parameter in parameters.items() if not parameter.optional and key not in given]
    if short:
        return Unanswered(f"@{name} has to be told its {' and '.join(short)}", [name])
    in_time = {given.get(name) for name in _DIMENSIONS} & {"day", "month"} and not said.orders & {MOST, LEAST}
    return Chosen(question, given, kept, LEAST in said.orders, said.others, bool(in_time), before)


def _summed_by(question: Question, key: str, given: Mapping[str, Any]) -> bool:
    """Return whether a question that cannot be narrowed can tell apart what it is to be narrowed to."""
    return "cohort" not in given and any(
        one.name == "cohort" and key in one.values and "cohort_value" in question.columns for one in question.parameters
    )


def _measure(said: _Said) -> str | None:
    """Return what is measured or counted: what stands behind `how many`, else the first word that says something."""
    if any(map(_CODE.fullmatch, said.tokens)):
        return "refusal"
    for at, word in enumerate(said.low):
        if word in ("many", "number", "count") and at + 1 < len(said.low):
            behind = [
                at for at in range(at + 1, len(said.low)) if at not in said.used and said.low[at] not in _skipped()
            ]
            meant = _meaning(said.low[behind[0]]) if behind else None
            refused = meant in ("command", "change", "read") and "refusal" in map(_meaning, said.low)
            if meant is not None or said.low[at + 1] not in ("time", "times"):
                return "refusal" if refused else meant
    free = [word for at, word in enumerate(said.low) if at not in said.groups and at not in said.used]
    found = [one for one in map(_meaning, free) if one]
    for first in ("cost", "tokens", "lines"):
        if first in found:
            return first
    if found:
        return found[0]
    return None


def _meaning(word: str) -> str | None:
    return words.meanings("measures").get(word) or words.meanings("counted").get(word)


def _skipped() -> set[str]:
    """Return the words that may stand between `how many` and what is counted."""
    vocabulary = words.vocabulary()
    return {
        *vocabulary["ignored"]["words"],
        *vocabulary["idle"]["words"],
        *words.meanings("who"),
        *words.meanings("outcomes"),
    }


def _dimensions(said: _Said, question: Question) -> dict[str, str]:
    """Return by what a question is asked to sum up, where it can."""
    for parameter in question.parameters:
        if parameter.name in _DIMENSIONS:
            wanted = [*([said.compared] if said.compared else []), *said.groups.values()]
            found = next((name for name in wanted if name in parameter.values), None)
            return {parameter.name: found} if found else {}
    return {}


def _needs_node(question: Question) -> bool:
    return any(parameter.name == "node" for parameter in question.parameters)


def _near(said: _Said) -> list[str]:
    """Return the named questions that speak most of the same."""
    counts = words.vocabulary()["shapes"]["counts"]
    wanted = {words.stem(low) for low in said.low if low not in counts and not words.is_idle(low) and len(low) > 3}
    ranked = sorted(
        question_files.questions().values(),
        key=lambda one: (-len(wanted & set(map(words.stem, one.question.lower().split()))), one.name),
    )
    return [one.name for one in ranked[:3] if wanted & set(map(words.stem, one.question.lower().split()))]


def _is_moving(word: str) -> bool:
    """Return whether a word says that lines were added or deleted."""
    return words.meanings("outcomes").get(word) == "delete" or words.stem(word) in {
        words.stem(one) for one in ("add", "touch", "create", "change", "edit", "modify")
    }


def _stands_for(low: str, name: str, kind: str) -> bool:
    if kind == "agent":
        return low == name.lower() or low in [part for part in re.split("[-/_. ]", name.lower()) if _tells(part)]
    if kind == "session":
        return low == name.lower() or (len(low) >= 6 and name.lower().startswith(low))
    return low == name.lower()


def _tells(part: str) -> bool:
    return len(part) > 2 and part not in ("code", "cli", "mini")


def _is_folder(name: str, paths: Sequence[str]) -> bool:
    return any(f"/{name}/" in f"/{path}" for path in paths)


def _located(name: str, paths: Sequence[str]) -> list[str]:
    """Return the files or folders that a name means, those nearest to the root first."""
    if any(path == name or path.startswith(f"{name}/") for path in paths):
        return [name]
    ends = {path for path in paths if path.endswith(f"/{name}")}
    inside = {f"{path.partition(f'/{name}/')[0]}/{name}" for path in paths if f"/{name}/" in path}
    return sorted(ends or inside, key=lambda path: (path.count("/"), path))
