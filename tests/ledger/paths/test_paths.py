"""Where paths lead and who may write there: the corpus of the gate, and places on a real disk."""

import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from linetrail.ledger.paths import paths
from linetrail.ledger.paths.lookalikes import is_invisible
from linetrail.ledger.paths.paths import Place, judge, resolve, same_place
from tests.ledger.paths.path_cases import Ground, cases

LINK = ("symlink", "hardlink")


@pytest.fixture
def ground(tmp_path) -> Ground:
    return Ground(tmp_path / "ground")


def code(ground: Ground, path: str, **options: Any) -> str | None:
    return resolve(ground.root, ground.text(path), **options).code


@pytest.mark.parametrize("char", ["\u034f", "\u180f", "\ufe00", "\ufe0f", "\U000e0100", "\U000e01ef"])
def test_what_nobody_sees_is_no_part_of_a_name(char):
    assert is_invisible(char)


@pytest.mark.parametrize("char", ["\u034e", "\u0350", "\u180a", "\u1810", "\ufdff", "\ufe10"])
def test_what_stands_beside_it_is(char):
    assert not is_invisible(char)


@pytest.mark.promise("G3")
@pytest.mark.parametrize("case", list(cases()))
def test_every_case_of_the_corpus_is_decided_as_it_should_be(ground, case):
    ground.make(case.get("fs_setup", []))
    options = {name: ground.text(case[name]) for name in ("cwd", "op", "target") if name in case}

    verdict = judge(ground.root, ground.text(case["path"]), [ground.text(glob) for glob in case["scope"]], **options)

    # What happens after the check is for the guarded write to notice.
    expected = "allow" if "race" in case else case["expect"]
    assert ("allow" if verdict.allow else "deny") == expected, (verdict, case["why"])
    assert verdict.code.isupper()
    assert verdict.reason


@pytest.mark.parametrize(
    "path", [".c1aude/settings.json", ".cIaude/x", ".g1t/config", "lib/.g!t", ".0rchestration/x", ".m0de"]
)
def test_a_digit_that_is_drawn_like_a_letter_does_not_unprotect_a_name(ground, path):
    assert code(ground, path) == (None if path == ".m0de" else paths.PROTECTED)


@pytest.mark.promise("G8")
@pytest.mark.parametrize(
    "path",
    [
        pytest.param("a\x00b", id="a byte that ends texts elsewhere"),
        pytest.param("src/\ud800.py", id="half of a surrogate pair"),
        pytest.param("src/caf\udce9.py", id="a byte that is not UTF-8"),
        pytest.param("a" * 1_000_000, id="a name of a megabyte"),
        pytest.param("a/" * 500_000 + "a", id="a path of half a million names"),
        pytest.param("../" * 1_000 + "etc/passwd", id="a thousand steps up"),
        pytest.param("/", id="the root of everything"),
        pytest.param("//server/share/x", id="a share of another machine"),
        pytest.param("src/x/", id="a folder that does not exist"),
        pytest.param("src/file.py/..", id="up from a file"),
        pytest.param("src/file.py/../other.py", id="through a file and up again"),
        pytest.param("src/a\u00a0b.py", id="a space that is none"),
        pytest.param("src/a\ufe0f.py", id="a variation of what is before it"),
        pytest.param("src/\uf8ff.py", id="a character of private use"),
        pytest.param("src/\uff0e\uff0e/x", id="dots of full width"),
        pytest.param("docs/\u2025", id="two dots in one"),
        pytest.param("src/lpt9.tar.gz", id="a printer"),
        pytest.param("src/com¹", id="a port with a small number"),
        pytest.param("git~1/config", id="a short name"),
        pytest.param(".git", id="the folder of git, as a file"),
        pytest.param("sub/.GIT/hooks/x", id="a nested one in capitals"),
        pytest.param(".gi\u0442/config", id="a Cyrillic letter"),
        pytest.param(".\u0261\u026a\u1d1b/config", id="small capitals"),
        pytest.param(".g\u00eet/config", id="an accent"),
        pytest.param(".git\uff0fconfig", id="a separator of full width"),
        pytest.param(".c\u04cfaude/settings.json", id="a palochka"),
        pytest.param(".cla设置名/settings.json", id="half of the letters of somewhere else"),
        pytest.param(".orche\u017ftration/config.yaml", id="a long s"),
        pytest.param(".github/hooks/gate.json", id="hooks of Copilot"),
        pytest.param(".GitHub/HOOKS/gate.json", id="hooks of Copilot in capitals"),
        pytest.param("opencode.json", id="settings of OpenCode"),
    ],
)
def test_no_scope_makes_this_writable(ground, path):
    ground.make([{"file": "src/file.py", "content": "x\n"}])

    verdict = judge(ground.root, path, ["**"])

    assert not verdict.allow
    assert len(verdict.reason) < 1_000
    assert verdict.reason.isprintable()


