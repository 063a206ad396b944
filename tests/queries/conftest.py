"""Transcripts as Claude Code writes them, made up line by line."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.queries.terminals import Terminal

INTENTS = """\
active_intents:
  - id: INT-001
    name: Rotate tokens
    status: IN_PROGRESS
    owned_scope: ["src/**"]
    constraints: []
    acceptance_criteria: [it works]
"""
BEGINNING = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)
ELSEWHERE = "/machines/laptop/code/shop"

BRANCH = "entire/checkpoints/v1"


class Transcript:
    """One session's records; each is a second after the one before, unless told otherwise."""

    def __init__(self, session_id: str, cwd: str, after: int) -> None:
        """Begin without a record, `after` seconds after the beginning of all times here."""
        self.session_id = session_id
        self.cwd = cwd
        self.now = BEGINNING + timedelta(seconds=after)
        self.lines: list[bytes] = []
        self.calls = 0

    def add(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Add one record with what all records carry, and return it."""
        self.now += timedelta(seconds=1)
        record = {
            "parentUuid": None,
            "isSidechain": False,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session_id,
            "version": "2.1.45",
            "gitBranch": "main",
            "type": kind,
            "uuid": f"{self.session_id}-record-{len(self.lines):06d}-in-full-length",
            "timestamp": self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        } | fields
        self.lines.append(json.dumps(record, ensure_ascii=False).encode() + b"\n")
        return record

    def prompt(self, content: str | Sequence[Mapping[str, Any]], **fields: Any) -> None:
        """Say something to the agent."""
        self.add("user", message={"role": "user", "content": content}, **fields)

    def answer(self, *blocks: Mapping[str, Any], message: str | None = None, tokens: int = 1, **fields: Any) -> None:
        """Let the agent say something; blocks of one message come as records of their own."""
        said = {
            "id": message or f"msg_{self.session_id}_{len(self.lines)}",
            "model": "claude-model-x",
            "role": "assistant",
            "content": list(blocks or [{"type": "text", "text": "Done."}]),
            "usage": {
                "input_tokens": 3,
                "output_tokens": tokens,
                "cache_read_input_tokens": 100,
                "cache_creation_input_tokens": 20,
            },
        }
        self.add("assistant", message=said, **({"requestId": f"req_{said['id']}"} | fields))

    def call(self, name: str, given: Mapping[str, Any], **fields: Any) -> str:
        """Let the agent ask for a tool, and return the name of the call."""
        self.calls += 1
        call_id = f"toolu_{self.session_id}_{self.calls:06d}_full"
        self.answer({"type": "tool_use", "id": call_id, "name": name, "input": given}, **fields)
        return call_id

    def result(self, call_id: str, told: str = "ok", *, failed: bool = False, **fields: Any) -> None:
        """Let a tool answer."""
        block = {"type": "tool_result", "tool_use_id": call_id, "content": told}
        self.add(
            "user", message={"role": "user", "content": [block | ({"is_error": True} if failed else {})]}, **fields
        )

    def write(self, path: str, content: str, original: str | None = None, **response: Any) -> None:
        """Let the agent write a whole file; without an original there was none."""
        place = self.place(path)
        call_id = self.call("Write", {"file_path": place, "content": content})
        told = {
            "type": "create" if original is None else "update",
            "filePath": place,
            "content": content,
            "structuredPatch": [],
            "originalFile": original,
        }
        self.result(call_id, toolUseResult=told | response)

    def edit(self, path: str, original: str | None, old: str, new: str, **response: Any) -> str:
        """Let the agent replace the first `old` in a file, and return what the file is then."""
        place = self.place(path)
        call_id = self.call("Edit", {"file_path": place, "old_string": old, "new_string": new})
        told = {
            "filePath": place,
            "oldString": old,
            "newString": new,
            "originalFile": original,
            "structuredPatch": [],
            "userModified": False,
            "replaceAll": False,
        }
        self.result(call_id, toolUseResult=told | response)
        return (original or "").replace(old, new, 1)

    def bash(self, command: str, told: str = "", *, failed: bool = False) -> None:
        """Let the agent run a command."""
        output = {"stdout": told, "stderr": "", "interrupted": False, "isImage": False}
        self.result(
            self.call("Bash", {"command": command}),
            told,
            failed=failed,
            toolUseResult=f"Error: {told}" if failed else output,
        )

    def place(self, path: str) -> str:
        """Return a path as the agent spells it."""
        return path if path.startswith("/") else f"{self.cwd}/{path}"

    def save(self, path: Path, lines: Sequence[bytes] | None = None) -> Path:
        """Write all records, or these, to a file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(self.lines if lines is None else lines))
        return path


