"""Run what is called safe under strace: nothing is written, nobody is called, no process is ended."""

import gzip
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from linetrail.ledger.shell.commands import judge

pytestmark = [
    pytest.mark.soak,
    pytest.mark.promise("G5"),
    pytest.mark.skipif(not (shutil.which("strace") and shutil.which("bash")), reason="needs strace and bash"),
]
SHARED = Path(os.environ.get("LINETRAIL_SHARED") or Path(__file__).parents[4] / "shared")
CORPUS = SHARED / "corpus" / "gate" / "commands.jsonl"
OURS = Path(__file__).parent / "commands" / "rows.jsonl"
# The commands are tried in so many parts, each in a repository of its own.
PARTS = 16
CALLS = (
    "open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,symlink,symlinkat,link,linkat,"
    "mknod,mknodat,truncate,ftruncate,chmod,fchmod,fchmodat,chown,fchown,fchownat,lchown,utimensat,setxattr,connect,bind,"
    "kill,tkill,tgkill,mount,ptrace"
)
OPENED = re.compile(r"(?:open|openat|openat2)\((?:AT_FDCWD, |\d+, )?\"(?P<path>[^\"]*)\", (?P<how>[^)]*)\)")
# git refreshes its own index; a terminal and nothing at all may be written to; the C library asks a cache for names.
EXEMPT = re.compile(
    r"/dev/(?:null|tty)\b|\.git/(?:worktrees/\w+/)?index(?:\.lock)?\b|nscd/socket|= -1 E(?:NOENT|NXIO|ROFS)"
)


def commands():
    """Return what the rows of bash run, but for our own commands."""
    texts = [path.read_text(encoding="utf-8") for path in (CORPUS, OURS) if path.exists()]
    rows = [json.loads(line) for text in texts for line in text.splitlines()]
    return [row["command"] for row in rows if row.get("shell", "bash") == "bash" and "linetrail" not in row["command"]]


@pytest.fixture
def place(repo):
    for name in ("a.txt", "b.txt", "notes.txt", "README.md", "src/main.py", "src/other.py", "tests/x.py", "app.log"):
        repo.write(name, "one\ntwo TODO\ndef main(): pass\n")
    repo.write("data.csv", "a,1\nb,2\n")
    repo.write("package.json", '{"version": "1", "scripts": {"a": "b"}, "dependencies": {}}')
    (repo.path / "data.gz").write_bytes(gzip.compress(b"foo\n"))
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message", "first")
    return repo.path


@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_called_safe_changes_nothing(place, tmp_path, part):
    safe = [command for command in commands()[part::PARTS] if judge(command).cls == "safe"]
    called = {command: traced(command, place, tmp_path / "calls") for command in safe}

    assert safe
    assert {command: changes for command, calls in called.items() if (changes := list(filter(_changes, calls)))} == {}


def traced(command, place, file):
    """Run a command and return what it called, a line each."""
    file.unlink(missing_ok=True)
    arguments = ["strace", "-f", "-qq", "-e", f"trace={CALLS}", "-e", "signal=none", "-o", file, "bash", "-c", command]
    subprocess.run(arguments, cwd=place, check=False, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
    if not file.exists():
        pytest.skip("strace cannot trace here")
    return file.read_text(errors="replace").splitlines()


def _changes(line: str) -> bool:
    if EXEMPT.search(line) or "resumed>" in line or "(" not in line:
        return False
    opened = OPENED.search(line)
    if opened:
        return bool(re.search(r"O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)", opened["how"]))
    return bool(re.match(r"\d+ +(?!open|openat)\w+\(", line))
