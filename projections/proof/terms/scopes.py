"""Resolve names: after this, a name is the variable that it means, and no rewriting can capture it.

`resolve` returns a module whose NAME and BIND leaves hold a `Binding` where something in the file declares them. A NAME
that nothing declares keeps its text: it is free, and means the same in every file.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import IMPORTED, LOCAL, MODULE, PARAMETER, Binding
from linetrail.projections.proof.terms.declarations import (
    Declared,
    Source,
    bound_in,
    declared,
    is_var,
    lifted,
    rewritten,
)
from linetrail.projections.proof.terms.dialect import Dialect
from linetrail.projections.proof.terms.term import Term

_BLOCKS = frozenset((t.BLOCK, t.FOR, t.EACH, t.CATCH, t.CASE, t.SWITCH, t.WITH, t.IF, t.WHILE, t.DO))


class Scope:
    """The names of one construct, and those around it."""

    __slots__ = ("around", "function", "kind", "members", "names", "outer")

    def __init__(self, kind: str, around: "Scope | None") -> None:
        self.kind, self.around = kind, around
        self.names: dict[str, Binding] = {}
        self.members: frozenset[str] = frozenset()
        # names that belong to the module or to a function around, as Python's `global` says
        self.outer: dict[str, str] = {}
        self.function: Scope = self if kind in ("module", "function") or around is None else around.function


class Resolver:
    """The resolution of one file. `top` are the bindings at the top of it."""

    def __init__(self, path: str, module: Term, dialect: Dialect) -> None:
        self._path, self._dialect = path, dialect
        self.scope = Scope("module", None)
        # names at the top of the file that are bound more than once
        self.ambiguous: set[str] = set()
        # what the other files of the same package declare
        self.beside: dict[str, Binding] = {}
        self._hoists = dialect.scoping == "function"
        self._sequential = dialect.scoping in ("sequence", "flow")
        self._declare(self.scope, self._declared(module.kids))
        if dialect.scoping == "block":
            self._declare(self.scope, lifted(module))
        for name in rewritten(module):
            if name in self.top:
                self.top[name].shared = True

    @property
    def top(self) -> dict[str, Binding]:
        """The bindings at the top of the file, by name."""
        return self.scope.names

    def seen(self, name: str) -> Binding | None:
        """Return what a name means at the top of the file; None when it is free."""
        return self.top.get(name) or self.beside.get(name)

    def resolve(self, item: Term) -> Term:
        """Return a statement that stands at the top of the file, resolved."""
        return self._resolve(item, self.scope)

    def _declare(self, scope: Scope, names: Iterable[Declared]) -> None:
        kind = MODULE if scope.kind == "module" else LOCAL
        for name, source in names:
            known = scope.names.get(name)
            if known is None:
                made = self._made(name, IMPORTED if source else kind, source)
                scope.names[name] = made
                continue
            if scope.kind == "module":
                known.shared |= source is None
                self.ambiguous.add(name)
            if (known.source != source and known.source is not None) or source is not None:
                # imported and assigned, or imported twice: nobody knows which it is when it is read
                known.kind, known.source = kind, None

    def _made(self, name: str, kind: str, source: Source | None = None) -> Binding:
        made = Binding(name, kind, self._path, source)
        made.language = self._dialect.name
        return made

    def _declared(self, statements: Iterable[Term]) -> Iterator[Declared]:
        return declared(statements, anywhere=self._hoists)

    # -- names

    def _look_up(self, name: str, scope: Scope) -> Binding | str | None:
        """Return what a name means; its own text when it is free, None when it is a member of a class around."""
        here: Scope | None = scope
        direct = True
        while here is not None:
            if name in here.outer:
                if here.outer[name] == "global":
                    return self.scope.names.get(name, name)
            elif name in here.names:
                return here.names[name]
            elif name in here.members and (direct or self._dialect.scoping == "flow"):
                return None
            direct = direct and here.kind != "function"
            here = here.around
        return self.beside.get(name, name)

    def _bind(self, name: str, scope: Scope) -> Binding | str:
        """Return the variable that is declared, or written where writing declares."""
        if self._sequential and scope.kind != "module":
            scope.names[name] = self._made(name, LOCAL)
            return scope.names[name]
        found = self._look_up(name, scope)
        return name if found is None else found

    # -- resolution

    def _resolve(self, term: Term, scope: Scope) -> Term:
        kind = term.kind
        if kind == t.NAME:
            found = self._look_up(str(term.value), scope)
            return term.but(kind=t.FIELD) if found is None else term.but(value=found)
        if kind == t.BIND:
            return term.but(value=self._bind(str(term.value), scope))
        if not term.kids:
            return literal(term) if kind == t.LIT else term
        special = _SPECIAL.get(kind)
        if special is not None:
            return special(self, term, scope)
        if kind in _BLOCKS and not self._hoists and not (kind in (t.IF, t.WHILE) and self._dialect.scoping == "flow"):
            scope = self._opened("block", scope, term.kids if kind in (t.BLOCK, t.SWITCH, t.CASE) else ())
            if kind == t.FOR:
                self._declare(scope, self._declared(term.kids[:1]) if not self._sequential else ())
        kids = [self._resolve(kid, scope) for kid in term.kids]
        if kind == t.EXPORT and all(kid.kind == t.PAIR for kid in kids):
            kids.sort(key=lambda pair: str(pair.kids[0].value))
        return plain(term, kids)

    def _opened(self, kind: str, around: Scope, statements: Sequence[Term]) -> Scope:
        scope = Scope(kind, around)
        if self._sequential:
            items = [one for one in statements if one.kind in (t.FUNCTION, t.CLASS)]
            self._declare(scope, self._declared(items))
        else:
            self._declare(scope, self._declared(one for one in statements if not is_var(one)))
        return scope

    def of_function(self, term: Term, scope: Scope) -> Term:
        """Resolve a function: its decorators, defaults and types are seen from around it."""
        is_lambda = term.kind == t.LAMBDA
        name = [] if is_lambda else [self._own_name(term.kids[0], scope)]
        parameters, body, *rest = term.kids if is_lambda else term.kids[1:]
        inner = Scope("function", scope)
        for bound in _parameter_names(parameters):
            inner.names[bound] = self._made(bound, PARAMETER)
        self._declare(inner, (one for part in parameters.kids if part.kind == t.TYPE for one in bound_in(part)))
        if self._hoists:
            self._outer_names(body, inner)
            self._declare(
                inner,
                (
                    one
                    for one in self._declared(body.kids if body.kind == t.BLOCK else (body,))
                    if one.name not in inner.outer
                ),
            )
        else:
            self._declare(inner, lifted(body) if not self._sequential else ())
        _mark_object(term, inner, first=self._hoists)
        made = self._parameters(parameters, scope, inner)
        resolved = self._resolve(body, inner)
        around = [self._resolve(kid, scope if self._hoists else inner) for kid in rest]
        return term.but(kids=[*name, made, resolved, *around])

    def _own_name(self, name: Term, scope: Scope) -> Term:
        if name.kind != t.BIND:
            return name
        found = self._look_up(str(name.value), scope)
        if found is None or isinstance(found, str):
            # the name of a function expression: nobody outside sees it
            return name.but(value=self._made(str(name.value), LOCAL))
        return name.but(value=found)

    def _parameters(self, parameters: Term, scope: Scope, inner: Scope) -> Term:
        made: list[Term] = []
        for one in parameters.kids:
            if one.kind != t.PARAM:
                made.append(self._resolve(one, inner))
                continue
            pattern, typed, value = one.kids
            seen_from = scope if self._hoists else inner
            kids = [_bound(pattern, inner), self._resolve(typed, seen_from), self._resolve(value, seen_from)]
            made.append(apart(one).but(kids=kids))
        return parameters.but(kids=made)

    def _outer_names(self, body: Term, scope: Scope) -> None:
        for one in _own(body):
            if one.kind == t.GLOBAL:
                for name in one.kids:
                    scope.outer[str(name.value)] = str(one.value)

    def of_class(self, term: Term, scope: Scope) -> Term:
        name = self._own_name(term.kids[0], scope) if term.kids[0].kind == t.BIND else term.kids[0]
        inner = Scope("class", scope)
        inner.members = frozenset(str(one.value) for one in _own(term) if one.kind == t.MEMBER)
        if not self._hoists:
            types = [one for one in term.kids[1:] if one.kind == t.BASES]
            self._declare(inner, (one for part in types for one in bound_in(part)))
        body = [self._inside(kid, inner) if kid.kind == t.BLOCK else self._resolve(kid, inner) for kid in term.kids[1:]]
        return term.but(kids=[name, *body])

    def _inside(self, block: Term, scope: Scope) -> Term:
        """Resolve the statements of a body that opens no scope besides the one at hand."""
        self._declare(scope, self._declared(kid for kid in block.kids if kid.kind in (t.CLASS, t.FUNCTION, t.DECLARE)))
        # a class is taken apart by place, so nothing is left out here
        return block.but(kids=[self._resolve(kid, scope) for kid in block.kids])

    def of_comprehension(self, term: Term, scope: Scope) -> Term:
        element, *clauses = term.kids
        inner = Scope("comprehension", scope)
        made: list[Term] = []
        for at, clause in enumerate(clauses):
            target, iterable, *conditions = clause.kids
            drawn = self._resolve(iterable, inner if at else scope)
            for bound in (one for one in target.walk() if one.kind == t.BIND):
                inner.names.setdefault(str(bound.value), self._made(str(bound.value), LOCAL))
            found = [self._resolve(one, inner) for one in (target, *conditions)]
            made.append(clause.but(kids=[found[0], drawn, *found[1:]]))
        return term.but(kids=[self._resolve(element, inner), *made])

    def of_declaration(self, term: Term, scope: Scope) -> Term:
        """Resolve what is declared after what it is declared to be, where order counts."""
        pattern, typed, value, *rest = term.kids
        resolved = self._resolve(value, scope)
        kind = self._resolve(typed, scope)
        again = ":=" in term.value
        made = self._reused(pattern, scope) if again and self._sequential else self._resolve(pattern, scope)
        return plain(term, [made, kind, resolved, *(self._resolve(one, scope) for one in rest)])

    def _reused(self, pattern: Term, scope: Scope) -> Term:
        """Resolve the left of Go's `:=`: it declares what the block does not have yet."""
        if pattern.kind == t.BIND:
            known = scope.names.get(str(pattern.value))
            return pattern.but(value=known) if known is not None else self._resolve(pattern, scope)
        return pattern.but(kids=[self._reused(kid, scope) for kid in pattern.kids]) if pattern.kids else pattern

    def of_each(self, term: Term, scope: Scope) -> Term:
        target, iterable, *rest = term.kids
        drawn = self._resolve(iterable, scope)
        if not self._hoists:
            scope = Scope("block", scope)
            if not self._sequential and "var" not in term.value:
                self._declare(scope, bound_in(target))
        return plain(term, [self._resolve(target, scope), drawn, *(self._resolve(one, scope) for one in rest)])

    def of_catch(self, term: Term, scope: Scope) -> Term:
        if self._hoists:
            return term.but(kids=[self._resolve(kid, scope) for kid in term.kids])
        scope = Scope("block", scope)
        self._declare(scope, bound_in(term.kids[1]))
        return term.but(kids=[self._resolve(kid, scope) for kid in term.kids])

    def of_import(self, term: Term, scope: Scope) -> Term:
        return term.but(kids=[alias.but(kids=[self._resolve(kid, scope) for kid in alias.kids]) for alias in term.kids])


