"""What an audit asks of a few weeks: what was refused, what happened all the same, and what to do.

`marimo edit notebooks/03_audit_week.py` shows the repository that `linetrail demo` unpacks; with
`-- --repository DIR`, or where LINETRAIL_REPOSITORY names it, yours.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="linetrail: an audit", sql_output="native")


@app.cell(hide_code=True)
def _():
    import collections

    import altair as alt
    import marimo as mo
    import pictures

    import linetrail

    return alt, collections, linetrail, mo, pictures


@app.cell
def _(linetrail, pictures):
    repository = pictures.repository()
    connection = linetrail.connect(repository)
    return connection, repository


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    # What happened that should not have?

    A gate judges each call before it runs. Most are fine. This is about the others.
    """)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## From judged to overridden

    What this cannot show: calls of agents whose hooks were off. They are in no bar; what they changed comes up
    below.
    """)
    return


@app.cell
def _(connection, linetrail, pictures):
    outcomes = pictures.rows(linetrail.ask(connection, "gate_outcomes"))
    return (outcomes,)


@app.cell(hide_code=True)
def _(alt, mo, outcomes, pictures):
    _y = alt.Y("outcome:N", title=None, sort=["judged", "asked a person", "noted", "refused", "overridden"])
    _funnel = pictures.chart(outcomes, "calls, by what came of them").encode(
        x=alt.X("verdicts:Q", title="calls"), y=_y, tooltip=["outcome:N", "verdicts:Q", "sessions:Q", "last_at:T"]
    )
    _picture = _funnel.mark_bar(color="#0072b2") + _funnel.mark_text(align="left", dx=4, color=pictures.INK).encode(
        text="verdicts:Q"
    )
    mo.vstack(
        [
            pictures.shown(
                [row for row in outcomes if row["verdicts"]],
                _picture.properties(width="container", height=alt.Step(28)),
                "The gate judged no call: nothing is recorded, or no hook is a gate.",
            ),
            pictures.sql("gate_outcomes"),
        ]
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## When

    What this cannot show: the moment of a violation that was found later is that of finding it.
    """)
    return


@app.cell
def _(connection, linetrail, pictures):
    days = [
        row
        for kind in ("refusal", "violation")
        for row in pictures.rows(linetrail.ask(connection, "activity", kind=kind))
        if row["day"]
    ]
    return (days,)


@app.cell(hide_code=True)
def _(alt, days, mo, pictures):
    _by_day = (
        pictures.chart(days, "refusals and violations, by day")
        .mark_bar(size=12)
        .encode(
            x=alt.X("day:T", title=None, axis=alt.Axis(format="%b %d")),
            y=alt.Y("count:Q", title=None, axis=alt.Axis(tickMinStep=1)),
            color=pictures.colour("kind:N", {"refusal": "#e69f00", "violation": "#d55e00"}),
            tooltip=["day:T", "kind:N", "count:Q"],
        )
        .properties(width="container", height=180)
    )
    mo.vstack(
        [
            pictures.shown(days, _by_day, "Nothing was refused, and nothing went past the gate."),
            pictures.sql("activity"),
        ]
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## By what it was refused

    `source` says who: a person, the agent's own dialog or rules, or linetrail's gate. What this cannot show: a
    refusal in the agent's dialog that its hooks are not told of.
    """)
    return


@app.cell
def _(connection, linetrail, pictures):
    refused = pictures.rows(linetrail.ask(connection, "rejections"))
    return (refused,)


@app.cell(hide_code=True)
def _(alt, mo, pictures, refused):
    _rules = (
        pictures.chart(refused, "refused, by rule")
        .mark_bar()
        .encode(
            x=alt.X("sum(count):Q", title="calls", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("rule_id:N", title=None, sort="-x"),
            color=pictures.colour("source:N", {"linetrail": "#0072b2", "person": "#e69f00", "agent": "#56b4e9"}),
            tooltip=["rule_id:N", "tool_name:N", "count:Q", "example:N", "source:N"],
        )
        .properties(width="container", height=alt.Step(22))
    )
    mo.vstack([pictures.shown(refused, _rules, "Nothing was refused."), pictures.sql("rejections")])
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## What a person answered

    What this cannot show: answers in an agent's own dialog, of which hooks see only what ran afterwards.
    """)
    return


@app.cell
def _(connection, linetrail, mo, pictures):
    answers = pictures.rows(linetrail.ask(connection, "approval_answers"))
    mo.vstack(
        [
            pictures.listed(
                answers, "Nobody was asked.", "occurred_at", "answer", "extent", "action", "reason", "waited_seconds"
            ),
            pictures.sql("approval_answers"),
        ]
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Refused, and done all the same

    A hook is a guard rail, not a boundary: these calls were denied, and a file changed as they said.
    """)
    return


@app.cell
def _(connection, linetrail, mo, pictures):
    past_the_gate = pictures.rows(linetrail.ask(connection, "denied_but_executed"))
    mo.vstack(
        [
            pictures.listed(
                past_the_gate,
                "Nothing that was denied was seen to happen.",
                "path",
                "reason_code",
                "source",
                "via",
                "occurred_at",
            ),
            pictures.sql("denied_but_executed"),
        ]
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## What to do

    The findings of `linetrail audit`, the first 200 of them with the next command. What this cannot show: whether a
    finding matters. That is for whoever knows the code.
    """)
    return


@app.cell
def _(collections, linetrail, pictures, repository):
    findings = pictures.rows(linetrail.audit(repository))
    by_rule = [
        {"name": name, "level": level, "findings": number}
        for (name, level), number in collections.Counter((row["name"], row["level"]) for row in findings).items()
    ]
    return by_rule, findings


@app.cell(hide_code=True)
def _(alt, by_rule, findings, mo, pictures):
    _levels = {"high": "#d55e00", "medium": "#e69f00", "low": "#56b4e9"}
    _found = (
        pictures.chart(by_rule, "findings, by rule")
        .mark_bar()
        .encode(
            x=alt.X("findings:Q", title="findings", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("name:N", title=None, sort="-x"),
            color=pictures.colour("level:N", _levels),
            tooltip=["name:N", "level:N", "findings:Q"],
        )
        .properties(width="container", height=alt.Step(22))
    )
    mo.vstack(
        [
            pictures.shown(by_rule, _found, "The audit found nothing."),
            pictures.listed(findings[:200], "There is nothing to do.", "level", "message", "next"),
        ]
    )
    return


if __name__ == "__main__":
    app.run()
