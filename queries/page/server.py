"""Serve the views of a repository to a browser on this machine; read-only, unless answers to agents are allowed.

A page whose answer takes long says so, and how far it has come, until it is there.
"""

import json
import os
import socket
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple, cast
from urllib.parse import urlencode
from uuid import uuid4

import uvicorn
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from linetrail.ledger.errors import DamageWarning, LinetrailError, UsageError
from linetrail.ledger.hook.loop import finish
from linetrail.ledger.repository import Repository, is_waiting
from linetrail.projections.git.target import TargetError
from linetrail.projections.tables.table import Table
from linetrail.queries.ask.subject import NoSuchIdError
from linetrail.queries.page import html, live
from linetrail.queries.page.answers import MAX_BYTES, PATH, Answers
from linetrail.queries.page.answers import status as status_of
from linetrail.queries.page.assets import Asset, assets, vendored
from linetrail.queries.page.catalogue import HOME, VIEWS, show
from linetrail.queries.page.guard import Guard
from linetrail.queries.page.open_tables import OpenTables
from linetrail.queries.page.previous_pages import PreviousPages, Said
from linetrail.queries.page.view import Asked, NoSuchPageError, Shown, Store, damage
from linetrail.queries.page.worker import Worker
from linetrail.queries.render import progress
from linetrail.queries.render.text import SCHEMA_VERSION, comma_separated, escaped, json_value

ADDRESS = "127.0.0.1"
_GONE = (TargetError, NoSuchIdError, NoSuchPageError)

# After so long a browser is shown that its page is being worked out.
PATIENCE_SECONDS = 1.5


class Outcome(NamedTuple):
    """A view, or the error in its place, with what warnings said meanwhile and the position in the ledger before."""

    asked: Asked
    name: str
    found: Shown | LinetrailError
    caught: Sequence[warnings.WarningMessage]
    events: int
    last: PreviousPages


class Form(NamedTuple):
    """A form in which an outcome is sent."""

    media_type: str
    write: Callable[[Outcome], str]


class PortError(LinetrailError):
    """The port is somebody else's."""

    hint = "linetrail serve"


