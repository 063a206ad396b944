"""Lower every language that has no dialect of its own: its tree as it is parsed, with every token.

Layout is lost only where it means nothing: inside strings, here-documents and text, and between words that nothing but
a blank tells apart, white space stays. Names stay as they are written, unless a table says where the language
declares them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects.generic_bindings import LANGUAGES, MEMBERS, bound, in_macros
from linetrail.projections.proof.dialects.lowering import Atom, Grammar, Lowering, Parts, at
from linetrail.projections.proof.dialects.remarks import COMMENT, DIRECTIVE
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.dialect import Dialect, Lowered
from linetrail.projections.proof.terms.term import Term
from linetrail.projections.syntax.language import Language

# Comments that tools or the run time obey.
DIRECTIVES: Final[Mapping[str, re.Pattern[str]]] = {
    "bash": re.compile(r"^#(?:SBATCH|PBS|BSUB|\$) "),
    "html": re.compile(r"^<!--\s*(?:\[|#)"),
    # annotations that frameworks and test runners read by reflection
    "php": re.compile(
        r"^#!|^/\*\*.*@(?:[A-Z\\]\w*|test|testWith|dataProvider|depends|group|covers|before|after|runIn\w+|requires)\b",
        re.DOTALL,
    ),
    "ruby": re.compile(r"^#.*\b(?:frozen_string_literal|(?:en)?coding|warn_indent|shareable_constant_value)\s*[:=]"),
    "scala": re.compile(r"^//> "),
    "sql": re.compile(r"^/\*[!+]|^--\+"),
    "swift": re.compile(r"^// swift-tools-version"),
    "yaml": re.compile(r"^#cloud-config\b"),
}
# Texts that end with their line, and in which a run of blanks is one.
LINED: Final = frozenset(("preproc_arg",))
# Strings that mean the same between either kind of quotes, if nothing in them is special; what they are called then.
QUOTED: Final[Mapping[str, Mapping[str, str]]] = {
    "css": {"string_value": "string_value"},
    "html": {"quoted_attribute_value": "quoted_attribute_value"},
    "lua": {"string": "string"},
    "php": {"encapsed_string": "string", "string": "string"},
    "ruby": {"string": "string"},
}
_LINE_FOLD: Final = re.compile(r"(?<!\\)[ \t]*\r?\n[ \t]*|\r?\n[ \t]*")
_INDICATED: Final = re.compile(r"^[|>][-+]?[1-9]")
_SPECIAL: Final = re.compile(r"[\"'\\#${}\n]")
_RUN: Final = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?:[ \t]|\\\r?\n)+""")
# White space that tells two tokens apart where the tree does not: words of a command are on one line, while any white
# space between elements shows.
_JOINS: Final = {"bash": re.compile(rb"[ \t]+"), "html": re.compile(rb"\s+")}
# Languages whose statements end with their lines, and whose grammars do not always see it.
_LINED: Final = frozenset(("kotlin", "ruby", "scala", "swift"))
_PREFORMATTED: Final = re.compile(rb"(?i)<(?:pre|textarea|listing)\b")
# Kinds of text that begin and end where the code around them does: the blanks at their ends are theirs.
_CONTENT: Final = frozenset(("text", "raw_text", "heredoc_body", "heredoc_content", "uninterpreted", "nowdoc_string"))
# A comma before these says nothing.
_CLOSING: Final = {
    "c": "}",
    "cpp": "}",
    "csharp": "}]",
    "kotlin": ")]",
    "lua": "}",
    "php": ")]",
    "ruby": ")]}",
    "scala": ")]",
    "swift": ")]",
    "toml": "]",
    "yaml": "]}",
}
_BLANKS: Final = re.compile(r"\s+")
_CONTINUED: Final = re.compile(rb"\\\r?\n")


class Generic(Dialect):
    """The dialect of a language of which only its grammar is known."""

    scoping = "sequence"
    builtins: frozenset[str] = frozenset()

    def __init__(self, language: Language) -> None:
        self.name = language.name
        self._language = language
        known = LANGUAGES.get(language.name)
        leaves = {**dict.fromkeys(known.names, t.NAME), **dict.fromkeys(MEMBERS, t.FIELD)} if known else {}
        self._grammar = Grammar(
            language=language.name,
            rules={},
            leaves=leaves,
            atoms=ATOMS.get(language.name, {}),
            comments=frozenset(language.comments),
            remark=_remark(language.name),
            punctuation=frozenset(),
        )

    def lower(self, root: Node, source: bytes, seen: dict[bytes, Sequence[Term]]) -> Lowered:
        """Return the terms of a file."""
        made = _Reading(self._language, self._grammar, source, seen).file(root)
        whole = made.module
        return made._replace(
            module=Term(t.MODULE, "", (whole,) if whole.kind == t.LIT else whole.kids, line=1, end=len(source))
        )


