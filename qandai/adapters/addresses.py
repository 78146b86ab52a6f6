"""Whether an address that a stranger wrote may be fetched."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from urllib.parse import urlsplit

from qandai.errors import ProviderError, Unavailable

Lookup = Callable[[str], tuple[str, ...]]
"""The IP addresses of a host name."""


def resolve(host: str) -> tuple[str, ...]:
    try:
        return tuple({str(found[4][0]) for found in socket.getaddrinfo(host, None)})
    except OSError as exc:
        raise ProviderError(f"{host} is not known to the network.", hint="Is the network there?") from exc


def check_address(url: str, *, trusted: str, lookup: Lookup = resolve) -> None:
    """`trusted` is an address that the editor wrote: its own host may be anywhere, other hosts must be public.

    Raises Unavailable for a refused address. A name that changes its address between this look and the request is
    not caught: whoever ingests from strangers on a network with secrets keeps it from that network.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Unavailable(f"{url[:200]} is no http(s) address")
    if parts.hostname == urlsplit(trusted).hostname:
        return
    for address in lookup(parts.hostname):
        if not ipaddress.ip_address(address.partition("%")[0]).is_global:
            raise Unavailable(f"{url[:200]} lies in a private network")
