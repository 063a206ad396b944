"""`linetrail classify`: find out whether a change alters behaviour or only how the code is written.

Nothing here judges: the rules are in `projections/proof/`. This says what is judged, and what is said of it.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.classify.classify import classify, judge
from linetrail.projections.classify.judgement import AST_REFACTOR, BUG_FIX, Change
from linetrail.projections.classify.revisions import commits, difference
from linetrail.projections.git.diff_sides import Sides, asked_paths, sides
from linetrail.projections.git.history import Objects
from linetrail.projections.tables.table import Table
from linetrail.queries.answers import classify_text
from linetrail.queries.answers.classify_rows import (
    COMMITS,
    CONTRADICTS,
    EVOLVES,
    FILES,
    CommitRow,
    commit_row,
    fails,
    file_rows,
    whole,
)
from linetrail.queries.answers.diff import RANGE, about
from linetrail.queries.batch.pairs import PairError, Row, add_pairs, answers, optional_text, text
from linetrail.queries.render.output import add_formats, give
from linetrail.queries.render.text import counted

# So many commits of a range are held against what they say of themselves.
MAX_COMMITS = 200


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "%(prog)s [-h] [--explain] [--commits] [--fail-on WHAT] [--json|--csv|--nl|--table]\n"
        "            [A..B | A...B | REV | REV^!] [-- PATH ...]\n"
        "       %(prog)s --event ID | --session ID [--explain] [--json]\n"
        "       %(prog)s --pairs FILE\n"
        "       %(prog)s --record [--json]"
    )
    parser.epilog = classify_text.LEGEND
    parser.add_argument("range", metavar="RANGE", nargs="?", help=f"{RANGE}; REV^! what one commit changed")
    add_pairs(parser, required=False)
    parser.add_argument("--event", metavar="ID", help="judge one recorded change")
    parser.add_argument("--session", metavar="ID", help="judge each change of a session, and what they are together")
    parser.add_argument("--record", action="store_true", help="judge all recorded changes that are not, and record it")
    parser.add_argument("--commits", action="store_true", help="a row for each commit of the range")
    parser.add_argument("--explain", action="store_true", help="say why, as a reviewer would")
    parser.add_argument("--fail-on", choices=(EVOLVES, CONTRADICTS), help="exit 1 where there is one")
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Judge the range, the pairs or the recorded changes that the options name."""
    others = [f"--{name}" for name in ("pairs", "event", "session", "record") if getattr(args, name)]
    ranged = ["a range"] if args.range or args.paths or args.commits else []
    if len([*others, *ranged]) > 1:
        raise UsageError(f"{' and '.join([*others, *ranged])} ask for different things; give one")
    if args.pairs:
        return answers(args.pairs, _judged, directory=args.directory, apart=True)
    repository = find(args.directory)
    if not others:
        return _between(repository, args)
    from linetrail.queries.commands.questions import classify_ledger  # reads tables, so it brings the database

    return classify_ledger.run(require_ledger(repository), args)


def _between(repository: Repository, args: argparse.Namespace) -> int:
    """Judge the difference of two revisions, and compare the commits between them with what their messages declare."""
    between = sides(repository, args.range)
    paths = asked_paths(repository, between, args.directory, args.paths)
    with closing(Objects(repository)) as store:
        if args.commits:
            return _show_commits(list(_commit_rows(repository, store, between, paths, claiming=False)), between, args)
        found = difference(repository, store, between, paths)
        judged = judge(found.step) if found.step else None
        doubtful = [row for row in _commit_rows(repository, store, between, paths, claiming=True) if row.contradiction]
    rows = file_rows(judged, found)
    said = whole(judged, found)
    told = {**about(between), **said, "contradictions": [row._asdict() for row in doubtful]}
    give(args, Table(FILES, rows), told, lambda: classify_text.files(rows, said, explain=args.explain))
    for row in doubtful:
        print(f"warning: {classify_text.doubt(row)}", file=sys.stderr)
    failed = bool(doubtful) if args.fail_on == CONTRADICTS else args.fail_on == said["label"]
    return int(failed)


def _show_commits(rows: Sequence[CommitRow], between: Sides, args: argparse.Namespace) -> int:
    if between.after is None:
        raise UsageError("--commits needs a range that ends in a commit, as A..B or REV^!")
    give(args, Table(COMMITS, rows), about(between), lambda: classify_text.commits(rows, explain=args.explain))
    return int(fails(args.fail_on, rows))


def _commit_rows(
    repository: Repository, store: Objects, between: Sides, paths: Sequence[str], *, claiming: bool
) -> Iterator[CommitRow]:
    """Judge each commit of a range, the latest first; with `claiming`, only those whose message declares a class."""
    if between.after is None:
        return
    revisions = [between.after, *([f"^{between.before}"] if between.before else [])]
    found = list(commits(repository, revisions, MAX_COMMITS + 1))
    if len(found) > MAX_COMMITS:
        print(f"note: of this range the latest {counted(MAX_COMMITS, 'commit')} are looked at", file=sys.stderr)
    for commit in found[:MAX_COMMITS]:
        if not claiming or commit.claim in (AST_REFACTOR, BUG_FIX):
            changed = difference(repository, store, commit.sides, paths)
            if changed.step:
                yield commit_row(commit, judge(changed.step))


def _judged(row: Row) -> dict[str, Any]:
    judged = classify(_step(row)).whole
    return {
        "label": judged.label,
        "kind": judged.kind,
        "mutation_class": judged.mutation_class,
        "evidence": list(judged.evidence),
        "rule_version": judged.rule_version,
    }


def _step(row: Row) -> list[Change]:
    """Return the change in an input line: of one file, or of all in `files`."""
    files = row.get("files")
    if files is None:
        return [_change(row)]
    if not isinstance(files, list) or not files or not all(isinstance(file, dict) for file in files):
        raise PairError("INVALID_FIELD", "`files` must be a list of objects, one at least")
    return [_change(file) for file in files]


def _change(file: Row) -> Change:
    before, after = (_content(file, side) for side in ("before", "after"))
    if before is None and after is None:
        raise PairError("INVALID_FIELD", "`before` and `after` are both null: there is no file to judge")
    return Change(text(file, "path"), before, after, optional_text(file, "from_path"))


def _content(file: Row, side: str) -> bytes | None:
    if side not in file:
        raise PairError("INVALID_FIELD", f"`{side}` is missing; null says that there was no file")
    content = optional_text(file, side)
    return None if content is None else content.encode(errors="surrogatepass")
