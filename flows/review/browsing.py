"""What browser tests of the review page share: the server as a process of its own, and people who open their links."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from flows.local_server import free_port
from flows.testing import until

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
PATIENCE = 60_000
"""Milliseconds that a page may take to show something."""
SETTLING = 400
"""Milliseconds after which a new pair takes Enter: a second press of it, meant for the pair before, is let go."""


@dataclass
class Server:
    """`situatedgen review` as a process of its own, which can be killed and started again."""

    folder: Path
    port: int
    arguments: tuple[str, ...]
    reviewed: str = "dataset"
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Start, and wait until the links are printed."""
        out = self.folder / "review.out"
        command = [
            sys.executable,
            "-c",
            "from flows.cli.app import main; main()",
            "review",
            str(self.folder / self.reviewed),
        ]
        places = ["--decisions", str(self.folder / "decisions"), "--store", str(self.folder / "store")]
        with out.open("wb") as stream:
            options = [*command, *places, "--port", str(self.port), *self.arguments]
            self.process = subprocess.Popen(options, stdout=stream, stderr=stream, env={**os.environ, "COLUMNS": "500"})
        until(lambda: "Ctrl-C stops" in self.said() or self.process is None or self.process.poll() is not None)
        if self.process.poll() is not None:
            raise AssertionError(self.said())

    def said(self) -> str:
        """What it printed since it was last started."""
        return (self.folder / "review.out").read_text(encoding="utf-8")

    def link(self, name: str) -> str:
        """The link of a person."""
        found = re.search(rf"  {name} \(.*\)\n\s+(http\S+)", self.said())
        if found is None:
            raise AssertionError(self.said())
        return found.group(1)

    def kill(self) -> None:
        """End it without a chance to tidy up."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def interrupt(self) -> str:
        """End it by Ctrl-C, and give what it printed."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            if self.process.wait(60) != 0:
                raise AssertionError(self.said())
        return self.said()


@contextmanager
def running(folder: Path, *arguments: str, reviewed: str = "dataset") -> Iterator[Server]:
    """A server over what a folder holds, which ends with this block."""
    server = Server(folder, free_port(), arguments, reviewed)
    server.start()
    try:
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
        if faults or not (page.is_closed() or page.evaluate("window.hacked") is None):
            raise AssertionError(faults)


@contextmanager
def seen(browser: Browser, *, phone: bool) -> Iterator[BrowserContext]:
    """A window, of a phone or of a desk."""
    width, height = (360, 740) if phone else (1280, 800)
    context = browser.new_context(viewport={"width": width, "height": height}, has_touch=phone, is_mobile=phone)
    yield context
    context.close()