@pytest.mark.parametrize(
    ("path", "owned"),
    [
        ("./src/a.py", "src/a.py"),
        ("src/./b/../a.py", "src/a.py"),
        ("第一章\uff1a介绍.md", "第一章\uff1a介绍.md"),
        ("docs/Ünïcödé \u2013 draft….md", "docs/Ünïcödé \u2013 draft….md"),
        (".gitignore", ".gitignore"),
        (".github/workflows/hooks/ci.yml", ".github/workflows/hooks/ci.yml"),
        ("packages/web/.vscode/settings.json", "packages/web/.vscode/settings.json"),
        ("src/nul_check.py", "src/nul_check.py"),
        ("src/backup.py~", "src/backup.py~"),
        ("src/{a,b}.py", "src/{a,b}.py"),
        ('"quoted".md', '"quoted".md'),
        ("学git/日.md", "学git/日.md"),
        (".设置/x", ".设置/x"),
        (".cl设置名称/x", ".cl设置名称/x"),
    ],
)
def test_ordinary_names_are_left_alone(ground, path, owned):
    assert judge(ground.root, path, [owned.replace("[", "[[]")]).allow


def test_how_the_root_is_spelled_is_not_judged(tmp_path):
    root = tmp_path / "RUNNER~1" / "my repo." / "x"
    root.mkdir(parents=True)

    assert judge(str(root), f"{root}/src/a.py", ["src/**"]).allow


def test_a_repository_that_is_reached_through_a_link_is_the_same(ground):
    through = ground.text("{rootlink}")

    assert resolve(through, f"{ground.root}/src/a.py").path == "src/a.py"
    assert resolve(through, f"{through}/src/a.py").path == "src/a.py"
    assert resolve(ground.root, f"{through}/src/a.py").path == "src/a.py"


def test_a_repository_that_is_gone_owns_nothing(tmp_path):
    assert not judge(str(tmp_path / "gone"), "src/a.py", ["**"]).allow


@pytest.mark.parametrize("cwd", ["", "src/a.py", "gone", "..", "a\0b", "\ud800"])
def test_a_folder_that_nobody_can_stand_in_is_refused(ground, cwd):
    ground.make([{"file": "src/a.py", "content": ""}])

    assert code(ground, "b.py", cwd=cwd) in {paths.INVALID_PATH, "OUTSIDE_REPOSITORY"}


def test_a_link_below_a_protected_folder_does_not_lead_out_of_protection(ground):
    ground.make([{"file": "src/a.py", "content": ""}, {"symlink": ".claude/a.py", "target": "../src/a.py"}])

    assert code(ground, ".claude/a.py") == paths.PROTECTED


@pytest.mark.parametrize("path", ["tools/claude/settings.json", "tools/CLAUDE/../claude/x", "by-link/settings.json"])
def test_what_a_protected_name_points_at_is_protected(ground, path):
    ground.make(
        [{"file": "tools/claude/settings.json", "content": ""}, {"symlink": ".claude", "target": "tools/claude"}]
    )
    ground.make([{"symlink": "by-link", "target": "tools/claude"}])

    assert code(ground, path) == paths.PROTECTED
    assert code(ground, "tools/claudette/settings.json") is None


