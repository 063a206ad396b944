"""Serve the views of a repository to a browser on this machine, read-only.

One question is answered at a time, in a thread: the libraries below share what they keep.
"""

import json
import os
import socket
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import urlencode

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from linetrail.ledger.errors import DamageWarning, LinetrailError, UsageError
from linetrail.ledger.hook.loop import finish
from linetrail.ledger.repository import Repository, is_waiting
from linetrail.projections.git.target import TargetError
from linetrail.queries.ask.subject import NoSuchIdError
from linetrail.queries.page import html
from linetrail.queries.page.assets import Asset, assets
from linetrail.queries.page.catalogue import HOME, VIEWS, show
from linetrail.queries.page.guard import Guard
from linetrail.queries.page.view import Asked, NoSuchPageError, Shown, damage
from linetrail.queries.render.text import SCHEMA_VERSION, escaped, json_value

ADDRESS = "127.0.0.1"
_GONE = (TargetError, NoSuchIdError, NoSuchPageError)

Caught = Sequence[warnings.WarningMessage]


class Form(NamedTuple):
    """A form in which a view, or the error in its place, is sent."""

    media_type: str
    write: Callable[[Asked, str, Shown | LinetrailError, Caught], str]


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


def serve(repository: Repository, listener: socket.socket, started: Callable[[str], None]) -> None:
    """Serve until the process is interrupted; `started` is given the address that lets a browser in, once."""
    port = listener.getsockname()[1]
    app = application(repository)
    guard = Guard(app, port, [route.path for route in app.routes if isinstance(route, Route)])
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


def application(repository: Repository) -> Starlette:
    """Return the pages of a repository, each as HTML and as JSON; nobody is kept out here."""
    lock = Lock()

    def route(path: str, name: str, form: Form) -> Route:
        def respond(request: Request) -> Response:
            with lock:
                return _response(Asked(repository, dict(request.query_params)), name, form)

        return Route(path, respond)

    def file(asset: Asset) -> Route:
        return Route(asset.path, lambda _: Response(asset.text, media_type=asset.media_type))

    pages = [route("/" if name == HOME else f"/{name}", name, _PAGE) for name in VIEWS]
    documents = [route(f"/{name}.json", name, _DOCUMENT) for name in VIEWS]
    return Starlette(routes=[*pages, *documents, *map(file, (*assets(".css"), *assets(".js")))])


def _response(asked: Asked, name: str, form: Form) -> Response:
    """Return a view in a form, or the error in its place, with the damage that it leaves out."""
    status, problem = HTTPStatus.OK, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DamageWarning)
        try:
            if is_waiting(asked.repository):
                finish(asked.repository)  # as each command does: an answer is over all that hooks have read
            text = form.write(asked, name, show(name, asked), caught)
        except LinetrailError as error:
            status, problem = _status(error), error
        except Exception as error:  # noqa: BLE001  one page that fails must not end the others
            if os.environ.get("LINETRAIL_DEBUG") == "1":
                traceback.print_exc()
            status, problem = HTTPStatus.INTERNAL_SERVER_ERROR, _BugError(f"internal error: {type(error).__name__}")
        if problem is not None:
            text = form.write(asked, name, problem, caught)
    return Response(text.encode("utf-8", "replace"), status, media_type=form.media_type)


def _status(error: LinetrailError) -> HTTPStatus:
    if isinstance(error, _GONE):
        return HTTPStatus.NOT_FOUND
    return HTTPStatus.BAD_REQUEST if isinstance(error, UsageError) else HTTPStatus.CONFLICT


def _page(asked: Asked, name: str, found: Shown | LinetrailError, caught: Caught) -> str:
    templates = html.on_the_server()
    if isinstance(found, Shown):
        title, body = found.title, html.view(templates, name, found)
    else:
        title, body = "Nothing to show", html.problem(templates, found)
    query = f"?{urlencode(asked.options)}" if asked.options else ""
    around = {"name": name, "title": title, "json": f"/{name}.json{query}"}
    return templates.get_template("page.html").render(
        around,
        body=body,
        damage=damage(caught),
        root=asked.repository.root,
        styles=assets(".css"),
        scripts=assets(".js"),
    )


def _document(_: Asked, name: str, found: Shown | LinetrailError, caught: Caught) -> str:
    told: Mapping[str, Any]
    if isinstance(found, Shown):
        about = {"view": name, "title": found.title, "damage": damage(caught), **found.about}
        told = {"meta": about, "rows": found.rows}
    else:
        told = {"error": {"code": type(found).__name__, "message": str(found), "next": found.hint}}
    return escaped(json.dumps(json_value({"schema_version": SCHEMA_VERSION, **told}), ensure_ascii=False))


_PAGE, _DOCUMENT = Form("text/html", _page), Form("application/json", _document)


class _BugError(LinetrailError):
    """Something that is a mistake of ours."""

    hint = "LINETRAIL_DEBUG=1 linetrail serve"
