"""Find the named question that answers one in plain words, and what it has to be told.

A question is taken apart into what is measured (cost, tokens, lines, changes, prompts …), by what it is summed up, and
of whom, where and when. What none of the named questions can be told is no reason to leave it out in silence: then
there is no answer, and that is said. None stands for a question that looks for rows, which `search` answers.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from linetrail.queries.ask import question_files, question_vocabulary, words
from linetrail.queries.ask.choice import Chosen, Unanswered
from linetrail.queries.ask.compiler import compiled
from linetrail.queries.ask.grammar import LIST, Plan, plan
from linetrail.queries.ask.interpretation import LEAST, MOST, Known, Understanding, understand
from linetrail.queries.ask.question_files import Question
from linetrail.queries.ask.said import DIMENSIONS, Said

# Things that `search` does not list, or not by the ids that commands take.
_NOT_FOUND = ("approval", "commit", "definition", "event", "file", "line")
_CODE = re.compile(r"[A-Z]+(?:_[A-Z]+)+")
_HUMAN, _AI = "human", "ai"
# what a question is told -> the column that says the same of its rows, where it cannot be told
_COLUMNS = {"agent": "agent_name", "model": "model_id", "intent": "intent_id", "path": "path"}
_OF_GROUPS = {
    **_COLUMNS,
    "session": "session_id",
    "person": "human_id",
    "author": "author",
    "file": "path",
    "contributor": "contributor_type",
}


def choose(question: str, now: datetime, known: Known, paths: Sequence[str]) -> Chosen | Unanswered | None:
    """Return what answers a question at a moment, with the names that a ledger has and the files of a repository."""
    said = Said(question, now, known, paths)
    authors = set(words.vocabulary()["authors"]["words"]) & set(said.low)
    named = _of_file(said, paths) if authors else None
    if named is not None:
        return named
    read = plan(said, known.values)
    if read is not None and _is_searched(understand(question, now, known), read):
        return _named(said, paths)
    if read is not None and not read.left:
        return compiled(read, said.since, said.until)
    found = _named(said, paths)
    if read is None or "what" not in read.thing.columns or isinstance(found, Chosen):
        return found
    is_searched = found is None and read.shape == LIST and read.thing.name not in ("commit", "definition")
    return None if is_searched else compiled(read, said.since, said.until)


def _is_searched(understood: Understanding, read: Plan) -> bool:
    """Return whether rows are listed that `search` finds as well, with no word that only the plan knows as a status."""
    statuses = read.thing.name in ("session", "intent")
    left = any(not term.optional or statuses for term in understood.terms)
    listed = read.shape == LIST and read.by is None and read.limit is None
    return listed and read.thing.name not in _NOT_FOUND and not left


def _named(said: Said, paths: Sequence[str]) -> Chosen | Unanswered | None:
    """Return the named question that answers, or that there is none; None where rows are looked for."""
    named = _of_file(said, paths) or _by_words(said, words.stem)
    if named is not None:
        return named
    if said.missing and not said.kinds and {"who", "author", "authors"} & set(said.low):
        return Unanswered(f"no file here is called {', '.join(said.missing)}")
    asked = {low for at, low in enumerate(said.low) if not said.is_degree(at)}
    never = sorted(asked & set(words.vocabulary()["shapes"]["never"]))
    costs = set(words.vocabulary()["cost"]["words"]) & set(said.low)
    if never and (costs or said.counts or said.groups or said.both or said.versus or said.orders & {MOST, LEAST}):
        return Unanswered(f"what was recorded tells nothing of {', '.join(never)}", _near(said))
    attempts = set(said.low) & set(words.vocabulary()["shapes"]["attempts"])
    alike = None if attempts else _by_words(said, words.concept) or _by_vocabulary(said)
    return alike or said.short or _uncounted(said)


def _of_file(said: Said, paths: Sequence[str]) -> Chosen | None:
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


def _uncounted(said: Said) -> Unanswered | None:
    """Say that nothing here is counted so, where something was to be counted."""
    if not said.counts and not said.summed:
        return None
    rest = ", ".join(said.left()) or "that"
    return Unanswered(f"nothing that is recorded here is counted as {rest}", _near(said))


def _by_words(said: Said, meaning: Callable[[str], str]) -> Chosen | None:
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


def _by_vocabulary(said: Said) -> Chosen | None:
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
    values = {value for one in question.parameters if one.name in DIMENSIONS for value in one.values}
    return all(group in values or _OF_GROUPS.get(group) in question.columns for group in groups)


def _told(name: str, said: Said, told: Mapping[str, Any], left: Sequence[str]) -> Chosen | Unanswered:
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
    in_time = {given.get(name) for name in DIMENSIONS} & {"day", "month"} and not said.orders & {MOST, LEAST}
    return Chosen(question, given, kept, LEAST in said.orders, said.others, bool(in_time), before)


def _summed_by(question: Question, key: str, given: Mapping[str, Any]) -> bool:
    """Return whether a question that cannot be narrowed can tell apart what it is to be narrowed to."""
    return "cohort" not in given and any(
        one.name == "cohort" and key in one.values and "cohort_value" in question.columns for one in question.parameters
    )


def _dimensions(said: Said, question: Question) -> dict[str, str]:
    """Return by what a question is asked to sum up, where it can."""
    for parameter in question.parameters:
        if parameter.name in DIMENSIONS:
            wanted = [*([said.compared] if said.compared else []), *said.groups.values()]
            found = next((name for name in wanted if name in parameter.values), None)
            return {parameter.name: found} if found else {}
    return {}


def _needs_node(question: Question) -> bool:
    return any(parameter.name == "node" for parameter in question.parameters)


def _near(said: Said) -> list[str]:
    """Return the named questions that speak most of the same."""
    counts = words.vocabulary()["shapes"]["counts"]
    wanted = {words.stem(low) for low in said.low if low not in counts and not words.is_idle(low) and len(low) > 3}
    ranked = sorted(
        question_files.questions().values(),
        key=lambda one: (-len(wanted & set(map(words.stem, one.question.lower().split()))), one.name),
    )
    return [one.name for one in ranked[:3] if wanted & set(map(words.stem, one.question.lower().split()))]
