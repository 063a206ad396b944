"""What was refused, by which rule, and what happened all the same."""

from linetrail.queries.answers.log import log
from linetrail.queries.page.view import Asked, Shown, page_of, question

SIZE = 200


def show(asked: Asked) -> Shown:
    """Return the verdicts that refused something, newest first, and what contradicts them."""
    since = asked.option("since")
    told = {} if since is None else {"since": since}
    with asked.tables() as tables:
        denied = list(log(asked.repository, tables, denied=True, **told).mappings())
        about = {
            "by_rule": question(asked, tables, "rejections", **told),
            "violations": question(asked, tables, "gate_violations", **told),
            "executed": question(asked, tables, "denied_but_executed", **told),
            "answers": question(asked, tables, "approvals", **told),
        }
    shown, page = page_of(denied, asked, SIZE)
    return Shown(
        "Refusals", shown, {**about, "page": page, "log": {"question": "log", "told": {"verdict": "deny", **told}}}
    )
