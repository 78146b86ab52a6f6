"""Whether a service that speaks OpenAI's interface takes a key, and which models it has. Costs nothing."""

from __future__ import annotations

import httpx
from pydantic import BaseModel, ValidationError

from qandai.errors import AccessRefused, ProviderError


class _Model(BaseModel):
    id: str


class _Models(BaseModel):
    data: list[_Model]


def check_key(base_url: str, key: str | None, *, transport: httpx.BaseTransport | None = None) -> frozenset[str] | None:
    """The names of its models; None where it does not tell. Raises AccessRefused for a key that is refused,
    ProviderError where nobody answers."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with httpx.Client(transport=transport, timeout=10) as client:
            answer = client.get(f"{base_url.rstrip('/')}/models", headers=headers)
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as exc:  # of odd hosts and keys, too
        raise ProviderError(f"{base_url} cannot be reached: {type(exc).__name__}.") from None  # a cause holds the key
    if answer.status_code in (401, 403):
        raise AccessRefused(f"{base_url} refuses the key ({answer.status_code}).")
    if answer.status_code >= 500:
        raise ProviderError(f"{base_url} answers {answer.status_code}.")
    if answer.status_code != 200:
        return None
    try:
        return frozenset(model.id for model in _Models.model_validate_json(answer.content).data)
    except ValidationError:
        return None
