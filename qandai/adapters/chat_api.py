"""Language models at OpenAI, at Groq, or at any server with their interface: POST {base}/chat/completions."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager

import httpx2
import openai
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessageParam

from qandai.adapters.background import Background, Following
from qandai.adapters.chat_errors import TooMuch, Who, broken_off, refusal, translated
from qandai.adapters.chat_habits import Habits, Kind, fields, messages, ways_of
from qandai.adapters.chat_reply import MOST_BYTES, Fault, completion, event, events, fault, silent
from qandai.adapters.service_errors import words_of
from qandai.adapters.thoughts import Veil
from qandai.chat import Completion, Pieces, Prompt
from qandai.errors import ProviderError, Refused, Unavailable

MOST_STREAMED = 4 * MOST_BYTES
"""Of a stream, where each word comes in an envelope."""

_LESSONS = 8  # refusals of one call that we learn from
_LONGEST = 3600.0  # seconds
_LIMITS = httpx2.Limits(max_connections=200, max_keepalive_connections=50, keepalive_expiry=30)
_NO_KEY = "none"  # the SDK wants one, servers on one's own machine none

Response = openai.AsyncAPIResponse[ChatCompletion | openai.AsyncStream[ChatCompletionChunk]]


class ChatService:
    """A server, and the connections to it. Its models share it; threads too. The key is in no error and no repr."""

    def __init__(
        self, *, name: str, base_url: str, key: str | None, background: Background, kind: Kind, key_from: str = ""
    ) -> None:
        self.name = name
        self.key = key
        self.key_from = key_from
        self.kind: Kind = kind
        self.background = background
        # Certificates are read here: tens of milliseconds, which the first question does not have.
        http = httpx2.AsyncClient(
            limits=_LIMITS, follow_redirects=False, event_hooks={"response": [_bounded]}, timeout=_LONGEST
        )
        try:
            self.client = openai.AsyncOpenAI(
                api_key=key or _NO_KEY,
                base_url=base_url,
                max_retries=0,
                http_client=http,
                default_headers={"Accept-Encoding": "identity"},
            )
        except (openai.OpenAIError, httpx2.InvalidURL, ValueError) as exc:
            raise Unavailable(f"{name} has no address that can be used.", hint="Check the base URL.") from exc
        background.at_close(self.client.close)


class ChatApi:
    """One model of one service. Threads share it; what the model refuses is remembered here."""

    def __init__(self, service: ChatService, model: str) -> None:
        self._service = service
        self._model = model
        self._who = Who(service.name, model, service.key, service.key_from)
        self._habits = Habits(ways_of(model, service.kind))

    def __repr__(self) -> str:
        return f"ChatApi({self._who})"

    @property
    def model(self) -> str:
        return self._model

    @property
    def provider(self) -> str:
        return self._service.name

    def complete(self, prompt: Prompt, *, seconds: float) -> Completion:
        return self._service.background.run(lambda: self.answer(prompt), seconds, str(self._who))

    def stream(self, prompt: Prompt, *, seconds: float, first: float | None = None) -> Pieces:
        background = self._service.background
        return Following(background, lambda: self.pieces(prompt), seconds, str(self._who), first=first)

    async def answer(self, prompt: Prompt) -> Completion:
        """On the background's loop. Takes as long as it takes."""
        with translated(self._who):
            async with self._asked(prompt, stream=False) as response:
                content = await _read(response)
        return self._completion(content)

    async def pieces(self, prompt: Prompt) -> AsyncGenerator[str]:
        """On the background's loop: visible text, no piece empty."""
        veil = Veil()
        shown = False
        with translated(self._who):
            async with self._asked(prompt, stream=True) as response, aclosing(self._written(response)) as written:
                async for said in written:
                    visible = veil.feed(said)
                    visible = visible if shown else visible.lstrip()
                    if visible:
                        shown = True
                        yield visible
        rest = veil.end()
        if rest:
            yield rest
        elif not shown:
            raise silent(str(self._who))

    def _completion(self, content: bytes) -> Completion:
        known = fault(content)
        if known != Fault():  # some servers answer 200 and say in the body that they failed
            raise broken_off(self._who, known)
        return completion(content, self._model, str(self._who))

    async def _written(self, response: Response) -> AsyncGenerator[str]:
        """What a stream says, thoughts and all. Raises ProviderError where it ends too early."""
        if "json" in response.headers.get("content-type", ""):  # it does not stream
            yield self._completion(await _read(response)).text
            return
        whole = False
        async for data in events(response.iter_lines()):
            if data.strip() == "[DONE]":
                return
            told = event(data, str(self._who))
            if told.is_failure:
                raise broken_off(self._who, told.error)
            whole = whole or told.is_last
            yield told.text
        if not whole:
            raise ProviderError(f"{self._who} broke off in the middle of a reply.")

    @asynccontextmanager
    async def _asked(self, prompt: Prompt, *, stream: bool) -> AsyncIterator[Response]:
        """The response, its body still to be read. What the model refuses is left out at once, and for good."""
        for left in range(_LESSONS, -1, -1):
            used = self._habits.now(prompt)
            try:
                async with self._post(prompt, used, stream=stream) as response:
                    yield response
                    return
            except openai.APIStatusError as exc:
                if not left or not self._learns(exc.response, used):
                    raise

    @asynccontextmanager
    async def _post(self, prompt: Prompt, used: Mapping[str, object], *, stream: bool) -> AsyncIterator[Response]:
        system, user = messages(prompt, used)
        said: list[ChatCompletionMessageParam] = [
            {"role": "system", "content": system},
            {"role": "user", "content": user},
        ]
        async with self._service.client.chat.completions.with_streaming_response.create(
            model=self._model,
            messages=said,
            stream=stream,
            extra_body=fields(prompt, used),  # put into the body as they are
            timeout=_LONGEST,  # whoever asks ends the call sooner
        ) as response:
            yield response

    def _learns(self, response: httpx2.Response, used: Mapping[str, object]) -> bool:
        if response.status_code not in (400, 422):
            return False
        said = words_of(response.content, self._who.key)
        known = fault(response.content)
        if isinstance(refusal(self._who, response.status_code, {}, response.content), Refused):
            return self._habits.learn(used, known.param, said)
        return False


async def _read(response: Response) -> bytes:
    content = bytearray()
    async for part in response.iter_bytes():
        content += part
        if len(content) > MOST_BYTES:
            raise TooMuch(f"more than {MOST_BYTES:,} bytes")
    return bytes(content)


async def _bounded(response: httpx2.Response) -> None:
    """Whoever reads the body, we or the SDK, reads no more of it than this, and as it came."""
    response.headers.pop("content-encoding", None)  # nobody asked for it, and a packed megabyte holds a gigabyte
    response.encoding = "utf-8"  # as JSON is; a codec that it names may be none for texts
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._stream:
            size += len(part)
            if size > MOST_STREAMED:
                raise TooMuch(f"more than {MOST_STREAMED:,} bytes")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
