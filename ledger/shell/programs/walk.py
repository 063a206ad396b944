"""Go through what was read, part by part, and put the rulings together."""

import re
from collections.abc import Iterator

from linetrail.ledger.shell.programs import calls, linetrail, links
from linetrail.ledger.shell.programs.builtin import condition
from linetrail.ledger.shell.programs.interpreters import Run
from linetrail.ledger.shell.programs.readers import READERS
from linetrail.ledger.shell.programs.runners import RUNNERS
from linetrail.ledger.shell.programs.sequence import runs_what_it_made
from linetrail.ledger.shell.reading import places, text
from linetrail.ledger.shell.reading.grammar import read
from linetrail.ledger.shell.reading.ruling import READS, SAFE, Ruling, changes, harms, together
from linetrail.ledger.shell.reading.scene import Scene
from linetrail.ledger.shell.reading.syntax import (
    Assignment,
    Command,
    Compound,
    Piece,
    Redirect,
    Script,
    Simple,
    Unreadable,
    Word,
    words_of,
)
from linetrail.ledger.shell.reading.values import STEP, UNKNOWN, Arg, arguments, expand, known_names, multiplies
from linetrail.ledger.shell.reading.variables import tells, variable

_NUMBERS = re.compile(r"[0-9\s+\-*/%<>!&|^~?:,()=]*")
_ASSIGNING = re.compile(r"(?<![<>=!])=(?!=)|\+\+|--")
_FORMS = re.compile(
    r"(?:\[(?:@|\*|[0-9]+)\])?(?::?[-+?].*|##?.*|%%?.*|//?.*|\^\^?.*|,,?.*|: ?-?[0-9]+(?::-?[0-9]+)?)?", re.DOTALL
)
_IGNORING = {".gitignore", ".gitattributes", ".git/info/exclude", ".dockerignore", ".npmignore"}
_CONTROL = re.compile(r"[\x01-\x08\x0b-\x1f\x7f-\x9f]")
# these do not run what they read as a command
_PASSING_ON = {"xargs", "env", "find", "timeout", "time", "command"}
_MOST_STAGES = 200
_CLOSED = re.compile(r"[\w.-]+")


def rule_text(source: str, scene: Scene) -> Ruling:
    """Rule on a text for a shell; what cannot be read is never harmless."""
    problem = text.hidden(source)
    if problem:
        return harms(problem)
    try:
        script = read(source)
    except Unreadable as error:
        return harms(f"the command cannot be followed: {error}")
    return rule_script(script, scene._replace(names={**scene.names, **known_names(script)}))


def rule_script(script: Script, scene: Scene) -> Ruling:
    """Rule on a list of commands."""
    ruling = _Walk(scene).script(script)
    return ruling if ruling.level == SAFE else together([ruling, runs_what_it_made(script, scene.names)])


def _call(args: list[Arg], scene: Scene) -> Ruling:
    return calls.rule(args, scene, RUN)


RUN = Run(_call, rule_text)


