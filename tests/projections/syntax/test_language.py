"""Languages are told by names and first lines, and cost nothing before they are asked for."""

import subprocess
import sys

import pytest

from linetrail.projections.syntax.language import language_of, languages, named


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/billing/invoice.py", "python"),
        ("types.pyi", "python"),
        ("a/b.mjs", "javascript"),
        ("component.jsx", "javascript"),
        ("a.d.ts", "typescript"),
        ("App.tsx", "tsx"),
        ("Main.java", "java"),
        ("main.go", "go"),
        ("lib.rs", "rust"),
        ("list.c", "c"),
        ("list.cc", "cpp"),
        ("Program.cs", "csharp"),
        ("Rakefile", "ruby"),
        ("index.php", "php"),
        (".bashrc", "bash"),
        ("build.gradle.kts", "kotlin"),
        ("build.sbt", "scala"),
        ("Package.swift", "swift"),
        ("init.lua", "lua"),
        ("schema.SQL", "sql"),
        ("index.html", "html"),
        ("site.css", "css"),
        ("package.json", "json"),
        (".github/workflows/ci.yml", "yaml"),
        ("Cargo.lock", "toml"),
        ("README.md", "markdown"),
    ],
)
def test_a_name_tells_the_language(path, name):
    assert language_of(path).name == name


@pytest.mark.parametrize(
    ("first_line", "name"),
    [
        (b"#!/bin/sh\n", "bash"),
        (b"#!/usr/bin/env python3\n", "python"),
        (b"#!/usr/bin/python3.11 -I\n", "python"),
        (b"#! /usr/bin/env -S node --harmony\n", "javascript"),
        (b"#!/usr/bin/env LANG=C ruby\n", "ruby"),
    ],
)
def test_where_the_name_tells_nothing_the_first_line_does(first_line, name):
    assert language_of("bin/tool", first_line).name == name


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("LICENSE", b"Apache License\n"),
        ("logo.png", b"\x89PNG\r\n"),
        ("bin/tool", b""),
        ("bin/tool", b"#!\n"),
        ("bin/tool", b"#!/usr/bin/env\n"),
        ("bin/tool", b"#!/usr/bin/awk -f\n"),
        ("", b""),
    ],
)
def test_what_is_in_no_language_has_none(path, content):
    assert language_of(path, content) is None


@pytest.mark.parametrize(
    ("content", "name"),
    [
        pytest.param(b"", "c", id="nothing to tell by"),
        pytest.param(b"struct list { int size; };\n", "c", id="a struct"),
        pytest.param(b"namespace shapes {\nclass Circle {};\n}\n", "cpp", id="a namespace"),
        pytest.param(b"template <typename T> struct Box { T it; };\n", "cpp", id="a template"),
    ],
)
def test_a_header_is_in_the_language_that_it_shows_signs_of(content, name):
    assert language_of("shapes.h", content).name == name


def test_a_language_is_the_same_for_everybody():
    assert named("python") is named("python") is language_of("a.py")


def test_there_is_no_language_of_an_unknown_name():
    with pytest.raises(KeyError):
        named("klingon")


@pytest.mark.in_turn
@pytest.mark.daily(12)
@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_every_query_fits_its_grammar(language):
    assert language.queries
    assert language.bindings


def test_no_grammar_is_imported_before_something_is_parsed():
    program = """if True:
        import sys
        from linetrail.projections.syntax.definitions import index
        from linetrail.projections.syntax.language import language_of
        language = language_of("a.go")
        before = {name for name in sys.modules if name.startswith("tree_sitter")}
        index(language, b"package a")
        after = {name for name in sys.modules if name.startswith("tree_sitter_") and "." not in name}
        print(sorted(before), sorted(after))
    """

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "[] ['tree_sitter_go']\n"
