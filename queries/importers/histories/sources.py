"""The agents whose histories can be read. Nothing registers itself."""

from linetrail.queries.importers.histories import cline, codex, copilot_cli, cursor, gemini_cli, opencode
from linetrail.queries.importers.histories.history import Source

# agent as named on the command line -> what reads its histories
SOURCES: dict[str, Source] = {
    source.NAME: source for source in (codex, gemini_cli, cline.CLINE, cline.ROO, cursor, copilot_cli, opencode)
}
