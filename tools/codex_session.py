"""A session of Codex: files change by patches, and a rollout has the tokens."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stage import Session, Stage

from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from linetrail.queries.importers.histories import codex
from linetrail.queries.importers.histories.history import import_histories
from linetrail.queries.importers.sink import Import


class Codex(Session):
    """One session of Codex; what it does is said as by `Session`."""

    agent = "codex"

    def write(self, path: str, content: str) -> None:
        """Add a file."""
        added = "".join(f"+{line}\n" for line in content.splitlines())
        self._patch(f"*** Add File: {path}\n{added}", lambda: self._stage.write(path, content))

    def change(self, path: str, old: str, new: str, *, heeds_the_gate: bool = True) -> bool:
        """Replace whole lines, and return whether the gate let it."""
        gone = "".join(f"-{line}\n" for line in old.splitlines())
        added = "".join(f"+{line}\n" for line in new.splitlines())
        patch = f"*** Update File: {path}\n@@\n{gone}{added}"
        return self._patch(patch, lambda: self._stage.edit(path, old, new), heeds_the_gate=heeds_the_gate)

    def read(self, path: str) -> None:
        """Read a whole file, which is a command here."""
        self.look(f"cat {path}", "", self._stage.text(path) or "")

    def tests(self, output: str, exit_code: int = 0) -> None:
        """Run the tests; the output is made up, since that of every machine is another one."""
        told = {"output": output, "metadata": {"exit_code": exit_code, "duration_seconds": 0.4}}
        self._tool("Bash", {"command": "python -m unittest"}, lambda: told)

    def _patch(self, text: str, work: Callable[[], None], *, heeds_the_gate: bool = True) -> bool:
        def patched() -> str:
            work()
            return "Success. Updated the following files.\n"

        given = {"command": f"*** Begin Patch\n{text}*** End Patch\n"}
        return self._tool("apply_patch", given, patched, heeds_the_gate=heeds_the_gate)

    def _common(self) -> dict[str, str]:
        return {"model": self._model, "turn_id": self._turn()}

    def _turn(self) -> str:
        return f"{self._id[:24]}{self._prompts:012d}"

    def _answered(self) -> None:
        number = len(self._transcript)
        if not number:
            self._record("session_meta", id=self._id, cwd=str(self._stage.root), model_provider="openai")
            self._record("turn_context", model=self._model, turn_id=self._turn(), cwd=str(self._stage.root))
        cached, output = 9_000 + 700 * number, 150 + 83 * (number % 6)
        last = {
            "input_tokens": cached + 420 + 60 * (number % 4),
            "cached_input_tokens": cached,
            "output_tokens": output,
        }
        total = {"total_tokens": 10_000 * (number + 1)}
        self._record("event_msg", type="token_count", info={"total_token_usage": total, "last_token_usage": last})

    def _record(self, kind: str, **payload: Any) -> None:
        moment = self._stage.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._transcript.append(json.dumps({"timestamp": moment, "type": kind, "payload": payload}).encode() + b"\n")

    def _take_in(self) -> None:
        repository = find(str(self._stage.root))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"rollout-{self._id}.jsonl"
            path.write_bytes(b"".join(self._transcript))
            import_histories(codex, [str(path)], Import(repository, Ledger(repository)))


def codex_session(stage: Stage, name: str) -> Codex:
    """Let Codex start."""
    return Codex(stage, name, "gpt-5-codex")
