"""A server that speaks OpenAI's chat completions, and misbehaves as a test wants it to."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, dict[str, str], bytes]


def said(text: object = "It is hot. It is cold.", **changed: object) -> Reply:
    """A chat completion as servers send it."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 200, "completion_tokens": 10, "total_tokens": 210}
    whole = {"id": "1", "object": "chat.completion", "model": "tiny-2", "choices": [choice], "usage": usage, **changed}
    return 200, {}, json.dumps(whole).encode()


def trouble(status: int, message: str = "no") -> Reply:
    return status, {}, json.dumps({"error": {"message": message, "type": "x"}}).encode()


@dataclass
class Server:
    """A server that answers by a rule: of the prompt, and of how often it was asked before."""

    rule: Callable[[str, int], Reply]
    address: str = ""
    asked: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    most_at_once: int = 0
    at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, body: dict[str, Any], key: str | None) -> Reply:
        asked = body["messages"][0]["content"]
        with self.lock:
            before = self.asked.count(asked)
            self.asked.append(asked)
            self.bodies.append(body)
            self.keys.append(key)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return self.rule(asked, before)
        finally:
            with self.lock:
                self.at_once -= 1


@contextmanager
def serving(rule: Callable[[str, int], Reply] = lambda prompt, before: said()) -> Iterator[Server]:
    server = Server(rule)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            is_known = self.path == "/v1/chat/completions"
            status, headers, content = server.reply(body, self.headers["Authorization"]) if is_known else trouble(404)
            try:
                self.send_response(status)
                ours = {"Content-Length": str(len(content)), "Content-Type": "application/json", "Retry-After-Ms": "5"}
                for name, value in {**ours, **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                return  # whoever asked is gone

        def log_message(self, *_: object) -> None:
            """Keep the tests quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as web:
        server.address = f"http://127.0.0.1:{web.server_port}/v1"
        thread = threading.Thread(target=web.serve_forever, daemon=True)
        thread.start()
        yield server
        web.shutdown()
        thread.join()
