"""`start`, `workers`, `give-back`, `land`: a worktree for each intent, and nothing of what it did is lost."""

import json
import shlex
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.work.accounting import Merge, breaches
from linetrail.queries.work.states import move
from tests.conftest import ClaudeCode

TOTAL = "def total(items):\n    return round(sum(items), 2)\n"
DROPPED, INVENTED = ({(code, what) for what in ("line", "definition")} for code in ("DROPPED", "INVENTED"))
LATER = """\
from src.cart import total


def charge(a):
    assert not hasattr(total, "MORE")
    return a
"""
DROPPER = """\
#!{python}
import subprocess
import sys
import time
ours, theirs = (open(name).read().splitlines(keepends=True) for name in sys.argv[1:3])
open(sys.argv[1], "w").write("".join(ours[:-1] + theirs[-1:]))
"""


def test_work_has_a_worktree_a_branch_and_its_intent_selected(shop, started, cli):
    made, _ = started("INT-001")

    assert made.git("rev-parse", "--abbrev-ref", "HEAD") == "lt/INT-001"
    assert made.path.parent == shop.path.parent / f"{shop.path.name}-work"
    assert "INT-001 is selected" in cli("-C", str(made.path), "select").out
    assert [event.data["state"] for event in shop.events("work.moved")] == ["running"]
    assert (shop.path / ".git/linetrail/work/INT-001/brief.md").read_text().startswith("# INT-001: Totals\n")


def test_a_worker_is_told_who_else_is_at_work_and_whom_it_may_meet(shop, started):
    started("INT-001")
    started("INT-003")

    brief = (shop.path / ".git/linetrail/work/INT-003/brief.md").read_text()
    assert "- INT-001 Totals: src/cart/**" in brief
    assert "- with INT-001: both own src/cart/" in brief
    assert "linetrail give-back INT-003" in brief


def test_a_command_runs_in_the_worktree_with_the_brief_and_without_its_parents_session(shop, cli, monkeypatch):
    monkeypatch.setenv("CURSOR_PROJECT_DIR", "of-the-planner")
    program = (
        "import os, sys; brief = sys.stdin.read(); assert brief == sys.argv[1];"
        "open('src/cart/seen.txt', 'w').write(brief.splitlines()[0] + str(os.environ.get('CURSOR_PROJECT_DIR')))"
    )
    row = cli("start", "INT-001", "--json", "--", sys.executable, "-c", program, "{brief}").rows[0]

    assert row["exit_code"] == 0
    assert (Path(row["worktree"]) / "src/cart/seen.txt").read_text() == "# INT-001: TotalsNone"


def test_a_worker_of_the_settings_is_run_and_one_that_takes_too_long_is_stopped(shop, cli):
    command = shlex.join([sys.executable, "-c", "import time; time.sleep(600)"])
    shop.write(".orchestration/config.yaml", f"workers:\n  slow: {json.dumps(command)}\n  seconds: 1\n")

    answer = cli("start", "INT-001", "--agent", "slow", "--json")

    assert (answer.status, answer.rows[0]["exit_code"]) == (1, None)
    assert shop.events("work.moved")[-1].data["reason"] == "stopped after 1 s"
    assert "no worker fast; there is slow" in cli("start", "INT-002", "--agent", "fast").err


@pytest.mark.slow
def test_what_lands_keeps_the_session_that_wrote_it(shop, returned, cli):
    _, answer = returned("INT-001", "src/cart/total.py", TOTAL)
    assert (answer.status, answer.rows[0]["findings"]) == (0, [])

    landed = cli("land", "--json")

    assert landed.status == 0, landed.out
    assert shop.git("rev-parse", "HEAD") == landed.rows[0]["revision"]
    assert (shop.path / "src/cart/total.py").read_text() == TOTAL
    rows = cli("blame", "src/cart/total.py", "--json").rows
    assert [(row["session_id"], row["intent_id"]) for row in rows][1] == ("session-INT-001", "INT-001")
    assert cli("verify").status == 0
    assert [event.data["state"] for event in shop.events("work.moved")] == [
        "running",
        "given_back",
        "checking",
        "landed",
    ]