def test_a_git_folder_that_lies_elsewhere_is_protected(ground):
    git = ["git", "init", "--quiet", "--separate-git-dir", "tools/database", "."]
    Path(ground.root, "tools").mkdir()
    subprocess.run(git, cwd=ground.root, check=True)

    assert code(ground, "tools/database/hooks/pre-commit") == paths.PROTECTED
    assert code(ground, "tools/data") is None


def test_forty_links_are_followed_and_no_more(ground):
    chain = [{"symlink": f"src/{at}", "target": str(at + 1)} for at in range(41)]
    ground.make([*chain, {"file": "src/41", "content": ""}])

    assert code(ground, "src/1") is None
    assert code(ground, "src/0") == paths.UNRESOLVABLE


@pytest.mark.promise("G11")
def test_links_that_multiply_are_not_followed_for_ever(ground):
    ground.make([{"symlink": f"src/{at}", "target": "../src/" * 500 + str(at + 1)} for at in range(30)])

    assert code(ground, "src/20") == paths.UNRESOLVABLE


@pytest.mark.promise("G11")
def test_a_long_path_takes_no_more_looks_than_it_has_names(ground, monkeypatch):
    looks = []
    look = os.lstat
    monkeypatch.setattr(os, "lstat", lambda path: looks.append(path) or look(path))

    assert code(ground, "é/" * 1_300 + "a.py") is None
    assert len(looks) < 50


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may enter every folder")
def test_a_folder_that_nobody_may_enter_is_refused(ground):
    ground.make([{"dir": "src/closed"}])
    closed = Path(ground.root, "src", "closed")
    closed.chmod(0)

    assert code(ground, "src/closed/a.py") == paths.UNRESOLVABLE
    closed.chmod(0o700)


class TestLinks:
    @pytest.mark.parametrize("op", LINK)
    @pytest.mark.parametrize(
        ("target", "expected"),
        [
            ("{root}/src/real.py", "allow"),
            ("{root}/src/later.py", "allow"),
            ("{root}/README.md", "deny"),
            ("{root}/.git/config", "deny"),
            ("{root}/src", "deny"),
            ("{outside}/x", "deny"),
            ("/proc/self/environ", "deny"),
            ("", "deny"),
        ],
    )
    def test_a_new_link_needs_a_target_that_could_be_written(self, ground, op, target, expected):
        ground.make([{"file": "src/real.py", "content": ""}, {"file": "README.md", "content": ""}])

        verdict = judge(ground.root, "src/new.py", ["src/**"], op=op, target=ground.text(target))

        assert ("allow" if verdict.allow else "deny") == expected, verdict

    def test_a_symbolic_link_is_read_from_where_it_lies(self, ground):
        ground.make([{"dir": "src/deep"}])

        assert resolve(ground.root, "src/deep/new", op="symlink", target="../a.py").target == "src/a.py"

    def test_a_hard_link_is_made_from_where_the_agent_stands(self, ground):
        ground.make([{"dir": "src/deep"}])
        place = resolve(ground.root, "deep/new", op="hardlink", target="a.py", cwd=ground.text("{root}/src"))

        assert (place.path, place.target) == ("src/deep/new", "src/a.py")

    @pytest.mark.parametrize("op", LINK)
    def test_a_link_without_a_target_is_refused(self, ground, op):
        assert code(ground, "src/new", op=op) == paths.INVALID_PATH

    @pytest.mark.parametrize("op", LINK)
    def test_a_link_to_itself_is_refused(self, ground, op):
        assert code(ground, "src/new", op=op, target="src/new" if op == "hardlink" else "new") == paths.INVALID_PATH

    def test_a_link_in_place_of_a_folder_with_hooks_is_refused(self, ground):
        assert code(ground, ".github", op="symlink", target="src/x") == paths.PROTECTED

    def test_a_file_with_two_names_may_lose_one_and_may_not_be_written(self, ground):
        ground.make([{"file": "README.md", "content": ""}, {"hardlink": "r.md", "target": "README.md"}])

        assert code(ground, "r.md") == paths.HARD_LINKED
        assert code(ground, "r.md", op="delete") is None

    def test_a_folder_is_not_deleted_as_if_it_were_a_file(self, ground):
        ground.make([{"dir": "src/secret"}])

        assert code(ground, "src/secret", op="delete") == paths.NOT_A_FILE


