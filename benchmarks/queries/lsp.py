"""How long an editor waits for the language server, on any repository with a ledger.

    python -m benchmarks.queries.lsp CLONE PATH [--rounds 3]

Starts the server as an editor does, points at every line of a file, asks for hints behind 60 lines, and edits the
text without saving it. Beside it, in the same run: `git blame` of the same file, as whole processes.
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Sequence
from pathlib import Path

from lsprotocol import types
from pygls import uris
from pygls.lsp.client import LanguageClient

MILLISECONDS = 1000


class Measured:
    """How long things took, by what they are."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}

    async def of(self, name: str, waiting: Awaitable[object]) -> None:
        """Wait for an answer, and note how long it took."""
        begun = time.perf_counter()
        await waiting
        self.seconds.setdefault(name, []).append(time.perf_counter() - begun)

    def table(self) -> str:
        """Return a row for each thing."""
        rows = [f"{'':<34} {'n':>5} {'p50 ms':>8} {'p95 ms':>8}"]
        for name, seconds in self.seconds.items():
            ordered = sorted(MILLISECONDS * one for one in seconds)
            p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
            rows.append(f"{name:<34} {len(ordered):>5} {statistics.median(ordered):>8.1f} {p95:>8.1f}")
        return "\n".join(rows)


async def session(folder: Path, path: str, measured: Measured) -> int:
    """Use the server as an editor does; return how many bytes of memory it had at its end."""
    client = LanguageClient("benchmark", "1")
    uri = uris.from_fs_path(str(folder / path)) or ""
    document = types.TextDocumentIdentifier(uri)
    text = (folder / path).read_bytes().decode("utf-8", "replace")
    lines = text.count("\n")

    def hover(line: int) -> Awaitable[object]:
        return client.text_document_hover_async(types.HoverParams(document, types.Position(line, 0)))

    async def first() -> None:
        await client.start_io(sys.executable, "-m", "linetrail", "lsp")
        options = {"hints": "file"}
        await client.initialize_async(
            types.InitializeParams(types.ClientCapabilities(), initialization_options=options)
        )
        client.initialized(types.InitializedParams())
        opened = types.TextDocumentItem(uri, "text", 1, text)
        client.text_document_did_open(types.DidOpenTextDocumentParams(opened))
        await hover(0)

    await measured.of("start to first answer", first())
    for name in ("a line, pointed at first", "a line, pointed at again"):
        for line in range(lines):
            await measured.of(name, hover(line))
    for start in range(0, lines, 60):
        place = types.Range(types.Position(start, 0), types.Position(start + 59, 0))
        await measured.of(
            "hints behind 60 lines",
            client.text_document_inlay_hint_async(types.InlayHintParams(document, place)),
        )
    for version in range(2, 12):
        change = types.TextDocumentContentChangeWholeDocument(f"edited {version}\n{text}")
        edited = types.VersionedTextDocumentIdentifier(version, uri)
        client.text_document_did_change(types.DidChangeTextDocumentParams(edited, [change]))
        await measured.of("a line, after an unsaved edit", hover(lines // 2))
    memory = resident(client)
    await client.shutdown_async(None)
    client.exit(None)
    return memory


def resident(client: LanguageClient) -> int:
    """Return how many bytes of memory the server has."""
    status = Path(f"/proc/{client._server.pid}/status").read_text()  # noqa: SLF001  the client has no other name for it
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("clone", type=Path)
    parser.add_argument("path")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args(arguments)
    measured, memory = Measured(), []
    for _ in range(args.rounds):
        begun = time.perf_counter()
        subprocess.run(["git", "-C", args.clone, "blame", "--porcelain", args.path], check=True, capture_output=True)
        measured.seconds.setdefault("git blame of the file", []).append(time.perf_counter() - begun)
        memory.append(asyncio.run(session(args.clone.resolve(), args.path, measured)))
    print(measured.table())
    print(f"memory at the end: {max(memory) / 2**20:.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
