"""Say what a failed command teaches, or that it teaches nothing.

A status is often an answer: `grep` found nothing, `diff` found something. The same failure is the same lesson, whatever
numbers, paths, times and hashes its message holds. The command line is read loosely: what is wanted is a name for it,
not a judgement (commands.py judges).
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from linetrail.ledger.knowledge.lesson import COMMAND, MAX_BODY, VERIFICATION, Lesson, make, named
from linetrail.ledger.knowledge.markdown_line import visible
from linetrail.ledger.knowledge.program_names import FILTERS, PREPARATIONS
from linetrail.ledger.knowledge.programs import Program, answers, pipelines, programs, verification

# Ctrl-C, a hang-up, a request to end: somebody stopped it.
INTERRUPTED = frozenset({129, 130, 143, -1, -2, -15})
NOT_FOUND, NOT_RUNNABLE = 127, 126
# Of a long output, the first and the last characters are read.
WINDOW = 8000

_STATUS = re.compile(r"\s*(?:Error:\s*)?(?:Exit code|exit status)[: ]\s*(-?\d{1,4})\b", re.IGNORECASE)
_STOPPED = re.compile(
    r"interrupted by user|doesn't want to proceed|KeyboardInterrupt\b|user (?:aborted|cancelled)", re.IGNORECASE
)
_TIMED_OUT = re.compile(r"\btimed out\b", re.IGNORECASE)
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_SUMMARY = re.compile(r"(?:FAILED|ERROR|FAIL:?|---\s*FAIL:|E  |not ok)\s+\S")
_TELLING = re.compile(
    r"error|fail|fatal|exception|panic|cannot|can't|could not|couldn't|unable|not found|no such|denied|refused|invalid"
    r"|missing|undefined|unexpected|unknown|unrecognized|not permitted|conflict|abort|illegal|expected",
    re.IGNORECASE,
)
# How the usual checks sum up that something is wrong.
_REPORT = re.compile(
    r"(?:^|[ =,])[1-9]\d* (?:failed|errors?)\b[^\n]{0,200} in [\d.:]+ ?m?s"  # pytest
    r"|^FAILED \((?:failures|errors)=|^test result: FAILED|^--- FAIL: |^FAIL\t|^Tests:?[ \t]+[1-9]\d* failed"
    r"|^[ \t]{0,20}[1-9]\d* (?:failing|failures?)\b|\b[1-9]\d* examples?, [1-9]\d* failures?\b"  # mocha, rspec
    r"|^Found [1-9]\d* errors?\b|\b[1-9]\d* problems? \([1-9]\d* error|: error TS\d+:|^npm ERR! Test failed",
    re.MULTILINE,
)
_TRACEBACK = "Traceback (most recent call last):"
_WHO = re.compile(r"(?:\S*/)?(?:bash|sh|zsh|dash)?(?:: )?(?:(?:line )?\d+: )?((?:\S*/)?[\w.+-]+): ")
_ABSOLUTE = re.compile(r"(?<![\w.…/:])(?:/[\w.@+~-]+)+/([\w.@+~-]+)")

# In this order: a time is made of numbers, a path of words and numbers.
_NOISE = (
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?)?(?:z|[+-]\d\d:?\d\d)?\b"), "%t"),
    (re.compile(r"\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?\b"), "%t"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b0x[0-9a-f]+\b"), "%h"),
    (re.compile(r"(?:\b[a-z]:|~|\.{1,2})?(?:[/\\]+[\w.@%+~-]+)+[/\\]?"), "%p"),
    (re.compile(r"[\w.@%+~-]*%p"), "%p"),
    (
        re.compile(
            r"\b[\w.-]+\.(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|go|rs|rb|java|kt|c|h|cc|cpp|hpp|cs|php|sh|sql|swift|scala|ex|exs"
            r"|md|txt|log|ya?ml|toml|json|jsonl|xml|html|css|scss|csv|ini|cfg|conf|lock|env|tf|vue|svelte|zig|lua|pl)\b"
        ),
        "%p",
    ),
    (re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b"), "%h"),
    (re.compile(r"\d+(?:[.,]\d+)*(?:\s?(?:ms|[smh]|[kmg]i?b|bytes|seconds?|minutes?)\b)?"), "%n"),
    (re.compile(r"(?:%[nth]\W*)+"), "%n"),
)


class _Failure(NamedTuple):
    """A command that failed: the program whose status it is, the status, a word for it, and what was said."""

    program: Program
    status: int | None
    code: str
    said: str


def from_failure(command: str, exit_code: int | None, error: str | None, intent_id: str | None) -> Lesson | None:
    """Return what a failed command teaches; a failed check is one of verification. None where it is nothing.

    `error` is what the agent was shown, or any part of it; the status is looked up there where it was not told.
    """
    failure = _failure(command, exit_code, error or "")
    if failure is None:
        return None
    kind = verification(failure.program)
    if kind is not None:
        return _verification(failure, kind, intent_id)
    name = failure.program.title
    meaning = named(COMMAND, name, failure.code, normalised(failure.said))
    return make(meaning, f"{name} failed", _reported(failure.said), COMMAND, failure.code, name, intent_id)


def from_report(command: str, output: str, intent_id: str | None) -> Lesson | None:
    """Return what a check teaches whose status got lost, as in `pytest | tail`: its report says that it failed."""
    if not _REPORT.search(output[-2 * WINDOW :]):
        return None
    for program in (program for pipeline, _ in pipelines(command) for program in pipeline):
        kind = verification(program)
        if kind is not None:
            # The status is not known; by itself it would have been this.
            return _verification(_Failure(program, 1, kind, first_error(output)), kind, intent_id)
    return None


def normalised(line: str) -> str:
    """Return what two sightings of the same message have in common.

    >>> normalised("src/a.py:12: error at 10:33:07, 0x7f3a") == normalised("/x/b.py:7: error at 09:00:00, 0x1")
    True
    """
    text = " ".join(line[:500].casefold().split())
    for pattern, sign in _NOISE:
        text = pattern.sub(sign, text)
    return text.strip(" .:;,")[:200]


def first_error(output: str) -> str:
    r"""Return the line of an output that says best what went wrong; "" where none says anything.

    >>> first_error("Exit code 1\ncollecting\nFAILED tests/a.py::t - AssertionError\n1 failed")
    'FAILED tests/a.py::t - AssertionError'
    """
    if len(output) > 2 * WINDOW:
        output = f"{output[:WINDOW]}\n{output[-WINDOW:]}"
    lines = [visible(_ANSI.sub("", line)).rstrip() for line in output.splitlines()]
    lines = [line for line in lines if any(map(str.isalnum, line)) and not _STATUS.fullmatch(line)]
    summary = next((line for line in lines if _SUMMARY.match(line)), None)
    if summary is not None:
        return summary.strip()
    if _TRACEBACK in (stripped := [line.strip() for line in lines]):
        behind = lines[stripped.index(_TRACEBACK) + 1 :]
        raised = next((line for line in behind if not line[0].isspace()), None)
        if raised is not None:
            return raised
    return next((line.strip() for line in lines if _TELLING.search(line)), lines[0].strip() if lines else "")


def _failure(command: str, exit_code: int | None, error: str) -> _Failure | None:
    """Return the failure, unless it was none or somebody stopped it."""
    told = _STATUS.match(error)
    status = int(told[1]) if exit_code is None and told else exit_code
    if _TIMED_OUT.search(error[:WINDOW]) and status in (None, 124, 143, 137):
        code = "TIMED_OUT"
    elif (
        status == 0
        or (status is None and not error.strip())
        or status in INTERRUPTED
        or _STOPPED.search(error[:WINDOW])
    ):
        return None
    else:
        code = _code(status)
    said = first_error(error)
    program = _responsible(programs(command), said, status)
    return None if program is None or answers(program, status) else _Failure(program, status, code, said)


def _code(status: int | None) -> str:
    if status is None:
        return "FAILED"
    return {NOT_FOUND: "COMMAND_NOT_FOUND", NOT_RUNNABLE: "NOT_EXECUTABLE"}.get(
        status, f"EXIT_{status}".replace("-", "_")
    )


def _responsible(chain: Sequence[Sequence[Program]], said: str, status: int | None) -> Program | None:
    """Return the program whose status the command ended with, as far as that can be told.

    `chain` holds the pipelines any of which may have ended it. The message may name its program; else a check is the
    likeliest, else the last. In a pipeline what only passes text on does not fail.
    """
    ends = [_end(pipeline) for pipeline in chain if pipeline]
    if not ends:
        return None
    if answers(ends[-1], status):
        return ends[-1]
    who = _WHO.match(said[:MAX_BODY])
    if who is not None:
        name = who[1].rpartition("/")[2]
        for program in (program for pipeline in chain for program in pipeline):
            if program.name == name:
                return program
    checks = [program for program in ends if verification(program)]
    doing = [program for program in ends if program.name not in PREPARATIONS]
    return (checks or doing or ends)[-1]


def _end(pipeline: Sequence[Program]) -> Program:
    return next((program for program in reversed(pipeline) if program.name not in FILTERS), pipeline[-1])


def _verification(failure: _Failure, kind: str, intent_id: str | None) -> Lesson:
    name = failure.program.title
    meaning = named(VERIFICATION, name, str(failure.status), normalised(failure.said))
    title = f"{name}: {kind.replace('_', ' ').lower()}"
    return make(meaning, title, _reported(failure.said), VERIFICATION, kind, name, intent_id)


def _reported(line: str) -> str:
    """Return a message as what a tool said, which asks nobody to do anything; without the folders of this machine."""
    text = _ABSOLUTE.sub(r"…/\1", line[: 4 * MAX_BODY]).replace('"', "'").strip()
    room = MAX_BODY - len('the tool reported ""')
    return f'the tool reported "{text if len(text) <= room else text[: room - 1] + "…"}"' if text else ""
