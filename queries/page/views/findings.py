"""What the audit finds, by rule."""

from linetrail.queries.answers.audit import audited, meta, rows
from linetrail.queries.arguments.moments import moment
from linetrail.queries.page.view import Asked, Shown


def show(asked: Asked) -> Shown:
    """Return the findings of all rules, under the policy of the repository."""
    since = asked.option("since")
    found = audited(asked.repository, since=None if since is None else moment(since), until=asked.until)
    about = meta(asked.repository, found.audit, found.report, found.fail_on)
    return Shown("Findings", list(rows(found.audit.findings).mappings()), {"audit": about, "since": since})