@pytest.mark.slow
def test_two_that_changed_the_same_line_do_not_both_land(shop, returned, cli, states):
    returned("INT-001", "src/cart/total.py", TOTAL)
    returned("INT-003", "src/cart/total.py", "def total(items):\n    return int(sum(items))\n")

    answer = cli("land", "--json")

    first, second = answer.rows
    assert (answer.status, first["outcome"], second["outcome"]) == (1, "landed", "evicted")
    assert (second["code"], second["paths"], second["suspects"]) == ("CONFLICT", ["src/cart/total.py"], ["INT-001"])
    context = Path(second["context"]).read_text()
    assert "return round(sum(items), 2)" in context
    assert "return int(sum(items))" in context
    assert states()["INT-003"] == "evicted"
    cli("start", "INT-003")
    assert "return round(sum(items), 2)" in (shop.path / ".git/linetrail/work/INT-003/brief.md").read_text()


@pytest.mark.slow
def test_what_was_evicted_lands_once_its_worker_merged_and_mended_it(shop, returned, cli, states):
    returned("INT-001", "src/cart/total.py", TOTAL)
    made, _ = returned("INT-003", "src/cart/total.py", "def total(items):\n    return int(sum(items))\n")
    cli("land")
    with pytest.raises(subprocess.CalledProcessError):
        made.git("merge", "--quiet", "main")
    made.write("src/cart/total.py", TOTAL.replace("2)", "3)"))

    given = cli("give-back", "INT-003", "--json")

    assert (given.status, [change["path"] for change in given.rows[0]["files"]]) == (0, ["src/cart/total.py"])
    assert cli("land").status == 0
    assert states()["INT-003"] == "landed"


@pytest.mark.slow
def test_a_driver_that_drops_lines_and_ends_with_0_lands_nothing(shop, returned, cli, tmp_path):
    shop.commit(files={".gitattributes": "*.py merge=dropper\n", "src/cart/items.py": "a = 1\nb = 2\nc = 3\n"})
    driver = tmp_path / "driver"
    driver.write_text(DROPPER.format(python=sys.executable))
    driver.chmod(driver.stat().st_mode | stat.S_IXUSR)
    shop.git("config", "merge.dropper.driver", f"{driver} %A %B")
    before = "a = 1\nb = 2\nc = 3\n"
    returned("INT-001", "src/cart/items.py", f"ours = 0\n{before}")
    shop.commit(files={"src/cart/items.py": f"{before}theirs = 0\n"})
    tip = shop.git("rev-parse", "HEAD")

    (row,) = cli("land", "--json").rows

    assert (row["outcome"], row["code"]) == ("evicted", "NOT_CONSERVED")
    assert "DROPPED src/cart/items.py: line" in Path(row["context"]).read_text()
    assert shop.git("rev-parse", "HEAD") == tip


@pytest.mark.parametrize(
    ("merged", "expected"),
    [
        pytest.param("def a(): 1\ndef b(): 2\ndef c(): 3\n", set(), id="all of both sides"),
        pytest.param("def a(): 1\n\n\ndef b():   2\ndef c(): 3\n", set(), id="laid out anew"),
        pytest.param("def a(): 1\ndef b(): 2\n", DROPPED, id="theirs dropped"),
        pytest.param("def b(): 2\ndef c(): 3\n", DROPPED, id="the base dropped"),
        pytest.param("def a(): 1\ndef b(): 2\ndef c(): 3\ndef d(): 4\n", INVENTED, id="more than both"),
        pytest.param("def a(): 1\ndef b(): 2\ndef c(): 3\nx = 0\n", INVENTED, id="back what both deleted"),
    ],
)  # fmt: skip
def test_each_line_and_definition_of_both_sides_is_accounted_for(repo, merged, expected):
    base = repo.commit(files={"a.py": "def a(): 1\nx = 0\n"})
    ours = repo.commit(files={"a.py": "def a(): 1\ndef b(): 2\n"})
    repo.git("checkout", "--quiet", base)
    theirs = repo.commit(files={"a.py": "def a(): 1\ndef c(): 3\n"})
    tree = repo.commit(files={"a.py": merged})

    found = breaches(find(str(repo.path)), Merge(base, ours, theirs, tree))

    assert {(one.code, one.what) for one in found} == expected


