"""Commands held against the disk: the words that are paths, folders, patterns, and what was planted."""

import os

import pytest

from linetrail.ledger.gate.reach import content
from tests.gated import refused


@pytest.mark.parametrize(
    "command",
    [
        "(cd src/billing && ls); echo x > Makefile",
        "cd src/billing/nope; echo x > Makefile",
        'DIR="$(cd src/billing && pwd)"; echo x > Makefile',
        "(cd src/billing && ls) && rm Makefile",
        "git diff --output Makefile",
        "git merge-file Makefile README.md src/auth/session.py",
        "git format-patch -o src/auth -1",
        "sed -n 'w Makefile' README.md",
        "awk '{print > \"Makefile\"}' README.md",
        "cp --target-dir src/auth README.md",
        "tar --create --file Makefile README.md",
        "find src/billing -name a.py -exec cp {} Makefile ';'",
        "xargs rm <<< Makefile",
        "ed -s Makefile < README.md",
        "gcc -o Makefile src/billing/a.c",
        "openssl rand -out Makefile 10",
        'python3 -c \'open("Makefile","w")\'',
        "black src/auth",
        "ruff check --fix",
        "prettier --write README.md",
        "npx jest --testPathPattern x -u",
        "gofmt -w src/auth",
        "yq -i .a=1 README.md",
        "git bisect run rm Makefile",
        "git revert --no-commit HEAD",
        "cd src/billing && git cherry-pick -xn HEAD",
        "git merge --squash feature",
        "sed -n 'w P.txt' README.md",
        "gcc -o prog src/billing/a.c",
        "openssl rand -out rnd 10",
        "cp --target-dir . src/billing/a.py",
        "mystery-tool Makefile",
        "mystery-tool --into=src/auth/new.py",
        "mystery-tool -Xsrc/auth/new.py",
    ],
)
def test_a_path_in_plain_sight_is_held_against_the_scope(session, command):
    assert refused(session, command) == "OUT_OF_SCOPE"


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf src/billing/old",
        "git restore src/billing/a.py",
        "git checkout -- src/billing/a.py",
        "npx tsc --noEmit",
        "npx eslint src/billing",
        "npx jest src/billing",
        "npx vitest run src/billing",
        "PYTHONPATH=src pytest -q",
        "pytest -q > /tmp/out.txt 2>&1; tail /tmp/out.txt",
        "pytest -q tests | tee /tmp/out.txt",
        "cat tests/fixtures/token.json",
        "env | grep PATH",
        "scripts/run.sh fast",
        "mystery-tool src/billing/a.py --help",
        "f() { grep x src/billing/a.py; }; f; alias ll='ls -l'; ll",
        "python3 - <<'E'\np = 'src/billing/a.py'\nopen(p, 'w').write('x')\nE",
    ],
)
def test_what_stays_in_the_scope_or_is_temporary_is_let_through(session, command):
    assert session.ask("Bash", command=command) == {}


def test_a_hook_of_git_is_not_planted_over_two_calls(session):
    root = session.repo.path
    assert session.ask("Bash", command="cd .git") == {}
    planted = f"(cd {root}/src/billing); printf x > hooks/pre-commit; chmod +x hooks/pre-commit"

    told = session.agent.send(
        "PreToolUse", tool_name="Bash", tool_input={"command": planted}, tool_use_id="t2", cwd=str(root / ".git")
    )

    assert session.code(told) == "DANGEROUS_COMMAND"


@pytest.mark.parametrize(
    "command",
    [
        "F=$(cat names); echo x > $F",
        'while read -r f; do rm "$f"; done < names',
        "cat names | xargs rm",
        'python3 -c \'open("Make" + "file", "w")\'',
        "rm -rf $DIR/x",
    ],
)
def test_what_nobody_sees_before_it_runs_is_not_written(session, command):
    assert refused(session, command) == "DANGEROUS_COMMAND"


def test_a_folder_is_deleted_only_with_all_that_is_in_it(gated, repo):
    for name in ("lib/a.py", "lib/keep/b.py", "lib/sub/.git/config"):
        repo.write(name, "x\n")
    repo.write(".orchestration/active_intents.yaml", "")
    registry = "active_intents: [{id: INT-001, name: A, status: IN_PROGRESS, owned_scope: [lib/**, '!lib/keep/**']}]\n"
    session = gated(registry=registry)
    session.select("INT-001")

    assert refused(session, "rm -rf lib/keep") == "OUT_OF_SCOPE"
    assert refused(session, "rm -rf lib") in ("OUT_OF_SCOPE", "PROTECTED_PATH")
    assert refused(session, "rm -rf lib/sub") == "PROTECTED_PATH"


