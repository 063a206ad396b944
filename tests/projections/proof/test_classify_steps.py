"""What a change of several files is called: what left one file came to another."""

from linetrail.projections.classify import files
from linetrail.projections.classify.judgement import Change
from tests.projections.proof.judging import judged_together

BODY = """\
def parse(text):
    parts = text.split(",")
    return [part.strip() for part in parts]
"""
USE = """\
from pkg.{module} import {name}


def run(text):
    return {name}(text)
"""


def test_a_function_that_moved_with_its_users_is_one_refactor():
    found = judged_together(
        {
            "pkg/a.py": (f"{BODY}\n\ndef other():\n    return 1\n", "def other():\n    return 1\n"),
            "pkg/b.py": ("", BODY),
            "pkg/use.py": (USE.format(module="a", name="parse"), USE.format(module="b", name="parse")),
        }
    )

    assert (found.whole.label, {one.label for one in found.files.values()}) == ("refactor", {"refactor"})
    assert "moved `parse` from pkg/a.py to pkg/b.py, body identical" in found.whole.evidence


def test_a_move_that_leaves_a_user_behind_is_evolution():
    found = judged_together(
        {
            "pkg/a.py": (BODY, ""),
            "pkg/b.py": ("", BODY),
            "pkg/use.py": (USE.format(module="a", name="parse"), USE.format(module="a", name="parse") + "\n\nX = 1\n"),
        }
    )

    assert found.whole.label == "evolution"


def test_a_public_name_may_change_together_with_its_users():
    found = judged_together(
        {
            "pkg/a.py": (BODY, BODY.replace("parse", "split")),
            "pkg/use.py": (USE.format(module="a", name="parse"), USE.format(module="a", name="split")),
        }
    )

    assert found.whole.label == "refactor", found.whole.evidence
    assert "renamed `parse` to `split`" in " ".join(found.whole.evidence)


def test_a_public_name_that_changed_alone_is_evolution():
    found = judged_together({"pkg/a.py": (BODY, BODY.replace("parse", "split"))})

    assert found.whole.label == "evolution"


def test_a_moved_file_is_a_refactor():
    found = judged_together({"pkg/a.py": (BODY, None), "lib/b.py": (None, BODY)})

    assert (found.whole.label, found.whole.kind) == ("refactor", "move")


def test_a_moved_file_with_another_constant_is_evolution():
    found = judged_together({"pkg/a.py": (BODY, None), "lib/b.py": (None, BODY.replace('","', '";"'))})

    assert found.whole.label == "evolution"


def test_a_new_file_is_evolution():
    found = judged_together({"pkg/a.py": (None, BODY)})

    assert (found.whole.label, found.whole.kind) == ("evolution", "created")


def test_a_file_that_goes_is_evolution():
    found = judged_together({"pkg/a.py": (BODY, None)})

    assert (found.whole.label, found.whole.kind) == ("evolution", "deleted")


def test_one_file_that_evolved_makes_the_whole_change_so_and_keeps_the_layout_of_another():
    found = judged_together({"a.py": ("x = 1\n", "x = 2\n"), "b.py": ("y = [1,2]\n", "y = [1, 2]\n")})

    assert found.whole.label == "evolution"
    assert {path: one.label for path, one in found.files.items()} == {"a.py": "evolution", "b.py": "formatting"}


def test_what_the_root_of_a_package_offers_is_interface():
    found = judged_together(
        {
            "pkg/__init__.py": ("from pkg.a import parse\n", "from pkg.a import parse\nfrom pkg.a import other\n"),
        }
    )

    assert found.whole.label == "evolution"


def test_of_files_with_two_sides_it_is_known_which_statements_stand_on_both():
    kept, old, new = b"class A:\n    b = 1\n", b"def f():\n    return 1\n", b"def f():\n    return 2\n"
    changes = [
        Change("a.py", kept + old, kept + new),
        Change("b.py", None, b"c = 3\n"),
        Change("c.py", b"d = 4\n", None),
    ]

    read = files.read(changes)

    assert files.shared(read) == {id(read[0].after.module.kids[0])}
