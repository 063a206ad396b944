"""Paths nobody thought of, against a policy that says the same in other words: none is allowed that it refuses."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linetrail.ledger.paths.paths import judge
from tests.examples import examples
from tests.ledger.paths.path_cases import Ground
from tests.ledger.plain import LOOKALIKES, plainly_allows

STEPS = [
    {"file": "src/a.py", "content": ""},
    {"file": "src/deep/er/b.py", "content": ""},
    {"file": "src/secret/k", "content": ""},
    {"file": "lib/a.py", "content": ""},
    {"file": "README.md", "content": ""},
    {"file": ".git/config", "content": ""},
    {"file": ".claude/settings.json", "content": ""},
    {"file": "sub/.git/config", "content": ""},
    {"file": "{outside}/a.py", "content": ""},
    {"dir": "{outside}/src"},
    {"symlink": "src/link", "target": "deep"},
    {"symlink": "src/to-lib", "target": "../lib"},
    {"symlink": "src/to-secret", "target": "secret/k"},
    {"symlink": "src/out", "target": "{outside}"},
    {"symlink": "src/out.py", "target": "{outside}/a.py"},
    {"symlink": "src/git", "target": "../.git"},
    {"symlink": "src/back", "target": "{root}/src"},
    {"symlink": "src/chain", "target": "link/er/b.py"},
    {"symlink": "src/dangling", "target": "later/x.py"},
    {"symlink": "src/dangling-out", "target": "{outside}/later"},
    {"symlink": "src/self", "target": "self"},
    {"symlink": "lib/in", "target": "../src/a.py"},
    {"symlink": ".cursor", "target": "lib/cursor"},
    {"file": "lib/cursor/mcp.json", "content": ""},
    {"hardlink": "src/hard.py", "target": "README.md"},
    {"fifo": "src/pipe"},
]
KNOWN = [
    "src",
    "lib",
    "sub",
    "deep",
    "er",
    "secret",
    "link",
    "to-lib",
    "out",
    "git",
    "back",
    "self",
    "a.py",
    "b.py",
    "k",
    "README.md",
    ".git",
    ".claude",
    ".cursor",
    "config",
    "cursor",
    "mcp.json",
]
KNOWN += [
    "out.py",
    "to-secret",
    "chain",
    "dangling",
    "dangling-out",
    "hard.py",
    "pipe",
    "in",
    "settings.json",
    "new",
    "er.d",
    ".github",
    ".mcp.json",
]
ODD = [
    "",
    ".",
    "..",
    "...",
    "x.",
    "x ",
    " x",
    "NUL",
    "con.md",
    "console",
    "a~1",
    "ab~12.txt",
    "v1.2~3",
    "%2e%2e",
    "..;",
    "*",
]
ODD += [
    "a:b",
    "a\\b",
    "`id`",
    "$(id)",
    "$HOME",
    "users.$id",
    "~",
    "a~",
    "-rf",
    "é",
    "e\u0301",
    "x" * 256,
    "\u202egpj",
    "a\u200db",
]
SCOPES = [
    ["src/**"],
    ["**"],
    ["src/**", "!src/secret/"],
    ["lib/**", "src/*.py"],
    ["src/deep/**/*.py", "README.md", "**/new"],
    ["[!a-c]*/**", "!**/k"],
    [],
]

components = st.one_of(
    st.sampled_from(KNOWN), st.sampled_from(KNOWN), st.sampled_from(["..", "src"]), st.sampled_from(ODD)
)


def disguised(name: str, at: int, char: str) -> str:
    """Exchange a letter for one that looks like it, change the case of one, or put one in that is not seen."""
    place = at % (len(name) + 1)
    looks = [alike for alike, letter in LOOKALIKES.items() if letter == name[place : place + 1].lower()]
    if looks and char == "alike":
        return name[:place] + looks[at % len(looks)] + name[place + 1 :]
    if char == "case":
        return name[:place] + name[place : place + 1].swapcase() + name[place + 1 :]
    return name[:place] + char + name[place:] if len(char) == 1 else name


disguises = st.sampled_from(["", "", "", "", "", "alike", "case", "\u200b", "\u00ad", "/", " ", "\x1b"])
names = st.builds(disguised, components, st.integers(0, 20), disguises)
begins = st.sampled_from(
    ["", "", "", "{root}/", "{rootlink}/", "./", "{outside}/", "/", "{root}", "../repo/", "../repo-evil/"]
)
places = st.sampled_from(
    [None, None, None, "{root}/src", "{rootlink}/src", "{root}/src/link", "{outside}", "{root}/gone"]
)
variants = st.tuples(
    st.builds(lambda begin, parts: begin + "/".join(parts), begins, st.lists(names, min_size=1, max_size=5)),
    st.sampled_from(SCOPES),
    places,
    st.sampled_from(["write", "write", "delete"]),
)


@pytest.fixture(scope="module")
def ground(tmp_path_factory) -> Ground:
    ground = Ground(tmp_path_factory.mktemp("variants"))
    ground.make(STEPS)
    return ground


def check(ground: Ground, variant: tuple[str, list[str], str | None, str]) -> None:
    path, scope, cwd, op = variant
    path, cwd = ground.text(path), cwd and ground.text(cwd)

    verdict = judge(ground.root, path, scope, cwd=cwd, op=op)

    assert verdict.allow == plainly_allows(ground.root, path, scope, cwd, op), verdict


@pytest.mark.promise("G3")
@settings(max_examples=examples(500))
@given(variant=variants)
def test_variants_are_decided_as_the_plain_policy_does(ground, variant):
    check(ground, variant)


@pytest.mark.promise("G3")
@pytest.mark.soak
@settings(max_examples=100_000)
@given(variant=variants)
def test_a_hundred_thousand_variants_are_decided_as_the_plain_policy_does(ground, variant):
    check(ground, variant)


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(path=st.text(max_size=40), cwd=st.none() | st.text(max_size=10), op=st.text(max_size=5))
def test_no_text_makes_it_fail_or_lead_out(ground, path, cwd, op):
    verdict = judge(ground.root, path, ["**"], cwd=cwd, op=op)

    assert not verdict.allow
    verdict = judge(ground.root, path, ["**"], cwd=cwd)
    real = os.path.realpath(os.path.join(ground.root, cwd or "", path)) if verdict.allow else ground.root + "/x"
    assert real.startswith(ground.root + "/")
