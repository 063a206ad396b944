"""What an organisation may know of many repositories at once: counts over groups of people, and nobody by name.

`marimo edit notebooks/08_fleet.py` shows repositories that the simulator of the tests makes up; with `-- --fleet URL`,
or where LINETRAIL_FLEET names it, a store of yours. Each question is written down there, as `linetrail fleet sql` does.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="linetrail: a fleet", sql_output="native")


@app.cell(hide_code=True)
def _():
    import altair as alt
    import marimo as mo
    import pictures

    return alt, mo, pictures


@app.cell
def _(pictures):
    store = pictures.store()
    return (store,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    # What do agents do here, in all repositories?

    Every number is about at least five people; smaller groups are put together as *(others)*, and what is too small
    even so is counted nowhere. What this cannot show: anybody's work, on purpose.
    """)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Month by month
    """)
    return


@app.cell
def _(pictures, store):
    adoption = pictures.counted(store, "adoption_trend")
    spending = pictures.counted(store, "spending_trend")
    return adoption, spending


@app.cell(hide_code=True)
def _(adoption, alt, mo, pictures, spending):
    _used = (
        pictures.chart(adoption, "sessions of agents, by month")
        .mark_bar(color="#0072b2")
        .encode(
            x=alt.X("month:O", title=None),
            y="sessions:Q",
            tooltip=["month:O", "sessions:Q", "prompts:Q", "changes:Q", "repositories:Q"],
        )
        .properties(width="container", height=180)
    )
    _paid = (
        pictures.chart(spending, "cost at list prices, by month")
        .transform_calculate(usd="datum.cost_microusd / 1e6")
        .mark_bar(color="#e69f00")
        .encode(
            x=alt.X("month:O", title=None),
            y=alt.Y("usd:Q", title="US dollars"),
            tooltip=["month:O", alt.Tooltip("usd:Q", format=",.2f"), "answers:Q", "tokens:Q", "unpriced:Q"],
        )
        .properties(width="container", height=180)
    )
    mo.vstack(
        [
            pictures.shown(adoption, _used, "No month has sessions of enough people."),
            pictures.shown(spending, _paid, "No month has answers for enough people."),
            pictures.sql("adoption_trend", "spending_trend"),
        ]
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Does it last?

    Of the lines that agents wrote, those that are there after 30 days. What this cannot show: whether a line that
    went was wrong, or its time was over.
    """)
    return


@app.cell
def _(pictures, store):
    lasting = pictures.counted(store, "lasting")
    return (lasting,)


@app.cell(hide_code=True)
def _(alt, lasting, mo, pictures):
    _lasts = (
        pictures.chart([row | {"dim": row["dim"][:12]} for row in lasting], "there after 30 days, by repository")
        .mark_bar(color="#009e73")
        .encode(
            x=alt.X("survived_30_pct:Q", title="per cent", scale=alt.Scale(domain=[0, 100])),
            y=alt.Y("dim:N", title=None, sort=None),
            tooltip=["dim:N", "survived_30_pct:Q", "known_30:Q", "lines_written:Q"],
        )
        .properties(width="container", height=alt.Step(28))
    )
    mo.vstack([pictures.shown(lasting, _lasts, "No repository has lines of enough people."), pictures.sql("lasting")])
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## What was refused, and what became of it

    What this cannot show: what agents did not try, since they know that it is refused.
    """)
    return


@app.cell
def _(pictures, store):
    refused = pictures.counted(store, "refused")
    return (refused,)


@app.cell(hide_code=True)
def _(alt, mo, pictures, refused):
    _became = {
        "only_noted": ("only noted", "#999999"),
        "let_through": ("a person said yes", "#0072b2"),
        "done_anyway": ("done without a yes", "#d55e00"),
        "another_way": ("went on with something else", "#e69f00"),
        "given_up": ("given up", "#009e73"),
    }
    _ends = [
        {"reason": row["dim"] or "not known", "end": label, "refusals": row[name]}
        for row in refused
        for name, (label, _) in _became.items()
    ]
    _refusals = (
        pictures.chart(_ends, "refusals and what came of them, by reason")
        .mark_bar()
        .encode(
            x="refusals:Q",
            y=alt.Y("reason:N", title=None, sort="-x"),
            color=pictures.colour("end:N", dict(_became.values())),
            tooltip=["reason:N", "end:N", "refusals:Q"],
        )
        .properties(width="container", height=alt.Step(26))
    )
    mo.vstack([pictures.shown(_ends, _refusals, "Nothing was refused to enough people."), pictures.sql("refused")])
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Whose files were changed, and what each repository cost

    Owners are teams of CODEOWNERS. What this cannot show: files without an owner apart from each other.
    """)
    return


@app.cell
def _(mo, pictures, store):
    mo.vstack(
        [
            pictures.listed(pictures.counted(store, "owned_work"), "No team has enough people."),
            pictures.listed(pictures.counted(store, "spending"), "No repository has enough people."),
            pictures.sql("owned_work", "spending"),
        ]
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## How much of this is known

    What was seen happening, read in an agent's records afterwards, or only found: a count is as good as its records.
    """)
    return


@app.cell
def _(mo, pictures, store):
    mo.vstack(
        [
            pictures.listed(pictures.counted(store, "records"), "No repository has enough people."),
            pictures.sql("records"),
        ]
    )
    return


if __name__ == "__main__":
    app.run()
