"""Write what an audit by all rules and the policy of the project finds, as `linetrail audit --format sarif` does."""

from importlib.metadata import version

from linetrail.projections.tables.tables import open_tables
from linetrail.projections.tables.verification import examine
from linetrail.queries.audit import policy_file, rulebook
from linetrail.queries.audit.audit import Asking, audit
from linetrail.queries.exporters.formats import Asked
from linetrail.queries.exporters.output import put, say
from linetrail.queries.exporters.sarif import Ran, sarif


def export(asked: Asked) -> None:
    held, file = policy_file.load(asked.repository, None)
    asking = Asking(list(rulebook.rules().values()), held, file or "", policy_file.today(), asked.since)
    report = examine(asked.repository)
    with open_tables(asked.repository) as tables:
        found = audit(asked.repository, tables, asking, report.problems)
    ran = Ran(["export", "sarif"], version("linetrail"), not report.problems)
    put(asked, [sarif(asked.repository, found, ran).encode()])
    say(asked, len(found.findings), "finding")
