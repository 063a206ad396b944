"""Speak the language of the service that runs a job: annotations, job summaries and environment variables.

On GitHub a line of output can be a command. Text that somebody else wrote is printed while commands are off, and what
stands in a command is escaped.
"""

import contextlib
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence

from linetrail.ledger.errors import LinetrailError
from linetrail.queries.audit.finding import Finding, alike
from linetrail.queries.audit.rulebook import HIGH, MEDIUM

GITHUB, GITLAB, NONE, AUTO = "github", "gitlab", "none", "auto"
FORGES = (GITHUB, GITLAB, AUTO)
# So many are shown of a step; the summary has them all.
MAX_ANNOTATIONS = 10
_KIND = {HIGH: "error", MEDIUM: "warning"}
_REVISION = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_DEPTH = {
    GITHUB: "give actions/checkout `with: {fetch-depth: 0}`",
    GITLAB: 'set `GIT_DEPTH: "0"` in the variables of the job',
    NONE: "git fetch --unshallow",
}


class ForgeError(LinetrailError):
    """A file that the service reads cannot be written."""


def detect(asked: str) -> str:
    """Return the name of the service that runs the job."""
    if asked != AUTO:
        return asked
    if os.environ.get("GITHUB_ACTIONS") == "true":
        return GITHUB
    return GITLAB if os.environ.get("GITLAB_CI") else NONE


def deepen(forge: str) -> str:
    """Return how to give a job the whole history."""
    return _DEPTH[forge]


def pushed_from(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the commit of the branch before the push that started the job; None for other jobs and new branches."""
    before = environment.get("CI_COMMIT_BEFORE_SHA")
    path = environment.get("GITHUB_EVENT_PATH")
    if before is None and path and environment.get("GITHUB_EVENT_NAME") == "push":
        with contextlib.suppress(OSError, ValueError, AttributeError), open(path, "rb") as file:
            before = json.loads(file.read()).get("before")
    known = isinstance(before, str) and _REVISION.fullmatch(before) and before.strip("0")
    return before if known else None


@contextlib.contextmanager
def commands_off(forge: str) -> Iterator[None]:
    """Stop the service from interpreting printed text as commands."""
    if forge != GITHUB:
        yield
        return
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}", flush=True)
    try:
        yield
    finally:
        print(f"::{token}::", flush=True)


def annotations(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the commands that show the worst findings beside their lines."""
    for one in alike(findings)[:MAX_ANNOTATIONS]:
        place = "" if one.path is None else f"file={_property(one.path)},line={one.line or 1},"
        kind = _KIND.get(one.level, "notice")
        title = _property(f"{one.rule.id} {one.rule.title}")
        yield f"::{kind} {place}title={title}::{_data(f'{one.message}. Next: {one.remedy}')}"


def show_summary(forge: str, page: str) -> None:
    """Append to the page of the job, where the service has one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if forge != GITHUB or not path:
        return
    try:
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(page)
    except OSError as error:
        raise ForgeError(f"cannot write the summary of the job to {path}: {error.strerror}") from None


def _data(text: str) -> str:
    r"""Escape the text of a command.

    >>> _data("50%\n::error::x")
    '50%25%0A::error::x'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape the value of a property.

    >>> _property("a,line=1::x")
    'a%2Cline=1%3A%3Ax'
    """
    return _data(text).replace(":", "%3A").replace(",", "%2C")
