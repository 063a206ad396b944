"""Write a ledger of any length that looks like weeks of work: sessions, prompts, tool calls, edits that fit together.

    python -m benchmarks.ledgers 100000 path/to/agent_trace.jsonl

The same number gives the same bytes.
"""

import random
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from linetrail.ledger.event.event import GENESIS, Agent, Event, derived_id, line_digest, rfc3339, to_line
from linetrail.ledger.repository import Vcs

BEGINNING = 1_760_000_000_000_000_000
AGENT = Agent("claude-code", "2.1.300", "anthropic/claude-opus-5")
FILES = 300
PROMPTS, CALLS = 8, 6
TOOLS = (("Edit", "edit"), ("Edit", "edit"), ("Bash", "shell"), ("Bash", "shell"), ("Read", "read"))


class Work:
    """A made-up project at work on itself; each file is known by its length and the hash of its content."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._clock = BEGINNING
        self._count = 0
        self._files: dict[str, tuple[int, str | None]] = {}

    def events(self) -> Iterator[Event]:
        """Yield events for ever."""
        number = 0
        while True:
            number += 1
            yield from self._session(number)

    def _session(self, number: int) -> Iterator[Event]:
        session = derived_id(self._clock, "session", str(number))
        place: dict[str, Any] = {
            "session_id": session,
            "agent": AGENT,
            "intent_id": f"INT-{number % 40:04d}" if number % 5 else None,
            "vcs": Vcs("git", self._hex(40), "main"),
        }
        yield self._event("session.started", place, {"source": "startup", "cwd": ".", "permission_mode": "default"})
        for turn in range(self._prompts()):
            prompt = f"{session[-6:]}-{turn}"
            yield self._event("prompt.submitted", place, self._prompt(prompt), "human")
            for _ in range(CALLS):
                yield from self._call(place, prompt)
            yield self._event("usage.recorded", place, self._usage(prompt))
        yield self._event("session.ended", place, {"reason": "prompt_input_exit"})

    def _prompts(self) -> int:
        """Return how many prompts a session has."""
        return PROMPTS

    def _call(self, place: dict[str, Any], prompt: str) -> Iterator[Event]:
        tool, operation = self._random.choice(TOOLS)
        module = self._random.randrange(FILES)
        path = f"src/package_{module % 20}/module_{module}.py"
        shell = operation == "shell"
        call = {"tool_call_id": f"toolu_{self._hex(24)}", "tool_name": tool, "operation": operation}
        yield self._event(
            "tool.requested",
            place,
            call
            | {
                "targets": [] if shell else [{"path": path, "role": "read" if operation == "read" else "write"}],
                "command": f"pytest -q tests/{path}" if shell else None,
                "input_sha256": f"sha256:{self._hex(64)}",
                "prompt_id": prompt,
                "permission_mode": "default",
                "agent_id": None,
                "agent_type": None,
            },
        )
        if operation == "edit":
            origin = {"tool_call_id": call["tool_call_id"], "tool_name": tool, "via": "tool", "user_modified": False}
            yield self._event("mutation.observed", place, origin | {"files": [self._edit(path)]})
        outcome = {"duration_ms": self._random.randrange(3_000), "exit_code": 0 if shell else None}
        yield self._event("tool.completed", place, call | outcome | {"output_sha256": f"sha256:{self._hex(64)}"})

    def _edit(self, path: str) -> dict[str, Any]:
        """Replace a few lines in up to three places, so that the hunks lead from one state to the next."""
        lines, before = self._files.get(path, (0, None))
        hunks: list[dict[str, Any]] = []
        at = grown = 0
        while not hunks or (len(hunks) < 3 and at + 20 < lines):
            old = min(self._random.randrange(3), lines - at)
            new = self._random.randrange(1, 5) if lines else 120
            start = at + (self._random.randrange(max(lines - at - old, 1)) if lines else 0)
            hunks.append(self._hunk(start, old, start + grown, new))
            at, grown = start + old + 1, grown + new - old
        after = f"sha256:{self._hex(64)}"
        self._files[path] = (lines + grown, after)
        return {
            "path": path,
            "op": "modify" if before else "add",
            "before_hash": before,
            "after_hash": after,
            "before_lines": lines if before else 0,
            "after_lines": lines + grown,
            "eol": "lf",
            "hunks": hunks,
        }

    def _hunk(self, old_start: int, old: int, new_start: int, new: int) -> dict[str, Any]:
        return {
            "old_start": old_start + 1 if old else old_start,
            "old_lines": old,
            "new_start": new_start + 1,
            "new_lines": new,
            "content_hash": f"sha256:{self._hex(64)}",
            "line_hashes": [self._hex(16) for _ in range(new)],
        }

    def _prompt(self, prompt: str) -> dict[str, Any]:
        sentence = "please make the parser keep the comments — and say in the changelog what is different now"
        excerpt = " ".join(self._random.choices(sentence.split(), k=18))
        return {"prompt_id": prompt, "excerpt": excerpt, "sha256": f"sha256:{self._hex(64)}", "length": len(excerpt)}

    def _usage(self, prompt: str) -> dict[str, Any]:
        kinds = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        tokens = {kind: self._random.randrange(20_000) for kind in kinds}
        key = {"usage_key": f"msg_{prompt}:req_{prompt}", "message_id": f"msg_{prompt}", "request_id": f"req_{prompt}"}
        return key | {"model_id": AGENT.model_id} | tokens

    def _event(self, event_type: str, place: dict[str, Any], data: dict[str, Any], contributor: str = "ai") -> Event:
        self._clock += self._random.randrange(1, 20_000_000_000)
        self._count += 1
        return Event(
            id=derived_id(self._clock, str(self._count)),
            timestamp=rfc3339(self._clock),
            type=event_type,
            contributor=contributor,
            data=data,
            **place,
        )

    def _hex(self, digits: int) -> str:
        return f"{self._random.getrandbits(4 * digits):0{digits}x}"


class Audited(Work):
    """Work that is judged, decided about, committed and classified, with everything that can go wrong."""

    def events(self) -> Iterator[Event]:
        """Yield events for ever; the intents come first."""
        for number in range(40):
            yield self._revised(number, "intent.created", "IN_PROGRESS")
        yield from super().events()

    def _session(self, number: int) -> Iterator[Event]:
        changed: dict[str, None] = {}
        for event in super()._session(number):
            place = {key: getattr(event, key) for key in ("session_id", "agent", "intent_id", "vcs")}
            match event.type:
                case "tool.requested":
                    asked = self._odd(event, number)
                    yield asked
                    yield self._judged(place, asked)
                case "tool.completed" if self._once_in(30):
                    yield event._replace(type="tool.failed", data=event.data | {"error": "ValueError: no such text"})
                case "mutation.observed":
                    changed |= dict.fromkeys(file["path"] for file in event.data["files"])
                    yield self._odd_change(event)
                    if self._once_in(3):
                        yield self._classified(place, event)
                case "session.ended":
                    yield from self._ending(place, number, sorted(changed))
                    yield event
                case "usage.recorded":
                    yield event
                    if self._once_in(4):  # another record of the same answer
                        yield self._event("usage.recorded", place, event.data)
                case _:
                    yield event

    def _ending(self, place: dict[str, Any], number: int, changed: list[str]) -> Iterator[Event]:
        if self._once_in(2) and changed:
            commit = {"revision": self._hex(40), "parents": [place["vcs"].revision], "files": changed}
            yield self._event("commit.observed", place, commit)
        if self._once_in(5) and changed:
            decision = {"decision_id": f"D-{number}", "title": "Keep the comments", "status": "accepted"}
            yield self._event("decision.recorded", place, decision | {"lines": [f"{changed[0]}:1-9"]})
        if self._once_in(10):
            lesson = {"lesson_id": f"L-{number % 50}", "title": "refused", "source": "denial", "code": "OUT_OF_SCOPE"}
            yield self._event("lesson.recorded", place, lesson | {"path": f"src/package_{number % 20}/**"}, "unknown")
            shown = {"intent_id": place["intent_id"], "lesson_ids": [f"L-{number % 50}"]}
            yield self._event("lessons.shown", place, shown, "unknown")
        if self._once_in(20):
            yield self._revised(number % 40, "intent.changed", "DONE" if number % 400 == 0 else "IN_PROGRESS")
        if self._once_in(40):
            violated = {"code": "PROTECTED_PATH", "reason": "a command changed it", "path": ".git/config"}
            yield self._event("gate.violation", place, violated, "unknown")
            asked = {
                "approval_id": f"A-{number}",
                "approved": True,
                "tool_name": "Bash",
                "person": "Ana <ana@example.org>",
            }
            yield self._event("approval.decided", place, asked | {"code": "DANGEROUS_COMMAND"}, "human")

    def _odd(self, event: Event, number: int) -> Event:
        """Return a call as it is, or dangerous, bypassing, repeated, of a subagent, of a server."""
        data = dict(event.data)
        if data["command"] is not None and self._once_in(100):
            data["command"] = "rm -rf build [redacted:github:1a2b3c4d]"
        if self._once_in(50):
            data["input_sha256"] = f"sha256:{number:064x}"
        if data["operation"] == "read" and self._once_in(20):
            data |= {"tool_name": "mcp__github__search", "operation": "mcp"}
        if number % 50 == 0:
            data["permission_mode"] = "bypassPermissions"
        if number % 20 == 0:
            data |= {"agent_id": f"sub-{number}", "agent_type": "Explore"}
        return event._replace(data=data)

    def _odd_change(self, event: Event) -> Event:
        """Return a change as it is, or by a command, by nobody who was seen, or with a claim."""
        if self._once_in(20):
            return event._replace(data=event.data | {"via": "shell"})
        if self._once_in(100):
            return event._replace(data=event.data | {"via": "unseen", "tool_call_id": None}, contributor="unknown")
        return event._replace(data=event.data | {"declared_class": "refactor"}) if self._once_in(10) else event

    def _judged(self, place: dict[str, Any], event: Event) -> Event:
        call = {key: event.data[key] for key in ("tool_call_id", "tool_name")}
        refused = self._once_in(50)
        verdict = {"verdict": "deny" if refused else "allow", "code": "OUT_OF_SCOPE" if refused else "IN_SCOPE"}
        verdict |= {"source": "linetrail", "mode": "block", "enforced": self._once_in(2) if refused else None}
        paths = [
            {"path": target["path"], "code": verdict["code"] if refused else None} for target in event.data["targets"]
        ]
        shell = (
            {"command_class": "dangerous" if "rm -rf" in event.data["command"] else "destructive"} if not paths else {}
        )
        return self._event("gate.decided", place, call | verdict | shell | {"paths": paths}, "unknown")

    def _classified(self, place: dict[str, Any], event: Event) -> Event:
        evolved = self._once_in(2)
        label, computed = ("evolution", "INTENT_EVOLUTION") if evolved else ("refactor", "AST_REFACTOR")
        told = {"label": label, "kind": "rename", "evidence": []}
        files = [{"path": file["path"], **told} for file in event.data["files"]]
        judged = {"about": "mutation", "mutation_id": event.id, "rule_version": 1, "label": label, "kind": "rename"}
        judged |= {
            "computed_class": computed,
            "mutation_class": computed,
            "evolved_files": int(evolved),
            "files": files,
        }
        return self._event("mutation.classified", place, judged, "unknown")

    def _revised(self, number: int, event_type: str, status: str) -> Event:
        intent = f"INT-{number:04d}"
        state = {
            "id": intent,
            "name": f"What {intent} is for",
            "status": status,
            "scope": [f"src/package_{number % 20}/**"],
        }
        place: dict[str, Any] = {"session_id": None, "agent": None, "intent_id": None, "vcs": None}
        return self._event(event_type, place, {"intent_id": intent, "after": state}, "human")

    def _once_in(self, times: int) -> bool:
        return self._random.randrange(times) == 0


def write(events: int, path: Path) -> None:
    """Write a ledger of this many events."""
    path.parent.mkdir(parents=True, exist_ok=True)
    prev = GENESIS
    with path.open("wb") as file:
        for seq, event in enumerate(islice(Work().events(), events), 1):
            line = to_line(event, seq, prev)
            prev = line_digest(line)
            file.write(line)


if __name__ == "__main__":
    write(int(sys.argv[1]), Path(sys.argv[2]))
