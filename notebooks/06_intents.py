"""Pieces of work: how long they took, where they went, who met whom, and what was learned.

`marimo edit notebooks/06_intents.py` shows the repository that `linetrail demo` unpacks; with
`-- --repository DIR`, or where LINETRAIL_REPOSITORY names it, yours.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="linetrail: intents", sql_output="native")


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
    return connection, repository


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    # What was all this for?

    An intent is a piece of work with a scope. Agents select one before they write, so each change knows what it was
    for.
    """)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## How long they took

    From the creation of an intent to its completion. What this cannot show: intents that were there before the
    ledger have no beginning, and are in the table only.
    """)
    return


@app.cell
def _(connection, linetrail, pictures):
    lead = pictures.rows(linetrail.ask(connection, "intent_lead_time"))
    return (lead,)


@app.cell(hide_code=True)
def _(alt, lead, mo, pictures):
    _timed = [
        row | {"days": row["hours"] / 24, "what": f"{row['intent_id']}  {row['title']}"}
        for row in lead
        if row["hours"] is not None
    ]
    _lead = (
        pictures.chart(_timed, "from creation to completion")
        .mark_bar(color="#0072b2", height=14)
        .encode(
            x=alt.X("created_at:T", title=None, axis=alt.Axis(format="%b %d")),
            x2="completed_at:T",
            y=alt.Y("what:N", title=None, sort="x"),
            tooltip=["what:N", "days:Q", "sessions:Q", "reopens:Q"],
        )
        .properties(width="container", height=alt.Step(30))
    )
    mo.vstack(
        [
            pictures.shown(_timed[:30], _lead, "No intent was seen from its creation to its completion."),
            pictures.listed(
                lead, "No intent is completed.", "intent_id", "title", "hours", "sessions", "reopens", "completed_at"
            ),
            pictures.sql("intent_lead_time"),
        ]
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Where they went

    Changes by agents, from the intent they were made for, through the folder they changed, to what they were judged
    to be. What this cannot show: size. A change counts once, whether it is a line or a thousand.
    """)
    return


@app.cell
def _(connection, pictures):
    flows = pictures.rows(
        connection.sql(
            """
            with
            made as (
                select
                    coalesce(mutations.intent_id, 'no intent') as intent,
                    case
                        when mutations.path like '%/%' then split_part(mutations.path, '/', 1) || '/'
                        else 'the root'
                    end as folder,
                    coalesce(classes.change_class, 'not judged') as class
                from v_mutations as mutations
                left join v_mutation_classes as classes on classes.mutation_id = mutations.mutation_id
                where mutations.contributor_type = 'ai'
            ),
            most as (select intent from made group by intent order by count(*) desc, intent limit 10),
            widest as (select folder from made group by folder order by count(*) desc, folder limit 8)
            select
                case when intent in (from most) then intent else 'other intents' end as intent,
                case when folder in (from widest) then folder else 'other folders' end as folder,
                class,
                count(*) as changes
            from made
            group by all
            order by all
            """
        )
    )
    return (flows,)


@app.cell(hide_code=True)
def _(flows, mo, pictures):
    _names = sorted({row["intent"] for row in flows}) + sorted({row["folder"] for row in flows})
    _colours = {name: pictures.SEVERAL[at % len(pictures.SEVERAL)] for at, name in enumerate(_names)}
    mo.vstack(
        [
            mo.md("<small>intent → folder → class</small>"),
            pictures.shown(
                flows,
                pictures.bands(flows, ["intent", "folder", "class"], "changes", _colours),
                "No change of an agent is recorded.",
            ),
        ]
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Who met whom

    Two sessions that worked on one file at the same time, those that did longest. `@conflicts` names the definitions
    that both changed, too, for which it reads all history first. What this cannot show: whether they got in each
    other's way.
    """)
    return


@app.cell
def _(connection, pictures):
    met = connection.sql(
        """
        with
        work as (
            select
                path,
                session_id,
                max(intent_id) as intent_id,
                min(position) as begun_position,
                min(occurred_at) as begun_at,
                max(occurred_at) as left_at
            from v_mutations
            where contributor_type = 'ai' and session_id is not null
            group by path, session_id
        )
        select
            a.path as path,
            a.intent_id as intent_a,
            b.intent_id as intent_b,
            date_diff('second', b.begun_at, least(a.left_at, b.left_at)) as overlap_seconds,
            a.session_id as session_a,
            b.session_id as session_b
        from work as a
        inner join work as b on b.path = a.path and b.begun_position > a.begun_position and b.begun_at <= a.left_at
        order by overlap_seconds desc, path, session_a, session_b
        limit 200
        """
    )
    pictures.listed(pictures.rows(met), "No two sessions worked on a file at the same time.")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## What was learned

    Lessons, by what taught them. `violations_after`: how often the same refusal came again. What this cannot show:
    whether a lesson was read where nobody was told it.
    """)
    return


@app.cell
def _(connection, linetrail, pictures):
    lessons = pictures.rows(linetrail.ask(connection, "lessons"))
    return (lessons,)


@app.cell(hide_code=True)
def _(alt, lessons, mo, pictures):
    _lessons = (
        pictures.chart(lessons[:25], "times that each lesson was learned")
        .mark_bar()
        .encode(
            x=alt.X("times:Q", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("title:N", title=None, sort="-x"),
            color=alt.Color("source:N"),
            tooltip=["title:N", "source:N", "times:Q", "sessions:Q", "violations_after:Q", "path:N"],
        )
        .properties(width="container", height=alt.Step(24))
    )
    mo.vstack([pictures.shown(lessons, _lessons, "Nothing was learned yet."), pictures.sql("lessons")])
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## What was decided

    Decisions, with the ways that were not taken. What this cannot show: what was decided without being written
    down.
    """)
    return


@app.cell
def _(linetrail, pictures, repository):
    decided = [
        {
            "decision": row["decision_id"],
            "title": row["title"],
            "because": row["rationale"],
            "rejected": "; ".join(way["option"] for way in row["alternatives"] or []),
            "intent": row["intent_id"],
        }
        for row in pictures.rows(linetrail.decisions(repository))
    ]
    pictures.listed(decided, "No decision is recorded.")
    return


if __name__ == "__main__":
    app.run()
