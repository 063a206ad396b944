"""A variable: what every name that is not free stands for."""

from linetrail.projections.proof.terms.declarations import Source

# Where a binding lives. A member is reached through its class, so its leaf is MEMBER or FIELD, and keeps its text.
MODULE, LOCAL, PARAMETER, IMPORTED = "module", "local", "parameter", "imported"


class Binding:
    """One variable. Two of the same name are two; its name is what people read, and means nothing.

    `source` is what an import binds: (module path, flags, imported name). `shared`: it is written by other functions
    than the one it belongs to, so any call may change it. `language` says what its value can be. `is_object`: it is the
    object whose method this is.
    """

    __slots__ = ("is_object", "kind", "language", "name", "path", "shared", "source")

    def __init__(self, name: str, kind: str, path: str = "", source: Source | None = None) -> None:
        self.name, self.kind, self.path, self.source = name, kind, path, source
        self.shared = self.is_object = False
        self.language = ""

    def twin(self) -> "Binding":
        """Return a local variable of the same name that is another one."""
        made = Binding(self.name, LOCAL, self.path)
        made.language = self.language
        return made
