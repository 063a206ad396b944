"""PowerShell and cmd: a few cmdlets with plain arguments read; for everything else only what is worse is told apart."""

import re

from linetrail.ledger.shell.reading import places
from linetrail.ledger.shell.reading.ruling import READS, Ruling, changes, harms

# Letters, digits and what paths and globs need: nothing that either shell expands, escapes, joins or redirects with.
_PLAIN = re.compile(r"[A-Za-z0-9 ./\\*?:,'\"_=-]+")
_CMDLETS = {
    "get-childitem": "-recurse -filter -path -name -file -directory -depth -include -exclude -force -literalpath",
    "get-content": "-path -totalcount -tail -raw -head -first -last -encoding -literalpath",
    "select-string": "-path -pattern -simplematch -casesensitive -list -quiet -context -allmatches",
    "get-location": "",
    "get-date": "-format",
    "get-item": "-path -literalpath",
    "test-path": "-path -pathtype -literalpath",
    "resolve-path": "-path -relative",
    "get-filehash": "-path -algorithm",
    "measure-object": "-line -word -character -sum",
    "sort-object": "-property -descending -unique",
    "select-object": "-first -last -property -skip -unique",
    "get-command": "-name",
    "get-process": "-name -id",
    "write-output": "",
    "format-list": "-property",
    "format-table": "-property -autosize",
    "out-string": "",
    "get-member": "",
    "get-host": "",
    "compare-object": "-includeequal",
    "where-object": "-property -like -notlike -eq -ne -match -notmatch -gt -lt -ge -le -value",
    "group-object": "-property -noelement",
    "echo": "",
    "split-path": "-path -leaf -parent",
}
_ALIASES = {
    "gci": "get-childitem", "ls": "get-childitem", "dir": "get-childitem", "gc": "get-content", "cat": "get-content",
    "type": "get-content", "pwd": "get-location", "gl": "get-location", "sls": "select-string", "measure": "measure-object",
    "sort": "sort-object", "fl": "format-list", "ft": "format-table", "group": "group-object", "where": "where-object", "select": "select-object", "gps": "get-process",
}  # fmt: skip
_CMD = {
    "dir",
    "type",
    "echo",
    "cd",
    "ver",
    "where",
    "findstr",
    "find",
    "fc",
    "more",
    "tree",
    "vol",
    "whoami",
    "hostname",
}
_WORSE = re.compile(
    r"\b(?:remove-item|ri|rm|rmdir|rd|del|erase|clear-content|clear-item|clear-recyclebin|format|format-volume|clear-disk|initialize-disk|diskpart"
    r"|invoke-expression|iex|invoke-command|icm|invoke-webrequest|iwr|invoke-restmethod|irm|curl|wget|start-bitstransfer|bitsadmin|certutil|mshta|rundll32|regsvr32|wscript|cscript|wmic|msiexec|start"
    r"|downloadstring|downloadfile|downloaddata|webclient|net\.sockets|frombase64string|encodedcommand|set-executionpolicy|add-type|new-object|start-process|saps|start-job|register-scheduledtask|schtasks|at"
    r"|new-service|set-service|stop-service|start-service|restart-service|sc|net|netsh|reg|regedit|set-itemproperty|new-itemproperty|remove-itemproperty|set-acl|icacls|takeown|cacls|attrib|cipher|vssadmin|bcdedit|wbadmin|fsutil|powercfg"
    r"|stop-computer|restart-computer|shutdown|logoff|stop-process|spps|taskkill|kill|set-mppreference|add-mppreference|disable-\w+|uninstall-\w+|install-\w+|save-\w+|publish-\w+|enter-pssession|new-pssession|runas|sudo"
    r"|get-credential|convertfrom-securestring|get-secret|cmdkey|vaultcmd|get-clipboard|set-clipboard|send-mailmessage|test-netconnection|ssh|scp|ftp|powershell|pwsh|cmd|bash|wsl|python\w*|node|npx|set-alias|sal|new-alias|function|clear-history|set-psreadlineoption|set-date|setx|mklink|subst|diskshadow|robocopy|xcopy|format\.com|fdisk|deltree|move)\b(?!-)"
    r"|\benv:|-enc\b|-e(?:nc|c)?\s+[A-Za-z0-9+/=]{16,}|\[(?:system|io|net|convert|reflection|environment|diagnostics)|hk(?:lm|cu)|::|\$\(|&\s*[('\"$]|`|\^|%\w+%|\bgit\s+(?:push|reset|clean|checkout\s+--|restore|stash\s+drop|filter|config)",
    re.IGNORECASE,
)
_WRITES_FILE = re.compile(
    r"(?:>|\b(?:out-file|set-content|add-content|tee-object|new-item|ni|sc|ac|copy-item|cpi|move-item|mi|rename-item|copy|ren|md|mkdir|export-\w+)\b)",
    re.IGNORECASE,
)
_AWAY = re.compile(
    r"(?:^|[\s'\"=])(?:~|\.\.[\\/]|[A-Za-z]:[\\/]|\\\\|/(?![A-Za-z?]{1,2}(?:\s|$|:))|\$(?:home|env:)|%)", re.IGNORECASE
)
# What stands between quotes, or between what separates words.
_WORD = re.compile(r"'([^']*)'|\"([^\"]*)\"|([^\s'\"|;,(){}<>&]+)")
_GOES = re.compile(r"(?i)(?:^|[;|&({\n])\s*(?:cd|chdir|sl|set-location|push-location|pushd|pop-location|popd)\b")


def rule(command: str, shell: str) -> Ruling:
    """Rule on a command for PowerShell or cmd; other shells are unknown."""
    if re.search(places.PROTECTED_TEXT, command) and not _trivial(command, shell):
        return harms("the command names what belongs to git, the ledger or an agent's configuration")
    if shell == "cmd" and re.fullmatch(r"\s*set\s*[A-Za-z_]*\s*", command, re.IGNORECASE):
        return harms("set tells the whole environment")
    found = _WORSE.search(command)
    if found:
        return harms(f"{found[0].strip()[:40]} is hard to undo, reaches out, or runs a text")
    if any(places.is_credential(word.strip("'\",;()").replace("\\", "/")) for word in command.split()):
        return harms("the command names what may hold credentials")
    if _trivial(command, shell):
        return READS
    if _WRITES_FILE.search(command) and _AWAY.search(command):
        return harms("the command writes outside of the workspace")
    words = (next(filter(None, found), "").replace("\\", "/") for found in _WORD.findall(command))
    names = dict.fromkeys(part for word in words for part in (word, *word.split(":")[1:]) if part)
    unseen = "it goes to another folder before it writes" if _GOES.search(command) else None
    return changes(f"a command for {shell[:20]} is not known to only read")._replace(names=tuple(names), unseen=unseen)


def _trivial(command: str, shell: str) -> bool:
    if shell not in ("powershell", "pwsh", "cmd"):
        return False
    parts = command.split("|")
    if not all(_PLAIN.fullmatch(part) for part in parts) or "\n" in command:
        return False
    return all(_reads(part.split(), shell) for part in parts)


def _reads(words: list[str], shell: str) -> bool:
    if not words:
        return False
    name = words[0].lower()
    name = _ALIASES.get(name, name) if shell != "cmd" else name
    if any("\\\\" in word or ":" in word or word.startswith(("/dev", "\\")) for word in words):
        return False
    if shell == "cmd":
        return name in _CMD and not any(word.startswith("/") and name == "cd" for word in words)
    if name not in _CMDLETS:
        return False
    allowed = set(_CMDLETS[name].split())
    return all(word.lower() in allowed for word in words[1:] if word.startswith("-"))
