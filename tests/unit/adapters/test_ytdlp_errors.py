"""What yt-dlp says, told apart: never for us, not now, wait, mend."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from qandai.adapters.ytdlp_errors import is_missing_tab, is_upcoming, translated, withdrawn
from qandai.errors import AccessRefused, ProviderError, Throttled, Unavailable, Withheld


class DownloadError(Exception):
    """Shaped like yt-dlp's: the cause lies in `exc_info`."""

    def __init__(self, message: str, cause: BaseException | None = None) -> None:
        super().__init__(message)
        self.exc_info = (type(cause), cause, None) if cause else None


class HTTPError(Exception):
    def __init__(self, status: int, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"HTTP Error {status}")
        self.status = status
        self.response = SimpleNamespace(headers=headers or {})


class GeoRestrictedError(Exception):
    pass


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("ERROR: [youtube] x: Private video. Sign in if you've been granted access to this video", "private"),
        ("Join this channel to get access to members-only content like this video", "members only"),
        ("Sign in to confirm your age. This video may be inappropriate for some users.", "age-restricted"),
        ("The uploader has not made this video available in your country", "blocked in this country"),
        ("Video unavailable. This video has been removed by the uploader", "removed"),
        ("This video is no longer available because the account has been terminated.", "removed"),
        ("Video unavailable", "unavailable"),
        ("This video requires payment to watch", "paid"),
    ],
)
def test_what_will_never_come(said: str, reason: str) -> None:
    error = translated(DownloadError(said), "x")
    assert isinstance(error, Unavailable)
    assert error.message == reason


@pytest.mark.parametrize(
    "said",
    [
        "Sign in to confirm you're not a bot. Use --cookies for the authentication",
        "Video unavailable. This content isn't available, try again later. The current session has been rate-limited",
        "YouTube is requiring a captcha challenge before playback",
        "HTTP Error 429: Too Many Requests",
    ],
)
def test_who_is_asked_to_wait_waits(said: str) -> None:
    error = translated(DownloadError(said), "x")
    assert isinstance(error, Throttled)
    assert "QANDAI_YOUTUBE_PROXY" in error.hint


@pytest.mark.parametrize(("header", "wait"), [("90", 90.0), ("soon", None), ("999999999", 86400.0), (None, None)])
def test_the_time_that_a_service_names_is_taken_within_reason(header: str | None, wait: float | None) -> None:
    error = translated(HTTPError(429, {"Retry-After": header} if header else {}), "x")
    assert isinstance(error, Throttled)
    assert error.wait == wait


def test_the_cause_counts_wherever_it_lies() -> None:
    assert isinstance(translated(DownloadError("Unable to download", HTTPError(429)), "x"), Throttled)
    geo = translated(DownloadError("odd wording", GeoRestrictedError("odd")), "x")
    assert geo.message == "blocked in this country"
    assert isinstance(translated(HTTPError(403), "x"), Withheld)


def test_what_an_operator_can_mend_is_said_with_its_remedy() -> None:
    stale = translated(DownloadError("The provided YouTube account cookies are no longer valid"), "x")
    assert isinstance(stale, AccessRefused)
    assert "Export them again" in stale.hint
    old = translated(DownloadError("Unable to extract initial player response; please report this issue"), "x")
    assert type(old) is ProviderError
    assert "pip install -U" in old.hint
    assert "network" in translated(DownloadError("Temporary failure in name resolution"), "x").hint


def test_streams_to_come_and_missing_tabs_are_no_failures() -> None:
    assert is_upcoming(DownloadError("This live event will begin in 2 days."))
    assert is_upcoming(DownloadError("Premieres in 3 hours"))
    assert is_missing_tab(DownloadError("x", ValueError("This channel does not have a streams tab")))
    assert not is_missing_tab(DownloadError("Video unavailable"))


def test_titles_of_what_nobody_can_watch() -> None:
    assert withdrawn("[Private video]") == "private"
    assert withdrawn("[Deleted video]") == "removed"
    assert withdrawn("[Private video] explained") is None
