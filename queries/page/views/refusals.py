"""What was refused, by which rule, what came of it, and what happened all the same."""

from collections.abc import Mapping

from linetrail.queries.page import charts
from linetrail.queries.page.view import Asked, Record, Shown, place_of, question

SIZE = 200


def show(asked: Asked) -> Shown:
    """Return the verdicts that refused something, newest first, and what contradicts them."""
    since = asked.option("since")
    told = {} if since is None else {"since": since}
    with asked.tables() as tables:
        refusals = question(asked, tables, "activity", kind="refusal", **told)
        page = place_of(sum(row["count"] for row in refusals["rows"]), asked, SIZE)
        denied = question(asked, tables, "log", verdict="deny", limit=str(page["last"]), **told)
        outcomes = question(asked, tables, "gate_outcomes", **told)
        executed = question(asked, tables, "denied_but_executed", **told)
        about = {
            "outcomes": outcomes,
            "executed": executed if asked.whole else {**executed, "rows": executed["rows"][:SIZE]},
            "executed_of": len(executed["rows"]),
            "by_rule": question(asked, tables, "rejections", **told),
            "violations": question(asked, tables, "gate_violations", **told),
        }
    counts = {row["outcome"]: row["verdicts"] for row in outcomes["rows"]}
    funnel = _funnel(counts, len({row["verdict_id"] for row in executed["rows"]}))
    shown = denied["rows"][page["first"] - 1 :]
    return Shown("Refusals", shown, {**about, "funnel": funnel, "page": page, "log": {**denied, "rows": []}})


def _funnel(counts: Mapping[str, int], executed: int) -> Record:
    """Return how many calls came to each step, and what became of those that were refused."""
    refused, overridden = counts.get("refused", 0), counts.get("overridden", 0)
    steps = [("judged", counts.get("judged", 0)), ("asked a person", counts.get("asked a person", 0))]
    steps += [("only noted", counts.get("noted", 0)), ("refused", refused)]
    ends = [("obeyed", max(refused - overridden - executed, 0)), ("let through by a person", overridden)]
    ends += [("happened all the same", executed)]
    return {"steps": charts.bars(steps), "ends": charts.bars(ends)}
