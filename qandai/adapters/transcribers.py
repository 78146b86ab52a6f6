"""Which speech to text the settings name."""

from __future__ import annotations

from qandai.adapters.speech_api import SpeechApi
from qandai.adapters.whisper import LocalWhisper
from qandai.errors import UsageError
from qandai.hearing import TranscriberLimits
from qandai.settings import Settings

GROQ_MODEL, OPENAI_MODEL = "whisper-large-v3", "whisper-1"
# US dollars an hour, as published in 2026.
_PRICES = {"whisper-large-v3": 0.111, "whisper-large-v3-turbo": 0.04, "whisper-1": 0.36}
_PARALLEL = 4  # more only meets Groq's limit of 20 requests a minute
_LEAST_BILLED = 10.0  # seconds of a request


def transcriber(settings: Settings) -> SpeechApi | LocalWhisper:
    """Ready to be asked; nothing is loaded or sent yet. Close it at the end.

    Raises UsageError for a named service without its key, ModelMissing where local speech to text is not installed.
    """
    kind = settings.transcriber or ("groq" if settings.groq_api_key else "local")
    if kind == "local":
        return LocalWhisper(
            settings.store / "models", settings.transcriber_model, workers=settings.transcriber_parallel
        )
    if kind == "groq":
        if not settings.groq_api_key:
            raise UsageError("QANDAI_TRANSCRIBER=groq needs GROQ_API_KEY.", hint="Get one at console.groq.com/keys.")
        return _api("Groq", settings.groq_base_url, settings.groq_api_key, GROQ_MODEL, settings)
    ours = "api.openai.com" in settings.openai_base_url
    if ours and not settings.openai_api_key:
        raise UsageError(
            "QANDAI_TRANSCRIBER=openai needs OPENAI_API_KEY.",
            hint="Get one at platform.openai.com/api-keys, or name another server with QANDAI_OPENAI_BASE_URL.",
        )
    name = "OpenAI" if ours else "The transcription server"
    return _api(name, settings.openai_base_url, settings.openai_api_key, OPENAI_MODEL, settings)


def recordings_at_once(service: SpeechApi | LocalWhisper) -> int:
    """How many short recordings are best heard side by side. What a service takes at once, and how soon it wants us to
    wait, is found out with the pieces of one."""
    return service.limits.parallel if isinstance(service, LocalWhisper) else 1


def _api(name: str, base_url: str, key: str | None, default: str, settings: Settings) -> SpeechApi:
    model = settings.transcriber_model or default
    published = _PRICES.get(model) if name in ("Groq", "OpenAI") else None
    price = settings.transcriber_price if settings.transcriber_price is not None else published
    limits = TranscriberLimits(
        max_bytes=int(settings.transcriber_max_mb * 1_000_000),
        parallel=settings.transcriber_parallel or _PARALLEL,
        price_an_hour=price,
        least_billed=_LEAST_BILLED,
    )
    return SpeechApi(name=name, base_url=base_url, model=model, key=key, limits=limits)
