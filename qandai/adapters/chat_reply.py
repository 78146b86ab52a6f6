"""What a chat service answers, read with care: whole replies, events of a stream, and the bodies of refusals."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from qandai.adapters.thoughts import without_thoughts
from qandai.chat import Completion
from qandai.errors import Unusable

MOST_BYTES = 2**20
"""Of a reply; the longest that we ask for has some thousand characters."""


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else 0


def _word(value: object) -> str:
    """Error codes are words with some services and numbers with others."""
    return str(value)[:1000] if isinstance(value, str | int) else ""


Count = Annotated[int, BeforeValidator(_count)]
Word = Annotated[str, BeforeValidator(_word)]


class _Usage(BaseModel):
    prompt_tokens: Count = 0
    completion_tokens: Count = 0


class _Message(BaseModel):
    content: str | None = None
    reasoning: object = None
    reasoning_content: object = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: Word = ""


class _Reply(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: Annotated[_Usage, BeforeValidator(lambda value: value if isinstance(value, dict) else {})] = _Usage()


class Fault(BaseModel):
    """What a service says of a refusal beside its message; empty where it says nothing."""

    message: Word = ""
    type: Word = ""
    code: Word = ""
    param: Word = ""


class _FaultBody(BaseModel):
    error: Fault


class _Delta(BaseModel):
    content: str | None = None


class _Part(BaseModel):
    delta: _Delta = _Delta()
    finish_reason: Word | None = None


class Event(BaseModel):
    """One event of a stream."""

    choices: list[_Part] = []
    error: Annotated[Fault, BeforeValidator(lambda value: value if isinstance(value, dict) else {"message": value})] = (
        Fault()
    )

    @property
    def text(self) -> str:
        return (self.choices[0].delta.content or "") if self.choices else ""

    @property
    def is_last(self) -> bool:
        return bool(self.choices and self.choices[0].finish_reason)

    @property
    def is_failure(self) -> bool:
        return "error" in self.model_fields_set and self.error != Fault()


def completion(content: bytes, model: str, who: str) -> Completion:
    """Raises Unusable for what is no reply and for a reply without a visible word."""
    try:
        reply = _Reply.model_validate_json(content)
    except ValidationError as exc:
        raise _unreadable(exc, who) from None  # the error would repeat what was sent
    choice = reply.choices[0]
    text = without_thoughts(choice.message.content or "")
    if not text:
        thought = choice.message.reasoning or choice.message.reasoning_content
        raise silent(who, choice.finish_reason, thought=bool(thought))
    return Completion(text, model, reply.usage.prompt_tokens, reply.usage.completion_tokens)


def silent(who: str, finish: str = "", *, thought: bool = False) -> Unusable:
    why = " All of it was thoughts." if thought else " It was cut at its longest." if finish == "length" else ""
    return Unusable(f"{who} sent an empty reply.{why}")


def event(data: str, who: str) -> Event:
    """Raises Unusable for what is no event of a stream."""
    try:
        return Event.model_validate_json(data)
    except ValidationError as exc:
        raise _unreadable(exc, who) from None


async def events(lines: AsyncIterator[str]) -> AsyncIterator[str]:
    """The data of server-sent events, until the stream ends; `[DONE]` among them."""
    data: list[str] = []
    async for line in lines:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line.strip() and data:
            yield "\n".join(data)
            data.clear()
    if data:
        yield "\n".join(data)


def fault(content: bytes) -> Fault:
    try:
        return _FaultBody.model_validate_json(content[:MOST_BYTES]).error
    except ValidationError:
        return Fault()


def _unreadable(exc: ValidationError, who: str) -> Unusable:
    where = ".".join(str(part) for part in exc.errors(include_input=False)[0]["loc"][:6]) or "the document"
    return Unusable(f"{who} sent a reply that cannot be read ({where[:100]}).")
