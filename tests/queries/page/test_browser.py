"""The pages in a real browser that can reach nothing else: three widths, light, dark, forced colours, print.

A page whose answer is still being worked out comes first where a machine is busy, and takes no key: `come` waits.
"""

import contextlib
import itertools
import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from linetrail.queries.page.catalogue import VIEWS
from linetrail.queries.page.views.file import SIZE
from tests.queries.page.conftest import SECONDS, Page
from tests.queries.page.test_answers import goes_on
from tests.queries.page.test_views import SHOWN, address

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
LOOKS = (
    {"color_scheme": "light", "forced_colors": "none"},
    {"color_scheme": "dark", "forced_colors": "none"},
    {"color_scheme": "light", "forced_colors": "active"},
)
WIDTHS = (360, 800, 1280)
# What axe-core can find that another look brings about.
OF_COLOURS = ["color-contrast", "link-in-text-block"]
# A question that no sandbox answers in its time.
ENDLESS = "select count(*) from range(1000000000000) as t(n) where n % 3 = 1"
# A page does not wait long for the second of two keys; here a busy machine may take its time.
PATIENT = "{ const after = setTimeout; setTimeout = (work, ms) => after(work, ms === 1500 ? 60_000 : ms); }"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium"),
]


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the dev extra")
    with playwright.sync_playwright() as started:
        env = os.environ | {"HOME": str(tmp_path_factory.mktemp("home"))}
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], env=env)
        yield browser
        browser.close()


@pytest.fixture
def context(chromium):
    """Return a function that returns a context of the browser that waits as long as a busy machine takes."""
    with contextlib.ExitStack() as stack:

        def make(server=None, **options):
            made = chromium.new_context(**options)
            stack.callback(made.close)
            made.set_default_timeout(SECONDS * 1_000)
            if server is not None:
                name, _, value = server.cookie.partition("=")
                cookie = {"name": name, "value": value, "url": f"http://{server.host}"}
                made.add_cookies([cookie | {"httpOnly": True, "sameSite": "Strict"}])
            return made

        yield make


def seen(context, address, elsewhere):
    """Return a tab, and what went wrong in it; a request to anywhere else goes wrong."""
    tab, wrong = context.new_page(), []
    tab.on("console", lambda message: wrong.append(message.text))
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("request", lambda request: wrong.append(request.url) if not request.url.startswith(elsewhere) else None)
    tab.goto(address)
    return tab, wrong


def come(tab, address):
    """Wait until the page of an address is there with its answer."""
    tab.wait_for_url(address)
    tab.locator("body[data-events]").wait_for()


def is_wider_than_the_window(tab):
    return tab.evaluate("document.documentElement.scrollWidth > window.innerWidth")


