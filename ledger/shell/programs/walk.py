"""Go through what was read, part by part, and put the rulings together."""

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from linetrail.ledger.shell.programs import calls, linetrail
from linetrail.ledger.shell.programs.builtin import condition
from linetrail.ledger.shell.programs.interpreters import Run
from linetrail.ledger.shell.programs.readers import READERS
from linetrail.ledger.shell.programs.runners import RUNNERS
from linetrail.ledger.shell.reading import places, syntax
from linetrail.ledger.shell.reading.grammar import read
from linetrail.ledger.shell.reading.ruling import DESTRUCTIVE, READS, SAFE, Ruling, changes, harms, together
from linetrail.ledger.shell.reading.scene import ANYWHERE, NOWHERE, Folders, Scene, links_made
from linetrail.ledger.shell.reading.syntax import (
    Assignment,
    Command,
    Compound,
    Piece,
    Pipeline,
    Redirect,
    Script,
    Simple,
    Unreadable,
    Word,
    commands,
    words_of,
)
from linetrail.ledger.shell.reading.values import (
    UNKNOWN,
    Arg,
    arguments,
    expand,
    known_names,
    multiplies,
    tells,
    variable,
)

_FORMS = r"(?s)(?:\[(?:@|\*|[0-9]+)\])?(?::?[-+?].*|##?.*|%%?.*|//?.*|\^\^?.*|,,?.*|: ?-?[0-9]+(?::-?[0-9]+)?)?"
_IGNORING = {".gitignore", ".gitattributes", "exclude", ".dockerignore", ".npmignore"}
# a pattern for every file, the ledger's included
_SWEEPING = r"(?m)(?:^|\\n|['\"])/?\*{1,2}(?:/\*{1,2})?(?=\s|\\n|['\"]|$)"
_CONTROL = r"[\x01-\x08\x0b-\x1f\x7f-\x9f]"
# these do not run what they read as a command
_PASSING_ON = {"xargs", "env", "find", "timeout", "time", "command"}
_MOST_STAGES, _MOST_ROUNDS = 200, 6
_MOVES = {"cd", "chdir", "pushd", "popd"}
# What may stand in front of a command that the shell itself carries out.
_SHELL_HASHES = r"f?path|cdpath|module_path|(?:dis_)?(?:functions|commands|[gs]?aliases|builtins|options|nameddirs|userdirs|reswords)(?:_source)?"
# No file by its name.
_FOLDER = r":|(?:^|/)[^./]+/?$"
_IN_FRONT = {"builtin", "command", "time", "noglob", "nocorrect", "-", "exec"}
_RUN_HERE = {"eval", "repeat", "alias", "trap"}
# What is refused where one types it, since it hides what is done, and is the everyday of scripts.
_OF_STYLE = r"run time|running shell|nobody knows what|orders to the terminal|hides? (?:a command|what is done|[\w./-]+$)|decides what|takes the name|is not read|text later|nobody (?:named|expects)|comes through the pipe part"
_GOES = r"(?:^|[^\w/.-])(?:cd|chdir|pushd|popd)(?![\w/.-])"
_ACTIVATE = r"(?:[\w./-]*/)?\.?[\w.-]+/bin/activate"
_EXIT = r"exit(?: [0-9]{1,3})?"
_ALWAYS = {"true", ":", "sleep", "echo", "printf", "pwd", "date"}
_ENDING = {"break", "exit", "return"}


def rule_text(source: str, scene: Scene) -> Ruling:
    """Rule on a text for a shell; what cannot be read is never harmless."""
    problem = syntax.hidden(source)
    if problem:
        return harms(problem)
    try:
        script = read(source)
    except Unreadable as error:
        return harms(f"the command cannot be followed: {error}")
    return rule_script(script, scene._replace(names={**scene.names, **known_names(script, source)}))


