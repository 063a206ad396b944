"""Record lessons, and put them where agents read them."""

import time

from linetrail.ledger.event.event import derived_id
from linetrail.ledger.hook import news
from linetrail.ledger.intents.changes import Author
from linetrail.ledger.knowledge import lessons
from linetrail.ledger.knowledge.lesson import Lesson, event_data
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, head
from linetrail.queries.record.author import event_by


def learn(repository: Repository, lesson: Lesson, intent_id: str | None, who: Author) -> tuple[Lesson, bool]:
    """Record a lesson; return it as it is known now, and whether it is new."""
    record(repository, lesson, intent_id, who)
    learned, new = lessons.learn(repository, lesson)
    if new:
        news.spread(repository, [news.of_lesson(learned)], by=who.session_id)
    return learned, new


def record(
    repository: Repository, lesson: Lesson, intent_id: str | None, who: Author, *, forgotten: bool | None = None
) -> None:
    """Append a lesson to the ledger, or that it is forgotten."""
    now_ns = time.time_ns()
    name = derived_id(now_ns, "lesson", str(now_ns), who.session_id or "", lesson.id)
    told, vcs = event_data(lesson, forgotten=forgotten), head(repository)
    event = event_by(who, "lesson.recorded", told, event_id=name, now_ns=now_ns, intent_id=intent_id, vcs=vcs)
    Ledger(repository).append([event])
