"""What the page costs at a million events: the first paint, an event until it is seen, memory, a long file, a report.

    python -m benchmarks.queries.page [--events 1000000] [--repository PATH] [--lines 10000] [--rounds 5]
        [--only cold warm]

The ledger is that of `questions.py`, `rebuild` and `verify` have run, and a file of many lines lies in the work tree.
Chromium opens `linetrail serve`. *Ever first* is a page whose tables have to be worked out, *cold* the first page of a
new server. *Work* is the processor time of the server, and of what it runs: a busy machine does not change that.
"""

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Page, sync_playwright

from benchmarks.queries.questions import COMMAND, make

VIEWS = ("", "timeline", "sessions", "files", "intents", "approvals", "refusals", "findings", "decisions", "provenance")
READY = "body[data-events]"
LONG = "long.py"
MILLISECONDS = 1_800_000
# A file is scrolled from its beginning on, by a tenth of a screen with each frame.
SCROLL = """() => new Promise((done) => {
  let left = 300;
  const step = () => { scrollBy(0, innerHeight / 10); if (left--) requestAnimationFrame(step); else done(); };
  requestAnimationFrame(step);
})"""
TRACED = [f"{off}devtools.timeline{kind}" for off in ("", "disabled-by-default-") for kind in ("", ".frame")]
MAIN_THREAD = "CrRendererMain"
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"


class Row(NamedTuple):
    """What was measured, and what it should be at most."""

    what: str
    found: str
    budget: str = ""
    work: str = ""


def worked(pid: int) -> float:
    """Return the processor time that a process and those that it waited for have used, in milliseconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) * 1000 / os.sysconf("SC_CLK_TCK")


def megabytes(pid: int, name: str) -> float:
    """Return the memory that a process has (`VmRSS`), or the most that it has had (`VmHWM`)."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(name))) / 1000


def timed(pid: int, act: Callable[[], object]) -> tuple[float, float]:
    """Return how many milliseconds something takes, and how many of work it is for the server."""
    start, before = time.perf_counter(), worked(pid)
    act()
    return (time.perf_counter() - start) * 1000, worked(pid) - before


