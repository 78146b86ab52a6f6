"""The models of each step, as the settings name them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import get_args
from urllib.parse import urlsplit

from qandai.chat import Llm, Step
from qandai.errors import UsageError
from qandai.settings import LlmKind, Settings

Names = Mapping[Step, tuple[str, ...]]

STEPS: tuple[Step, ...] = get_args(Step)
GROQ: Names = {
    "expand": ("openai/gpt-oss-20b",),
    "select": ("qwen/qwen3.8-27b", "openai/gpt-oss-120b"),
    "synthesise": ("openai/gpt-oss-120b",),
    "classify": ("openai/gpt-oss-20b",),
}
OPENAI: Names = {
    "expand": ("gpt-5.4-mini",),
    "select": ("gpt-5.4-mini", "gpt-5.6-luna"),
    "synthesise": ("gpt-5.4-mini", "gpt-5.6-luna"),
    "classify": ("gpt-5.4-mini",),
}
LOCAL_STEPS: tuple[Step, ...] = ("select",)
"""It copies a sentence. What it imagines, tells apart or writes is of no use: it cites nothing and goes round in
circles."""

_NONE = "none"
_OPENAI_HOST = "api.openai.com"


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Models:
    """`steps`: best first; empty without models. `close` ends every call and every process of theirs."""

    steps: Mapping[Step, tuple[Llm, ...]] = field(default_factory=dict)
    close: Callable[[], None] = _nothing


def kind_of(settings: Settings) -> LlmKind:
    return settings.llm or ("groq" if settings.groq_api_key else "none")


def check(settings: Settings) -> None:
    """Raises UsageError, which lists everything that is missing for the provider that was named."""
    missing: list[str] = []
    kind = kind_of(settings)
    if kind == "groq" and not settings.groq_api_key:
        missing.append("GROQ_API_KEY (get one at https://console.groq.com/keys)")
    if kind == "openai" and is_openai(settings) and not settings.openai_api_key:
        missing.append("OPENAI_API_KEY (get one at https://platform.openai.com/api-keys)")
    if kind == "openai" and not is_openai(settings) and not _named(settings.model_select):
        missing.append("QANDAI_MODEL_SELECT (a model of that server, as `ollama list` or its /v1/models shows it)")
    if kind in ("groq", "openai") and not missing:
        _check_address(settings, kind)
    if missing:
        raise UsageError(
            f"QANDAI_LLM={kind} lacks: " + "; ".join(missing), hint="Or set QANDAI_LLM=none to do without a model."
        )


def models(settings: Settings) -> Models:
    """Loads the SDK where a provider is named: half a second and more. Raises UsageError as `check`."""
    check(settings)
    kind = kind_of(settings)
    if kind == "none":
        return Models()
    if kind == "echo":
        from qandai.adapters.echo import Echo

        echo = Echo()
        return Models(dict.fromkeys(STEPS, (echo,)))
    return _local(settings) if kind == "local" else _services(settings, names_of(settings))


def names_of(settings: Settings) -> Names:
    """Which models the steps use, at a service; of `none` the step goes without. A server of one's own has no defaults:
    what chooses does all else."""
    if kind_of(settings) == "groq":
        defaults = GROQ
    elif is_openai(settings):
        defaults = OPENAI
    else:
        defaults = {step: _named(settings.model_select) for step in STEPS}
    own: Names = {
        "expand": _named(settings.model_expand),
        "select": _named(settings.model_select),
        "synthesise": _named(settings.model_synthesise),
        "classify": _named(settings.model_classify),
    }
    chosen = {step: own[step] or defaults[step] for step in STEPS}
    return {step: () if names == (_NONE,) else names for step, names in chosen.items()}


def _services(settings: Settings, names: Names) -> Models:
    from qandai.adapters.background import Background
    from qandai.adapters.chat_api import ChatApi, ChatService

    background = Background()
    if kind_of(settings) == "groq":
        service = ChatService(
            name="Groq",
            base_url=settings.groq_base_url,
            key=settings.groq_api_key,
            background=background,
            kind="groq",
            key_from="GROQ_API_KEY",
        )
    else:
        service = ChatService(
            name="OpenAI" if is_openai(settings) else "The model server",
            base_url=settings.openai_base_url,
            key=settings.openai_api_key,
            background=background,
            kind="openai" if is_openai(settings) else "server",
            key_from="OPENAI_API_KEY",
        )
    made: dict[str, Llm] = {name: ChatApi(service, name) for step in STEPS for name in names[step]}
    return Models({step: tuple(made[name] for name in names[step]) for step in STEPS}, background.close)


def _local(settings: Settings) -> Models:
    from qandai.adapters.background import Background
    from qandai.adapters.local_child import Child
    from qandai.adapters.local_llm import LocalLlm
    from qandai.adapters.local_model import model_file

    background = Background()
    child = Child(lambda: model_file(settings.local_model))
    name = settings.local_model.stem if settings.local_model else "SmolLM2-135M-Instruct"
    llm = LocalLlm(child, name, background)

    def close() -> None:
        background.close()
        child.close()

    return Models(dict.fromkeys(LOCAL_STEPS, (llm,)), close)


def _check_address(settings: Settings, kind: LlmKind) -> None:
    variable, url = (
        ("QANDAI_GROQ_BASE_URL", settings.groq_base_url)
        if kind == "groq"
        else ("QANDAI_OPENAI_BASE_URL", settings.openai_base_url)
    )
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise UsageError(f"{variable} is {url!r}; it must be an address such as http://127.0.0.1:11434/v1.")


def is_openai(settings: Settings) -> bool:
    """Whether `openai` means OpenAI itself."""
    try:
        return urlsplit(settings.openai_base_url).hostname == _OPENAI_HOST
    except ValueError:
        return False


def _named(listed: str | None) -> tuple[str, ...]:
    """A comma list, blanks and repetitions ignored."""
    return tuple(dict.fromkeys(name.strip() for name in (listed or "").split(",") if name.strip()))
