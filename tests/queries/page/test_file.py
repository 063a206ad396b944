"""A file with its lines, definitions and commits, also where it has more lines than anybody wants at once."""

import re

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.page import html
from linetrail.queries.page.catalogue import show
from linetrail.queries.page.view import Asked
from linetrail.queries.page.views import file
from linetrail.queries.page.views.file import SIZE, WINDOW
from tests.queries import rich


@pytest.fixture
def seen(repo):
    """Return a function that shows a file, as its value and as HTML."""

    def look(**options):
        shown = show("file", Asked(find(str(repo.path)), options))
        return shown, str(html.view(html.on_the_server(), "file", shown))

    return look


@pytest.mark.slow
def test_a_long_file_comes_in_pages_of_parts_that_are_laid_out_apart(repo, seen):
    repo.start_ledger()
    repo.commit(files={"long.txt": "".join(f"line {number}\n" for number in range(1, 2 * SIZE + 51))})

    shown, page = seen(path="long.txt", **{"from": str(SIZE + 30)})

    assert shown.about["page"] == {"first": SIZE + 1, "last": 2 * SIZE, "of": 2 * SIZE + 50, "size": SIZE}
    assert page.count('<div class="window') == SIZE // WINDOW
    assert page.count("<tr id=") == SIZE
    assert f'href="/file?path=long.txt&amp;from={2 * SIZE + 1}"' in page


@pytest.mark.slow
def test_a_link_to_a_line_leads_to_the_page_that_has_it(repo, seen):
    repo.start_ledger()
    repo.commit(files={"long.txt": "".join(f"line {number}\n" for number in range(1, SIZE + 51))})

    shown, page = seen(path="long.txt", line=str(SIZE + 7))

    assert shown.rows[0]["line_no"] == SIZE + 1
    assert f'<tr id="L{SIZE + 7}" class="is-human chosen">' in page
    assert page.count("<article") == 1
    assert seen(path="long.txt", **{"from": "999999"})[0].rows == shown.rows


@pytest.mark.slow
def test_a_text_is_found_line_by_line_from_where_it_was_found_before(repo, seen):
    repo.start_ledger()
    lines = {10: "ein STRASSE", SIZE + 7: "Straße", SIZE + 9: "<straße>"}
    text = "".join(f"{lines.get(number, 'x')}\n" for number in range(1, SIZE + 51))
    repo.commit(files={"long.txt": text})

    def found(text, after=None):
        shown, page = seen(path="long.txt", find=text, **({"after": str(after)} if after else {}))
        hits = re.findall(r'<tr id="L(\d+)" class="[\w -]* hit"', page)
        return shown.about["search"], shown.about["page"]["first"], hits

    places = [found("strasse", after) for after in (None, 10, SIZE + 7, SIZE + 9)]

    assert [(search["hit"], search["nth"], first, hits) for search, first, hits in places] == [
        (10, 1, 1, ["10"]),
        (SIZE + 7, 2, SIZE + 1, [f"{SIZE + 7}"]),
        (SIZE + 9, 3, SIZE + 1, [f"{SIZE + 9}"]),
        (10, 1, 1, ["10"]),
    ]
    assert {search["of"] for search, *_ in places} == {3}
    assert found("<nothing>") == ({"text": "<nothing>", "hit": None, "nth": 0, "of": 0}, 1, [])


@pytest.mark.slow
def test_a_page_does_not_begin_with_a_change_that_began_on_the_one_before(repo, agent, seen):
    repo.commit(files={"long.txt": "".join(f"line {number}\n" for number in range(1, 2 * SIZE + 1))})
    agent().edit("long.txt", f"line {SIZE + 5}\n", "new\n")

    def begins(**options):
        return re.findall(r'<tr id="L(\d+)" class="is-\w+ begins', seen(path="long.txt", **options)[1])

    assert begins() == ["1"]
    assert begins(**{"from": str(SIZE + 1)}) == [f"{SIZE + 5}", f"{SIZE + 6}"]


@pytest.mark.slow
def test_a_column_of_the_gutter_that_no_line_fills_takes_no_width(repo, seen):
    repo.start_ledger()
    repo.commit(files={"a.py": "x = 1\n"})
    _, committed = seen(path="a.py")
    repo.write("b.py", "y = 1\n")
    _, unknown = seen(path="b.py")

    def empty(page):
        return re.findall(r'<col class="(\w+) empty">', page)

    assert empty(committed) == ["intent"]
    assert empty(unknown) == ["intent", "session", "age"]


@pytest.mark.slow
def test_the_gutter_names_an_author_once_for_lines_in_a_row(repo, seen):
    rich.tell(repo)

    shown, page = seen(path="src/parse.py")
    rows = re.findall(r"<tr id=.*?</tr>", page, re.DOTALL)
    named = [number for number, row in enumerate(rows, 1) if "gutter" in row]

    keys = [(row["event_id"], row["vcs_revision"], row["intent_id"], row["mixed"]) for row in shown.rows]
    assert named == [number for number, key in enumerate(keys, 1) if number == 1 or key != keys[number - 2]]
    assert 1 < len(named) < len(rows)
    for row in (rows[number - 1] for number in named):
        assert re.search(r'<td class="gutter wider faint" title="confidence [\d.]+">\w+</td>', row)