_SPECIAL: Final[dict[str, Callable[[Resolver, Term, Scope], Term]]] = {
    t.FUNCTION: Resolver.of_function,
    t.LAMBDA: Resolver.of_function,
    t.CLASS: Resolver.of_class,
    t.COMP: Resolver.of_comprehension,
    t.DECLARE: Resolver.of_declaration,
    t.EACH: Resolver.of_each,
    t.CATCH: Resolver.of_catch,
    t.IMPORT: Resolver.of_import,
}


def _mark_object(function: Term, scope: Scope, *, first: bool) -> None:
    """Mark the parameter that is the object itself: the `first` of a method, or the one that is said to be it."""
    parameters = [one for one in function.kids[0 if function.kind == t.LAMBDA else 1].kids if one.kind == t.PARAM][:1]
    for one in parameters:
        is_method = first and function.kind == t.FUNCTION and function.kids[0].kind == t.MEMBER
        if one.kids[0].kind == t.BIND and (is_method or {"self", "receiver"} & set(one.value)):
            scope.names[str(one.kids[0].value)].is_object = True


def _bound(pattern: Term, scope: Scope) -> Term:
    if pattern.kind == t.BIND:
        return pattern.but(value=scope.names[str(pattern.value)])
    if not pattern.kids:
        return pattern
    return plain(pattern, [_bound(kid, scope) for kid in pattern.kids])


