"""Notes: text that keys have signed, in the format that transparency logs share (c2sp.org/signed-note).

A note is text, an empty line, and one line for each signature. Reading is strict: what is read can be written again
to the same bytes, and a signature counts only for the key whose name and number it carries. Ed25519 itself comes from
the optional package ``cryptography``, which is loaded where a key is used and nowhere else.
"""

import base64
import contextlib
import hashlib
import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from linetrail.ledger.errors import LinetrailError, UsageError

# Room for thousands of lines and every signature anybody sends; a larger file is no note.
MAX_BYTES = 1_000_000
MAX_SIGNATURES = 100

_ED25519 = b"\x01"
_ID_BYTES, _KEY_BYTES = 4, 32
_PRIVATE = "PRIVATE+KEY+"
_BEGIN = "\u2014 "
# No white space of any script, no plus; nor the halves of characters that an argument may hold.
_NAME = re.compile(r"[^\s+\x00-\x1f\ud800-\udfff]+")
_CONTROL = re.compile(rb"[\x00-\x09\x0b-\x1f]")


class NoteError(LinetrailError):
    """Bytes that are no note; `offset` is where they stop being one."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


class KeyTextError(UsageError):
    """A text that is no key."""

    hint = "linetrail checkpoint --generate-key NAME --key-out FILE"


class NoEd25519Error(UsageError):
    """The package that signs and verifies is not installed."""

    hint = "pip install 'linetrail[sign]'"


class Verifier(NamedTuple):
    """The public half of a key: whoever has it can check signatures."""

    name: str
    public: bytes

    @property
    def id(self) -> bytes:
        """The four bytes that stand in each signature beside the name."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:_ID_BYTES]

    @property
    def text(self) -> str:
        """The key as people pass it on."""
        return f"{self.name}+{self.id.hex()}+{to_base64(_ED25519 + self.public)}"


class Signer(NamedTuple):
    """Both halves of a key."""

    verifier: Verifier
    seed: bytes

    @property
    def text(self) -> str:
        """The key as its owner keeps it, in a file nobody else can read."""
        return f"{_PRIVATE}{self.verifier.name}+{self.verifier.id.hex()}+{to_base64(_ED25519 + self.seed)}"

    def __repr__(self) -> str:
        """Keep the secret out of tracebacks and messages."""
        return f"Signer({self.verifier.text})"


class Signature(NamedTuple):
    """One signature line: the name and number of a key, and what the key made of the text."""

    name: str
    id: bytes
    value: bytes


class Note(NamedTuple):
    """A text, and the signatures it claims to have; none has been checked."""

    text: str
    signatures: tuple[Signature, ...]


def generate(name: str) -> Signer:
    """Make a new key; its name is best an address, such as `example.com/audit`."""
    if not is_safe_name(name):
        raise KeyTextError(f"{name!r} cannot be the name of a key: one printable word without +")
    return _signer(name, os.urandom(_KEY_BYTES))


def read_verifier(text: str) -> Verifier:
    name, key_id, key = _key_parts(text.strip(), "public")
    verifier = Verifier(name, key)
    if verifier.id.hex() != key_id:
        raise KeyTextError(f"the number of the public key {name} is {key_id}, its content gives {verifier.id.hex()}")
    return verifier


def read_signer(text: str) -> Signer:
    """Read a private key; no message ever quotes it."""
    text = text.strip()
    if not text.startswith(_PRIVATE):
        raise KeyTextError(f"no private key: it would begin with {_PRIVATE}")
    name, key_id, seed = _key_parts(text.removeprefix(_PRIVATE), "private")
    signer = _signer(name, seed)
    if signer.verifier.id.hex() != key_id:
        raise KeyTextError(f"the private key {name} is damaged: its content does not give its number {key_id}")
    return signer


def is_safe_name(text: str) -> bool:
    """Return whether a name may be shown and handed on: one word, without a plus, that steers no terminal."""
    return _is_name(text) and text.isprintable()


