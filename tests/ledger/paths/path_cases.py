"""Make the file system that a case of `corpus/gate/paths.jsonl` describes."""

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(os.environ.get("LINETRAIL_SHARED") or Path(__file__).parents[4] / "shared")
CORPUS = SHARED / "corpus" / "gate" / "paths.jsonl"


def cases() -> Iterator[Any]:
    """Yield each case of the corpus as a parameter; one that is skipped where there is no corpus."""
    if not CORPUS.exists():
        yield pytest.param({}, marks=pytest.mark.skip(reason=f"needs {CORPUS}; set LINETRAIL_SHARED"), id="corpus")
        return
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        yield pytest.param(case, id=f"{case['id']} {case['why']}")


class Ground:
    """A repository named `repo`, a link to it, a folder beside it and a home folder, empty."""

    def __init__(self, folder: Path) -> None:
        """Make the folders."""
        self.places = {"root": folder / "repo", "outside": folder / "outside", "home": folder / "home-of-somebody"}
        for place in self.places.values():
            place.mkdir(parents=True)
        self.places["rootlink"] = folder / "rootlink"
        self.places["rootlink"].symlink_to("repo")

    @property
    def root(self) -> str:
        """Return the repository."""
        return str(self.places["root"])

    def text(self, text: str) -> str:
        """Put the folders in."""
        for name, place in self.places.items():
            text = text.replace("{" + name + "}", str(place))
        return text

    def make(self, steps: list[dict[str, Any]]) -> None:
        """Do the steps of `fs_setup`."""
        for step in steps:
            kind = next(kind for kind in ("dir", "file", "symlink", "hardlink", "fifo", "socket") if kind in step)
            path = Path(self.root, self.text(step[kind]))
            path.parent.mkdir(parents=True, exist_ok=True)
            getattr(self, kind)(path, step)

    def dir(self, path: Path, _: dict[str, Any]) -> None:
        path.mkdir(parents=True, exist_ok=True)

    def file(self, path: Path, step: dict[str, Any]) -> None:
        path.write_text(step["content"])

    def symlink(self, path: Path, step: dict[str, Any]) -> None:
        path.symlink_to(self.text(step["target"]))

    def hardlink(self, path: Path, step: dict[str, Any]) -> None:
        os.link(Path(self.root, self.text(step["target"])), path)

    def fifo(self, path: Path, _: dict[str, Any]) -> None:
        os.mkfifo(path)

    def socket(self, path: Path, _: dict[str, Any]) -> None:
        here = Path.cwd()
        os.chdir(path.parent)  # the whole path may be longer than the name of a socket can be
        try:
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(path.name)
        finally:
            os.chdir(here)
