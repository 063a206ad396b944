"""Name the programs of a command line, and say which of them answer by their status and which of them check the work.

Loose on purpose: a name for a lesson, found behind wrappers (`uv run`, `timeout 60`, `bash -c '…'`). Whether a command
is safe is decided elsewhere.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.knowledge.program_names import (
    ANSWERS,
    CHECKERS,
    INSTALLERS,
    INTERPRETERS,
    NO_CHECKS,
    RUNNERS,
    SHELLS,
    TWO_VERBS,
    VERBS,
    WITH_VALUE,
    WITH_VERB,
    WRAPPERS,
)

MAX_COMMAND = 4096
OPERATORS = frozenset(";&|<>\n")
# What stands between two programs and lets the status of the first be that of both.
_GO_ON = frozenset({"&&"})
_PIPE = frozenset({"|", "|&"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*(?:\.exe)?")
_WORDS = re.compile(r"[a-z]+")
_KEYWORDS = frozenset({"!", "{", "(", "if", "then", "do", "else", "elif", "while", "until", "time", "coproc"})


class Program(NamedTuple):
    """A program in a command line: its bare name, and the verb or the script that it was given."""

    name: str
    verb: str = ""

    @property
    def title(self) -> str:
        """What it is called in a lesson."""
        return f"{self.name} {self.verb}".strip()


def programs(command: str) -> list[list[Program]]:
    """Return the pipelines that may have ended a command, in order: the last, and those that `&&` ties to it.

    >>> programs("make build; cd web && npm run test:unit 2>&1 | tail -5")
    [[Program(name='cd', verb='')], [Program(name='npm', verb='run test:unit'), Program(name='tail', verb='')]]
    """
    ended: list[list[Program]] = []
    chain: list[list[Program]] = []
    for pipeline, operator in pipelines(command):
        chain = ended = [*chain, pipeline]
        if operator not in _GO_ON:
            chain = []
    return ended


def pipelines(command: str) -> Iterator[tuple[list[Program], str]]:
    """Yield every pipeline of a command line, and the operator behind it."""
    pipeline: list[Program] = []
    for words, operator in _commands(command):
        pipeline = [*pipeline, *_named(words)]
        if operator not in _PIPE and pipeline:
            yield pipeline, operator
            pipeline = []


def _commands(command: str) -> Iterator[tuple[list[str], str]]:
    """Yield the words of each simple command, without its redirections, and the operator behind it."""
    words: list[str] = []
    to_file = False
    for token in [*_tokens(command), ";"]:
        if not OPERATORS.issuperset(token):
            if not to_file:
                words.append(token)
            to_file = False
        elif "<" in token or ">" in token:
            if words and words[-1].isdigit():
                words.pop()
            to_file = True
        else:
            yield words, token.strip("\n") or ";"
            words = []


def answers(program: Program, status: int | None) -> bool:
    """Return whether a status is the answer of a program, and no failure."""
    known = ANSWERS.get(f"{program.name} {program.verb.partition(' ')[0]}") or ANSWERS.get(program.name, frozenset())
    return status in known


def verification(program: Program) -> str | None:
    """Return what it means when this fails, if it is a check of the work.

    >>> verification(Program("npm", "run test:unit")), verification(Program("git", "commit"))
    ('TESTS_FAILED', None)
    """
    known = CHECKERS.get(program.name)
    if known is not None or program.name in NO_CHECKS or program.title in INSTALLERS:
        return known
    if program.verb:
        words = program.verb
    elif program.name in WITH_VERB:
        return None
    else:
        words = program.name
    found = [VERBS[word] for word in _WORDS.findall(words.lower()) if word in VERBS]
    return found[0] if found else None


def _tokens(command: str) -> list[str]:
    """Split a command line as a shell does, more or less; operators are tokens of their own."""
    import shlex  # only where something failed

    text = command[:MAX_COMMAND].replace("\\\n", " ")
    if "<<" in text:
        text = text.partition("\n")[0]  # what follows is no command but a text
    lexer = shlex.shlex(text, posix=True, punctuation_chars="".join(OPERATORS))
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    try:
        return list(lexer)
    except ValueError:
        return text.split()


def _named(words: Sequence[str]) -> Iterator[Program]:
    """Yield the program that these words run, behind whatever it is wrapped in."""
    left = list(words)
    for _ in range(8):
        left = _without_keywords(left)
        if not left:
            return
        name = left[0].replace("\\", "/").rpartition("/")[2].lstrip("(").rstrip(")") or left[0]
        rest = left[1:]
        if name in SHELLS and (script := _script(rest)) is not None:
            yield from (programs(script) or [[]])[-1]
            return
        runs = RUNNERS.get(name)
        operands = _operands(rest)
        if runs and operands and operands[0] in runs:
            left = _behind_options(rest[rest.index(operands[0]) + 1 :])
        elif name in WRAPPERS and operands and not (name == "command" and rest[0] in ("-v", "-V")):
            left = _behind_options(rest)[WRAPPERS[name] :]
        elif _PYTHON.fullmatch(name):
            yield _python(rest)
            return
        else:
            yield Program(name, _verb(name, operands))
            return


def _without_keywords(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and (words[at] in _KEYWORDS or _ASSIGNMENT.match(words[at])):
        at += 1
    return words[at:]


def _behind_options(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and (words[at].startswith("-") or _ASSIGNMENT.match(words[at])):
        at += 2 if words[at] in WITH_VALUE else 1
    return words[at:]


def _operands(words: Sequence[str]) -> list[str]:
    """Return the words that are no options, nor the values of options."""
    return [
        word
        for at, word in enumerate(words)
        if not word.startswith(("-", "+")) and not word.isdigit() and not (at and words[at - 1] in WITH_VALUE)
    ]


def _script(words: Sequence[str]) -> str | None:
    """Return what `bash -c` is given."""
    for at, word in enumerate(words[:-1]):
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            return words[at + 1]
        if not word.startswith("-"):
            return None
    return None


def _python(words: Sequence[str]) -> Program:
    if "-m" in words[:-1]:
        module = words[words.index("-m") + 1]
        rest = _operands(words[words.index("-m") + 2 :])
        known = module in CHECKERS or module in WITH_VERB
        return Program(module, _verb(module, rest)) if known else Program("python", f"-m {module}")
    if "-c" in words:
        return Program("python", "-c")
    script = next((word for word in words if not word.startswith("-")), "")
    verb = _relative(script)
    if verb.rpartition("/")[2] == "manage.py":
        verb = " ".join([verb, *_operands(words[words.index(script) + 1 :])[:1]])
    return Program("python", verb)


def _verb(name: str, operands: Sequence[str]) -> str:
    if not operands:
        return ""
    if name in INTERPRETERS and name not in WITH_VERB:
        return _relative(operands[0])
    if name not in WITH_VERB:
        return ""
    two = f"{name} {operands[0]}" in TWO_VERBS
    return " ".join(operands[: 2 if two else 1])


def _relative(path: str) -> str:
    """Keep a path inside of the project; of any other, the name."""
    return path.rpartition("/")[2] if path.startswith(("/", "~")) else path.removeprefix("./")
