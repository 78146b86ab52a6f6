"""What every transcriber promises: at a service, on this machine, or a stand-in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from qandai.adapters.speech_api import SpeechApi
from qandai.adapters.transcribers import transcriber
from qandai.errors import AccessRefused, ProviderError, Refused, Throttled, TooLarge, UsageError
from qandai.hearing import Heard, HeardSegment, HeardWord, Sound, Transcriber, TranscriberLimits
from qandai.ingest.transcribe.plan import Piece
from qandai.ingest.transcribe.take import Take, read
from qandai.settings import Settings
from tests.fakes import ListeningTranscriber

RECORDED = Path(__file__).parents[1] / "recorded"
KEY = "gsk_never_to_be_shown"
LIMITS = TranscriberLimits(max_bytes=25_000_000, parallel=4, price_an_hour=0.111, least_billed=10.0)


def recorded(name: str) -> bytes:
    return (RECORDED / f"speech_{name}.json").read_bytes()


def error(status: int, message: str, **headers: str) -> httpx.Response:
    return httpx.Response(status, json={"error": {"message": message, "type": "x", "code": "y"}}, headers=headers)


class Service:
    """A transcription service that gives its answers in turn, the last one for ever. Remembers the forms it got."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self._answers = list(answers)
        self.forms: list[dict[str, list[str]]] = []
        self.files: list[bytes] = []
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        form, file = _multipart(request.read(), request.headers["content-type"])
        self.forms.append(form)
        self.files.append(file)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, content=answer.content, headers=answer.headers)

    def api(self, *, key: str | None = KEY, limits: TranscriberLimits = LIMITS) -> SpeechApi:
        transport = httpx.MockTransport(self)
        return SpeechApi(
            name="Groq",
            base_url="https://api.groq.test/v1/",
            model="large",
            key=key,
            limits=limits,
            transport=transport,
        )


def _multipart(body: bytes, kind: str) -> tuple[dict[str, list[str]], bytes]:
    boundary = kind.split("boundary=")[1].encode()
    form: dict[str, list[str]] = {}
    file = b""
    for part in body.split(b"--" + boundary)[1:-1]:
        head, _, content = part.strip(b"\r\n").partition(b"\r\n\r\n")
        name = re.search(rb'name="([^"]+)"', head)
        assert name is not None
        if b"filename=" in head:
            file = content
        else:
            form.setdefault(name[1].decode(), []).append(content.decode())
    return form, file


@pytest.fixture
def piece(tmp_path: Path) -> Path:
    path = tmp_path / "0.000-12.000.flac"
    path.write_bytes(b"fLaC sound")
    return path


def answered(name: str) -> Service:
    return Service(httpx.Response(200, content=recorded(name)))


def taken(heard: Heard, seconds: float) -> Take:
    return read(heard, Piece(0.0, seconds, 0.0, seconds), Sound(seconds))


def text(take: Take) -> str:
    return " ".join(word.text for word in take.words)


# For every transcriber. The packaged model keeps the same promises in tests/hearing/test_whisper.py.


def stand_in() -> Transcriber:
    words = tuple(HeardWord(word, n * 0.4, n * 0.4 + 0.3) for n, word in enumerate("We sold the shop".split()))
    return ListeningTranscriber(lambda start, end: Heard((HeardSegment(0.0, 2.0, "We sold the shop."),), words))


MAKERS: dict[str, Callable[[], Transcriber]] = {"stand-in": stand_in, "service": lambda: answered("whole").api()}


@pytest.fixture(params=sorted(MAKERS))
def any_transcriber(request: pytest.FixtureRequest) -> Transcriber:
    return MAKERS[request.param]()


def test_words_and_segments_count_from_the_start_of_the_piece(any_transcriber: Transcriber, piece: Path) -> None:
    heard = any_transcriber.transcribe(piece, language="en", prompt="")
    assert heard.segments
    assert 0 <= heard.segments[0].start < 1
    starts = [word.start for word in heard.words if word.start is not None]
    assert starts == sorted(starts)
    assert text(taken(heard, 12.0)).startswith("We sold the shop")


def test_model_and_limits_are_known_before_anything_is_asked(any_transcriber: Transcriber) -> None:
    assert any_transcriber.model
    assert any_transcriber.limits.parallel >= 1


# What goes out.


def test_the_request_asks_for_words_and_segments_of_the_piece(piece: Path) -> None:
    service = answered("whole")
    service.api().transcribe(piece, language="en", prompt="Tor, Qubes OS")
    (request,) = service.requests
    assert str(request.url) == "https://api.groq.test/v1/audio/transcriptions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert service.forms == [
        {
            "model": ["large"],
            "response_format": ["verbose_json"],
            "timestamp_granularities[]": ["word", "segment"],
            "temperature": ["0"],
            "language": ["en"],
            "prompt": ["Tor, Qubes OS"],
        }
    ]
    assert service.files == [b"fLaC sound"]


