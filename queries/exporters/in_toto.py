"""Write an in-toto statement about a commit, bare or in a DSSE envelope that a key has signed.

The same ledger and commit give the same bytes, signed or not. A bare one says of itself that it is not signed.
"""

import base64
import hashlib
import json
import os
import sys
from datetime import date

from linetrail.ledger.errors import UsageError
from linetrail.ledger.log import signed_notes
from linetrail.ledger.log.signed_notes import Signer
from linetrail.ledger.repository import FOLDER, Repository, git
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.projections.tables.verification import Report, examine
from linetrail.queries.audit import policy_file, rulebook
from linetrail.queries.audit.audit import Asking, audit
from linetrail.queries.exporters.formats import Asked
from linetrail.queries.exporters.history import commits
from linetrail.queries.exporters.output import put, say
from linetrail.queries.exporters.statement import About, Json, statement
from linetrail.queries.record.keys import read_key
from linetrail.queries.render.text import counted

PAYLOAD_TYPE = "application/vnd.in-toto+json"
_LAST_DAY = "select cast(max(occurred_at) as date) from v_events"


def export(asked: Asked) -> None:
    repository = asked.repository
    signer = None if asked.sign is None else read_key(asked.sign, asked.directory, repository)
    about = _about(repository, asked.range)
    report = examine(repository, full=True)
    with open_tables(repository) as tables:
        judged = _judged(repository, tables, report)
        told = statement(repository, tables, report, about, judged, signed=signer is not None)
    payload = json.dumps(told, separators=(",", ":")).encode()
    put(asked, [(payload if signer is None else envelope(payload, signer)) + b"\n"])
    say(asked, 1, "statement")
    print(f"signed by {signer.verifier.name}" if signer else "unsigned: sign it with --sign FILE", file=sys.stderr)
    if report.tail.seq:
        what = (
            "is not sealed, so no subject has it" if report.tail.seq == 1 else "are not sealed, so no subject has them"
        )
        print(f"{counted(report.tail.seq, 'event')} {what}\nnext: linetrail seal", file=sys.stderr)


def envelope(payload: bytes, signer: Signer) -> bytes:
    """Return the DSSE envelope of a payload; what is signed is its type, too, each with its length."""
    signed = f"DSSEv1 {len(PAYLOAD_TYPE)} {PAYLOAD_TYPE} {len(payload)} {payload.decode()}"
    verifier = signer.verifier
    told = {
        "payloadType": PAYLOAD_TYPE,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [
            {
                "keyid": f"{verifier.name}+{verifier.id.hex()}",
                "sig": base64.b64encode(signed_notes.sign(signed, signer).value).decode(),
            }
        ],
    }
    return json.dumps(told, separators=(",", ":")).encode()


def _about(repository: Repository, wanted: str | None) -> About:
    """Return the last commit of a range, whose lines count, or HEAD with all of its lines."""
    found = commits(repository, wanted)
    if not found:
        raise UsageError(
            f"no commit to make a statement about{' in ' + wanted if wanted else ''}",
            "git log --oneline" if wanted else "git commit, then the same again",
        )
    if wanted is None:
        head = (git(repository, "rev-parse", "--verify", "HEAD^{commit}") or b"").decode().strip()
        return About(head, None, None)
    return About(found[-1], wanted, frozenset(found))


def _judged(repository: Repository, tables: Tables, report: Report) -> Json:
    """Ask the rules of an audit, as of the day of the last event, so that the answer does not change by itself."""
    held, file = policy_file.load(repository, None)
    ((day,),) = tables.ask(_LAST_DAY).rows
    asking = Asking(list(rulebook.rules().values()), held, file or "", day or date.min)
    found = audit(repository, tables, asking, report.problems)
    prints = "\n".join(sorted(one.fingerprint for one in found.findings))
    return {
        "file": f"{FOLDER}/{policy_file.FILE}" if file else None,
        "sha256": _sha256(file) if file else None,
        "findings": {rule.id: len(own) for rule, own in sorted(found.by_rule().items(), key=lambda pair: pair[0].id)},
        "findings_sha256": hashlib.sha256(prints.encode()).hexdigest(),
        "excepted": found.excepted,
    }


def _sha256(path: str) -> str | None:
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
