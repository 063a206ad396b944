"""How intents refer to each other: dependencies, parents, and scopes that own the same file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from linetrail.ledger.intents.intent import DONE, IN_PROGRESS, Intent
from linetrail.ledger.intents.problems import Entry, Problem, Reading, shown

# Who has so many overlaps, or scopes that are so much alike, is not told about more.
MAX_OVERLAPS, MAX_COMPARED = 200, 20_000
_WILD = frozenset("*?[")


def linked(reading: Reading) -> Iterator[Problem]:
    """Yield what is wrong with how intents refer to each other."""
    entries: dict[str, Entry] = {}
    for entry in reading.entries:
        entries.setdefault(entry.intent.id, entry)
    known = {name: entry.intent for name, entry in entries.items()}
    for entry in reading.entries:
        yield from _dependencies(entry, known)
        parent = entry.intent.parent
        if parent is not None and parent not in entries:
            message = f"the parent {shown(parent)} is not here; name another, or write null"
            yield entry.error("INVALID_PARENT", "parent_intent", message)
    for cycle in cycles({name: entry.intent.dependencies for name, entry in entries.items()}):
        entry, again = entries[cycle[0]], cycle[1]
        message = f"{_way(cycle)}: each waits for the next; take one of these dependencies out"
        at = f"dependencies[{entry.intent.dependencies.index(again)}]"
        yield entry.error("CIRCULAR_DEPENDENCY", "dependencies", message, at)
    for cycle in cycles({name: (entry.intent.parent or "",) for name, entry in entries.items()}):
        message = f"{_way(cycle)}: each has the next for a parent; take one of them out"
        yield entries[cycle[0]].error("CIRCULAR_PARENT", "parent_intent", message)


def is_settled(intent: Intent, known: Mapping[str, Intent]) -> bool:
    """Return whether nobody has to wait for an intent: it is done, or what it was merged into is."""
    seen = {intent.id}
    while intent.status != DONE and intent.merged_into and intent.merged_into not in seen:
        seen.add(intent.merged_into)
        intent = known.get(intent.merged_into, intent)
    return intent.status == DONE


def _dependencies(entry: Entry, known: Mapping[str, Intent]) -> Iterator[Problem]:
    for at, name in enumerate(entry.intent.dependencies):
        if name not in known:
            message = f"the dependency {shown(name)} is not here; correct the id, or take it out"
            yield entry.error("INVALID_DEPENDENCY", "dependencies", message, f"dependencies[{at}]")
        elif entry.intent.status == IN_PROGRESS and name != entry.intent.id and not is_settled(known[name], known):
            message = f"{entry.intent.id} is IN_PROGRESS and depends on {name}, which is {known[name].status}"
            yield entry.warning("DEPENDENCY_NOT_DONE", "dependencies", message, f"dependencies[{at}]")


def cycles(edges: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Yield one way round for each knot of names that lead back to themselves, first name last.

    >>> list(cycles({"a": ["b"], "b": ["c"], "c": ["b"], "d": ["d"]}))
    [['b', 'c', 'b'], ['d', 'd']]
    """
    done: set[str] = set()
    for start in edges:
        trail: list[str] = []
        at: dict[str, int] = {}
        waiting = [(start, False)]
        while waiting:
            name, left = waiting.pop()
            if left:
                trail.pop()
                del at[name]
                done.add(name)
            elif name in at:
                if name not in done:
                    yield [*trail[at[name] :], name]
                done.update(trail[at[name] :])
            elif name in edges and name not in done:
                at[name] = len(trail)
                trail.append(name)
                waiting.append((name, True))
                waiting.extend((other, False) for other in reversed(edges[name]))


def overlapping(entries: Iterable[Entry]) -> Iterator[Problem]:
    """Yield the pairs of intents in progress that own a file together; a parent may hold what its children do."""
    from linetrail.ledger.intents.overlaps import overlap  # no hook waits for this

    by_id = {entry.intent.id: entry for entry in entries}
    working = [entry for entry in by_id.values() if entry.intent.status == IN_PROGRESS]
    above = {entry.intent.id: ancestors(entry.intent, by_id) for entry in working}
    told = 0
    for compared, (one, other) in enumerate(near(working)):
        a, b = one.intent, other.intent
        if a.id in above[b.id] or b.id in above[a.id]:
            continue
        shared = overlap(a.scope, b.scope)
        if shared is not None:
            mine, theirs, example = shared
            file = f"both own {shown(example)}" if example else "may both own a file"
            by = f"by {shown(theirs)} and {shown(mine)}"
            message = f"{b.id} and {a.id} {file}, {by}; narrow one of them, or let one wait for the other"
            yield other.warning("SCOPE_OVERLAP", "owned_scope", message, f"owned_scope[{b.scope.index(theirs)}]")
            told += 1
        if told == MAX_OVERLAPS or compared >= MAX_COMPARED:
            message = f"the scopes of {len(working)} intents in progress are too much alike to compare all of them"
            yield other.warning("SCOPE_OVERLAP", "owned_scope", message)
            return


def near(working: Sequence[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Yield the pairs that can overlap: one owns something in a folder that is, or is above, one of the other."""
    here: dict[tuple[str, ...], list[int]] = {}
    below: dict[tuple[str, ...], list[int]] = {}
    for number, entry in enumerate(working):
        folders = {folder_of(pattern) for pattern in entry.intent.scope if not pattern.startswith("!")}
        above = {folder[:length] for folder in folders for length in range(len(folder) + 1)}
        others = {other for folder in above for other in here.get(folder, ())}
        others.update(other for folder in folders for other in below.get(folder, ()))
        yield from ((working[other], entry) for other in sorted(others))
        for folder in folders:
            here.setdefault(folder, []).append(number)
        for folder in above:
            below.setdefault(folder, []).append(number)


def folder_of(pattern: str) -> tuple[str, ...]:
    """Return the components of a pattern before the first one that stands for more than itself."""
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    wild = next((at for at, part in enumerate(parts) if not _WILD.isdisjoint(part)), len(parts))
    return tuple(parts[:wild])


def ancestors(intent: Intent, entries: Mapping[str, Entry]) -> set[str]:
    """Return the ids of what an intent is part of."""
    found: set[str] = set()
    parent = intent.parent
    while parent is not None and parent in entries and parent not in found:
        found.add(parent)
        parent = entries[parent].intent.parent
    return found


def _way(cycle: Sequence[str]) -> str:
    names = [shown(name) for name in cycle]
    return " → ".join(names if len(names) <= 8 else [*names[:4], f"{len(names) - 6} more", *names[-2:]])
