"""Refactor or evolution: what was proved to change no behaviour, what was not, a commit of each.

`marimo edit notebooks/07_refactor_or_evolution.py` shows the repository that `linetrail demo` unpacks; with
`-- --repository DIR`, or where LINETRAIL_REPOSITORY names it, yours.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="linetrail: refactor or evolution", sql_output="native")


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
    # Did it change what the program does?

    A refactoring changes no behaviour. linetrail compares the syntax trees before and after, and calls a change a
    refactoring only where it can *prove* that; everything else is an evolution. So *evolution* also means: not
    proved.
    """)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## How much of each intent

    What this cannot show: whether an evolution was wanted. And changes that nobody judged are grey.
    """)
    return


@app.cell
def _(connection, linetrail, pictures):
    mix = [
        row | {"class": row["change_class"] or "not judged", "intent": row["intent_id"] or "no intent"}
        for row in pictures.rows(linetrail.ask(connection, "class_mix"))
    ]
    return (mix,)


@app.cell(hide_code=True)
def _(alt, mix, mo, pictures):
    _mix = (
        pictures.chart(mix[:200], "changes, by intent and class")
        .mark_bar()
        .encode(
            x=alt.X("sum(mutations):Q", title="changes"),
            y=alt.Y("intent:N", title=None),
            color=pictures.colour("class:N", pictures.CLASSES),
            tooltip=["intent:N", "class:N", "sum(mutations):Q", "sum(lines):Q"],
        )
        .properties(width="container", height=alt.Step(26))
    )
    mo.vstack([pictures.shown(mix, _mix, "No change of an agent is recorded."), pictures.sql("class_mix")])
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## What was proved, and what not

    What this cannot show: a proof that the rules do not know yet. `unproved` is a limit of the rules as often as of
    the change.
    """)
    return


@app.cell
def _(connection, pictures):
    proved = pictures.rows(
        connection.sql(
            """
            select coalesce(change_class, 'not judged') as class, coalesce(change_kind, '-') as kind, count(*) as times
            from v_mutation_classes
            group by all
            order by times desc, class, kind
            """
        )
    )
    return (proved,)


@app.cell(hide_code=True)
def _(alt, pictures, proved):
    _proved = (
        pictures.chart(proved, "changes, by what the evidence is")
        .mark_bar()
        .encode(
            x=alt.X("times:Q", title="changes"),
            y=alt.Y("kind:N", title=None, sort="-x"),
            color=pictures.colour("class:N", pictures.CLASSES),
            tooltip=["kind:N", "class:N", "times:Q"],
        )
        .properties(width="container", height=alt.Step(26))
    )
    pictures.shown(proved, _proved, "No change was judged; that is what `linetrail classify --record` does.")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Said to be a refactoring, and not proved

    What this cannot show: that the change was wrong. It says that the word was not earned.
    """)
    return


@app.cell
def _(connection, linetrail, mo, pictures):
    claims = pictures.rows(linetrail.ask(connection, "refactor_violations"))
    mo.vstack(
        [
            pictures.listed(
                claims,
                "Nothing was called a refactoring that is not proved to be one.",
                "about",
                "words",
                "evidence",
                "paths",
                "occurred_at",
            ),
            pictures.sql("refactor_violations"),
        ]
    )
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## One of each

    The last commit whose every file is proved to be a refactoring, and the last that is an evolution in every file,
    among the latest twelve.
    """)
    return


@app.cell
def _(connection, linetrail, repository):
    latest = connection.sql(
        """
        select vcs_revision, subject
        from v_commits
        where in_history and parent_revision is not null
        order by committed_at desc, vcs_revision
        limit 12
        """
    ).fetchall()
    judged = [
        (revision, subject, linetrail.classify(repository, f"{revision}^!").mappings()) for revision, subject in latest
    ]
    code = [
        (revision, subject, [file for file in files if not file["path"].startswith(".orchestration/")])
        for revision, subject, files in judged
    ]
    examples = {
        title: next((one for one in code if one[2] and {file["label"] for file in one[2]} <= labels), None)
        for title, labels in {
            "proved": {"refactor", "formatting", "comment"},
            "not proved": {"evolution"},
        }.items()
    }
    return (examples,)


@app.cell(hide_code=True)
def _(examples, linetrail, mo, repository):
    def _page(title, example):
        if example is None:
            return mo.md(f"**{title}**\n\n*None of the latest twelve commits.*")
        revision, subject, files = example
        changed = linetrail.diff(repository, f"{revision}^!").mappings()
        signs = {"added": "+", "deleted": "-"}
        text = "\n".join(
            f"{signs.get(row['change'], ' ')} {row['text']}" for row in changed if not row["path"].startswith(".")
        )
        evidence = "\n".join(
            f"- `{file['path']}`: **{file['label']}** ({file['kind']}), {'; '.join(file['evidence'][:3])}"
            for file in files[:4]
        )
        return mo.md(f"**{title}** · `{revision[:8]}` {subject}\n\n```diff\n{text[:1500]}\n```\n\n{evidence}")

    mo.vstack([_page(title, example) for title, example in examples.items()], gap=2)
    return


if __name__ == "__main__":
    app.run()
