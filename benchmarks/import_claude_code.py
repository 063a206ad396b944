"""What an import costs, ledger written and synced, against reading the same lines with `json.loads`.

    python benchmarks/import_claude_code.py [TRANSCRIPTS --repository CLONE] [--megabytes 64] [--rounds 5]

Without a folder of transcripts it makes some up: sessions that edit files of 600 lines. Each row is a process of its
own, from its start to its end; rows take turns, so load on the machine hits all alike. Memory is the largest size the
kernel saw.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

MEMORY = """
import re, sys
told = open('/proc/self/status').read()
print(re.search(r'VmHWM:\\s+(\\d+)', told)[1], file=sys.stderr)
"""
LOADS = (
    """
import json, pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).rglob('*.jsonl')):
    for line in open(path, 'rb'):
        json.loads(line)
"""
    + MEMORY
)
IMPORT = (
    """
import sys
from linetrail.queries.cli import main
main(['-C', sys.argv[2], 'import', 'claude-code', sys.argv[1]])
"""
    + MEMORY
)


class Run(NamedTuple):
    """One process: how long it took, how large it was, what it said."""

    seconds: float
    megabytes: float
    told: str


def main() -> int:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transcripts", type=Path, nargs="?")
    parser.add_argument("--repository", type=Path, help="a clone of the repository that the sessions ran in")
    parser.add_argument("--megabytes", type=int, default=64, help="of transcripts, where they are made up")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        transcripts = args.transcripts or _made_up(Path(folder) / "transcripts", args.megabytes)
        repository = _view(Path(folder) / "repository", args.repository)
        runs = _measure(transcripts.resolve(), repository, args.rounds)
        size = sum(path.stat().st_size for path in transcripts.rglob("*.jsonl")) / 1e6
    _print(runs, size)
    return 0


def _measure(transcripts: Path, repository: Path, rounds: int) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {}
    for _ in range(rounds):
        shutil.rmtree(repository / ".orchestration", ignore_errors=True)
        (repository / ".orchestration").mkdir()
        for name, program in (
            ("json.loads of each line", LOADS),
            ("linetrail import", IMPORT),
            ("linetrail import, again", IMPORT),
        ):
            runs.setdefault(name, []).append(_run(program, str(transcripts), str(repository)))
    return runs


def _run(program: str, *args: str) -> Run:
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", program, *args], check=True, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    return Run(seconds, int(done.stderr.split()[-1]) / 1024, done.stdout.partition("\n")[0])


def _view(folder: Path, repository: Path | None) -> Path:
    """Return an empty folder that is a work tree of the repository: the ledger goes there and nowhere else."""
    folder.mkdir()
    if repository is None:
        subprocess.run(["git", "init", "-q", folder], check=True)
        return folder
    asked = ["git", "-C", repository, "rev-parse", "--absolute-git-dir"]
    found = subprocess.run(asked, check=True, capture_output=True, text=True)
    (folder / ".git").write_text(f"gitdir: {found.stdout}")
    return folder


def _made_up(folder: Path, megabytes: int) -> Path:
    """Write sessions of forty edits and as many commands until there are enough bytes."""
    folder.mkdir()
    written = number = 0
    while written < megabytes * 1_000_000:
        content = b"".join(_session(f"session-{number:06d}"))
        (folder / f"{number:06d}.jsonl").write_bytes(content)
        written += len(content)
        number += 1
    return folder


def _session(name: str) -> list[bytes]:
    """Make one session up; its file grows by a line with each edit."""
    path = f"/code/shop/src/{name}.py"
    text = "".join(f"    value_{at} = compute({at}, scale={at % 7})\n" for at in range(600))
    records = [_record(name, 0, "user", {"role": "user", "content": "Refine the computation"})]
    for at in range(40):
        old, new = f"compute({at * 15},", f"compute_exactly(\n        {at * 15},"
        edit = {"file_path": path, "old_string": old, "new_string": new}
        told = {"filePath": path, "oldString": old, "newString": new, "originalFile": text, "structuredPatch": []}
        records += _call(name, len(records), "Edit", edit, told)
        records += _call(name, len(records), "Bash", {"command": "pytest -q"}, {"stdout": "passed\n" * 400})
        text = text.replace(old, new, 1)
    return [json.dumps(record).encode() + b"\n" for record in records]


def _call(name: str, at: int, tool: str, given: dict[str, Any], told: dict[str, Any]) -> list[dict[str, Any]]:
    call_id = f"toolu_{name}_{at:06d}"
    use = {"type": "tool_use", "id": call_id, "name": tool, "input": given}
    result = {"type": "tool_result", "tool_use_id": call_id, "content": "done"}
    answer = {"id": f"msg_{name}_{at}", "model": "model", "role": "assistant", "content": [use]}
    usage = {"input_tokens": 3, "output_tokens": 80}
    return [
        _record(name, at, "assistant", answer | {"usage": usage}),
        _record(name, at + 1, "user", {"role": "user", "content": [result]}) | {"toolUseResult": told},
    ]


def _record(name: str, at: int, kind: str, message: dict[str, Any]) -> dict[str, Any]:
    moment = f"2026-01-05T{10 + at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}.000Z"
    base = {"sessionId": name, "cwd": "/code/shop", "version": "2.1.45", "gitBranch": "main"}
    return base | {"type": kind, "message": message, "uuid": f"{name}-{at:06d}-a-name-long-enough", "timestamp": moment}


def _print(runs: dict[str, list[Run]], megabytes: float) -> None:
    medians = {name: statistics.median(run.seconds for run in of_name) for name, of_name in runs.items()}
    floor = next(iter(medians.values()))
    print(f"{megabytes:.1f} MB of transcripts; Python {sys.version.split()[0]}; {runs['linetrail import'][0].told}\n")
    print("| whole process | seconds | MB/s | ratio | largest size, MB |")
    print("|---|---:|---:|---:|---:|")
    for name, seconds in medians.items():
        largest = max(run.megabytes for run in runs[name])
        print(f"| {name} | {seconds:.2f} | {megabytes / seconds:.1f} | {seconds / floor:.1f} | {largest:.0f} |")


if __name__ == "__main__":
    sys.exit(main())
