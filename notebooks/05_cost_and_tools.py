"""What answers of models cost, how much the cache saved, which tools fail, where agents went round in circles.

`marimo edit notebooks/05_cost_and_tools.py` shows the repository that `linetrail demo` unpacks; with
`-- --repository DIR`, or where LINETRAIL_REPOSITORY names it, yours.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="linetrail: cost and tools", sql_output="native")


@app.cell(hide_code=True)
def _():
    import altair as alt
    import marimo as mo
    import pictures

    import linetrail

    return alt, linetrail, mo, pictures


@app.cell
def _(linetrail, pictures):
    repository = pictures.repository()
    connection = linetrail.connect(repository)
    return (connection,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    # What did it take?

    Tokens come from the transcripts of agents, prices from their public lists. What this cannot show: what a
    subscription costs, and answers whose transcript was never imported.
    """)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Day by day
    """)
    return


@app.cell
def _(connection, linetrail, pictures):
    cost = [row for row in pictures.rows(linetrail.ask(connection, "cost_by", dim="day")) if row["dim"]]
    models = pictures.rows(linetrail.ask(connection, "cost_by", dim="model"))
    return cost, models


@app.cell(hide_code=True)
def _(alt, cost, mo, pictures):
    _days = (
        pictures.chart(cost, "cost at list prices, by day")
        .transform_calculate(usd="datum.cost_microusd / 1e6")
        .mark_bar(size=12, color="#0072b2")
        .encode(
            x=alt.X("dim:T", title=None, axis=alt.Axis(format="%b %d")),
            y=alt.Y("usd:Q", title="US dollars", axis=alt.Axis(format=".2f")),
            tooltip=["dim:T", alt.Tooltip("usd:Q", format=".3f"), "answers:Q", "tokens:Q", "unpriced:Q"],
        )
        .properties(width="container", height=200)
    )
    mo.vstack(
        [
            pictures.shown(cost, _days, "No answer of a model is recorded: import the transcripts."),
            pictures.sql("cost_by"),
        ]
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Where the tokens went

    What is read from the cache costs a tenth of what is read anew. What this cannot show: why a cache was missed.
    """)
    return


@app.cell
def _(models):
    kinds = [
        {"model": row["dim"] or "unknown", "kind": kind, "tokens": row[f"{column}_tokens"] or 0}
        for row in models
        for kind, column in {
            "read anew": "input",
            "written to the cache": "cache_creation_input",
            "read from the cache": "cache_read_input",
            "answered": "output",
        }.items()
    ]
    return (kinds,)


@app.cell(hide_code=True)
def _(alt, kinds, mo, models, pictures):
    _kinds = (
        pictures.chart(kinds, "tokens, by model and kind")
        .mark_bar()
        .encode(
            x=alt.X("tokens:Q", axis=alt.Axis(format="~s")),
            y=alt.Y("model:N", title=None),
            color=alt.Color("kind:N", scale=alt.Scale(range=["#e69f00", "#d55e00", "#56b4e9", "#0072b2"])),
            tooltip=["model:N", "kind:N", alt.Tooltip("tokens:Q", format=",")],
        )
        .properties(width="container", height=alt.Step(32))
    )
    mo.vstack(
        [
            pictures.shown(kinds, _kinds, "No tokens are recorded."),
            pictures.listed(models, "No model is recorded.", "dim", "answers", "cost_microusd", "unpriced", "tokens"),
        ]
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Is anything counted twice?

    Agents report an answer again with each of its blocks, and when a session is resumed. Each key counts once; this
    sets what was reported against what is counted.
    """)
    return


@app.cell
def _(connection, pictures):
    reported = pictures.rows(
        connection.sql(
            """
            with
            reports as (
                select
                    coalesce(payload ->> 'usage_key', event_id) as usage_key,
                    cast(payload ->> 'output_tokens' as bigint) as output_tokens
                from v_events
                where event_type = 'usage.recorded'
            )
            select 'reported' as what, count(*) as answers, sum(output_tokens) as output_tokens from reports
            union all
            select 'under different keys', count(distinct usage_key), null from reports
            union all
            select 'counted', count(*), sum(output_tokens) from v_token_usage
            """
        )
    )
    pictures.listed(reported, "No answer is recorded.")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Which tools fail

    What this cannot show: a test that fails is a command that fails; that is what tests are for. Of calls without
    an end nobody knows how they ended, and some agents say of no command that it failed.
    """)
    return


@app.cell
def _(connection, linetrail, pictures):
    failures = pictures.rows(linetrail.ask(connection, "tool_failures"))
    return (failures,)


@app.cell(hide_code=True)
def _(alt, failures, mo, pictures):
    _outcomes = [
        {"tool": tool, "outcome": outcome, "calls": number}
        for tool in sorted({row["tool_name"] or "unknown" for row in failures})
        for own in [[row for row in failures if (row["tool_name"] or "unknown") == tool]]
        for outcome, number in {
            "failed": sum(row["failed"] for row in own),
            "no end seen": own[0]["unfinished"],
            "done": own[0]["calls"] - own[0]["unfinished"] - sum(row["failed"] for row in own),
        }.items()
    ]
    _tools = (
        pictures.chart(_outcomes, "calls, by tool")
        .mark_bar()
        .encode(
            x=alt.X("calls:Q"),
            y=alt.Y("tool:N", title=None, sort="-x"),
            color=pictures.colour("outcome:N", {"done": "#0072b2", "failed": "#d55e00", "no end seen": "#999999"}),
            tooltip=["tool:N", "outcome:N", "calls:Q"],
        )
        .properties(width="container", height=alt.Step(24))
    )
    mo.vstack(
        [
            pictures.shown(_outcomes, _tools, "No call of a tool is recorded."),
            pictures.listed(
                failures,
                "No tool was called.",
                "tool_name",
                "error_type",
                "calls",
                "failed",
                "p50_ms",
                "p95_ms",
                "last_error",
            ),
            pictures.sql("tool_failures"),
        ]
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Round in circles

    The same call, with the same input, three times and more in one session. What this cannot show: the same attempt
    in other words.
    """)
    return


@app.cell
def _(connection, linetrail, pictures):
    loops = pictures.rows(linetrail.ask(connection, "loops"))
    return (loops,)


@app.cell(hide_code=True)
def _(alt, loops, mo, pictures):
    _circles = (
        pictures.chart(
            [row | {"what": f"{row['tool_name']}: {(row['example'] or '')[:48]}"} for row in loops[:20]],
            "repeated calls",
        )
        .mark_bar(color="#cc79a7")
        .encode(
            x=alt.X("repeats:Q", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("what:N", title=None, sort="-x"),
            tooltip=["what:N", "agent_name:N", "repeats:Q", "failed:Q", "first_at:T", "last_at:T"],
        )
        .properties(width="container", height=alt.Step(26))
    )
    mo.vstack([pictures.shown(loops, _circles, "No call was repeated three times."), pictures.sql("loops")])
    return


if __name__ == "__main__":
    app.run()
