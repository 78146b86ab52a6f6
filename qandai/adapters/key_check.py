"""Whether a service that speaks OpenAI's interface takes a key. Costs nothing: it only lists models."""

from __future__ import annotations

import httpx

from qandai.errors import AccessRefused, ProviderError


def check_key(base_url: str, key: str | None, *, transport: httpx.BaseTransport | None = None) -> None:
    """Raises AccessRefused for a key that is refused, ProviderError where nobody answers."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with httpx.Client(transport=transport, timeout=10) as client:
            status = client.get(f"{base_url.rstrip('/')}/models", headers=headers).status_code
    except httpx.HTTPError as exc:
        raise ProviderError(f"{base_url} cannot be reached: {type(exc).__name__}.") from exc
    if status in (401, 403):
        raise AccessRefused(f"{base_url} refuses the key ({status}).")
    if status >= 500:
        raise ProviderError(f"{base_url} answers {status}.")