def test_a_file_that_one_side_renamed_and_the_other_edited_is_accounted_for(repo):
    content = "".join(f"line {number}\n" for number in range(20))
    base = repo.commit(files={"a.txt": content})
    repo.git("mv", "a.txt", "b.txt")
    ours = repo.commit()
    repo.git("checkout", "--quiet", base)
    theirs = repo.commit(files={"a.txt": f"{content}more\n"})
    tree = repo.git("merge-tree", "--write-tree", ours, theirs)

    assert breaches(find(str(repo.path)), Merge(base, ours, theirs, tree)) == []


@pytest.mark.slow
def test_a_checkout_with_changes_is_not_touched(shop, returned, cli):
    returned("INT-001", "src/cart/total.py", TOTAL)
    shop.write("src/pay/card.py", "changed\n")
    tip = shop.git("rev-parse", "HEAD")

    answer = cli("land")

    assert (answer.status, "with changes" in answer.err) == (1, True)
    assert (shop.git("rev-parse", "HEAD"), (shop.path / "src/pay/card.py").read_text()) == (tip, "changed\n")


@pytest.mark.slow
def test_files_outside_of_the_scope_stand_against_work_until_a_person_accepts_them(shop, returned, cli):
    _, answer = returned("INT-001", "README.md", "more\n")
    assert (answer.status, [one["code"] for one in answer.rows[0]["findings"]]) == (1, ["OUT_OF_SCOPE"])

    assert cli("land", "--json").rows[0]["code"] == "FINDINGS"
    cli("give-back", "INT-001")
    assert cli("land", "--accept", "--json").rows[0]["outcome"] == "landed"


@pytest.mark.slow
def test_a_branch_that_went_on_is_given_back_again_and_keeps_nobody_from_landing(returned, cli, states):
    made, _ = returned("INT-001", "src/cart/total.py", TOTAL)
    returned("INT-002", "src/pay/card.py", TOTAL)
    made.commit(files={"src/cart/items.py": "x = 1\n"})

    answer = cli("land")

    assert (answer.status, "lt/INT-001 has gone on since it was given back" in answer.out) == (1, True)
    assert {name: states()[name] for name in ("INT-001", "INT-002")} == {"INT-001": "evicted", "INT-002": "landed"}
    assert [cli("give-back", "INT-001").status, cli("land").status] == [0, 0]


@pytest.mark.slow
def test_a_branch_that_somebody_removed_keeps_nobody_from_landing_and_begins_where_it_was(shop, returned, cli):
    made, _ = returned("INT-001", "src/cart/total.py", TOTAL)
    returned("INT-002", "src/pay/card.py", TOTAL)
    head = made.git("rev-parse", "HEAD")
    shop.git("worktree", "remove", "--force", str(made.path))
    shop.git("branch", "-D", "lt/INT-001")

    answer = cli("land", "--json")
    assert [(row["intent_id"], row["outcome"], row["code"]) for row in answer.rows] == [
        ("INT-001", "evicted", "GONE"),
        ("INT-002", "landed", None),
    ]
    assert "its worktree is gone, and there is no branch lt/INT-001" in cli("workers").out

    cli("start", "INT-001")
    assert made.git("rev-parse", "HEAD^1") == head


@pytest.mark.slow
def test_a_branch_to_land_on_that_is_gone_is_told(shop, returned, cli):
    shop.git("switch", "--quiet", "--create", "other")
    returned("INT-001", "src/cart/total.py", TOTAL)
    shop.git("switch", "--quiet", "--detach")
    shop.git("branch", "--delete", "--force", "other")

    assert "INT-001 was evicted: there is no branch other" in cli("land").out