SWAPS = {
    "the folder for a link that leads out": {"symlink": "src/d", "target": "{outside}"},
    "the folder for a link to another": {"symlink": "src/d", "target": "../lib"},
    "the folder for another one": {"dir": "src/d"},
    "the folder above it for a link": {"symlink": "src", "target": "{outside}"},
    "the file for a link that leads out": {"symlink": "src/d/a.py", "target": "{outside}/a.py"},
    "the file for a link beside it": {"symlink": "src/d/a.py", "target": "b.py"},
    "the file for another name of one": {"hardlink": "src/d/a.py", "target": "README.md"},
    "the file for a pipe": {"fifo": "src/d/a.py"},
}


def exchange(ground: Ground, swap: dict[str, str], aside: Path) -> Path:
    """Put something else in the place of a file or folder, and return that place."""
    swapped = Path(ground.root, next(iter(swap.values())))
    swapped.rename(aside)
    ground.make([swap])
    return swapped


class TestSamePlace:
    @pytest.fixture
    def before(self, ground) -> Place:
        ground.make([{"file": "src/d/a.py", "content": "old\n"}])
        return resolve(ground.root, "src/d/a.py")

    def test_a_file_that_was_replaced_by_a_new_one_is_in_the_same_place(self, ground, before):
        file = Path(ground.root, "src/d/a.py")
        file.with_name("new").write_text("new\n")
        file.with_name("new").replace(file)

        assert same_place(before, ground.root, "src/d/a.py")

    def test_folders_that_the_tool_made_are_the_same_place(self, ground):
        before = resolve(ground.root, "new/er/a.py")
        ground.make([{"file": "new/er/a.py", "content": ""}])

        assert same_place(before, ground.root, "new/er/a.py")

    def test_a_folder_that_went_with_its_last_file_is_the_same_place(self, ground, before):
        before = resolve(ground.root, "src/d/a.py", op="delete")
        Path(ground.root, "src/d/a.py").unlink()
        Path(ground.root, "src/d").rmdir()

        assert same_place(before, ground.root, "src/d/a.py", op="delete")

    def test_a_place_that_was_kept_as_json_is_still_the_same(self, ground, before):
        kept = Place(*json.loads(json.dumps(before)))

        assert same_place(kept, ground.root, "src/d/a.py")

    @pytest.mark.parametrize("swap", SWAPS)
    def test_what_was_exchanged_since_the_check_is_noticed(self, ground, before, swap, tmp_path):
        ground.make([{"file": "README.md", "content": ""}, {"dir": "lib"}])
        exchange(ground, SWAPS[swap], tmp_path / "aside")

        assert not same_place(before, ground.root, "src/d/a.py")

    @pytest.mark.slow
    def test_of_a_thousand_exchanges_every_one_is_noticed(self, ground, before, tmp_path):
        ground.make([{"file": "README.md", "content": ""}, {"dir": "lib"}])
        chosen = random.Random(7)

        for _ in range(1_000):
            before = resolve(ground.root, "src/d/a.py")
            assert same_place(before, ground.root, "src/d/a.py")
            swapped = exchange(ground, SWAPS[chosen.choice(list(SWAPS))], tmp_path / "aside")
            assert not same_place(before, ground.root, "src/d/a.py")
            (swapped.rmdir if swapped.is_dir() and not swapped.is_symlink() else swapped.unlink)()
            (tmp_path / "aside").rename(swapped)