def test_what_is_unknown_is_left_out(piece: Path) -> None:
    service = answered("whole")
    service.api(key=None).transcribe(piece, language=None, prompt="")
    assert {"language", "prompt"}.isdisjoint(service.forms[0])
    assert "authorization" not in service.requests[0].headers


def test_a_piece_that_is_too_large_is_not_even_sent(piece: Path) -> None:
    service = answered("whole")
    with pytest.raises(TooLarge):
        service.api(limits=TranscriberLimits(max_bytes=5)).transcribe(piece, language=None, prompt="")
    assert service.requests == []


# What comes back.


def test_a_whole_reply(piece: Path) -> None:
    take = taken(answered("whole").api().transcribe(piece, language="en", prompt=""), 12.0)
    assert text(take) == "We sold the shop, and moved to the coast. It cost $43,000 in 2019."
    assert take.words[3].start == 1.5
    assert all(word.exact for word in take.words)


def test_words_without_times(piece: Path) -> None:
    take = taken(answered("words_without_times").api().transcribe(piece, language="en", prompt=""), 4.0)
    assert text(take) == "It cost $43,000. Matt paid."
    assert [word.exact for word in take.words] == [True, True, False, True, False]


def test_a_backward_step(piece: Path) -> None:
    take = taken(answered("backward_step").api().transcribe(piece, language="en", prompt=""), 10.0)
    assert text(take) == "one two three four five"
    assert all(a.start <= b.start and a.end >= a.start for a, b in zip(take.words, take.words[1:], strict=False))


def test_words_past_the_end(piece: Path) -> None:
    take = taken(answered("past_the_end").api().transcribe(piece, language="en", prompt=""), 600.0)
    assert text(take) == "That is all."


def test_a_loop(piece: Path) -> None:
    take = taken(answered("loop_after_silence").api().transcribe(piece, language="en", prompt=""), 60.0)
    assert text(take) == "This is where it begins."
    assert take.gaps[0].reason == "loop"


def test_nothing(piece: Path) -> None:
    assert answered("nothing").api().transcribe(piece, language="en", prompt="") == Heard((), (), "English")


def test_a_model_without_times_is_refused_with_the_remedy(piece: Path) -> None:
    with pytest.raises(Refused, match="QANDAI_TRANSCRIBER_MODEL"):
        answered("text_only").api().transcribe(piece, language="en", prompt="")


@pytest.mark.parametrize(
    "content",
    [b"", b"<html>busy</html>", b"[]", b'{"segments": 5}', b'{"segments": [{"text": 7}]}', b"\xff\xfe", b"[" * 5000],
)
def test_a_reply_that_is_none_is_a_failure_of_the_service(content: bytes, piece: Path) -> None:
    with pytest.raises(ProviderError):
        Service(httpx.Response(200, content=content)).api().transcribe(piece, language="en", prompt="")


def test_wild_numbers_are_times_that_nobody_gave(piece: Path) -> None:
    reply = json.loads(recorded("whole"))
    for word, wild in zip(reply["words"], ("NaN", "x", 1e300, None, [], "1.5", True, float("inf")), strict=False):
        word["start"] = wild
    heard = (
        Service(httpx.Response(200, content=json.dumps(reply).encode()))
        .api()
        .transcribe(piece, language="en", prompt="")
    )
    assert [word.start for word in heard.words[:8]] == [None, None, None, None, None, 1.5, 1.0, None]
    assert text(taken(heard, 12.0)).startswith("We sold the shop,")


def test_an_endless_reply_is_cut_off(piece: Path) -> None:
    with pytest.raises(ProviderError, match="32 MB"):
        Service(httpx.Response(200, content=b" " * (33 * 2**20))).api().transcribe(piece, language="en", prompt="")


# Refusals (D18, D19).


def test_a_prompt_too_long_and_then_the_word_times_are_left_out_and_never_tried_again(piece: Path) -> None:
    prompt = ", ".join(f"Name{n}" for n in range(200))
    service = Service(
        error(400, "prompt is 1200 characters long, the maximum is 896"),
        error(400, "timestamp_granularities: word is not supported by this model"),
        httpx.Response(200, content=recorded("segments_only")),
    )
    api = service.api()
    heard = api.transcribe(piece, language="en", prompt=prompt)
    assert len(service.requests) == 3
    sent = service.forms[1]["prompt"][0]
    assert len(sent) <= 896
    assert prompt.endswith(sent)
    assert sent.startswith("Name")
    assert service.forms[2]["timestamp_granularities[]"] == ["segment"]
    take = taken(heard, 6.0)
    assert take.repairs["coarse times"] == 5
    assert not any(word.exact for word in take.words)
    api.transcribe(piece, language="en", prompt=prompt)
    assert len(service.requests) == 4


def test_a_permanent_refusal_is_asked_once(piece: Path) -> None:
    service = Service(error(400, "could not process file - is it a valid media file?"))
    with pytest.raises(Refused, match="valid media file"):
        service.api().transcribe(piece, language="en", prompt="Tor")
    assert len(service.requests) == 1


