"""Which version of a library a manifest lets in, in every form that manifests have."""

import json
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.constraints.manifests import is_manifest
from linetrail.ledger.constraints.rules import check
from linetrail.ledger.constraints.versions import admitted, version

AT_LEAST_5 = {"type": "library_version", "library": "bcrypt", "min_version": "5.0.0", "enforce": "deny"}
BCRYPT = "bcrypt"

# path -> a manifest with SPEC where a range stands, and the line it stands on
MANIFESTS = {
    "package.json": ('{\n "dependencies": {\n  "bcrypt": "SPEC"\n }\n}', 3),
    "web/package.json": ('{\n "devDependencies": {"@types/bcrypt": "^1.0.0",\n "bcrypt": "SPEC"}}', 3),
    "package.json peer": ('{"peerDependencies": {"bcrypt": "SPEC"}}', 1),
    "package.json optional": ('{"optionalDependencies": {"bcrypt": "SPEC"}}', 1),
    "package.json override": ('{"overrides": {"bcrypt": "SPEC", "x": {"y": "1"}}}', 1),
    "package.json alias": ('{"dependencies": {"hash": "npm:bcrypt@SPEC"}}', 1),
    "pyproject.toml": ('[project]\nname = "x"\ndependencies = [\n  "httpx",\n  "bcryptSPEC",\n]\n', 5),
    "pyproject.toml extra": ('[project.optional-dependencies]\n"all" = ["Bcrypt[x] SPEC ; python_version > \'3\'"]', 2),
    "pyproject.toml group": ('[dependency-groups]\ndev = [{include-group = "x"}, "bcrypt (SPEC)"]\n', 2),
    "pyproject.toml build": ('[build-system]\nrequires = ["bcryptSPEC"]\n', 2),
    "pyproject.toml uv": ('[tool.uv]\nconstraint-dependencies = ["bcryptSPEC"]\n', 2),
    "pyproject.toml poetry": ('[tool.poetry.dependencies]\npython = "^3.11"\nbcrypt = "SPEC"\n', 3),
    "pyproject.toml poetry table": ('[tool.poetry.group.dev.dependencies]\nbcrypt = { version = "SPEC" }\n', 2),
    "pyproject.toml poetry section": ('[tool.poetry.dependencies.bcrypt]\nversion = "SPEC"\n', 1),
    "requirements.txt": ("# bcrypt==1.0\nhttpx\nbcryptSPEC  # why\n", 3),
    "requirements-dev.txt": ("-r requirements.txt\nbcrypt[x] \\\n  SPEC --hash=sha256:00\n", 2),
    "requirements/base.in": ("BCRYPT SPEC; python_version < '4'\n", 1),
    "constraints.txt": ("bcrypt SPEC", 1),
    "setup.cfg": ("[metadata]\nname = bcrypt\n[options]\ninstall_requires =\n    httpx\n    bcryptSPEC\n", 6),
    "setup.cfg extra": ("[options.extras_require]\nall = bcryptSPEC\n", 2),
    "Pipfile": ('[packages]\nbcrypt = "SPEC"\n', 2),
    "Cargo.toml": ('[dependencies]\nserde = "1"\nbcrypt = "SPEC"\n', 3),
    "Cargo.toml table": ('[dev-dependencies]\nbcrypt = { version = "SPEC", features = ["std"] }\n', 2),
    "Cargo.toml section": ('[build-dependencies.bcrypt]\nversion = "SPEC"\n', 1),
    "Cargo.toml workspace": ('[workspace.dependencies]\nbcrypt.version = "SPEC"\n', 2),
    "Cargo.toml target": ("[target.'cfg(unix)'.dependencies]\nbcrypt = \"SPEC\"\n", 2),
    "Cargo.toml renamed": ('[dependencies]\nhash = { package = "bcrypt", version = "SPEC" }\n', 2),
    "composer.json": ('{"require": {"php": ">=8", "bcrypt": "SPEC"}}', 1),
    "Gemfile": ("source 'https://rubygems.org'\ngem 'bcrypt', 'SPEC', require: false\n", 2),
    "x.gemspec": ("Gem::Specification.new do |s|\n  s.add_dependency \"bcrypt\", 'SPEC'\nend\n", 2),
}
# What names one version, and no range.
LOCKED = {
    "package-lock.json": '{"packages": {"": {"dependencies": {"bcrypt": "*"}}, '
    '"a/node_modules/bcrypt": {"version": "SPEC"}}}',
    "npm-shrinkwrap.json": '{"dependencies": {"a": {"version": "1", "dependencies": {"bcrypt": {"version": "SPEC"}}}}}',
    "composer.lock": '{"packages": [{"name": "bcrypt", "version": "SPEC"}]}',
    "go.mod": "module x\n\nrequire (\n\tother v1.0.0\n\tbcrypt vSPEC // indirect\n)\n",
    "sub/go.mod": "require bcrypt vSPEC\n",
    "replaced/go.mod": "require other v9.0.0\nreplace other => bcrypt vSPEC\n",
    "Gemfile.lock": "GEM\n  specs:\n    bcrypt (SPEC)\n",
    "pom.xml": "<dependencies><dependency><groupId>org</groupId><artifactId>bcrypt</artifactId>"
    "<version>SPEC</version></dependency></dependencies>",
    "property/pom.xml": "<properties><b.v>SPEC</b.v></properties><dependency><artifactId>bcrypt</artifactId>"
    "<version>${b.v}</version></dependency>",
}


