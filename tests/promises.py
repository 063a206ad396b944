"""What the ledger promises, which tests prove it, and the figures they reached.

A test that proves a promise carries ``@pytest.mark.promise("D1")`` and tells what it reached through the
fixture ``figure``. ``pytest -m promise --promises=docs/promises.md`` runs them all and writes the page. It may be
written in pieces: a test that did not run keeps what it reached before.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

PROMISES = {
    "D1": "What was acknowledged outlives the process that wrote it, whenever it is killed.",
    "D2": "What was acknowledged outlives a loss of power, whatever of the rest reached the disk.",
    "D3": "Nobody is told that an event is stored before the disk said so.",
    "D4": "A sync that failed is not hidden by the next one that succeeds.",
    "D5": "Publishing is all or nothing: killed at any moment, the old state is there or the new one, "
    "and the next run finishes.",
    "A1": "An event is there whole or not at all.",
    "A2": "A torn last line costs no event but itself: the next one stands on a line of its own.",
    "A3": "Writes that end early or are interrupted leave no part of a line.",
    "A4": "A full disk leaves a valid ledger and a clear error, and work goes on when there is room again.",
    "A5": "A batch is there whole or not at all.",
    "O1": "Places in a chain have no gap and no repeat, however many write.",
    "O2": "Order comes from the place in the ledger, whatever the clocks say.",
    "O3": "What follows from the ledger depends on its bytes alone: not on threads, language or time zone.",
    "I1": "Storing the same event again changes nothing and says so.",
    "I2": "An id that comes back with other content is refused, and nothing is written.",
    "I3": "The same payload handed over twice is one event.",
    "C1": "Many writers at once lose nothing.",
    "C2": "Whoever holds the lock and dies, or sleeps, costs the others no event.",
    "C3": "Of all who append behind the same end of the chain, one is the next; the others come after it or are told.",
    "C4": "A reader never sees half an event, and misses none.",
    "C5": "A file system whose locks cannot be trusted is recognised and named.",
    "R1": "Recovery needs nobody: the next append repairs what a crash left, and records it.",
    "R2": "Damage in the middle is never repaired in silence: file and offset are named, the rest stays readable.",
    "R3": "Repairing twice is repairing once, and no byte is lost by it.",
    "R4": "Everything derived can be deleted or damaged, and comes back the same.",
    "R5": "A rebuild that fails leaves the old answers in place.",
    "P1": "Every event of the ledger is in the tables, and nothing else is.",
    "P2": "Tables that grew step by step equal those made from nothing.",
    "P3": "No line, however hostile, keeps the others from being read.",
    "P4": "What one reader accepts, the other reads the same.",
    "P5": "Events of every version ever released stay readable.",
    "T1": "Any change to sealed bytes is noticed.",
    "T2": "Deleting and rolling back are noticed in continuous integration.",
    "T3": "A rewritten history is noticed by whoever kept a checkpoint.",
    "T4": "Proofs are the standard ones: others can check them.",
    "T5": "Verifying is fast, and small in memory.",
    "T6": "Whatever somebody hostile wrote is judged: no crash, no hang, and nothing false is believed.",
    "M1": "Whatever git does with branches, the events of all of them are there afterwards.",
    "M2": "A ledger kept the old way, in one tracked file, is recognised and brought over exactly.",
    "M3": "Worktrees, stash, clean and reset cost nothing that was sealed, and what they cost otherwise is reported.",
    "G1": "A broken gate is a closed gate where it blocks, and an open one where it only observes.",
    "G2": "Without an intent that is selected, known and open, nothing is written.",
    "G3": "A path is judged by where it leads: nothing outside the scope gets in by its spelling.",
    "G4": "A command is safe only where it is shown to read, however it is written.",
    "G5": "A command that is called safe changes nothing when it runs.",
    "G6": "Nobody writes over a version of a file that they have not seen.",
    "G7": "A path that is swapped between the judgement and the write is noticed.",
    "G8": "The gate cannot be changed through the gate.",
    "G9": "The breaker opens and closes as it says, across restarts and clocks, and loses no count.",
    "G10": "A judgement is quick enough to be left on.",
    "G11": "No input, however strange, keeps the gate busy: it is answered at once, or refused.",
    "G12": "Every verdict is in the ledger.",
    "S1": "SQL that anybody wrote reaches no file, no network, no setting, and nothing of the process that answers it.",
    "S2": "SQL that anybody wrote ends within its time and its memory, and nothing of it stays behind.",
    "X2": "No text of an intent breaks out of the context that agents are given.",
    "X3": "Every refusal has a stable code, and a form that programs read.",
    "E1": "No known kind of secret reaches the disk.",
    "E2": "Evidence is no secret: hashes, ids, paths and code stay as they were.",
    "E3": "Where redaction fails, the event is stored without its payload and says so.",
    "E4": "Erased is erased, everywhere, and the ledger can still be verified.",
    "E5": "Files are for their owner alone, and no link is followed out of the ledger.",
}
HEADER = """\
# Promises and the tests that prove them

Written by `just promises` from runs of these tests; a test of the default suite fails when a row is missing here or a
test is gone.

