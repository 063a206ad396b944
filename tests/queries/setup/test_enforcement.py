"""The mode in `config.yaml`: one value changes, and every other byte of a person's file stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.gate.policy import stated_mode
from linetrail.ledger.gate.settings import Settings
from linetrail.ledger.gate.settings_text import SettingsError
from linetrail.queries.setup.enforcement import parse, set_mode, template

MODES = ["observe", "warn", "block"]
# Lines that say something else, or nothing.
LINES = st.sampled_from(
    [
        "# enforce: warn",
        "",
        "lessons: false  # grün 🌿",
        "lease_seconds: 7",
        "codes:\n  OUT_OF_SCOPE: ask",
        "tools: {safe: ['*']}",
        "context:\n    max_tokens: 100",
    ]
)
VALUES = ["enforce: {}", "enforce:   {}   # why", "'enforce' : \"{}\" # why"]


@given(
    st.lists(LINES, unique=True),
    st.lists(LINES, unique=True),
    st.sampled_from(VALUES),
    st.sampled_from(MODES),
    st.sampled_from(MODES),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff"]),
)
def test_of_a_line_that_is_there_only_the_value_changes(before, after, line, mode, wanted, newline, mark):
    after = [text for text in after if text not in before]
    texts = [mark + "\n".join([*before, line.format(one), *after, ""]).replace("\n", newline) for one in (mode, wanted)]

    changed = set_mode(texts[0], wanted)

    assert changed.replace('"', "") == texts[1].replace('"', "")
    assert parse(changed) == parse(texts[1])
    assert set_mode(changed, mode).replace('"', "") == texts[0].replace('"', "")


@given(st.lists(LINES, unique=True), st.sampled_from(MODES), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_line_that_is_missing_is_added_and_nothing_else(lines, mode, newline, ends):
    text = newline.join(line.replace("\n", newline) for line in lines) + (newline if ends else "")

    changed = set_mode(text, mode)

    assert changed.startswith(text)
    assert changed[len(text) :].strip() == f"enforce: {mode}"
    assert parse(changed) == parse(text)._replace(mode=mode)
    assert "\r\n" not in text or "\n" not in changed.replace("\r\n", "")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", "enforce: block\n", id="empty"),
        pytest.param("---\n", "---\nenforce: block\n", id="nothing but a beginning"),
        pytest.param("{enforce: observe, lessons: true}", "{enforce: block, lessons: true}", id="in braces"),
        pytest.param("lessons: true\n...\n", "enforce: block\nlessons: true\n...\n", id="an end of the document"),
    ],
)
def test_what_is_rare_is_edited_too(before, after):
    assert set_mode(before, "block") == after


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{lessons: true}\n", id="braces without it"),
        pytest.param("  enforce: observe\n", id="indented, which cannot be seen without reading YAML"),
        pytest.param("enforce:\n  observe\n", id="on the next line"),
    ],
)
def test_what_cannot_be_edited_safely_is_refused_with_the_line_to_write(text):
    with pytest.raises(SettingsError, match="enforce: block"):
        set_mode(text, "block")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("enforce: [\n", r"config.yaml:2: not YAML", id="not YAML"),
        pytest.param(
            "lessons: true\nenforced: block\n", r"config.yaml:2: there is no setting 'enforced'", id="unknown"
        ),
        pytest.param("enforce:\n", r"config.yaml:1: expected one of", id="no value"),
        pytest.param("enforce: strict\n", r"config.yaml:1: expected one of", id="no mode"),
        pytest.param("a: 1\n---\nb: 2\n", "config.yaml", id="two documents"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_line(text, message):
    with pytest.raises(SettingsError, match=message):
        set_mode(text, "block")


@pytest.mark.parametrize("mode", MODES)
def test_the_template_says_its_mode_and_its_examples_are_settings(mode):
    text = template(mode)

    assert parse(text) == Settings(mode=mode)
    assert stated_mode(text.encode()) == mode
    examples = [line.removeprefix("# ") for line in text.partition("enforce: ")[2].splitlines() if line[:3] != "# W"]
    settings = [line for line in examples[1:] if not line.startswith(("What", "Agents", "Tools"))]
    said = parse("\n".join(settings))
    assert said.codes == {"OUT_OF_SCOPE": "ask", "UNKNOWN_TOOL": "block"}
    assert said.agents == {"cline": "warn"}
    assert said._replace(codes={}, agents={}, safe_tools=(), writing_tools=()) == Settings()
