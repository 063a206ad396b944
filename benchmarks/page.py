"""What the page costs at a million events: the first paint, an event until it is seen, memory, a long file, a report.

    python benchmarks/page.py [--events 1000000] [--repository PATH] [--lines 10000] [--rounds 5]

The ledger is that of `questions.py`, `rebuild` has run, and a file of many lines lies in the work tree. Chromium opens
`linetrail serve`; *work* is the processor time of the server for it, which a busy machine does not change.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Page, sync_playwright
from questions import COMMAND, make

VIEWS = ("", "timeline", "sessions", "files", "intents", "approvals", "refusals", "findings", "decisions", "provenance")
READY = "body[data-events]"
LONG = "long.py"
MILLISECONDS = 1_800_000
# Frames while a file is scrolled from its beginning on, each by a tenth of a screen.
SCROLL = """() => new Promise((done) => {
  const gaps = []; let last = performance.now();
  const step = (now) => {
    gaps.push(now - last); last = now; scrollBy(0, innerHeight / 10);
    if (gaps.length < 300) requestAnimationFrame(step); else done(gaps.slice(1));
  };
  requestAnimationFrame(step);
})"""
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"


class Row(NamedTuple):
    """What was measured, and what it should be at most."""

    what: str
    found: str
    budget: str = ""
    work: str = ""


def worked(pid: int) -> float:
    """Return the processor time that a process has used, in milliseconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def megabytes(pid: int) -> float:
    """Return the most memory that a process has had."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1000


def timed(pid: int, act: Callable[[], object]) -> tuple[float, float]:
    """Return how many milliseconds something takes, and how many of work it is for the server."""
    start, before = time.perf_counter(), worked(pid)
    act()
    return (time.perf_counter() - start) * 1000, worked(pid) - before


def of_server(page: Page, address: str, pid: int, root: Path, rounds: int) -> Iterator[Row]:
    """Measure the views, an event on its way, a long file and the memory."""
    home = address.partition("/?")[0]

    def see(path: str) -> None:
        page.goto(home + path)
        page.wait_for_selector(READY, timeout=MILLISECONDS)

    cold = timed(pid, lambda: (page.goto(address), page.wait_for_selector(READY, timeout=MILLISECONDS)))
    yield Row("overview, cold", f"{cold[0]:,.0f} ms", "2,000 ms", f"{cold[1]:,.0f} ms")
    for view in VIEWS:
        see(f"/{view}")
        found = [timed(pid, partial(see, f"/{view}")) for _ in range(rounds)]
        ms, work = (statistics.median(column) for column in zip(*found, strict=True))
        yield Row(f"{view or 'overview'}, warm", f"{ms:,.0f} ms", "400 ms", f"{work:,.0f} ms")
    see("/decisions")
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "late", "cwd": str(root), "prompt": "now"}
    hook = [COMMAND.with_name("linetrail-hook"), "claude-code"]
    subprocess.run(hook, input=json.dumps(payload), text=True, check=True, capture_output=True)
    seen = timed(pid, lambda: page.locator(".news").get_by_text("new event").wait_for(timeout=MILLISECONDS))
    yield Row("an event is seen after the hook ends", f"{seen[0]:,.0f} ms", "1,000 ms", f"{seen[1]:,.0f} ms")
    see(f"/file?path={LONG}")
    gaps: list[float] = page.evaluate(SCROLL)
    yield Row("a frame while a long file scrolls", f"{statistics.median(gaps):.1f} ms", "16.7 ms")
    idle = timed(pid, lambda: time.sleep(10))  # nobody asks anything: whatever the server works then is too much
    yield Row("ten idle seconds with a page open", "", "", f"{idle[1]:,.0f} ms")
    yield Row("most memory of the server", f"{megabytes(pid):,.0f} MB", "200 MB")


def of_report(page: Page, root: Path, folder: Path) -> list[Row]:
    """Measure a report: how long it takes, how large it is, when it can be read."""
    file = folder / "report.html"
    start = time.perf_counter()
    subprocess.run([COMMAND, "report", "--out", file], cwd=root, check=True, stdout=subprocess.DEVNULL)
    made = time.perf_counter() - start
    page.goto(file.as_uri())
    return [
        Row("a report is written", f"{made:,.1f} s"),
        Row("a report", f"{file.stat().st_size / 1_000_000:,.2f} MB", "3 MB"),
        Row("a report can be read", f"{page.evaluate(PAINT):,.0f} ms", "1,000 ms"),
    ]


def main() -> int:
    """Make a ledger where there is none, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--repository", type=Path)
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-report", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        root = (args.repository or Path(made) / "project").absolute()
        if not (root / ".orchestration").is_dir():
            make(root, args.events)
        subprocess.run([COMMAND, "rebuild"], cwd=root, check=True, stdout=subprocess.DEVNULL)
        (root / LONG).write_text("".join(f"value_{number} = {number}\n" for number in range(args.lines)))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page: Any = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(MILLISECONDS)
        with subprocess.Popen([COMMAND, "serve"], cwd=root, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            print("| what | found | budget | work of the server |\n|---|---:|---:|---:|")
            try:
                show(of_server(page, server.stdout.readline().strip(), server.pid, root, args.rounds))
            finally:
                server.kill()
        if not args.no_report:
            show(of_report(page, root, Path(made)))
        browser.close()
        print(f"\nload of the machine meanwhile, 1 and 15 minutes: {os.getloadavg()[0]:.0f}, {os.getloadavg()[2]:.0f}")
    return 0


def show(rows: Iterable[Row]) -> None:
    """Print rows of the table as they come."""
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
