"""The language models of a site, from its settings."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from qandai.adapters import llms
from qandai.adapters.key_check import check_key
from qandai.adapters.local_model import model_file
from qandai.asking.models import Models, Reading
from qandai.chain import Chain, Rests
from qandai.settings import SelectWay, Settings
from qandai.sharing import SharedLlm

ANSWER_SECONDS = 8.0
LOCAL_SECONDS = 60.0
LOCAL_READING = Reading(excerpts=2, chars=500, brief=True)
"""What a small model on this machine reads in a few seconds."""


def models(settings: Settings) -> Models:
    """Nobody is called before the first question. Raises UsageError for a named provider without its key."""
    made = llms.models(settings)
    shared: dict[int, SharedLlm] = {}
    rests = Rests()
    chains = {
        step: Chain(step, [shared.setdefault(id(llm), SharedLlm(llm)) for llm in of_step], rests)
        for step, of_step in made.steps.items()
    }
    local = llms.kind_of(settings) == "local"
    return Models(
        chains,
        way_of=lambda model: settings.select_way or way_of(model),
        reading=LOCAL_READING if local else Reading(),
        seconds=settings.answer_seconds or (LOCAL_SECONDS if local else ANSWER_SECONDS),
        hurry=settings.expand_seconds,
        close=made.close,
    )


def way_of(model: str) -> SelectWay:
    """Models that keep to a strict form name sentences, which leaves them nothing to copy wrongly."""
    return "sentences" if "gpt-oss" in model or model.startswith("gpt-") else "quote"


def helped(settings: Settings) -> bool:
    """Whether answers wait for models elsewhere, which costs this machine nothing."""
    kind = llms.kind_of(settings)
    ours = urlsplit(settings.openai_base_url).hostname in ("localhost", "127.0.0.1", "::1")
    return kind == "groq" or (kind == "openai" and not ours)


def of_vendor(settings: Settings) -> bool:
    """Whether Groq or OpenAI is asked, and not a server of one's own."""
    return llms.kind_of(settings) == "groq" or llms.is_openai(settings)


def not_offered(settings: Settings) -> tuple[str, ...]:
    """The models that a service is to be asked for and does not have; none where it does not tell. Raises UsageError as
    `provider_and_models`, AccessRefused for a refused key, ProviderError where nobody answers."""
    kind, named = provider_and_models(settings)
    if kind == "groq":
        offered = check_key(settings.groq_base_url, settings.groq_api_key)
    elif kind == "openai":
        offered = check_key(settings.openai_base_url, settings.openai_api_key)
    else:
        return ()
    return () if offered is None else tuple(name for name in named if name not in offered)


def provider_and_models(settings: Settings) -> tuple[str, tuple[str, ...]]:
    """Who helps, and with which models. Raises UsageError for a provider that cannot be asked, ModelMissing for a local
    model that is not there."""
    llms.check(settings)
    kind = llms.kind_of(settings)
    if kind == "local":
        return kind, (model_file(settings.local_model).stem,)
    if kind in ("groq", "openai"):
        named: Iterable[str] = (name for names in llms.names_of(settings).values() for name in names)
        return kind, tuple(dict.fromkeys(named))
    return kind, ()
