"""Say that a question has no answer: which of its words nothing here has a use for, and what may be asked instead."""

from collections.abc import Collection, Iterable

from linetrail.queries.ask import lexicon, question_files, words
from linetrail.queries.ask.choice import Unanswered
from linetrail.queries.ask.lexicon import LEAST, MOST
from linetrail.queries.ask.said import Said


def is_searchable(said: Said) -> bool:
    """Return whether rows may be looked for by the words: not by what they are not, nor where something is measured."""
    first, asked, *_ = (*said.low, "", "")
    is_strange = asked.endswith("s") and 1 not in said.used and not lexicon.is_known(asked)
    is_strange = is_strange and not any(low in words.meanings("kinds") for low in said.low)
    is_missed = said.missing and not said.kinds and {"who", "author", "authors"} & set(said.low)
    is_dear = {"cost", "tokens"} & said.concepts and not said.kinds and said.left() and "why" not in said.low
    measured = said.short or said.is_measured or is_dear or is_untold(said)
    return not (measured or (first in ("which", "what") and is_strange) or is_missed or said.bound or _denied(said))


def is_untold(said: Said) -> bool:
    """Return whether what is asked for was never recorded: what will be, is best, is the mean."""
    measured = said.counts or said.groups or "per" in said.low or said.versus or said.orders & {MOST, LEAST}
    return bool(_never(said) and (measured or "is" in said.low[:1] or {"cost", "tokens"} & said.concepts))


def cannot(said: Said, read_as: str = "", lacking: Collection[str] = ()) -> Unanswered:
    """Say why there is no answer: words that mean nothing here, else what was understood and fits nothing."""
    if said.short is not None and not said.missing:
        return said.short
    useless = dict.fromkeys((*_never(said), *_denied(said)))
    left = (*said.missing, *(lacking or said.left()))
    if unknown := [word for word in dict.fromkeys(left) if word.lower() not in useless]:
        reason = f"it is not known what {', '.join(unknown)} means here"
    elif useless:
        reason = f"nothing that is recorded tells what is asked with {', '.join(useless)}"
    else:
        reason = f"nothing that is recorded fits{f': {read_as}' if read_as else ''}"
    return Unanswered(reason, near(said.low))


def near(asked: Iterable[str]) -> list[str]:
    """Return the named questions that speak most of the same as these words."""
    counts = lexicon.counts()
    wanted = {words.stem(low) for low in asked if low not in counts and not words.is_idle(low) and len(low) > 3}
    ranked = sorted(
        question_files.questions().values(),
        key=lambda one: (-len(wanted & set(map(words.stem, one.question.lower().split()))), one.name),
    )
    return [one.name for one in ranked[:3] if wanted & set(map(words.stem, one.question.lower().split()))]


def _never(said: Said) -> list[str]:
    never = lexicon.plain("untold") | lexicon.plain("average")
    return sorted({low for at, low in enumerate(said.low) if low in never and not said.is_degree(at)})


def _denied(said: Said) -> list[str]:
    denied = lexicon.plain("unsearched") | (frozenset() if "why" in said.low else lexicon.plain("negations"))
    return sorted(set(said.low) & denied)