def parse(content: bytes) -> Note:
    """Read a note, or say where it stops being one."""
    text = decode(content)
    signed, gap, lines = text.rpartition("\n\n")
    if not gap:
        raise NoteError("no empty line before signatures", len(content))
    at = len(f"{signed}\n\n".encode())
    if not lines.endswith("\n"):
        raise NoteError("no signature line that ends in a newline behind the empty line", at)
    signatures: list[Signature] = []
    for line in lines.removesuffix("\n").split("\n"):
        if len(signatures) == MAX_SIGNATURES:
            raise NoteError(f"more than {MAX_SIGNATURES} signatures", at)
        signature = _signature(line)
        if signature is None:
            raise NoteError("not a signature line", at)
        signatures.append(signature)
        at += len(line.encode()) + 1
    return Note(signed + "\n", tuple(signatures))


def render(note: Note) -> bytes:
    lines = (f"{_BEGIN}{name} {to_base64(key_id + value)}\n" for name, key_id, value in note.signatures)
    return "".join([note.text, "\n", *lines]).encode()


def decode(content: bytes) -> str:
    """Return the characters of what may be a note: not too many, UTF-8, and none that steers anything."""
    if len(content) > MAX_BYTES:
        raise NoteError(f"more than {MAX_BYTES:,} bytes", MAX_BYTES)
    control = _CONTROL.search(content)
    if control is not None:
        raise NoteError("a control character", control.start())
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise NoteError("not UTF-8", error.start) from None


def to_base64(content: bytes) -> str:
    """Return bytes as the letters that notes are written with."""
    return base64.b64encode(content).decode()


def from_base64(text: str) -> bytes | None:
    """Undo `to_base64`; None where other letters would be written back."""
    try:
        content = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return content if to_base64(content) == text else None


def sign(text: str, signer: Signer) -> Signature:
    """Sign a text that ends in a newline."""
    with _needing_ed25519():
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    value = Ed25519PrivateKey.from_private_bytes(signer.seed).sign(text.encode())
    return Signature(signer.verifier.name, signer.verifier.id, value)


def is_signed(note: Note, verifier: Verifier) -> bool:
    """Return whether the note has a signature by this key, and none in its name that is false."""
    claims = [claim.value for claim in note.signatures if (claim.name, claim.id) == (verifier.name, verifier.id)]
    return bool(claims) and all(_is_true(value, note.text, verifier) for value in claims)


def _is_true(value: bytes, text: str, verifier: Verifier) -> bool:
    with _needing_ed25519():
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    try:
        Ed25519PublicKey.from_public_bytes(verifier.public).verify(value, text.encode())
    except InvalidSignature:
        return False
    return True


def _signer(name: str, seed: bytes) -> Signer:
    with _needing_ed25519():
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    public = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    return Signer(Verifier(name, public), seed)


@contextlib.contextmanager
def _needing_ed25519() -> Iterator[None]:
    try:
        yield
    except ImportError:
        raise NoEd25519Error("signatures need the package cryptography, which is not installed here") from None


def _signature(line: str) -> Signature | None:
    name, _, encoded = line.removeprefix(_BEGIN).partition(" ")
    content = from_base64(encoded)
    if not line.startswith(_BEGIN) or not _is_name(name) or content is None or len(content) <= _ID_BYTES:
        return None
    return Signature(name, content[:_ID_BYTES], content[_ID_BYTES:])


def _key_parts(text: str, half: str) -> tuple[str, str, bytes]:
    """Split a key into its name, its number in hexadecimal, and its 32 bytes."""
    name, _, rest = text.partition("+")
    key_id, _, encoded = rest.partition("+")
    content = from_base64(encoded)
    if not _is_name(name) or content is None or len(content) != 1 + _KEY_BYTES or content[:1] != _ED25519:
        raise KeyTextError(f"no {half} key: expected a name, 8 hexadecimal digits and an Ed25519 key, joined by +")
    return name, key_id, content[1:]


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None