@pytest.mark.slow
def test_the_definitions_of_a_file_are_listed_with_their_place_and_followed(repo, seen):
    rich.tell(repo)

    shown, page = seen(path="src/parse.py", symbol="lines")

    assert [(one["qualified_name"], one["depth"]) for one in shown.about["definitions"]][:2] == [
        ("parse", 0),
        ("lines", 0),
    ]
    assert "created" in shown.about["lineage"][-1]["what"]
    assert len(shown.about["lineage"]) > 1
    assert 'href="/file?path=src%2Fparse.py&amp;symbol=parse"' in page
    assert "What happened to <code>lines</code>" in page


@pytest.mark.slow
def test_a_page_lists_the_definitions_that_it_has_lines_of_where_there_are_many(repo, seen, monkeypatch):
    monkeypatch.setattr(file, "MOST_DEFINITIONS", 2)
    repo.start_ledger()
    names = (f"value_{number} = {number}\n" for number in range(2, SIZE + 1))
    repo.commit(files={"long.py": "".join([*names, "def over():\n", "    pass\n", "after = 1\n"])})

    found = [seen(path="long.py", **{"from": str(at)}) for at in (1, SIZE + 1)]

    assert [len(shown.about["definitions"]) for shown, _ in found] == [SIZE, 2]
    assert [one["name"] for one in found[1][0].about["definitions"]] == ["over", "after"]
    assert f"{SIZE + 1:,} definitions, those on this page" in found[1][1]


@pytest.mark.slow
def test_the_commits_that_changed_a_file_are_followed_through_its_renames(repo, seen):
    repo.start_ledger()
    text = "".join(f"line {number}\n" for number in range(20))
    first = repo.commit("begin", files={"old name.txt": text})
    repo.git("mv", "old name.txt", "new.txt")
    second = repo.commit("rename")

    shown, _ = seen(path="new.txt")
    (before, _) = seen(path="new.txt", rev=first)

    assert [(one["vcs_revision"], one["subject"]) for one in shown.about["commits"]] == [
        (second, "rename"),
        (first, "begin"),
    ]
    assert before.about["path"] == "old name.txt"


@pytest.mark.slow
def test_who_reviewed_a_change_is_named_and_the_file_before_it_is_one_link_away(repo, agent, seen):
    first = repo.commit(files={"a.py": "old = 1\n"})
    agent().write("a.py", "new = 1\n")
    repo.commit("change\n\nReviewed-by: A Person <person@example.org>")

    _, page = seen(path="a.py", line="1")

    assert "change, reviewed by A Person" in page
    assert f'href="/file?path=a.py&amp;rev={first}"' in page
    assert "blame before this commit" in page


@pytest.mark.daily(1)
@pytest.mark.parametrize("content", ["", "\n", "x", "x\r\ny\r\n", "\ttab\u202e\n"], ids=repr)
def test_a_small_file_is_a_page(repo, seen, content):
    repo.start_ledger()
    repo.commit(files={"a.txt": content, "b.txt": "b\n"})

    shown, page = seen(path="a.txt")

    assert len(shown.rows) == len(content.splitlines())
    assert ("The file is empty" in page) == (not content)


@pytest.mark.slow
def test_a_file_that_is_gone_shows_what_became_of_it_and_as_it_was(repo, agent, seen):
    repo.commit(files={"old name.py": "x = 1\n", "kept.py": "y = 1\n"})
    repo.start_ledger()
    agent().edit("old name.py", "x = 1\n", "x = 2\n")
    agent().write("never committed.py", "z = 1\n")
    for name in ("old name.py", "kept.py", "never committed.py"):
        (repo.path / name).unlink()
    repo.git("add", "old name.py")
    repo.git("commit", "-m", "remove it", "--", "old name.py")

    gone, page = seen(path="old name.py")
    kept, _ = seen(path="kept.py")
    never, _ = seen(path="never committed.py")

    assert gone.about["commits"][0]["subject"] == "remove it"
    assert "mutation.observed" in {row["type"] for row in gone.about["events"]["rows"]}
    before = f"{gone.about['commits'][0]['vcs_revision']}^"
    assert f'href="/file?path=old+name.py&amp;rev={before.replace("^", "%5E")}"' in page
    assert seen(path="old name.py", rev=before)[0].rows[0]["text"] == "x = 1"
    assert (gone.about["kept"], kept.about["kept"], never.about["kept"]) == (False, True, False)
    assert (never.about["commits"], bool(never.about["events"]["rows"])) == ([], True)
