"""A line and its life: who wrote it, what was asked, how its function changed, how long its neighbours lived.

`marimo edit notebooks/02_line_story.py` shows the repository that `linetrail demo` unpacks; with
`-- --repository DIR`, or where LINETRAIL_REPOSITORY names it, yours.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="linetrail: a line and its life", sql_output="native")


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
    # A line and its life

    A line of code has a past: somebody asked for it, somebody wrote it, somebody changed it since. Choose one; offered
    first is one in which agents and people had a hand, in one of the sixteen files that agents changed last.
    """)
    return


@app.cell
def _(connection, mo):
    recent = connection.sql("""
        select files.path
        from v_files as files
        left join v_mutations as changes on changes.path = files.path and changes.contributor_type = 'ai'
        where files.tracked and files.role in ('code', 'test') and files.bytes between 1 and 200000
        group by files.path
        order by max(changes.position) desc nulls last, files.path
    """).fetchall()
    paths = sorted(path for (path,) in recent)
    # the lines of a large repository take minutes: one is offered out of the files that agents changed last
    connection.tables.look_at(*(path for (path,) in recent[:16]))
    (place,) = connection.sql("""
        select path, line_no
        from v_blame_lines
        order by mixed desc, contributor_type = 'ai' desc, path like '%test%', path, line_no desc
        limit 1
    """).fetchall() or [(None, 1)]
    file = mo.ui.dropdown(paths, value=place[0], label="file", searchable=True)
    number = mo.ui.number(start=1, value=place[1], label="line")
    mo.hstack([file, number], justify="start")
    return file, number


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## The file, as it is today

    Each bar is a line, as long as its text; the chosen one has a frame. What this cannot show: what a line *means*.
    A colour says who made its last change of substance, not who had the idea.
    """)
    return


@app.cell
def _(file, linetrail, number, pictures, repository):
    blamed = pictures.rows(linetrail.blame(repository, file.value)) if file.value else []
    line = min(number.value, len(blamed))
    near = [
        row | {"width": max(len(row["text"].rstrip()), 1), "indent": len(row["text"]) - len(row["text"].lstrip())}
        for row in blamed[max(line - 60, 0) : line + 60]
    ]
    who = [row | {"who": "mixed" if row["mixed"] else row["contributor_type"]} for row in near]
    return blamed, line, who


@app.cell(hide_code=True)
def _(alt, file, line, pictures, who):
    _bars = (
        pictures.chart(who, f"{file.value}, line {line}")
        .mark_bar()
        .encode(
            x=alt.X("indent:Q", title="signs", scale=alt.Scale(nice=False)),
            x2="width:Q",
            y=alt.Y("line_no:O", title=None, axis=alt.Axis(labelOverlap=True)),
            color=pictures.colour("who:N", pictures.WHO),
            stroke=alt.condition(alt.datum.line_no == line, alt.value(pictures.INK), alt.value(None)),
            strokeWidth=alt.value(2),
            tooltip=["line_no:Q", "text:N", "who:N", "intent_id:N", "agent_name:N", "evidence:N", "confidence:Q"],
        )
        .properties(width="container", height=alt.Step(9))
    )
    pictures.shown(who, _bars, "No line is committed here, so there is nothing to blame.")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Why it is as it is

    What `linetrail why` says. What this cannot show: a reason that nobody wrote down. Where a row says *not
    recorded*, nothing is guessed.
    """)
    return