def listening(port: int) -> socket.socket:
    """Return a socket of this machine alone; port 0 stands for any that is free."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((ADDRESS, port))
    except (OSError, OverflowError) as error:
        found.close()
        raise PortError(f"port {port} cannot be had: {getattr(error, 'strerror', None) or error}") from None
    return found


def serve(
    repository: Repository,
    listener: socket.socket,
    started: Callable[[str], None],
    answers: Answers | None = None,
    store: Store | None = None,
) -> None:
    """Serve until the process is interrupted; `started` is given the address that lets a browser in, once.

    With `answers`, requests of agents can be answered on the page; of a `store`, the organisation's questions.
    """
    port = listener.getsockname()[1]
    app = application(repository, answers=answers, store=store)
    paths = [route.path for route in app.routes if isinstance(route, Route) and route.path != PATH]
    guard = Guard(app, port, paths, [PATH] if answers else ())
    config = uvicorn.Config(
        guard,
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=64,
        timeout_graceful_shutdown=1,
    )
    listener.listen()
    started(f"http://{ADDRESS}:{port}/?key={guard.key}")
    uvicorn.Server(config).run(sockets=[listener])


def application(
    repository: Repository,
    patience: float = PATIENCE_SECONDS,
    answers: Answers | None = None,
    store: Store | None = None,
) -> Starlette:
    """Return the pages of a repository, each as HTML and as JSON; nobody is kept out here."""
    worker: Worker[Response] = Worker()
    held, last = OpenTables(repository), PreviousPages(repository)

    def route(path: str, name: str, form: Form) -> Route:
        async def respond(request: Request) -> Response:
            options, whole = dict(request.query_params), form is _TABLE
            asked = Asked(repository, options, whole, may_answer=answers is not None, held=held, store=store)
            address = f"{path}?{request.url.query}"
            waited = patience if form is _PAGE else None
            found = await worker.answer(address, lambda: _response(asked, name, form, last), waited)
            return found or _working(asked, name, worker, last)

        return Route(path, respond)

    def file(asset: Asset) -> Route:
        return Route(asset.path, lambda _: Response(asset.text, media_type=asset.media_type))

    async def news(request: Request) -> Response:
        told = request.headers.get("last-event-id") or request.query_params.get("after", "")
        after = int(told) if told.isascii() and told.isdecimal() else 0
        content = live.news(repository, after) if request.method == "GET" else ()
        return StreamingResponse(content, media_type="text/event-stream")

    async def answered(request: Request) -> Response:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BYTES:
                break
        given = partial(_answered, cast("Answers", answers), body)
        return cast("Response", await worker.answer(f"{PATH} {uuid4()}", given, None))

    pages = [route("/" if name == HOME else f"/{name}", name, _PAGE) for name in VIEWS]
    documents = [route(f"/{name}.json", name, _DOCUMENT) for name in VIEWS]
    files = map(file, (*assets(".css"), *assets(".js"), *vendored()))
    sent = [Route(PATH, answered, methods=["POST"])] if answers else []
    tables = [route("/ask.csv", "ask", _TABLE)]
    return Starlette(routes=[*pages, *documents, *tables, *files, Route("/live", news), *sent])


def _response(asked: Asked, name: str, form: Form, last: PreviousPages) -> Response:
    """Return a view in a form, or the error in its place, with the damage that it leaves out."""
    status, events = HTTPStatus.OK, 0
    found: Shown | LinetrailError
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DamageWarning)
        try:
            if is_waiting(asked.repository):
                finish(asked.repository)  # as each command does: an answer is over all that hooks have read
            events = live.position(asked.repository)
            found = show(name, asked)
            text = form.write(Outcome(asked, name, found, caught, events, last))
        except LinetrailError as error:
            status, found = _status(error), error
        except Exception as error:  # noqa: BLE001  one page that fails must not end the others
            if os.environ.get("LINETRAIL_DEBUG") == "1":
                traceback.print_exc()
            status, found = HTTPStatus.INTERNAL_SERVER_ERROR, _BugError(f"internal error: {type(error).__name__}")
        if isinstance(found, LinetrailError):
            text = form.write(Outcome(asked, name, found, caught, events, last))
    return Response(text.encode("utf-8", "replace"), status, media_type=form.media_type)


def _status(error: LinetrailError) -> HTTPStatus:
    if isinstance(error, _GONE):
        return HTTPStatus.NOT_FOUND
    return HTTPStatus.BAD_REQUEST if isinstance(error, UsageError) else HTTPStatus.CONFLICT


def _working(asked: Asked, name: str, worker: Worker[Response], last: PreviousPages) -> Response:
    """Return the page that stands where an answer will be, and asks for it again; below, what was said last."""
    now, before = worker.progress, last.get(_name(asked, name))
    said = None if now is None else progress.said(now.done, now.total, now.unit, now.seconds)
    bar = html.on_the_server().get_template("working.html").render(progress=now, said=said, before=before)
    if before is None:
        page = _around(asked, name, "Working", bar, working=True)
    else:
        body = bar + before.body
        page = _around(asked, name, before.title, body, working=True, damage=before.damage, head=before.head)
    return Response(page.encode("utf-8", "replace"), HTTPStatus.ACCEPTED, media_type=_PAGE.media_type)


def _page(outcome: Outcome) -> str:
    templates, found, asked = html.on_the_server(), outcome.found, outcome.asked
    about: dict[str, object] = {"events": outcome.events}
    if isinstance(found, Shown):
        title, body = found.title, html.view(templates, outcome.name, found)
        with asked.tables() as tables:
            about["head"] = head = tables.parts[-1].head
        outcome.last.keep(_name(asked, outcome.name), Said(title, body, head, damage(outcome.caught)))
    else:
        title, body = "Nothing to show", html.problem(templates, found)
    return _around(asked, outcome.name, title, body, damage=damage(outcome.caught), **about)


def _name(asked: Asked, view: str) -> str:
    """Return the name of a page among those that are kept: one with buttons is another."""
    return f"{html.served(view, asked.options)} {asked.may_answer}"


def _around(asked: Asked, name: str, title: str, body: str, **about: object) -> str:
    """Return a whole page around what a view shows."""
    query = f"?{urlencode(asked.options)}" if asked.options else ""
    told: dict[str, object] = {"name": name, "title": title, "root": asked.repository.root, "store": asked.store}
    told["json"] = f"/{name}.json{query}"
    told["made"] = datetime.now(UTC)
    told["again"] = html.served(name, asked.options)  # with a fragment, a browser would stay where it is
    files = {"styles": assets(".css"), "scripts": assets(".js")}
    around = {"damage": (), "working": False, "events": None, "head": None} | told | files | about
    return html.on_the_server().get_template("page.html").render(around, body=Markup(body))  # noqa: S704  rendered, escaped


def _answered(answers: Answers, body: bytes) -> Response:
    try:
        return Response(_json({"rows": [answers.give(body)._asdict()]}), media_type=_DOCUMENT.media_type)
    except LinetrailError as error:
        return Response(_json({"error": _error(error)}), status_of(error), media_type=_DOCUMENT.media_type)


def _document(outcome: Outcome) -> str:
    told: Mapping[str, Any]
    found = outcome.found
    if isinstance(found, Shown):
        about = {"view": outcome.name, "title": found.title, "damage": damage(outcome.caught), **found.about}
        told = {"meta": about, "rows": found.rows}
    else:
        told = {"error": _error(found)}
    return _json(told)


def _error(error: LinetrailError) -> Mapping[str, Any]:
    return {"code": type(error).__name__, "message": str(error), "next": error.hint}


def _json(told: Mapping[str, Any]) -> str:
    return escaped(json.dumps(json_value({"schema_version": SCHEMA_VERSION, **told}), ensure_ascii=False))


def _table(outcome: Outcome) -> str:
    """Return the rows of an answer as CSV, or the error in their place as JSON."""
    found = outcome.found
    if not isinstance(found, Shown):
        return _document(outcome)
    columns = found.about["columns"] or ()
    return comma_separated(Table(columns, [tuple(row.values()) for row in found.rows]), line_end="\r\n") + "\r\n"


_PAGE, _DOCUMENT, _TABLE = Form("text/html", _page), Form("application/json", _document), Form("text/csv", _table)


class _BugError(LinetrailError):
    """Something that is a mistake of ours."""

    hint = "LINETRAIL_DEBUG=1 linetrail serve"
