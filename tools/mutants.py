"""Change the program in small ways, one at a time, and see whether a test notices.

Changes are made in a copy of the tree, never in the checkout. Which tests run a line is measured once and kept. One
process collects all tests; each mutant gets a fork of it, which swaps the code of the functions that changed and runs
the tests of the line, the nearest and quickest first, until one fails. What runs at import gets a process of its own.

    python tools/mutants.py [--seed N] [--number N] [--room FOLDER]... [--tests PATH]... [--measure]
    python tools/mutants.py [--only PATH[:LINE]]...

With `--tests`, these alone are measured and run: what they let live, others may still notice.
"""

import argparse
import compileall
import contextlib
import difflib
import gc
import hashlib
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NoReturn

import coverage
import pytest
from mutations import Mutant, mutants

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "mutants"
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
ROOMS = ("ledger", "projections", "queries")
PYTEST = ("-m", "pytest", "-q", "-s", "-p", "mutants")
PLAN, ONE, MEASURE = "MUTANTS_PLAN", "MUTANTS_ONE", "MUTANTS_MEASURE"
# Processor time of one test and of all tests of a mutant, and the time after which a mutant hangs.
TEST_SECONDS, MUTANT_SECONDS, HANGS_SECONDS = 15, 30, 1200
_PHASE = re.compile(r" \((?:setup|call|teardown)\)(?:\||$)")
# So many tests, the nearest, are collected anew for what runs at import.
MOST_TESTS = 300


def main(
    seed: int, number: int, rooms: Sequence[str], tests: Sequence[str], only: Sequence[str], *, again: bool
) -> None:
    """Try mutants, and print what became of them."""
    known = {(one["path"], one["was"], one["now"]) for one in tomllib.loads(EQUIVALENT.read_text())["mutant"]}
    chosen = list(_chosen(seed, number, rooms, only))
    equivalent = [one for one in chosen if (one.path, *_difference(one)) in known]
    tried = [one for one in chosen if one not in equivalent]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        root = Path(folder, "linetrail")
        python = _copy(root)
        if again or not KEPT.exists():
            _measure(root, python, tests)
        verdicts = _verdicts(root, python, tests, tried)
    if len(verdicts) < len(tried):
        print(f"pytest ended early: {len(verdicts)} of {len(tried)} mutants were tried")
        tried = tried[: len(verdicts)]
    survived = [one for one, is_killed in zip(tried, verdicts, strict=True) if not is_killed]
    for one in survived:
        was, now = _difference(one)
        print(f"\n{one.path}:{one.lines[0]}\n- {was}\n+ {now}")
    width = max(map(len, rooms))
    print(f"\n{'room':<{width}}  killed  survived  equivalent")
    for room in rooms:
        all_, alive, same = (sum(one.path.startswith(room) for one in some) for some in (tried, survived, equivalent))
        print(f"{room:<{width}}  {all_ - alive:>6}  {alive:>8}  {same:>10}")


def _chosen(seed: int, number: int, rooms: Sequence[str], only: Sequence[str]) -> Iterator[Mutant]:
    """Yield so many mutants, as many of each room; or all those of the places named."""
    for place in only:
        path, _, line = place.partition(":")
        yield from (one for one in mutants(ROOT, path) if line in ("", str(one.lines[-1])))
    for room in () if only else rooms:
        files = sorted(str(file.relative_to(ROOT)) for file in (ROOT / room).rglob("*.py"))
        found = [one for file in files for one in mutants(ROOT, file)]
        yield from random.Random(f"{seed} {room}").sample(found, number // len(rooms))


def _difference(one: Mutant) -> tuple[str, str]:
    """Return the lines that differ, before and after."""
    lines = list(difflib.ndiff((ROOT / one.path).read_text().splitlines(), one.source(ROOT).splitlines()))
    was, now = ("\n".join(line[2:].strip() for line in lines if line[0] == sign) for sign in "-+")
    return was, now


def _copy(root: Path) -> Path:
    """Copy what git would commit; return a Python whose `linetrail` is the copy, and that has all else of this one."""
    listed = subprocess.check_output(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT).decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, root / name, follow_symlinks=False)
    compileall.compile_dir(root, quiet=2)  # a test that lets no file grow would leave half a module, for all after it
    environment = root.parent / "environment"
    venv.create(environment, symlinks=True)
    site, base = next(environment.glob("lib/python*/site-packages")), Path(pytest.__file__).parents[1]
    (site / "copy.pth").write_text(f"{root.parent}\n{base}\nimport coverage; coverage.process_startup()\n")
    for name in ("linetrail", "linetrail-hook", "git-linetrail"):
        command = environment / "bin" / name
        command.write_text(f"#!{environment}/bin/python\n" + Path(sys.executable).with_name(name).read_text())
        command.chmod(0o755)
    return environment / "bin" / "python"


