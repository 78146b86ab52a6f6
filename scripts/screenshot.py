"""Takes the README's pictures of the demo: `python scripts/screenshot.py`. Wants chromium and the dev packages."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 300_000
QUESTION = "Why do names get lost in a search by meaning?"
HEARD_MS = 4000  # so long is played before the picture: some words are said, one is lit


@contextmanager
def demo() -> Iterator[str]:
    """The demo on a free port, once the guide can be asked."""
    command = [sys.executable, "-m", "qandai", "--home", str(ROOT), "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            address = "http://" + server.stdout.readline().partition("http://")[2].split()[0]
            deadline = time.monotonic() + 300
            while not _can_be_asked(address):
                if time.monotonic() > deadline:
                    sys.exit("The guide did not become ready. Try: qandai index guide")
                time.sleep(0.5)
            yield address
        finally:
            server.terminate()


def _can_be_asked(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/api/people/guide") as response:
            return b'"state":"ready"' in response.read()
    except OSError:
        return False


def take(
    browser: Browser, address: str, name: str, *, width: int, height: int, scheme: Literal["light", "dark"]
) -> Path:
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(f"{address}/guide")
    page.get_by_role("searchbox").fill(QUESTION)
    page.get_by_role("button", name="Ask").click()
    page.locator("qa-clip[data-state=playing]").wait_for()
    page.mouse.move(0, 0)  # what lies under the pointer looks chosen
    page.wait_for_timeout(HEARD_MS)
    page.locator("[data-times] .lit").wait_for()
    path = IMAGES / name
    page.screenshot(path=path)
    page.close()
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", help="A site that is served already; else the demo is served for the pictures.")
    address = parser.parse_args().address
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("Chromium is missing: apt-get install chromium")
    if address:
        _take_all(chromium, address)
        return
    with demo() as address:
        _take_all(chromium, address)


def _take_all(chromium: str, address: str) -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--mute-audio"])
        paths = (
            take(browser, address, "answer.png", width=1280, height=820, scheme="light"),
            take(browser, address, "answer-dark.png", width=1280, height=820, scheme="dark"),
            take(browser, address, "answer-phone.png", width=390, height=844, scheme="light"),
        )
        browser.close()
    for path in paths:
        size = path.stat().st_size
        print(f"{path.relative_to(ROOT)}: {size:,} bytes")
        if size > MOST_BYTES:
            sys.exit(f"{path.name} is larger than {MOST_BYTES:,} bytes.")


if __name__ == "__main__":
    main()