def found_in(path, text, rule=AT_LEAST_5):
    return check([rule], path, None, text.encode())


@pytest.mark.parametrize("name", MANIFESTS)
@pytest.mark.parametrize(("spec", "sound"), [(">=4.9", False), (">=5", True), (">=5.0.1,<6", True)])
def test_the_lowest_version_that_a_manifest_lets_in_counts(name, spec, sound):
    text, line = MANIFESTS[name]
    path = name.partition(" ")[0]

    findings = found_in(path, text.replace("SPEC", spec))

    assert [(found.code, found.line, found.deny) for found in findings] == (
        [] if sound else [("LIBRARY_VERSION", line, True)]
    )


@pytest.mark.parametrize("path", LOCKED)
@pytest.mark.parametrize(("spec", "sound"), [("4.9.9", False), ("5.0.0", True), ("5.1.0-rc.1", True)])
def test_what_is_locked_counts(path, spec, sound):
    assert (found_in(path, LOCKED[path].replace("SPEC", spec)) == []) is sound


@pytest.mark.parametrize("name", MANIFESTS)
def test_another_library_is_nobodys_business(name):
    text, _ = MANIFESTS[name]
    rule = AT_LEAST_5 | {"library": "crypt"}

    assert found_in(name.partition(" ")[0], text.replace("SPEC", ">=1"), rule) == []


@pytest.mark.parametrize("spec", ["", " ", " ; python_version > '3'"])
def test_a_requirement_without_a_version_lets_any_in(spec):
    (finding,) = found_in("requirements.txt", f"bcrypt{spec}\n")

    assert finding.message == "requirements.txt asks for bcrypt of any version; nothing below 5.0.0 may be let in"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", '{"dependencies": {"bcrypt": "github:kelektiv/node.bcrypt.js"}}'),
        ("package.json", '{"dependencies": {"bcrypt": "latest"}}'),
        ("package.json", '{"dependencies": {"bcrypt": "workspace:*"}}'),
        ("requirements.txt", "bcrypt @ git+https://example.org/bcrypt@v4\n"),
        ("Cargo.toml", '[dependencies]\nbcrypt = { git = "https://example.org/bcrypt" }\n'),
        ("Gemfile", "gem 'bcrypt', git: 'https://example.org/bcrypt'\n"),
        ("composer.json", '{"require": {"bcrypt": "dev-main"}}'),
    ],
)
def test_a_version_that_cannot_be_told_is_found_and_refuses_nothing(path, text):
    (finding,) = found_in(path, text)

    assert "its version cannot be told" in finding.message
    assert not finding.deny


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", '{"dependencies": {"bcrypt": "^4'),
        ("package.json", "[1]"),
        ("package.json", '{"dependencies": ["bcrypt"], "devDependencies": {"bcrypt": 4}}'),
        ("package.json", '{"dependencies": {"bcrypt": "npm:bcryptjs@^2.0.0"}}'),
        ("package.json", "[" * 100_000),
        ("pyproject.toml", "[project\ndependencies = "),
        ("pyproject.toml", "x = " + "[" * 10_000),
        ("pyproject.toml", '[project]\ndependencies = [7, "bcrypt-extra>=1"]'),
        ("Cargo.toml", "[dependencies]\nbcrypt.workspace = true\n"),
        ("setup.cfg", "[options.package_data]\nbcrypt = 1\n"),
        ("go.mod", "exclude bcrypt v1.0.0\nreplace bcrypt => ../bcrypt\n"),
        ("Gemfile", "# gem 'bcrypt', '~> 3.1'\n"),
        ("pom.xml", "<dependency><artifactId>bcrypt</artifactId></dependency>"),
        ("pom.xml", "<dependency>" * 10_000),
        ("README.md", '"bcrypt": "^4.9"'),
        ("src/bcrypt.py", "bcrypt==4"),
    ],
)
def test_what_mentions_no_version_is_no_finding(path, text):
    assert found_in(path, text) == []


@pytest.mark.promise("G11")
@pytest.mark.parametrize("text", ["# padding\n" * 30_000, ".".join("a" * 100_000) + " = 1"], ids=["long", "a bomb"])
def test_a_manifest_that_is_too_large_is_found_and_refuses_nothing(text):
    (finding,) = found_in("pyproject.toml", text)

    assert (finding.message, finding.deny) == ("pyproject.toml is too large to be searched for bcrypt", False)