@pytest.mark.slow
def test_a_check_that_fails_only_together_names_the_intent_that_landed_before(shop, returned, cli):
    program = "from src.cart.total import total; from src.pay.card import charge; assert total([1]) == charge(1)"
    check = f"{sys.executable} -c {shlex.quote(program)}"
    returned("INT-001", "src/cart/total.py", "def total(items):\n    return sum(items)\n\n\nMORE = 1\n")
    returned(
        "INT-002",
        "src/pay/card.py",
        "from src.cart import total\n\n\ndef charge(a):\n    assert not hasattr(total, 'MORE')\n    return a\n",
    )

    first, second = cli("land", "--check", check, "--json").rows

    assert (first["intent_id"], first["outcome"]) == ("INT-001", "landed")
    assert (second["outcome"], second["code"], second["suspects"]) == ("evicted", "CHECK_FAILED", ["INT-001"])
    assert second["reason"].startswith("each alone passes the check")
    assert shop.git("worktree", "list").count("\n") == 2  # what checks were run in is gone


@pytest.mark.slow
def test_a_land_that_died_before_it_could_say_so_is_taken_up(shop, returned, cli, states):
    returned("INT-001", "src/cart/total.py", TOTAL)
    shop.git("merge", "--quiet", "--no-ff", "-m", "land", "lt/INT-001")

    (row,) = cli("land", "--json").rows

    assert (row["outcome"], row["revision"]) == ("landed", shop.git("rev-parse", "HEAD"))


@pytest.mark.slow
def test_workers_shows_who_wrote_where_and_whom_they_meet(shop, started, cli):
    _, one = started("INT-001")
    _, other = started("INT-003")
    one.write("src/cart/total.py", TOTAL)
    other.write("src/cart/total.py", TOTAL)
    elsewhere = str(shop.path / "src/cart/items.py")
    with other.tool("Write", {"file_path": elsewhere, "content": "x"}, {}):
        Path(elsewhere).write_text("x")

    rows = {row["intent_id"]: row for row in cli("workers", "--json").rows}

    assert [rows[name]["state"] for name in sorted(rows)] == ["running", "ready", "running", "planned"]
    assert rows["INT-001"]["meets"] == {"INT-003": ["src/cart/total.py"]}
    assert rows["INT-001"]["outside"] == []
    assert rows["INT-003"]["outside"] == ["outside:items.py"]
    assert rows["INT-003"]["session_id"] == "session-INT-003"
    assert {row["state"] for row in cli("workers", "--json", "--stalled-after", "0").rows} >= {"stalled"}


@pytest.mark.slow
def test_workers_names_sessions_of_the_worktree_and_what_they_write_in_the_main_one_meanwhile(shop, started, cli):
    before = ClaudeCode(shop, "session-INT-001", "claude-model-x")
    before.write("src/cart/items.py", "def items():\n    return [1]\n")
    assert cli("seal").status == 0
    shop.commit()

    assert cli("start", "INT-001").status == 0
    assert [cli("workers", "--json").rows[0][name] for name in ("session_id", "outside")] == [None, []]

    _, agent = started("INT-001")
    agent.write("src/cart/total.py", TOTAL)
    before.write("src/pay/card.py", TOTAL)
    assert [cli("workers", "--json").rows[0][name] for name in ("session_id", "outside")] == [
        "session-INT-001",
        ["src/pay/card.py"],
    ]


@pytest.mark.parametrize(
    ("event", "tool"),
    [
        pytest.param("PermissionRequest", "Bash", id="may this run"),
        pytest.param("PreToolUse", "AskUserQuestion", id="a question of its own"),
    ],
)
def test_workers_says_who_waits_for_an_answer_in_the_dialog_of_its_agent(started, cli, event, tool):
    _, agent = started("INT-001")
    call = {"tool_name": tool, "tool_input": {"command": "make"}, "tool_use_id": "toolu_1"}

    def state():
        return next((row["state"], row["waits_for"]) for row in cli("workers", "--json").rows)

    agent.send(event, **call)
    assert state() == ("waiting", [f"question in {tool}"])

    agent.send("PostToolUse", **call, tool_response={"stdout": "", "stderr": ""})
    assert state() == ("running", [])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(("give-back", "INT-001"), "next: linetrail start INT-001", id="given back before it began"),
        pytest.param(("land", "INT-001"), "next: linetrail start INT-001", id="landed before it began"),
        pytest.param(("start", "INT-004"), "INT-004 waits for INT-002", id="begun before what it waits for"),
        pytest.param(("start", "INT-999"), "no intent INT-999", id="an intent that is not there"),
        pytest.param(("start", "INT-001", "--agent", "a", "--", "b"), "not both", id="two workers"),
        pytest.param(("start", "INT-001", "--seconds", "-1"), "no whole number from 1", id="less than no time"),
        pytest.param(("give-back", "INT-001", "--reason", "x"), "--abandon", id="a reason for nothing"),
    ],
)
def test_what_may_not_follow_is_refused_with_the_next_command(shop, cli, words, said):
    answer = cli(*words)

    assert answer.status in (1, 2)
    assert said in answer.err
    assert not shop.events("work.moved")


