"""The files as a map, a tree and a list, from none to ten thousand of them."""

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.page import html, treemap
from linetrail.queries.page.catalogue import show
from linetrail.queries.page.view import Asked
from tests.queries import rich


def row(path, ai=1, human=0, unknown=0):
    whose = {"lines_ai": ai, "lines_human": human, "lines_unknown": unknown}
    return {"dim": path, "lines": ai + human + unknown, **whose}


def drawn(*rows):
    return treemap.cells(treemap.tree(rows))


def area(cells):
    return sum(cell.width * cell.height for cell in cells)


@pytest.fixture
def seen(repo):
    """Return a function that shows the files, as its value and as HTML."""

    def look(*, whole=False, **options):
        shown = show("files", Asked(find(str(repo.path)), options, whole=whole))
        return shown, str(html.view(html.on_the_server(), "files", shown, report=whole))

    return look


def test_a_file_is_as_large_as_its_lines_and_inside_of_its_folder():
    cells = {cell.path: cell for cell in drawn(row("a/one.py", ai=600), row("a/two.py", ai=200), row("b.py", ai=200))}

    whole = treemap.WIDTH * treemap.HEIGHT
    assert area([cells["b.py"]]) == pytest.approx(whole * 0.2, rel=0.01)
    assert area([cells["a/one.py"]]) == pytest.approx(3 * area([cells["a/two.py"]]), rel=0.01)
    around, inside = cells["a/"], cells["a/two.py"]
    assert around.around
    assert around.x <= inside.x
    assert inside.x + inside.width <= around.x + around.width
    assert around.y + treemap.HEADING <= inside.y


def test_no_two_files_are_drawn_over_each_other():
    cells = [
        cell for cell in drawn(*(row(f"{number}.py", ai=number**2 + 1) for number in range(40))) if not cell.around
    ]

    for at, one in enumerate(cells):
        for other in cells[at + 1 :]:
            apart = (
                one.x + one.width <= other.x + 0.2
                or other.x + other.width <= one.x + 0.2
                or one.y + one.height <= other.y + 0.2
                or other.y + other.height <= one.y + 0.2
            )
            assert apart, (one, other)
    assert area(cells) == pytest.approx(treemap.WIDTH * treemap.HEIGHT, rel=0.01)


def test_lines_of_nobody_known_are_hatched_and_shares_are_steps():
    known, half, unknown = drawn(row("a", ai=100), row("b", ai=50, human=50), row("c", ai=0, unknown=100))

    assert (known.share, half.share, unknown.share) == (4, 2, 0)
    assert (known.hatch, half.hatch) == ("", "")
    assert unknown.hatch.count("M") > 10


def test_ten_thousand_files_are_a_map_that_a_browser_can_show():
    rows = [row(f"folder-{number % 100}/{'long ' * 20}{number}.py", ai=1 + number % 7) for number in range(10_000)]

    cells = drawn(*rows)

    assert sum(cell.lines for cell in cells if not cell.around) == sum(one["lines"] for one in rows)
    assert len(cells) < 3_000
    assert any(cell.small for cell in cells)


@pytest.mark.slow
def test_a_folder_leads_to_what_is_in_it(repo, seen):
    rich.tell(repo)

    top, page = seen(**{"as": "tree"})
    below, inside = seen(path="src/", **{"as": "tree"})

    assert "src/" in [one["dim"] for one in top.rows]
    assert 'href="/files?path=src%2F"' in page
    assert {one["dim"] for one in below.rows} == {"src/parse.py", "src/sub.py", "src/old.py"}
    assert '<a href="/file?path=src%2Fparse.py">parse.py</a>' in inside
    assert below.title == "Files in src"
    assert sum(one["lines"] for one in top.rows) == top.about["total"]["rows"][0]["lines"]


@pytest.mark.slow
def test_few_files_are_a_list_and_more_are_a_tree(repo, seen):
    repo.start_ledger()
    repo.commit(files={"a/1.py": "x\n", "b.py": "y\n"})
    few, page = seen()
    repo.commit(files={f"a/{number}.py": "x\n" for number in range(70)})
    many, _ = seen()
    report, _ = seen(whole=True)

    assert [one["dim"] for one in few.rows] == ["a/1.py", "b.py"]
    assert "as a tree</a>" in page
    assert [one["dim"] for one in many.rows] == ["a/", "b.py"]
    assert len(report.rows) == 71


@pytest.mark.slow
def test_a_repository_without_lines_is_a_page(repo, seen):
    repo.start_ledger()
    repo.commit(files={"empty.txt": ""})

    shown, page = seen()

    assert (list(shown.rows), shown.about["cells"]) == ([], [])
    assert "HEAD has no lines" in page
