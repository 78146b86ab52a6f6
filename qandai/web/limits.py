"""How many questions a minute are answered: for each visitor, and for all together."""

from __future__ import annotations

from ipaddress import ip_address
from math import ceil
from threading import Lock
from time import time

from flask import Flask, request
from flask_limiter import Limiter
from limits import RateLimitItem, RateLimitItemPerMinute

from qandai.errors import QandaiError
from qandai.settings import Settings

_SITE = "site"


class TooMany(QandaiError):
    """`wait`: whole seconds until the next question is taken, at least 1."""

    def __init__(self, message: str, *, wait: int) -> None:
        super().__init__(message, hint=f"Please wait {wait} s and ask again.")
        self.wait = wait


class Limits:
    """Counts in memory, over the last 60 seconds, whatever the clock says: a new minute forgives nobody. Threads share
    it."""

    def __init__(self, app: Flask, settings: Settings) -> None:
        limiter = Limiter(visitor, app=app, storage_uri="memory://", strategy="moving-window", headers_enabled=False)
        self._window = limiter.limiter
        self._lock = Lock()
        self._visitor = RateLimitItemPerMinute(settings.limit_visitor) if settings.limit_visitor else None
        self._site = RateLimitItemPerMinute(settings.limit_site) if settings.limit_site else None

    def count(self) -> None:
        """Counts a question of this request's visitor. Raises TooMany; what is refused counts for nobody, so that one
        visitor's haste takes nothing from the others, and the site's crowd nothing from one visitor."""
        rules = [(self._visitor, visitor()), (self._site, _SITE)]
        with self._lock:
            for rule, who in rules:
                if rule is not None and not self._window.test(rule, who):
                    raise self._refused(rule, who)
            for rule, who in rules:
                if rule is not None:
                    self._window.hit(rule, who)

    def _refused(self, rule: RateLimitItem, who: str) -> TooMany:
        reset, _ = self._window.get_window_stats(rule, who)
        wait = max(1, ceil(reset - time()))
        asked = f"{rule.amount} question{'' if rule.amount == 1 else 's'}"
        if who == _SITE:
            return TooMany(f"Many people are asking: {asked} in this minute, as many as this site answers.", wait=wait)
        return TooMany(f"You have asked {asked} in a minute, as many as this site answers one visitor.", wait=wait)


def visitor() -> str:
    """The address that a question comes from; of IPv6 the network, of which one household has all addresses."""
    given = request.remote_addr or ""
    try:
        address = ip_address(given.partition("%")[0])
    except ValueError:
        return given
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return f"{int(address) >> 64:x}/64"
