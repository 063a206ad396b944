"""How long lines live: Kaplan and Meier's estimate by agent and by class, the age of the code, and rework.

`marimo edit notebooks/04_survival.py` shows the repository that `linetrail demo` unpacks; with
`-- --repository DIR`, or where LINETRAIL_REPOSITORY names it, yours.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="linetrail: how long lines live", sql_output="native")


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
    # How long do lines live?

    A line is born when it is written and ends when its substance is changed or taken away; white space, moves and
    renames end nothing. Lines that are there still are not left out: they count as long as they were seen (Kaplan
    and Meier).
    """)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## By agent

    The curve falls where lines end; the band is where the true share lies in 95 of 100 cases (Greenwood, on the
    scale of log(-log)), at 200 ages at most. What this cannot show: lines of one change end together, so the true
    band is wider than this one, and a curve on few lines says little: look at how many are at risk. It says nothing
    of who is better: tasks differ.
    """)
    return


@app.cell
def _(connection, pictures):
    kaplan_meier = """
    with
    lives as (
        select
            case
                when $cohort = 'agent' then coalesce(spans.agent_name, spans.contributor_type)
                else coalesce(classes.change_class, 'not judged')
            end as cohort,
            greatest(coalesce(spans.died_epoch, spans.seen_until_epoch) - spans.born_epoch, 0) / 86400.0 as age,
            spans.lines as lines,
            case when spans.died_epoch is null then 0 else spans.lines end as ended
        from v_line_spans as spans
        left join v_mutation_classes as classes on classes.mutation_id = spans.born_event
        where $cohort = 'agent' or spans.contributor_type = 'ai'
    ),
    ages as (select cohort, age, sum(lines) as lines, sum(ended) as ended from lives group by cohort, age),
    exposed as (select *, sum(lines) over (partition by cohort order by age desc) as at_risk from ages),
    curves as (
        select
            *,
            sum(case when ended < at_risk then ln(1.0 - ended / at_risk) else -50 end) over so_far as log_share,
            sum(case when ended < at_risk then ended / (at_risk * (at_risk - ended)) end) over so_far as variance
        from exposed
        window so_far as (partition by cohort order by age)
    ),
    shares as (
        select
            cohort,
            age,
            at_risk,
            exp(log_share) as share,
            1.96 * sqrt(variance) / -log_share as wide,
            -log_share as hazard,
            floor(200 * age / nullif(max(age) over (partition by cohort), 0)) as stretch
        from curves
    ),
    ends as (select *, row_number() over (partition by cohort, stretch order by age desc) as from_end from shares)
    select
        cohort, age as days, at_risk, share,
        case when hazard > 0 then exp(-hazard * exp(wide)) else share end as low,
        case when hazard > 0 then exp(-hazard * exp(-wide)) else share end as high
    from ends
    where from_end = 1
    union all
    select cohort, 0, max(at_risk), 1.0, 1.0, 1.0 from exposed group by cohort
    order by cohort, days
    """
    by_agent = pictures.rows(connection.sql(kaplan_meier, params={"cohort": "agent"}))
    return by_agent, kaplan_meier


@app.cell(hide_code=True)
def _(alt, by_agent, pictures):
    def curves(answer, title, colours=None):
        """Draw the share of lines that lived so long, as steps with a band."""
        cohort = pictures.colour("cohort:N", colours) if colours else alt.Color("cohort:N")
        base = pictures.chart(answer, title).encode(x=alt.X("days:Q", title="days since it was written"), color=cohort)
        band = base.mark_area(opacity=0.15, interpolate="step-after").encode(
            y=alt.Y("low:Q", title="share that lives", axis=alt.Axis(format="%"), scale=alt.Scale(zero=False)),
            y2="high:Q",
        )
        steps = base.mark_line(interpolate="step-after", strokeWidth=2.5).encode(
            y="share:Q", tooltip=["cohort:N", "days:Q", alt.Tooltip("share:Q", format=".1%"), "at_risk:Q"]
        )
        return (band + steps).properties(width="container", height=300)

    pictures.shown(
        by_agent, curves(by_agent, "lines, by who wrote them"), "No line is recorded, so none can be followed."
    )
    return (curves,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ### At risk

    How many lines are known to have lived so long, from the question `@survival`. Where there are few, the curve
    above says little.
    """)
    return


