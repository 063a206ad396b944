"""Take the words of a question, each for what it means to one thing.

A word is a value that a column holds, an order, a column by which is summed up, a noun, a verb or a figure of the
thing, people or agents, or nothing at all; what is none of these is left.
"""

from collections.abc import Iterable, Mapping, Sequence

from linetrail.queries.ask import lexicon, words
from linetrail.queries.ask.lexicon import EQUAL, FILE, GIVEN, MISSING, NAMED, PART, PROGRAM, Condition
from linetrail.queries.ask.said import Said
from linetrail.queries.ask.things import Thing

# what is said of time is said of every thing that has one
OF_TIME = ("day", "week", "month", "hour", "weekday")
# a part of what a column holds, by which is summed up
_PARTS = {"folder": "file", "program_name": "program"}
_PEOPLE = ("person", "author", "who")
_ADVERBS = ("daily", "weekly", "monthly", "hourly")
_LACKS = ("no", "without")
# behind `reason` these say that its words are meant
_OF_REASON = ("for", "of", "behind", "was", "were", "did")
_DURATIONS = ("seconds", "minutes", "hours")
_ARTICLES = ("a", "an", "the", "of", "any", "single")
# words that make one value: `denied but executed`
_LONGEST_VALUE = 4


class Reading:
    """What the words of a question are to one thing."""

    def __init__(self, said: Said, thing: Thing, values: Mapping[str, Sequence[str]]) -> None:
        self.said, self.thing, self.values = said, thing, values
        self.where: list[Condition] = []
        # by what is summed up, and of what is asked which: `by model`, `which model`
        self.groups: list[str] = []
        self._grouped_at: int | None = None
        self.asked: list[str] = []
        self.figures: list[str] = []
        self.contributors: set[str] = set()
        self.orders: list[str] = []
        self.ranks: list[str] = []
        # words that may say which moment is asked for
        self.moments: list[str] = []
        self.limit: int | None = None
        # whether a noun says what the question is about, and of what there are most: `touched the most files`
        self.named = False
        # whether it is said whose the rows are not, and what they have none of
        self.without = self.lacks = False
        # whether what is asked for has none of the thing: `sessions without refusals`, `files nobody touched`
        self.none = False
        self.counted: str | None = None
        # whether a figure is asked for of each one: `changes per prompt`
        self.is_mean = False
        self.left: list[str] = []
        # verbs that no column claims, between what is asked for and what is said of it
        self.unread: list[str] = []
        # what a figure, how many of something, or how many rows a group has, has to be more or less than
        self.bound: Condition | None = None
        self.bound_at = range(0)
        # whether the thing has a column for every name
        self.fits = all((self._names(), self._node(), self._compared(), self._is_placed(), self._is_bound()))
        at = 0
        while self.fits and at < len(said.low):
            is_taken = at in said.used or at in self.bound_at or (at == said.node_at and self.is_of_node)
            at += 1 if is_taken else self._take(at)

    def _names(self) -> bool:
        for kind, value in self.said.told.items():
            if kind == "line" and self.thing.name == "line" and "path" in self.said.told:
                self.where.append(Condition("id", (f"{self.said.told['path']}:{value}",)))
                continue
            column = {"path": "file", "commit": "id"}.get(kind, kind)
            if kind == self.thing.name and kind in ("decision", "approval", "lesson"):
                column = "id"
            if kind == "person" and "author" in self.thing.columns:
                column = "author"
            if kind in ("program", "path") and column not in self.thing.columns and "what" in self.thing.columns:
                self.left.append(value)
                continue
            if column not in self.thing.columns or (kind == "commit" and self.thing.name != "commit"):
                return False
            how = {"path": FILE, "program": PROGRAM, "intent": EQUAL, "session": EQUAL, "decision": EQUAL}.get(
                kind, EQUAL if column == "id" and kind != "commit" else PART
            )
            some = self.said.paths if kind == "path" else [str(value)]
            has_all = kind == "path" and self.thing.name in ("session", "commit") and "both" in self.said.low
            self.where.append(Condition(column, tuple(some), how, self._is_left_out(kind), has_all))
        return True

    def _is_left_out(self, kind: str) -> bool:
        """Return whether rows of what is named are left out; of two of a kind the one may be, and the other not."""
        return kind in self.said.excluded and len(self.said.several.get(kind, ())) < 2

    def _node(self) -> bool:
        """Turn a definition that is named into a condition; return whether the thing is one, or a version of one."""
        self.is_of_node = bool(self.said.node) and not any(self.said.node in some for some in self.values.values())
        if self.is_of_node:
            is_in = self.said.tokens[self.said.node_at or 0][:1].isupper() and "method" in map(
                words.stem, self.said.low
            )
            within = Condition("what", (f"{self.said.node}.",), PART)  # `methods of Invoice`
            self.where.append(within if is_in else Condition("what", (str(self.said.node),), NAMED))
            self.named = True
        return not self.is_of_node or self.thing.name in ("definition", "version")

    def _compared(self) -> bool:
        kind = self.said.compared
        if kind:
            self.where.append(Condition(kind, tuple(self.said.several[kind]), PART))
        return not kind or kind in self.thing.columns

    def _is_placed(self) -> bool:
        """Turn endings of files into a condition; return whether the thing has files and times where these are said."""
        endings = tuple(f"%{one}" for one in self.said.endings)
        self.where += [Condition("file", endings, FILE)] if endings else []
        timed = self.said.since is not None or self.said.until is not None
        needed = {column for column, is_said in (("file", endings), ("happened_at", timed)) if is_said}
        return needed <= set(self.thing.columns)

    def _is_bound(self) -> bool:
        """Take what a figure has to be more or less than; return whether the thing has it, or is what is counted."""
        bound = self.said.bound
        if bound is None:
            return True
        of_lines = ("length",) if lexicon.noun(bound.unit)[0] == "line" else ()
        wanted = (bound.unit, *lexicon.figures(bound.unit), *of_lines, *lexicon.dimensions(bound.unit))
        column = next((one for one in wanted if one in (*self.thing.figures, *self.thing.columns)), None)
        is_counted = bound.unit == "times" or lexicon.noun(bound.unit)[0] == self.thing.name
        self.bound = Condition(column or "", (f"{bound.number:.15g}",), bound.how)
        self.bound_at = bound.at if column else range(0)
        return is_counted or column is not None

    def _take(self, at: int) -> int:
        """Take the word at a place, with those behind it that are said with it; return how many they are."""
        if self._before(at) == "about" and len(self.said.low[at]) > 3 and self._is_topic(at):
            self.left.append(self.said.tokens[at])
            return 1
        takers = (
            *(self._value, self._name, self._of_other, self._order, self._lack, self._dimension, self._each),
            *(self._listed, self._noun, self._other, self._figure, self._verb, self._somebody, self._column),
        )
        for taker in takers:
            if taken := taker(at):
                return int(taken)
        low = self.said.low[at]
        if not words.is_idle(low) or (low.endswith("s") and lexicon.noun(low)[0] not in (None, "event")):  # `calls`
            self.left.append(self.said.tokens[at])
            self.unread += [self.said.tokens[at]] if self.said.is_passing(at) else []
        return 1

    def _is_topic(self, at: int) -> bool:
        """Return whether a word behind `about` is one to look for: `decisions about naming`."""
        return self.said.low[at].isalpha() and lexicon.noun(self.said.low[at])[0] != self.thing.name

    def _value(self, at: int) -> int:
        """Take words for a value that a column holds: `out of scope` is OUT_OF_SCOPE."""
        for length in range(min(_LONGEST_VALUE, len(self.said.low) - at), 0, -1):
            text = "".join(map(lexicon.letters, self.said.low[at : at + length]))
            some = [(column, value) for column in self.thing.columns for value in self.values.get(column, ())]
            for column, value in some:
                is_tool = column == "tool" and self.said.word(at + 1) == "tool"
                spelled = is_tool or self.said.tokens[at] == value or not lexicon.is_common(self.said.low[at])
                if text and spelled and text in (held := lexicon.letters(value), *words.inflected(held)):
                    self.where += self._said_of(at, [Condition(column, (value,))])
                    return length
        return 0

    def _name(self, at: int) -> bool:
        """Take what a name beside it is: `session 7537b896`."""
        return beside_its_name(self.said, at)

    def _of_other(self, at: int) -> bool:
        """Leave what is said of another thing: `done intents` is nothing that lines can be."""
        low, other = self.said.low[at], lexicon.noun(self.said.word(at + 1))[0] or self.thing.name
        said = [meaning for meaning, some in lexicon.values(other).items() if low in some]
        own = [meaning for meaning, some in lexicon.values(self.thing.name).items() if low in some]
        is_status = other not in (self.thing.name, *self.thing.also) and any(one.startswith("status") for one in said)
        is_other = is_status or bool(said and not own)
        self.left += [self.said.tokens[at]] if is_other else []
        return is_other

    def _order(self, at: int) -> bool:
        """Take what says the order, how many, or nothing."""
        low = self.said.low[at]
        if low == "last" and "long" in self.said.low[:at]:
            return True
        if low in lexicon.degrees() and self.said.word(at - 1) != "how":
            self.orders.append(lexicon.degrees()[low])
        ranks = [kind for kind, some in lexicon.table("ranks").items() if low in some]
        if ranks == ["wait"] and "seconds" not in self.thing.figures:
            return False
        self.ranks += ranks
        beside = {self.said.word(at - 1), self.said.word(at + 1), self.said.word(at + 2)}
        is_limit = not at or beside & {*lexicon.degrees(), *lexicon.plain("which"), "the", "these", "those"}
        if low.isdigit() and not is_limit:
            return False
        if low in lexicon.table("plain")["numbers"][2:] and not is_limit:
            self.left.append(self.said.tokens[at])
        if low.isdigit():
            self.limit = int(low)
        is_idle = low in lexicon.idle() and not (low in _DURATIONS and self._before(at) in lexicon.plain("many"))
        return bool(ranks) or low in lexicon.degrees() or is_idle or low.isdigit()

    def _lack(self, at: int) -> bool:
        """Take what a row has none of: `without an intent`, `no alternatives`, `changed nothing`."""
        low = self.said.low[at]
        is_lacked, is_never = self._before(at) in _LACKS, low == "nothing" or self.said.is_never(at)
        figures = lexicon.figures(self._before(at) if low == "nothing" else low)
        figures = (*figures, *(lexicon.dimensions(low) if low.endswith("ed") else ()))  # `never been classified`
        lacked = (
            (*lexicon.dimensions(low), low.removesuffix("s"), *figures) if is_lacked else figures if is_never else ()
        )
        column = next((one for one in lacked if one in self.thing.columns), None)
        own = lexicon.noun(low)[0] == self.thing.name
        self.none = self.none or (own and is_lacked) or low == "nobody"
        if low == "nobody":
            return True
        ever = next((one for one in figures if one in self.thing.columns and one.endswith("_ever")), None)
        if column is None and ever and lexicon.plain("negations") & set(self.said.low):  # `read but never changed`
            self.where.append(Condition(ever, ("",), GIVEN))
            return True
        if column is None or own or lexicon.somebody(low):
            return False
        self.where.append(Condition(column, ("",), MISSING))
        self.lacks = True
        return True

    def _dimension(self, at: int) -> bool:
        """Take what is summed up by, where that is said, or of what is asked which."""
        low, before = self.said.low[at], self._before(at)
        name = self._dimension_of(at)
        if low in _DURATIONS and before in lexicon.plain("many"):
            return self._lasts()
        counts_people = name == "who" and before in lexicon.plain("many")
        if (
            name is None
            or counts_people
            or self.said.word(at - 1) == "to"
            or self.said.word(at - 1) == "who"
            or self._is_whose(at)
        ):
            return False
        kind, conditions = lexicon.noun(low)
        self.where += conditions if kind == name != self.thing.name else ()
        if before == "unknown" or self._is_told(at, name) or self._is_of_one(at):  # a value, and this is what it is of
            return True
        if before in lexicon.plain("by") or low in _ADVERBS or (name not in _PEOPLE and self._goes_on(at)):
            self.groups.append(name)
            self._grouped_at = at
            return True
        own = lexicon.noun(low)[0] == self.thing.name
        with_noun = lexicon.noun(self.said.word(at + 1))[0] is not None and not self.said.word(at + 1).endswith("ed")
        if before in ("most", "fewest") and not (own or with_noun or lexicon.somebody(low)):
            self.counted = name
            return True
        return self._asked(at, name, own=own, with_noun=with_noun)

    def _is_of_one(self, at: int) -> bool:
        """Return whether a word says of what one thing something is asked: `in the session of january 22`."""
        said = self.said
        is_one = said.word(at - 1) == "the" and said.low[at].endswith("s") is False and bool(said.times)
        return is_one and said.word(at - 2) in ("in", "of", "by", "from", "during", "did")

    def _is_told(self, at: int, name: str) -> bool:
        """Return whether a value of a column stands beside the word for the column: `branch main`."""
        held = set(map(lexicon.letters, self.values.get(name, ())))
        return bool(held & {lexicon.letters(low) for low in self.said.low[max(at - 1, 0) : at + 2]})

    def _lasts(self) -> bool:
        """Take a unit of how long something took; `how many hours` is no count of the hours of a day."""
        (self.figures if "seconds" in self.thing.figures else self.left).append("seconds")
        return True

    def _goes_on(self, at: int) -> bool:
        """Return whether a word stands in a list behind what is summed up by: `by tool, agent and day`."""
        listed = self._grouped_at == at - 1 and self.said.word(at + 1) == "and"
        return listed or (self._grouped_at == at - 2 and self._before(at) == "and")

    def _asked(self, at: int, name: str, *, own: bool, with_noun: bool) -> bool:
        """Take of what is asked which, how many, or by itself."""
        low, before = self.said.low[at], self._before(at)
        is_asked = before in lexicon.plain("which") | lexicon.plain("many")
        if with_noun and low in ("tool", "file") and lexicon.noun(self.said.word(at + 1))[0] != "usage":
            return True
        if lexicon.plain("average") & set(self.said.low) and self._figure(at):
            return True
        # `how many human changes`, and not `which agent costs most`
        is_whose = lexicon.somebody(low) and not low.endswith("s") and before not in lexicon.plain("which")
        if own or (with_noun and (is_whose or not is_asked)):
            return False
        if lexicon.somebody(low) and not is_asked and not self._begins(low):
            return False
        if name == "subagent" and not is_asked:  # that it was one
            self.where.append(Condition(name, ("",), GIVEN))
        elif is_asked or not self.said.many:
            self.asked.append(name)
        elif name not in OF_TIME and name not in ("file", "folder", "tool"):
            self.left.append(self.said.tokens[at])
        return True

    def _dimension_of(self, at: int) -> str | None:
        """Return the column or what of time a word sums up by; none does in `classes` of code, `the reason for` it."""
        low = self.said.low[at]
        has_text = self.said.word(at + 1) in _OF_REASON and self._before(at) not in lexicon.plain("by")
        if low == "classes" or (low == "reason" and has_text):
            return None
        columns = self.thing.columns
        parts = [part for part, column in _PARTS.items() if column in columns]
        has = (*columns, *parts, *(OF_TIME if "happened_at" in columns else []))
        is_column = low in columns and low not in self.thing.figures
        made = ["commit"] if "commit" in columns and lexicon.noun(low)[0] == "commit" else []
        named = [low] if is_column and self._before(at) in lexicon.plain("by") else []
        name = next((one for one in (*lexicon.dimensions(low), *named, *made) if one in has), None)
        if name == "person" or (name is None and lexicon.somebody(low)):
            return next((one for one in _PEOPLE if one in columns), None)
        return name

    def _is_whose(self, at: int) -> bool:
        """Return whether people or agents are those whose work is meant: `by agents`, `no human`, `AI share`."""
        low = self.said.low[at]
        by = self._before(at) == "by" and (low in lexicon.plain("by_whom") or self.said.low[at - 1] in ("a", "an"))
        counted = self._before(at) == "by" and lexicon.noun(self.said.word(at + 1))[0] is not None
        is_group = self._before(at) in lexicon.plain("by") | lexicon.plain("which")
        share = not is_group and bool(lexicon.plain("share") & set(self.said.low))
        lacked = self._before(at) in _LACKS
        tied = words.vocabulary()["hyphened"]["words"] if low in lexicon.plain("one_of") else ()  # `ai written lines`
        by = by or (self.said.word(at + 1) in tied and self._before(at) not in lexicon.plain("which"))
        owned = self._before(at) in lexicon.plain("many") and not self.said.low[at].endswith("s")
        by = by or (owned and lexicon.noun(self.said.word(at + 1))[0] is not None)
        return bool(lexicon.somebody(low)) and (by or counted or self.said.versus or share or lacked)

    def _each(self, at: int) -> bool:
        """Take what stands behind `per`, which is the thing itself or nothing that it is summed up by."""
        if self._before(at) not in ("per", "each", "every"):
            return False
        name, conditions = lexicon.noun(self.said.low[at])
        if name == self.thing.name and self._before(at) == "every":
            return self._noun(at)
        if name != self.thing.name or conditions:
            self.left.append(self.said.tokens[at])
        self.is_mean = self.is_mean or (name == self.thing.name and self._before(at) == "per")
        return True

    def _listed(self, at: int) -> bool:
        """Take a word for a value that the vocabulary knows."""
        low = self.said.low[at]
        is_figure = not {*lexicon.figures(low)}.isdisjoint(self.thing.figures)
        if is_figure and "line" in (lexicon.noun(one)[0] for one in self.said.low):
            return False
        own = lexicon.noun(low)[0] == self.thing.name
        if self._before(at) == "about" and not own:
            return False
        exact = lexicon.table("values").get(self.thing.name, {})
        values = lexicon.values(self.thing.name)
        found = [one for one in values if low in (exact.get(one, ()) if own else values[one])]
        said: dict[str, tuple[str, ...]] = {}
        for column, values_of, *_ in map(lexicon.condition, found):
            said[column] = said.get(column, ()) + values_of
        self.where += self._said_of(at, map(Condition, said.keys(), said.values()))
        self.moments += [low] if found else []
        return bool(found)

    def _said_of(self, at: int, conditions: Iterable[Condition]) -> Sequence[Condition]:
        """Return conditions as a word at a place says them: that something is so, or `not` so."""
        is_denied = self.said.is_excluded(at)
        found = [one._replace(denied=is_denied) for one in conditions]
        self.without = self.without or (is_denied and bool(found))
        return found

    def _noun(self, at: int) -> bool:
        """Take a noun for the thing, or for one that it stands for."""
        low = self.said.low[at]
        name, conditions = lexicon.noun(low) if self.said.word(at - 1) != "who" else (None, ())
        if name != self.thing.name and low not in lexicon.in_all_forms(self.thing.also):
            return False
        if any(one.column not in self.thing.columns for one in conditions):
            return False
        self.named = self.named or name is not None
        self.where += self._said_of(at, conditions)
        if name == "test" and low in lexicon.in_all_forms(self.thing.words[2:]):  # by which they are run
            self.where.append(Condition("what", (low,), PART))
        self._figure(at)
        return True

    def _other(self, at: int) -> bool:
        """Leave another thing of which is asked which: `which prompts cost most` is no question of sessions."""
        is_other = lexicon.noun(self.said.low[at])[0] not in (None, self.thing.name, "usage")
        is_asked = is_other and self._before(at) in ("which", "what")
        self.left += [self.said.tokens[at]] if is_asked else []
        return is_asked

    def _figure(self, at: int) -> bool:
        found = [name for name in lexicon.figures(self.said.low[at]) if name in self.thing.figures]
        self.figures += found
        return bool(found)

    def _verb(self, at: int) -> bool:
        low = self.said.low[at]
        self.moments.append(low)
        verbs = lexicon.forms("verbs")
        runs = verbs["call"] if self.thing.name == "verdict" else ()  # what was judged was to be run
        return low in verbs.get(self.thing.name, ()) or low in runs

    def _somebody(self, at: int) -> bool:
        """Take a word for people or for agents."""
        meant = lexicon.somebody(self.said.low[at]) if "contributor" in self.thing.columns else None
        if self._before(at) in lexicon.plain("many") and not self._is_whose(at):
            return False  # how many of them there are, and not how much is theirs
        if meant == "ai" and "'human' as contributor" in self.thing.sql:
            return True  # whom a prompt is for
        if meant and not self.asked and (self._before(at) in _LACKS or self.said.is_excluded(at)):
            self.without = True
            meant = "ai" if meant == "human" else "human"
        self.contributors |= {meant} if meant else set()
        return meant is not None

    def _column(self, at: int) -> bool:
        """Take the name of a column, whose value is asked for: `the scope of INT-2`."""
        low = self.said.low[at]
        column = next((one for one in (low, f"{low}s") if one in self.thing.columns), None)
        if column is None:
            return False
        self.named = True
        self.where.append(Condition(column, ("",), GIVEN))
        return True

    def _before(self, at: int) -> str:
        """Return the word before that is neither article nor number."""
        little = lexicon.plain("numbers").union(_ARTICLES)
        return next((low for low in reversed(self.said.low[:at]) if low not in little and not low.isdigit()), "")

    def _begins(self, low: str) -> bool:
        """Return whether a word is the first that says something."""
        little = lexicon.plain("which") | frozenset(lexicon.table("plain")["idle"]) | lexicon.degrees().keys()
        return next((one for one in self.said.low if one not in little and not one.isdigit()), None) == low


def beside_its_name(said: Said, at: int) -> bool:
    """Return whether a word says what the name beside it is: `session 7537b896`, `the billing folder`."""
    kinds = {"path" if name in ("file", "folder") else name for name in lexicon.dimensions(said.low[at])}
    kinds -= {"path"} if at - 1 in said.places and said.endings else set()  # `python files in billing`
    kinds |= {"commit"} & {lexicon.noun(said.low[at])[0] or ""}
    if at + 1 == said.node_at and lexicon.noun(said.low[at])[0] == "definition":
        return True
    return bool(kinds & said.told.keys()) and bool({at - 1, at + 1} & said.used)
