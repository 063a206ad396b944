"""What the notebooks share: the repository or store that they show, colours, charts that say why there is nothing."""

import base64
import decimal
import html
import io
import itertools
import os
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import altair as alt
import marimo as mo

import linetrail
from linetrail.queries.ask.question_files import bound
from linetrail.queries.commands.records.demo import unpack
from linetrail.queries.fleet.asking import Query, ask, asking_person
from linetrail.queries.fleet.build import build
from linetrail.queries.fleet.questions import of_organisation

# Colours that everybody can tell apart (Okabe and Ito); what is not known has none.
WHO = {"ai": "#0072b2", "mixed": "#56b4e9", "human": "#e69f00", "unknown": "#999999"}
CLASSES = {
    "evolution": "#d55e00",
    "fix": "#cc79a7",
    "refactor": "#009e73",
    "format": "#56b4e9",
    "not judged": "#999999",
}
SEVERAL = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999"]
# To be read on white and on black.
INK, FAINT = "#808080", "#80808040"
_UNPACKED = []
# Whether pictures are images and tables are plain, for readers that run nothing.
STILL = os.environ.get("LINETRAIL_STILL") == "1"


@alt.theme.register("linetrail", enable=True)
def theme():
    """Draw on whatever is behind, cut no label."""
    words = {"labelColor": INK, "titleColor": INK, "labelLimit": 460, "titleFontWeight": "normal"}
    lines = {"gridColor": FAINT, "domainColor": FAINT, "tickColor": FAINT}
    lines |= {"labelOverlap": "greedy", "labelSeparation": 6}
    return {
        "config": {
            "background": "transparent",
            "view": {"stroke": None},
            "axis": words | lines,
            "legend": words | {"orient": "top", "title": None, "symbolLimit": 30, "symbolOpacity": 1},
            "title": {"color": INK, "anchor": "start", "fontWeight": "normal", "fontSize": 14},
            "header": words,
            "range": {"category": SEVERAL},
        }
    }


def repository():
    """Return the folder that is asked: `-- --repository DIR`, LINETRAIL_REPOSITORY, else the demonstration."""
    chosen = mo.cli_args().get("repository") or os.environ.get("LINETRAIL_REPOSITORY")
    if chosen:
        return os.path.expanduser(str(chosen))
    _UNPACKED.append(tempfile.TemporaryDirectory(prefix="linetrail-"))
    folder = os.path.join(_UNPACKED[-1].name, "linetrail-demo")
    unpack(folder)
    return folder


def store():
    """Return the URL of the store that is asked: `-- --fleet URL`, LINETRAIL_FLEET, else one that is made up."""
    chosen = mo.cli_args().get("fleet") or os.environ.get("LINETRAIL_FLEET")
    if chosen:
        return str(chosen)
    _UNPACKED.append(tempfile.TemporaryDirectory(prefix="linetrail-"))
    out = Path(_UNPACKED[-1].name, "fleet")
    size = ("--repositories", "8", "--events", "1500", "--days", "60", "--kinds", "40")
    root = Path(__file__).resolve().parent.parent
    made = [sys.executable, "-m", "tests.fleet", *size, "--out", out]
    subprocess.run(made, cwd=root, check=True, capture_output=True)
    url = (out / "store").as_uri()
    build(url)
    return url


def counted(url, name, **told):
    """Return the answer to a question of the organisation, once it is written down who asks."""
    question = of_organisation()[name]
    answer, _ = ask(Query(url, question.sql, bound(question, told), name=f"@{name}"), asking_person("."))
    return rows(answer.table)


def rows(answer):
    """Return an answer of linetrail, or of DuckDB, as dictionaries with values that JSON has."""
    if hasattr(answer, "mappings"):
        found = answer.mappings()
    else:
        found = [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()]
    return [{name: _plain(value) for name, value in row.items()} for row in found]


def _plain(value):
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return float(value) if isinstance(value, decimal.Decimal) else value


def chart(answer, title):
    """Start a chart of rows, which travel in the page."""
    return alt.Chart(alt.Data(values=answer), title=title)


def shown(answer, picture, nothing):
    """Return a picture of rows; where there is none, say why."""
    if not answer:
        return mo.md(f"*{nothing}*")
    return _still(picture) if STILL else picture


