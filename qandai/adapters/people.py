"""The person files, people/<slug>.yaml: read, checked, and refused with the line, the reason and the nearest key."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs, urlsplit

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from qandai.errors import PersonFileError, Problem, UnknownPerson
from qandai.model import RESERVED_SLUGS, Person, Source

MAX_BYTES = 256 * 1024

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Short = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
SourceKey = Literal["audio", "youtube", "youtube_ids", "youtube_search", "feed"]
SOURCE_KEYS: tuple[SourceKey, ...] = ("audio", "youtube", "youtube_ids", "youtube_search", "feed")


def _below_home(path: str) -> str:
    if path.startswith(("/", "~")) or "\\" in path or ".." in path.split("/"):
        raise ValueError("must be a folder below the home, such as audio/guide")
    return path


def _http_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or re.search(r"\s", url):
        raise ValueError("must be an http(s) address")
    return url


def _youtube_listing(url: str) -> str:
    parts = urlsplit(_http_url(url))
    if parts.hostname not in ("www.youtube.com", "youtube.com", "m.youtube.com"):
        raise ValueError("must be an address on www.youtube.com")
    if parts.path == "/playlist" and parse_qs(parts.query).get("list"):
        return url
    if re.fullmatch(r"/(@[^/]+|(channel|c|user)/[^/]+)/(videos|streams|shorts|playlists)/?", parts.path):
        return url
    if re.fullmatch(r"/(@[^/]+|(channel|c|user)/[^/]+)/?", parts.path):
        raise ValueError(f"must name a tab of the channel, such as {url.rstrip('/')}/videos")
    raise ValueError("must be a channel's tab (…/@name/videos) or a playlist (…/playlist?list=…)")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceFile(_Strict):
    """One place to find recordings: exactly one of audio, youtube, youtube_ids, youtube_search, feed."""

    audio: Annotated[Short, AfterValidator(_below_home)] | None = None
    youtube: Annotated[Short, AfterValidator(_youtube_listing)] | None = None
    youtube_ids: (
        Annotated[list[Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{11}$")]], Field(min_length=1)] | None
    ) = None
    youtube_search: Short | None = None
    feed: Annotated[Short, AfterValidator(_http_url)] | None = None
    include: list[Short] = []
    exclude: list[Short] = []
    min_minutes: Annotated[float, Field(ge=0)] | None = None
    max_minutes: Annotated[float, Field(gt=0)] | None = None
    after: date | None = None
    before: date | None = None
    limit: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _one_place(self) -> SourceFile:
        if sum(getattr(self, key) is not None for key in SOURCE_KEYS) != 1:
            raise ValueError(f"must have exactly one of {', '.join(SOURCE_KEYS)}")
        return self

    def source(self) -> Source:
        kind = next(key for key in SOURCE_KEYS if getattr(self, key) is not None)
        at = getattr(self, kind)
        return Source(
            kind=kind,
            at=tuple(at) if isinstance(at, list) else (at,),
            include=tuple(self.include),
            exclude=tuple(self.exclude),
            min_minutes=self.min_minutes,
            max_minutes=self.max_minutes,
            after=self.after.isoformat() if self.after else None,
            before=self.before.isoformat() if self.before else None,
            limit=self.limit,
        )


class CaptionsFile(_Strict):
    region: Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})+$")] | None = None


class PersonFile(_Strict):
    """A person whose recordings can be asked."""

    name: Short
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")] = Field(
        "en", description="Of the speech; decides embedder, stemming and interface hints."
    )
    tagline: Annotated[str, StringConstraints(max_length=300)] = ""
    persona: Annotated[str, StringConstraints(max_length=2000)] = Field(
        "", description="Voice for query expansion and synthesis, never shown as a quote."
    )
    portrait: Annotated[str, StringConstraints(pattern=r"^[\w-][\w.-]*\.(jpg|jpeg|png|webp|svg)$")] | None = Field(
        None, description="A picture beside this file."
    )
    voice: Literal["human", "synthetic"] = Field("human", description="A synthetic voice is labelled on every page.")
    embedding: Annotated[str, StringConstraints(pattern=r"^(minilm|e5|onnx:.+|openai:.+)$")] | None = Field(
        None, description="minilm, e5, onnx:<folder> or openai:<model>; unset, the language decides."
    )
    speaker: Literal["solo", "interview"] | None = None
    host: Short | None = Field(None, description="The interviewer's name, when captions carry names.")
    captions: CaptionsFile = CaptionsFile()
    sources: list[SourceFile] = []
    vocabulary: list[Short] = Field([], description="Spellings for speech to text.")
    mishearings: dict[Short, Short] = Field({}, description="heard: meant")
    suggested_questions: list[Short] = []

    def person(self, slug: str) -> Person:
        return Person(
            slug=slug,
            name=self.name,
            language=self.language,
            tagline=self.tagline,
            persona=self.persona,
            portrait=self.portrait,
            embedding=self.embedding,
            speaker=self.speaker,
            host=self.host,
            captions_region=self.captions.region,
            sources=tuple(source.source() for source in self.sources),
            vocabulary=tuple(self.vocabulary),
            mishearings=dict(self.mishearings),
            suggested_questions=tuple(self.suggested_questions),
            synthetic_voice=self.voice == "synthetic",
        )


class YamlPeople:
    """The `People` port over a folder of YAML files. Files are read at each call: they are small and few."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def slugs(self) -> tuple[str, ...]:
        if not self._folder.is_dir():
            return ()
        return tuple(sorted(unicodedata.normalize("NFC", path.stem) for path in self._folder.glob("*.yaml")))

    def get(self, slug: str) -> Person:
        path = next((p for p in self._folder.glob("*.yaml") if unicodedata.normalize("NFC", p.stem) == slug), None)
        if path is None:
            known = ", ".join(self.slugs()) or "nobody yet"
            raise UnknownPerson(f"There is no person {slug!r} (known: {known}).", hint="Try: qandai people")
        return read_person(path)


