"""Everything that is known of one event, call, intent, commit, decision or approval."""

from linetrail.queries.answers.show import show as about
from linetrail.queries.page.view import Asked, Shown


def show(asked: Asked) -> Shown:
    """Return the record that the option `id` names."""
    with asked.tables() as tables:
        found = about(asked.repository, tables, asked.option("id") or "")
    return Shown(f"{found['kind'].capitalize()} {asked.option('id')}", [found], {})
