"""The pages in a real browser that can reach nothing else: three widths, light, dark, forced colours, print."""

import shutil

import pytest

from linetrail.queries.page.catalogue import VIEWS
from tests.queries import rich
from tests.queries.page.conftest import SECONDS
from tests.queries.page.test_answers import goes_on
from tests.queries.page.test_views import SHOWN, address

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
LOOKS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "forced colours": {"forced_colors": "active"},
}
WIDTHS = (360, 800, 1280)
# A page does not wait long for the second of two keys; here a busy machine may take its time.
PATIENT = "{ const after = setTimeout; setTimeout = (work, ms) => after(work, ms === 1500 ? 60_000 : ms); }"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium"),
]


@pytest.fixture
def chromium(home):
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the dev extra")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def patient(browser, **options):
    """Return a context that waits as long as a busy machine takes."""
    context = browser.new_context(**options)
    context.set_default_timeout(SECONDS * 1_000)
    return context


def seen(browser, address, elsewhere, **options):
    """Return a tab, and what went wrong in it; a request to anywhere else goes wrong."""
    context = patient(browser, **options)
    tab, wrong = context.new_page(), []
    tab.on("console", lambda message: wrong.append(message.text))
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("request", lambda request: wrong.append(request.url) if not request.url.startswith(elsewhere) else None)
    tab.goto(address)
    return tab, wrong


def is_wider_than_the_window(tab):
    return tab.evaluate("document.documentElement.scrollWidth > window.innerWidth")


