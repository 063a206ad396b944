"""The rooms know each other in one direction, and the hook path stays as light as it is promised to be."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# What DESIGN calls slow: each of these costs more than the hook may, or drags in what does.
TOO_SLOW_FOR_A_HOOK = {
    "argparse",
    "asyncio",
    "concurrent.futures",
    "ctypes",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "duckdb",
    "email",
    "http",
    "importlib.metadata",
    "importlib.resources",
    "inspect",
    "logging",
    "multiprocessing",
    "pathlib",
    "pyarrow",
    "pydantic",
    "random",
    "rich",
    "shutil",
    "socket",
    "sqlite3",
    "subprocess",
    "tempfile",
    "threading",
    "tomllib",
    "urllib",
    "uuid",
    "yaml",
}


def imported_by(program, *arguments, stdin="", cwd=ROOT.parent):
    """Run a program in a bare interpreter of this environment and return the modules that it imported."""
    # An editable installation imports its own finder first: only what comes after counts.
    program = f"import sys; before = set(sys.modules); {program}; print(*(set(sys.modules) - before))"
    command = [sys.executable, "-I", "-c", program, *arguments]
    done = subprocess.run(command, cwd=cwd, input=stdin, check=True, capture_output=True, text=True)
    return set(done.stdout.split())


@pytest.mark.skipif(
    shutil.which("lint-imports", path=Path(sys.executable).parent) is None, reason="needs the dev extra"
)
def test_the_import_contracts_hold():
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout


@pytest.mark.promise("G10")
@pytest.mark.parametrize(
    "name", ["SessionStart", "UserPromptSubmit", "PreToolUse-MultiEdit", "PostToolUse-Write-update"]
)
def test_a_hook_imports_nothing_slow(repo, name):
    repo.commit(files={"src/billing/invoice.py": "def total(lines):\n    return 0\n"})
    repo.start_ledger()
    payload = (ROOT / "tests" / "payloads" / "claude-code" / f"{name}.json").read_text(encoding="utf-8")
    payload = payload.replace("/home/dev/project", str(repo.path))

    imported = imported_by(
        "from linetrail.ledger.hook.loop import main; main()", "claude-code", stdin=payload, cwd=repo.path
    )

    assert repo.events()
    assert not imported & TOO_SLOW_FOR_A_HOOK
    assert {module.partition(".")[0] for module in imported} <= {*sys.stdlib_module_names, "linetrail"}


def test_help_imports_no_engine():
    imported = imported_by("import linetrail.queries.cli")

    assert not imported & {"_duckdb", "duckdb", "pyarrow", "pydantic", "rich", "yaml"}


def asked(repo, *command):
    """Return what a command imports in a process of its own."""
    told = f"from linetrail.queries.cli import main; sys.stdout = sys.stderr; main(['-C', {str(repo.path)!r}, "
    return imported_by(f"{told}*{command!r}]); sys.stdout = sys.__stdout__")


def test_a_warm_answer_about_a_file_loads_no_engine_and_nothing_that_works_an_answer_out(repo):
    repo.commit(files={"a.py": "x = 1\n"})
    repo.start_ledger()
    asked(repo, "blame", "a.py")

    imported = asked(repo, "blame", "a.py")

    assert "linetrail.projections.blame" in imported
    assert not imported & {"_duckdb", "duckdb", "msgspec", "patiencediff", "pyarrow", "traceback"}
    assert not imported & {"linetrail.ledger.redact.redactor", "linetrail.projections.tables.partitions"}


def test_a_question_loads_the_engine_alone(repo):
    repo.commit(files={"a.py": "x = 1\n"})
    repo.start_ledger()

    imported = asked(repo, "status")

    assert "_duckdb" in imported
    assert not imported & {"duckdb", "msgspec"}
