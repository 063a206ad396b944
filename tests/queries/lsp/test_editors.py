"""Real editors, with the lines of configuration that docs/editors.md has, on the demonstration."""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.conftest import command

pytestmark = pytest.mark.slow
GUIDE = Path(__file__).parents[3] / "docs/editors.md"
SECONDS = 120
# Another Neovim stands in for the screen, without which nothing is drawn.
SCREEN = """
local child = vim.fn.jobstart({ "nvim", "--embed", "--clean", "-u", arg[1], arg[2] }, { rpc = true })
vim.rpcrequest(child, "nvim_ui_attach", 120, 40, {})
io.stdout:write(vim.rpcrequest(child, "nvim_exec_lua", io.open(arg[3]):read("*a"), {}))
"""
# It waits for what the server brings, and returns what stands in the buffer.
ASK_NEOVIM = """
local function wait(what, found) assert(vim.wait(60000, found, 50), what) end
wait("a server", function() return #vim.lsp.get_clients({ bufnr = 0, name = "linetrail" }) > 0 end)
vim.api.nvim_win_set_cursor(0, { 30, 8 })
vim.api.nvim_exec_autocmds("CursorHold", {})
local space = vim.api.nvim_get_namespaces()["nvim.lsp.inlayhint"]
local function marks() return vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true }) end
wait("a hint", function() vim.cmd.redraw() return #marks() > 0 end)
wait("diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
vim.lsp.buf.hover()
local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then return vim.api.nvim_win_get_buf(window) end
  end
end
wait("the reason", float)
local hints = {}
for _, mark in ipairs(marks()) do
  local text = vim.tbl_map(function(chunk) return chunk[1] end, mark[4].virt_text)
  table.insert(hints, { mark[2] + 1, table.concat(text) })
end
local codes = {}
for _, one in ipairs(vim.diagnostic.get(0)) do codes[one.code] = true end
return vim.json.encode({
  hints = hints,
  codes = vim.tbl_keys(codes),
  reason = vim.api.nvim_buf_get_lines(float(), 0, -1, false),
  lines = vim.api.nvim_buf_line_count(0),
})
"""
HAS_EGLOT = "(progn (package-initialize) (princ (require 'eglot nil t)))"
ASK_EMACS = """
(find-file "billing/invoice.py")
(setq eglot-connect-timeout 60 eglot-sync-connect t)
(call-interactively #'eglot)
(let* ((place '(:line 29 :character 8))
       (asked (list :textDocument (eglot--TextDocumentIdentifier) :position place))
       (found (jsonrpc-request (eglot-current-server) :textDocument/hover asked)))
  (princ (plist-get (plist-get found :contents) :value)))
"""


def test_neovim_shows_why_the_line_is_as_it_is(shop, tmp_path):
    config = tmp_path / "init.lua"
    config.write_text(_block("lua"))
    (tmp_path / "ask.lua").write_text(ASK_NEOVIM)

    (tmp_path / "screen.lua").write_text(SCREEN)
    asked = [config, "billing/invoice.py", tmp_path / "ask.lua"]

    run = _run([command("nvim"), "-l", tmp_path / "screen.lua", *asked], shop, tmp_path)

    seen = json.loads(run.stdout)
    ((line, hint),) = seen["hints"]
    assert line == 30
    assert re.fullmatch(r" ?INT-003 · claude-code · .+ · observed", hint)
    assert {"LT001", "LT008"} <= set(seen["codes"])
    assert any("price is ambiguous now" in text for text in seen["reason"])
    assert seen["lines"] == len((shop / "billing/invoice.py").read_text().splitlines())


@pytest.mark.skipif(shutil.which("emacs") is None, reason="no Emacs here")
def test_emacs_shows_why_the_line_is_as_it_is(shop, tmp_path):
    (tmp_path / "ask.el").write_text("(package-initialize)\n" + _block("elisp") + ASK_EMACS)
    known = _run(["emacs", "--batch", "--eval", HAS_EGLOT], shop, tmp_path).stdout
    if known != "eglot":
        pytest.skip("this Emacs is older than 29, and Eglot is not installed")

    run = _run(["emacs", "--batch", "--load", tmp_path / "ask.el"], shop, tmp_path)

    assert "price is ambiguous now" in run.stdout


@pytest.mark.skipif(not (shutil.which("hx") and shutil.which("tmux")), reason="no Helix here, or no screen for it")
def test_helix_shows_why_the_line_is_as_it_is(shop, tmp_path):
    (tmp_path / "helix").mkdir()
    (tmp_path / "helix/languages.toml").write_text(_block("toml"))
    environment = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "TMUX_TMPDIR": str(tmp_path)}

    def tmux(*arguments):
        return _run(["tmux", "-f", os.devnull, *arguments], shop, tmp_path, **environment).stdout

    def until(seen, *keys):
        """Press keys until something is on the screen: the server takes a while to start."""
        for _ in range(SECONDS):
            tmux("send-keys", *keys)
            time.sleep(1)
            if seen in (screen := tmux("capture-pane", "-p")):
                return screen
        return pytest.fail(screen)

    tmux("new-session", "-d", "-x", "120", "-y", "40", "hx billing/invoice.py:30")
    try:
        why = until("price is ambiguous now", "Space", "k")
        tmux("send-keys", "Escape")
        until("Record a decision about line 30", "Space", "a")
    finally:
        tmux("kill-server")

    assert 'intent INT-003 "Export invoices as CSV"' in why


def test_each_editor_takes_six_lines_at_most():
    blocks = re.findall(r"```(?:lua|toml|elisp)\n(.*?)```", GUIDE.read_text(), re.DOTALL)

    assert [len(one.splitlines()) <= 6 for one in blocks] == [True] * 3


def _block(language):
    """Return the block of the guide in a language."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    return found


def _run(arguments, folder, home, **variables):
    path = f"{Path(command('linetrail')).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HOME": str(home), "XDG_STATE_HOME": str(home), **variables}
    return subprocess.run(
        arguments, cwd=folder, env=environment, check=True, capture_output=True, text=True, timeout=SECONDS
    )