class _Reading(Lowering):
    """The lowering of one file, with the white space that counts."""

    def __init__(self, language: Language, grammar: Grammar, source: bytes, seen: dict[bytes, Sequence[Term]]) -> None:
        super().__init__(grammar, source, seen)
        self._verbatim = frozenset(language.verbatim)
        self._closing = _CLOSING.get(language.name, "")
        self._css, self._html = language.name == "css", language.name == "html"
        self._names = language.name in LANGUAGES
        self._quoted = QUOTED.get(language.name, {})
        self._macros = in_macros(source) if language.name in ("c", "cpp") else frozenset()
        self._joins = _JOINS.get(language.name)
        self._lines = language.lines if language.name in _LINED else None
        self._ends_line: dict[bytes, bool] = {}
        # what was passed over since the last token, without comments, and where it ended
        self._blanks = b""
        self._end = 0
        self._started = self._content = False
        self._last = b""

    def file(self, root: Node) -> Lowered:
        """Return a whole file; what the grammar passes over at its end belongs to it."""
        made = super().file(root)
        rest = self._source[self._end :].decode("utf-8", "surrogateescape").strip()
        return made._replace(module=made.module.but(kids=(*made.module.kids, Term(t.TOKEN, rest)))) if rest else made

    def _leaf(self, node: Node, kind: str, tag: str, parts: Parts, inside: str) -> None:
        if node.start_byte > self._end or self._blanks:
            self._gap(node, kind, parts)
        self._end = max(self._end, node.end_byte)
        is_named = node.is_named
        if not is_named and (kind.isspace() or (kind == ";" and self._css and inside == "declaration")):
            return
        self._started = True
        self._last = self._source[node.end_byte - 1 : node.end_byte]
        self._content = kind in _CONTENT and kind in self._verbatim
        if kind in self._closing and parts and parts[-1][1].kind == t.TOKEN and parts[-1][1].value == ",":
            parts.pop()
        super()._leaf(node, kind, tag, parts, inside)
        if is_named:
            self._settle(kind, parts)
        elif kind[0] == "#" and len(kind) > 1:
            # a directive of the preprocessor
            parts[-1] = tag, parts[-1][1].but(value=_BLANKS.sub("", parts[-1][1].value))

    def _settle(self, kind: str, parts: Parts) -> None:
        """Spell what was just read in the only way that matters."""
        tag, term = parts[-1]
        if kind.startswith("keyword_") and self._grammar.language == "sql":
            parts[-1] = tag, term.but(value=str(term.value).lower())
        elif kind == "preproc_directive":
            parts[-1] = tag, term.but(value=_BLANKS.sub("", term.value))
        elif kind in LINED:
            parts[-1] = tag, term.but(value=folded(str(term.value)))
        elif self._html and kind == "text" and self._preformatted() is None:
            parts[-1] = tag, term.but(value=" ".join(str(term.value).split()))
        elif isinstance(term.value, str) and "\r" in term.value:
            parts[-1] = tag, term.but(value=_ends(term.value))

    def _other(self, node: Node, kind: str, parts: Parts) -> Term:
        if node.end_byte > self._end:
            self._ending(node, kind, parts)
        if kind in self._quoted:
            return self._string(node, kind, parts)
        if not self._names:
            return super()._other(node, kind, parts)
        return bound(self._grammar.language, node, parts, self._macros)

    def _ending(self, node: Node, kind: str, parts: Parts) -> None:
        """Keep what the grammar passes over at the end of a construct."""
        gap = self._source[self._end : node.end_byte]
        self._end = node.end_byte
        if kind in self._verbatim:
            parts.append(("gap", at(node, t.TOKEN, _ends(gap.decode("utf-8", "surrogateescape")))))
        else:
            self._passed(gap, node, parts)

    def _string(self, node: Node, kind: str, parts: Parts) -> Term:
        """Return a string between the quotes that all strings could have."""
        text = self._text(node)
        if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" and is_plain(text[1:-1]):
            return at(node, t.LIT, (self._quoted[kind], text[1:-1]))
        return super()._other(node, kind, parts)

    def _remark(self, node: Node, parts: Parts) -> None:
        if node.start_byte > self._end:
            self._passed(self._source[self._end : node.start_byte], node, parts)
        self._end = max(self._end, node.end_byte)
        super()._remark(node, parts)

    def _gap(self, node: Node, kind: str, parts: Parts) -> None:
        """Keep what the grammar passes over before a token, where it means something."""
        start = self._end
        if self._content or (kind in _CONTENT and kind in self._verbatim):
            kept: int | None = start
        else:
            kept = self._around(node.start_byte, parts)
        split = node.start_byte if kept is None else max(start, kept)
        self._passed(self._source[start:split], node, parts)
        blanks, self._blanks = self._blanks, b""
        if self._joins is not None and self._started and self._joins.fullmatch(_CONTINUED.sub(b" ", blanks)):
            parts.append(("gap", at(node, t.TOKEN, " ")))
        if self._lines is not None and b"\n" in blanks and self._is_line(node.start_byte):
            parts.append(("gap", at(node, t.TOKEN, "\n")))
        if split < node.start_byte:
            text = self._source[split : node.start_byte].decode("utf-8", "surrogateescape")
            parts.append(("gap", at(node, t.TOKEN, _ends(text))))

    def _is_line(self, place: int) -> bool:
        """Return whether the end of a line between the last token and this place may end a statement."""
        between = self._last + b"\n" + self._source[place : place + 1]
        if between not in self._ends_line:
            self._ends_line[between] = self._lines is not None and self._lines.search(between) is not None
        return self._ends_line[between]

    def _passed(self, gap: bytes, node: Node, parts: Parts) -> None:
        """Note blanks that are passed over, and keep everything else."""
        self._blanks += gap
        if gap.isspace():
            return
        words = _CONTINUED.sub(b"", gap).split()
        if words:
            parts.append(("gap", at(node, t.TOKEN, b" ".join(words).decode("utf-8", "surrogateescape"))))

    def _around(self, place: int, parts: Parts | None = None) -> int | None:
        """Return where the verbatim construct begins that the white space before a place is in, if it is in one."""
        for node, kind, _, outer, _ in reversed(self.above):
            if kind in self._verbatim and kind in _CONTENT:
                return 0
            if kind in self._verbatim or (self._html and kind == "element" and _is_preformatted(node)):
                return node.start_byte if node.start_byte < place else None
            if parts:
                # what came before stands in the same construct
                return self._preformatted() if self._html else None
            parts = outer
        return None

    def _preformatted(self) -> int | None:
        for node, kind, *_ in self.above:
            if kind == "element" and _is_preformatted(node):
                return node.start_byte
        return None