@pytest.mark.slow
def test_work_that_is_given_up_keeps_its_branch(shop, returned, cli, states):
    returned("INT-001", "src/cart/total.py", TOTAL)

    cli("give-back", "INT-001", "--abandon", "--reason", "not wanted")

    assert shop.git("show", "lt/INT-001:src/cart/total.py") == TOTAL.removesuffix("\n")
    assert states()["INT-001"] == "abandoned"
    assert cli("land", "INT-001").status == 1


@pytest.mark.slow
def test_what_stands_against_work_still_does_where_a_land_was_killed(shop, returned, cli):
    returned("INT-001", "README.md", "more\n")
    move(find(str(shop.path)), "INT-001", "checking")

    assert cli("land", "--json").rows[0]["code"] == "FINDINGS"


def test_work_that_changes_nothing_does_not_land(started, cli):
    started("INT-001")

    assert cli("give-back", "INT-001").status == 1
    assert cli("land", "--json").rows[0]["outcome"] == "evicted"


@pytest.mark.slow
def test_both_sides_are_laid_beside_each_other_and_the_answer_reaches_the_loser(shop, returned, cli, states):
    returned("INT-001", "src/cart/total.py", TOTAL)
    returned("INT-003", "src/cart/total.py", "def total(items):\n    return int(sum(items))\n")

    facts = json.loads(cli("arbitrate", "INT-001", "INT-003", "--json").out)
    cli("arbitrate", "INT-001", "INT-003", "--for", "INT-003", "--why", "cents are not shown")

    assert (facts["meta"]["files"], facts["meta"]["conflicts"]) == (["src/cart/total.py"], ["src/cart/total.py"])
    assert "return round(sum(items), 2)" in facts["meta"]["hunks"]
    (decision,), (lesson,) = shop.events("decision.recorded"), shop.events("lesson.recorded")
    assert (decision.data["title"], decision.intent_id) == ("INT-003 goes before INT-001", "INT-003")
    assert (lesson.data["path"], lesson.data["resolution"]) == ("src/cart/total.py", "cents are not shown")
    assert (states()["INT-001"], states()["INT-003"]) == ("evicted", "given_back")
    cli("start", "INT-001")
    assert "goes first: cents are not shown" in (shop.path / ".git/linetrail/work/INT-001/brief.md").read_text()


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("INT-001",), id="one side"),
        pytest.param(("INT-003", "--for", "INT-002", "--why", "x"), id="a third"),
        pytest.param(("INT-003", "--for", "INT-001"), id="no reason"),
    ],
)
def test_an_answer_that_decides_nothing_is_refused(shop, cli, words):
    assert cli("arbitrate", "INT-001", *words).status == 2
    assert not shop.events("decision.recorded")


