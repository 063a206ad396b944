"""The files of one side of a change as one program: the statements at their top, and what imports refer to.

A class is taken apart: its header is an item, and so is each of its members, with the class as `owner`. So a method is
found, compared and explained like a function.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import IMPORTED, Binding
from linetrail.projections.proof.terms.dialect import Dialect, Lowered
from linetrail.projections.proof.terms.scopes import Resolver
from linetrail.projections.proof.terms.term import ABSENT, Term

# The places of a class that hold its members, in a header that was taken apart.
HELD: Final = Term("held")


# Where bases or annotations of a class may read its fields by their names and in their order.
_READ: Final = {"python": (t.BASES, t.DECORATORS), "java": (t.DECORATORS,), "ecmascript": (t.DECORATORS,)}


_HARMLESS: Final = frozenset(("Deprecated", "SuppressWarnings", "FunctionalInterface", "SafeVarargs", "object"))


class Item:
    """One statement at the top of a file or class: what it binds, and what it says with its names resolved.

    `names` are the variables or members it defines; without any it stands there for its effect. `order` counts the
    items of one owner.
    """

    __slots__ = ("_resolved", "members", "module", "names", "order", "owner", "term")

    def __init__(self, module: "Module", owner: tuple[str, ...], term: Term, order: int, resolved: Term | None) -> None:
        self.module, self.owner, self.term, self.order = module, owner, term, order
        self._resolved = bare(resolved) if resolved is not None else None
        self.names = tuple(_defined(term))

    @property
    def resolved(self) -> Term:
        """The statement with its names resolved."""
        if self._resolved is None:
            self._resolved = bare(self.module.resolver.resolve(self.term))
        return self._resolved

    @property
    def holder(self) -> Binding | None:
        """The class that the item is a member of, where that stands at the top of the file."""
        return self.module.resolver.top.get(self.owner[0].rpartition(" ")[2]) if len(self.owner) == 1 else None

    @property
    def exported(self) -> bool:
        """Whether the statement itself offers what it defines to other files."""
        return bare(self.term) is not self.term

    @property
    def key(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The name of the item in its file."""
        return self.owner, self.names

    @property
    def is_private(self) -> bool:
        """Whether nothing outside the file can reach what the item defines."""
        if not self.names:
            return False
        own = bare(self.term)
        if self.owner and own.kids[0].kind != t.BIND:
            return self.names[0].rpartition(" ")[2] in self.module.private_members
        if self.owner:
            return self.module.dialect.is_private(self.names[0], own, self.module.lowered.module)
        return all(map(self.module.is_private, self.names))

    @property
    def title(self) -> str:
        """The name of the item for a reader."""
        names = ", ".join(name.rpartition(" ")[2] for name in self.names)
        return ".".join((*(part.rpartition(" ")[2] for part in self.owner), names or f"line {self.term.line}"))


def bare(statement: Term) -> Term:
    """Return the declaration in a statement that exports it by its own name."""
    return (
        statement.kids[0]
        if statement.kind == t.EXPORT and statement.value == ("export",) and statement.kids
        else statement
    )