def read_person(path: Path) -> Person:
    """Raises PersonFileError with every problem of the file, not just the first."""
    slug = unicodedata.normalize("NFC", path.stem)
    shown = f"people/{path.name}"
    if fault := slug_fault(slug):
        raise PersonFileError(shown, (Problem(1, f"the file's name {fault}"),))
    if path.stat().st_size > MAX_BYTES:
        raise PersonFileError(shown, (Problem(1, f"the file is larger than {MAX_BYTES // 1024} KB"),))
    try:
        node, content = _load(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as exc:
        raise PersonFileError(shown, (Problem(1, "the file is not UTF-8 text"),)) from exc
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        raise PersonFileError(shown, (Problem(mark.line + 1 if mark else 1, f"not YAML: {exc.problem}"),)) from exc
    except (yaml.YAMLError, RecursionError, ValueError) as exc:
        raise PersonFileError(shown, (Problem(1, f"not YAML that this program reads: {exc}"),)) from exc
    if not isinstance(node, yaml.MappingNode):
        raise PersonFileError(shown, (Problem(1, "must be a mapping that holds at least `name: …`"),))
    lines = dict(_lines(node, ()))
    if doubled := tuple(_doubled_keys(node)):
        raise PersonFileError(shown, doubled)
    try:
        return PersonFile.model_validate(content).person(slug)
    except ValidationError as exc:
        problems = sorted((_problem(error, lines) for error in exc.errors()), key=lambda problem: problem.line)
        raise PersonFileError(shown, tuple(problems)) from exc


def _load(text: str) -> tuple[yaml.Node | None, Any]:
    """Aliases are refused: a few lines of them unfold to more than any memory holds."""
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        if isinstance(token, yaml.AliasToken):
            raise yaml.MarkedYAMLError(problem="aliases (*name) are not used here", problem_mark=token.start_mark)
    loader = yaml.SafeLoader(text)
    node = loader.get_single_node()
    return node, loader.construct_document(node) if node is not None else None


def slug_fault(slug: str) -> str | None:
    """Why a slug cannot be used, or None."""
    if slug in RESERVED_SLUGS:
        return f"{slug!r} is the name of a page of the site; choose another"
    letters = all(c == "-" or c.isdigit() or (c.isalpha() and c == c.lower()) for c in slug)
    if not slug or not letters or slug != slug.strip("-") or len(slug) > 64:
        return f"{slug!r} must be at most 64 lower-case letters, digits and hyphens"
    return None


def slug_of(name: str) -> str:
    """The slug that a new person of this name gets."""
    kept = "".join(c if c.isalnum() else " " for c in unicodedata.normalize("NFC", name).lower())
    return "-".join(kept.split())[:64].strip("-")


def schema() -> dict[str, Any]:
    """The JSON Schema that gives editors completion: people/schema.json."""
    return PersonFile.model_json_schema() | {"$schema": "https://json-schema.org/draft/2020-12/schema"}


def _lines(node: yaml.Node, at: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """(path, line) of each value, and of each key at (path, "[key]")."""
    yield at, node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield (*at, key.value, "[key]"), key.start_mark.line + 1
            yield from _lines(value, (*at, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for position, value in enumerate(node.value):
            yield from _lines(value, (*at, position))


def _doubled_keys(node: yaml.Node) -> Iterator[Problem]:
    children: list[yaml.Node] = []
    if isinstance(node, yaml.MappingNode):
        seen: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if key.value in seen:
                yield Problem(line, f"the key {key.value!r} stands here again (first on line {seen[key.value]})")
            seen[str(key.value)] = line
            children.append(value)
    elif isinstance(node, yaml.SequenceNode):
        children = node.value
    for child in children:
        yield from _doubled_keys(child)


def _problem(error: Any, lines: Mapping[tuple[str | int, ...], int]) -> Problem:
    at = tuple(part for part in error["loc"] if part != "[key]")
    named = ".".join(str(part) for part in at) or "the file"
    line = lines.get((*at, "[key]")) or next(lines[at[:n]] for n in range(len(at), -1, -1) if at[:n] in lines)
    if error["type"] == "extra_forbidden":
        model = SourceFile if "sources" in at else CaptionsFile if "captions" in at else PersonFile
        near = difflib.get_close_matches(str(at[-1]), model.model_fields, n=1, cutoff=0.5)
        known = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(model.model_fields)}"
        return Problem(line, f"unknown key {at[-1]!r}; {known}")
    if error["type"] == "missing":
        return Problem(line, f"{named} is missing")
    reason = str(error["msg"]).removeprefix("Value error, ")
    given = error.get("input")
    return Problem(line, f"{named}: {reason}" + (f" (given: {given!r:.80})" if isinstance(given, str | int) else ""))
