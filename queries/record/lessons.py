"""Record lessons, and put them where agents read them."""

import time

from linetrail.ledger.event.event import Event, derived_id, rfc3339
from linetrail.ledger.intents.changes import Author
from linetrail.ledger.knowledge import lessons
from linetrail.ledger.knowledge.lesson import Lesson, event_data, from_demand
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository
from linetrail.ledger.vcs import head


def learn(
    repository: Repository, text: str, path: str | None, intent_id: str | None, who: Author
) -> tuple[Lesson, bool]:
    """Record a stated lesson; return it as it is known now, and whether it is new."""
    lesson = from_demand(text, path, intent_id)
    record(repository, lesson, intent_id, who)
    return lessons.learn(repository, lesson)


def record(
    repository: Repository, lesson: Lesson, intent_id: str | None, who: Author, *, forgotten: bool | None = None
) -> None:
    """Append a lesson to the ledger, or that it is forgotten."""
    now_ns = time.time_ns()
    event = Event(
        id=derived_id(now_ns, "lesson", str(now_ns), who.session_id or "", lesson.id),
        timestamp=rfc3339(now_ns),
        type="lesson.recorded",
        session_id=who.session_id,
        agent=who.agent,
        contributor=who.contributor,
        intent_id=intent_id,
        vcs=head(repository),
        data=event_data(lesson, forgotten=forgotten),
    )
    Ledger(repository).append([event])