def _measure(root: Path, python: Path, tests: Sequence[str]) -> None:
    """Run the tests once, and keep which lines each of them runs, also in the processes it starts."""
    shutil.rmtree(KEPT, ignore_errors=True)
    data, settings = root.parent / "data", root.parent / "coveragerc"
    data.mkdir()
    rooms = "".join(f"    {root}/{room}/*\n" for room in ROOMS)
    settings.write_text(
        "[run]\nparallel = true\npatch = _exit\ncontext = ${PYTEST_CURRENT_TEST-}\n"
        f"data_file = {data}/lines\ninclude =\n{rooms}"
    )
    told = {"COVERAGE_PROCESS_START": str(settings), MEASURE: str(data / "tests.jsonl")}
    _pytest(root, python, told, "-n2", *tests)
    subprocess.run([python, "-m", "coverage", "combine", "-q", f"--rcfile={settings}"], cwd=root, check=True)
    (data / "tree.json").write_text(json.dumps({"root": str(root), "hashes": _hashes()}))
    shutil.move(data, KEPT)


def _pytest(root: Path, python: Path, told: Mapping[str, str], *arguments: str) -> None:
    given = {"PYTHONPATH": str(ROOT / "tools"), "TMPDIR": str(root.parent)}
    subprocess.run([python, *PYTEST, *arguments], cwd=root, env=os.environ | given | told, check=False)