def _parameter_names(parameters: Term) -> Iterator[str]:
    for one in parameters.kids:
        if one.kind == t.PARAM:
            yield from (str(bound.value) for bound in one.kids[0].walk() if bound.kind == t.BIND)


def _own(term: Term) -> Iterator[Term]:
    """Yield what belongs to a function or class itself, not to those inside it."""
    for kid in term.kids:
        yield kid
        if kid.kind in (t.FUNCTION, t.CLASS):
            yield from kid.kids[:1]
        elif kid.kind not in (t.LAMBDA, t.COMP):
            yield from _own(kid)


# -- what says nothing: docstrings, braces around one statement, the order of imports


def plain(term: Term, kids: Sequence[Term]) -> Term:
    """Return a term without the words that say nothing: braces around one statement, {a} for {a: a}, let for const."""
    if term.kind == t.BLOCK:
        return Term(t.BLOCK, "", _said(kids), line=term.line, start=term.start, end=term.end)
    if term.kind == t.PAIR and term.value == "short":
        return Term(t.PAIR, "", kids, line=term.line, start=term.start, end=term.end)
    if term.kind == t.DECLARE and "," in term.value:
        term = apart(term)
    if term.kind in (t.DECLARE, t.EACH) and "const" in term.value and term.value[0] in ("const", "of", "in"):
        return term.but(value=tuple("let" if word == "const" else word for word in term.value), kids=kids)
    return term.but(kids=kids)


