"""A client of the Model Context Protocol that writes its lines itself, so that no library stands between it and them.

Revisions before 2026-07-28 begin with a handshake; since then every request says which revision it is in.
"""

import json
import os
import subprocess

import pytest

from tests.conftest import command

CURRENT, BEFORE, OLDER = "2026-07-28", "2025-11-25", "2025-06-18"
REVISIONS = (CURRENT, BEFORE, OLDER)
SECONDS = 60


class Speaker:
    """A process of `linetrail mcp`, and the pipe to it."""

    def __init__(self, folder, revision=CURRENT, name="test-client", env=None, cwd=None, capabilities=None):
        self.revision, self.number = revision, 0
        self.about = {"name": name, "version": "1.2"}
        self.capabilities = capabilities or {}
        self.process = subprocess.Popen(
            [command("linetrail"), "-C", str(folder), "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd or folder,
            env=os.environ | (env or {}),
        )
        self.opened = None if revision == CURRENT else self.begin()

    def begin(self):
        """Shake hands, and return what the server says of itself."""
        params = {"protocolVersion": self.revision, "capabilities": self.capabilities, "clientInfo": self.about}
        answer = self.request("initialize", params)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def send(self, message):
        """Write one line; bytes as they are."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self):
        """Return the next message of the server; whatever is on stdout has to be one."""
        message = json.loads(self.process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        return message

    def ask(self, method, params=None, meta=None):
        """Write a request, and return its number."""
        self.number += 1
        told = dict(params or {})
        if self.revision == CURRENT:
            told["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": self.revision,
                "io.modelcontextprotocol/clientInfo": self.about,
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
                **(meta or {}),
            }
        elif meta:
            told["_meta"] = meta
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": told})
        return self.number

    def request(self, method, params=None, meta=None):
        """Return the whole answer to a request."""
        number = self.ask(method, params, meta)
        answer = self.receive()
        assert answer["id"] == number
        return answer

    def call(self, tool, meta=None, **arguments):
        """Return what a tool answers; an error is an answer, too."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments}, meta)["result"]
        (content,) = result["content"]
        said = json.loads(content["text"])
        assert result["structuredContent"] == said
        assert result.get("isError", False) == ("error" in said)
        return said

    def end(self):
        """Close the pipe, and return what the process left behind: its status, stdout and stderr."""
        out, err = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, out, err.decode()


@pytest.fixture
def speaker(repo):
    """Return a function that starts a server in the repository, or where it is told to."""
    started = []

    def start(folder=None, **options):
        started.append(Speaker(folder or repo.path, **options))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.communicate()