def _hashes() -> dict[str, str]:
    files = (file for room in ROOMS for file in (ROOT / room).rglob("*.py"))
    return {str(file.relative_to(ROOT)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def _verdicts(root: Path, python: Path, tests: Sequence[str], tried: Sequence[Mutant]) -> list[bool]:
    """Return whether a test noticed each mutant."""
    plan, verdicts = root.with_name("plan.jsonl"), root.with_name("verdicts.jsonl")
    verdicts.touch()
    told = [one._asdict() | {"lines": list(one.lines), "source": one.source(ROOT)} for one in tried]
    plan.write_text("".join(f"{json.dumps(one)}\n" for one in told))
    _pytest(root, python, {PLAN: str(plan)}, "-m", "not soak and not fault and not spark", *tests)
    return [json.loads(line) is not None for line in verdicts.read_text().splitlines()]


class Measured:
    """Which tests run which lines, as it was when it was measured; of a module that changed since, all its tests."""

    def __init__(self) -> None:
        """Read what was kept."""
        tree, now = json.loads((KEPT / "tree.json").read_text()), _hashes()
        self.root, self.same = tree["root"], {path for path in now if now[path] == tree["hashes"].get(path)}
        self.data = coverage.CoverageData(str(KEPT / "lines"))
        self.data.read()
        told = [json.loads(line) for line in (KEPT / "tests.jsonl").read_text().splitlines()]
        self.seconds: Counter[str] = Counter()
        for test, _, seconds in told:
            self.seconds[test] += seconds
        # what fails without any change tells nothing of one
        self.passed = self.seconds.keys() - {test for test, outcome, _ in told if outcome != "passed"}
        self.known = set(map(_test, self.data.measured_contexts()))

    def tests(self, one: Mapping[str, Any], new: Sequence[str]) -> list[str]:
        """Return the tests that run these lines, the nearest first; of what runs at import, those of its users.

        Those of whose lines nothing is known are taken for tests of what they stand near.
        """
        found = self._tests(one["path"], one["lines"] if one["path"] in self.same and not one["at_import"] else None)
        if one["at_import"]:
            name = "linetrail." + one["path"].removesuffix(".py").replace("/", ".")
            found |= {test for user in self.same if name in (ROOT / user).read_text() for test in self._tests(user)}
        stem = f"test_{Path(one['path']).stem}.py"
        folder = f"tests/{Path(one['path']).parent}/"
        near = (*{test.partition("::")[0] for test in found}, "/".join(folder.split("/")[:3]))
        found.update(test for test in new if stem in test or test.startswith(near))
        return sorted(
            found, key=lambda test: (stem not in test, folder not in test, self.seconds.get(test, math.inf), test)
        )

    def _tests(self, path: str, lines: Sequence[int] | None = None) -> set[str]:
        by_line = self.data.contexts_by_lineno(f"{self.root}/{path}")
        told = {test for line in (by_line if lines is None else lines) for test in by_line.get(line, ())}
        return set(map(_test, told)) & self.passed


def _test(context: str) -> str:
    """Return the test: a process that it started says in which phase; one that was forked, also who began its server.

    >>> _test("a.py::b"), _test("a.py::b (call)"), _test("a.py::b (setup)|a.py::c[d|e] (call)")
    ('a.py::b', 'a.py::b', 'a.py::c[d|e]')
    """
    return _PHASE.split(context)[-2] if _PHASE.search(context) else context


# -- inside pytest


def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Say whose lines are measured from here on."""
    if MEASURE in os.environ and (measuring := coverage.Coverage.current()):
        if sys.gettrace() is None:  # a test before took the tracer away
            measuring.stop()
            measuring.start()
        measuring.switch_context(item.nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note how a test ended and what it took."""
    if MEASURE in os.environ and "PYTEST_XDIST_WORKER" not in os.environ:
        with open(os.environ[MEASURE], "a", encoding="utf-8") as file:
            print(json.dumps([report.nodeid, report.outcome, report.duration]), file=file)


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the tests of each mutant of a plan in a fork, or those of one mutant here."""
    if ONE in os.environ:
        os._exit(_run_tests(session, json.loads(os.environ[ONE])))
    if PLAN not in os.environ:
        return None
    measured, plan = Measured(), Path(os.environ[PLAN])
    new = [item.nodeid for item in session.items if item.nodeid not in measured.known]
    gc.unfreeze()  # of what conftest.py froze, the collector would list nothing
    functions = [one for one in gc.get_objects() if isinstance(one, FunctionType)]
    gc.freeze()
    for line in plan.read_text().splitlines():
        one = json.loads(line)
        tests = measured.tests(one, new)
        killer = _killer(session, functions, one, tests)
        # what fails without the change, too, on a busy machine or behind other tests, tells nothing of it
        while killer and (
            also := _killer(session, functions, one | {"source": None}, tests[: tests.index(killer) + 1])
        ):
            tests.remove(also)
            killer = _killer(session, functions, one, tests)
        print(f"killed by {killer}:" if killer else f"survived {len(tests)} tests:", f"{one['path']}:{one['lines'][0]}")
        with plan.with_name("verdicts.jsonl").open("a") as verdicts:
            print(json.dumps(killer), file=verdicts)
    return True


def _killer(
    session: pytest.Session, functions: Sequence[FunctionType], one: dict[str, Any], tests: Sequence[str]
) -> str | None:
    """Return the test that fails, or takes too long, under a change; None where all pass, and where there is none."""
    if not tests:
        return None
    file = session.config.rootpath / one["path"]
    old = file.read_text()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # what a test started may still write
        file.write_text(one["source"] or old)
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            for stream in range(3):
                os.dup2(os.open(os.devnull, os.O_RDWR), stream)
            os.environ |= {"PYTEST_DEBUG_TEMPROOT": folder, "TMPDIR": folder, "PYTHONDONTWRITEBYTECODE": "1"}
            tempfile.tempdir, sys.dont_write_bytecode = folder, True
            codes = _swapped(str(file), old, one["source"] or old)
            if one["at_import"] or codes is None:
                _in_own_process(tests[:MOST_TESTS])
            for function in functions:
                code = function.__code__
                if code.co_filename == str(file):
                    function.__code__ = codes[code.co_qualname, code.co_firstlineno]
            os._exit(_run_tests(session, tests))
        failed = _failed(child)
        file.write_text(old)
        last = Path(folder, "last")
        return (last.read_text() if last.exists() else tests[0]) if failed else None


def _in_own_process(tests: Sequence[str]) -> NoReturn:
    """Go on as a new interpreter, which imports the mutant and collects its tests alone."""
    os.environ[ONE] = json.dumps(tests)
    resource.setrlimit(resource.RLIMIT_CPU, (3 * MUTANT_SECONDS, resource.RLIM_INFINITY))
    os.execv(sys.executable, [sys.executable, *PYTEST, *{test.partition("::")[0]: None for test in tests}])


def _swapped(file: str, old: str, new: str) -> Mapping[tuple[str, int], CodeType] | None:
    """Return the code of each function as it is now, by its name and line before; None where they do not match."""
    before, after = (list(_codes(compile(text, file, "exec", dont_inherit=True))) for text in (old, new))
    if [(one.co_qualname, one.co_freevars) for one in before] != [(one.co_qualname, one.co_freevars) for one in after]:
        return None
    return {(one.co_qualname, one.co_firstlineno): other for one, other in zip(before, after, strict=True)}


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one)


def _run_tests(session: pytest.Session, tests: Sequence[str]) -> int:
    """Run tests until one fails; one that takes too long ends the process."""
    by_name = {item.nodeid: item for item in session.items}
    items = [by_name[test] for test in tests if test in by_name]
    for item, after in zip(items, [*items[1:], None], strict=True):
        if session.testsfailed or sum(os.times()[:4]) > MUTANT_SECONDS:
            break
        Path(os.environ["PYTEST_DEBUG_TEMPROOT"], "last").write_text(item.nodeid)
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + TEST_SECONDS), resource.RLIM_INFINITY))
        item.ihook.pytest_runtest_protocol(item=item, nextitem=after)
    return int(bool(session.testsfailed))


def _failed(child: int) -> bool:
    """Wait for the process of a mutant, and tell whether it failed; one that hangs has."""
    end = time.monotonic() + HANGS_SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status != 0
        time.sleep(0.02)  # between two looks at whether a child has ended
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument(
        "--room", action="append", metavar="FOLDER", help="draw from this folder; default: all three rooms"
    )
    parser.add_argument("--tests", action="append", metavar="PATH", help="measure and run these alone; default: all")
    parser.add_argument("--only", action="append", default=[], metavar="PATH[:LINE]")
    parser.add_argument("--measure", action="store_true", help="measure anew which tests run which lines")
    given = parser.parse_args()
    main(given.seed, given.number, given.room or ROOMS, given.tests or ["tests"], given.only, again=given.measure)
