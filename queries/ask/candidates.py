"""Name the things that a question may be about: what it calls by a noun, a name, a verb, a value or a figure."""

from collections.abc import Iterator, Mapping, Sequence

from linetrail.queries.ask import lexicon
from linetrail.queries.ask.reading import beside_its_name
from linetrail.queries.ask.said import Said
from linetrail.queries.ask.things import Thing, things

_HAVE = frozenset({"have", "has", "had"})


def candidates(said: Said, values: Mapping[str, Sequence[str]], held: set[str]) -> Iterator[Thing]:
    """Yield the things that a question may be about, the likeliest first."""
    nouns = _nouns(said, held)
    free = [low for at, low in enumerate(said.low) if at not in said.used and said.tokens[at] not in held]
    names = said.told | ({"definition": said.node} if said.node and said.node not in held else {})
    told = [thing for name, thing in lexicon.table("named").items() if name in names]
    doing = sorted(free, key=_HAVE.__contains__)  # `have been touched` is no having
    verbs = [thing for low in doing for thing, some in lexicon.forms("verbs").items() if low in some]
    valued = [
        thing
        for low in free
        for thing in lexicon.table("values")
        if any(low in some for some in lexicon.values(thing).values())
        if low not in lexicon.in_all_forms(things()[thing].also) and not lexicon.somebody(low)
    ]
    coded = [
        name
        for column, some in lexicon.table("held").items()
        for name in some
        if any(value in said.tokens or (not verbs and said.spells(value)) for value in values.get(column, ()))
    ]
    somebody, shares = any(map(lexicon.somebody, free)), bool(lexicon.plain("share") & set(free))
    placed = "path" in said.told
    measured = placed and {"much", "big", "large", "long"} & set(free)
    lines = ["line"] if shares or somebody or measured else []
    # whose share is meant is no kind of anything
    whole = lines if somebody and (shares or placed) else []
    dear = ["usage"] if set(lexicon.table("ranks")["dear"]) & set(free) else []
    by = [one for low in free for one in lexicon.dimensions(low)]
    summed = [name for one in by for name in lexicon.table("defaults").get(one, "").split()]
    figures = [
        thing.name
        for low in free
        for thing in things().values()
        if {*lexicon.figures(low)} & {*thing.figures} - {"size", "lines"}
    ]
    compared = lexicon.table("defaults").get(said.compared or "", "").split()
    found = dict.fromkeys([*nouns, *told, *coded, *verbs, *whole, *valued, *lines, *dear, *summed, *figures, *compared])
    for name in [*found, *(["diff"] if "change" in found else []), *(["decision"] if "why" in free else [])]:
        yield things()[name]


def _nouns(said: Said, held: set[str]) -> list[str]:
    """Return the things that nouns mean: first what is counted or ranked, then in their order."""
    free = [at for at in range(len(said.low)) if at not in said.used and not beside_its_name(said, at)]
    tools = {at for at in free if said.word(at + 1) == "tool"}
    free = [at for at in free if at not in tools and said.word(at - 1) != "who"]  # `who answers`
    meant = [(at, name) for at in free if said.tokens[at] not in held and (name := lexicon.noun(said.low[at])[0])]
    heads = [at for at in free if said.low[at] in lexicon.plain("heads")]
    first = [next((name for at, name in meant if at > head), None) for head in heads]
    nouns = [name for name in (*first, *(name for _, name in meant)) if name]
    came_or_went = lexicon.forms("figures")["added"] | lexicon.forms("figures")["deleted"]
    if "line" in nouns and "still" not in said.low and came_or_went & set(said.low):
        return [*(["commit"] if "commit" in nouns else []), "change", *nouns]
    return nouns