@app.cell(hide_code=True)
def _(blamed, file, line, linetrail, mo, repository):
    _why = linetrail.why(repository, f"{file.value}:{line}").mappings() if blamed else []
    _story = _why[0] if _why else {}
    _prompt, _intent = _story.get("prompt") or {}, _story.get("intent") or {}
    _decided = [f"{one['title']}: {one['rationale']}" for one in _story.get("decisions") or []]
    _rejected = [
        f"{way['option']} ({way['why_rejected']})"
        for one in _story.get("decisions") or []
        for way in one.get("alternatives") or []
    ]
    _facts = {
        "the line": f"`{(_story.get('text') or '').strip()}`",
        "author": _story.get("agent_name") or _story.get("author"),
        "intent": _intent.get("title") or _story.get("intent_id"),
        "asked": _prompt.get("prompt_excerpt"),
        "decided": "; ".join(_decided),
        "rejected": "; ".join(_rejected),
        "commit": _story.get("commit_summary"),
        "evidence": f"{_story.get('evidence')}, confidence {_story.get('confidence')}",
    }
    _table = "\n".join(f"| **{name}** | {value or '*not recorded*'} |" for name, value in _facts.items())
    mo.md(f"| | |\n|:--|:--|\n{_table}") if _story else mo.md("*There is no line to ask about.*")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## The prompt behind it

    The question `@line_conversation`: the prompt that the call says it answers, else the last one before the
    change.
    """)
    return


@app.cell
def _(connection, file, line, linetrail, mo, pictures):
    conversation = pictures.rows(linetrail.ask(connection, "line_conversation", path=file.value or "", line=line or 1))
    mo.vstack(
        [
            pictures.listed(
                conversation,
                "No prompt was recorded for this line.",
                "prompt_excerpt",
                "turn",
                "agent_name",
                "prompt_at",
            ),
            pictures.sql("line_conversation"),
        ]
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## How its function changed

    Each point is a version of the innermost definition around the line, found again through renames and files, as
    `linetrail lineage` tells them; `@node_history` has the same in SQL, for which it reads all history first. What this
    cannot show: definitions in languages without a grammar here, and versions that were never committed nor recorded.
    """)
    return


@app.cell
def _(blamed, file, line, linetrail, pictures, repository):
    around = linetrail.why(repository, f"{file.value}:{line}").mappings()[0]["node"] if blamed else None
    node = f"{file.value}:{around['qualified_name']}" if around else None
    versions = [
        row | {"change": ", ".join(row["change"])}
        for row in (pictures.rows(linetrail.lineage(repository, node)) if node else [])
    ]
    return node, versions


@app.cell(hide_code=True)
def _(alt, mo, node, pictures, versions):
    _points = (
        pictures.chart(versions, f"versions of {node}")
        .mark_point(filled=True, size=160, opacity=0.9)
        .encode(
            x=alt.X("written_at:T", title=None),
            y=alt.Y("change:N", title=None),
            color=pictures.colour("contributor_type:N", pictures.WHO),
            tooltip=[
                "written_at:T",
                "change:N",
                "contributor_type:N",
                "agent_name:N",
                "intent_id:N",
                "mutation_class:N",
                "lines_added:Q",
                "lines_deleted:Q",
            ],
        )
        .properties(width="container", height=alt.Step(32))
    )
    mo.vstack(
        [
            pictures.shown(versions, _points, "No definition is around this line, or none that a grammar reads."),
            pictures.sql("node_history"),
        ]
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## How long its neighbours lived

    Each bar is a run of lines that one change wrote, from its birth to its end; one that is pale is no longer
    there. What this cannot show: who wrote the lines that were there before the first hook ran.
    """)
    return


@app.cell
def _(connection, file, pictures):
    spans = pictures.rows(
        connection.sql(
            """
            select
                'run ' || row_number() over (order by born_at, span_id) as run,
                lines,
                contributor_type,
                coalesce(agent_name, '-') as agent_name,
                coalesce(intent_id, '-') as intent_id,
                born_at,
                coalesce(died_at, seen_until_at) as ended_at,
                case when died_at is null then 'is there still' else 'was changed or taken away' end as fate
            from v_line_spans
            where path = $path
            order by born_at, span_id
            limit 60
            """,
            params={"path": file.value},
        )
    )
    return (spans,)


@app.cell(hide_code=True)
def _(alt, file, pictures, spans):
    _lives = (
        pictures.chart(spans, f"runs of lines in {file.value}")
        .mark_bar(height=7)
        .encode(
            x=alt.X("born_at:T", title=None),
            x2="ended_at:T",
            y=alt.Y("run:N", title=None, sort=None, axis=None),
            color=pictures.colour("contributor_type:N", pictures.WHO),
            opacity=alt.condition("datum.fate == 'is there still'", alt.value(1), alt.value(0.4)),
            tooltip=["lines:Q", "agent_name:N", "intent_id:N", "born_at:T", "ended_at:T", "fate:N"],
        )
        .properties(width="container", height=alt.Step(10))
    )
    pictures.shown(spans, _lives, "No change of this file is recorded.")
    return


if __name__ == "__main__":
    app.run()
