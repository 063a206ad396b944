"""What an import costs, ledger written and synced, against reading the same lines with `json.loads`.

    python -m benchmarks.queries.import_claude_code [TRANSCRIPTS --repository CLONE] [--megabytes 64] [--rounds 5]
    python -m benchmarks.queries.import_claude_code --checkpoints CLONE [--rounds 5]

Without a folder of transcripts it makes some up: sessions that edit files of 600 lines. `--checkpoints` is any clone
with a branch of Entire's, whose transcripts are read out of git, before and by the import. Each row is a process of
its own, from its start to its end; rows take turns, so load on the machine hits all alike. Beside the time on the
wall is that on all processors, git's with ours. Memory is the largest size the kernel saw of one process.
"""

import argparse
import json
import resource
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
BRANCH = "entire/checkpoints/v1"
LOADS_OF_GIT = (
    """
import json, subprocess, sys
git = ['git', '-C', sys.argv[2], 'cat-file', '--batch', '--buffer']
with subprocess.Popen(git, stdin=open(sys.argv[1]), stdout=subprocess.PIPE) as process:
    while heading := process.stdout.readline().split():
        if len(heading) == 3:
            for line in process.stdout.read(int(heading[2]) + 1).splitlines():
                try:
                    json.loads(line or b'null')
                except ValueError:
                    pass
"""
    + MEMORY
)
IMPORT_OF_GIT = (
    """
import sys
from linetrail.queries.cli import main
main(['-C', sys.argv[2], 'import', 'entire', 'entire/checkpoints/v1'])
"""
    + MEMORY
)


class Run(NamedTuple):
    """One process with those that it started: how long it took, how large it was, what it said."""

    seconds: float
    processor: float
    megabytes: float
    told: str


def main() -> int:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transcripts", type=Path, nargs="?")
    parser.add_argument("--repository", type=Path, help="a clone of the repository that the sessions ran in")
    parser.add_argument("--checkpoints", type=Path, metavar="CLONE", help=f"a clone with a branch {BRANCH}")
    parser.add_argument("--megabytes", type=int, default=64, help="of transcripts, where they are made up")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        repository = _view(Path(folder) / "repository", args.checkpoints or args.repository)
        if args.checkpoints:
            transcripts, size = _in_git(Path(folder) / "names", args.checkpoints)
            programs = LOADS_OF_GIT, IMPORT_OF_GIT
        else:
            transcripts = args.transcripts or _made_up(Path(folder) / "transcripts", args.megabytes)
            size = sum(path.stat().st_size for path in transcripts.rglob("*.jsonl")) / 1e6
            programs = LOADS, IMPORT
        runs = _measure(transcripts.resolve(), repository, args.rounds, *programs)
    _print(runs, size)
    return 0


def _in_git(names: Path, repository: Path) -> tuple[Path, float]:
    """Write down which objects of a clone are transcripts; return the file, and how many megabytes they are."""
    listing = ["git", "-C", repository, "ls-tree", "-r", "-l", BRANCH]
    told = subprocess.run(listing, check=True, capture_output=True, text=True).stdout
    entries = (line.split(maxsplit=4) for line in told.splitlines())
    sizes = {name: size for _, _, name, size, path in entries if "/full.jsonl" in path and size.isdigit()}
    names.write_text("".join(f"{name}\n" for name in sizes))
    return names, sum(map(int, sizes.values())) / 1e6


def _measure(transcripts: Path, repository: Path, rounds: int, loads: str, imports: str) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {}
    for _ in range(rounds):
        shutil.rmtree(repository / ".orchestration", ignore_errors=True)
        (repository / ".orchestration").mkdir()
        for name, program in (
            ("json.loads of each line", loads),
            ("linetrail import", imports),
            ("linetrail import, again", imports),
        ):
            runs.setdefault(name, []).append(_run(program, str(transcripts), str(repository)))
    return runs


def _run(program: str, *args: str) -> Run:
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", program, *args], check=True, capture_output=True, text=True)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(seconds, processor, int(done.stderr.split()[-1]) / 1024, done.stdout.partition("\n")[0])


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
    busy = {name: statistics.median(run.processor for run in of_name) for name, of_name in runs.items()}
    floor = next(iter(medians.values()))
    print(f"{megabytes:.1f} MB of transcripts; Python {sys.version.split()[0]}; {runs['linetrail import'][0].told}\n")
    print("| whole process | seconds | of processors | MB/s | ratio | largest size, MB |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, seconds in medians.items():
        largest = max(run.megabytes for run in runs[name])
        figures = f"{seconds:.2f} | {busy[name]:.2f} | {megabytes / seconds:.1f} | {seconds / floor:.1f}"
        print(f"| {name} | {figures} | {largest:.0f} |")


if __name__ == "__main__":
    sys.exit(main())
