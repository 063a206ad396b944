"""Change a person's ``active_intents.yaml`` in its own manner, or leave it as it is.

Each change is an edit of the text: comments, order, quotes, line ends and both vocabularies stay what they are. A
change that brings a new error with it is refused. Two processes that change the file wait for each other, so no change
is lost; where an editor saves in between, the change is made anew.
"""

import contextlib
import os
import re
import stat
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from linetrail.ledger.errors import IntentError, StorageError
from linetrail.ledger.files import publish
from linetrail.ledger.intents import registry_file, yaml_text
from linetrail.ledger.intents.intent import MAX_BYTES, SYNONYMS, TOO_LARGE, Intent
from linetrail.ledger.intents.registry import FIELDS, ROOTS, compose, is_null, parse, plain, scan
from linetrail.ledger.intents.rules import errors
from linetrail.ledger.repository import Repository

NEW_FILE_MODE = 0o644
ATTEMPTS = 5
_BOM = "\ufeff"
_OWN = frozenset(SYNONYMS.values())
_WORD = re.compile("[A-Z_]+")
_SPELLED = {canonical: spelled for spelled, canonical in SYNONYMS.items()}


class RegistryEditError(IntentError):
    """A change of the registry that was refused; the file is as it was."""


class Vocabulary(NamedTuple):
    """Which of the documented spellings a registry uses."""

    root: str
    camel: bool
    synonyms: bool  # PENDING and COMPLETED, where others write DRAFT and DONE
    scope: str

    def key(self, field: str) -> str:
        """Return how this registry spells a field."""
        if field == "owned_scope":
            return self.scope
        return FIELDS[field][1] if self.camel and len(FIELDS[field]) > 1 else FIELDS[field][0]

    def status(self, status: str) -> str:
        """Return how this registry spells a status."""
        return _SPELLED.get(status, status) if self.synonyms else status


class Registry:
    """The text of a registry while it is changed; each method returns the registry that comes out."""

    def __init__(self, text: str) -> None:
        self.text = text
        root = compose(text.encode())
        self._members = {} if root is None else {key.value: value for key, value in root.value}
        self._root = next((name for name in ROOTS if name in self._members), None)

    def add(self, fields: Mapping[str, Any]) -> "Registry":
        """Add an intent behind the others; `fields` by their canonical names, the status canonical too."""
        words = self.vocabulary()
        written = {words.key(name): self._value(words, name, value) for name, value in fields.items()}
        if self._root is not None:
            return Registry(yaml_text.append(self.text, (self._root,), written))
        if self._members:
            return Registry(yaml_text.insert(self.text, (), words.root, [written]))
        end_of_line = yaml_text.newline(self.text)
        gap = "" if not self.text or self.text.endswith(("\n", "\r")) else end_of_line
        begun = f"{self.text}{gap}{words.root}: []{end_of_line}"
        return Registry(yaml_text.append(begun, (words.root,), written))

    def fields(self, intent_id: str) -> dict[str, Any]:
        """Return all that an intent says, by its keys as they are spelled."""
        number = self._at(intent_id)[1]
        return dict(plain(self._members[self._root].value[number]))

    def copy(self, fields: Mapping[str, Any]) -> "Registry":
        """Add an intent of another registry behind the others, as it is spelled there."""
        return Registry(yaml_text.append(self.text, (self._root or ROOTS[0],), fields))

    def set(self, intent_id: str, field: str, value: Any) -> "Registry":
        """Put a value into a field; one that is not there and would hold nothing is left out."""
        at, found, words = self._at(intent_id), self._keys(intent_id), self.vocabulary()
        written = self._value(words, field, value)
        key = next((key for key in FIELDS[field] if key in found), None)
        if key is not None:
            if _says(found[key], written):
                return self
            return Registry(yaml_text.put(self.text, (*at, key), written))
        return self if value is None else Registry(yaml_text.insert(self.text, at, words.key(field), written))

    def append(self, intent_id: str, field: str, value: Any) -> "Registry":
        """Add an item to a list of an intent, which may not be there yet."""
        at, found = self._at(intent_id), self._keys(intent_id)
        key = next((key for key in FIELDS[field] if key in found), None)
        if key is None:
            return Registry(yaml_text.insert(self.text, at, self.vocabulary().key(field), [value]))
        return Registry(yaml_text.append(self.text, (*at, key), value))

    def remove(self, intent_id: str, field: str, value: str) -> "Registry":
        """Take an item out of a list of an intent, once."""
        at, found = self._at(intent_id), self._keys(intent_id)
        key = next((key for key in FIELDS[field] if key in found), None)
        items = [] if key is None else list(found[key].value)
        for number, item in enumerate(items):
            if key is not None and isinstance(item, yaml.ScalarNode) and item.value == value:
                return Registry(yaml_text.remove(self.text, (*at, key, number)))
        raise RegistryEditError(f"{intent_id} has no {value!r} in `{field}`")

    def drop(self, intent_id: str) -> "Registry":
        """Take an intent out of the file."""
        return Registry(yaml_text.remove(self.text, self._at(intent_id)))

    def vocabulary(self) -> Vocabulary:
        """Return the spellings that are in use, by what is written first."""
        keys: dict[str, None] = {}
        statuses: dict[str, None] = {}
        for node in self._nodes():
            for key, value in node.value:
                keys.setdefault(key.value)
                if key.value == "status" and isinstance(value, yaml.ScalarNode):
                    statuses.setdefault(value.value)
        spelled = [key for key in keys if any(key in FIELDS[field][:2] for field in FIELDS if len(FIELDS[field]) > 1)]
        camel = bool(spelled) and not any("_" in key for key in spelled) and any(key != key.lower() for key in spelled)
        scope = next((key for key in keys if key in FIELDS["owned_scope"]), FIELDS["owned_scope"][int(camel)])
        return Vocabulary(self._root or ROOTS[0], camel, self._uses_synonyms(statuses), scope)

    def _uses_synonyms(self, statuses: Collection[str]) -> bool:
        """Return whether the second vocabulary of the status is in use; where no intent shows it, a comment may."""
        for words in (statuses, _WORD.findall(self.text)):
            own, others = (not vocabulary.isdisjoint(words) for vocabulary in (_OWN, SYNONYMS.keys()))
            if own or others:
                return others and not own
        return False

    def _value(self, words: Vocabulary, field: str, value: Any) -> Any:
        return words.status(value) if field == "status" else value

    def _nodes(self) -> list[yaml.Node]:
        listed = self._members.get(self._root) if self._root else None
        items = listed.value if isinstance(listed, yaml.SequenceNode) else []
        return [node for node in items if isinstance(node, yaml.MappingNode)]

    def _at(self, intent_id: str) -> yaml_text.Path:
        listed = self._members[self._root].value if self._root else []
        for number, node in enumerate(listed):
            if isinstance(node, yaml.MappingNode) and any(
                key.value == "id" and value.value == intent_id for key, value in node.value
            ):
                return (str(self._root), number)
        raise RegistryEditError(f"no intent {intent_id} is here")

    def _keys(self, intent_id: str) -> dict[str, yaml.Node]:
        number = self._at(intent_id)[1]
        return {key.value: value for key, value in self._members[self._root].value[number].value}