class _Walk:
    """The walk remembers where the shell stands; a cd counts for all that is read later, wherever it stood."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def script(self, script: Script) -> Ruling:
        rulings = list[Ruling]()
        for pipeline in script.pipelines:
            if len(pipeline.stages) > _MOST_STAGES:
                rulings.append(changes("it has more pipes than anybody needs"))
            for place, stage in enumerate(pipeline.stages):
                upstream = pipeline.stages[:place] or self.scene.upstream
                rulings.append(self.command(stage, upstream))
            if pipeline.separator == "&":
                rulings.append(self._background(pipeline.stages))
        return together(rulings)

    def _background(self, stages: tuple[Command, ...]) -> Ruling:
        first = stages[0]
        name = first.words[0].literal if isinstance(first, Simple) and first.words else ""
        if (name or "").rpartition("/")[2] == "nohup":
            return harms("nohup … & detaches what it runs from the gate")
        return changes("& lets it run on behind the gate")

    def command(self, command: Command, upstream: tuple[Command, ...]) -> Ruling:
        rulings = [*self._redirects(command), *self._expansions(command)]
        before = self.scene
        body = next((redirect for redirect in command.redirects if redirect.operator.startswith("<<")), None)
        if any(redirect.operator in ("<", "<&", "<>") for redirect in command.redirects):
            upstream = ()  # what comes through the pipe is not what is read
        self.scene = before._replace(upstream=upstream, stdin=self._body(body) if body else before.stdin)
        if isinstance(command, Simple):
            rulings.append(self._simple(command))
        else:
            rulings.append(self._compound(command))
        self.scene = self.scene._replace(upstream=before.upstream, stdin=before.stdin)
        return together(rulings)

    # --- simple commands

    def _simple(self, command: Simple) -> Ruling:
        program = command.words[0].literal if command.words else None
        rulings = [self._assigned(assignment, program) for assignment in command.assignments]
        if not command.words:
            return together(rulings)
        first = command.words[0]
        disguise = _made(first)
        if disguise:
            return together([*rulings, harms(disguise)])
        args = arguments(command.words, self.scene.names)
        if args and args[0].text in ("test", "["):
            args = self._conditional(command.words)
        if len(args) > 1 and args[0].text in ("builtin", "command") and args[1].text == "cd":
            args = args[1:]
        if args and args[0].text == "cd" and args[0].known:
            rulings.append(self._moved(args[1:]))
        elif args and args[0].text in ("pushd", "popd"):
            self.scene = self.scene._replace(here=None, place=UNKNOWN, moved=True)
            rulings.append(changes(f"{args[0].text} changes what a persistent shell remembers"))
        else:
            if not args:
                return together([*rulings, harms("which program runs is only known to the running shell")])
            called = _call(args, self.scene)
            self.scene = self.scene._replace(links=(*self.scene.links, *links.made(args, self.scene)))
            hides = _quoted_inside(first) if called.level > SAFE else None
            rulings.append(harms(hides) if hides else called)
            if args[0].text in ("builtin", "command", "eval", "time") and any(
                arg.text.startswith("cd") for arg in args[1:]
            ):
                self.scene = self.scene._replace(here=None, place=UNKNOWN, moved=True)
        handed = any(redirect.operator == "<<<" for redirect in command.redirects)
        if handed and args[0].text in RUNNERS and rulings[-1].level > SAFE and args[0].text not in _PASSING_ON:
            rulings.append(harms(f"{args[0].text} runs a text that is handed to it"))
        return together(rulings)

    def _conditional(self, words: tuple[Word, ...]) -> list[Arg]:
        """Expand the words of a condition; a counter stays one word, whichever number it holds."""
        args = list[Arg]()
        for word in words:
            values = expand(word, self.scene.names)
            number = all(re.fullmatch(r"-?[0-9]+", value.text) for value in values)
            args.extend([Arg(values[0].text)] if values and number else values)
        return args

    def _assigned(self, assignment: Assignment, program: str | None) -> Ruling:
        values = expand(assignment.value, self.scene.names) if not assignment.listed else [Arg(UNKNOWN, known=False)]
        if assignment.name == "IFS" and program == "read" and all(value.known for value in values):
            return READS  # for this one read: it cuts a line
        if any(value.known and places.is_credential(value.text, glob=value.glob) for value in values):
            return harms(f"{assignment.name} names what may hold credentials")
        if any(value.known and ("$(" in value.text or "`" in value.text) for value in values):
            return harms(f"{assignment.name} holds a command that arithmetic or eval would run")
        return variable(assignment.name, values[0] if values else Arg(""))

    def _moved(self, args: list[Arg]) -> Ruling:
        operands = [arg for arg in args if arg.text not in ("-P", "-L", "-e", "--")]
        target = operands[0] if operands else Arg("~")
        inside = len(operands) == 1 and target.literal and target.text not in ("", "-")
        inside = inside and not self.scene.outside(target.text) and not places.is_protected(target.text)
        if inside and target.text.startswith("/"):
            here: str | None = target.text[len(self.scene.root) :].strip("/")
        else:
            here = f"{self.scene.here}/{target.text}".strip("/") if inside else None
        if not target.literal or target.text == "-":
            place = UNKNOWN
        elif target.text.startswith(("/", "~")) or not self.scene.place:
            place = target.text
        else:
            place = f"{self.scene.place}/{target.text}"
        self.scene = self.scene._replace(here=here, place=place, moved=True)
        if len(operands) > 1 or (target.text.startswith("-") and target.text != "-"):
            return changes("cd is not understood")
        return READS

    # --- compound commands

    def _compound(self, command: Compound) -> Ruling:
        if command.kind == "function":
            return self._function(command)
        rulings = list[Ruling]()
        if command.kind == "arith":
            rulings.append(self._arithmetic(command.name))
        elif command.kind == "count":
            rulings.append(self._counted(command.name))
        elif command.kind == "test":
            operators = [word.spelled if not word.pieces else "" for word in command.words]
            words = [expand(word, self.scene.names) for word in command.words]
            rulings.append(condition(words, operators))
        elif command.kind in ("for", "select"):
            rulings.append(variable(command.name, Arg(UNKNOWN, known=False)))
            if command.kind == "select":
                rulings.append(changes("select asks"))
        rulings.extend(self.script(script) for script in command.scripts)
        return together(rulings)

    def _counted(self, expression: str) -> Ruling:
        """Rule on the head of for ((…)): a variable that runs from one number to another, or what any arithmetic is."""
        parts = expression.split(";")
        found = re.fullmatch(r"\s*([a-z_]\w*)\s*=\s*[0-9]+\s*", parts[0]) if len(parts) == 3 else None
        name = found[1] if found else ""
        ends = re.fullmatch(rf"\s*{name}\s*(?:<=?|>=?|!=)\s*-?[0-9]+\s*", parts[1]) if found else None
        steps = (
            re.fullmatch(rf"\s*(?:{name}(?:\+\+|--|\s*[+-]=\s*[0-9]+)|(?:\+\+|--){name})\s*", parts[2])
            if ends
            else None
        )
        return variable(name, Arg("1")) if steps else self._arithmetic(expression)

    def _function(self, command: Compound) -> Ruling:
        body = self.script(command.scripts[0])
        if body.level > SAFE:
            return harms(f"the function {command.name} hides a command: {body.reason}")
        if (
            command.name in READERS
            or command.name in RUNNERS
            or command.name in linetrail.PROGRAMS
            or not _CLOSED.fullmatch(command.name)
        ):
            return harms(f"the function {command.name} takes the name of a program")
        return changes(f"the function {command.name} changes what later commands mean")

    # --- redirections

    def _redirects(self, command: Command) -> Iterator[Ruling]:
        for redirect in command.redirects:
            if redirect.fd.startswith("{"):
                yield changes("a redirection assigns a variable")
            for target in expand(redirect.target, self.scene.names):
                yield self._redirect(redirect, target, command)

    def _redirect(self, redirect: Redirect, target: Arg, command: Command) -> Ruling:
        operator = redirect.operator
        if operator in ("<<", "<<-", "<<<"):
            return READS
        if target.text.startswith(("/dev/tcp", "/dev/udp")):
            return harms("the shell opens a connection")
        if operator in ("<&", ">&") and target.known and re.fullmatch(r"[0-9]+-?|-", target.text):
            return READS
        if operator in ("<", "<&"):
            if not target.known:
                return changes("which file is read is only known to the running shell")
            return self.scene.reads(target, "a redirection") or READS
        if target.literal and (target.text in places.DEVICES or re.fullmatch(r"/dev/fd/[0-9]+", target.text)):
            return READS
        if target.text in _IGNORING and any(places.PROTECTED_TEXT.search(word) for word in _told(command)):
            return harms(f"a redirection makes git overlook what the gate needs, in {target.text}")
        return self.scene.writes(target, "a redirection")

    def _body(self, redirect: Redirect) -> str:
        if redirect.operator == "<<<":
            return " ".join(arg.text for arg in expand(redirect.target, self.scene.names))
        return "".join(piece.text if piece.kind == "text" else UNKNOWN for piece in redirect.body)

    # --- expansions

    def _expansions(self, command: Command) -> Iterator[Ruling]:
        for word in words_of(command):
            if multiplies(word):
                yield changes("braces make more words than anybody needs")
            yield from self._pieces(word.pieces)
        for redirect in command.redirects:
            yield from self._pieces(redirect.body)

    def _pieces(self, pieces: tuple[Piece, ...]) -> Iterator[Ruling]:
        for piece in pieces:
            if piece.script is not None:
                yield self._nested(piece)
            elif piece.kind == "ansi" and _CONTROL.search(piece.text):
                yield harms("an escaped character gives orders to the terminal")
            elif piece.kind == "arith":
                yield self._arithmetic(piece.text)
            elif piece.kind == "var":
                yield self._variable(piece)
            yield from self._pieces(piece.inner)

    def _nested(self, piece: Piece) -> Ruling:
        assert piece.script is not None  # noqa: S101  for the type checker; the caller has asked
        ruling = self.script(piece.script)
        if piece.script.displaced:
            return together([ruling, changes("escapes inside backquotes change what runs")])
        return ruling

    def _arithmetic(self, expression: str) -> Ruling:
        if "$(" in expression or "`" in expression or "[" in expression:
            return harms("a subscript or a substitution inside arithmetic can run a command")
        known = {
            name
            for name, values in self.scene.names.items()
            if values and all(re.fullmatch(r"-?[0-9]+", v.text) for v in values)
        }
        step = STEP.fullmatch(expression)
        if step and step[1] in known:
            return variable(step[1], Arg("1"))
        expression = re.sub(r"\b0[xX][0-9A-Fa-f]+\b", "1", expression)
        known |= {
            name for name in ("RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID") if name not in self.scene.names
        }
        plain = re.sub(
            r"\$\{?[A-Za-z_]\w*\}?|\$[#?]|\b[A-Za-z_]\w*",
            lambda found: "1" if found[0].strip("${}") in known or found[0] in ("$#", "$?") else found[0],
            expression,
        )
        if not _NUMBERS.fullmatch(plain) or _ASSIGNING.search(plain):
            return changes("arithmetic evaluates what a variable holds, or assigns")
        return READS

    def _variable(self, piece: Piece) -> Ruling:
        operator = piece.operator
        if operator.startswith("!"):
            return harms(f"${{!{piece.text}}} reads a variable whose name is made at run time")
        if operator and any(inner.kind in ("sub", "proc") for inner in piece.inner) and re.match(r":?=", operator):
            return harms(f"${{{piece.text}{operator[:2]}…}} runs a command where nobody expects one")
        if operator and any(self._nested(inner).level > SAFE for inner in piece.inner if inner.script is not None):
            return harms(f"${{{piece.text}{operator[:2]}…}} runs a command where nobody expects one")
        if operator.lstrip("#") and not _FORMS.fullmatch(
            operator.removeprefix("#") if operator[0] == "#" and operator[1:2] == "[" else operator
        ):
            dangerous = "$(" in operator or "`" in operator or operator.startswith(("@P", "["))
            why = f"${{{piece.text}{operator[:8]}}} is not known to only read"
            return harms(why) if dangerous else changes(why)
        return tells(piece.text)


def _made(word: Word) -> str | None:
    """Say how the name of a program comes to be, where it does not stand there."""
    if any(piece.kind in ("sub", "var", "ansi", "arith", "proc") for piece in word.pieces):
        return "the name of the program is put together at run time"
    unquoted = "".join(piece.text for piece in word.pieces if not piece.quoted)
    if "{" in unquoted and word.spelled != "{}":
        return "braces spell the name of the program"
    return None


def _quoted_inside(word: Word) -> str | None:
    """Say that quotes hide the name of a program from whoever looks for it."""
    literal = word.literal or ""
    whole = re.fullmatch(r"'[^']*'|\"[^\"]*\"", word.spelled)
    if ("'" in word.spelled or '"' in word.spelled) and not whole and _CLOSED.fullmatch(literal.replace("/", "")):
        return f"quotes inside the name hide {literal}"
    return None


def _told(command: Command) -> Iterator[str]:
    for word in command.words:
        yield word.spelled
    for redirect in command.redirects:
        yield redirect.target.spelled
        yield from (piece.text for piece in redirect.body)
