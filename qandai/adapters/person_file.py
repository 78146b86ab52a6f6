"""One person file: read, checked, and refused with every problem's line, its reason and the nearest key."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from qandai.adapters.person_form import CaptionsFile, PersonFile, SourceFile
from qandai.adapters.slugs import slug_fault
from qandai.errors import PersonFileError, Problem
from qandai.model import Person

MAX_BYTES = 256 * 1024


def read_person(path: Path) -> Person:
    """Raises PersonFileError with every problem of the file, not just the first; FileNotFoundError."""
    slug = unicodedata.normalize("NFC", path.stem)
    shown = f"people/{path.name}"
    if fault := slug_fault(slug):
        raise PersonFileError(shown, (Problem(1, f"the file's name {fault}"),))
    try:
        if path.stat().st_size > MAX_BYTES:
            raise PersonFileError(shown, (Problem(1, f"the file is larger than {MAX_BYTES // 1024} KB"),))
        node, content = _load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise
    except OSError as exc:
        raise PersonFileError(shown, (Problem(1, f"the file cannot be read: {exc.strerror}"),)) from exc
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
