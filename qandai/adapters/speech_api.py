"""Speech to text at Groq or at any server with OpenAI's interface: POST {base}/audio/transcriptions."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from pydantic import ValidationError

from qandai.adapters.service_errors import wait_of, words_of
from qandai.adapters.speech_reply import Reply, heard
from qandai.errors import AccessRefused, ProviderError, Refused, Throttled, TooLarge
from qandai.hearing import Heard, TranscriberLimits

MOST_BYTES = 32 * 2**20
"""Of a reply; ten minutes of words with times are half a megabyte."""

TIMEOUT = httpx.Timeout(connect=10, read=600, write=600, pool=60)

_TYPES = {".flac": "audio/flac", ".ogg": "audio/ogg", ".mp3": "audio/mpeg", ".wav": "audio/wav", ".m4a": "audio/mp4"}
_SEPARATOR = ", "
_LEAST_PROMPT = 100  # characters; a smaller number in a refusal is something else


@dataclass(slots=True)
class _Habits:
    """What the server refused once is not sent again."""

    word_times: bool = True
    prompt_characters: int | None = None


class SpeechApi:
    """One model at one server. `name` says who is asked, in errors; the key is in none of them. Threads share it."""

    def __init__(
        self,
        *,
        name: str,
        base_url: str,
        model: str,
        key: str | None,
        limits: TranscriberLimits,
        transport: httpx.BaseTransport | None = None,
        timeout: httpx.Timeout = TIMEOUT,
    ) -> None:
        self._name = name
        self._url = f"{base_url.rstrip('/')}/audio/transcriptions"
        self._model = model
        self._key = key
        self._limits = limits
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(transport=transport, timeout=timeout, headers=headers)
        self._habits = _Habits()
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        return f"{httpx.URL(self._url).host}/{self._model}"

    @property
    def limits(self) -> TranscriberLimits:
        return self._limits

    def close(self) -> None:
        self._client.close()

    def transcribe(self, piece: Path, *, language: str | None, prompt: str) -> Heard:
        """At most three requests: one with all, one for each thing that the server refuses for good."""
        size = piece.stat().st_size
        if self._limits.max_bytes is not None and size > self._limits.max_bytes:
            raise TooLarge(f"{self._name} takes {self._limits.max_bytes:,} bytes at once; a piece has {size:,}.")
        for left in (2, 1, 0):
            fields = self._fields(language, prompt)
            status, headers, content = self._post(piece, fields)
            if status == 200:
                return heard(self._parsed(content))
            said = words_of(content, self._key)
            if status != 400 or not left or not self._learns(said, fields):
                raise self._refusal(status, headers, said)
        raise AssertionError("the last round returns or raises")

    def _fields(self, language: str | None, prompt: str) -> dict[str, str | list[str]]:
        with self._lock:
            word_times, characters = self._habits.word_times, self._habits.prompt_characters
        fields: dict[str, str | list[str]] = {
            "model": self._model,
            "response_format": "verbose_json",
            "timestamp_granularities[]": ["word", "segment"] if word_times else ["segment"],
            "temperature": "0",
        }
        if language:
            fields["language"] = language
        if characters is not None:
            prompt = _last_terms(prompt, characters)
        if prompt:
            fields["prompt"] = prompt
        return fields

    def _learns(self, said: str, fields: dict[str, str | list[str]]) -> bool:
        """Whether the refusal is about something that can be left out."""
        lower = said.lower()
        prompt = fields.get("prompt")
        with self._lock:
            if "granularit" in lower and len(fields["timestamp_granularities[]"]) > 1:
                self._habits.word_times = False
                return True
            if "prompt" in lower and isinstance(prompt, str):
                self._habits.prompt_characters = _named_limit(lower, below=len(prompt)) or 0
                return True
        return False

    def _post(self, piece: Path, fields: dict[str, str | list[str]]) -> tuple[int, httpx.Headers, bytes]:
        kind = _TYPES.get(piece.suffix, "application/octet-stream")
        with _translated(self._name), piece.open("rb") as file:
            sent = {"file": (f"piece{piece.suffix}", file, kind)}
            with self._client.stream("POST", self._url, data=fields, files=sent) as response:
                content = bytearray()
                for part in response.iter_bytes():
                    content += part
                    if len(content) > MOST_BYTES:
                        raise ProviderError(f"{self._name} sent a reply of more than {MOST_BYTES >> 20} MB.")
                return response.status_code, response.headers, bytes(content)

    def _parsed(self, content: bytes) -> Reply:
        try:
            reply = Reply.model_validate_json(content)
        except ValidationError as exc:
            where = ".".join(str(part) for part in exc.errors()[0]["loc"]) or "the document"
            raise ProviderError(
                f"{self._name} sent a reply that cannot be read ({where}).", hint="It must speak verbose_json."
            ) from exc
        if reply.segments is None and reply.words is None and reply.text.strip():
            raise Refused(
                f"{self._name} gives no times with the model {self._model}.",
                hint="Choose a model that speaks verbose_json with QANDAI_TRANSCRIBER_MODEL, such as a Whisper model.",
            )
        return reply

    def _refusal(self, status: int, headers: httpx.Headers, said: str) -> ProviderError:
        message = f"{self._name} answered {status}" + (f": {said}" if said else ".")
        if status in (401, 403):
            return AccessRefused(message, hint="Check the key, and that it may use this model.")
        if status == 404:
            return AccessRefused(message, hint="Check the address and the model (QANDAI_TRANSCRIBER_MODEL).")
        if status == 413:
            return TooLarge(message, hint="Lower QANDAI_TRANSCRIBER_MAX_MB.")
        if status in (429, 498):
            wait = wait_of(headers, said)
            return Throttled(message, wait=wait, hint="Run ingest again later; what was heard is kept.")
        if status == 408 or status >= 500:
            return ProviderError(message, hint="Run ingest again later; what was heard is kept.")
        return Refused(message)


@contextmanager
def _translated(name: str) -> Iterator[None]:
    try:
        yield
    except httpx.TimeoutException as exc:
        raise ProviderError(f"{name} did not answer in time.", hint="Run ingest again later.") from exc
    except (httpx.HTTPError, httpx.InvalidURL) as exc:
        raise ProviderError(
            f"{name} cannot be reached ({type(exc).__name__}).", hint="Check the network and the address."
        ) from exc


def _named_limit(said: str, *, below: int) -> int | None:
    """The limit in characters that a refusal names beside our length; None if it names none that would help."""
    numbers: Sequence[int] = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", said)]
    return min((number for number in numbers if _LEAST_PROMPT <= number < below), default=None)


def _last_terms(prompt: str, characters: int) -> str:
    """The end of the prompt, from a term's border on: the last terms are the most important."""
    while len(prompt) > characters:
        _, found, prompt = prompt.partition(_SEPARATOR)
        if not found:
            return ""
    return prompt