@contextlib.contextmanager
def served(page: Page, root: Path) -> Iterator[tuple[str, int]]:
    """Start a server and let the browser in; give its address and its process."""
    with subprocess.Popen([COMMAND, "serve"], cwd=root, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            page.request.get(address, max_redirects=0)  # takes the cookie, and asks for no page
            yield address.partition("/?")[0], server.pid
        finally:
            server.kill()


def see(page: Page, address: str) -> None:
    """Wait until an address is there with its answer."""
    page.goto(address)
    page.wait_for_selector(READY, timeout=MILLISECONDS)


def fill_cache(page: Page, root: Path) -> Iterator[Row]:
    """See each view once, for which tables are worked out and kept."""
    with served(page, root) as (home, pid):
        for view in VIEWS:
            ms, work = timed(pid, partial(see, page, f"{home}/{view}"))
            yield Row(f"{view or 'overview'}, ever first", f"{ms:,.0f} ms", "", f"{work:,.0f} ms")
        yield Row("most memory of the server meanwhile", f"{megabytes(pid, 'VmHWM'):,.0f} MB", "200 MB")


def of_cold_views(page: Page, root: Path) -> Iterator[Row]:
    """Measure each view as the first page of a new server."""
    for view in VIEWS:
        with served(page, root) as (home, pid):
            ms, work = timed(pid, partial(see, page, f"{home}/{view}"))
            yield Row(f"{view or 'overview'}, cold", f"{ms:,.0f} ms", "2,000 ms", f"{work:,.0f} ms")


def of_warm_views(page: Page, root: Path, rounds: int) -> Iterator[Row]:
    """Measure the views, an event on its way, a long file and the memory of one server."""
    with served(page, root) as (home, pid):
        for view in VIEWS:
            see(page, f"{home}/{view}")
            found = [timed(pid, partial(see, page, f"{home}/{view}")) for _ in range(rounds)]
            ms, work = (statistics.median(column) for column in zip(*found, strict=True))
            yield Row(f"{view or 'overview'}, warm", f"{ms:,.0f} ms", "400 ms", f"{work:,.0f} ms")
        further = timed(pid, partial(see, page, f"{home}/findings?rule=LT003&from=201"))
        yield Row("a further page of a rule's findings", f"{further[0]:,.0f} ms", "", f"{further[1]:,.0f} ms")
        see(page, f"{home}/file?path={LONG}")
        gap, work = of_frames(page)
        yield Row("from frame to frame while a long file scrolls", f"{gap:.1f} ms", "16.7 ms")
        yield Row("work of the browser for such a frame", f"{work:.1f} ms", "16 ms")
        idle = timed(pid, lambda: time.sleep(10))  # nobody asks anything: whatever the server works then is too much
        yield Row("ten idle seconds with a page open", "", "", f"{idle[1]:,.0f} ms")
        yield Row("memory of the server after all that", f"{megabytes(pid, 'VmRSS'):,.0f} MB", "200 MB")
        yield Row("most memory of the server", f"{megabytes(pid, 'VmHWM'):,.0f} MB", "200 MB")
        see(page, f"{home}/decisions")
        payload = {"hook_event_name": "UserPromptSubmit", "session_id": "late", "cwd": str(root), "prompt": "now"}
        hook = [COMMAND.with_name("linetrail-hook"), "claude-code"]
        subprocess.run(hook, input=json.dumps(payload), text=True, check=True, capture_output=True)
        seen = timed(pid, lambda: page.locator(".news").get_by_text("new event").wait_for(timeout=MILLISECONDS))
        yield Row("an event is seen after the hook ends", f"{seen[0]:,.0f} ms", "1,000 ms", f"{seen[1]:,.0f} ms")


def of_memory(page: Page, root: Path) -> Iterator[Row]:
    """Measure the most memory that one server has had behind each view, then behind pages of a long file."""
    ends = "line=1", f"find=value_{sum(1 for _ in (root / LONG).open()) - 1}"
    with served(page, root) as (home, pid):
        for view in (*VIEWS, *(f"file?path={LONG}&{end}" for end in ends)):
            see(page, f"{home}/{view}")
            yield Row(
                f"most memory of the server, {view or 'overview'}", f"{megabytes(pid, 'VmHWM'):,.0f} MB", "200 MB"
            )


def of_frames(page: Page) -> tuple[float, float]:
    """Scroll, and return what a trace says: the median from frame to frame, and of the main thread's work for one."""
    browser = page.context.browser
    assert browser is not None
    browser.start_tracing(page=page, categories=TRACED)
    page.evaluate(SCROLL)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    main = next(place(one) for one in events if one["name"] == "thread_name" and one["args"]["name"] == MAIN_THREAD)
    drawn = sorted(one["ts"] for one in events if one["name"] == "DrawFrame")
    begun = sorted(one["ts"] for one in events if one["name"] == "BeginMainThreadFrame" and place(one) == main)
    done = [one for one in events if one["name"] == "RunTask" and place(one) == main and "dur" in one]
    work = [sum(one["dur"] for one in done if first <= one["ts"] < last) for first, last in pairwise(begun)]
    return statistics.median(last - first for first, last in pairwise(drawn)) / 1000, statistics.median(work) / 1000


def place(event: Mapping[str, Any]) -> tuple[int, int]:
    """Return the thread of an event of a trace."""
    return event["pid"], event["tid"]


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
    parts = ("first", "cold", "warm", "memory", "report")
    parser.add_argument("--only", nargs="+", choices=parts, default=parts)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        root = (args.repository or Path(made) / "project").absolute()
        if not (root / ".orchestration").is_dir():
            make(root, args.events)
        for command in ("rebuild", "verify"):
            subprocess.run([COMMAND, command], cwd=root, check=True, stdout=subprocess.DEVNULL)
        (root / LONG).write_text("".join(f"value_{number} = {number}\n" for number in range(args.lines)))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page: Any = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(MILLISECONDS)
        print("| what | found | budget | work of the server |\n|---|---:|---:|---:|")
        if "first" in args.only:
            show(fill_cache(page, root))
        if "cold" in args.only:
            show(of_cold_views(page, root))
        if "warm" in args.only:
            show(of_warm_views(page, root, args.rounds))
        if "memory" in args.only:
            show(of_memory(page, root))
        if "report" in args.only:
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
