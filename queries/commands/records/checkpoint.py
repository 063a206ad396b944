"""`linetrail checkpoint`: write the list of segments as a short text that can be signed and kept elsewhere."""

import argparse
import os
import sys

from linetrail.ledger.errors import UsageError
from linetrail.ledger.log import checkpoint, segments, signed_notes
from linetrail.ledger.log.checkpoint import Checkpoint
from linetrail.ledger.log.segments import Segment
from linetrail.ledger.log.store import TAIL
from linetrail.ledger.repository import FOLDER, Repository, find, git, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.queries.record.keys import here, read_key, write_key
from linetrail.queries.render.output import writable
from linetrail.queries.render.text import counted, document

COLUMNS = ("file", "origin", "size", "root", "heads", "signers", "text")
KEY_COLUMNS = ("file", "name", "id", "verifier")
# What git calls the two sides of a conflict in its index.
_SIDES = (2, 3)


class NothingSealedError(UsageError):
    """Nothing is sealed, so there is nothing to write a checkpoint of."""

    hint = "linetrail seal"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sign", metavar="FILE", help="sign it with the private key in FILE; `-` is standard input")
    parser.add_argument("--origin", metavar="NAME", help="what to call this ledger from now on: example.com/project")
    parser.add_argument("--generate-key", metavar="NAME", help="make a key of this name instead, print its public half")
    parser.add_argument("--key-out", metavar="FILE", help="where to write the private half of the new key")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Write and print the checkpoint of the sealed segments, or make a key."""
    if args.generate_key is not None or args.key_out is not None:
        return _make_key(args)
    repository = require_ledger(find(args.directory))
    signer = read_key(args.sign, args.directory, repository) if args.sign is not None else None
    sealed = _whole_segments(repository)
    before = _before(repository, sealed)
    origin = args.origin if args.origin is not None else checkpoint.origin(sealed, before)
    if not signed_notes.is_safe_name(origin):
        raise UsageError(f"--origin {origin!r}: expected one printable word without +, such as example.com/project")
    made = checkpoint.compose(sealed, origin, before=before, signer=signer)
    checkpoint.keep(repository.folder, made)
    _print(made, repository, args)
    return 0


def _whole_segments(repository: Repository) -> dict[str, Segment]:
    """Return all segments, each read whole; raise if one is damaged or missing."""
    folder = repository.folder
    sealed = {name: segments.read_header(folder, name) for name in segments.names(folder)}
    if not sealed:
        raise NothingSealedError("nothing is sealed yet, so a checkpoint would stand for nothing")
    for segment in sealed.values():
        segments.content(folder, segment)
    for name, child in segments.absent(sealed).items():
        raise segments.missing(folder, name, child)
    return sealed


def _before(repository: Repository, sealed: dict[str, Segment]) -> Checkpoint | None:
    """Return the checkpoint that is about to be replaced; raise if it shows that segments are lost.

    Two branches that both wrote one leave a conflict: it is settled by one that covers what both stand for.
    """
    content = checkpoint.read(repository.folder)
    if content is None:
        return None
    file = checkpoint.path(repository.folder)
    sides = _conflicting(repository)
    before = None
    for side in (content, *sides):
        try:
            parsed = checkpoint.parse(side)
        except signed_notes.NoteError as error:
            print(f"warning: replaced {file}, which was no checkpoint: offset {error.offset}: {error}", file=sys.stderr)
            continue
        before = before or parsed
        for problem in checkpoint.judge(side, sealed, file=file):
            raise problem
    if sides:
        print(f"it covers both sides of a conflict in {file}\nnext: git add {file}", file=sys.stderr)
    return before


def _conflicting(repository: Repository) -> list[bytes]:
    """Return the contents of both sides of a merge conflict."""
    place = f"{FOLDER}/{checkpoint.CHECKPOINT}"
    sides = (git(repository, "cat-file", "blob", f":{stage}:{place}") for stage in _SIDES)
    return [side for side in sides if side is not None]


def _print(made: Checkpoint, repository: Repository, args: argparse.Namespace) -> None:
    text = checkpoint.render(made).decode()
    file = checkpoint.path(repository.folder)
    if args.json:
        row = (file, made.origin, made.size, signed_notes.to_base64(made.root), made.heads, made.signers, text)
        print(document(Table(COLUMNS, [row]), {"root": repository.root}))
    else:
        print(text, end="")
    by = f"signed by {', '.join(made.signers)}" if made.signers else "unsigned"
    print(f"wrote {file}: {counted(made.size, 'segment')}, {by}", file=sys.stderr)
    tail = os.path.join(repository.folder, TAIL)
    if os.path.exists(tail) and os.path.getsize(tail):
        print(f"what waits in {TAIL} is not in it\nnext: linetrail seal, then linetrail checkpoint", file=sys.stderr)


def _make_key(args: argparse.Namespace) -> int:
    if args.generate_key is None or args.key_out is None or args.sign is not None or args.origin is not None:
        raise UsageError("--generate-key NAME and --key-out FILE go together, and with no other option but --json")
    signer = signed_notes.generate(args.generate_key)
    file = writable(os.path.normpath(os.path.join(args.directory, args.key_out)))
    write_key(file, signer, here(args.directory))
    public = signer.verifier
    if args.json:
        row = (file, public.name, public.id.hex(), public.text)
        print(document(Table(KEY_COLUMNS, [row]), {}))
    else:
        print(public.text)
    print(f"wrote the private key to {file}; the line above is public", file=sys.stderr)
    print(f"next: linetrail checkpoint --sign {file}", file=sys.stderr)
    return 0
