"""What happens to the repository while work lands."""

import shlex

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
