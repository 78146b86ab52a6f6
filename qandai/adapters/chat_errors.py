"""What went wrong with a chat service, in our words. Only here its status codes and the SDK's errors are known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx2
import openai

from qandai.adapters.chat_reply import Fault, fault
from qandai.adapters.service_errors import wait_of, without_key, words_of
from qandai.errors import (
    AccessRefused,
    ProviderError,
    Refused,
    Throttled,
    TimedOut,
    TooLarge,
    Unavailable,
    Unusable,
)

_CONTEXT = re.compile(r"context[ _](?:length|size|window)|exceed_context|too long|reduce the length", re.IGNORECASE)
_GONE = re.compile(r"decommissioned|model_not_found|has been (?:retired|removed|shut ?down)", re.IGNORECASE)
_UNREACHED = (
    openai.OpenAIError,
    httpx2.HTTPError,
    httpx2.StreamError,
    httpx2.InvalidURL,
    OSError,
    UnicodeError,  # a host's name that is none
    ExceptionGroup,  # of several addresses that were tried
)


class TooMuch(httpx2.StreamError):
    """A body without an end."""


@dataclass(frozen=True, slots=True)
class Who:
    """Who is asked, for messages. `key` is there so that no message holds it; `key_from` is where the operator set
    it."""

    name: str
    model: str
    key: str | None = field(repr=False)
    key_from: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.model})"


@contextmanager
def translated(who: Who) -> Iterator[None]:
    try:
        yield
    except openai.APIStatusError as exc:
        response = exc.response
        exc.args = (without_key(str(exc), who.key),)  # a log that shows the cause shows no key
        raise refusal(who, response.status_code, response.headers, response.content) from exc
    except (openai.APITimeoutError, httpx2.TimeoutException) as exc:
        raise TimedOut(f"{who} did not answer in time.") from exc
    except TooMuch as exc:
        raise Unusable(f"{who} sent a reply without an end.") from exc
    except _UNREACHED as exc:
        if isinstance(exc.__cause__, TooMuch):
            raise Unusable(f"{who} sent a reply without an end.") from exc
        kind = type(exc.__cause__ or exc).__name__
        raise ProviderError(f"{who} cannot be reached ({kind}).", hint="Check the network and the address.") from exc


def refusal(who: Who, status: int, headers: Mapping[str, str], content: bytes) -> ProviderError:
    return _judged(who, status, headers, words_of(content, who.key), fault(content))


def _judged(who: Who, status: int, headers: Mapping[str, str], said: str, known: Fault) -> ProviderError:
    message = f"{who} answered {status}" + (f": {said}" if said else ".")
    if status == 402 or known.code == "insufficient_quota":  # it says 429, and no waiting helps
        return AccessRefused(message, hint="The account has no credit left.")
    if status in (429, 498):
        return Throttled(message, wait=wait_of(headers, said))
    if status == 413 or (400 <= status < 500 and is_too_long(known, said)):
        return TooLarge(message)
    if status in (401, 403):
        return AccessRefused(message, hint=f"Check the key ({who.key_from})." if who.key_from else "Check the key.")
    if status == 404 or (400 <= status < 500 and _GONE.search(f"{known.code} {said}")):
        hint = "The model is gone, or the address is wrong: name another with QANDAI_MODEL_…"
        return Unavailable(message, hint=hint)
    if status == 400 and "json_validate_failed" in (known.code, known.type):
        return Unusable(message)
    if status == 408 or not 400 <= status < 500:
        return ProviderError(message)
    return Refused(message, hint="The model takes no such request: name another with QANDAI_MODEL_…")


def broken_off(who: Who, known: Fault) -> ProviderError:
    """An error that comes in the middle of a stream, where there is no status any more."""
    code = f"{known.code} {known.type}"
    status = int(known.code) if re.fullmatch(r"[45]\d\d", known.code) else 429 if "rate_limit" in code else 500
    if "json_validate_failed" in code:
        status = 400
    return _judged(who, status, {}, without_key(known.message, who.key)[:300], known)


def is_too_long(known: Fault, said: str) -> bool:
    return _CONTEXT.search(f"{known.code} {known.type} {said}") is not None
