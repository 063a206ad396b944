"""What each agent's adapter adds to a hook: loaded, one call before a write read, and a denial put into its words.

    python -m benchmarks.ledger.adapters [path/to/python] [--rounds 40]

Give the `python` of an environment into which the *wheel* was installed: an editable installation finds modules more
slowly. Each adapter is loaded by a process of its own that has loaded the rest of the hook before, as a hook does; the
agents take turns, so load on the machine hits all alike. Budget: 3 ms for each.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

PAYLOADS = Path(__file__).resolve().parents[2] / "tests" / "payloads"
BASELINE = "claude-code"
FOLDERS = {"cline-vscode": "cline", "cline-sdk": "cline", "copilot-cli-pascal": "copilot-cli"}
COST = """
import gc, json, sys, time
gc.disable()
from linetrail.ledger.hook import loop as hook
from linetrail.ledger.adapters.adapter import adapter
from linetrail.ledger.event.signal import Answer
agent, event = sys.argv[1], sys.argv[2] or None
payload = json.load(sys.stdin)
denial = Answer("deny", "INT-001 does not own src/auth/session.py")
def once():
    start = time.perf_counter()
    if agent:
        module = adapter(agent)
        module.reply(module.read(payload, event).name, denial)
    return (time.perf_counter() - start) * 1000
print(once(), once())
"""


def main() -> int:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", type=Path, nargs="?", default=Path(sys.executable))
    parser.add_argument("--rounds", type=int, default=40)
    args = parser.parse_args()
    calls = {"no adapter": ("", "", b"{}")} | recorded_calls()
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for at in range(args.rounds + 2):
        for name, call in calls.items():
            measured = cost(args.python, *call)
            if at >= 2:
                times[name].append(measured)
    show(times)
    return 0


def recorded_calls() -> dict[str, tuple[str, str, bytes]]:
    """Return, of each agent and dialect, its name, the event that the command line names, and a call before a write."""
    found: dict[str, tuple[str, str, bytes]] = {}
    for case in json.loads((PAYLOADS / "index.json").read_text(encoding="utf-8"))["fixtures"]:
        folder, _, name = case["file"].partition("/")
        if "gate" in case["expect"]:
            event = name.partition("-")[0] if folder == "copilot-cli" else ""
            content = (PAYLOADS / case["file"]).read_bytes()
            found.setdefault(folder, (FOLDERS.get(folder, folder), event, content))
    return found


def cost(python: Path, agent: str, event: str, payload: bytes) -> tuple[float, float]:
    """Return the milliseconds of a first call in a new process, and of a second one there."""
    done = subprocess.run(
        [python, "-I", "-c", COST, agent, event], input=payload, check=True, capture_output=True, cwd=PAYLOADS
    )
    first, second = map(float, done.stdout.split())
    return first, second


def show(times: dict[str, list[tuple[float, float]]]) -> None:
    """Print the table."""
    floor = statistics.median(first for first, _ in times[BASELINE])
    print("| adapter | first call, p50 ms | p95 ms | second call, p50 ms | ratio to Claude Code's |")
    print("|---|---:|---:|---:|---:|")
    for name, values in times.items():
        firsts, seconds = zip(*values, strict=True)
        p50, p95 = statistics.median(firsts), statistics.quantiles(firsts, n=20)[-1]
        print(f"| {name} | {p50:.2f} | {p95:.2f} | {statistics.median(seconds):.3f} | {p50 / floor:.2f} |")


if __name__ == "__main__":
    sys.exit(main())
