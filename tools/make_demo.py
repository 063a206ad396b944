"""Make queries/demonstration/demo.zip: the repository of `story.py` and `later_weeks.py`, and the ledger of its hooks.

Times, ids and names are pinned, so its members come out byte for byte the same on every machine. git's history
travels as `git fast-export` text: unlike a bundle, it does not depend on how a version of git packs.

    python tools/make_demo.py [OUT]
"""

import contextlib
import os
import random
import sys
import tempfile
import zipfile
from pathlib import Path
from unittest import mock

import later_weeks
import story
from stage import Stage

from linetrail.queries.setup.installation import TEMPLATES

OUT = Path(__file__).resolve().parent.parent / "queries" / "demonstration" / "demo.zip"
HISTORY, LEDGER, WORKTREE = "history.export", ".orchestration/agent_trace.jsonl", "worktree"


def main(out: Path) -> None:
    """Play the story in a temporary folder and pack what is left of it."""
    chance = random.Random(2026)  # of the salts that prompts are committed to with; they stay behind
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        mock.patch("os.urandom", chance.randbytes),
    ):
        stage = Stage(Path(folder))
        for name, text in TEMPLATES.items():
            stage.write(f".orchestration/{name}", text)
        story.tell(stage)
        later_weeks.tell(stage)
        members = _members(stage)
    with zipfile.ZipFile(out, "w") as file:
        for name, content in sorted(members.items()):
            file.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, compresslevel=9)
    print(f"{out}: {out.stat().st_size:,} bytes, {len(members)} members")


def _members(stage: Stage) -> dict[str, bytes]:
    changed = stage.git("diff", "--name-only", "HEAD").splitlines()
    ledger = (stage.root / LEDGER).read_bytes()
    for forbidden in (b"payload.rejected", os.fsencode(stage.root)):
        assert forbidden not in ledger, f"{forbidden!r} in the ledger"
    members = {f"{WORKTREE}/{path}": (stage.root / path).read_bytes() for path in [*changed, LEDGER]}
    return members | {HISTORY: stage.git("fast-export", "--all").encode()}


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else OUT)
