"""Take the pictures of the page that the README shows, of the demonstration: `python tools/make_images.py`."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
COMMAND = Path(sys.executable).with_name("linetrail")
IMAGES = ROOT / "docs" / "images"
# A picture -> the page, and how much of it is seen.
PICTURES = {
    "overview": ("/", {"width": 1280, "height": 840}),
    "file": ("/file?path=billing/invoice.py&line=30", {"width": 1100, "height": 760}),
}
MOST_BYTES = 150_000
MILLISECONDS = 300_000


def main() -> int:
    """Serve the demonstration and take each picture."""
    chromium = shutil.which("chromium")
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([COMMAND, "-C", folder, "demo"], check=True, capture_output=True)
        serve = [COMMAND, "-C", f"{folder}/linetrail-demo", "serve"]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as playwright:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(color_scheme="light")
            page.set_default_timeout(MILLISECONDS)
            page.goto(address)
            for name, (path, size) in PICTURES.items():
                page.set_viewport_size(size)
                page.goto(address.partition("/?")[0] + path)
                page.wait_for_selector("body[data-events]")
                if (story := page.locator("article.story")).count():
                    story.first.scroll_into_view_if_needed()
                file = IMAGES / f"{name}.png"
                page.screenshot(path=file)
                print(f"{file.relative_to(ROOT)}: {file.stat().st_size:,} bytes")
                assert file.stat().st_size <= MOST_BYTES
            browser.close()
            server.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