@pytest.fixture
def talk() -> Callable[..., Transcript]:
    """Return a function that begins a session on a machine that is not this one."""

    def begin(session_id: str = "session-1", *, cwd: str = ELSEWHERE, after: int = 0) -> Transcript:
        return Transcript(session_id, cwd, after)

    return begin


@pytest.fixture
def ledger(repo):
    """Make the folder that a ledger needs."""
    return repo.start_ledger()


@pytest.fixture
def imported(repo, cli, tmp_path):
    """Return a function that saves transcripts, imports them and returns the rows."""

    def run(*transcripts, options=()):
        paths = [str(one.save(tmp_path / f"{at}.jsonl")) for at, one in enumerate(transcripts)]
        answer = cli("import", "claude-code", *paths, "--json", *options)
        assert answer.status == 0, answer.err
        return answer.rows

    return run


@pytest.fixture
def memory(repo):
    """Return a function that imports in a process of its own and returns its answer and its largest size in MB."""
    if not os.path.exists("/proc/self/status"):
        pytest.skip("needs /proc: the kernel's account of a process begins with that of its parent")
    program = (
        "import re, sys; from linetrail.queries.cli import main; status = main(sys.argv[1:]);"
        "told = open('/proc/self/status').read();"
        "print(int(re.search(r'VmHWM:\\s+(\\d+)', told)[1]) // 1024, file=sys.stderr); sys.exit(status)"
    )

    def run(path, agent="claude-code"):
        command = [sys.executable, "-c", program, "-C", repo.path, "import", agent, path]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout, int(done.stderr)

    return run


@pytest.fixture
def long_session(talk: Callable[..., Transcript]) -> Callable[[], Transcript]:
    """Return a function that tells one session with something of everything."""

    def tell() -> Transcript:
        session = talk()
        session.prompt("Begin", permissionMode="plan")
        session.write("a.py", "one\ntwo\n")
        for tokens in (1, 2):
            session.answer(message="msg_in_pieces", tokens=tokens)
        after = session.edit("a.py", "one\ntwo\nby hand\n", "two", "2")
        session.prompt("Go on")
        session.edit("a.py", after, "one", "1")
        session.edit("draft.py", "x\n", "x", "y")
        session.bash("make", "Exit code 2", failed=True)
        session.prompt("<command-name>/exit</command-name>")
        return session

    return tell


@pytest.fixture
def who(cli: Callable[..., Any]) -> Callable[..., list[str]]:
    """Return a function that blames a file and names, for each line, the session or the kind of its author."""

    def ask(path: str, *options: str, cwd: Path | None = None) -> list[str]:
        answer = cli("blame", "--json", *options, "--", path, cwd=cwd)
        assert answer.status == 0, answer.err
        return [row["session_id"] or row["contributor_type"] for row in answer.rows]

    return ask


