"""The settings, read once. This is the only module that looks at the environment.

Each field's metadata says what it is for; `docs/configuration.md` and `.env.example` are made from it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

from dotenv import dotenv_values

from qandai.errors import UsageError

PassageCut = Literal["sentences", "topics"]
Fusion = Literal["ranker", "linear", "rrf", "vectors", "bm25"]
LogFormat = Literal["text", "json"]
LlmKind = Literal["none", "echo", "groq", "openai", "local"]
SelectWay = Literal["quote", "sentences"]
TranscriberKind = Literal["local", "groq", "openai"]
JsRuntime = Literal["auto", "none", "deno", "node", "quickjs", "bun"]


def _setting(default: object, variable: str, why: str, *, secret: bool = False) -> Any:
    return field(default=default, repr=not secret, metadata={"variable": variable, "why": why, "secret": secret})


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting of the program. Raises UsageError for a value that cannot be read, naming the variable."""

    home: Path = _setting(Path(), "QANDAI_HOME", "The folder that holds people/, transcripts/, audio/ and store/.")
    host: str = _setting("127.0.0.1", "QANDAI_HOST", "The address that `serve` listens on.")
    port: int = _setting(8000, "PORT", "The port that `serve` listens on.")
    threads: int = _setting(
        48,
        "QANDAI_THREADS",
        "Threads that answer requests; each open audio stream occupies one while it sends. Three quarters of them may "
        "hold a question: so many visitors wait for their turn, and the next are asked to come back.",
    )
    log_format: LogFormat = _setting("text", "LOG_FORMAT", "Log lines for people (text) or for machines (json).")
    lead_seconds: float = _setting(
        0.3,
        "QANDAI_LEAD_SECONDS",
        "Seconds that a clip starts before its first word, so that the word is not cut. Taken off once.",
    )
    passage_chars: int = _setting(
        300,
        "QANDAI_PASSAGE_CHARS",
        "Length of an indexed passage in characters, at most 1000. Once changed: `qandai index --rebuild`.",
    )
    passage_overlap: int = _setting(
        0,
        "QANDAI_PASSAGE_OVERLAP",
        "Characters that neighbouring passages share. Once changed: `qandai index --rebuild`.",
    )
    passage_cut: PassageCut = _setting(
        "topics",
        "QANDAI_PASSAGE_CUT",
        "Where passages of that length end: where the talk turns to something else (topics), or just after the "
        "sentence that fills them (sentences). Once changed: `qandai index --rebuild`.",
    )
    fusion: Fusion = _setting(
        "ranker",
        "QANDAI_FUSION",
        "How what speaks for a passage becomes one score: a ranker that was trained, or of keywords and vectors alone "
        "linear, rrf, or one of them.",
    )
    w_bm25: float = _setting(
        0.5,
        "QANDAI_W_BM25",
        "Weight of the keyword score in linear fusion, 0 to 1; the vectors get the rest.",
    )
    reranker: Path | None = _setting(
        None,
        "QANDAI_RERANKER",
        "A folder with a cross-encoder (model.onnx, tokenizer.json) that reads the question together with each of the "
        "30 best passages and puts them in order. A small one, of six layers, takes about a second on one core.",
    )
    top_k: int = _setting(5, "QANDAI_TOP_K", "Excerpts that are read for an answer, and moments that are shown.")
    floor: float | None = _setting(
        None,
        "QANDAI_FLOOR",
        "Confidence below which the answer is that it was never said: the cosine of question and best passage, less "
        "what the size of the archive explains, plus shares for what is meant and for the words that are said there. "
        "Unset: each embedder's own, found by evaluation.",
    )
    llm: LlmKind | None = _setting(
        None,
        "QANDAI_LLM",
        "Who helps with answers: groq, openai (any server like it, at QANDAI_OPENAI_BASE_URL), local (a small "
        "model on this machine), echo (walks the same path and calls nobody), or none: the recordings answer alone. "
        "Unset: groq if GROQ_API_KEY is set, else none.",
    )
    model_expand: str | None = _setting(
        None,
        "QANDAI_MODEL_EXPAND",
        "The model that imagines answers to search with, and reads follow-ups; several with commas: the next is "
        "asked where one fails; none: without. Unset: the provider's own, as docs/models.md lists them.",
    )
    model_select: str | None = _setting(
        None, "QANDAI_MODEL_SELECT", "The models that choose the passage that answers, likewise."
    )
    model_synthesise: str | None = _setting(
        None, "QANDAI_MODEL_SYNTHESISE", "The models that write an answer from the whole archive, likewise."
    )
    model_classify: str | None = _setting(
        None, "QANDAI_MODEL_CLASSIFY", "The models that tell which kind of answer a question wants, likewise."
    )
    select_way: SelectWay | None = _setting(
        None,
        "QANDAI_SELECT_WAY",
        "How a model names the passage: it copies the words (quote), or gives the numbers of sentences (sentences). "
        "Unset: each model's own, found by evaluation.",
    )
    answer_seconds: float | None = _setting(
        None,
        "QANDAI_ANSWER_SECONDS",
        "Seconds that models have for a whole answer; what is not there then is left out. Unset: 8, and 60 for local.",
    )
    expand_seconds: float = _setting(
        1.2, "QANDAI_EXPAND_SECONDS", "Seconds that searching waits for imagined answers and for a follow-up's meaning."
    )
    local_model: Path | None = _setting(
        None,
        "QANDAI_LOCAL_MODEL",
        "A GGUF file for QANDAI_LLM=local. Unset: the packaged SmolLM2-135M-Instruct.",
    )
    limit_visitor: int = _setting(
        20, "QANDAI_LIMIT_VISITOR", "Questions a minute that one visitor may ask, by address; 0: as many as they like."
    )
    limit_site: int = _setting(
        120, "QANDAI_LIMIT_SITE", "Questions a minute that all visitors together may ask; 0: as many as they like."
    )
    database_url: str | None = _setting(
        None,
        "QANDAI_DATABASE_URL",
        "The database of what visitors report, as SQLAlchemy names it, such as postgresql+psycopg://user:password@host/"
        "name (its driver is installed apart). Unset: SQLite in store/.",
        secret=True,
    )
    minilm_path: Path | None = _setting(
        None,
        "QANDAI_MINILM_PATH",
        "A folder with all-MiniLM-L6-v2 (model.safetensors, tokenizer.json), where its package is gone.",
    )
    e5_path: Path | None = _setting(
        None,
        "QANDAI_E5_PATH",
        "A folder with multilingual-e5-small (e5-small-q4.bin), where its package is gone.",
    )
    openai_base_url: str = _setting(
        "https://api.openai.com/v1",
        "QANDAI_OPENAI_BASE_URL",
        "Where `openai` models and `openai:<model>` embeddings come from; any compatible server.",
    )
    openai_api_key: str | None = _setting(None, "OPENAI_API_KEY", "Key for that server.", secret=True)
    embed_threads: int = _setting(
        0,
        "QANDAI_EMBED_THREADS",
        "Cores that a bundled embedder uses for many texts, as when indexing; 0: all. A question takes one.",
    )
    youtube_host: str = _setting(
        "https://www.youtube.com",
        "QANDAI_YOUTUBE_HOST",
        "Where the YouTube player is loaded from; https://www.youtube-nocookie.com sets no cookies before it plays, "
        "and asks for proof of humanity more often.",
    )
    youtube_pause: float = _setting(
        5.0,
        "QANDAI_YOUTUBE_PAUSE",
        "Seconds that ingest waits between two caption files, up to twice as long between two videos. YouTube blocks "
        "whoever is faster; 0 only for tests.",
    )
    youtube_cookies: Path | None = _setting(
        None,
        "QANDAI_YOUTUBE_COOKIES",
        "A cookies.txt (Netscape format) to ask YouTube with. It risks the account; only blocked addresses need it.",
    )
    youtube_proxy: str | None = _setting(
        None, "QANDAI_YOUTUBE_PROXY", "A proxy for YouTube, such as socks5://127.0.0.1:1080.", secret=True
    )
    youtube_clients: str | None = _setting(
        None,
        "QANDAI_YOUTUBE_CLIENTS",
        "yt-dlp's player clients, such as default,tv,web_safari, for days on which its own choice gets no captions.",
    )
    js_runtime: JsRuntime = _setting(
        "auto",
        "QANDAI_JS_RUNTIME",
        "What runs YouTube's scripts when sound is downloaded; auto takes the first of deno, node, quickjs, bun found.",
    )
    max_audio_mb: int = _setting(
        1024, "QANDAI_MAX_AUDIO_MB", "The largest recording that ingest downloads from a feed, in megabytes."
    )
    transcriber: TranscriberKind | None = _setting(
        None,
        "QANDAI_TRANSCRIBER",
        "Speech to text: local (faster-whisper on this machine), groq, or openai (any server with its interface at "
        "QANDAI_OPENAI_BASE_URL). Unset: groq if GROQ_API_KEY is set, else local.",
    )
    transcriber_model: str | None = _setting(
        None,
        "QANDAI_TRANSCRIBER_MODEL",
        "Its model; for local also a folder. Unset: whisper-large-v3 at Groq, whisper-1 at openai, the packaged base "
        "model locally. Changing it transcribes anew only what `ingest --retranscribe` asks for.",
    )
    transcriber_parallel: int | None = _setting(
        None,
        "QANDAI_TRANSCRIBER_PARALLEL",
        "Pieces of recordings that are transcribed side by side. Unset: 4 at a service, half of the cores locally.",
    )
    transcriber_max_mb: float = _setting(
        25.0,
        "QANDAI_TRANSCRIBER_MAX_MB",
        "The largest file, in megabytes, that a transcription service takes; pieces are cut to fit.",
    )
    transcriber_price: float | None = _setting(
        None,
        "QANDAI_TRANSCRIBER_PRICE",
        "What an hour of sound costs there, in US dollars, for `ingest --dry-run`. Unset: the published price of a "
        "known model.",
    )
    groq_api_key: str | None = _setting(None, "GROQ_API_KEY", "Key for Groq (console.groq.com/keys).", secret=True)
    groq_base_url: str = _setting(
        "https://api.groq.com/openai/v1", "QANDAI_GROQ_BASE_URL", "Where Groq answers; a test puts its own server here."
    )
    trusted_proxies: int = _setting(
        0,
        "TRUSTED_PROXIES",
        "How many proxies in front of the site are trusted to name the visitor's address.",
    )

    @property
    def store(self) -> Path:
        return self.home / "store"

    @classmethod
    def read(cls, environ: Mapping[str, str] | None = None, **overrides: object) -> Settings:
        """From the process environment over `.env` in the home or here; an empty variable counts as unset.

        `overrides` are field values that a command line gave; None means not given.
        """
        given = dict(os.environ if environ is None else environ)
        home = overrides.get("home") or given.get("QANDAI_HOME") or "."
        values = {name: value for name, value in dotenv_values(Path(str(home)) / ".env").items() if value} | {
            name: value for name, value in given.items() if value
        }
        kwargs: dict[str, object] = {}
        types = get_type_hints(cls)
        for spec in fields(cls):
            override = overrides.get(spec.name)
            raw = values.get(spec.metadata["variable"])
            if override is not None:
                kwargs[spec.name] = override
            elif raw is not None:
                kwargs[spec.name] = _parse(raw, types[spec.name], spec.metadata["variable"])
        settings = cls(**kwargs)  # type: ignore[arg-type]  # each value was parsed to its field's type
        settings._check()
        return settings

    def _check(self) -> None:
        bounds: tuple[tuple[str, float, float], ...] = (
            ("passage_chars", 50, 1000),
            ("passage_overlap", 0, self.passage_chars / 2),
            ("lead_seconds", 0, 5),
            ("w_bm25", 0, 1),
            ("top_k", 1, 50),
            ("threads", 1, 256),
            ("embed_threads", 0, 64),
            ("answer_seconds", 0.5, 600),
            ("expand_seconds", 0, 60),
            ("limit_visitor", 0, 100_000),
            ("limit_site", 0, 100_000),
            ("port", 0, 65535),
            ("youtube_pause", 0, 600),
            ("max_audio_mb", 1, 100_000),
            ("transcriber_max_mb", 0.3, 2000),
        )
        for name, low, high in bounds:
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                variable = next(spec.metadata["variable"] for spec in fields(self) if spec.name == name)
                raise UsageError(f"{variable} is {value}; it must lie between {low:g} and {high:g}.")


def _parse(raw: str, wanted: object, variable: str) -> object:
    options = [option for option in get_args(wanted) if option is not type(None)]
    if len(options) == 1 and get_args(options[0]):  # Literal[…] | None
        options = list(get_args(options[0]))
    try:
        if options and all(isinstance(option, str) for option in options):
            if raw not in options:
                raise UsageError(f"{variable} is {raw!r}; it must be one of {', '.join(map(str, options))}.")
            return raw
        kind = options[0] if options else wanted
        if kind is Path:
            return Path(raw)
        if kind is int:
            return int(raw)
        if kind is float:
            return float(raw)
    except ValueError as exc:
        raise UsageError(f"{variable} is {raw!r}; a number was expected.") from exc
    return raw