def barriers(tab):
    """Return what keeps somebody from using a page, as axe-core finds it."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the dev extra").Axe()
    found = axe.run(tab).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]


def test_every_view_fits_and_says_nothing_to_the_console(repo, page, chromium):
    rich.tell(repo)
    server = page()
    home = f"http://{server.host}"
    tab, wrong = seen(chromium, server.address, home)
    assert tab.url == f"{home}/"
    cookies = tab.context.cookies()
    assert [(cookie["httpOnly"], cookie["sameSite"]) for cookie in cookies] == [(True, "Strict")]

    for look in LOOKS.values():
        context = patient(chromium, **look)
        context.add_cookies(cookies)
        tab = context.new_page()
        tab.on("console", lambda message: wrong.append(message.text))
        for width in WIDTHS:
            tab.set_viewport_size({"width": width, "height": 900})
            for name in VIEWS:
                query = server.query(SHOWN.get(name, {}))
                tab.goto(f"{home}/{address(name)}{'?' if query else ''}{query}")
                tab.wait_for_selector("body[data-events]")
                assert not is_wider_than_the_window(tab), (name, width, look)
                assert tab.locator("h1").count() >= 1
                if width == WIDTHS[-1]:
                    assert barriers(tab) == [], (name, look)

    assert wrong == []


def test_a_person_finds_the_story_of_a_line_by_keyboard_and_links(repo, page, chromium):
    rich.tell(repo)
    server = page()
    tab, wrong = seen(chromium, server.address, f"http://{server.host}")

    tab.get_by_role("link", name="Files", exact=True).focus()
    tab.keyboard.press("Enter")
    tab.get_by_role("link", name="src/parse.py", exact=True).focus()
    tab.keyboard.press("Enter")
    tab.get_by_role("link", name="The story of line 1", exact=True).focus()
    tab.keyboard.press("Enter")

    tab.wait_for_url("**line=1#L1")
    tab.get_by_role("article").get_by_text("write a parser").first.wait_for()
    assert wrong == []


def test_the_lines_of_a_long_file_are_walked_and_searched_by_keys(repo, agent, page, chromium):
    repo.commit(files={"long.py": "".join(f"value_{number} = {number}\n" for number in range(1, 3_001))})
    agent().edit("long.py", "value_2000 = 2000\n", "value_2000 = 0\n")
    server = page()
    tab, wrong = seen(chromium, server.address, f"http://{server.host}")
    tab.goto(f"http://{server.host}/file?path=long.py&line=1500#L1500")

    tab.locator("find-in-lines input").wait_for()
    tab.wait_for_function("Math.abs(document.getElementById('L1500').getBoundingClientRect().y) < innerHeight")
    tab.get_by_role("link", name="The story of line 1500", exact=True).focus()
    tab.keyboard.press("j")
    assert tab.evaluate("document.activeElement.closest('tr').id") == "L2000"
    tab.keyboard.press("Enter")
    tab.get_by_role("article", name="The story of long.py:2000").wait_for()
    assert tab.url.endswith("line=2000#L2000")
    tab.keyboard.press("/")
    tab.keyboard.type("VALUE_2999")
    tab.keyboard.press("Enter")
    assert tab.locator("tr.hit").get_attribute("id") == "L2999"
    assert tab.locator("find-in-lines output").inner_text() == "1 of 1"
    # what is far from the window is not laid out
    assert tab.evaluate("document.querySelector('#L5 td.line').checkVisibility({contentVisibilityAuto: true})") is False
    assert wrong == []


def test_a_story_a_difference_and_a_timeline_need_no_script(repo, page, chromium):
    rich.tell(repo)
    server = page().enter()
    context = patient(chromium, java_script_enabled=False)
    name, _, value = server.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": f"http://{server.host}"}])
    tab = context.new_page()
    tab.goto(f"http://{server.host}/file?path=src/parse.py")
    tab.get_by_role("link", name="The story of line 1", exact=True).click()
    tab.get_by_role("article").get_by_text("write a parser").first.wait_for()
    tab.goto(f"http://{server.host}/timeline")
    tab.locator(".timeline svg a").first.click()
    tab.get_by_role("heading", name="Tool call").wait_for()
    tab.goto(f"http://{server.host}/session?id=s1")
    tab.locator("details.change").first.wait_for()
    assert tab.locator("details.change").count() > 5


def test_no_other_page_gets_at_the_answers(repo, page, chromium, tmp_path):
    rich.tell(repo)
    server = page()
    tab, _ = seen(chromium, server.address, "")
    (tmp_path / "evil.html").write_text("<!doctype html><title>elsewhere</title>")
    other = tab.context.new_page()
    other.goto((tmp_path / "evil.html").as_uri())

    read = other.evaluate(
        "url => fetch(url, {credentials: 'include'}).then(answer => answer.text(), error => 'refused')",
        f"http://{server.host}/overview.json",
    )
    sent = other.evaluate(
        "url => fetch(url, {mode: 'no-cors', credentials: 'include', method: 'POST', body: '{}'})"
        ".then(answer => answer.status, error => 'refused')",
        f"http://{server.host}/ask",
    )

    assert read == "refused"
    assert sent in (0, "refused")
    assert tab.request.get(f"http://{server.host}/overview.json", timeout=SECONDS * 1_000).status == 200


def test_a_report_opens_from_the_disk(repo, cli, chromium, tmp_path):
    rich.tell(repo)
    file = tmp_path / "report.html"
    assert cli("report", "--out", str(file)).status == 0

    for width in WIDTHS:
        viewport = {"width": width, "height": 900}
        tab, wrong = seen(chromium, file.as_uri(), file.as_uri(), viewport=viewport, offline=True)
        assert not is_wider_than_the_window(tab)
        tab.get_by_role("link", name="src/parse.py", exact=True).first.click()
        assert "#p" in tab.url
        tab.get_by_text("Why these lines are as they are").first.wait_for()
        tab.get_by_role("button", name="Open all").click()
        tab.locator("section[data-packed]").first.wait_for(state="detached")
        assert barriers(tab) == []
        assert len(tab.pdf()) > 10_000
        assert wrong == []


def test_keys_go_to_views_and_are_listed(repo, page, chromium):
    rich.tell(repo)
    server = page()
    tab, wrong = seen(chromium, server.address, f"http://{server.host}")
    tab.set_default_timeout(SECONDS * 1_000)
    tab.add_init_script(PATIENT)
    tab.reload()

    tab.keyboard.press("?")
    listed = tab.get_by_role("dialog").inner_text()
    tab.keyboard.press("Escape")
    tab.keyboard.press("g")
    tab.keyboard.press("f")
    tab.wait_for_url("**/files")
    tab.keyboard.press("g")
    tab.keyboard.press("q")
    tab.wait_for_url("**/ask")
    tab.get_by_label("SQL over the tables").focus()
    tab.keyboard.type("g f?")

    assert all(entry.label in listed for entry in VIEWS.values() if entry.key)
    assert tab.get_by_label("SQL over the tables").input_value() == "g f?"
    assert tab.get_by_role("dialog").count() == 0
    assert wrong == []


def test_a_page_says_that_events_came(repo, agent, page, chromium):
    rich.tell(repo)
    server = page()
    tab, wrong = seen(chromium, server.address, f"http://{server.host}")
    tab.goto(f"http://{server.host}/decisions")
    tab.wait_for_selector("body[data-events]")
    before = tab.locator("body").get_attribute("data-events")

    agent("s9").prompt("what came later")

    tab.get_by_role("status").get_by_text("new event").wait_for()
    tab.keyboard.press(".")
    tab.wait_for_selector(f'body[data-events]:not([data-events="{before}"])')
    assert wrong == []


def test_an_answer_on_the_page_lets_a_hook_through(asking, answering, repo, chromium):
    code, context = answering.code, patient(chromium)
    name, _, value = answering.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": f"http://{answering.host}"}])
    tab, wrong = context.new_page(), []
    tab.on("console", lambda message: wrong.append(message.text))
    tab.goto(f"http://{answering.host}/approvals")

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
