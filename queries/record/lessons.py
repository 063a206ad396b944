"""Record lessons, and put them where agents read them."""

from linetrail.ledger.hook import news
from linetrail.ledger.intents.changes import Author
from linetrail.ledger.knowledge import lessons
from linetrail.ledger.knowledge.lesson import Lesson, event_data
from linetrail.ledger.repository import Repository
from linetrail.queries.record.author import append


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
    told, key = event_data(lesson, forgotten=forgotten), ("lesson", who.session_id or "", lesson.id)
    append(repository, who, "lesson.recorded", told, intent_id, key=key)
