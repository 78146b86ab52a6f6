"""How tests ask a model: prompts, models of a scripted provider as the real SDK reaches them, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from qandai.adapters.background import Background
from qandai.adapters.chat_api import ChatApi, ChatService
from qandai.adapters.chat_habits import Kind
from qandai.chat import Form, Llm, Prompt
from qandai.errors import ProviderError
from tests.provider import Provider

KEY = "gsk_verysecret"
FORM = Form(
    "pick",
    {
        "type": "object",
        "properties": {"excerpt": {"type": "integer"}},
        "required": ["excerpt"],
        "additionalProperties": False,
    },
)
PLAIN = Prompt("You choose.", "Which?", longest=60, specimen="2: I sold it and never looked back.")
SHAPED = Prompt("You choose.", "Which?", longest=60, form=FORM)
OSS, QWEN, OTHER = "openai/gpt-oss-20b", "qwen/qwen3.8-27b", "mistral-small"

Make = Callable[..., ChatApi]


def maker(background: Background) -> Make:
    """Makes a model of a provider; every one has a memory of its own."""

    def make(provider: Provider, model: str = OSS, kind: Kind = "groq") -> ChatApi:
        service = ChatService(
            name="Groq", base_url=provider.base_url, key=KEY, background=background, kind=kind, key_from="GROQ_API_KEY"
        )
        return ChatApi(service, model)

    return make


def both(llm: Llm, prompt: Prompt = PLAIN, *, seconds: float = 5.0) -> Iterator[ProviderError | str]:
    """What a call and a stream make of the same: the text or the error."""
    for ask in (
        lambda: llm.complete(prompt, seconds=seconds).text,
        lambda: "".join(llm.stream(prompt, seconds=seconds)),
    ):
        try:
            yield ask()
        except ProviderError as error:
            yield error


def kinds(llm: Llm, prompt: Prompt = PLAIN, *, seconds: float = 5.0) -> list[type]:
    return [type(said) for said in both(llm, prompt, seconds=seconds)]
