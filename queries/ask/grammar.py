"""Read a question as one over things: which of them, what of them is counted or summed up, by what, in which order.

Every word has to mean something to the thing that is asked about, as reading.py takes it. Of the things that a question
may be about, the one is taken that leaves fewest words; those are looked for in what it says, where that is wanted.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from linetrail.queries.ask import lexicon, words
from linetrail.queries.ask.candidates import candidates
from linetrail.queries.ask.lexicon import EQUAL, GIVEN, LEAST, MISSING, MORE, MOST, NEWEST, OLDEST, Condition
from linetrail.queries.ask.reading import OF_TIME, Reading
from linetrail.queries.ask.said import Said
from linetrail.queries.ask.things import Thing, things

COUNT, SUM, SHARE, RANK, LIST, WHEN = "count", "sum", "share", "rank", "list", "when"
# of the figures of all rows, and of how many rows or how much there is for each of something
MEAN, MEDIAN, AVERAGE = "average", "median", "for each"
# what a group has of those that are meant: none, nothing else, each that is named, or one and not the other
NOTHING, ALL, EACH, BUT = "none", "all", "each", "the first and not the second"
# columns that say whose or of what kind something is: of a share they say which part is meant
PARTS = frozenset(
    {"status", "kind", "class", "contributor", "hands", "operation", "tool", "code", "type", "role", "language"}
    | {"agent", "model", "via"}
)
# figures that count other things, of which `how many` does not ask for a sum
_COUNTS: Mapping[str, Sequence[str]] = {
    "session": ("prompts", "calls", "changes", "commits"),
    "intent": ("sessions", "changes", "events"),
    "prompt": ("changes", "calls", "refusals"),
}
# figures of a whole life
_LIVES: Mapping[str, Sequence[str]] = {"definition": ("changes",), "intent": _COUNTS["intent"]}
_CHANGED = ("added", "deleted")
_DONE = (*_CHANGED, "reopened")
# what is there also where nothing was done to it
LASTING = frozenset({"session", "intent", "file"})
_HAVE_REASONS = ("verdict", "violation", "intent", "approval")
# what git tells where no change was recorded
_COMMITTED = ("commit", "diff")


class Plan(NamedTuple):
    """What is asked: of a thing, in a shape, by what, of which, in which order; `left` is looked for."""

    thing: Thing
    shape: str
    figure: str | None = None
    by: str | None = None
    # further columns that tell groups apart
    and_by: tuple[str, ...] = ()
    where: tuple[Condition, ...] = ()
    order: str | None = None
    limit: int | None = None
    # that a group has none of those that are meant, nothing but them, or all of those named
    group_has: str | None = None
    # that of a group more or less is counted or summed up than a number
    bound: Condition | None = None
    # of a count: the column whose values are counted
    distinct: str | None = None
    left: tuple[str, ...] = ()
    # words without which it is read, as is said
    unread: tuple[str, ...] = ()
    # whether other words for the same are looked for as well
    is_wide: bool = False
    # the unit that the figure is told in, and how much of the figure that is
    told_in: tuple[str, float] | None = None
    # what else the words mean, where nothing is recorded of this: what nobody saw being changed was committed
    otherwise: "Plan | None" = None


def plans(said: Said, values: Mapping[str, Sequence[str]]) -> Sequence[Plan]:
    """Return how a question can be read, the best first, in a ledger whose columns hold these values."""
    low = set(said.low)
    held = {value for some in values.values() for value in some}
    is_related = said.node and said.node not in held and low & lexicon.plain("relations")
    if said.missing or is_related or not low or low & lexicon.plain("untold") or said.low.count("which") > 1:
        return []
    readings = [Reading(said, thing, values) for thing in candidates(said, values, held)]
    found = [one for reading in readings if reading.fits and (one := _planned(reading))]
    found = [one for one in found if not (one.left and said.node)]
    if not found:
        return []
    best, *others = sorted(found, key=lambda one: (len(one.left), len(one.unread)))
    if "why" in low and not best.left and best.thing.name not in _HAVE_REASONS and "decision" not in said.told:
        return []
    alike = (one for one in others if one.shape == best.shape and not (one.left or one.group_has))
    instead = _COMMITTED if best.thing.name != "verdict" else ("violation",)
    otherwise = next((one for one in alike if one.thing.name in instead), None)
    return [best._replace(otherwise=otherwise), *others]


def _planned(reading: Reading) -> Plan | None:
    """Return the plan that a reading makes; None where it would answer something else."""
    shape, group_has = _shape(reading), _group_has(reading)
    groups = [one for one in _groups(reading, shape, group_has) if shape != MEDIAN or one != reading.thing.name]
    each = {*groups, *reading.asked} & things().keys() - {reading.thing.name}
    if not _is_whole(reading, shape, group_has) or (shape == MEDIAN and each):  # of what each of them has
        return None
    found = _drafted(reading, shape, groups, group_has)
    for step in (_of_itself, _most_often, _of_whom, _of_the_last, _with_some, _largest):
        found = step(reading, found)
    is_table = found.shape in (COUNT, SUM) and not (found.order or group_has)
    if found.and_by and not (is_table and found.and_by == tuple(groups[1:])):
        return None
    figure = _moment(reading) if found.shape == WHEN else found.figure
    found = found._replace(figure=figure, group_has=group_has if found.by else None)
    bounded = _bounded(reading, found._replace(where=_merged(reading, found.where, found.shape)))
    return bounded if bounded and _is_complete(reading, bounded) else None


def _drafted(reading: Reading, said: str, groups: Sequence[str], group_has: str | None) -> Plan:
    """Return what is wanted, by what and of which, as the words say it."""
    asked, low = _asked(reading, said, groups), reading.said.low
    by, *others = dict.fromkeys([*groups, *asked]) or (None,)
    others = [one for one in others if "and" in low or one not in ("who", "person")]  # `who, and for which intent`
    order = next((one for one in reading.orders if one in (NEWEST, OLDEST)), next(iter(reading.orders), None))
    (shape, figure), distinct = _settled(reading, said), reading.counted
    # a verb may be what is asked; beside a figure, or of one thing that is named, it adds nothing
    is_tied = figure or reading.said.many or {"intent", "session", "commit", "path"} & reading.said.told.keys()
    unread = tuple(reading.unread) if is_tied else ()
    is_counted = not (groups and {"which", "what", "list", "show"} & set(low))
    if shape == COUNT and asked and is_counted and order not in (MOST, LEAST) and group_has != NOTHING:
        distinct, by, others = asked[0], next(iter(groups), None), [*groups[1:], *asked[1:]]
    return Plan(
        thing=reading.thing,
        shape=shape,
        figure=figure,
        by=by,
        and_by=tuple(filter(None, others)),
        where=(*reading.where, *_whose(reading), *_having(reading, said)),
        order=order,
        limit=reading.limit,
        distinct=distinct,
        left=tuple(word for word in reading.left if word not in unread),
        unread=unread,
        told_in=reading.said.told_in and reading.said.told_in[1:],
    )


def _asked(reading: Reading, shape: str, groups: Sequence[str]) -> list[str]:
    """Return of what it is asked which; of nothing where rows themselves are asked for."""
    is_somebody = "person" in reading.said.told  # who it was is said
    asked = [
        one
        for one in (*reading.asked, *_who(reading))
        if one not in groups and not (is_somebody and one in ("author", "person", "who"))  # `reason code`
    ]
    return [] if shape == LIST and _is_of_rows(reading, asked) else asked


def _of_itself(reading: Reading, found: Plan) -> Plan:
    """Return rows where a thing is summed up by itself: `which branch was each session on`."""
    is_told = any(one.how == GIVEN for one in found.where)
    if found.by != found.thing.name:
        return found
    if found.shape == COUNT and not found.figure and is_told:
        return found._replace(shape=LIST, by=None)
    return found._replace(by=None) if found.shape in (LIST, RANK) and found.by not in reading.groups else found


def _most_often(reading: Reading, found: Plan) -> Plan:
    """Return by what it is told which comes most often, where nothing says by what: `which command is run most`."""
    is_bare = found.shape == RANK and not (found.by or found.figure or reading.counted or reading.ranks)
    if not is_bare or found.order not in (MOST, LEAST):
        return found
    if "times" in found.thing.figures:
        return found._replace(figure="times")
    is_why = "code" in found.thing.columns and not any(one.column == "operation" for one in found.where)
    return found._replace(by="code" if is_why else "what")


def _of_whom(reading: Reading, found: Plan) -> Plan:
    """Return whose lines are asked for, or in which files they are: `is tax.py by codex`."""
    if found.thing.name != "line" or found.shape != LIST or found.by or reading.named:
        return found
    said = reading.said  # what was written at a time may be gone
    is_theirs = "what" in said.low and {"agent", "model", "person"} & said.told.keys() and not said.times
    return found._replace(by="file" if is_theirs else "who" if "path" in said.told else None)


def _of_the_last(reading: Reading, found: Plan) -> Plan:
    """Return the one that comes last or first: of all, and not how many each of somebody made."""
    if found.order not in (NEWEST, OLDEST) or found.shape != LIST or _is_plural(reading):
        return found
    is_made = found.by == "who" and found.thing.name in ("change", "commit", "version")
    return found._replace(by=None if is_made else found.by, limit=found.limit or 1)


def _with_some(reading: Reading, found: Plan) -> Plan:
    """Return a sum, or rows that have some of a figure: `who deleted lines`, `which commits did`."""
    is_led_to = found.thing.name == "prompt" and found.figure in _COUNTS["prompt"]
    is_led_to = is_led_to and not {"after", "before"} & set(reading.said.low)
    if found.shape != LIST or not (is_led_to or found.figure in _DONE):
        return found
    some = Condition(found.figure or "", ("0",), MORE)
    return found._replace(shape=SUM, bound=some) if found.by else found._replace(where=(*found.where, some))


def _largest(reading: Reading, found: Plan) -> Plan:
    """Return rows that are said to be large or long with those first that are so most: `which commits were big`."""
    is_so = found.shape == LIST and found.figure and reading.ranks and not (found.by or found.order or reading.bound)
    return found._replace(shape=RANK, order=MOST) if is_so else found


def _is_of_rows(reading: Reading, asked: Sequence[str]) -> bool:
    """Return whether rows are asked for by what they are, or by when besides whose: `which commands changed files`."""
    low = reading.said.low
    if "and" in low and low[low.index("and") + 1 :][:1] in (["when"], ["why"]):
        return True
    heads = (one for one in low if lexicon.noun(one)[0] or (lexicon.somebody(one) and one.endswith("s")))
    head = next(heads, "") if low[0] in lexicon.plain("which") else ""
    own = lexicon.noun(head)[0] == reading.thing.name or head in lexicon.in_all_forms(reading.thing.also)
    if head and set(asked) & set(lexicon.dimensions(reading.said.word(low.index(head) + 1))):
        return False  # `which event types`
    return own and not set(asked) & set(lexicon.dimensions(head))


def _bounded(reading: Reading, found: Plan) -> Plan | None:
    """Return a plan with the bound that was said, of rows or of groups: `days with more than 3 commits`."""
    bound, thing = reading.bound, reading.thing
    if bound is None:
        return found
    by, is_figure = found.by or found.distinct, bound.column in (*thing.figures, "seconds")
    is_repeated = by is None and reading.said.bound and reading.said.bound.unit == "times"
    by = "what" if is_repeated and "what" in thing.columns else by
    if by in (None, thing.name) or (is_figure and reading.named and thing.name != "usage"):
        return found._replace(where=(*found.where, bound)) if is_figure else None
    if is_figure:
        return found._replace(by=by, bound=bound, shape=SUM, figure=bound.column, distinct=None)
    return found._replace(by=by, bound=bound, shape=LIST, figure=None, distinct=bound.column or None)


def _shape(reading: Reading) -> str:
    """Return what is wanted: a number, a sum, a share, the first of all, rows, a moment."""
    said, low, text = reading.said, set(reading.said.low), " ".join(reading.said.low)
    how_long = any(f"how {one}" in text for one in ("long", "big", "large", "expensive", "costly"))
    is_one_of_two = bool(said.compared) and "both" not in low and not _is_but(said)
    shapes = {
        WHEN: said.low[0] == "when" or "since when" in text,
        MEDIAN: "median" in low,
        AVERAGE: low & lexicon.plain("average") or (how_long and low & {"do", "does"}),
        SHARE: low & lexicon.plain("share") or ("much of" in text and not reading.groups),
        RANK: {MOST, LEAST} & set(reading.orders) or (reading.ranks and reading.orders),
        SUM: how_long
        or _is_of_lines(reading)
        or ((reading.figures or "long" in reading.ranks) and (low & lexicon.plain("total") or "how much" in text)),
        COUNT: said.many or reading.groups or said.versus or is_one_of_two,
    }
    return next((shape for shape, is_said in shapes.items() if is_said), SUM if reading.thing.name == "usage" else LIST)


def _is_of_lines(reading: Reading) -> bool:
    """Return whether lines that came or went are meant, and no changes that have some: `lines added by opus`."""
    nouns = {lexicon.noun(low)[0] for low in reading.said.low}
    is_told = reading.thing.name == "change" and "line" in nouns and "change" not in nouns
    return is_told and not (reading.asked or reading.lacks) and not {*_CHANGED}.isdisjoint(reading.figures)


def _group_has(reading: Reading) -> str | None:
    low = set(reading.said.low)
    if (reading.said.compared or len(reading.said.paths) > 1) and "both" in low and (reading.asked or reading.groups):
        return EACH
    if reading.said.compared and _is_but(reading.said):
        return BUT
    if reading.none and not reading.contributors and {*reading.asked, *reading.groups} & LASTING:
        return NOTHING
    judged = any(one.column == "status" for one in reading.where)
    if not reading.asked or not (judged or reading.contributors or reading.said.told.keys() & {"agent", "model"}):
        return None
    if low & lexicon.plain("nothing"):
        return NOTHING
    return ALL if low & lexicon.plain("everything") else None


def _is_whole(reading: Reading, shape: str, group_has: str | None) -> bool:
    """Return whether what is said of two kinds of authors, and what is denied, has a place in the plan."""
    low = set(reading.said.low)
    is_lack = any(one.how == MISSING for one in reading.where)
    is_who = (
        "who" in low and reading.said.compared is None and not {"who", "person", "author"} & set(reading.thing.columns)
    )
    lacks = is_lack or group_has == NOTHING
    if is_who or _is_gate(reading) or (lacks and not {*OF_TIME}.isdisjoint(reading.asked)):
        return False  # a day that has none of something has no row
    if reading.contributors == {"human"} and "\n    'ai' as contributor" in reading.thing.sql:
        return False
    told_apart = reading.said.versus or low & {"both", "and", "or"} or shape == SHARE
    is_apart = reading.thing.name == "line" or (reading.thing.name in ("change", "commit") and "both" not in low)
    if len(reading.contributors) > 1 and not (told_apart and is_apart):
        return False
    if "human" in reading.contributors and reading.said.told.keys() & {"agent", "model"} and not told_apart:
        return reading.thing.name not in ("line", "change", "commit")
    if (_has_two(reading, "status") and not told_apart) or _is_torn(reading):
        return False  # what was allowed after it had been refused
    return (
        is_lack
        or reading.without
        or group_has in (NOTHING, BUT)
        or bool(reading.said.excluded)
        or (reading.thing.name == "decision" and "why" in low)  # of what was decided, `no` is a word
        or not low & lexicon.plain("negations")
    )


def _is_torn(reading: Reading) -> bool:
    """Return whether a row would have to be of one kind and not of another, which is said of files alone."""
    so, not_so = ({one.column for one in reading.where if one.denied is denied} for denied in (False, True))
    return bool(so & not_so - {"file"} and lexicon.plain("nothing") & set(reading.said.low))


def _is_but(said: Said) -> bool:
    """Return whether the second of two that are named did not do what the first did: `codex but never claude`."""
    _, *second = re.split(r" (?:but|that|which|while) ", " ".join(said.low), maxsplit=1)
    return bool(second and set(second[0].split()) & lexicon.plain("negations"))


def _is_gate(reading: Reading) -> bool:
    """Return whether it is asked who refused or allowed something, which is nobody, and not who was refused."""
    judged = lexicon.values("verdict")["status=deny"] | lexicon.values("verdict")["status=allow"]
    is_asked = any(low == "who" and word in judged for low, word in pairwise(reading.said.low))
    return is_asked and reading.thing.name == "verdict"


def _whose(reading: Reading) -> Iterator[Condition]:
    """Yield what people and agents say of the rows."""
    if len(reading.contributors) == 1 and not reading.said.versus:
        yield Condition("contributor", tuple(reading.contributors))
    elif _is_mixed(reading):
        yield Condition("hands", ("mixed",))


def _having(reading: Reading, shape: str) -> Iterator[Condition]:
    """Yield what has to be there of another thing: `how many sessions made a commit`."""
    if shape == COUNT and reading.named and not (reading.lacks or reading.bound):
        counted = _COUNTS.get(reading.thing.name, ())
        yield from (Condition(one, ("0",), MORE) for one in dict.fromkeys(reading.figures) if one in counted)


def _is_mixed(reading: Reading) -> bool:
    return "both" in reading.said.low and reading.thing.name == "line" and not reading.said.compared


def _groups(reading: Reading, shape: str, group_has: str | None) -> list[str]:
    """Return by what is summed up: what is said, and what is compared."""
    several = len(reading.contributors) > 1 and not _is_mixed(reading)
    compared = [reading.said.compared] if reading.said.compared and group_has is None else []
    is_versus = reading.said.versus or reading.said.low.count("many") > 1
    is_several = is_versus or (shape == COUNT and {"and", "or"} & set(reading.said.low))
    held = dict.fromkeys(one.column for one in reading.where if one.how == EQUAL)
    values = [column for column in held if is_several and _has_two(reading, column)]
    return [*reading.groups, *(["contributor"] if several else []), *compared, *values]


def _has_two(reading: Reading, column: str) -> bool:
    return len({one.values for one in reading.where if one.column == column and not one.denied}) > 1


def _who(reading: Reading) -> Sequence[str]:
    """Return the column that says who, where it is asked who alone."""
    is_asked = {"who", "whom", "whose"} & set(reading.said.low) and "what" not in reading.said.low
    return [one for one in ("who", "person") if is_asked and one in reading.thing.columns][:1]


def _settled(reading: Reading, shape: str) -> tuple[str, str | None]:
    """Return the shape and the figure, each as the other has it."""
    thing, wanted = reading.thing, [one for rank in reading.ranks for one in lexicon.table("rank_figures")[rank]]
    # lines that were added are no size, tokens of a cache are no others
    said = sorted(reading.figures, key=lambda one: one in ("size", "tokens"))
    low = reading.said.low
    behind = (lexicon.figures(low[at]) for at in range(1, len(low)) if low[at - 1] == "many")  # `how many tokens`
    said = said if {*said} - {"cost", "tokens"} else [*chain.from_iterable(behind), *said]
    figure = next((one for one in (*wanted, *said) if one in thing.figures), None)
    if thing.name == "usage" and shape in (LIST, COUNT) and not {"answers", "responses"} & set(reading.said.low):
        return SUM, figure or "tokens"
    if shape == COUNT and figure and thing.name != "line":
        return (COUNT, None) if reading.named and figure in _COUNTS.get(thing.name, ()) else (SUM, figure)
    if shape == SHARE and len(reading.contributors) > 1:
        return COUNT, figure
    if figure is None and shape == SUM:
        return COUNT, figure
    # `average cost of a session` is one of all sessions
    groups = reading.groups or (reading.asked if thing.name == "usage" else ())
    of_rows = not groups or (reading.named and thing.name not in ("usage", *groups))
    # the slowest tool is not the one that was used most
    is_lasting = shape == RANK and figure == "seconds" and (reading.groups or reading.asked)
    is_lasting = is_lasting and not lexicon.plain("total") & set(reading.said.low)
    if is_lasting or (reading.is_mean and figure) or (shape == AVERAGE and figure and of_rows):
        return MEAN, figure
    return (LIST if shape == RANK and {NEWEST, OLDEST} & set(reading.orders) else shape), figure


def _is_complete(reading: Reading, found: Plan) -> bool:
    """Return whether a plan has what its shape needs, and every word that was said a place in it."""
    is_told = {"person", "why"} & {*reading.said.told, *reading.said.low} or any(
        one.column == "status" for one in found.where
    )
    named = (
        reading.named
        or {"person", "commit", "program"} & reading.said.told.keys()
        or found.thing.name in lexicon.table("listed")["things"]
    )
    needed = {
        SHARE: any(one.column in PARTS or one.how in (GIVEN, MISSING) for one in found.where),
        AVERAGE: found.by,
        MEDIAN: found.figure,
        RANK: found.figure or found.by,
        LIST: named or found.by or found.limit or {"why", "when"} & set(reading.said.low),
    }
    ranked = found.figure or not {"long", "dear"} & set(reading.ranks)
    counted = (found.by or not reading.counted) and found.figure != f"{found.by}s"
    counted = counted and (reading.named or found.figure not in _COUNTS["prompt"] or found.thing.name != "prompt")
    is_list = (found.shape in (COUNT, LIST) or found.figure == "seconds") and "per" not in reading.said.low
    is_number = any(one.isdigit() or one in lexicon.plain("numbers") for one in found.left)
    # another thing that it came after is no word to look for: `which prompts came after a refusal`
    is_related = {"after", "before"} & set(reading.said.low) and any(lexicon.noun(one.lower())[0] for one in found.left)
    searched = not found.left or (is_list and (reading.named or is_told) and not (is_number or is_related))
    # a figure of a whole life is none of somebody's, nor of a time
    said = reading.said
    narrowed = said.told.keys() & {"agent", "model"} or said.since or said.until
    counted = counted and not (narrowed and found.figure in _LIVES.get(found.thing.name, ()))
    # what was done to something is no figure of a list: @intent_definitions knows for whom a function was changed
    is_of_lines = any(lexicon.noun(low)[0] == "line" for low in said.low)
    undone = (*_COUNTS["prompt"], "seconds", *(() if is_of_lines or found.by else _CHANGED))
    has_some = any(one.how == MORE and one.column == found.figure for one in found.where)
    listed = found.shape != LIST or found.figure not in undone or reading.lacks or has_some
    # what was written or read is no count of tokens where these are not spoken of
    is_dear = found.figure == "cost" and any("_tokens" in one for one in reading.figures)  # of cached tokens alone
    listed = listed and not is_dear
    listed = listed and (found.thing.name != "usage" or reading.named or bool(reading.figures or reading.ranks))
    # how many there are has no first few, and nothing that they are alone
    alone = lexicon.plain("everything") & set(said.low) and not found.group_has
    limited = alone or (found.limit and not found.by)
    counted = counted and not (limited and found.shape in (COUNT, SUM))
    is_unit = said.told_in is None or said.told_in[0] == found.figure
    return bool(needed.get(found.shape, True) and ranked and counted and searched and listed and is_unit)


def _is_plural(reading: Reading) -> bool:
    """Return whether several were asked for."""
    low = reading.said.low
    return "every" in low or any(one.endswith("s") and lexicon.noun(one)[0] == reading.thing.name for one in low)


def _moment(reading: Reading) -> str:
    """Return the moment that is asked for: the first of what began or is said to be the first, else the last."""
    same = (some for some in lexicon.values(reading.thing.name).values() if not some.isdisjoint(reading.moments))
    stems = set(map(words.stem, chain(reading.moments, *same)))
    ends = {words.stem(one.removesuffix("_at")): one for one in reading.thing.columns if one.endswith("_at")}
    ends.pop(words.stem("happened"), None)
    began = OLDEST in reading.orders or stems & set(map(words.stem, lexicon.plain("began")))
    column = next((ends[one] for one in ends if one in stems), "happened_at")
    return f"{'min' if began and NEWEST not in reading.orders else 'max'}({column})"


def _merged(reading: Reading, where: Sequence[Condition], shape: str) -> tuple[Condition, ...]:
    """Return what the rows have to be; a column with two values may have either.

    Whether something is done is no condition where it is asked when, or of one intent.
    """
    is_when = shape == WHEN or (shape == LIST and "intent" in reading.said.told)
    merged: dict[tuple[str, str, bool, bool, bool], dict[str, None]] = {}
    for column, values, how, denied, every in where:
        if column != "status" or not (is_when and reading.thing.name == "intent"):
            is_ending = values[0].startswith("%")  # `python files in billing`
            merged.setdefault((column, how, denied, every, is_ending), {}).update(dict.fromkeys(values))
    return tuple(
        Condition(column, tuple(values), how, denied, every)
        for (column, how, denied, every, _), values in merged.items()
    )
