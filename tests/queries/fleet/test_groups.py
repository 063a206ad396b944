"""No count over groups, alone or as the difference of two, is about fewer people than a cell may have."""

import random

import duckdb
import pytest

from linetrail.queries.cli import main
from linetrail.queries.fleet import groups, people
from linetrail.queries.fleet.groups import OTHERS, PEOPLE, Group
from linetrail.queries.fleet.questions import of_organisation
from tests.conftest import Repo
from tests.story import Story

MONTHS = [f"2026-{month:02}" for month in range(1, 7)]
CROWD = 24
DIMENSIONS = {"repo_id": 5, "agent_name": 3, "model_id": 3, "intent_id": 8}


def cells(seed):
    """Return the cells of random contributions; each person has a measure of their own, so a sum says who is in it."""
    chance = random.Random(seed)
    mine = [f"p{person}" for person in range(CROWD)]
    group = Group("g", "", tuple(DIMENSIONS), tuple(mine), {}, ())
    told = []
    for _ in range(chance.randrange(50, 1_500)):
        person = int(chance.triangular(0, CROWD, chance.choice([0, CROWD / 2])))
        values = [f"{name}{int(chance.expovariate(1.5)) % many}" for name, many in DIMENSIONS.items()]
        told.append((chance.choice(MONTHS), *(v if chance.random() > 0.05 else None for v in values), person))
    names = ("month", *DIMENSIONS, "who")
    columns = ", ".join(f"unnest(${name}) as {name}" for name in names)
    parts = ", ".join(f"(who = {person})::int as {name}" for person, name in enumerate(mine))
    query = f"select * exclude (who), 'h' || who as person, {parts} from (select {columns})"
    given = dict(zip(names, map(list, zip(*told, strict=True)), strict=True))
    found = duckdb.connect().execute(group.cells(query), given).fetchall()
    return [(row[0], row[1 : 1 + len(DIMENSIONS)], row[1 + len(DIMENSIONS) :]) for row in found]


def asked(found, months, chosen):
    """Return whom a slice is about, as anybody can add it up: a set of months, and of values of some dimensions."""
    inside = [
        part
        for month, values, part in found
        if month in months and all(v in c for v, c in zip(values, chosen, strict=True) if c)
    ]
    return {person for part in inside for person, events in enumerate(part) if events}, inside


def slices(found, chance):
    """Return two slices, one inside the other: fewer months, or fewer values."""
    all_months = sorted({month for month, _, _ in found})
    there = [sorted(set(column), key=str) for column in zip(*(values for _, values, _ in found), strict=True)]
    wide = [
        set(chance.sample(values, chance.randrange(1, len(values) + 1))) if values and chance.random() < 0.6 else None
        for values in there
    ]
    narrow = [
        kept and set(chance.sample(sorted(kept, key=str), chance.randrange(1, len(kept) + 1)))
        if chance.random() < 0.5
        else kept
        for kept in wide
    ]
    start, end = sorted(chance.sample(range(len(all_months) + 1), 2))
    inner = sorted(chance.choice(range(start, end + 1)) for _ in range(2))
    return (all_months[start:end], wide), (all_months[inner[0] : inner[1]], narrow)


def leaks(found, seed, times):
    """Return the slices, and the differences of two, that are about somebody and about too few people."""
    chance = random.Random(-seed)
    for _ in range(times if found else 0):
        (months, wide), (fewer, narrow) = slices(found, chance)
        whole, inside = asked(found, months, wide)
        part, within = asked(found, fewer, narrow)
        left = [sum(column) for column in zip(*inside, strict=True)] if inside else []
        taken = [sum(column) for column in zip(*within, strict=True)] if within else [0] * len(left)
        rest = {person for person, (a, b) in enumerate(zip(left, taken, strict=True)) if a != b}
        yield from (told for told in (whole, part, rest) if 0 < len(told) < PEOPLE)


@pytest.mark.slow
def test_no_slice_and_no_difference_of_two_periods_is_about_too_few():
    assert [told for seed in range(1, 5) for told in leaks(cells(seed), seed, 75)] == []


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(100, 130), id="3,000", marks=pytest.mark.slow),
        pytest.param(range(130, 200), id="7,000 others", marks=pytest.mark.soak),
    ],
)
def test_none_of_many_slices_is(seeds):
    assert [told for seed in seeds for told in leaks(cells(seed), seed, 100)] == []


def test_a_rule_that_kept_small_cells_would_be_noticed(monkeypatch):
    monkeypatch.setattr(Group.cells, "__defaults__", (PEOPLE - 2,))

    assert [*leaks(cells(1), 1, 200)]


def test_much_is_left_to_be_told():
    found = cells(3)

    assert any(OTHERS in values for _, values, _ in found)
    assert any(OTHERS not in values for _, values, _ in found)
    assert sum(sum(part) for _, _, part in found) > 0


def test_no_number_is_in_two_tables():
    measures = [name for group in groups.groups() for name in group.measures]

    assert len(measures) == len(set(measures))


@pytest.mark.parametrize("name", sorted(of_organisation()))
def test_a_question_of_the_organisation_asks_counts_alone(name):
    question = of_organisation()[name]
    database = duckdb.connect()
    for table in groups.tables_of():
        database.execute(f"create table {table.name} ({', '.join(f'{one.name} {one.type}' for one in table.columns)})")
        if table.tier == "private":
            database.execute(f"drop table {table.name}")

    given = {parameter.name: None for parameter in question.parameters}
    cursor = database.execute(question.sql, given)

    assert tuple(column[0] for column in cursor.description) == question.columns
    assert question.topic == "the organisation"


def test_a_pseudonym_needs_the_key(tmp_path):
    weak, key = tmp_path / "weak", tmp_path / "key"
    weak.write_text("short")
    key.write_text("a key that is long enough\n")

    assert people.pseudonym(people.read_key(str(key)), "A@b.c") != people.pseudonym(b"another key, as long", "a@b.c")
    with pytest.raises(people.UsageError, match="needs 16"):
        people.read_key(str(weak))


@pytest.mark.slow
def test_who_committed_a_segment_is_counted_and_nobody_is_named(cli, tmp_path, monkeypatch):
    repo, url, key = Repo(tmp_path / "shop"), (tmp_path / "store").as_uri(), tmp_path / "key"
    key.write_text("a key that is long enough\n")
    repo.commit("begin", {"CODEOWNERS": "* @acme/shop ana@example.org\n", "a.txt": ""})
    repo.start_ledger()
    story = Story()
    for person in range(PEOPLE):
        for model in ("claude-code", "codex") if person == 0 else ("claude-code",):
            story.tell(
                "mutation.observed", session=f"s{person}{model}", agent=model, edits={f"f{person}{model}.py": "x\n"}
            )
        story.written(repo.path)
        assert main(["-C", str(repo.path), "seal", "--no-classify", "--no-leaks"]) == 0
        for role in ("AUTHOR", "COMMITTER"):
            monkeypatch.setenv(f"GIT_{role}_EMAIL", f"person{person}@example.org")
        repo.commit(f"segment {person}")
    assert cli("push", url, "--people-key", str(key), cwd=repo.path).status == 0
    assert cli("fleet", "build", url).status == 0

    rows = cli("fleet", "sql", url, "@owned_work", "--json").rows

    assert [(row["dim"], row["changes"]) for row in rows] == [("@acme/shop", PEOPLE)]
    stored = b"".join(
        path.read_bytes() + str(path).encode() for path in (tmp_path / "store").rglob("*") if path.is_file()
    )
    assert b"person1@" not in stored
    assert b"ana@" not in stored
