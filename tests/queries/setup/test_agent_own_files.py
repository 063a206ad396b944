"""Scripts and plugins that are ours as a whole: what is in them is read again as it was written."""

import json
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.adapters.agent import PLUGIN, SCRIPTS
from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.queries.setup import own_files

OWN = [row for row in CATALOGUE.values() if row.layout in (SCRIPTS, PLUGIN)]
FOLDERS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
MODES = st.sampled_from(["observe", "warn", "block"])


@given(st.sampled_from(OWN), FOLDERS, MODES, st.booleans())
def test_what_a_file_calls_is_read_again(row, folder, mode, user):
    hook = f"/{folder}/linetrail-hook"

    for file in own_files.files("/anywhere", row, hook, mode, user=user):
        assert own_files.is_ours(file.text, row)
        assert own_files.called(file.text, row) == (hook, None if user or mode == "observe" else mode)


@pytest.mark.parametrize("row", OWN, ids=lambda row: row.name)
def test_a_file_that_does_more_is_not_ours(row):
    (file, *_) = own_files.files("/anywhere", row, "/x/linetrail-hook", "block")

    assert not own_files.is_ours(file.text + "rm -rf x\n", row)
    assert not own_files.is_ours(file.text.replace("/x/linetrail-hook", "/x/another"), row) or row.layout == PLUGIN
    assert own_files.mentions_us(file.text + "rm -rf x\n", row)


@pytest.mark.parametrize("row", [row for row in OWN if row.layout == PLUGIN], ids=lambda row: row.name)
def test_a_plugin_is_given_the_hook_as_the_text_that_it_is(row):
    hook = '/my "tools"/it\'s \\ `${x}` 🌿/linetrail-hook'

    (file,) = own_files.files("/anywhere", row, hook, "block")

    assert f"const HOOK = {json.dumps(hook, ensure_ascii=False)};" in file.text
    assert 'const ARGUMENTS = ["--enforce", "block"];' in file.text
    assert own_files.HOOK not in file.text
    assert own_files.ARGUMENTS not in file.text


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
def test_a_script_is_one_that_a_shell_can_read():
    row = CATALOGUE["cline"]

    for file in own_files.files("/anywhere", row, '/it\'s a "path" $HOME/linetrail-hook', "warn"):
        subprocess.run(["sh", "-n"], input=file.text, text=True, check=True)