| promise | test | reached |
|---|---|---|
"""

ROW = re.compile(r"^\| \*\*(\w+)\*\*.* \| `([^`]+)` \| (.*) \|$", re.MULTILINE)
LATER = {"pytest.mark.slow", "pytest.mark.soak", "pytest.mark.fault"}
# Of a test with many cases the first figures stand for all.
SHOWN = 3

_OUTCOMES = pytest.StashKey[dict[str, "_Row"]]()


class _Row:
    """One test of a promise, over all its parameters."""

    def __init__(self, ids: Iterable[str]) -> None:
        self.ids = list(ids)
        self.figures: dict[str, None] = {}
        self.cases = 0

    @property
    def reached(self) -> str:
        """What stands on the page."""
        cases = f"{self.cases:,} cases" if self.cases > 1 else "holds"
        shown = list(self.figures)[:SHOWN]
        more = [f"… ({cases})"] if len(self.figures) > SHOWN else []
        return "; ".join([*shown, *more]).replace("|", "/") or cases


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--promises", metavar="PATH", type=Path, help="write the page of promises from what ran")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_OUTCOMES] = {}
    config.pluginmanager.register(_Recorder(config), "promise recorder")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a promise that is in no catalogue, and let the reports of a test say what it proves."""
    for item in items:
        ids = [name for mark in item.iter_markers("promise") for name in mark.args]
        unknown = [name for name in ids if name not in PROMISES]
        if unknown:
            raise pytest.UsageError(f"{item.nodeid}: no promise is called {', '.join(map(str, unknown))}")
        item.user_properties += [("promise", name) for name in ids]


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Return a function that tells what a test of a promise reached, in a few words."""

    def tell(text: str) -> None:
        request.node.user_properties.append(("figure", text))

    return tell


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config) -> None:
    """Write the page, unless a promise was broken."""
    path, rows = config.getoption("--promises"), config.stash[_OUTCOMES]
    if path is None:
        return
    if exitstatus != pytest.ExitCode.OK:
        terminalreporter.write_line(f"{path} is as it was: not everything holds", red=True)
        return
    reached = {test: row.reached for test, row in rows.items()}
    path.write_text(HEADER + "".join(_lines(reached, path, set(proofs(config)))), encoding="utf-8")
    terminalreporter.write_line(f"{path} written: {len(rows)} tests of promises ran")


def proofs(config: pytest.Config) -> Iterator[tuple[str, str]]:
    """Yield each promise that a test in the tree says it proves, with the name of the test."""
    return ((promise, test) for promise, test, _ in proved(config))


def proved(config: pytest.Config) -> Iterator[tuple[str, str, bool]]:
    """Yield the same, and whether the test runs each day."""
    for folder in config.getini("testpaths") or ["."]:
        for path in sorted((config.rootpath / folder).glob("**/test_*.py")):
            source = path.read_bytes()
            tree = ast.parse(source if b"mark.promise(" in source else "")
            of_all = [node.value for node in tree.body if isinstance(node, ast.Assign) and _name(node) == "pytestmark"]
            for node in ast.walk(tree):
                marks = getattr(node, "decorator_list", [])
                daily = LATER.isdisjoint(ast.unparse(mark) for mark in (*marks, *_marks(of_all)))
                for mark in marks:
                    if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.promise":
                        test = f"{path.relative_to(config.rootpath).as_posix()}::{_name(node)}"
                        yield from ((ast.literal_eval(promise), test, daily) for promise in mark.args)


class _Recorder:
    """Collects what the tests of promises report while they run."""

    def __init__(self, config: pytest.Config) -> None:
        self._rows = config.stash[_OUTCOMES]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        ids = [str(value) for name, value in report.user_properties if name == "promise"]
        if not ids:
            return
        path, *_, name = report.nodeid.partition("[")[0].split("::")
        row = self._rows.setdefault(f"{path}::{name}", _Row(ids))
        if report.when == "teardown":
            row.cases += 1
            row.figures |= dict.fromkeys(str(value) for name, value in report.user_properties if name == "figure")
        elif report.skipped:
            row.figures[_excuse(report)] = None


def _excuse(report: pytest.TestReport) -> str:
    if hasattr(report, "wasxfail"):
        return f"not kept yet: {report.wasxfail}"
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return f"could not be tried here: {reason.removeprefix('Skipped: ')}"


def _lines(reached: dict[str, str], path: Path, proved: set[tuple[str, str]]) -> Iterator[str]:
    before = ROW.findall(path.read_text(encoding="utf-8")) if path.exists() else []
    reached = {test: text for promise, test, text in before if (promise, test) in proved} | reached
    for promise, text in PROMISES.items():
        first = f"**{promise}** {text}"
        for test in sorted(test for test in reached if (promise, test) in proved):
            yield f"| {first} | `{test}` | {reached[test]} |\n"
            first = f"**{promise}**"


def _marks(values: Iterable[ast.expr]) -> Iterator[ast.expr]:
    """Yield what `pytestmark` names: one mark, or each of a list."""
    for value in values:
        yield from value.elts if isinstance(value, ast.List) else [value]


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0])
    return str(getattr(node, "name", ""))