def listed(answer, nothing, *names):
    """Return rows as a table, with the columns that are named."""
    found = [{name: row[name] for name in names or row} for row in answer]
    if not found:
        return mo.md(f"*{nothing}*")
    return _lines(found) if STILL else mo.ui.table(found, selection=None, page_size=12, show_download=False)


def sql(*names):
    """Return the SQL of questions that have a name, to be opened."""
    known = {**linetrail.questions(), **of_organisation()}
    texts = {f"the SQL of @{name}": known[name].sql for name in names}
    if STILL:
        pages = (
            f"<details><summary>{name}</summary><pre>{html.escape(text)}</pre></details>"
            for name, text in texts.items()
        )
        return mo.Html("".join(pages))
    return mo.accordion({name: mo.md(f"```sql\n{text}\n```") for name, text in texts.items()})


def _still(picture):
    """Draw a chart as an image, which every reader of a notebook shows."""
    wide = picture.properties(width=640) if picture.width == "container" else picture
    image = io.BytesIO()
    wide.properties(background="white").save(image, format="png")
    return mo.Html(f'<img alt="" src="data:image/png;base64,{base64.b64encode(_packed(image.getvalue())).decode()}">')


def _packed(png):
    """Pack the rows of an image as tightly as they go: they come packed in haste."""
    start, parts, at = png.index(b"IDAT") - 4, [], png.index(b"IDAT") - 4
    while png[at + 4 : at + 8] == b"IDAT":
        size = int.from_bytes(png[at : at + 4])
        parts.append(png[at + 8 : at + 8 + size])
        at += size + 12
    packed = zlib.compress(zlib.decompress(b"".join(parts)), 9)
    chunk = b"IDAT" + packed
    return png[:start] + len(packed).to_bytes(4) + chunk + zlib.crc32(chunk).to_bytes(4) + png[at:]


def _lines(found):
    def row(cells, tag):
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row(("-" if value is None else value for value in one.values()), "td") for one in found[:12])
    return mo.Html(f"<table>{row(found[0], 'th')}{body}</table>")


def colour(field, colours):
    """Colour by a field; `colours` are a mapping, the same in every notebook."""
    return alt.Color(field, scale=alt.Scale(domain=list(colours), range=list(colours.values())))


def bands(answer, stages, weight, colours):
    """Draw how much goes from stage to stage, as bands between bars: what Sankey drew for steam engines."""
    total = sum(row[weight] for row in answer) or 1
    bars, places = [], {}
    for at, stage in enumerate(stages):
        y = 0.0
        for name in sorted({row[stage] for row in answer}):
            size = sum(row[weight] for row in answer if row[stage] == name) / total
            bars.append({"x": at, "x2": at + 0.04, "y": y, "y2": y + size, "name": name})
            places[at, name] = y
            y += size + 0.03
    left, right, points = dict(places), dict(places), []
    for at, (before, after) in enumerate(itertools.pairwise(stages)):
        for one, other in sorted({(row[before], row[after]) for row in answer}):
            among = [row for row in answer if (row[before], row[after]) == (one, other)]
            size = sum(row[weight] for row in among) / total
            from_y, to_y = left[at, one], right[at + 1, other]
            left[at, one] += size
            right[at + 1, other] += size
            for step in range(21):
                part = step / 20
                y = from_y + (to_y - from_y) * part * part * (3 - 2 * part)
                link = {"link": f"{one} to {other}", "from": one, "to": other, weight: size * total}
                points.append(link | {"x": at + 0.3 + 0.7 * part, "y": y, "y2": y + size})
    axis = alt.Scale(domain=[-0.02, len(stages) - 0.5])
    x, y = alt.X("x:Q", axis=None, scale=axis), alt.Y("y:Q", axis=None, scale=alt.Scale(reverse=True))
    ribbon = chart(points, "").mark_area(opacity=0.45, orient="vertical")
    ribbon = ribbon.encode(x, y, y2="y2:Q", detail="link:N", tooltip=["link:N", f"{weight}:Q"])
    ribbon = ribbon.encode(color=colour("from:N", colours).legend(None))
    blocks = chart(bars, "").mark_rect(color=INK).encode(x, y, x2="x2:Q", y2="y2:Q", tooltip="name:N")
    words = chart(bars, "").transform_calculate(at="datum.x + 0.06", middle="(datum.y + datum.y2) / 2")
    words = words.mark_text(align="left", color=INK).encode(x="at:Q", y="middle:Q", text="name:N")
    return (ribbon + blocks + words).properties(width="container", height=340)