def _is_preformatted(element: Node) -> bool:
    """Return whether an element of HTML shows its white space."""
    tag = element.children[0].text or b"" if element.children else b""
    return _PREFORMATTED.match(tag) is not None


def _ends(text: str) -> str:
    """Spell the ends of lines in one way."""
    return text.replace("\r\n", "\n")


def _remark(language: str) -> Callable[[Node, str], str]:
    """Return what tells comments from directives in a language."""
    pattern = DIRECTIVES.get(language)

    def remark(node: Node, text: str) -> str:
        first = text.startswith("#!") and node.start_byte == 0
        return DIRECTIVE if first or (pattern is not None and pattern.search(text)) else COMMENT

    return remark


# -- texts: scalars, macros, and comments that are none


def folded(text: str) -> str:
    r"""Return the body of a macro without its layout; strings in it stay as they are.

    >>> folded("do { \\\n  f(\"a  b\"); \\\n} while (0)")
    'do { f("a  b"); } while (0)'
    """
    return _RUN.sub(lambda found: found[1] or " ", text).strip()


def is_plain(text: str) -> bool:
    """Return whether a text between quotes is the same between others."""
    return _SPECIAL.search(text) is None


def flow_scalar(text: str) -> tuple[str, str]:
    r"""Return a scalar of YAML that may run over several lines; how far they are indented says nothing.

    >>> flow_scalar("a\n   b")
    ('scalar', 'a\nb')
    """
    if text[:1] in "'\"" and is_plain(text[1:-1]):
        return "quoted", text[1:-1]
    return "scalar", _LINE_FOLD.sub("\n", text)


def block_scalar(text: str) -> tuple[str, str]:
    r"""Return a literal or folded scalar of YAML without the indentation that is not part of it.

    >>> block_scalar("|\n    a\n      b")
    ('block', '|\na\n  b')
    """
    header, *lines = text.replace("\r\n", "\n").split("\n")
    if _INDICATED.match(header):
        return "block", "\n".join((header, *lines))
    first = next((line for line in lines if line.strip(" ")), "")
    margin = len(first) - len(first.lstrip(" "))
    words = header.split(" #")[0].rstrip()
    return "block", "\n".join((words, *(line[margin:] for line in lines)))


ATOMS: Final[Mapping[str, Mapping[str, Atom]]] = {
    "markdown": {"document": lambda text: ("text", text.replace("\r\n", "\n"))},
    "yaml": {
        "block_scalar": block_scalar,
        "double_quote_scalar": flow_scalar,
        "plain_scalar": flow_scalar,
        "single_quote_scalar": flow_scalar,
    },
}