@pytest.mark.in_turn
@pytest.mark.slow
def test_a_coordinator_that_is_killed_at_any_moment_loses_nothing(shop, started, cli):
    steps = [("start", "INT-001"), ("start", "INT-002"), ("give-back", "INT-001"), ("give-back", "INT-002"), ("land",)]
    files = {"INT-001": "src/cart/total.py", "INT-002": "src/pay/card.py"}
    command = [sys.executable, "-m", "linetrail", "-C", str(shop.path)]
    kills = 0
    for words in steps:
        for delay in (0, 0.3, 0.6, 1.0):  # wherever that hits it: what must hold, holds at each instant
            process = subprocess.Popen([*command, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            kills += process.poll() is None
            process.kill()
            process.wait()
        done = cli(*words)
        if words[0] == "start":
            assert done.status == 0, done.err
            worktree = shop.path.parent / f"{shop.path.name}-work" / words[1]
            (worktree / files[words[1]]).write_text(f"made = '{words[1]}'\n")

    assert kills > 0
    assert {name: (shop.path / path).read_text() for name, path in files.items()} == {
        name: f"made = '{name}'\n" for name in files
    }
    assert {event.intent_id for event in shop.events("work.moved") if event.data["state"] == "landed"} == set(files)
    assert cli("verify").status == 0


@pytest.mark.slow
def test_of_several_that_landed_before_the_one_that_breaks_the_check_is_named_first(shop, started, cli):
    names = [f"INT-{number}" for number in (101, 102, 103, 104)]
    intents = [f"  - {{id: {name}, name: N, status: DRAFT, owned_scope: [{name}.txt]}}\n" for name in names]
    registry = shop.path / ".orchestration" / "active_intents.yaml"
    registry.write_text(registry.read_text() + "".join(intents))
    shop.commit()
    for name in names:
        made, _ = started(name)
        made.write(f"{name}.txt", "x\n")
        assert cli("give-back", name).status == 0

    rows = cli("land", "--check", "! { test -e INT-102.txt && test -e INT-104.txt; }", "--json").rows

    assert [row["outcome"] for row in rows] == ["landed", "landed", "landed", "evicted"]
    assert rows[-1]["suspects"][0] == "INT-102"


@pytest.mark.slow
def test_a_worktree_that_somebody_removed_is_made_anew_from_its_branch(shop, started, cli):
    made, _ = started("INT-001")
    made.commit(files={"src/cart/total.py": TOTAL})
    shutil.rmtree(made.path)

    assert "its worktree is gone" in {row["reason"] for row in cli("workers", "--json").rows if row["reason"]}.pop()
    again, _ = started("INT-001")

    assert (again.path / "src/cart/total.py").read_text() == TOTAL


@pytest.mark.slow
def test_a_worker_behind_the_gate_may_write_in_its_scope_and_give_back_and_no_more(shop, started):
    shop.write(".orchestration/config.yaml", "enforce: block\n")
    made, agent = started("INT-001")

    def verdict(tool, **given):
        call = {"tool_name": tool, "tool_input": given, "tool_use_id": f"toolu_{tool}_{len(given)}"}
        return agent.send("PreToolUse", **call).get("permissionDecision")

    assert verdict("Write", file_path=str(made.path / "src/cart/total.py"), content=TOTAL) is None
    assert verdict("Write", file_path=str(made.path / "src/pay/card.py"), content=TOTAL) == "deny"
    assert verdict("Write", file_path=str(shop.path / "src/cart/total.py"), content=TOTAL) == "deny"
    assert verdict("Bash", command="linetrail give-back INT-001") is None
    assert verdict("Bash", command="linetrail land INT-001") in ("deny", "ask")


@pytest.mark.slow
def test_what_a_merge_left_in_a_file_is_a_finding(shop, started, cli):
    made, _ = started("INT-001")
    made.write("src/cart/caf\u00e9 total.py", "<<<<<<< ours\nx = 1\n=======\nx = 2\n>>>>>>> theirs\n")
    made.write("src/cart/notes.txt", "<<<<<<< is how a conflict begins\n")

    answer = cli("give-back", "INT-001", "--json")

    found = [(one["code"], one["path"]) for one in answer.rows[0]["findings"]]
    assert (answer.status, found) == (1, [("CONFLICT_MARKERS", "src/cart/caf\u00e9 total.py")])


@pytest.mark.slow
def test_more_findings_than_an_event_has_room_for_are_all_in_the_report(shop, started, cli):
    made, _ = started("INT-001")
    for number in range(300):
        made.write(f"{'long' * 40}/{number}.txt", "x\n")

    report = cli("give-back", "INT-001", "--json")

    assert len(report.rows[0]["findings"]) == 300
    assert 10 < len(shop.events("work.moved")[-1].data["findings"]) < 300
    assert cli("land", "--json").rows[0]["code"] == "FINDINGS"