@pytest.fixture
def uncommitted_ledger(repo):
    """Keep the ledger out of what tests commit."""
    (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")


@pytest.fixture
def fresh_clone(repo: Any, tmp_path: Path) -> Callable[..., Path]:
    """Return a function that clones the repository and brings its ledger along, as a colleague would have them."""

    def clone(*options: str) -> Path:
        folder = tmp_path / "clone"
        subprocess.run(["git", "clone", "-q", *options, f"file://{repo.path}", str(folder)], check=True)
        (folder / ".orchestration").mkdir()
        shutil.copy(repo.path / ".orchestration" / "agent_trace.jsonl", folder / ".orchestration")
        return folder

    return clone


@pytest.fixture
def shop(repo, agent, cli):
    """Make a repository whose main branch holds one sealed session, and begin a branch."""
    repo.start_ledger()
    repo.write(".gitignore", "known.json\n*.md\n*.sarif\n*.xml\n")
    repo.write(".orchestration/.gitignore", "agent_trace.jsonl\ncache/\nstate/\nobjects/\nspool/\nquarantine/\n")
    repo.commit("begin", {".orchestration/active_intents.yaml": INTENTS})
    assert cli("select", "INT-001").status == 0
    agent("main-1").write("billing/tax.py", "RATE = 1\n")
    assert cli("seal").status == 0
    repo.commit("the first session")
    repo.git("switch", "--quiet", "--create", "topic")
    return repo


@pytest.fixture
def session(shop, agent, cli):
    """Return a function that lets a session write files, and commits them with their sealed segment."""

    def work(*paths, name="topic-1"):
        written = agent(name)
        for path in paths:
            written.write(path, f"X = {len(path)}\n")
        assert cli("seal").status == 0
        shop.commit(f"{name} wrote")

    return work


@pytest.fixture
def ci(cli):
    """Return a function that runs `linetrail ci` against the main branch."""
    return lambda *options: cli("ci", "--base", "main", *options)


@pytest.fixture
def checkpoint(repo):
    """Return a function that adds one session to a checkpoint on the branch, as one more commit of it.

    Newer versions keep each checkpoint at a ref of its own: then `ref` names it, and the tree begins with the session.
    """

    def add(lines, *, name="a3b2c4d5e6f7", number=0, agent="Claude Code", parts=1, ref=None):
        folder = f"{number}" if ref else f"{name[:2]}/{name[2:]}/{number}"
        about = {"checkpoint_id": name, "session_id": "session-1", "strategy": "manual-commit", "agent": agent}
        contents = {f"{folder}/metadata.json": json.dumps(about), f"{folder}/prompt.txt": "Begin"}
        size = -(-len(lines) // parts)
        for part in range(parts):
            ending = f".{part:03d}" if part else ""
            contents[f"{folder}/full.jsonl{ending}"] = b"".join(lines[part * size : (part + 1) * size]).decode()
        if ref:
            contents["metadata.json"] = json.dumps(
                {"checkpoint_id": name, "sessions": [{"transcript": "/0/full.jsonl"}]}
            )
            contents[f"{folder}/transcript.jsonl"] = '{"v":1,"agent":"claude-code","type":"user"}\n'
        ref = ref or f"refs/heads/{BRANCH}"
        known = repo.git("ls-tree", "-r", ref) if repo.git("for-each-ref", ref) else ""
        tree = [line for line in known.splitlines() if line.partition("\t")[2] not in contents]
        for path, content in contents.items():
            blob = repo.git("hash-object", "-w", "--stdin", stdin=content)
            tree.append(f"100644 blob {blob}\t{path}")
        made = write_tree(repo, tree)
        parent = ["-p", ref] if known else []
        repo.git("update-ref", ref, repo.git("commit-tree", made, *parent, "-m", f"Checkpoint: {name}"))

    return add


def write_tree(repo, entries):
    """Write nested trees and return the name of the top one."""
    here, below = [], {}
    for entry in entries:
        about, path = entry.split("\t")
        first, _, rest = path.partition("/")
        if rest:
            below.setdefault(first, []).append(f"{about}\t{rest}")
        else:
            here.append(entry)
    here += [f"040000 tree {write_tree(repo, inner)}\t{name}" for name, inner in below.items()]
    return repo.git("mktree", stdin="".join(f"{entry}\n" for entry in here))


@pytest.fixture
def at_terminal(repo):
    """Return a function that starts a command, or a program that takes its arguments, at a terminal."""
    with contextlib.ExitStack() as stack:

        def start(*arguments, program=None, **env):
            terminal = Terminal(repo.path, arguments, env, program)
            stack.callback(terminal.close)
            return terminal

        yield start
