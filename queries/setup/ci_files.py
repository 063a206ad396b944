"""The file by which a service runs `linetrail ci` on every change, and how it is taken back.

A file that somebody else wrote, or changed since, is never touched. Where GitLab has a pipeline already, ours stands
beside it, and the person includes it.
"""

import os
from collections.abc import Iterator

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository
from linetrail.queries.setup import templates
from linetrail.queries.setup.steps import CREATE, KEEP, REMOVE, Step, plan_empty_folders, plan_folders

GITHUB, GITLAB = "github", "gitlab"
_PIPELINE, _INCLUDED = ".gitlab-ci.yml", ".gitlab/linetrail.yml"
# service -> where its file may stand, the place of first choice first
PLACES = {GITHUB: (".github/workflows/linetrail.yml",), GITLAB: (_PIPELINE, _INCLUDED)}


def plan(repository: Repository, service: str) -> Iterator[Step]:
    """Plan the file of a service, unless there is one."""
    text = template(service)
    for name in PLACES[service]:
        path = _path(repository, name)
        before = _read(path)
        if before == text:
            yield Step(KEEP, path, "runs `linetrail ci` already")
            return
        if before is None:
            note = f"add to {_PIPELINE}: include: {{local: {name}}}" if name == _INCLUDED else "runs `linetrail ci`"
            yield from plan_folders(path, "")
            yield Step(CREATE, path, note, text.encode())
            return
    yield Step(KEEP, path, "is there already, with other contents")


def plan_undo(repository: Repository) -> Iterator[Step]:
    """Plan the removal of each file that is as `plan` made it, and of the folders that are empty then."""
    steps = []
    for service, names in PLACES.items():
        paths = [os.path.join(repository.root, name) for name in names]
        steps += [Step(REMOVE, path, "") for path in paths if _read(path) == template(service)]
    folders = [os.path.dirname(step.path) for step in steps]
    above = [os.path.dirname(folder) for folder in folders]
    yield from steps
    yield from plan_empty_folders({*folders, *above} - {repository.root, os.path.dirname(repository.root)}, steps, "")


def template(service: str) -> str:
    return templates.template(f"forges/{service}.yml")


def _path(repository: Repository, name: str) -> str:
    path, root = os.path.join(repository.root, name), os.path.realpath(repository.root)
    if os.path.realpath(os.path.dirname(path)) != os.path.dirname(os.path.join(root, name)):
        raise UsageError(f"{path} leads elsewhere through a symbolic link; write the file there yourself")
    return path


def _read(path: str) -> str | None:
    """Return what a file holds, with signs for what is no text; None where nothing has its name."""
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return "" if os.path.islink(path) else None
