"""What transcribing would cost, for a dry run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qandai.hearing import TranscriberLimits


@dataclass(frozen=True, slots=True)
class Cost:
    """`price` in US dollars, of the recordings whose length is known; None where the service's price is not.
    `unknown` counts the recordings without a length."""

    recordings: int
    minutes: float
    price: float | None
    unknown: int

    def __str__(self) -> str:
        """One line for a person: "3 recordings, 95 min, about $0.18"."""
        price = "price unknown" if self.price is None else "free" if self.price == 0 else f"about ${self.price:.2f}"
        rest = f", {self.unknown} of unknown length" if self.unknown else ""
        minutes = f"{self.minutes:.0f}" if self.minutes >= 10 else f"{self.minutes:.1f}".removesuffix(".0")
        return f"{self.recordings} recording{'s' * (self.recordings != 1)}, {minutes} min, {price}{rest}"


def cost(durations: Sequence[float | None], limits: TranscriberLimits) -> Cost:
    """Of recordings that last so many seconds (None: unknown), none of them heard before."""
    known = [duration for duration in durations if duration is not None]
    billed = sum(max(limits.least_billed, duration) for duration in known)
    return Cost(
        recordings=len(durations),
        minutes=sum(known) / 60,
        price=None if limits.price_an_hour is None else round(billed / 3600 * limits.price_an_hour, 4),
        unknown=len(durations) - len(known),
    )
