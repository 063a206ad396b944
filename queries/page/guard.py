"""Let in nobody but the person who started the server, whatever other pages their browser has open.

Every request is held against constants before anything of it is looked at: the host that it names, its method, where
it comes from, its cookie, its path. What is refused gets a status and no body.
"""

import secrets
from collections.abc import Collection
from http import HTTPStatus
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAMES = ("127.0.0.1", "localhost", "[::1]")
_READING, _SENDING = ("GET", "HEAD"), ("POST",)
# A request of another site, or of another port of this machine, is made by somebody else's page.
_OWN = frozenset({b"same-origin", b"none"})
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

Header = tuple[bytes, bytes]


class Guard:
    """The server, behind a door; `paths` are all that it has, as they are spelled, `posted` those that are sent to."""

    def __init__(self, app: ASGIApp, port: int, paths: Collection[str], posted: Collection[str] = ()) -> None:
        self.key: str | None = secrets.token_urlsafe(32)  # None when it is spent
        self._app = app
        self._paths, self._posted = (frozenset(path.encode() for path in one) for one in (paths, posted))
        self._cookie, self._ticket = f"linetrail-{port}".encode(), secrets.token_urlsafe(32).encode()
        self._hosts = frozenset(f"{name}:{port}".encode() for name in NAMES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            status, more = self._judged(scope)
            if status is None:
                await self._app(scope, receive, _with_headers(send))
            else:
                await _end(send, status, more)

    def _judged(self, scope: Scope) -> tuple[HTTPStatus | None, tuple[Header, ...]]:
        """Return the status of a refusal, or of the exchange of the key; None where the request may be answered."""
        if not self._names_us(scope):
            return HTTPStatus.FORBIDDEN, ()
        is_sent = scope["raw_path"] in self._posted
        methods = _SENDING if is_sent else _READING
        if scope["method"] not in methods:
            return HTTPStatus.METHOD_NOT_ALLOWED, ((b"allow", ", ".join(methods).encode()),)
        if self._opens(scope):
            return HTTPStatus.SEE_OTHER, ((b"location", b"/"), (b"set-cookie", self._grant()))
        if not self._is_known(scope):
            return HTTPStatus.FORBIDDEN, ()
        if is_sent:
            return _refusal_of(scope), ()
        # A path that is spelled in another way than ours leads nowhere, whatever it would come to.
        return (None, ()) if scope["raw_path"] in self._paths else (HTTPStatus.NOT_FOUND, ())

    def _names_us(self, scope: Scope) -> bool:
        """Return whether a request names this server as its host, once, and comes from no page but ours."""
        host, origin, site = (_values(scope, name) for name in (b"host", b"origin", b"sec-fetch-site"))
        return (
            len(host) == 1
            and host[0].lower() in self._hosts
            and all(value.removeprefix(b"http://").lower() in self._hosts for value in origin)
            and all(value in _OWN for value in site)
        )

    def _opens(self, scope: Scope) -> bool:
        """Return whether the request has the key, which is spent by that."""
        told = parse_qs(scope["query_string"].decode("ascii", "replace")).get("key", [])
        if self.key is None or scope["method"] != "GET" or scope["raw_path"] != b"/" or len(told) != 1:
            return False
        if not secrets.compare_digest(told[0].encode(), self.key.encode()):
            return False
        self.key = None
        return True

    def _grant(self) -> bytes:
        return self._cookie + b"=" + self._ticket + b"; Path=/; HttpOnly; SameSite=Strict"

    def _is_known(self, scope: Scope) -> bool:
        pairs = (pair.strip().partition(b"=") for value in _values(scope, b"cookie") for pair in value.split(b";"))
        return any(name == self._cookie and secrets.compare_digest(value, self._ticket) for name, _, value in pairs)


def _refusal_of(scope: Scope) -> HTTPStatus | None:
    """Return why something is not taken that is sent here: only a script of our own pages can send it so."""
    if _values(scope, b"sec-fetch-site") != [b"same-origin"]:
        return HTTPStatus.FORBIDDEN
    return None if _values(scope, b"content-type") == [b"application/json"] else HTTPStatus.UNSUPPORTED_MEDIA_TYPE


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for header, value in scope["headers"] if header == name]


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *_own()]
        await send(message)

    return sent


def _own() -> list[Header]:
    return [(name.encode(), value.encode()) for name, value in HEADERS.items()]


async def _end(send: Send, status: HTTPStatus, more: tuple[Header, ...]) -> None:
    headers = [(b"content-length", b"0"), *more, *_own()]
    await send({"type": "http.response.start", "status": int(status), "headers": headers})
    await send({"type": "http.response.body", "body": b""})