@pytest.mark.parametrize(
    ("leads_to", "code"), [("Makefile", "OUT_OF_SCOPE"), ("/opt/a.py", "OUTSIDE_REPOSITORY")], ids=["back", "elsewhere"]
)
def test_a_temporary_link_is_followed(session, tmp_path_factory, leads_to, code):
    link = tmp_path_factory.mktemp("elsewhere") / "link"
    link.symlink_to(session.repo.path / leads_to)

    assert refused(session, f"echo x > {link}") == code


def test_a_pattern_is_held_with_what_it_matches(session):
    (session.repo.path / "src/billing/link.py").symlink_to("../../Makefile")

    assert refused(session, "tee src/billing/*.py") == "OUT_OF_SCOPE"


def test_a_planted_hook_is_a_violation_and_told_to_the_next_session(gated, agent, repo):
    session = gated()
    session.select("INT-001")
    assert session.ask("Bash", command="pytest -q") == {}
    hook = repo.path / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")

    told = session.report({"stdout": "", "stderr": "", "interrupted": False})

    assert "GATE_CHANGED" in told["additionalContext"]
    assert [event.data["path"] for event in repo.events("gate.violation")] == [".git/hooks/pre-commit"]
    begun = agent("s9", model=None).send("SessionStart", source="startup")
    assert ".git/hooks/pre-commit" in begun["additionalContext"]
    hook.unlink()
    begun = agent("s10", model=None).send("SessionStart", source="startup")
    assert ".git/hooks/pre-commit" not in begun.get("additionalContext", "")
    hook.write_text("#!/bin/sh\n")
    begun = agent("s11", model=None).send("SessionStart", source="startup")
    assert ".git/hooks/pre-commit" not in begun.get("additionalContext", "")


def test_branches_and_remotes_are_daily_work(gated, repo):
    session = gated()
    session.select("INT-001")
    session.ask("Bash", command="git checkout -b feature")
    repo.git("remote", "add", "origin", "https://example.com/x.git")
    repo.git("config", "branch.feature.remote", "origin")

    session.report({"stdout": "", "stderr": "", "interrupted": False})

    assert list(repo.events("gate.violation")) == []


def test_no_session_selects_for_another(session):
    assert refused(session, "linetrail select INT-001 --session s2") == "DANGEROUS_COMMAND"
    assert refused(session, "linetrail select INT-001 --ses s2") == "DANGEROUS_COMMAND"


@pytest.mark.parametrize(
    "command",
    [
        "linetrail export sarif --out Makefile",
        "linetrail export sarif --ou .claude/settings.json",
        "linetrail audit --out=README.md",
        "linetrail demo src/other",
        "linetrail doctor --fi",
        "python3 -m linetrail export sarif --out Makefile",
        "git linetrail export sarif --out Makefile",
    ],
)
def test_our_own_commands_write_where_any_other_may(session, command):
    assert refused(session, command) is not None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name here")
def test_a_file_to_follow_is_never_waited_for(session, repo):
    os.mkfifo(repo.path / "src/billing/pipe.sql")

    assert content(str(repo.path), "src/billing/pipe.sql") is None
    assert content(str(repo.path), "src/billing/none.sql") is None
    assert content(str(repo.path), "src/billing") is None


def test_a_file_to_follow_that_is_too_long_is_refused_whatever_its_letters_take(session, repo):
    repo.write("src/billing/long.sql", "-- " + "長" * 100_000 + "\nattach 'Makefile' as m;\n")

    assert refused(session, "sqlite3 src/billing/x.db < src/billing/long.sql") == "DANGEROUS_COMMAND"


@pytest.mark.parametrize(
    "command",
    [
        "unzip -qo a.zip -d src/billing/",
        "isort src/billing",
        "codespell -w src/billing",
        "ruff format src/billing",
        "rsync -a docs/ src/billing/",
    ],
)
def test_who_writes_below_a_folder_writes_through_links_in_it(session, command):
    session.repo.write("src/billing/deep/a.py", "x\n")
    session.repo.write("docs/a.md", "x\n")
    inside, outside = (session.repo.path / "src/billing/deep" / name for name in ("inside", "outside"))
    inside.symlink_to("../deep")
    assert refused(session, command) is None

    outside.symlink_to("../../../docs")
    assert refused(session, command) == "OUT_OF_SCOPE"


def test_a_folder_with_more_entries_than_anybody_looks_through_is_refused(session, monkeypatch):
    monkeypatch.setattr("linetrail.ledger.gate.reach.MOST_WALKED", 10)
    monkeypatch.setattr("linetrail.ledger.gate.reach.MOST_ENTRIES", 5)
    for number in range(12):
        session.repo.write(f"src/billing/many/{number}.py", "x\n")

    assert refused(session, "isort src/billing/many") == "UNRESOLVABLE"
