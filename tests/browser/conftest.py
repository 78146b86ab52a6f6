"""A real Chromium before a real server, with the demo's own recordings and two videos of a YouTube that we play."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import IO, Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
expect.set_options(timeout=20_000)  # the machine may be busy with other work
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
STAND_IN = (Path(__file__).parent / "stand_in.js").read_text()
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--mute-audio",
    # Without a visitor's click nothing may sound, as on a phone.
    "--autoplay-policy=document-user-activation-required",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        reason = "Chromium is missing: apt-get install chromium"
        if os.environ.get("QANDAI_REQUIRE_ALL"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield browser
        browser.close()


def talk(video_id: str, title: str, sentences: dict[float, str], **video: Any) -> dict[str, Any]:
    """A transcript file: sentences by the second in which they start, a word every 0.4 s."""
    segments = []
    for start, text in sentences.items():
        words = [
            {"word": word, "start": round(start + 0.4 * place, 2), "end": round(start + 0.4 * (place + 1), 2)}
            for place, word in enumerate(text.split())
        ]
        segments.append({"start": start, "end": words[-1]["end"], "text": text, "words": words})
    return {"format": 1, "video": {"id": video_id, "title": title, **video}, "segments": segments}


TUBE = (
    talk(
        "aaaaaaaaaaa",
        "Keeping bees in a city",
        {
            12.34: "Bees in a city find more kinds of flowers than bees in the open country do.",
            40.2: "A hive on a roof needs shade at noon and water that never runs dry.",
        },
        source="youtube",
        url="https://www.youtube.com/watch?v=aaaaaaaaaaa",
    ),
    talk(
        "bbbbbbbbbbb",
        "Bees in the country",
        {5.6: "Country bees meet one kind of flowers at a time, because fields are sown with one crop."},
        source="youtube",
        url="https://www.youtube.com/watch?v=bbbbbbbbbbb",
    ),
)
LONG = talk(
    "long",
    "Thirty thousand words",
    {0.0: "A very long talk. " + "word after word. " * 10_000},
    source="youtube",
    url="https://www.youtube.com/watch?v=ccccccccccc",
)


def make_home(home: Path) -> Path:
    """The guide as it is, a person on YouTube and one who talks for three hours."""
    for folder in ("people", "audio/guide", "transcripts/tube", "transcripts/long"):
        (home / folder).mkdir(parents=True)
    for name in ("guide.yaml", "guide.svg"):
        shutil.copy(ROOT / "people" / name, home / "people" / name)
    shutil.copytree(ROOT / "transcripts" / "guide", home / "transcripts" / "guide")
    shutil.copytree(ROOT / "audio" / "guide", home / "audio" / "guide", dirs_exist_ok=True)
    (home / "people" / "tube.yaml").write_text("name: Bea Keeper\n")
    (home / "people" / "long.yaml").write_text("name: Long Talker\n")
    for transcript in TUBE:
        (home / "transcripts" / "tube" / f"{transcript['video']['id']}.json").write_text(json.dumps(transcript))
    (home / "transcripts" / "long" / "long.json").write_text(json.dumps(LONG))
    return home


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, lend: Callable[[Path], None]) -> Iterator[str]:
    home = make_home(tmp_path_factory.mktemp("home"))
    lend(home)
    with serving(home) as address:
        yield address


@contextmanager
def serving(home: Path, **more: str) -> Iterator[str]:
    """`more` is for its environment. The address of `qandai serve` on a free port, once everybody can be asked."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("QANDAI_")}
    environ |= {"QANDAI_LIMIT_VISITOR": "0", "QANDAI_LIMIT_SITE": "0", "QANDAI_LLM": "none", **more}
    process = subprocess.Popen(
        [sys.executable, "-m", "qandai", "--home", str(home), "serve", "--port", "0"],
        cwd=ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout
    lines: Queue[str] = Queue()
    said: list[str] = []
    reader = threading.Thread(target=_read, args=(process.stdout, lines, said), daemon=True)
    reader.start()
    try:
        address = _address(lines, said)
        _wait_until_ready(address, said)
        yield address
    finally:
        process.terminate()
        process.wait(20)
        reader.join(5)
        process.stdout.close()


def _read(stream: IO[str], lines: Queue[str], said: list[str]) -> None:
    for line in stream:
        said.append(line)
        lines.put(line)


def _address(lines: Queue[str], said: list[str]) -> str:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            line = lines.get(timeout=1)
        except Empty:
            continue
        if "http://" in line:
            return "http://" + line.partition("http://")[2].split()[0]
    raise AssertionError("serve named no address:\n" + "".join(said))


def _wait_until_ready(address: str, said: list[str]) -> None:
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(address + "/ready") as response:
                if response.status == 200:
                    return
        except OSError:
            time.sleep(0.3)
    raise AssertionError("nobody became ready:\n" + "".join(said))


def until(page: Page, claim: str, *, seconds: float = 20.0) -> None:
    """Waits until a JavaScript expression holds. Playwright's own wait evaluates text, which our CSP forbids."""
    deadline = time.monotonic() + seconds
    while not page.evaluate(claim):
        assert time.monotonic() < deadline, f"never came true: {claim}"
        page.wait_for_timeout(20)


@dataclass(slots=True)
class Visit:
    """A tab and all that went wrong in it."""

    page: Page
    address: str
    faults: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        self.page.goto(self.address + path)
        return self.page

    def post(self, path: str, **given: Any) -> Any:
        request = urllib.request.Request(
            self.address + path, json.dumps(given).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request) as response:
            return json.loads(response.read())


WATCH = """
window.played = [];
document.addEventListener("playing", (event) => window.played.push(event.target.currentTime), true);
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""


@pytest.fixture
def visit(chromium: Browser, server: str) -> Iterator[Callable[..., Visit]]:
    """Opens a tab: visit(width=390, youtube={...scenario}). At the end no console error may have been seen."""
    visits: list[Visit] = []

    def start(
        *,
        youtube: dict[str, Any] | None = None,
        width: int = 1280,
        height: int = 900,
        at: str = server,
        **options: Any,
    ) -> Visit:
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        made = Visit(context.new_page(), at)
        page = made.page
        page.on("console", lambda message: made.faults.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: made.faults.append(str(error)))
        page.add_init_script(WATCH)
        page.add_init_script(f"window.scenario = {json.dumps(youtube or {})};")
        context.route(re.compile("^https://"), _outside)
        visits.append(made)
        return made

    yield start
    for made in visits:
        if made.page.evaluate("1") == 1:
            made.faults += made.page.evaluate("window.violations ?? []")
        made.page.context.close()
        assert made.faults == []


def _outside(route: Route) -> None:
    """The world outside is a stand-in for YouTube and nothing else."""
    url = route.request.url
    if url.startswith("https://www.youtube.com/iframe_api"):
        route.fulfill(content_type="text/javascript", body=STAND_IN)
    elif url.startswith("https://www.youtube.com/embed/"):
        route.fulfill(content_type="text/html", body="<!doctype html><title>stand-in</title>")
    else:
        route.abort()
