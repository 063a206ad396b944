"""Say that an intent is done, in its registry and in the ledger, with the evidence for it."""

from collections.abc import Sequence

from linetrail.ledger.intents import transitions
from linetrail.ledger.intents.changes import COMMAND, Author
from linetrail.ledger.intents.edits import Change
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.intents.transitions import TransitionError
from linetrail.ledger.repository import Repository
from linetrail.queries.record.intent_record import change
from linetrail.queries.render.text import plain


def finish(
    repository: Repository, intent_id: str, notes: str | None, *, by: str = COMMAND, who: Author | None = None
) -> None:
    """Change the registry and record it; an intent with acceptance criteria needs notes that say how they are met."""

    def decide(found: Sequence[Intent]) -> Change:
        made = transitions.move(found, intent_id, "done")
        _verified(transitions.find(found, intent_id), notes)
        return made

    change(repository, decide, notes=notes, by=by, who=who)


def _verified(intent: Intent, notes: str | None) -> None:
    if intent.criteria and not (notes or "").strip():
        criteria = "; ".join(plain(criterion) for criterion in intent.criteria)
        hint = f'linetrail intents done {intent.id} --notes "how each of them was verified"'
        raise TransitionError(
            f"{intent.id} has acceptance criteria, and no notes say how they are met: {criteria}", hint
        )