class Module:
    """One file of one side. Classes whose identity is in `whole` are not taken apart."""

    def __init__(self, path: str, lowered: Lowered, dialect: Dialect, whole: frozenset[int] = frozenset()) -> None:
        self._whole = whole
        self.path, self.lowered, self.dialect = path, lowered, dialect
        self.resolver = Resolver(path, lowered.module, dialect)
        self.imports: list[Term] = []
        self.items: list[Item] = []
        self.private_members = dialect.private_members([lowered.module])
        self._ordered: set[tuple[str, ...]] = set()
        self._class_order: dict[tuple[str, ...], int] = {}
        self.definitions: dict[str, Term] = {}

    def take_apart(self) -> None:
        """Find the items of the file; what other files declare has to be known by now."""
        for at, statement in enumerate(_flat(self.lowered.module.kids)):
            inner = statement.kids[0] if statement.kind == t.EXPORT and len(statement.kids) == 1 else statement
            self.definitions |= dict.fromkeys(_defined(inner), statement)
            if statement.kind == t.IMPORT and statement.kids and not self._is_ambiguous(statement):
                self.imports.append(statement)
            elif statement.kind not in (t.DOC, t.PASS):
                self.items += self._taken_apart(statement, (), at, None)

    def _is_ambiguous(self, statement: Term) -> bool:
        """Return whether it matters where an import stands: something else binds the same name."""
        bound = {str(one.value) for one in statement.walk() if one.kind == t.BIND}
        return bool(bound & self.resolver.ambiguous) and not statement.kind.endswith("imports")

    def is_private(self, name: str) -> bool:
        """Return whether nothing outside this file can reach a name at its top."""
        return self.dialect.is_private(name, self.definitions.get(name, ABSENT), self.lowered.module)

    def has_order(self, owner: tuple[str, ...]) -> bool:
        """Return whether the order of what a class holds may be read: it is an enumeration, or its base makes it so."""
        return owner in self._ordered

    def _taken_apart(self, statement: Term, owner: tuple[str, ...], at: int, resolved: Term | None) -> Iterator[Item]:
        inner = statement.kids[0] if statement.kind == t.EXPORT and len(statement.kids) == 1 else statement
        if inner.kind != t.CLASS or id(statement) in self._whole:
            yield Item(self, owner, statement, at, resolved)
            return
        whole = resolved if resolved is not None else self.resolver.resolve(statement)
        within = whole if inner is statement else whole.kids[0]
        header = _emptied(inner)
        named = (*owner, name_of_class(inner))
        yield Item(
            self,
            owner,
            header if inner is statement else statement.but(kids=[header]),
            at,
            _emptied(within) if inner is statement else whole.but(kids=[_emptied(within)]),
        )
        if "enum" in inner.value or (self.dialect.name in _READ and _is_read(inner, *_READ[self.dialect.name])):
            self._ordered.add(named)
        members = [one for kid in inner.kids if kid.kind == t.BLOCK for one in kid.kids]
        found = [one for kid in within.kids if kid.kind == t.BLOCK for one in kid.kids]
        first = self._class_order.get(named, 0)
        self._class_order[named] = first + len(members)
        for order, (member, clear) in enumerate(zip(members, found, strict=True), first):
            if member.kind not in (t.DOC, t.PASS):
                yield from self._taken_apart(member, named, order, clear)


class Program:
    """All files of one side, by path."""

    def __init__(self, modules: Mapping[str, Module]) -> None:
        self.modules = modules
        for module in modules.values():
            module.resolver.beside = self._beside(module)
        for module in modules.values():
            module.take_apart()
        self.items: list[Item] = [item for module in modules.values() for item in module.items]
        self.private_members = _private_members(modules.values())
        self._meant: dict[Binding, Binding | str] = {}

    def _beside(self, module: Module) -> dict[str, Binding]:
        """Return what a file sees of the others in its package."""
        if not module.dialect.packages:
            return {}
        folder = module.path.rpartition("/")[0]
        return {
            name: binding
            for path, other in self.modules.items()
            if other is not module and other.dialect is module.dialect and path.rpartition("/")[0] == folder
            for name, binding in other.resolver.top.items()
            if binding.kind != IMPORTED
        }

    def meaning(self, binding: Binding) -> Binding | str:
        """Follow imports to what they mean: a variable of this program, or a dotted name outside it."""
        if binding.kind != IMPORTED or binding.source is None:
            return binding
        if binding not in self._meant:
            self._meant[binding] = self._imported(binding, frozenset())
        return self._meant[binding]

    def _imported(self, binding: Binding, seen: frozenset[Binding]) -> Binding | str:
        if binding.kind != IMPORTED or binding.source is None or binding in seen:
            return binding
        written, flags, name = binding.source
        if "root" in flags:
            return written.partition(".")[0]
        path, outside = self.located(binding.path, written, flags)
        if name == "*":
            return path or outside
        if path is not None:
            found = self.modules[path].resolver.top.get(name)
            if found is not None:
                return self._imported(found, seen | {binding})
            outside = path
        return f"{outside}.{name}"

    def located(self, path: str, written: str, flags: Sequence[str]) -> tuple[str | None, str]:
        """Return the file of this program that an import means, and what to call its module otherwise."""
        candidates = self.modules[path].dialect.modules(path, written, flags)
        inside = next((one for one in candidates if one in self.modules), None)
        relative = written.startswith(".")
        return inside, (candidates[0].rpartition(".")[0] if relative and candidates else written)

    def writes(self, member: str) -> bool:
        """Return whether a member is defined twice, or given to an object from outside of its definition."""
        defined = 0
        for module in self.modules.values():
            for one in module.lowered.module.walk():
                defined += one.kind == t.MEMBER and one.value == member
                targets = one.kids[:-1] if one.kind in (t.ASSIGN, t.AUGMENT) else ()
                written = (target.kids[1] if target.kind == t.ATTR else target for target in targets)
                if any(one.kind in (t.NAME, t.FIELD) and one.value == member for one in written):
                    return True
        return defined > 1

    def member_of(self, module: str, name: str, path: str) -> Binding | str:
        """Return what a name in a module means, as seen from the file at `path`."""
        inside = self.modules.get(module)
        if inside is not None:
            found = inside.resolver.top.get(name)
            return self.meaning(found) if found is not None else f"{module}.{name}"
        whole = f"{module}.{name}"
        located, _ = self.located(path, whole, ())
        return located or whole