@app.cell
def _(connection, linetrail, mo, pictures):
    at_risk = pictures.rows(linetrail.ask(connection, "survival", cohort="agent"))
    _known = [row for row in at_risk if row["at_risk"]]
    mo.vstack(
        [
            pictures.listed(
                _known,
                "No line has lived for a day.",
                "contributor_type",
                "cohort_value",
                "t",
                "at_risk",
                "survival",
                "ci_lo",
                "ci_hi",
            ),
            pictures.sql("survival"),
        ]
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## By class

    Lines that agents wrote, by what the change that wrote them was judged to be. What this cannot show: changes
    that nobody judged; `linetrail classify --record` does.
    """)
    return


@app.cell
def _(connection, curves, kaplan_meier, pictures):
    by_class = pictures.rows(connection.sql(kaplan_meier, params={"cohort": "class"}))
    pictures.shown(
        by_class, curves(by_class, "lines of agents, by class", pictures.CLASSES), "No line of an agent is recorded."
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## How old the code is

    Lines at HEAD, by the week in which their last change of substance was made: of all files, or of forty that are
    drawn by a hash of their names. What this cannot show: the age of lines that only git knows is that of a commit,
    which may be later than the writing; the other files.
    """)
    return


@app.cell
def _(connection, pictures):
    drawn = connection.sql("""
        select path
        from v_files
        where tracked and role in ('code', 'test') and bytes between 1 and 200000
        order by md5(path)
        limit 40
    """).fetchall()
    connection.tables.look_at(*(path for (path,) in drawn))
    weeks = pictures.rows(
        connection.sql(
            """
            select
                date_trunc('week', cast(written_at as timestamp)) as week,
                case when mixed then 'mixed' else contributor_type end as who,
                count(*) as lines
            from v_blame_lines
            where written_at is not null
            group by all
            order by all
            """
        )
    )
    return drawn, weeks


@app.cell(hide_code=True)
def _(alt, drawn, pictures, weeks):
    _ages = (
        pictures.chart(weeks, f"lines of {len(drawn)} files at HEAD, by the week of their last change")
        .mark_bar()
        .encode(
            x=alt.X(
                "yearmonthdate(week):O", title=None, axis=alt.Axis(format="%b %d", labelAngle=0, labelOverlap=True)
            ),
            y=alt.Y("lines:Q"),
            color=pictures.colour("who:N", pictures.WHO),
            tooltip=["week:T", "who:N", "lines:Q"],
        )
        .properties(width="container", height=220)
    )
    pictures.shown(weeks, _ages, "Nothing is committed yet.")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Rework

    Of what agents wrote for each intent, how much was changed or taken away within 14 days. What this cannot show:
    lines younger than that count nowhere (`too_young`); rework is no fault by itself.
    """)
    return


@app.cell
def _(connection, linetrail, pictures):
    rework = pictures.rows(linetrail.ask(connection, "rework"))
    return (rework,)


@app.cell(hide_code=True)
def _(alt, mo, pictures, rework):
    _old_enough = [{**row, "intent_id": row["intent_id"] or "no intent"} for row in rework if row["lines"]]
    _rework = (
        pictures.chart(_old_enough, "lines that were changed again within 14 days")
        .mark_bar(color="#d55e00")
        .encode(
            x=alt.X("reworked_pct:Q", title="% of the lines of the intent", scale=alt.Scale(domainMin=0)),
            y=alt.Y("intent_id:N", title=None, sort="-x"),
            tooltip=[
                "intent_id:N",
                "title:N",
                "lines:Q",
                "reworked:Q",
                "by_itself:Q",
                "by_human_pct:Q",
                "by_unknown_pct:Q",
            ],
        )
        .properties(width="container", height=alt.Step(26))
    )
    mo.vstack(
        [
            pictures.shown(_old_enough, _rework, "No line of an agent is 14 days old yet."),
            pictures.listed(
                rework, "No intent has lines of agents.", "intent_id", "title", "lines", "reworked", "too_young"
            ),
            pictures.sql("rework"),
        ]
    )
    return


if __name__ == "__main__":
    app.run()
