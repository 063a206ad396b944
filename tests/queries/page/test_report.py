"""One file with everything: it loads nothing, its links lead to itself, and it says what is not in it."""

import base64
import gzip
import hashlib
import re
from datetime import date

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.lines import evidence
from linetrail.projections.lines.replay import Replay
from linetrail.projections.tables.partitions import Parts
from linetrail.queries.audit import policy_file
from linetrail.queries.page import report as pages
from linetrail.queries.page import view
from linetrail.queries.page.assets import assets
from linetrail.queries.page.catalogue import VIEWS, show
from linetrail.queries.page.report import ALWAYS, DEPTHS, report
from linetrail.queries.page.views import findings
from tests.conftest import Repo
from tests.queries import rich

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

DAY = date(2026, 1, 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    repo = Repo(tmp_path_factory.mktemp("told") / "project")
    rich.tell(repo)
    return repo.path


PACKED = (
    r'(<section [^>]* data-packed="(\w+)"[^>]*>)</section>\n<script type="application/octet-stream" id="\2">([^<]*)<'
)


def opened(text):
    """Return a report with its packed pages opened, as its script opens them."""
    return re.sub(
        PACKED + "/script>",
        lambda found: f"{found[1]}{gzip.decompress(base64.b64decode(found[3])).decode()}</section>",
        text,
    )


def test_a_report_is_one_file_whose_links_lead_to_itself(folder, cli, tmp_path):
    answer = cli("report", "--out", str(tmp_path / "report.html"), cwd=folder)

    packed = (tmp_path / "report.html").read_text(encoding="utf-8")
    text = opened(packed)
    links, places = re.findall(r'href="([^"]*)"', text), re.findall(r' id="([^"]*)"', text)
    assert (answer.status, answer.out) == (0, "")
    assert len(links) > 50
    assert {link for link in links if not link.startswith("#")} == set()
    assert {link[1:] for link in links} - set(places) == set()
    assert len(places) == len(set(places))
    assert not re.search(r"<(img|link|iframe|form|object)\b|@import|url\(| src=", text)
    assert "write a parser" in text
    assert "Why these lines are as they are" in text
    assert "Why these lines are as they are" not in packed
    assert "Left out" not in text
    assert cli("status", "--json", cwd=folder).rows[0]["ledger_head"] in packed.partition("<section")[0]
    assert {one for one in ALWAYS if f"<h1>{VIEWS[one].label}" in packed} == set(ALWAYS)  # readable without scripts
    _forbids_all_but_its_own(packed)


def _forbids_all_but_its_own(text):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    styles = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    scripts = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    assert policy.split("; ") == [
        "default-src 'none'",
        " ".join(["style-src", *map(_digest, styles)]),
        " ".join(["script-src", *map(_digest, scripts)]),
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert len(scripts) == len(assets(".js"))


def _digest(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_a_report_sheds_stories_first_and_then_pages_and_says_so(folder):
    repository = find(str(folder))
    whole = report(repository, 10_000_000)
    most = len(whole.text.encode())

    # what a page takes is reckoned from above
    less, least = report(repository, most + 1_500), report(repository, most - 6_000)

    assert (whole.left_out, whole.shed) == ([], None)
    assert (less.left_out, less.shed) == ([], DEPTHS[1].said)
    assert "Why these lines are as they are" in opened(whole.text)
    assert "Why these lines are as they are" not in opened(less.text)
    assert f"Left out: {less.shed}." in less.text
    for one in (less, least):
        assert len(one.text.encode()) <= most
    assert least.left_out
    for one in least.left_out:
        assert f"<li>{one.view} {one.name}: no room</li>" in least.text


def test_the_overview_of_a_report_has_what_its_other_views_worked_out(folder, monkeypatch):
    monkeypatch.setattr(view, "QUICK_BYTES", 0)
    monkeypatch.setattr(findings, "QUICK_EVENTS", 0)
    monkeypatch.setattr(policy_file, "today", lambda: DAY)  # whose findings these are; at midnight they are others

    text = report(find(str(folder)), 10_000_000).text

    assert "Not worked out yet" not in text
    assert "fail an audit" in text


def test_a_report_as_of_a_moment_knows_nothing_of_later(folder, cli):
    first = cli("log", "--type", "prompt.submitted", "--json", cwd=folder).rows[-1]["event_id"]

    answer = cli("report", "--as-of", first, cwd=folder)

    assert f"As of event {first}." in answer.out
    assert "No change of a file is recorded" in answer.out


def test_text_of_others_is_text_in_a_report_and_a_file_that_is_gone_is_left_out(repo, agent, cli):
    repo.commit(files={"a.py": "old = 1\n"})
    one = agent()
    one.prompt("<script>alert(1)</script>\u202e{{ 7*7 }}")
    one.write("a.py", "x = '</style><script>alert(2)</script>'\n")
    one.write("gone.py", "x = 1\n")
    repo.commit("<script>alert(3)</script>")
    (repo.path / "gone.py").unlink()

    answer = cli("report")

    assert answer.status == 0
    assert "note: 1 page left out" in answer.err
    text = answer.out
    assert "<li>file gone.py: no file gone.py in " in text
    assert text.count('<script type="module">') == len(assets(".js"))
    text = opened(text)
    assert text.count("<script") == len(assets(".js"))
    assert "\u202e" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\N{REPLACEMENT CHARACTER}{{ 7*7 }}" in text
    assert text.count("</style>") == len(assets(".css"))
    links, places = re.findall(r'href="([^"]*)"', text), re.findall(r' id="([^"]*)"', text)
    assert {link.removeprefix("#") for link in links} - set(places) == set()


def test_the_pages_of_a_report_are_over_one_state_of_the_ledger(repo, agent, monkeypatch):
    for name in ("one", "two"):
        agent(name).write(f"{name}.py", f"{name} = 1\n")
    repo.commit()
    opened_tables, views, current = [], [], Parts.current
    monkeypatch.setattr(Parts, "current", lambda parts, **told: opened_tables.append(1) or current(parts, **told))

    def shown(view, asked):
        if not views:
            agent("late").write("one.py", "one = 2\n")
        views.append(view)
        return show(view, asked)

    monkeypatch.setattr(pages, "show", shown)
    text = opened(report(find(str(repo.path)), 10_000_000).text)

    assert {"file", "session"} <= set(views)
    assert len(opened_tables) == 3  # for all pages, for the lines at HEAD, and for the plan
    assert "Session two" in text
    assert "Session late" not in text


def test_the_past_of_files_is_replayed_for_all_pages_together(repo, agent, monkeypatch):
    lines = [f"value_{number} = compute({number})\n" for number in range(12)]
    agent().write("one.py", "".join(lines))
    repo.commit()
    repo.commit(files={"one.py": "".join(lines[:6]), "two.py": "".join(lines[6:])})
    told = []
    monkeypatch.setattr(evidence, "Replay", lambda *given: told.append("replay") or Replay(*given))
    monkeypatch.setattr(pages, "show", lambda view, asked: told.append(view) or show(view, asked))

    report(find(str(repo.path)), 10_000_000)

    assert told.count("file") == 2
    assert "replay" in told
    assert "replay" not in told[told.index("file") :]
