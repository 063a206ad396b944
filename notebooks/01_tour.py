"""A tour of what a ledger knows: sessions, changes, the author of each line, and the questions that have a name.

`marimo edit notebooks/01_tour.py` shows the repository that `linetrail demo` unpacks; with
`-- --repository DIR`, or where LINETRAIL_REPOSITORY names it, yours.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="linetrail: a tour", sql_output="native")


@app.cell(hide_code=True)
def _():
    import altair as alt
    import marimo as mo
    import pictures

    import linetrail

    return alt, linetrail, mo, pictures


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    # Who wrote this, and why?

    Coding agents run hooks; linetrail's hooks append what happens to a ledger in the repository. Everything below is
    asked of the repository of `linetrail demo`, where two agents and a person worked for four weeks, or of yours.

    `linetrail.connect()` is a DuckDB connection with every table of it, in memory: nothing is locked, nothing leaves
    this machine.
    """)
    return


@app.cell
def _(linetrail, pictures):
    repository = pictures.repository()
    connection = linetrail.connect(repository)
    return connection, repository


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Who was at work

    One row is one conversation with an agent.
    """)
    return


@app.cell
def _(connection, mo):
    sessions = mo.sql(
        f"""
        select
            strftime(first_event_at, '%Y-%m-%d %H:%M') as began,
            agent_name,
            model_id,
            prompts,
            tool_requests,
            mutations
        from v_sessions
        order by first_position
        """,
        engine=connection,
    )
    return (sessions,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## What they changed

    Each change of a file is recorded as it was found on disk, whoever made it: a tool of the agent, a command in its
    shell, a person. What nobody saw being made is *unknown*, and stays so.
    """)
    return


@app.cell
def _(connection, mo):
    changes = mo.sql(
        f"""
        select
            strftime(occurred_at, '%Y-%m-%d') as changed_on,
            contributor_type,
            count(*) as changes,
            sum(lines_added + lines_deleted) as lines
        from v_mutations
        group by all
        order by all
        """,
        output=False,
        engine=connection,
    )
    return (changes,)


@app.cell(hide_code=True)
def _(alt, changes, pictures):
    _changes = pictures.rows(changes)
    _days = (
        pictures.chart(_changes, "Lines added and deleted, by day")
        .mark_bar(size=16)
        .encode(
            x=alt.X("changed_on:T", title=None, axis=alt.Axis(format="%b %d")),
            y=alt.Y("lines:Q", title="lines"),
            color=pictures.colour("contributor_type:N", pictures.WHO),
            tooltip=["changed_on:T", "contributor_type:N", "changes:Q", "lines:Q"],
        )
        .properties(width="container", height=220)
    )
    pictures.shown(_changes, _days, "No change is recorded yet.")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Whose lines they are today

    `v_blame_lines` has every line of every file as `linetrail blame` answers it. It is worked out when a query first
    names it, and kept. The lines of a large repository take minutes: these are of its fifteen largest files of code.
    """)
    return


@app.cell
def _(connection, pictures):
    largest = connection.sql("""
        select path
        from v_files
        where tracked and role in ('code', 'test') and bytes between 1 and 200000
        order by bytes desc, path
        limit 15
    """).fetchall()
    connection.tables.look_at(*(path for (path,) in largest))
    shares = pictures.rows(
        connection.sql(
            """
            select path, case when mixed then 'mixed' else contributor_type end as contributor_type, count(*) as lines
            from v_blame_lines
            group by all
            order by all
            """
        )
    )
    return (shares,)


@app.cell(hide_code=True)
def _(alt, pictures, shares):
    _largest = (
        pictures.chart(shares, "Lines of the largest files")
        .transform_calculate(rank=f"indexof({list(pictures.WHO)}, datum.contributor_type)")
        .mark_bar()
        .encode(
            x=alt.X("sum(lines):Q", title="lines"),
            y=alt.Y("path:N", title=None, sort="-x"),
            color=pictures.colour("contributor_type:N", pictures.WHO),
            order="rank:Q",
            tooltip=["path:N", "contributor_type:N", "lines:Q"],
        )
        .properties(width="container")
    )
    pictures.shown(shares, _largest, "Nothing is committed yet.")
    return


@app.cell(hide_code=True)
def _(linetrail, mo):
    questions = mo.ui.dropdown(
        {
            question.question: name
            for name, question in sorted(linetrail.questions().items(), key=lambda item: item[1].question)
            if all(parameter.optional for parameter in question.parameters)
        },
        value=linetrail.questions()["hot_files"].question,
        label="ask",
        full_width=True,
    )
    mo.vstack(
        [
            mo.md("""
    ## Questions that have a name

    `linetrail sql --list` names them, `linetrail sql @NAME` asks one in a terminal, `linetrail.ask` here.
    """),
            questions,
        ]
    )
    return (questions,)


@app.cell(hide_code=True)
def _(linetrail, mo, questions, repository):
    answer = linetrail.ask(repository, questions.value).mappings()
    mo.ui.table(answer, selection=None) if answer else mo.md("*No row: there is nothing of the kind here.*")
    return


@app.cell(hide_code=True)
def _(connection, mo, shares):
    tracked = connection.sql("""
        select path
        from v_files
        where tracked and role in ('code', 'test') and bytes between 1 and 200000
        order by path
    """).fetchall()
    paths = [path for (path,) in tracked]
    # of the largest, the file with most lines by agents says most
    most = max((row for row in shares if row["contributor_type"] == "ai"), key=lambda row: row["lines"], default=None)
    file = mo.ui.dropdown(paths, value=most["path"] if most else None, label="file", searchable=True)
    mo.vstack(
        [
            mo.md("""
    ## Line by line

    `evidence` names the rule that decided, `confidence` says how sure it is; what git alone knows is presumed.
    """),
            file,
        ]
    )
    return (file,)


@app.cell(hide_code=True)
def _(file, linetrail, mo, repository):
    shown = ("line_no", "contributor_type", "mixed", "intent_id", "agent_name", "evidence", "confidence", "text")
    lines = linetrail.blame(repository, file.value).mappings() if file.value else []
    mo.ui.table([{name: line[name] for name in shown} for line in lines], selection=None, page_size=20)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## On from here

    `show tables` lists every table; the columns of the views `v_…` say what they mean:
    """)
    return


@app.cell
def _(connection, mo):
    meanings = mo.sql(
        f"""
        select table_name, column_name, data_type, comment
        from duckdb_columns()
        where table_name in ('v_mutations', 'v_blame_lines') and comment is not null
        order by table_name, column_index
        """,
        engine=connection,
    )
    return (meanings,)


if __name__ == "__main__":
    app.run()
