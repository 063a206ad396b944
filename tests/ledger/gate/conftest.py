"""A session whose commands are held against the scope of its intent."""

import pytest

from tests.gated import BLOCK


@pytest.fixture
def session(gated, repo):
    """Start a session under `block` whose scope is `src/billing`, in a repository with other files as well."""
    for name in ("Makefile", "README.md", "src/auth/session.py", "src/billing/a.py", "src/billing/old/x.py"):
        repo.write(name, "x\n")
    session = gated(f"{BLOCK}breaker: {{threshold: 1000}}\ncommands: [{{match: make lint, is: reads}}]\n")
    session.select("INT-001")
    return session