def _private_members(modules: Iterable[Module]) -> frozenset[str]:
    by_dialect: dict[Dialect, list[Term]] = {}
    for module in modules:
        by_dialect.setdefault(module.dialect, []).append(module.lowered.module)
    return frozenset(name for dialect, terms in by_dialect.items() for name in dialect.private_members(terms))


def _flat(statements: Iterable[Term]) -> Iterator[Term]:
    for statement in statements:
        if statement.kind.endswith(":imports"):
            yield from statement.kids
        else:
            yield statement


def _emptied(whole: Term) -> Term:
    return whole.but(kids=[HELD if kid.kind == t.BLOCK else kid for kid in whole.kids])


def _is_read(term: Term, *by: str) -> bool:
    """Return whether a class has bases or decorators, which may read what it holds in order: dataclasses, models."""
    found = (one for kid in term.kids if kid.kind in by for one in kid.kids)
    return any(not _HARMLESS & {str(leaf.value) for leaf in one.walk()} for one in found)


def name_of_class(term: Term) -> str:
    """Return what tells a class from its neighbours: its name, else what it extends."""
    first = term.kids[0]
    if first.kind in (t.BIND, t.MEMBER, t.NAME):
        return f"{term.value[0]} {first.value}" if term.value else str(first.value)
    return " ".join(
        (*map(str, term.value), *(str(one.value) for kid in term.kids if kid.kind != t.BLOCK for one in kid.walk()))
    )


def _defined(term: Term) -> Iterator[str]:
    """Yield the names that a statement at the top of a file or class defines."""
    if term.kind in (t.FUNCTION, t.CLASS):
        if term.kids[0].kind in (t.BIND, t.MEMBER):
            yield " ".join((*_receiver(term), str(term.kids[0].value)))
        elif term.kind == t.CLASS:
            yield name_of_class(term)
    elif term.kind in (t.DECLARE, t.ASSIGN):
        for kid in term.kids[: 1 if term.kind == t.DECLARE else -1]:
            yield from (str(one.value) for one in kid.walk() if one.kind in (t.BIND, t.MEMBER))
    elif term.kind in (t.EXPORT, t.TYPE) and not any(kid.kind == t.PAIR for kid in term.kids):
        for kid in term.kids:
            yield from _defined(kid)


def _receiver(term: Term) -> Iterator[str]:
    """Yield the type that a method stands beside of, as in Go."""
    if term.kind == t.FUNCTION and "method" in term.value and term.kids[1].kids:
        names = [str(one.value) for one in term.kids[1].kids[0].kids[1].walk() if one.kind == t.NAME]
        yield from names[:1]
