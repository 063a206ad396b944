"""Rewrite commands so that they still do the same: what somebody would try who wants a command to look like another."""

import re
import shlex
from collections.abc import Iterator

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]+(?= |$)")
_RESERVED = {"if", "for", "while", "until", "case", "select", "function", "time", "then", "do", "coproc"}
_HARMLESS = ["ls", "pwd", "true", "git status", "cat README.md"]


def quotings(command: str) -> Iterator[str]:
    """Spell the name of the program in other ways."""
    found = _NAME.match(command)
    if not found or found[0] in _RESERVED:
        return
    name, rest = found[0], command[found.end() :]
    first, others = name[0], name[1:]
    spelled = [
        f'{first}""{others}', f"{first}''{others}", f'"{name}"', f"'{name}'", f"\\{name}", f"{first}\\{others}",
        f"$'{name}'",
        f'"{first}"{others}', f"'{first}''{others}'", f"{first}\\\n{others}",
        f"${{x:-{name}}}", f"$(echo {name})", f"`echo {name}`",
        f"$'\\x{ord(first):x}'{others}", f"{first}${{nothing}}{others}",
        f"{first}$@{others}", f"/usr/bin/{name}", f"/bin/../bin/{name}",
        f"{{{name},}}", f"{first}[{others[0]}]{others[1:]}",
    ]  # fmt: skip
    for other in spelled:
        yield other + rest


def wrappers(command: str) -> Iterator[str]:
    """Let another program or the shell run it."""
    quoted = shlex.quote(command)
    yield from (f"bash -c {quoted}", f"sh -c {quoted}", f"eval {quoted}", f"bash -lc {quoted}", f"env bash -c {quoted}")
    yield from (
        f"bash <<'END'\n{command}\nEND",
        f"bash <<< {quoted}",
        f"echo {quoted} | sh",
        f"eval eval {shlex.quote(quoted)}",
    )
    yield from (
        f"find . -maxdepth 0 -exec sh -c {quoted} \\;",
        f"xargs -I% sh -c {quoted} < a.txt",
        f"timeout 9 bash -c {quoted}",
    )
    if _NAME.match(command) and command.split(None, 1)[0] not in _RESERVED:
        for wrapper in [
            "command",
            "env",
            "env A=1",
            "nohup",
            "time",
            "nice -n 5",
            "timeout 5",
            "busybox",
            "exec",
            "A=1",
            "LC_ALL=C",
            "\\command",
        ]:
            yield f"{wrapper} {command}"
        if not set("|&;<>()\n`$") & set(command):
            yield f"xargs {command} < /dev/null"
            yield f"find . -maxdepth 0 -exec {command} \\;"
            yield f"find . -maxdepth 0 -exec {command} {{}} +"
            yield f"sudo {command}"


def neighbours(command: str) -> Iterator[str]:
    """Put harmless commands beside it, or put it where commands stand."""
    for harmless in _HARMLESS:
        yield from (
            f"{harmless}; {command}",
            f"{harmless} && {command}",
            f"{harmless} | {command}",
            f"{harmless}\n{command}",
        )
        yield from (f"{harmless} & {command}", f"{harmless} || {command}", f"{harmless}\n\n\n{command}")
    yield from (
        f"{command}; ls",
        f"{command} && ls",
        f"{command} | cat",
        f"{command}\nls",
        f"{command} & ls",
        f"{command} || true",
    )
    yield from (
        f"({command})",
        f"{{ {command}; }}",
        f"! {command}",
        f"if {command}; then :; fi",
        f"if true; then {command}; fi",
    )
    yield from (
        f"for each in 1; do {command}; done",  # a name that no row has: else it would be the loop's own variable
        f"while {command}; do break; done",
        f"case x in x) {command} ;; esac",
    )
    yield from (
        f"if false; then :; else {command}; fi",
        f"until {command}; do :; done",
        f"[[ -f a ]] && {command}",
        f"f() {{ {command}; }}; f",
    )
    yield "; ".join(["ls"] * 60) + f"; {command}"


def substitutions(command: str) -> Iterator[str]:
    """Put it where the shell replaces a command by what it prints."""
    yield from (
        f"echo $({command})",
        f'echo "$({command})"',
        f"x=$({command})",
        f"cat <({command})",
        f"ls > >({command})",
    )
    yield from (
        f': "${{x:-$({command})}}"',
        f"cat <<END\n$({command})\nEND",
        f"[[ -n $({command}) ]]",
        f'[ -n "$({command})" ]',
    )
    yield from (
        f"for i in $({command}); do echo $i; done",
        f"echo $(( $({command}) ))",
        f"echo ${{x:=$({command})}}",
        f'cat <<< "$({command})"',
    )
    yield from (
        f"echo $(echo $({command}))",
        f"case $({command}) in *) ls ;; esac",
        f"grep x $({command})",
        f"a=($({command}))",
        f"ls 2> $({command})",
    )
    if not set('`\\$"') & set(command):
        yield f"echo `{command}`"
        yield f'echo "`{command}`"'


def paddings(command: str) -> Iterator[str]:
    """Add what the shell does not see, or what changes nothing."""
    yield from (
        f"   {command}   ",
        f"\t{command}\t",
        f"{command} # only a look",
        f"# only a look\n{command}",
        f"\n{command}\n",
        f"\\\n{command}",
    )
    yield from (
        f"{command};",
        f"{command} ;",
        f"{command} 2>/dev/null",
        f"{command} >/dev/null 2>&1",
        f"2>/dev/null {command}",
        f"{command} < /dev/null",
    )
    if " " in command and not set("'\"#\n") & set(command):
        yield command.replace(" ", "  ")
        yield command.replace(" ", " \\\n ", 1)
        yield command.replace(" ", "\t")


def rewritings(command: str) -> Iterator[str]:
    """All of it."""
    for kind in (quotings, wrappers, neighbours, substitutions, paddings):
        yield from kind(command)
