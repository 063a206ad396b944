"""Records as older ledgers of Agent Trace and of seeds have them, and the file that their events are made of."""

import json

SPEC = {
    "version": "0.1.0",
    "id": "550e8400-e29b-41d4-a716-446655440000",
    "timestamp": "2026-01-23T14:30:00+01:00",
    "vcs": {"type": "git", "revision": "a" * 40},
    "tool": {"name": "cursor", "version": "2.4.0"},
    "files": [
        {
            "path": "src/app.ts",
            "conversations": [
                {
                    "url": "https://api.example.com/v1/conversations/12345",
                    "contributor": {"type": "ai", "model_id": "anthropic/claude-opus-4-5"},
                    "ranges": [
                        {"start_line": 42, "end_line": 67, "content_hash": "murmur3:9f2e8a1b"},
                        {"start_line": 70, "end_line": 71, "contributor": {"type": "mixed"}},
                    ],
                    "related": [{"type": "intent", "url": "urn:intent:INT-007"}],
                }
            ],
        }
    ],
    "metadata": {"confidence": 0.95},
}
SEED = {
    "id": "7d4a8f0e-3b52-4f0e-9d0a-6d5a3b1c2e4f",
    "timestamp": "2026-02-16T12:00:00Z",
    "vcs": {"revision_id": "b" * 40},
    "files": [
        {
            "relative_path": "src/auth/middleware.ts",
            "conversations": [
                {
                    "url": "session_log_id",
                    "contributor": {"entity_type": "AI", "model_identifier": "claude-3-5-sonnet"},
                    "ranges": [{"start_line": 15, "end_line": 45, "content_hash": "sha256:a8f5f167f44f4964e6c998de"}],
                    "related": [{"type": "specification", "value": "REQ-001"}],
                }
            ],
        }
    ],
}
SEED_WITH_STATES = {
    "id": "660e8400-e29b-41d4-a716-446655440000",
    "timestamp": "2026-02-16T12:01:00Z",
    "vcs": {"revision_id": "abc123def456", "branch": "feature/jwt-auth", "dirty": True},
    "intent_id": "INT-001",
    "mutation_class": "INTENT_EVOLUTION",
    "files": [
        {
            "relative_path": "src/auth/jwt.ts",
            "operation": "create",
            "before_hash": None,
            "after_hash": f"sha256:{'c' * 64}",
            "line_ranges": [
                {"start_line": 1, "end_line": 9, "content_hash": "sha256:c7", "ast_node_type": "FunctionDeclaration"}
            ],
        }
    ],
    "conversation": {
        "session_id": "session-uuid",
        "message_index": 42,
        "model": "claude-3-5-sonnet-20241022",
        "contributor_type": "AI",
    },
    "metadata": {"tool_used": "write_file", "execution_time_ms": 150},
}
SEED_FLAT = {
    "id": "770e8400-e29b-41d4-a716-446655440000",
    "timestamp": "2026-02-16T12:02:00Z",
    "intent_id": "INT-002",
    "operation": "WRITE",
    "file_path": "src/a.ts",
    "content_hash": f"sha256:{'d' * 64}",
    "classification": "AST_REFACTOR",
    "related": [{"type": "specification", "value": "INT-002"}],
}
SEED_COMMAND = {
    "intent_id": "INT-002",
    "command": "npm test",
    "cwd": "/home/dev/project",
    "exit_code": 1,
    "output_hash": f"sha256:{'e' * 64}",
    "timestamp": "2026-02-16T12:03:00Z",
}
ALL = [SPEC, SEED, SEED_WITH_STATES, SEED_FLAT, SEED_COMMAND]


def line(record):
    return json.dumps(record).encode()


def text(*records):
    return b"".join(line(record) + b"\n" for record in records)


def received(events):
    """Return the file that the events of an import are made of: what was received, in order."""
    content, last = b"", {"line": 0}
    for event in events:
        if event.data.get("raw") is None:
            continue
        place = event.data["received"]
        # A line that no event has was empty.
        content += b"\n" * (place["line"] - max(last["line"], 1))
        content += event.data["raw"].encode(event.data["dialect"] if event.data["dialect"] == "latin-1" else "utf-8")
        last = place
    return content if last.get("unended") else content + b"\n"
