"""Take a question apart: the names in it, its times, and which word stands where."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from linetrail.ledger.agents import AGENTS
from linetrail.queries.ask import lexicon, time_spans, words
from linetrail.queries.ask.things import things

if TYPE_CHECKING:
    from linetrail.queries.ask.choice import Unanswered

_WORD = re.compile(r"[^\s,;!?\"()\[\]{}<>`\u2018\u201c\u201d]+")
_FILE = re.compile(r"\.?[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,9}|\.[A-Za-z][\w.-]*")
_NAME = re.compile(r"[A-Za-z_]\w*[a-z0-9](?:[A-Z_]\w*)+|[A-Z]\w*[a-z](?:\.\w+)?|[A-Z]\w+|_?[a-z]+(?:_[a-z]+)+")
_REVISION = re.compile(r"HEAD(?:[~^]\d*)*|[0-9a-f]{7,40}")
_HASH = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}")
_DEFINITIONS = frozenset({"function", "class", "method", "definition", "def"})
_POSSESSIVE = re.compile("['\N{RIGHT SINGLE QUOTATION MARK}]s?$")
_KINDS = frozenset({"refusal", "prompt", "decision", "lesson", "approval", "thought"})
# no verb stands behind the first, and what follows on a verb with the second is its object
_OF_NOUNS = frozenset(
    {"the", "a", "an", "any", "no", "of", "in", "by", "to", "with", "without", "for", "about", "from", "on", "than"}
    | {"that", "which", "what", "was", "were", "is", "are", "be", "been", "never", "not", "and", "or", "per", "each"}
    | {"since", "until", "before", "after", "among", "past", "bypass", "although"}
    | {"most", "least", "how", "many", "much", "did", "do", "does", "its", "their", "as", "his", "her", "our", "when"}
)
_BEHIND_VERBS = frozenset({"the", "a", "an", "any", "its", "their", "with", "up", "out", "on", "off", "down", "more"})
_AUXILIARIES = frozenset({"do", "does", "did", "has", "have", "had"})
_EXTREMES = (lexicon.MOST, lexicon.LEAST)
_DEFINITE = ("the", "of", "these", "those", "both")
# words between `more` and a number
_THAN = ("than", "least", "most")
# the parameters that say by what an answer is summed up
DIMENSIONS = ("by", "dim", "cohort")


class Known(NamedTuple):
    """Names that this ledger has: of intents, sessions, agents, models, people and programs."""

    intents: Sequence[str] = ()
    sessions: Sequence[str] = ()
    agents: Sequence[str] = ()
    models: Sequence[str] = ()
    # what columns of things hold: tools, codes, types of events
    values: Mapping[str, Sequence[str]] = {}
    people: Sequence[str] = ()
    decisions: Sequence[str] = ()
    # what commands run, by how a question spells it; the ids of intents by their titles
    programs: Mapping[str, str] = {}
    titles: Mapping[str, str] = {}
    approvals: Sequence[str] = ()
    lessons: Sequence[str] = ()


class Bound(NamedTuple):
    """What a figure has to be `more` or `less` than; `unit` is the figure, or the word for it, at these places."""

    how: str
    number: float
    unit: str
    at: range = range(0)


class Said:
    """What the words of a question say."""

    def __init__(self, question: str, now: datetime, known: Known, paths: Sequence[str]) -> None:
        time = time_spans.said(question, now)
        self.since, self.until, self.times = time.since, time.until, time.words
        text = words.phrased(time.rest)
        self.tokens: list[str] = [token.strip(":.'-") for token in _WORD.findall(text) if token.strip(":.'-/")]
        self.tokens = [f".{token}" if f".{token}" in question.split() else token for token in self.tokens]
        self.low = [_POSSESSIVE.sub("", token.lower()) for token in self.tokens]
        self.stems = {words.stem(word) for word in self.low}
        self.concepts = {lexicon.concept(word) for at, word in enumerate(self.low) if not self._is_order(at)}
        # what is not only done to files: a question of refusals is none of writes
        self.kinds = {lexicon.concept(word) for word in self.low} & _KINDS
        # that a question, all of whose words were said, has to be told more
        self.short: Unanswered | None = None
        self.used: set[int] = set()
        self.told: dict[str, Any] = {}
        self.others: list[str] = []
        # every file or folder that is named
        self.paths: list[str] = []
        self.endings: list[str] = []
        self.several: dict[str, list[str]] = {}
        # by the place of a word: the names of this ledger that it stands for, with their kind; a place and its pattern
        self.names: dict[int, tuple[str, Sequence[str]]] = {}
        self.places: dict[int, tuple[str, str]] = {}
        # kinds of names that are left out: `not by codex`
        self.excluded: set[str] = set()
        self.missing: list[str] = []
        self._places(known, paths)
        self._titles(known.titles, known.decisions)
        self._programs(known.programs)
        self.compared = self._names(known)
        self._people(known.people)
        self.bound = self._bound()
        # the figure that is told in a unit, that unit, and how much of the figure it is: `in minutes`
        self.told_in = self._told_in()
        self.node_at: int | None = None
        self.node = self._definition(question)
        self._speak_of_names()
        self._measure()

    def _speak_of_names(self) -> None:
        """Count what is named among what is spoken of."""
        named = self.told.keys() & {"line", "intent", "session", "commit"}
        named |= {"definition"} if self.node and "path" not in self.told else set()
        for kind in named:  # who names one speaks of one
            self.stems.add(words.stem(kind))
            self.concepts.add(lexicon.concept(kind))

    def _measure(self) -> None:
        """Note what says that something is counted, summed up, compared or put in an order."""
        free = {low for at, low in enumerate(self.low) if at not in self.used}
        self.versus = bool(free & lexicon.plain("versus"))
        self.orders = {lexicon.degrees().get(word) for at, word in enumerate(self.low) if at not in self.used}
        self.groups = self._groups()
        # of what rows are asked for: `files where a human changed lines`
        little = (low for at, low in enumerate(self.low) if at in self.used or not lexicon.is_filler(low))
        self.head = next(little, "")
        # by what is said to be summed up, and not only asked for by `which`
        self.summed = any(self.low[at - 1] in lexicon.plain("by") for at in self.groups if at)
        self.counts = bool(set(self.low) & lexicon.counts())
        # whether something is counted; `more than 3 times` says a bound
        bounded = self.bound.at if self.bound else ()
        self.many = any(low in lexicon.plain("many") for at, low in enumerate(self.low) if at not in bounded)
        compares = (self.versus or self.orders & {lexicon.MOST, lexicon.LEAST}) and any(map(lexicon.figures, free))
        text = " ".join(self.low)
        ranks = self.orders & {lexicon.MOST, lexicon.LEAST} and free & set(lexicon.table("ranks")["long"])
        lasts = "how long" in text or "how old" in text or ranks or free & lexicon.plain("average")
        measures = compares or (lasts and any(lexicon.noun(low)[0] for low in free))
        self.is_measured = bool(self.counts or self.summed or measures or "per" in free)

    def _is_order(self, at: int) -> bool:
        """Return whether `last` says which one, and not that something lasts."""
        return self.low[at] == "last" and "long" not in self.low and self.word(at + 1) != "longer"

    def is_degree(self, at: int) -> bool:
        """Return whether a word asks for a figure, as `good` in `how good`."""
        return at > 0 and self.low[at - 1] == "how" and self.low[at] in lexicon.plain("of_degree")

    def _definition(self, question: str) -> str | None:
        """Return what is named as definitions are, or stands behind what it is: `tokens()`, `RateLimiter`."""
        for at, token in enumerate(self.tokens):
            is_last = at == len(self.tokens) - 1 and not self.low[at].endswith("s")
            is_name = not words.is_idle(self.low[at]) and (is_last or not lexicon.is_common(self.low[at]))
            is_behind = self.low[at - 1] in _DEFINITIONS and is_name
            if at and (is_behind or (at not in self.used and f"{token}(" in question)):
                return self._node(at)
        free = (at for at, token in enumerate(self.tokens) if at and at not in self.used and not token.isupper())
        return next((self._node(at) for at in free if _NAME.fullmatch(self.tokens[at])), None)

    def _node(self, at: int) -> str:
        self.node_at = at
        self.low[at] = f"{self.low[at]}()"  # means nothing else
        return self.tokens[at]

    def _places(self, known: Known, paths: Sequence[str]) -> None:
        """Take paths, and folders by their names, for what they are; a file is found by the end of its path."""
        for at, token in enumerate(self.tokens):
            if token in known.models or any(token in some for some in known.values.values()):
                continue
            name, _, line = token.partition(":")
            looks = _is_place(name)
            is_folder = self.word(at + 1) in words.meanings("folder")
            placed = self.word(at - 1) in ("in", "under", "below", "of", "outside") or is_folder
            placed = placed or (self.word(at - 1) in ("and", "or") and at - 2 in self.used)
            if looks or is_folder:
                self.places[at] = (name, _place(name if looks else f"{name}/"))
            if not looks and not (placed and any(f"/{name}/" in f"/{path}" for path in paths)):
                continue
            found = _located(name.strip("/"), paths)
            if not found and (not looks or _NAME.fullmatch(name)):
                continue
            self.used.add(at)
            if found:
                self.told["path"], self.others = found[0], found[1:]
                self.paths.append(found[0])
                self.excluded |= {"path"} if self.is_excluded(at) else set()
            else:
                self.missing.append(name)
            if line.isdigit():
                self.told["line"] = int(line)
        for at, token in enumerate(self.tokens):
            if _HASH.fullmatch(token) and not any(name.startswith(token) for name in known.sessions):
                self.told["commit"] = token
                self.used.add(at)
        self._behind(words.vocabulary()["languages"], words.meanings("code"))

    def _behind(self, languages: Mapping[str, Sequence[str]], files: Mapping[str, str]) -> None:
        """Take what one word says of the next: a commit and its id, a line and its number, a language and its files."""
        for at, word in enumerate(self.low[:-1]):
            if word in ("commit", "revision") and _REVISION.fullmatch(self.tokens[at + 1]):
                self.told["commit"] = self.tokens[at + 1]
                self.used.add(at + 1)
            placed = at and self.low[at - 1] in ("of", "in") and lexicon.noun(self.low[at + 1])[0] is None
            if word in languages and (self.low[at + 1] in files or placed):
                self.endings += [f".{ending}" for ending in languages[word]]
                if self.low[at + 1] in files:
                    self.places[at] = (self.tokens[at], f"\\.(?:{'|'.join(languages[word])})(?:$|[ :])")
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
            for kind, names in _ids(known):
                found = [name for name in names if _stands_for(low, name, kind)]
                self._call(at, kind, found)
                if kind == "agent" and not any(low in name.lower() for name in known.models):
                    found = found or [name for name in AGENTS if _stands_for(low, name, kind)][:1]
                if found:
                    self._name(at, kind, found[0] if len(found) == 1 and found[0] in names else low)
                    break
            else:
                exact = [name for name in known.models if low in (name.lower(), name.lower().rpartition("/")[2])]
                if "-" in low:  # a part with its version: `opus-4-5`
                    exact = exact or [name for name in known.models if f"-{low}-" in re.sub("^|/|$", "-", name.lower())]
                self._call(at, "model", exact or [name for name in known.models if low in components(name)])
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

    def _call(self, at: int, kind: str, names: Sequence[str]) -> None:
        """Note the names of this ledger that a word stands for."""
        if names and kind != "decision":  # which is looked for
            self.names[at] = (kind, names)

    def _titles(self, titles: Mapping[str, str], decisions: Sequence[str]) -> None:
        """Take the title of an intent or a decision for its name, or words of one alone before `intent`."""
        stems = {title: [words.stem(low) for low in _WORD.findall(title.lower())] for title in titles}
        mine = list(map(words.stem, self.low))
        for title, spelled in stems.items():
            length = len(spelled)
            at = next((at for at in range(len(mine)) if mine[at : at + length] == spelled), None)
            if at is not None and length > 1:
                self._entitle(
                    "decision" if titles[title] in decisions else "intent", titles[title], range(at, at + length)
                )
        for end, low in enumerate(self.low):
            before = list(takewhile(lambda at: not self._is_small(at), range(end - 1, -1, -1)))
            if low in things()["intent"].words and before and not self.used & {*before}:
                found = [
                    title
                    for title, some in stems.items()
                    if titles[title] not in decisions and all(_is_part(mine[at], some) for at in before)
                ]
                if len(found) == 1:
                    self._entitle("intent", titles[found[0]], range(min(before), end))

    def _is_small(self, at: int) -> bool:
        return at in self.used or lexicon.is_filler(self.low[at]) or self.low[at] in lexicon.degrees()

    def _entitle(self, kind: str, name: str, places: range) -> None:
        """Take the words at these places for an intent or a decision."""
        self._name(places[0], kind, name)
        self.names |= {at: (kind, [name]) for at in places}
        self.used.update(places)

    def _programs(self, programs: Mapping[str, str]) -> None:
        """Take what a command runs, with as much of what it is told first as was said: `git push --force`."""
        for at in range(len(self.low)):
            said = [" ".join(self.low[at : at + length]) for length in (3, 2, 1)]
            found = next((length for length, text in zip((3, 2, 1), said, strict=True) if text in programs), 0)
            if at not in self.used and (found > 1 or (found and self._is_program(at))):
                self._name(at, "program", programs[" ".join(self.low[at : at + found])])
                self.used.update(range(at, at + found))

    def _is_program(self, at: int) -> bool:
        """Return whether a word that may mean something else is the name of a program: `make commands`, `used find`."""
        runs = lexicon.forms("nouns")["call operation=shell"] | {"run", "ran", "use", "used", "call", "called", "calls"}
        if lexicon.noun(self.low[at])[0]:
            return False
        return not lexicon.is_known(self.low[at]) or bool({self.word(at - 1), self.word(at + 1)} & runs)

    def called(self, kind: str) -> list[str]:
        """Return the names of a kind that are said."""
        return [name for one, names in self.names.values() if one == kind for name in names]

    def _people(self, people: Sequence[str]) -> None:
        """Take the name of a person, whole, or a part of it that means nothing else."""
        for person in people:
            name = person.partition("<")[0].lower().split()
            for at, low in enumerate(self.low):
                whole = self.low[at : at + len(name)] == name
                if whole or (low in name and not lexicon.is_known(low) and at not in self.used):
                    self.told["person"] = " ".join(name) if whole else low
                    self.used |= set(range(at, at + len(name))) if whole else {at}

    def _bound(self) -> Bound | None:
        """Take what a figure has to be more or less than: `longer than 10 minutes`, `over $2`, `several agents`."""
        numbers = [str(at) for at in range(11)]
        for at, low in enumerate(self.low):
            how = next((how for how, some in lexicon.table("bounds").items() if low in some), None)
            number_at = next((one for one in range(at + 1, at + 3) if self.word(one) not in _THAN), at + 3)
            said = dict(zip(lexicon.table("plain")["numbers"], numbers, strict=True)).get(self.word(number_at))
            is_unit = self.word(number_at + 1).removesuffix("s") in lexicon.table("units")
            said = "1" if is_unit and self.word(number_at) in ("a", "an") else said
            number = re.fullmatch(r"(\$?)(\d+(?:\.\d+)?)", said or self.word(number_at))
            if how and number:
                unit = "dollar" if number[1] else self.word(number_at + 1)
                figure, times = lexicon.table("units").get(unit.removesuffix("s"), ("", 1))
                before = at - 1 if lexicon.figures(self.word(at - 1)) else at - 2  # `confidence below 0.9`
                if not unit and lexicon.figures(self.word(before)):
                    self.used |= set(range(at, number_at + 1))
                    return Bound(how, float(number[2]), self.word(before), range(before, before + 1))
                self.used |= set(range(at, number_at + (2 if figure and not number[1] else 1)))
                return self._of_unit(how, float(number[2]) * times, figure, number_at + 1)
            counted = self.word(number_at + 1)
            is_number = number and float(number[2]) and not number[1] and number_at == at + 1
            if low in lexicon.plain("having") and is_number and (lexicon.noun(counted)[0] or lexicon.figures(counted)):
                self.used |= {at, number_at}
                return self._of_unit(lexicon.EXACTLY, float(number[2]) if number else 0, "", number_at + 1)
            several = lexicon.dimensions(self.word(at + 1)) and self.word(at + 1).endswith("s")
            if several and low in lexicon.plain("several") and self.word(at - 1) not in _DEFINITE:
                self.used.add(at)
                return self._of_unit("more", 1, "", at + 1)
        return None

    def _told_in(self) -> tuple[str, str, float] | None:
        """Take the unit that a figure is asked for in."""
        for at, low in enumerate(self.low):
            figure, times = lexicon.table("units").get(low.removesuffix("s"), (None, 1))
            is_told_so = low.removesuffix("s") in ("dollar", "usd")
            if figure and not is_told_so and self.word(at - 1) == "in" and not self.word(at + 1).isdigit():
                self.used |= {at - 1, at}
                return figure, low, times
        return None

    def _of_unit(self, how: str, number: float, figure: str, at: int) -> Bound:
        """Return a bound of a figure, else of what is said at a place or behind it: `20 tool calls`."""
        plural = (one for one in (at, at + 1) if self.word(one).endswith("s"))
        end = next((one for one in plural if lexicon.figures(self.word(one)) or lexicon.dimensions(self.word(one))), at)
        return Bound(how, number, figure) if figure else Bound(how, number, self.word(end), range(at, end + 1))

    def is_excluded(self, at: int) -> bool:
        """Return whether what stands at a place is left out: `not written by a human`, `except codex`."""
        between = frozenset().union(*lexicon.forms("verbs").values(), lexicon.plain("between"))
        low = next((low for low in reversed(self.low[:at]) if low not in between), "")
        return low in lexicon.plain("excluding")

    def is_never(self, at: int) -> bool:
        """Return whether what stands at a place was never so: `never led to a commit`, `did never change any file`."""
        between = frozenset().union(*lexicon.forms("verbs").values(), lexicon.plain("between"))
        denial = next((one for one in range(at - 1, -1, -1) if self.low[one] not in between), -1)
        low, before = self.word(denial), self.word(denial - 1)
        return low == "never" or low.endswith("n't") or (low == "not" and before in _AUXILIARIES)

    def is_passing(self, at: int) -> bool:
        """Return whether an unknown word is a verb that only ties what is asked for to what is said: `incurred the`."""
        low, before, after = self.low[at], self.word(at - 1), self.word(at + 1)
        is_word = low.isalpha() and self.tokens[at] == low and not (lexicon.is_value(low) or lexicon.is_known(low))
        is_verb = is_word and not {low, before} & _OF_NOUNS
        is_tied = at + 1 in self.used or after in _BEHIND_VERBS or lexicon.degrees().get(after) in _EXTREMES
        is_last = at - 1 in self.used and not after and {"did", "does", "do"} & set(self.low)
        return bool(at and is_verb and (is_tied or is_last))

    def spells(self, value: str) -> bool:
        """Return whether words in a row spell a code, as it is or in another form: `circuit opened` is CIRCUIT_OPEN."""
        length, wanted = value.count("_") + 1, lexicon.letters(value)
        runs = ("".join(map(lexicon.letters, self.low[at : at + length])) for at in range(len(self.low)))
        return length > 1 and any(run in (wanted, *words.inflected(wanted)) for run in runs)

    def word(self, at: int) -> str:
        """Return the word at a place, and none before the first or behind the last."""
        return self.low[at] if 0 <= at < len(self.low) else ""

    def _name(self, at: int, kind: str, name: str) -> None:
        self.told[kind] = name
        self.excluded |= {kind} if self.is_excluded(at) else set()
        self.several.setdefault(kind, []).append(name)
        self.used.add(at)

    def _groups(self) -> dict[int, tuple[str, ...]]:
        """Return by what is summed up, at the place of the word that says it; one word may say several."""
        found = {}
        for at, word in enumerate(self.low):
            names, before = lexicon.dimensions(word), self.word(at - 1)
            if before == "by" and word in lexicon.plain("by_whom"):
                continue
            is_asked = before in lexicon.plain("which") and (before != "what" or lexicon.MOST in self.orders)
            if names and at not in self.used and (before in lexicon.plain("by") or word.endswith("ly") or is_asked):
                found[at] = names
            ranked = not found and word.endswith("s") and lexicon.MOST in self.orders
            if names and ranked and all(low in lexicon.idle() for low in self.low[:at]):
                found[at] = names  # `files with the most rework`
        return found

    def left(self, says_nothing: Callable[[str], bool] = lexicon.is_known) -> list[str]:
        """Return the words that are no name, no time and no known word, or none of those that say nothing."""
        return [
            token
            for at, (token, low) in enumerate(zip(self.tokens, self.low, strict=True))
            if at not in self.used and not self.is_degree(at) and not says_nothing(low)
        ]


def _ids(known: Known) -> tuple[tuple[str, Sequence[str]], ...]:
    """Return the names of each kind that a ledger has."""
    return (
        ("intent", known.intents),
        ("session", known.sessions),
        ("decision", known.decisions),
        ("approval", known.approvals),
        ("lesson", known.lessons),
        ("agent", known.agents),
    )


def _is_part(stem: str, title: Sequence[str]) -> bool:
    """Return whether a word is one of a title, or another form of it: `payment` of `pay by card`."""
    return any(min(len(one), len(stem)) > 2 and (one.startswith(stem) or stem.startswith(one)) for one in title)


def _stands_for(low: str, name: str, kind: str) -> bool:
    if kind == "agent":
        return low == name.lower() or low in components(name)
    if kind == "session":
        return low == name.lower() or (len(low) >= 6 and name.lower().startswith(low))
    return low == name.lower()


def _located(name: str, paths: Sequence[str]) -> list[str]:
    """Return the files or folders that a name means, those nearest to the root first."""
    if any(path == name or path.startswith(f"{name}/") for path in paths):
        return [name]
    ends = {path for path in paths if path.endswith(f"/{name}")}
    inside = {f"{path.partition(f'/{name}/')[0]}/{name}" for path in paths if f"/{name}/" in path}
    return sorted(ends or inside, key=lambda path: (path.count("/"), path))


def components(name: str) -> list[str]:
    """Return the parts of a name that stand for it: `claude` of claude-code, `sonnet` of anthropic/claude-sonnet-5."""
    return [part for part in re.split("[-/_. ]", name.lower()) if len(part) > 2 and part not in ("code", "cli", "mini")]


def _is_place(token: str) -> bool:
    return "/" in token or "*" in token or (_FILE.fullmatch(token) is not None and not token[-1].isdigit())


def _place(token: str) -> str:
    """Return the expression for a path as people write it: a file, a folder, or with wild cards."""
    said = [piece for piece in re.split(r"(\*\*|\*)", token) if piece]
    pieces = [{"*": "[^/ ]*", "**": ".*", "?": "[^/ ]"}.get(piece) or re.escape(piece) for piece in said]
    start = "" if token.startswith("*") else "(?:^|[/ ])"
    return f"{start}{''.join(pieces).removeprefix('/')}{'' if token.endswith('/') else '(?:$|[/: ])'}"
