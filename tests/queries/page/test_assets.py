"""What pages load besides themselves: little, by themselves, in a form that a report may have inline."""

import gzip
import hashlib
import json
import re

import pytest

from linetrail.queries.page.assets import MEDIA_TYPES, VENDOR, assets, vendored

MOST_BYTES = 120_000
SCRIPTS = [pytest.param(one, id=one.path) for one in assets(".js")]


def test_all_scripts_together_are_small():
    scripts = [one for one in (*assets(".js"), *vendored()) if one.file.suffix == ".js"]

    assert 0 < sum(len(gzip.compress(one.text.encode())) for one in scripts) <= MOST_BYTES


def test_what_others_wrote_is_as_they_published_it_with_its_licence():
    told = json.loads((VENDOR / "uPlot.json").read_text())

    assert told["sha256"] == {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(VENDOR.iterdir())
        if file.suffix != ".json"
    }
    assert {one.file.name for one in vendored()} < told["sha256"].keys()
    assert f"(v{told['version']})" in (VENDOR / "uPlot.iife.min.js").read_text().splitlines()[0]
    assert (VENDOR / "uPlot.LICENSE").read_text().startswith(f"The {told['licence']} License")


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_stands_alone_and_may_be_inline(script):
    assert not re.search(r"^\s*(import|export)\b|\bimport\(", script.text, re.MULTILINE)
    assert not re.search(r"</script|<!--|https?://|\beval\(|new Function|\.innerHTML\b", script.text)


@pytest.mark.parametrize("style", [pytest.param(one, id=one.path) for one in assets(".css")])
def test_a_style_sheet_loads_nothing(style):
    assert not re.search(r"@import|url\(|</style", style.text)


@pytest.mark.slow
def test_the_server_sends_each_file_as_what_it_is(repo, page):
    repo.commit(files={"a.py": "x = 1\n"})
    repo.start_ledger()
    server = page().enter()
    body = server.see("").body

    for one in (*assets(".css"), *assets(".js"), *vendored()):
        reply = server.request(one.path)
        assert reply.headers["content-type"] == f"{MEDIA_TYPES[one.file.suffix]}; charset=utf-8"
        assert reply.body == one.text
        assert (f'"{one.path}"' in body) == (one not in vendored())