Change = Callable[[Registry], Registry]
# What the intents are now -> the change that follows, or an error that says why there is none.
Decision = Callable[[Sequence[Intent]], Change]


def edit(repository: Repository, decide: Decision) -> None:
    """Change the registry on disk, or raise and leave it untouched. Whoever calls holds it (`intent_changes.held`)."""
    for _ in range(ATTEMPTS):
        before = registry_file.load(repository) or b""
        after = changed(before, decide, registry_file.path(repository))
        if after == before:
            return
        if (registry_file.load(repository) or b"") == before:
            _write(repository, after)
            return
    raise RegistryEditError(f"{registry_file.path(repository)} is being changed all the time; nothing was written")


def changed(before: bytes, decide: Decision, name: str) -> bytes:
    """Return the bytes of a registry after a change; `name` is the file that stands in every message."""
    change = decide(parse(before, name))
    text = before.decode()
    mark = _BOM if text.startswith(_BOM) else ""
    try:
        after = (mark + change(Registry(text.removeprefix(_BOM))).text).encode()
    except yaml_text.EditError as error:
        raise RegistryEditError(f"{name}: cannot be changed without disturbing what else is there: {error}") from None
    if len(after) > MAX_BYTES:
        raise RegistryEditError(f"{name} would be {TOO_LARGE}")
    known = {(problem.intent_id, problem.message) for problem in errors(scan(before))}
    for problem in errors(scan(after)):
        if (problem.intent_id, problem.message) not in known:
            raise RegistryEditError(f"{problem.code}: {problem.message}")
    return after


def _write(repository: Repository, content: bytes) -> None:
    """Put the new file in place of the old one, whole, with the permissions that it had."""
    path = registry_file.path(repository)
    mode = NEW_FILE_MODE
    with contextlib.suppress(FileNotFoundError):
        about = os.lstat(path)
        if not stat.S_ISREG(about.st_mode):
            raise RegistryEditError(f"{path} is a link, or no file at all; change what it leads to")
        mode = stat.S_IMODE(about.st_mode)
    try:
        publish(path, content, durable=True, mode=mode, aside=os.path.join(repository.folder, "state"))
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}; it is as it was") from error


def _says(node: yaml.Node, value: Any) -> bool:
    """Return whether a text or nothing stands there already."""
    if is_null(node):
        return value is None
    return isinstance(node, yaml.ScalarNode) and node.value == value