def test_a_service_that_refuses_everything_is_asked_three_times_at_most(piece: Path) -> None:
    service = Service(error(400, "prompt and granularity are wrong"))
    with pytest.raises(Refused):
        service.api().transcribe(piece, language="en", prompt="Tor, Qubes")
    assert len(service.requests) == 3


def test_413_says_that_less_is_taken(piece: Path) -> None:
    with pytest.raises(TooLarge, match="QANDAI_TRANSCRIBER_MAX_MB"):
        Service(error(413, "Request Entity Too Large")).api().transcribe(piece, language="en", prompt="")


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_named_and_not_shown(status: int, piece: Path) -> None:
    with pytest.raises(AccessRefused) as refused:
        Service(error(status, f"Invalid API Key {KEY} provided")).api().transcribe(piece, language="en", prompt="")
    assert "***" in str(refused.value)
    assert KEY not in str(refused.value)
    assert "Check the key" in str(refused.value)
    assert KEY not in repr(refused.value)


def test_an_unknown_model_is_the_operators_to_mend(piece: Path) -> None:
    with pytest.raises(AccessRefused, match="QANDAI_TRANSCRIBER_MODEL"):
        Service(error(404, "model `large` does not exist")).api().transcribe(piece, language="en", prompt="")


@pytest.mark.parametrize(
    ("headers", "message", "wait"),
    [
        ({"retry-after": "2"}, "slow down", 2.0),
        ({"retry-after": "61"}, "slow down", 61.0),
        ({}, "Rate limit reached. Please try again in 1m2.5s. Visit", 62.5),
        ({}, "try again in 250ms", 0.25),
        ({}, "try again in 2h3m", 7380.0),
        ({}, "slow down", None),
        ({"retry-after": "soon"}, "slow down", None),
    ],
)
def test_429_says_how_long_to_wait(headers: dict[str, str], message: str, wait: float | None, piece: Path) -> None:
    service = Service(error(429, message, **headers))
    with pytest.raises(Throttled) as throttled:
        service.api().transcribe(piece, language="en", prompt="")
    assert throttled.value.wait == wait
    assert len(service.requests) == 1


def test_a_retry_date_is_seconds_from_now(piece: Path) -> None:
    with pytest.raises(Throttled) as throttled:
        Service(error(429, "", **{"retry-after": "Wed, 01 Jan 2020 00:00:00 GMT"})).api().transcribe(
            piece, language="en", prompt=""
        )
    assert throttled.value.wait == 0.0


@pytest.mark.parametrize(
    "failure",
    [
        error(500, "oops"),
        error(503, "busy"),
        httpx.ReadTimeout("late"),
        httpx.ConnectError("refused"),
        httpx.RemoteProtocolError("cut"),
    ],
)
def test_what_may_pass_is_a_plain_provider_error(failure: httpx.Response | Exception, piece: Path) -> None:
    with pytest.raises(ProviderError) as failed:
        Service(failure).api().transcribe(piece, language="en", prompt="")
    assert type(failed.value) is ProviderError
    assert failed.value.hint


# Which one the settings name.


def test_without_a_key_speech_is_heard_on_this_machine() -> None:
    pytest.importorskip("faster_whisper")
    made = transcriber(Settings.read({"QANDAI_HOME": "/nowhere"}))
    assert made.model.startswith("local/whisper-base")
    assert made.limits.price_an_hour == 0.0
    assert made.limits.max_bytes is None


def test_a_groq_key_chooses_groq() -> None:
    made = transcriber(Settings.read({"QANDAI_HOME": "/nowhere", "GROQ_API_KEY": KEY}))
    assert made.model == "api.groq.com/whisper-large-v3"
    assert made.limits.price_an_hour == 0.111
    assert KEY not in repr(vars(made)["_limits"])


@pytest.mark.parametrize(("kind", "variable"), [("groq", "GROQ_API_KEY"), ("openai", "OPENAI_API_KEY")])
def test_a_named_service_without_its_key_names_the_variable(kind: str, variable: str) -> None:
    with pytest.raises(UsageError, match=variable):
        transcriber(Settings.read({"QANDAI_HOME": "/nowhere", "QANDAI_TRANSCRIBER": kind}))


def test_any_server_with_the_interface_needs_no_key_and_its_price_is_unknown() -> None:
    made = transcriber(
        Settings.read(
            {
                "QANDAI_HOME": "/nowhere",
                "QANDAI_TRANSCRIBER": "openai",
                "QANDAI_OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
                "QANDAI_TRANSCRIBER_MODEL": "whisper-large-v3",
                "QANDAI_TRANSCRIBER_MAX_MB": "5",
            }
        )
    )
    assert made.model == "127.0.0.1/whisper-large-v3"
    assert made.limits.price_an_hour is None
    assert made.limits.max_bytes == 5_000_000
