"""Rankers and the collections that they learned from: nothing is measured on what taught it.

`eval/rankers/collections.json` names the collections that rankers are trained on: {"name": {"files": [hashes]}}, and
`eval/rankers/<name>.json` is the ranker that was trained without that one, with `trained_on`: [names].
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from qandai.errors import UsageError

RANKERS = Path(__file__).parent / "rankers"
SHORT = 16
"""Hexadecimal digits of a file's hash that the list keeps."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The ranker that did not learn from `collection`."""

    collection: str
    ranker: Path
    trained_on: tuple[str, ...]


def left_out(hashes: Collection[str], folder: Path = RANKERS) -> LeftOut | None:
    """Which ranker to use for an archive with these files; None where no ranker learned from any of them.

    One shared file is enough: a part of a collection is known as well as the whole. Raises UsageError where the
    collection is known and its ranker missing, rather than to measure on what was learned.
    """
    short = {found[:SHORT] for found in hashes}
    for name, files in _collections(folder).items():
        if short.intersection(files):
            path = folder / f"{name}.json"
            return LeftOut(name, path, trained_on(path))
    return None


def trained_on(ranker: Path) -> tuple[str, ...]:
    """The collections that a ranker file says it learned from. Raises UsageError."""
    try:
        names = json.loads(ranker.read_text(encoding="utf-8")).get("trained_on", [])
        return tuple(str(name) for name in names)
    except (OSError, ValueError, AttributeError, TypeError) as exc:
        raise UsageError(f"{ranker} is no ranker: {exc}.", hint="Train it again, without that collection.") from exc


def remember(name: str, hashes: Sequence[str], folder: Path = RANKERS) -> None:
    """Notes a collection that a ranker learns from, so that `left_out` knows it."""
    known = {other: list(files) for other, files in _collections(folder).items()}
    known[name] = sorted(found[:SHORT] for found in hashes)
    folder.mkdir(parents=True, exist_ok=True)
    document = {other: {"files": files} for other, files in sorted(known.items())}
    (folder / "collections.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _collections(folder: Path) -> Mapping[str, Sequence[str]]:
    path = folder / "collections.json"
    if not path.is_file():
        return {}
    try:
        return {name: entry["files"] for name, entry in json.loads(path.read_text(encoding="utf-8")).items()}
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        raise UsageError(f"{path} is no list of collections: {exc}.") from exc