def barriers(tab, **options):
    """Return what keeps somebody from using a page, as axe-core finds it."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the dev extra").Axe()
    found = axe.run(tab, options={"resultTypes": ["violations"]} | options).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]


def test_the_key_in_the_address_lets_a_browser_in(repo, page, context):
    repo.start_ledger()
    repo.commit()
    server = page()
    home = f"http://{server.host}"

    tab, wrong = seen(context(), server.address, home)

    come(tab, f"{home}/")
    assert [(cookie["httpOnly"], cookie["sameSite"]) for cookie in tab.context.cookies()] == [(True, "Strict")]
    assert wrong == []


def test_every_view_fits_and_says_nothing_to_the_console(told, context):
    tab, wrong = seen(context(told), f"http://{told.host}/", f"http://{told.host}")

    for name in VIEWS:
        query = told.query(SHOWN.get(name, {}))
        tab.set_viewport_size({"width": WIDTHS[0], "height": 900})
        tab.goto(f"http://{told.host}/{address(name)}{'?' if query else ''}{query}")
        tab.locator("body[data-events]").wait_for()
        for look, width in itertools.product(LOOKS, WIDTHS):
            tab.emulate_media(**look)
            tab.set_viewport_size({"width": width, "height": 900})
            assert not is_wider_than_the_window(tab), (name, look, width)
            rules = {"runOnly": OF_COLOURS} if look != LOOKS[0] else {}
            assert width != WIDTHS[-1] or barriers(tab, **rules) == [], (name, look)
        assert tab.locator("h1").count() >= 1

    assert wrong == []


def test_a_person_finds_the_story_of_a_line_by_keyboard_and_links(told, context):
    tab, wrong = seen(context(told), f"http://{told.host}/", f"http://{told.host}")
    come(tab, f"http://{told.host}/")

    tab.get_by_role("link", name="Files", exact=True).focus()
    tab.keyboard.press("Enter")
    come(tab, "**/files")
    tab.get_by_role("link", name="src/parse.py", exact=True).focus()
    tab.keyboard.press("Enter")
    come(tab, "**/file?path=src*parse.py")
    tab.get_by_role("link", name="The story of line 1", exact=True).focus()
    tab.keyboard.press("Enter")

    tab.wait_for_url("**line=1#L1")
    tab.get_by_role("article").get_by_text("write a parser").first.wait_for()
    assert wrong == []


@pytest.fixture
def long(repo, agent, page):
    """Return a server of a file of 3,000 lines, of which an agent changed one, entered."""
    repo.commit(files={"long.py": "".join(f"value_{number} = {number}\n" for number in range(1, 3_001))})
    agent().edit("long.py", "value_2500 = 2500\n", "value_2500 = 0\n")
    return page().enter()


@pytest.mark.in_turn
def test_the_lines_of_a_long_file_are_walked_and_searched_by_keys(long, context):
    address = f"http://{long.host}/file?path=long.py&line=1500#L1500"
    tab, wrong = seen(context(long), address, f"http://{long.host}")
    come(tab, address)

    tab.wait_for_function("() => Math.abs(document.getElementById('L1500').getBoundingClientRect().y) < innerHeight")
    tab.get_by_role("link", name="The story of line 1500", exact=True).focus()
    tab.keyboard.press("j")
    tab.wait_for_function("() => document.activeElement.closest('tr')?.id == 'L2500'")
    tab.keyboard.press("k")
    tab.wait_for_function("() => document.activeElement.closest('tr')?.id == 'L1'")
    tab.keyboard.press("j")
    tab.wait_for_function("() => document.activeElement.closest('tr')?.id == 'L2500'")
    tab.evaluate("document.getElementById('L2500').scrollIntoView({block: 'end'})")
    tab.keyboard.press("Enter")
    tab.get_by_role("article", name="The story of long.py:2500").wait_for()
    tab.wait_for_function("() => document.querySelector('.story').getBoundingClientRect().bottom <= innerHeight")
    tab.wait_for_url("**line=2500#L2500")
    tab.keyboard.press("/")
    tab.keyboard.type("VALUE_2999")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**find=VALUE_2999")
    tab.locator("output").get_by_text("1 of 1: line 2,999", exact=True).wait_for()
    tab.wait_for_function("() => document.activeElement.closest('tr.hit')?.id == 'L2999'")
    # what is far from the window is not laid out
    tab.wait_for_function(
        "() => !document.querySelector('#L2005 td.line').checkVisibility({contentVisibilityAuto: true})"
    )
    assert wrong == []


@pytest.mark.in_turn
def test_lines_that_are_not_on_the_page_come_where_they_are_scrolled_to_or_named(long, context):
    home = f"http://{long.host}"
    tab, wrong = seen(context(long), f"{home}/file?path=long.py#L2900", home)
    come(tab, f"{home}/file?path=long.py#L2900")

    tab.wait_for_function("() => Math.abs(document.getElementById('L2900')?.getBoundingClientRect().y) < innerHeight")
    assert tab.locator("#L1500").count() == 0
    tab.evaluate("document.getElementById('L1000').scrollIntoView()")
    tab.locator("#L1001").wait_for(state="attached")

    lines = tab.locator("tr[id]").evaluate_all("rows => rows.map((row) => row.id)")
    assert lines == [f"L{number}" for number in range(1, 3_001)]
    assert wrong == []


@pytest.mark.in_turn
def test_a_long_file_is_turned_page_by_page_without_script(long, context):
    tab = context(long, java_script_enabled=False).new_page()
    tab.goto(f"http://{long.host}/file?path=long.py")

    for first in (1_001, 2_001):
        tab.get_by_role("link", name="further in the list").first.click()
        tab.locator(f"#L{first}").wait_for()
        tab.wait_for_load_state()  # the other lines, too
        assert tab.locator("tr[id]").count() == SIZE
    tab.get_by_role("searchbox", name="Find in this file").fill("value_1500 ")
    tab.get_by_role("button", name="Find").click()
    tab.get_by_role("link", name="line 1,500").click()
    tab.locator("tr.hit#L1500").wait_for()


@pytest.mark.in_turn
def test_a_story_a_difference_and_a_timeline_need_no_script(told, context):
    tab = context(told, java_script_enabled=False).new_page()
    tab.goto(f"http://{told.host}/file?path=src/parse.py")
    tab.get_by_role("link", name="The story of line 1", exact=True).click()
    tab.get_by_role("article").get_by_text("write a parser").first.wait_for()
    tab.goto(f"http://{told.host}/timeline")
    tab.locator(".timeline svg a").first.click()
    tab.get_by_role("heading", name="Tool call").wait_for()
    tab.goto(f"http://{told.host}/session?id=s1")
    tab.locator("details.change").nth(5).wait_for()


def test_a_newcomer_finds_why_a_line_is_so_what_was_refused_and_who_may_answer(tmp_path, cli, context):
    """From the overview of the demonstration, by what it says on the page alone."""
    demo = cli("demo", str(tmp_path / "demo"))
    assert demo.err.splitlines()[-1].endswith("/demo serve --open")
    server = Page(tmp_path / "demo").enter()
    with contextlib.closing(context(server)) as made:
        tab, wrong = seen(made, f"http://{server.host}/", f"http://{server.host}")
        come(tab, f"http://{server.host}/")

        tab.locator("main").get_by_role("link", name="billing/invoice.py").first.click()
        tab.get_by_role("link", name="The story of line 30", exact=True).click()
        story = tab.get_by_role("article", name="The story of billing/invoice.py:30")
        for said in ("INT-003 Export invoices as CSV", "Rename it to unit_price", "not: keep price as an alias"):
            story.get_by_text(said).first.wait_for()
        tab.get_by_role("link", name="Overview").click()
        tab.get_by_role("link", name="What came of refusals").click()
        tab.get_by_role("heading", name="What was refused, by rule").wait_for()
        tab.get_by_role("link", name="Approvals").click()
        tab.get_by_text("A person may answer, and no agent").wait_for()
    server.kill()
    assert wrong == []


@pytest.mark.in_turn
def test_a_long_series_is_read_value_by_value_and_stays_a_curve_without_script(told, context):
    days = "select date '2024-01-01' + n::int as day, (n * 37) % 101 as n from range(400) as t(n)"
    address = f"http://{told.host}/ask?{told.query({'sql': days})}"
    tab, wrong = seen(context(told), address, f"http://{told.host}")
    plain = context(told, java_script_enabled=False).new_page()
    plain.goto(address)

    tab.locator("long-series .u-over").hover(position={"x": 1, "y": 100})

    tab.locator("long-series .u-legend").get_by_text("2024-01-01").wait_for()
    assert tab.locator("long-series canvas").count() == 1
    assert not is_wider_than_the_window(tab)
    assert barriers(tab) == []
    assert plain.locator("long-series polyline").count() == 1
    assert wrong == []


@pytest.mark.in_turn
def test_no_other_page_gets_at_the_answers(told, context, tmp_path):
    (tmp_path / "evil.html").write_text("<!doctype html><title>elsewhere</title>")
    other = context(told).new_page()
    other.goto((tmp_path / "evil.html").as_uri())

    read = other.evaluate(
        "url => fetch(url, {credentials: 'include'}).then(answer => answer.text(), error => 'refused')",
        f"http://{told.host}/overview.json",
    )
    sent = other.evaluate(
        "url => fetch(url, {mode: 'no-cors', credentials: 'include', method: 'POST', body: '{}'})"
        ".then(answer => answer.status, error => 'refused')",
        f"http://{told.host}/ask",
    )

    assert read == "refused"
    assert sent in (0, "refused")
    assert other.request.get(f"http://{told.host}/overview.json", timeout=SECONDS * 1_000).status == 200


def test_a_report_opens_from_the_disk(told, cli, context, tmp_path):
    file = tmp_path / "report.html"
    assert cli("report", "--out", str(file), cwd=told.folder).status == 0

    for width in WIDTHS:
        made = context(viewport={"width": width, "height": 900}, offline=True)
        tab, wrong = seen(made, file.as_uri(), file.as_uri())
        assert not is_wider_than_the_window(tab)
        tab.get_by_role("link", name="src/parse.py", exact=True).first.click()
        tab.wait_for_url("**#p*")
        tab.get_by_text("Why these lines are as they are").first.wait_for()
        tab.get_by_role("button", name="Open all").click()
        tab.locator("section[hidden]").first.wait_for(state="detached")
        assert barriers(tab) == []
        assert len(tab.pdf()) > 10_000
        assert wrong == []


@pytest.mark.in_turn
def test_keys_go_to_views_and_are_listed(told, context):
    made = context(told)
    made.add_init_script(PATIENT)
    tab, wrong = seen(made, f"http://{told.host}/", f"http://{told.host}")
    come(tab, f"http://{told.host}/")

    tab.keyboard.press("?")
    listed = tab.get_by_role("dialog").inner_text()
    tab.keyboard.press("Escape")
    tab.get_by_role("dialog").wait_for(state="detached")
    tab.keyboard.press("g")
    tab.keyboard.press("f")
    come(tab, "**/files")
    tab.keyboard.press("g")
    tab.keyboard.press("q")
    come(tab, "**/ask")
    tab.get_by_label("SQL over the tables").focus()
    tab.keyboard.type("g f?")

    assert all(entry.label in listed for entry in VIEWS.values() if entry.key)
    assert tab.get_by_label("SQL over the tables").input_value() == "g f?"
    assert tab.get_by_role("dialog").count() == 0
    assert wrong == []


def test_a_page_says_that_events_came(repo, agent, page, context):
    repo.commit()
    agent().prompt("what came first")
    server = page().enter()
    tab, wrong = seen(context(server), f"http://{server.host}/decisions", f"http://{server.host}")
    come(tab, "**/decisions")
    before = tab.locator("body").get_attribute("data-events")

    agent("s9").prompt("what came later")

    tab.get_by_role("status").get_by_text("new event").wait_for()
    tab.keyboard.press(".")
    tab.locator(f'body[data-events]:not([data-events="{before}"])').wait_for()
    assert wrong == []


@pytest.mark.in_turn
def test_what_was_said_last_is_shown_until_the_new_is_there_and_stays_for_whoever_is_at_it(told, context):
    """One question that takes the sandbox all its time holds every other up."""
    home = f"http://{told.host}"
    tab, wrong = seen(context(told), f"{home}/decisions", home)
    come(tab, f"{home}/decisions")
    title = tab.locator("h1").inner_text()

    for is_at_it in (False, True):
        with ThreadPoolExecutor() as other:
            other.submit(told.see, "ask.json", sql=ENDLESS)
            tab.wait_for_function("fetch(location.href).then((answer) => answer.status === 202)")
            tab.goto(f"{home}/decisions")
            tab.get_by_text("What stands below is of").wait_for()
            assert tab.locator("h1").inner_text() == title
            if is_at_it:
                tab.locator("main a").first.focus()
                tab.get_by_text("This page is worked out anew").wait_for()
                tab.keyboard.press(".")
        come(tab, f"{home}/decisions")
        assert tab.get_by_text("What stands below").count() == 0

    assert wrong == []


def test_an_answer_on_the_page_lets_a_hook_through(asking, answering, repo, context):
    code = answering.code
    tab, wrong = seen(context(answering), f"http://{answering.host}/approvals", f"http://{answering.host}")

    yes = tab.get_by_role("button", name="Yes, once")
    yes.focus()
    tab.keyboard.press("Enter")
    tab.get_by_text("Type the code first").wait_for()
    tab.keyboard.type(code)
    tab.get_by_label("What the agent is told").fill("go on")
    yes.focus()
    tab.keyboard.press("Enter")
    tab.get_by_text("is approved (once)").wait_for()

    assert wrong == []
    (event,) = repo.events("approval.decided")
    assert (event.data["approved"], event.data["reason"]) == (True, "go on")
    assert goes_on(asking)
