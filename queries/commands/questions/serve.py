"""`linetrail serve`: show the answers in a browser, on this machine alone."""

import argparse
import contextlib
import os
import signal
import sys
import threading

from linetrail.ledger.repository import find, require_ledger
from linetrail.queries.extras import require_extra
from linetrail.queries.record.author import require_person


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "It answers until it is interrupted, and only on 127.0.0.1. The address that it prints lets one browser in, "
        "once: its key is exchanged for a cookie. It reads alone unless --allow-answers is given; then an answer on "
        "the page needs the code that is printed beside the address."
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="the port (default: one that is free)")
    parser.add_argument("--open", action="store_true", help="open the browser")
    parser.add_argument(
        "--allow-answers",
        action="store_true",
        help="let requests of agents be answered there, with a code",
    )
    parser.add_argument(
        "--fleet",
        metavar="URL",
        help="show what a store of many repositories counts, too: the URL that `linetrail fleet build` has",
    )
    parser.add_argument(
        "--until-eof",
        action="store_true",
        help="end when stdin is closed, as it is with the program that opened it",
    )


def run(args: argparse.Namespace) -> int:
    require_extra("page", "serve")
    from linetrail.queries.page.server import listening, serve  # nobody else waits for a server

    repository = require_ledger(find(args.directory))
    answers = None
    if args.allow_answers:
        require_person("let requests be answered on a page")
        from linetrail.queries.page.answers import Answers

        answers = Answers(repository)

    store = None
    if args.fleet:
        require_extra("fleet", "serve --fleet")
        from linetrail.queries.fleet.asking import asking_person
        from linetrail.queries.fleet.objects import open_store
        from linetrail.queries.page.view import Store

        store = Store(args.fleet, asking_person(args.directory))
        open_store(store.url)  # a URL that names nothing is no page's fault

    def started(address: str) -> None:
        print(address, flush=True)
        print("open it in a browser; Ctrl-C ends it", file=sys.stderr)
        if answers is not None:
            print(f"an answer to an agent needs the code {answers.code}", file=sys.stderr)
        if args.open:
            import webbrowser  # it looks for browsers

            webbrowser.open(address)

    if args.until_eof:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):  # how it is ended
        serve(repository, listening(args.port), started, answers, store)
    return 0


def _end_with_stdin() -> None:
    """Interrupt this process when nobody can write to its stdin any more, not even one that was killed."""
    while sys.stdin.buffer.read(4096):
        pass
    os.kill(os.getpid(), signal.SIGINT)
