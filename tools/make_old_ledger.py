"""Write a ledger of the present version with an event of every type, for `tests/fixtures/ledgers/`.

    python tools/make_old_ledger.py tests/fixtures/ledgers/v1

A version that was released is never written again: what it wrote has to stay readable as it is.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from linetrail.ledger.event.event import TYPES, Agent, Event, derived_id, rfc3339
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.observe.mutation import copy, transition
from linetrail.ledger.repository import Vcs, find

START_NS, STEP_NS = 1_767_600_000_123_456_000, 1_500_000_000
FILE = "src/totals.py"
BEFORE = "def total(lines):\n    return sum(lines)\n"
AFTER = "def total(lines):\n    return round(sum(lines), 2)\n\n\ndef count(lines):\n    return len(lines)\n"
BROKEN = AFTER.replace("round(sum(lines), 2)", "round(\n        sum(lines),\n        2,\n    )")
HASH, NAME, REVISION = f"sha256:{'5' * 64}", "6" * 64, "7" * 40
CALL = {"tool_call_id": "call_1", "tool_name": "Edit", "operation": "edit"}
INTENT = {"id": "INT-001", "name": "Round totals", "status": "IN_PROGRESS", "scope": ["src/**"]}
CHECKED = {
    "intent_id": "INT-001",
    "criterion": "Totals are right",
    "command": "make check",
    "passed": True,
    "by": "done",
}
TOKENS = {"input_tokens": 3, "output_tokens": 40, "cache_read_input_tokens": 0, "cache_creation_input_tokens": None}

CLASSIFIED = {"path": FILE, "label": "evolution", "kind": "unproved", "before_hash": HASH, "after_hash": HASH}
# One or more of each type, in the order in which they may well happen; the header of a segment comes by sealing.
STORY: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("session.started", "unknown", {"source": "startup", "transcript": "s1.jsonl", "cwd": "."}),
    (
        "prompt.submitted",
        "human",
        {"prompt_id": "p1", "excerpt": "Round the “total” ½ 🙂", "sha256": HASH, "length": 23},
    ),
    ("intent.created", "human", {"intent_id": "INT-001", "before": None, "after": INTENT, "registry_digest": HASH}),
    ("intent.selected", "human", {"intent_id": "INT-001", "name": "Round totals", "by": "command"}),
    ("tool.requested", "ai", CALL | {"targets": [{"path": FILE, "role": "write"}], "input_sha256": HASH}),
    ("gate.decided", "unknown", {"tool_call_id": "call_1", "verdict": "ask", "code": "ASKED", "source": "agent"}),
    (
        "gate.violation",
        "unknown",
        {"tool_call_id": "call_1", "code": "OUT_OF_SCOPE", "reason": "it was changed all the same", "path": FILE},
    ),
    ("approval.decided", "human", {"approval_id": "A-2345", "approved": True, "action": "Edit"}),
    (
        "approval.decided",
        "human",
        {"approval_id": "A-2346", "approved": True, "extent": "session", "covers": [FILE], "action": "Edit"},
    ),
    ("approval.deferred", "human", {"approval_id": "A-2347", "reason": "after the release", "action": "Edit"}),
    ("approval.revoked", "human", {"approval_id": "A-2346", "extent": "session", "covers": [FILE]}),
    ("criterion.checked", "human", CHECKED),
    ("gate.reset", "human", {"names": ["session:s1"]}),
    ("mutation.observed", "unknown", {"via": "unseen", "files": transition(FILE, None, BEFORE.encode())}),
    (
        "mutation.observed",
        "ai",
        {"tool_call_id": "call_1", "tool_name": "Edit", "via": "tool", "declared_class": "AST_REFACTOR"}
        | {"files": transition(FILE, BEFORE.encode(), AFTER.encode())},
    ),
    ("tool.completed", "ai", CALL | {"duration_ms": 12, "exit_code": None, "output_sha256": HASH}),
    ("tool.failed", "ai", CALL | {"tool_call_id": "call_2", "error": "no such text", "is_interrupt": False}),
    (
        "decision.recorded",
        "ai",
        {"decision_id": "DEC-1", "title": "Round once", "rationale": "sums drift", "status": "accepted"}
        | {"alternatives": [{"option": "round each", "why_rejected": "cents are lost"}], "lines": [f"{FILE}:2-2"]},
    ),
    ("lesson.recorded", "human", {"lesson_id": "LES-1", "title": "Round late", "body": None}),
    ("thought.recorded", "ai", {"excerpt": "Rounding late is safer", "sha256": HASH, "length": 22}),
    ("recovery_point.marked", "human", {"name": "before the release", "files": {FILE: HASH}}),
    ("intent.changed", "human", {"intent_id": "INT-001", "before": INTENT, "after": INTENT | {"status": "DONE"}}),
    ("intent.completed", "human", {"intent_id": "INT-001", "verification_notes": "tests pass"}),
    ("intent.cleared", "human", {"intent_id": "INT-001", "by": "command"}),
    ("commit.observed", "unknown", {"revision": REVISION, "parents": ["8" * 40], "patch_id": None, "files": [FILE]}),
    ("mutation.observed", "ai", {"via": "shell", "files": copy("src/sums.py", AFTER.encode(), FILE)}),
    ("mutation.observed", "ai", {"via": "shell", "files": transition(FILE, AFTER.encode(), BROKEN.encode())}),
    (
        "authorship.stated",
        "unknown",
        {"revision": REVISION, "note": "9" * 40, "generator": "git-ai 1.0.0"}
        | {"authors": [{"key": "s_1", "contributor": "ai", "agent_name": "cursor", "session_id": "c1"}]}
        | {"files": [{"path": FILE, "by": [{"key": "s_1::t_1", "ranges": [[1, 2], [5, 5]]}]}]},
    ),
    ("usage.recorded", "ai", {"usage_key": "m1:r1", "message_id": "m1", "request_id": "r1"} | TOKENS),
    ("correction.recorded", "human", {"event_id": derived_id(START_NS, "7"), "field": "contributor", "after": "human"}),
    ("ledger.repaired", "unknown", {"quarantined": "quarantine/9-a.torn", "bytes": 7, "offset": 9}),
    ("ledger.restored", "unknown", {"lines": 3}),
    ("ledger.lost", "unknown", {"lines": 2, "digest": NAME}),
    ("payload.erased", "human", {"sha256": HASH, "reason": "asked for"}),
    ("agent.signalled", "unknown", {"signal": "PreCompact", "detail": None}),
    (
        "payload.rejected",
        "unknown",
        {"reason": "not JSON", "sha256": HASH, "size": 9, "raw": "half \u0000 a \u2028line"},
    ),
    (
        "mutation.classified",
        "unknown",
        {"about": "mutation", "mutation_id": derived_id(START_NS + 10 * STEP_NS, "10"), "rule_version": 1}
        | {"label": "evolution", "kind": "unproved", "computed_class": "INTENT_EVOLUTION", "evolved_files": 1}
        | {"mutation_class": "INTENT_EVOLUTION", "declared_class": "AST_REFACTOR", "evidence": ["calls `round`"]}
        | {"basis": [{"by": "call", "mutation_class": "AST_REFACTOR"}], "files": [CLASSIFIED]},
    ),
    ("lessons.shown", "unknown", {"intent_id": "INT-001", "lesson_ids": ["LES-1"]}),
    ("session.ended", "unknown", {"reason": "exit"}),
    ("ledger.missed", "unknown", {"since": "2026-01-05T08:00:00.000000Z", "events": 4}),
    (
        "work.moved",
        "human",
        {"state": "landed", "before": "checking", "branch": "lt/INT-001", "target": "main", "revision": REVISION},
    ),
    ("lease.broken", "human", {"path": "totals.txt", "held_by": "s1", "worktree": "INT-001", "reason": "it waits"}),
)


def events() -> list[Event]:
    """Return the story as events."""
    return [
        Event(
            id=derived_id(START_NS + at * STEP_NS, str(at)),
            timestamp=rfc3339(START_NS + at * STEP_NS),
            type=kind,
            session_id="s1",
            agent=Agent("claude-code", "2.1.45", "anthropic/claude-model-x") if contributor == "ai" else None,
            contributor=contributor,
            intent_id="INT-001" if contributor == "ai" else None,
            vcs=Vcs("git", REVISION, "main", dirty=None),
            data=data,
        )
        for at, (kind, contributor, data) in enumerate(STORY)
    ]


def main(target: Path) -> None:
    """Seal the first half of the story, and leave the other in the tail."""
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(["git", "init", "--quiet", name], check=True)
        ledger = Ledger(find(name))
        told = events()
        half = len(told) // 2
        ledger.append(told[:half])
        ledger.seal()
        ledger.append(told[half:])
        for part in ("agent_trace.jsonl", "segments"):
            source = Path(ledger.folder, part)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, target / part)
    (target / "totals.txt").write_text(AFTER)
    missing = TYPES - {kind for kind, _, _ in STORY} - {"ledger.sealed"}
    if missing:
        sys.exit(f"the story has no {', '.join(sorted(missing))}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
