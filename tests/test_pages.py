"""Pages stay short and true: what they name is there, what is there is named, and a README is read to its end."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("ledger", "projections", "queries")
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "ledger").glob("*.md")]
LINK = re.compile(r"\[[^]\[]*\]\(([^)#\s]*)(#[^)\s]*)?\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
FOLDER = re.compile(r"(?<!\S)([a-z_]+)/")


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def anchors(path):
    """Return the places of a page that a link may name, as GitHub calls them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    return {"#" + re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def folders(room):
    return {path.name for path in (ROOT / room).iterdir() if path.is_dir() and not path.name.startswith("__")}


def section(text, heading):
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def drawn():
    """Return the folders that the picture of ARCHITECTURE.md has, room by room."""
    rooms = {}
    for line in FENCE.search(read("ARCHITECTURE.md"))[0].splitlines()[1:-1]:
        if not line.startswith(" "):
            room = rooms.setdefault(line.partition("/")[0], set())
        else:
            room.update(FOLDER.findall(line))
    return rooms


def test_the_picture_has_every_folder_and_no_other():
    assert drawn() == {room: folders(room) for room in ROOMS}


def test_every_path_of_the_one_page_is_there():
    named = re.findall(r"`([a-z_]+/[\w./]*)`", read("ARCHITECTURE.md"))

    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_one_page_is_one_page_with_few_words_of_its_own():
    text = read("ARCHITECTURE.md")

    assert len(text.splitlines()) < 110
    assert len(section(text, "Words").split()) <= 30


def test_both_flows_are_steps_with_links():
    text = read("ARCHITECTURE.md")

    for flow in ("From an agent to the ledger", "From a question to the terminal"):
        steps = re.findall(r"^\d\. (.*(?:\n   .*)*)", section(text, flow), re.MULTILINE)
        assert len(steps) >= 5
        assert all(LINK.search(step) for step in steps)


def test_links_lead_to_pages_and_their_headings():
    broken = [
        f"{page.relative_to(ROOT)}: {target}{anchor}"
        for page in PAGES
        for target, anchor in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
        if not target.startswith(("http", "mailto")) and not is_there(page.parent / target if target else page, anchor)
    ]

    assert broken == []


def is_there(path, anchor):
    return path.exists() and (not anchor or path.suffix != ".md" or anchor in anchors(path))


def test_the_index_leads_to_every_page():
    linked = {(ROOT / "docs" / target).resolve() for target, _ in LINK.findall(read("docs/index.md"))}

    assert {path for path in (ROOT / "docs").glob("*.md") if path.name != "index.md"} - linked == set()


def test_the_readme_is_read_to_its_end():
    assert len(read("README.md").split()) <= 1_500


def test_tests_are_in_the_folders_of_what_they_test():
    tested = {room: folders(f"tests/{room}") for room in ROOMS}

    assert {room: sorted(names - folders(room)) for room, names in tested.items()} == {room: [] for room in ROOMS}
