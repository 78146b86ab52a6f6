"""What a scripted chat service may say: good replies, refusals, and replies that stumble."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Ending = Literal["whole", "cut", "hang"]
"""cut: the connection is closed in the middle of the body. hang: nothing more comes, and nothing is closed."""


@dataclass(frozen=True, slots=True)
class Request:
    path: str
    headers: Mapping[str, str]  # names in lower case
    body: Mapping[str, Any]
    raw: bytes = b""

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def system(self) -> str:
        return self._said("system")

    @property
    def user(self) -> str:
        return self._said("user")

    @property
    def streams(self) -> bool:
        return self.body.get("stream") is True

    @property
    def form(self) -> str | None:
        """The name of the schema that is asked for, or the kind of response format; None where none is."""
        asked = self.body.get("response_format")
        return asked.get("json_schema", {}).get("name") or asked["type"] if asked else None

    @property
    def longest(self) -> int:
        return int(self.body.get("max_completion_tokens") or self.body.get("max_tokens") or 0)

    def _said(self, role: str) -> str:
        return "\n".join(str(said["content"]) for said in self.body.get("messages", ()) if said.get("role") == role)


@dataclass(frozen=True, slots=True)
class Wire:
    """What goes out. `pieces` of the body, `gap` seconds between two; `delay` seconds before the first byte."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: Sequence[bytes] = ()
    gap: float = 0.0
    delay: float = 0.0
    ending: Ending = "whole"
    silent: bool = False  # not even a status


@dataclass(frozen=True, slots=True)
class Reply:
    to: Callable[[Request], Wire]

    def after(self, seconds: float) -> Reply:
        return Reply(lambda request: replace(self.to(request), delay=seconds))


def reply(
    text: str,
    *,
    reasoning: str | None = None,
    finish: str = "stop",
    usage: tuple[int, int] = (100, 10),
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """A reply as it should be: a whole one, or word by word where the request streams."""

    def to(request: Request) -> Wire:
        if request.streams:
            return sse(list(_words(text)), reasoning=reasoning, finish=finish).to(request)
        message: dict[str, object] = {"role": "assistant", "content": text}
        if reasoning is not None:
            message["reasoning"] = reasoning
        body = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": request.model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)},
        }
        return _json(body, headers=headers or {})

    return Reply(to)


def fails(
    status: int,
    message: str = "No.",
    *,
    code: str | None = None,
    type: str | None = None,
    param: str | None = None,
    headers: Mapping[str, str] | None = None,
    **more: object,
) -> Reply:
    """An error as these services send them. `more` goes beside the message, such as failed_generation."""
    known = {"message": message, "type": type, "code": code, "param": param, **more}
    body = {"error": {name: value for name, value in known.items() if value is not None}}
    return Reply(lambda request: _json(body, status=status, headers=headers or {}))


def malformed(body: object, *, status: int = 200, kind: str = "application/json") -> Reply:
    """A body of one's own: bytes or text as it is, anything else as JSON."""
    raw = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return Reply(lambda request: Wire(status, {"Content-Type": kind}, (raw,)))


def drip(text: str, seconds: float) -> Reply:
    """A good reply, so many seconds for each byte."""

    def to(request: Request) -> Wire:
        whole = reply(text).to(request)
        return replace(whole, pieces=[bytes([byte]) for piece in whole.pieces for byte in piece], gap=seconds)

    return Reply(to)


def hang() -> Reply:
    """Takes the request and says nothing."""
    return Reply(lambda request: Wire(ending="hang", silent=True))


def cut(text: str = "") -> Reply:
    """Closes the connection in the middle of a good reply; without a text, before any."""

    def to(request: Request) -> Wire:
        if not text:
            return Wire(ending="cut", silent=True)
        whole = reply(text).to(request)
        if request.streams:
            return replace(whole, pieces=whole.pieces[: len(whole.pieces) // 2], ending="cut")
        body = b"".join(whole.pieces)
        return replace(whole, pieces=(body[: len(body) // 2],), ending="cut")

    return Reply(to)


def sse(
    pieces: Sequence[str | Mapping[str, object]],
    *,
    reasoning: str | None = None,
    finish: str | None = "stop",
    gap: float = 0.0,
    ending: Ending = "whole",
    done: bool = True,
) -> Reply:
    """A stream: a text is a piece of the reply, a mapping an event of its own (`{"error": …}`)."""
    told: list[Mapping[str, object]] = []
    if reasoning is not None:
        told.append(_delta({"reasoning": reasoning}))
    told += [_delta({"content": piece}) if isinstance(piece, str) else piece for piece in pieces]
    if ending == "whole" and finish is not None:
        told.append(_delta({}, finish))
    lines = [f"data: {json.dumps(one)}\n\n".encode() for one in told]
    if ending == "whole" and done:
        lines.append(b"data: [DONE]\n\n")
    return Reply(lambda request: Wire(200, {"Content-Type": "text/event-stream"}, lines, gap, ending=ending))


def _json(body: object, *, status: int = 200, headers: Mapping[str, str]) -> Wire:
    return Wire(status, {"Content-Type": "application/json", **headers}, (json.dumps(body).encode(),))


def _delta(delta: Mapping[str, object], finish: str | None = None) -> Mapping[str, object]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _words(text: str) -> Iterator[str]:
    """The text in pieces, as models write: each word with the space before it."""
    words = text.split(" ")
    return (word if place == 0 else f" {word}" for place, word in enumerate(words))
