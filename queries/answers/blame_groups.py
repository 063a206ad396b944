"""Count lines by what they were written for, in or with: one row for each intent, session, model, agent or class."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from linetrail.projections.lines.lines import Attribution
from linetrail.projections.tables.tables import Table
from linetrail.queries.answers.blame_text import Row

# By what lines can be grouped, and the field that says it.
FIELDS = {
    "intent": "intent_id",
    "session": "session_id",
    "model": "model_id",
    "agent": "agent_name",
    "class": "mutation_class",
}


class Groups:
    """Lines of one file or many, counted by one of the fields; their text is let go of."""

    def __init__(self, field: str) -> None:
        self._field = field
        self._numbers: dict[tuple[str, str | None], dict[str, list[int]]] = {}
        self._agents: dict[str | None, str | None] = {}
        self._files = 0

    def add(self, path: str, rows: Iterable[Row]) -> None:
        """Count the lines of a file."""
        self._files += 1
        for row in rows:
            key = self._key(row.by)
            self._numbers.setdefault(key, {}).setdefault(path, []).append(row.number)
            self._agents.setdefault(key[1], row.by.agent_name)

    def table(self, titles: Mapping[str, str | None]) -> Table:
        """Return the groups, those with most lines first; `titles` are names of intents.

        Line numbers say nothing where several files are counted together.
        """
        counts = {key: sum(map(len, files.values())) for key, files in self._numbers.items()}
        order = sorted(counts, key=lambda key: (-counts[key], key[0], key[1] or ""))
        total = sum(counts.values())
        rows = []
        for kind, value in order:
            files = self._numbers[kind, value]
            numbers = next(iter(files.values())) if self._files == 1 else []
            rows.append(
                (
                    kind,
                    value,
                    titles.get(value or "") if self._field == "intent_id" else self._agents[value],
                    counts[kind, value],
                    round(counts[kind, value] / total, 4),
                    len(files),
                    min(numbers, default=None),
                    max(numbers, default=None),
                    spans(numbers) or None,
                )
            )
        name = "title" if self._field == "intent_id" else "agent"
        columns = (
            "contributor_type",
            self._field,
            name,
            "lines",
            "share",
            "files",
            "first_line",
            "last_line",
            "ranges",
        )
        of_one_agent = self._field not in ("agent_name", "mutation_class")
        return Table(columns, rows) if of_one_agent else _without_agent(Table(columns, rows))

    def _key(self, by: Attribution) -> tuple[str, str | None]:
        of_people_too = self._field in ("intent_id", "mutation_class")
        value = getattr(by, self._field) if by.contributor_type == "ai" or of_people_too else None
        return by.contributor_type, value


def spans(numbers: Sequence[int]) -> str:
    """Write line numbers, in order, as ranges.

    >>> spans([1, 2, 3, 7, 9, 10])
    '1-3, 7, 9-10'
    """
    runs = [list(run) for _, run in groupby(enumerate(numbers), lambda place: place[1] - place[0])]
    return ", ".join(f"{run[0][1]}-{run[-1][1]}" if len(run) > 1 else str(run[0][1]) for run in runs)


def _without_agent(table: Table) -> Table:
    keep = [at for at, column in enumerate(table.columns) if column != "agent"]
    return Table(tuple(table.columns[at] for at in keep), [tuple(row[at] for at in keep) for row in table.rows])