def test_a_manifest_in_another_encoding_is_read():
    text = '{"dependencies": {"bcrypt": "^4.9"}}'

    assert len(check([AT_LEAST_5], "package.json", None, text.encode("utf-16"))) == 1
    assert len(check([AT_LEAST_5], "package.json", None, text.encode("utf-8-sig"))) == 1


@pytest.mark.parametrize(
    ("rule", "spec", "sound"),
    [
        ({"max_version": "5.2"}, "^5.1", True),
        ({"max_version": "5.2"}, "^5.3", False),
        ({"max_version": "5.2"}, ">5.2", False),
        ({"max_version": "5.2"}, "*", True),
        ({"exact": "5.1.0"}, "5.1.0", True),
        ({"exact": "5.1"}, "=5.1.0", True),
        ({"exact": "5.1.0"}, "^5.1.0", False),
        ({"exact": "5.1.0"}, "5.1.1", False),
        ({"min_version": "5", "max_version": "6"}, "5.9.0", True),
        ({"min_version": 5}, "^4 || ^5", False),
    ],
)
def test_a_rule_may_ask_for_less_or_for_exactly_that(rule, spec, sound):
    rule = {"type": "library_version", "library": "bcrypt"} | rule

    assert (found_in("package.json", json.dumps({"dependencies": {"bcrypt": spec}}), rule) == []) is sound


def test_a_rule_may_name_its_manifest():
    text = '{"dependencies": {"bcrypt": "^4.9"}}'
    rule = AT_LEAST_5 | {"file": "package.json"}

    assert len(found_in("package.json", text, rule)) == 1
    assert found_in("web/package.json", text, rule) == []


def test_a_library_in_several_places_is_judged_in_each():
    text = textwrap.dedent("""\
        {
          "dependencies": {"bcrypt": "^5.0.0"},
          "devDependencies": {"bcrypt": "^4.0.0"}
        }
        """)

    assert [finding.line for finding in found_in("package.json", text)] == [3]


ORDER = ["0.9", "1.0.dev1", "1.0a1", "1.0.0-alpha.2", "1.0b1", "1.0-rc.1", "1.0", "1.0.post1", "1.0.1", "1.2", "1.10",
         "2.0.0-0", "2.0.0-SNAPSHOT.1", "2.0.0", "10", "1!0.1"]  # fmt: skip


def test_versions_are_compared_by_their_numbers_and_before_a_release_comes_what_leads_to_it():
    keys = [version(text) for text in ORDER if text not in ("2.0.0-0", "2.0.0-SNAPSHOT.1")]

    assert None not in keys
    assert keys == sorted(keys)
    assert version("2.0.0-0") < version("2.0.0")
    assert version("2.0.0-SNAPSHOT.1") < version("2.0.0-alpha") < version("2.0.0")


@pytest.mark.parametrize(
    ("one", "other"),
    [("1", "1.0.0"), ("v1.2", "1.2"), ("1.0+build.7", "1.0"), ("1.0.RELEASE", "1.0"), ("1.0a1", "1-alpha.1")],
)
def test_spellings_of_one_version_are_equal(one, other):
    assert version(one) == version(other)


@pytest.mark.parametrize("text", ["", "x", "latest", "1..2", "1.", "../1", "1" * 40, "1.2 3", "-1"])
def test_what_is_no_version_is_none(text):
    assert version(text) is None


@pytest.mark.parametrize(
    ("spec", "lowest"),
    [
        ("^1.2.3", "1.2.3"),
        ("~1.2", "1.2"),
        ("~> 3.1, >= 3.1.2", "3.1.2"),
        ("~=5.1", "5.1"),
        ("1.x", "1"),
        ("1.2.*", "1.2"),
        ("==5.0.*", "5.0"),
        (">= 1.2 < 2", "1.2"),
        ("1.2 - 2.3", "1.2"),
        ("^4 || ^3", "3"),
        ("^4|^3", "3"),
        ("[1.5,2.0)", "1.5"),
        ("[1.5]", "1.5"),
        ("5.0.*@dev", "5.0"),
        ("^5.0.0-beta.1", "5.0.0-beta.1"),
        (">=1!2.0", "1!2.0"),
    ],
)
def test_the_lowest_version_of_a_range(spec, lowest):
    assert admitted(spec).lowest == version(lowest)


@pytest.mark.parametrize("spec", ["*", "", "x", "<6", "<=6,!=5", "!=5", "(,2]", "^4 || *"])
def test_a_range_without_a_lower_end(spec):
    assert admitted(spec).lowest is None


@given(st.text("0123456789.^~<>=!*x|,-[]() @vab", max_size=30))
def test_no_range_makes_it_raise(spec):
    admitted(spec)


def test_only_manifests_are_read():
    assert not is_manifest("src/requirements.py")
    assert not is_manifest("package.json.bak")
