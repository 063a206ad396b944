"""A worker that writes files through the hook, for tests that kill it.

Each write adds a line that nobody else adds. The journal says which were let through, and which were done.
"""

import json
import os
import random
import time

from linetrail.ledger.hook.loop import handle

FILES = [f"src/shared/{number}.txt" for number in range(6)]
WRITES = 4
# How far off the clock of a worker may be: half of what makes a session silent is no reason to lose a lease.
CLOCK_SECONDS = 900


def work(root: str, name: str, seed: str, journal: str) -> None:
    """Write some files as far as the hook lets it."""
    chance = random.Random(seed + name)
    log = os.open(journal, os.O_WRONLY | os.O_APPEND)
    off_ns = chance.randint(-CLOCK_SECONDS // 2, CLOCK_SECONDS // 2) * 1_000_000_000

    def clock() -> int:
        return time.time_ns() + off_ns

    def tell(*words: str) -> None:
        os.write(log, f"{' '.join(words)}\n".encode())

    def send(event: str, call: dict[str, object], **fields: object) -> bytes:
        about = {"session_id": f"session-{name}", "cwd": root, "hook_event_name": event, **call, **fields}
        return handle("claude-code", json.dumps(about).encode(), event=None, cwd=root, now=clock).stdout

    for at in range(WRITES):
        path, line = chance.choice(FILES), f"{name}-{seed}-{at}"
        file = os.path.join(root, path)
        reading = {"tool_name": "Read", "tool_input": {"file_path": file}, "tool_use_id": f"read-{line}"}
        send("PreToolUse", reading)
        with open(file, encoding="utf-8") as opened:
            content = f"{opened.read()}{line}\n"
        send("PostToolUse", reading, tool_response={"type": "text"})
        given = {"file_path": file, "content": content}
        writing = {"tool_name": "Write", "tool_input": given, "tool_use_id": f"write-{line}"}
        if send("PreToolUse", writing):
            tell("refused", name, path, line)
            continue
        tell("let-through", name, path, line)
        made = f"{journal}.{os.getpid()}"  # beside no file of the work, where a kill would leave it
        with open(made, "w", encoding="utf-8") as opened:
            opened.write(content)
        os.replace(made, file)
        tell("done", name, path, line)
        send("PostToolUse", writing, tool_response={"type": "update", "filePath": file, "content": content})
