"""Read policy and baseline from the base branch: changes that a branch makes to them count once it is merged.

Otherwise whoever proposes a change, or the agent that made it, could excuse it in the same breath.
"""

import os
from collections.abc import Mapping
from typing import NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import FOLDER, Repository, file_path, git
from linetrail.queries.audit import baseline, policy_file
from linetrail.queries.audit.policy import Policy, parse
from linetrail.queries.ci.range import Range


class Governing(NamedTuple):
    """The policy and baseline of an audit; `notes` say what the branch changes in them."""

    policy: Policy
    place: str
    known: Mapping[str, str] | None
    notes: tuple[str, ...]


def governing(
    repository: Repository, wanted: Range | None, policy_path: str | None, known_path: str | None
) -> Governing:
    """Read policy and baseline, from the base where there is one."""
    place = policy_path if policy_path is not None else os.path.join(repository.folder, policy_file.FILE)
    text, note = _held(repository, wanted, place)
    if text is None and note is None and policy_path is not None:
        raise UsageError(f"no policy at {policy_path}")
    name = policy_path if policy_path is not None else f"{FOLDER}/{policy_file.FILE}"
    held = parse(text, name) if text is not None else Policy()
    if known_path is None:
        return Governing(held, place, None, (note,) if note else ())
    known, other = _held(repository, wanted, known_path)
    if known is None and other is None:
        baseline.read(known_path)  # which says that there is none
    found = baseline.parse(known, known_path) if known is not None else {}
    return Governing(held, place, found, tuple(filter(None, (note, other))))


def _held(repository: Repository, wanted: Range | None, place: str) -> tuple[bytes | None, str | None]:
    """Return the content of a file that counts, and a note where the branch changes it."""
    here = _on_disk(place)
    path = repository.relative(place)
    if wanted is None or path is None or _is_ignored(repository, path):
        return here, None
    there = git(repository, "cat-file", "blob", f"{wanted.base_revision}:{file_path(path)}")
    if there == here:
        return here, None
    what = "adds" if there is None else "removes" if here is None else "changes"
    return there, f"this branch {what} {path}: what {wanted.base} has holds until it is merged"


def _on_disk(place: str) -> bytes | None:
    try:
        with open(place, "rb") as file:
            return file.read(baseline.MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"cannot read {place}: {error.strerror}") from None


def _is_ignored(repository: Repository, path: str) -> bool:
    """Return whether git ignores a file: such a file was made by the job and not by the branch."""
    return git(repository, "check-ignore", "--quiet", "--", file_path(path)) is not None
