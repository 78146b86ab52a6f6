"""transcripts/<person>/<video>.edits.yaml, read and checked: every refusal names the line and the reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from qandai.edits import Edits, Stretch, WordEdit
from qandai.errors import TranscriptError
from qandai.text import tokens

MAX_BYTES = 1024 * 1024
_LONGEST = 500  # characters of a correction
_WORD_KEYS = ("at", "was", "now")
_STRETCH_KEYS = ("start", "end")


def read_edits(path: Path) -> Edits:
    """No file is no edits. Raises TranscriptError."""
    if not path.exists():
        return Edits()
    if path.stat().st_size > MAX_BYTES:
        raise TranscriptError(f"{path.name}: the file is larger than {MAX_BYTES // 1024} KB.")
    try:
        return _edits(_node(path.read_text(encoding="utf-8")))
    except UnicodeDecodeError as exc:
        raise TranscriptError(f"{path.name}: the file is not UTF-8 text.") from exc
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        raise TranscriptError(f"{path.name}: line {mark.line + 1 if mark else 1}: not YAML: {exc.problem}.") from exc
    except (yaml.YAMLError, RecursionError) as exc:
        raise TranscriptError(f"{path.name}: not YAML that this program reads: {exc}") from exc
    except TranscriptError as exc:
        raise TranscriptError(f"{path.name}: {exc.message}", hint=exc.hint) from exc


def _node(text: str) -> yaml.Node | None:
    """Aliases are refused: a few lines of them unfold to more than any memory holds."""
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        if isinstance(token, yaml.AliasToken):
            raise yaml.MarkedYAMLError(problem="aliases (*name) are not used here", problem_mark=token.start_mark)
    return yaml.SafeLoader(text).get_single_node()


def _edits(node: yaml.Node | None) -> Edits:
    if node is None:
        return Edits()
    words: list[WordEdit] = []
    stretches: list[Stretch] = []
    for key, value in _pairs(node, ("words", "not_this_person")):
        if not isinstance(value, yaml.SequenceNode):
            raise _refusal(value, f"`{key}` must be a list.")
        for item in value.value:
            if key == "words":
                words.append(_word(item))
            else:
                stretches.append(_stretch(item))
    return Edits(tuple(words), tuple(sorted(stretches, key=lambda stretch: stretch.start)))


def _word(node: yaml.Node) -> WordEdit:
    values = dict(_pairs(node, _WORD_KEYS))
    _require(node, values, _WORD_KEYS)
    was, now = _text(values["was"], "was"), _text(values["now"], "now")
    if not tokens(was):
        raise _refusal(values["was"], "`was` must hold a word.")
    return WordEdit(_seconds(values["at"], "at"), was, now, node.start_mark.line + 1)


def _stretch(node: yaml.Node) -> Stretch:
    values = dict(_pairs(node, _STRETCH_KEYS))
    _require(node, values, _STRETCH_KEYS)
    start, end = _seconds(values["start"], "start"), _seconds(values["end"], "end")
    if end <= start:
        raise _refusal(node, f"`end` ({end:g}) must lie after `start` ({start:g}).")
    return Stretch(start, end)


def _pairs(node: yaml.Node, known: tuple[str, ...]) -> Iterator[tuple[str, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode):
        raise _refusal(node, f"must be a mapping with {', '.join(known)}.")
    seen: set[str] = set()
    for key, value in node.value:
        if key.value not in known:
            raise _refusal(key, f"unknown key {key.value!r}; known are {', '.join(known)}.")
        if key.value in seen:
            raise _refusal(key, f"`{key.value}` stands here twice.")
        seen.add(key.value)
        yield key.value, value


def _require(node: yaml.Node, values: dict[str, yaml.Node], keys: tuple[str, ...]) -> None:
    for key in keys:
        if key not in values:
            raise _refusal(node, f"`{key}` is missing.")


def _text(node: yaml.Node, key: str) -> str:
    text = node.value.strip() if isinstance(node, yaml.ScalarNode) else ""
    if not text or len(text) > _LONGEST:
        raise _refusal(node, f"`{key}` must be a text of at most {_LONGEST} characters.")
    return str(text)


def _seconds(node: yaml.Node, key: str) -> float:
    try:
        value = float(node.value) if isinstance(node, yaml.ScalarNode) else -1.0
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e6:
        raise _refusal(node, f"`{key}` must be a number of seconds, such as 12.34.")
    return value


def _refusal(node: yaml.Node, reason: str) -> TranscriptError:
    return TranscriptError(f"line {node.start_mark.line + 1}: {reason}")