def literal(term: Term) -> Term:
    """Return a raw string that needs not be raw as any other."""
    if term.value[0] == "raw" and not set(term.value[1]) & set('\\"\n'):
        return term.but(value=("str", term.value[1]))
    return term


def apart(term: Term) -> Term:
    """Return a declaration as if no other stood in the same statement."""
    return term.but(value=tuple(word for word in term.value if word != ",")) if "," in term.value else term


def _said(statements: Sequence[Term]) -> Sequence[Term]:
    """Leave out what is only there for people and for the grammar."""
    said = [one for one in statements if one.kind not in (t.DOC, t.PASS) and not _is_annotation(one)]
    return _sorted_imports(said) if said or not statements else [Term(t.PASS)]


def _is_annotation(statement: Term) -> bool:
    """Return whether a statement only says of what type a variable of a function is, which nothing ever evaluates."""
    if statement.kind != t.DECLARE or statement.value != ("",) or statement.kids[0].kind != t.BIND:
        return False
    own = statement.kids[0].value
    return statement.kids[2].kind == t.NONE and isinstance(own, Binding) and own.kind == LOCAL


def _sorted_imports(statements: Sequence[Term]) -> Sequence[Term]:
    """Take the imports that stand beside each other apart, in an order of their own: it does not matter."""
    if not any(one.kind == t.IMPORT or one.kind.endswith(":imports") for one in statements):
        return statements
    made: list[Term] = []
    stretch: list[Term] = []
    for one in (*statements, None):
        if one is not None and one.kind == t.IMPORT and one.kids:
            stretch += [one.but(kids=[alias]) for alias in one.kids]
        elif one is not None and one.kind.endswith(":imports"):
            stretch += one.kids
        else:
            made += sorted(stretch, key=lambda single: (str(single.value), str(single.kids[0].value)))
            stretch = []
            made += [one] if one is not None else []
    return made
