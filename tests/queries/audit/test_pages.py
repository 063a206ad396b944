"""The pages that people look at most, of the sample that everybody can unpack: kept whole, so that a change shows."""

from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[2] / "golden" / "pages"
PAGES = {
    "blame": ["blame", "billing/invoice.py"],
    "why": ["why", "billing/invoice.py:29-37"],
    "why-full": ["why", "billing/invoice.py:30", "--full"],
    "why-symbol": ["why", "billing/invoice.py:Invoice.add"],
    "log": ["log", "-n", "25"],
    "log-oneline": ["log", "--oneline", "--type", "prompt"],
    "log-denied": ["log", "--denied"],
    "show-session": ["show", "ebf4f321"],
    "show-intent": ["show", "INT-003"],
    "status": ["status"],
    "stats": ["stats"],
    "lineage": ["lineage", "billing/invoice.py:Invoice.add"],
    "intents": ["intents", "list"],
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """Unpack the sample once: nothing here changes it."""
    from linetrail.queries.cli import main

    folder = tmp_path_factory.mktemp("sample")
    assert main(["-C", str(folder), "demo"]) == 0
    return folder / "linetrail-demo"


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_it_was(cli, golden, sample, name):
    answer = cli("--color=always", *PAGES[name], cwd=sample)

    assert answer.status == 0
    golden(GOLDEN / f"{name}.txt", answer.out.replace(str(sample), "/sample"))
