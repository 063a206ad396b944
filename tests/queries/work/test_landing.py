"""What happens to the repository while work lands."""

import json
import shlex

import pytest

pytestmark = pytest.mark.slow

TOTAL = "def total(items):\n    return round(sum(items), 2)\n"


def test_a_branch_that_moves_meanwhile_is_merged_as_it_is_then(shop, returned, cli, tmp_path):
    returned("INT-001", "src/cart/total.py", TOTAL)
    commits = f"git -C {shlex.quote(str(shop.path))} commit --quiet --allow-empty -m meanwhile"

    (row,) = cli("land", "--json", "--check", f"mkdir {shlex.quote(str(tmp_path))}/once && {commits} || true").rows

    assert (row["outcome"], row["revision"]) == ("landed", shop.git("rev-parse", "HEAD"))
    assert shop.git("log", "-1", "--format=%s", "HEAD^") == "meanwhile"


def test_a_checkout_that_another_git_is_at_work_in_evicts_nobody(shop, returned, cli, states):
    returned("INT-001", "src/cart/total.py", TOTAL)
    lock = shop.path / ".git/index.lock"

    early = cli("land", "--check", f"touch {shlex.quote(str(lock))}")
    lock.unlink()
    late = cli("land")

    assert (early.status, "main could not be moved" in early.err) == (1, True)
    assert (late.status, states()["INT-001"]) == (0, "landed")


def test_what_a_check_ran_in_is_gone_after_the_next_though_the_first_was_killed(shop, returned, cli, linetrail):
    returned("INT-001", "src/cart/total.py", TOTAL)
    assert linetrail("land", "--check", "kill -9 $PPID").returncode == -9
    assert shop.git("worktree", "list").count("\n") == 2

    assert cli("land", "--check", "true").status == 0

    assert shop.git("worktree", "list").count("\n") == 1


def test_work_that_landed_goes_on_where_its_branch_landed_with_what_was_committed_there(shop, returned, started, cli):
    returned("INT-001", "src/cart/total.py", TOTAL)
    assert cli("land").status == 0
    shop.commit(files={".orchestration/config.yaml": "enforce: warn\n"})

    made, _ = started("INT-001")

    assert made.git("rev-parse", "HEAD") == shop.git("rev-parse", "main")
    assert made.git("status", "--porcelain", "--untracked-files=no") == ""


def test_a_worktree_with_changes_that_cannot_follow_keeps_all_it_had(shop, returned, cli):
    made, _ = returned("INT-001", "src/cart/total.py", TOTAL)
    assert cli("land").status == 0
    shop.commit(files={"src/cart/total.py": "changed\n", ".orchestration/config.yaml": "enforce: warn\n"})
    made.write("src/cart/total.py", "not committed\n")

    answer = cli("start", "INT-001")

    assert (answer.status, "would be overwritten by merge" in answer.err) == (2, True)
    assert (made.path / "src/cart/total.py").read_text() == "not committed\n"
    assert cli("-C", str(made.path), "verify").status == 0


def test_what_was_evicted_begins_again_with_what_landed_though_the_registry_was_committed(shop, returned, started, cli):
    returned("INT-001", "src/cart/total.py", TOTAL)
    returned("INT-003", "src/cart/total.py", "def total(items):\n    return int(sum(items))\n")
    assert cli("land").status == 1
    shop.commit(files={".orchestration/config.yaml": "enforce: warn\n"})
    shop.git("add", "--force", ".orchestration")
    shop.commit()
    shop.git("config", "merge.ff", "only")  # what people set for their own merges

    made, agent = started("INT-003")

    assert "<<<<<<<" in (made.path / "src/cart/total.py").read_text()
    agent.write("src/cart/total.py", f"{TOTAL}\n\ndef whole(items):\n    return int(total(items))\n")
    assert cli("give-back", "INT-003").status == 0
    assert cli("land").status == 0
    blamed = json.loads(cli("blame", "src/cart/total.py", "--json").out)["rows"]
    assert [row["session_id"] for row in blamed[1:]] == ["session-INT-001"] + ["session-INT-003"] * 4
    assert cli("verify").status == 0


def test_nobody_goes_before_work_that_has_landed(shop, returned, cli, states):
    returned("INT-001", "src/cart/total.py", TOTAL)
    returned("INT-003", "src/cart/items.py", "def items():\n    return [1]\n")
    returned("INT-002", "src/pay/card.py", "def charge(amount):\n    return -amount\n")
    assert cli("land", "INT-001", "INT-003").status == 0
    assert cli("give-back", "INT-002", "--abandon", "--reason", "not wanted").status == 0

    for one, other in (("INT-001", "INT-003"), ("INT-002", "INT-001"), ("INT-001", "INT-002")):
        answer = cli("arbitrate", one, other, "--for", one, "--why", "older")
        assert (answer.status, f"the work for {other} is {states()[other]}" in answer.err) == (1, True)

    assert not shop.events("decision.recorded")
