"""One question of an organisation, asked of a store of many repositories; each time it is written down who asked."""

from linetrail.queries.page.view import Asked, NoSuchPageError, Shown


def show(asked: Asked) -> Shown:
    """Return the rows of the option `question`, else of the first one there is."""
    if asked.store is None:
        return Shown("Fleet", [], {"answer": None})
    from linetrail.queries.fleet.groups import OTHERS, PEOPLE  # whoever has no store needs no library for stores
    from linetrail.queries.fleet.questions import of_organisation
    from linetrail.queries.page.fleet import answered

    known = of_organisation()
    name = asked.option("question") or next(iter(known))
    if name not in known:
        raise NoSuchPageError(f"the organisation has no question {name}")
    told = {name: value for name in ("since", "until") if (value := asked.option(name))}
    found = answered(known[name], asked.store, told)._asdict()
    about = {"answer": found, "told": told, "people": PEOPLE, "others": OTHERS}
    about["questions"] = [{"name": one.name, "asks": one.question} for one in known.values()]
    return Shown("Fleet", found.pop("rows"), about)