def rule_script(script: Script, scene: Scene) -> Ruling:
    """Rule on a list of commands."""
    ruling, _ = _Walk(scene).script(script)
    if ruling.level == SAFE:
        return ruling
    from linetrail.ledger.shell.programs.sequence import runs_what_it_made, takes_away

    return together([ruling, runs_what_it_made(script, scene, RUN), takes_away(script, scene)])


def _call(args: list[Arg], scene: Scene) -> Ruling:
    return calls.rule(args, scene, RUN)


def _rule_posix(source: str, scene: Scene) -> Ruling:
    """Rule on a text for sh: what that reads otherwise than bash is not followed."""
    from linetrail.ledger.shell.reading.posix import unlike

    ruling = rule_text(source, scene)
    try:
        found = unlike(read(source))
    except Unreadable:
        return ruling
    return together([ruling, harms(f"sh does not read {found} as bash does; use bash")]) if found else ruling


RUN = Run(_call, rule_text, _rule_posix)


class _After(NamedTuple):
    """Where the shell may stand behind a part: where it succeeded, and where it failed."""

    success: Folders
    failure: Folders

    @property
    def any(self) -> Folders:
        return self.success | self.failure


def _both(folders: Folders) -> _After:
    return _After(folders, folders)


class _Walk:
    """The walk remembers in which folders the shell may stand, and what it has ruled on."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.rounds = 0
        # any later word may go to another folder
        self.wandering = False

    def script(self, script: Script) -> tuple[Ruling, _After]:
        """Rule on a list of commands: what `&&` lets through has succeeded, what `||` lets through has failed."""
        rulings = list[Ruling]()
        begin = self.scene.folders
        after, separator = _both(begin), ";"
        for pipeline in script.pipelines:
            if len(pipeline.stages) > _MOST_STAGES:
                rulings.append(changes("it has more pipes than anybody needs"))
            before = after
            if separator not in ("&&", "||"):
                begin = after.any
            start = {"&&": after.success, "||": after.failure}.get(separator, begin)
            # What cannot be reached is looked at all the same.
            self.scene = self.scene.standing(start or begin or self.scene.folders)
            ruling, after = self._pipeline(pipeline)
            rulings.append(ruling)
            if separator == "&&":
                after = after._replace(failure=before.failure | after.failure)
            elif separator == "||":
                after = after._replace(success=before.success | after.success)
            separator = pipeline.separator
            if separator == "&":
                rulings.append(self._background(pipeline.stages))
                after = _both(begin)
        self.scene = self.scene.standing(after.any or self.scene.folders)
        return together(rulings), after

    def _pipeline(self, pipeline: Pipeline) -> tuple[Ruling, _After]:
        start = self.scene.folders
        if len(pipeline.stages) == 1:
            ruling, after = self.command(pipeline.stages[0], self.scene.upstream)
            return ruling, _both(after.any) if pipeline.negated else after
        rulings = list[Ruling]()
        after = _both(start)
        for place, stage in enumerate(pipeline.stages):
            self.scene = self.scene._replace(folders=start, downstream=pipeline.stages[place + 1 :])
            ruling, after = self.command(stage, pipeline.stages[:place] or self.scene.upstream)
            rulings.append(ruling)
        self.scene = self.scene._replace(downstream=())
        # bash runs each part of a pipe in a shell of its own, zsh the last one in this
        return together(rulings), _both(start | after.any)

    def _background(self, stages: tuple[Command, ...]) -> Ruling:
        first = stages[0]
        name = first.words[0].literal if isinstance(first, Simple) and first.words else ""
        if (name or "").rpartition("/")[2] == "nohup":
            return harms("nohup … & detaches what it runs from the gate")
        return changes("& lets it run on behind the gate")

    def command(self, command: Command, upstream: tuple[Command, ...]) -> tuple[Ruling, _After]:
        rulings = [*self._redirects(command), *self._expansions(command)]
        before = self.scene
        body = next((redirect for redirect in command.redirects if redirect.operator.startswith("<<")), None)
        sources = [redirect.target for redirect in command.redirects if redirect.operator in ("<", "<&", "<>")]
        if sources:
            upstream = ()  # what comes through the pipe is not what is read
        made = any(piece.kind == "proc" for word in sources for piece in word.pieces)
        given = UNKNOWN if made else before.stdin
        source = tuple(arg for word in sources for arg in expand(word, before.names) if not made)
        self.scene = before._replace(upstream=upstream, source=source, stdin=self._body(body) if body else given)
        ruling, after = self._simple(command) if isinstance(command, Simple) else self._compound(command)
        self.scene = self.scene._replace(
            upstream=before.upstream, source=before.source, stdin=before.stdin, folders=before.folders
        )
        return together(self._weighed(one) for one in (*rulings, ruling)), after

    def _weighed(self, ruling: Ruling) -> Ruling:
        """Leave out of a ruling on a file that is run what speaks of how it is written, and not of what it does."""
        if not self.scene.in_file:
            return ruling
        level = DESTRUCTIVE if re.search(_OF_STYLE, ruling.reason) else ruling.level
        return ruling._replace(level=min(level, ruling.level), unseen=None)

    # --- simple commands

    def _simple(self, command: Simple) -> tuple[Ruling, _After]:
        here = _both(self.scene.folders)
        program = command.words[0].literal if command.words else None
        rulings = [self._assigned(assignment, program) for assignment in command.assignments]
        if not command.words:
            return together(rulings), here
        first = command.words[0]
        disguise = syntax.made_name(first) if not self.scene.in_file else None
        if disguise:
            return together([*rulings, harms(disguise)]), _both(here.success | ANYWHERE)
        args = arguments(command.words, self.scene.names)
        if args and args[0].text in ("test", "["):
            args = self._conditional(command.words)
        if not args:
            return together([*rulings, harms("which program runs is only known to the running shell")]), here
        called, after = self._called(args, command)
        hides = syntax.quoted_name(first) if called.level > SAFE else None
        rulings.append(harms(hides) if hides else called)
        handed = any(redirect.operator == "<<<" for redirect in command.redirects)
        if handed and args[0].text in RUNNERS and called.level > SAFE and args[0].text not in _PASSING_ON:
            rulings.append(harms(f"{args[0].text} runs a text that is handed to it"))
        return together(rulings), after

    def _called(self, args: list[Arg], command: Simple) -> tuple[Ruling, _After]:
        """Rule on a call, and say where the shell stands behind it."""
        here = self.scene.folders
        inner = args
        while len(inner) > 1 and inner[0].text in _IN_FRONT:
            inner = inner[1:]
        name = inner[0].text
        if name in _MOVES and inner[0].known:
            ruling, folders = self._moved(name, inner[1:])
            return ruling, _After(folders, here)
        called = _call(args, self.scene)
        links = links_made(args, self.scene)
        if links:
            self.scene = self.scene._replace(links=(*self.scene.links, *links))
        if name == "alias":
            self.scene = self.scene._replace(own=self.scene.own | {arg.text.partition("=")[0] for arg in inner[1:]})
        if (
            name == "exit"
            and len(inner) == len(args)
            and not command.redirects
            and re.fullmatch(_EXIT, _spelled(inner))
        ):
            return called, _After(NOWHERE, NOWHERE)
        if name == "mv" and any(self._stands_in(arg) for arg in inner[1:]):
            return called, _both(here | ANYWHERE)
        if self._wanders(name, inner, fronted=len(inner) < len(args)):
            return called, _both(here | ANYWHERE)
        return called, _both(here)

    def _stands_in(self, arg: Arg) -> bool:
        """Return whether the shell has gone to a folder that this may be, or lead to."""
        scene = self.scene
        gone = {posixpath.join(scene.root, folder) for folder in scene.folders - {scene.start}}
        return bool(gone) and (
            not arg.literal
            or any(f"{folder}/".startswith(f"{place}/") for place in scene.at(arg.text) for folder in gone)
        )

    def _wanders(self, name: str, args: list[Arg], *, fronted: bool) -> bool:
        """Return whether a call may go to another folder, or make a name that does."""
        if name in ("source", "."):
            self.wandering = self.wandering or not re.fullmatch(_ACTIVATE, _spelled(args[1:]))
        elif name in _RUN_HERE or fronted:
            goes = any(re.search(_GOES, arg.text) or not arg.known for arg in args[1 if name in _RUN_HERE else 0 :])
            self.wandering = self.wandering or goes
        elif name in ("shopt", "setopt", "unsetopt", "emulate"):
            self.wandering = True  # what the shell reads later, it may read otherwise
        return self.wandering

    def _conditional(self, words: tuple[Word, ...]) -> list[Arg]:
        """Expand the words of a condition; a counter stays one word, whichever number it holds."""
        args = list[Arg]()
        for word in words:
            values = expand(word, self.scene.names)
            number = all(re.fullmatch(r"-?[0-9]+", value.text) for value in values)
            args.extend([Arg(values[0].text)] if values and number else values)
        return args

    def _assigned(self, assignment: Assignment, program: str | None) -> Ruling:
        if assignment.name.endswith("PATH"):  # PYTHONPATH=src:$PYTHONPATH adds to what it was
            pieces = [
                piece
                for piece in assignment.value.pieces
                if (piece.kind, piece.text, piece.operator) != ("var", assignment.name, "")
            ]
            assignment = (
                assignment._replace(value=assignment.value._replace(pieces=tuple(pieces)))
                if assignment.name != "PATH"
                else assignment
            )
        if (assignment.listed and re.fullmatch(_SHELL_HASHES, assignment.name)) or self._finds_programs(assignment):
            return harms(f"{assignment.name} decides what names of commands mean to zsh")
        values = expand(assignment.value, self.scene.names) if not assignment.listed else [Arg(UNKNOWN, known=False)]
        if assignment.name == "IFS" and program == "read" and all(value.known for value in values):
            return READS  # for this one read: it cuts a line
        if any(value.known and places.is_credential(value.text, glob=value.glob) for value in values):
            return harms(f"{assignment.name} names what may hold credentials")
        if any(value.known and ("$(" in value.text or "`" in value.text) for value in values):
            return harms(f"{assignment.name} holds a command that arithmetic or eval would run")
        value = values[0] if values else Arg("")
        if not value.known and assignment.name[:2] == "GO":
            from linetrail.ledger.shell.reading.listings import is_asked_of_go

            return READS if is_asked_of_go(assignment) else variable(assignment.name, value)
        from linetrail.ledger.shell.programs.operands import assigned

        return together(
            [variable(assignment.name, value), assigned(assignment.name, value, self.scene, told=program is not None)]
        )

    def _finds_programs(self, assignment: Assignment) -> bool:
        """Return whether zsh, for which `path` is PATH, looks for programs in what is assigned."""
        told = assignment.value.literal
        return assignment.name == "path" and (
            assignment.listed or (told is not None and re.search(_FOLDER, told) is not None)
        )

    def _moved(self, name: str, args: list[Arg]) -> tuple[Ruling, Folders]:
        operands = [arg for arg in args if arg.text not in ("-P", "-L", "-e", "-q", "-s", "--")]
        if name in ("pushd", "popd"):
            known = name == "pushd" and len(operands) == 1
            return changes(f"{name} changes what a persistent shell remembers"), (
                self.scene.entered(operands[0]) if known else ANYWHERE
            )
        target = operands[0] if operands else Arg("~")
        odd = len(operands) > 1 or (target.text[:1] in ("-", "+") and target.text != "-")
        folders = ANYWHERE if odd else self.scene.entered(target)
        return (changes(f"{name} is not understood") if odd else READS), folders

    # --- compound commands

    def _compound(self, command: Compound) -> tuple[Ruling, _After]:
        start = self.scene.folders
        parts = command.scripts
        if command.kind == "function":
            return self._function(command), _both(self.scene.folders)
        rulings = self._head(command)
        if command.kind == "group":
            ruling, after = self.script(parts[0])
        elif command.kind == "if":
            ruling, after = self._choice(parts)
        elif command.kind in ("while", "for", "select", "count"):
            ruling, after = self._loop(parts, until=command.name == "until")
        else:
            done = [self._from(start, part) for part in parts]
            ruling = together(ruling for ruling, _ in done)
            after = _both(start.union(*(end.any for _, end in done)) if command.kind == "case" else start)
        return together([*rulings, ruling]), after

    def _head(self, command: Compound) -> list[Ruling]:
        rulings = list[Ruling]()
        if command.kind == "arith":
            rulings.append(self._arithmetic(command.name))
        elif command.kind == "count":
            rulings.append(self._arithmetic(command.name, counts=True))
            if not command.name.split(";")[1:2] or not command.name.split(";")[1].strip():
                rulings.append(changes("for ((;;)) may never end"))
        elif command.kind == "test":
            operators = [word.spelled if not word.pieces else "" for word in command.words]
            words = [expand(word, self.scene.names) for word in command.words]
            rulings.append(condition(words, operators))
        elif command.kind in ("for", "select"):
            rulings.append(variable(command.name, Arg(UNKNOWN, known=False)))
            if command.kind == "select":
                rulings.append(changes("select asks"))
        elif command.kind == "while" and _never_ends(command):
            rulings.append(changes(f"{command.name} may never end"))
        return rulings

    def _from(self, folders: Folders, script: Script) -> tuple[Ruling, _After]:
        self.scene = self.scene.standing(folders or self.scene.folders)
        return self.script(script)

    def _choice(self, parts: tuple[Script, ...]) -> tuple[Ruling, _After]:
        rulings, ends, otherwise = list[Ruling](), list[Folders](), self.scene.folders
        for place in range(0, len(parts) - 1, 2):
            ruling, asked = self._from(otherwise, parts[place])
            then, end = self._from(asked.success, parts[place + 1])
            rulings += [ruling, then]
            ends.append(end.any)
            otherwise = asked.failure
        if len(parts) % 2:
            ruling, end = self._from(otherwise, parts[-1])
            rulings.append(ruling)
            otherwise = end.any
        return together(rulings), _both(otherwise.union(*ends))

    def _loop(self, parts: tuple[Script, ...], *, until: bool) -> tuple[Ruling, _After]:
        """Go round until no new folder comes in; a loop that wanders may end anywhere."""
        folders = self.scene.folders
        while True:
            rulings, start = list[Ruling](), folders
            if len(parts) > 1:
                ruling, asked = self._from(start, parts[0])
                rulings.append(ruling)
                start = asked.failure if until else asked.success
                folders = folders | asked.any
            ruling, end = self._from(start, parts[-1])
            rulings.append(ruling)
            grown = folders | end.any
            if grown == folders or UNKNOWN in folders:
                return together(rulings), _both(grown)
            self.rounds += 1
            folders = grown if self.rounds < _MOST_ROUNDS else grown | ANYWHERE

    def _function(self, command: Compound) -> Ruling:
        start = self.scene.folders
        body, end = self.script(command.scripts[0])
        self.scene = self.scene.standing(start)
        self.wandering = self.wandering or not end.any <= start
        self.scene = self.scene._replace(own=self.scene.own | {command.name})
        if body.level > SAFE and not self.scene.in_file:
            return harms(f"the function {command.name} hides a command: {body.reason}")
        if (
            command.name in READERS
            or command.name in RUNNERS
            or command.name in linetrail.PROGRAMS
            or command.name in ("exit", *_MOVES)
            or not re.fullmatch(syntax.NAME, command.name)
        ):
            return harms(f"the function {command.name} takes the name of a program")
        return together([body, changes(f"the function {command.name} changes what later commands mean")])

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
        if (
            not self.scene.links
            and target.literal
            and (target.text in places.DEVICES or re.fullmatch(r"/dev/fd/[0-9]+", target.text))
        ):
            return READS
        if target.text.rpartition("/")[2] in _IGNORING and any(
            re.search(places.PROTECTED_TEXT, word) or re.search(_SWEEPING, word) for word in _told(command)
        ):
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
            yield from self._pieces(word.pieces, command)
        for redirect in command.redirects:
            yield from self._pieces(redirect.body, command)

    def _pieces(self, pieces: tuple[Piece, ...], command: Command) -> Iterator[Ruling]:
        for piece in pieces:
            if piece.script is not None:
                yield self._nested(piece, () if piece.kind == "sub" else (command,))
            elif piece.kind == "ansi" and re.search(_CONTROL, piece.text):
                yield harms("an escaped character gives orders to the terminal")
            elif piece.kind == "arith":
                yield self._arithmetic(piece.text)
            elif piece.kind == "var":
                yield self._variable(piece)
            if piece.inner:
                yield from self._pieces(piece.inner, command)

    def _nested(self, piece: Piece, upstream: tuple[Command, ...] = ()) -> Ruling:
        """Rule on a substitution; `upstream` is the command that may write to it."""
        assert piece.script is not None  # noqa: S101  for the type checker; the caller has asked
        before = self.scene
        self.scene = before._replace(upstream=upstream or before.upstream)
        ruling, _ = self.script(piece.script)
        self.scene = self.scene._replace(upstream=before.upstream, folders=before.folders)
        if piece.script.displaced:
            return together([ruling, changes("escapes inside backquotes change what runs")])
        return ruling

    def _arithmetic(self, expression: str, *, counts: bool = False) -> Ruling:
        from linetrail.ledger.shell.reading import arithmetic  # few commands calculate

        return (arithmetic.counted if counts else arithmetic.arithmetic)(expression, self.scene.names)

    def _variable(self, piece: Piece) -> Ruling:
        operator = piece.operator
        if operator.startswith("!"):
            return harms(f"${{!{piece.text}}} reads a variable whose name is made at run time")
        if operator and any(inner.kind in ("sub", "proc") for inner in piece.inner) and re.match(r":?=", operator):
            return harms(f"${{{piece.text}{operator[:2]}…}} runs a command where nobody expects one")
        assigned = variable(piece.text, Arg(UNKNOWN, known=False)) if re.match(r":?:?=", operator) else READS
        if assigned.level > DESTRUCTIVE:
            return assigned
        if operator and any(self._nested(inner).level > SAFE for inner in piece.inner if inner.script is not None):
            return harms(f"${{{piece.text}{operator[:2]}…}} runs a command where nobody expects one")
        if operator.lstrip("#") and not re.fullmatch(
            _FORMS, operator.removeprefix("#") if operator[0] == "#" and operator[1:2] == "[" else operator
        ):
            dangerous = "$(" in operator or "`" in operator or operator.startswith(("@P", "["))
            why = f"${{{piece.text}{operator[:8]}}} is not known to only read"
            return harms(why) if dangerous else changes(why)
        return tells(piece.text)


def _spelled(args: list[Arg]) -> str:
    return " ".join(arg.text if arg.literal else UNKNOWN for arg in args)


def _never_ends(loop: Compound) -> bool:
    """Return whether nothing in a loop can end it: its condition is a constant, and no break stands in it."""
    first = loop.scripts[0].pipelines[0].stages[0] if len(loop.scripts[0].pipelines) == 1 else None
    name = first.words[0].literal if isinstance(first, Simple) and first.words else None
    constant = name in ({"false"} if loop.name == "until" else _ALWAYS)
    if isinstance(first, Compound) and first.kind == "arith":
        constant = first.name.strip().isdigit()
    inner = (command for command in commands(loop.scripts[-1]) if isinstance(command, Simple) and command.words)
    return constant and not any(command.words[0].literal in _ENDING for command in inner)


def _told(command: Command) -> Iterator[str]:
    for word in command.words:
        yield word.spelled
    for redirect in command.redirects:
        yield redirect.target.spelled
        yield from (piece.text for piece in redirect.body)
