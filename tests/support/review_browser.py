"""What browser tests share: the review server as a process of its own, and people who open their links."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
PATIENCE = 300_000
"""Milliseconds that a page may take to show something."""
SETTLING = 400
"""Milliseconds after which a new pair takes Enter: a second press of it, meant for the pair before, is let go."""
IN_A_BROWSER = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome is installed"),
]
COMMAND = [sys.executable, "-c", "from flows.cli.app import main; main()", "review"]


@dataclass
class Server:
    """`situatedgen review` as a process of its own, which can be killed and started again on the same port."""

    folder: Path
    arguments: tuple[str, ...]
    reviewed: str = "dataset"
    port: int = 0
    greeting: list[str] = field(default_factory=list)
    process: "subprocess.Popen[str] | None" = None

    def start(self) -> None:
        """Start, and wait until the links are printed."""
        folders = ["--decisions", str(self.folder / "decisions"), "--store", str(self.folder / "store")]
        command = [*COMMAND, str(self.folder / self.reviewed), *folders, "--port", str(self.port), *self.arguments]
        environment = {**os.environ, "COLUMNS": "500", "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        )
        assert self.process.stdout is not None
        self.greeting.clear()
        while not self.greeting or "Ctrl-C" not in self.greeting[-1]:
            line = self.process.stdout.readline()
            assert line, f"the server ended at once: {''.join(self.greeting)}"
            self.greeting.append(line)
        self.port = int(re.findall(r"http://[^/]+:(\d+)/", "".join(self.greeting))[0])

    def link(self, name: str) -> str:
        """The link of a person."""
        found = re.search(rf"  {name} \(.*\)\n\s+(http\S+)", "".join(self.greeting))
        assert found, self.greeting
        return found.group(1)

    def kill(self) -> None:
        """End it without a chance to tidy up."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()

    def interrupt(self) -> str:
        """End it by Ctrl-C, and give what it printed after its greeting."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        said, _ = self.process.communicate(timeout=300)
        assert self.process.returncode == 0, said
        return said


@contextmanager
def running(folder: Path, *arguments: str, reviewed: str = "dataset") -> Iterator[Server]:
    """A server over what a folder holds, which ends with this block."""
    server = Server(folder, arguments, reviewed)
    try:
        server.start()
        yield server
    finally:
        server.kill()


@contextmanager
def browsing() -> Iterator[Browser]:
    """A real browser."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=BROWSER, args=OPTIONS)
        yield found
        found.close()


@contextmanager
def visiting(browser: Browser, link: str, *, phone: bool = False) -> Iterator[Page]:
    """The first page of somebody who opened their link; nothing on it may go wrong."""
    with seen(browser, phone=phone) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if "Content Security" in message.text else None)
        page.goto(link)
        page.wait_for_url(re.compile(r"/(agreement)?$"))
        yield page
        assert not faults
        assert page.is_closed() or page.evaluate("window.hacked") is None


@contextmanager
def seen(browser: Browser, *, phone: bool) -> Iterator[BrowserContext]:
    """A window, of a phone or of a desk."""
    width, height = (360, 740) if phone else (1280, 800)
    context = browser.new_context(viewport={"width": width, "height": height}, has_touch=phone, is_mobile=phone)
    yield context
    context.close()


def check_layout(phone: Page) -> None:
    """A phone needs no sideways scrolling, and every target is large enough for a finger."""
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    for target in phone.locator("button:visible, .choice:visible, textarea:visible").all():
        box = target.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 44, target.inner_text()
