"""The `Transcripts` port over transcripts/<person>/<video>.json."""

from __future__ import annotations

import errno
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from qandai.adapters.edits_file import read_edits
from qandai.adapters.transcript_format import decode, encode, named_id
from qandai.edits import Edited, apply
from qandai.errors import DiskFull, TranscriptError, UnknownPerson, UnknownVideo
from qandai.model import Transcript

MAX_BYTES = 64 * 2**20
"""A day of speech, word by word, is half of this."""

# How files begin that name their id first, so that listing a thousand of them parses none.
_HEAD = re.compile(
    rb'\s*\{\s*(?:"format"\s*:\s*1\s*,\s*"video"\s*:\s*\{\s*"id"|"video_id")\s*:\s*"([A-Za-z0-9_-]{1,64})"'
)
_SLUG = re.compile(r"[\w-]{1,64}\Z")


class TranscriptFiles:
    """`folder` holds a folder for each person. What a file's id is, is remembered until the file changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ids: dict[Path, tuple[int, int, str]] = {}

    def ids(self, slug: str) -> tuple[str, ...]:
        return tuple(sorted(self._paths(slug)))

    def read(self, slug: str, video_id: str) -> Transcript:
        return read_file(self._path(slug, video_id))

    def edited(self, slug: str, video_id: str) -> Edited:
        """The transcript as its editor corrected it, and where somebody else speaks."""
        path = self._path(slug, video_id)
        edits_path = path.parent / f"{video_id}.edits.yaml"
        transcript, edits = read_file(path), read_edits(edits_path)
        try:
            return apply(transcript, edits)
        except TranscriptError as exc:
            raise TranscriptError(f"{edits_path.name}: {exc.message}", hint=exc.hint) from exc

    def write(self, slug: str, transcript: Transcript) -> None:
        """Atomic and durable. A file that holds this recording under another name is the one replaced.

        Raises TranscriptError, DiskFull.
        """
        video_id = transcript.video.id
        if named_id([], video_id) is None:
            raise TranscriptError(f"{video_id!r} is no video id: letters, digits, - and _, at most 64.")
        content = encode(transcript)
        if len(content) > MAX_BYTES:
            raise TranscriptError(f"{video_id} has {len(content) >> 20} MB; at most {MAX_BYTES >> 20} are kept.")
        folder = self._of(slug)
        paths = self._paths(slug).get(video_id, [])
        path = paths[0] if len(paths) == 1 else folder / f"{video_id}.json"
        with _writing(path):
            folder.mkdir(parents=True, exist_ok=True)
            _replace(path, content)

    def remove(self, slug: str, video_id: str) -> None:
        """The recording's files and their edits. None to remove is no error."""
        for path in self._paths(slug).get(video_id, []):
            path.unlink(missing_ok=True)
        if named_id([], video_id) is not None:
            (self._of(slug) / f"{video_id}.edits.yaml").unlink(missing_ok=True)

    def _of(self, slug: str) -> Path:
        if not _SLUG.match(slug):
            raise UnknownPerson(f"There is no person {slug!r}.", hint="Try: qandai people")
        return self._folder / slug

    def _path(self, slug: str, video_id: str) -> Path:
        paths = self._paths(slug).get(video_id)
        if not paths:
            raise UnknownVideo(f"{slug} has no transcript {video_id!r}.")
        if len(paths) > 1:
            named = ", ".join(path.name for path in paths)
            raise TranscriptError(f"{video_id} stands in several files ({named}).", hint="Keep one of them.")
        return paths[0]

    def _paths(self, slug: str) -> dict[str, list[Path]]:
        """The files of each id. One that cannot be read stands under its name, so that reading it says why."""
        found: dict[str, list[Path]] = {}
        for path in sorted(self._of(slug).glob("*.json")):
            if path.name.startswith(".") or not path.is_file():
                continue
            found.setdefault(self._id(path), []).append(path)
        return found

    def _id(self, path: Path) -> str:
        stat = path.stat()
        known = self._ids.get(path)
        if known and known[:2] == (stat.st_mtime_ns, stat.st_size):
            return known[2]
        video_id = _id_in(path) or re.sub(r"[^A-Za-z0-9_-]+", "-", path.stem)[:64]
        self._ids[path] = (stat.st_mtime_ns, stat.st_size, video_id)
        return video_id


def read_file(path: Path) -> Transcript:
    """One transcript file of any shape. Raises TranscriptError that names the file, the place and the reason."""
    try:
        return decode(_load(path), stem=path.stem)
    except TranscriptError as exc:
        raise TranscriptError(f"{path.name}: {exc.message}", hint=exc.hint) from exc


def _id_in(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            head = _HEAD.match(file.read(2048))
        return head[1].decode("ascii") if head else named_id(_load(path), path.stem)
    except (OSError, TranscriptError):
        return None


def _load(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as exc:
        raise TranscriptError(f"cannot be opened: {exc.strerror}.") from exc
    if len(content) > MAX_BYTES:
        raise TranscriptError(f"is larger than {MAX_BYTES >> 20} MB.")
    try:
        document = json.loads(content.decode("utf-8-sig"), parse_constant=_no_constant)
        if b"\\ud" in content or b"\\uD" in content:
            json.dumps(document, ensure_ascii=False).encode()  # halves of characters have no UTF-8
    except UnicodeDecodeError as exc:
        line = content.count(b"\n", 0, exc.start) + 1
        raise TranscriptError(f"line {line} is not UTF-8.") from exc
    except UnicodeEncodeError as exc:
        raise TranscriptError("holds half a character (a lone \\ud… escape).") from exc
    except json.JSONDecodeError as exc:
        raise TranscriptError(f"line {exc.lineno} is broken JSON: {exc.msg}.") from exc
    except (ValueError, RecursionError) as exc:
        raise TranscriptError(f"is no JSON that this program reads: {exc}.") from exc
    return document


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _replace(path: Path, content: bytes) -> None:
    """A reader sees the old file or the new one, whole; after the return the new one survives a power cut."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=".tmp")
    written = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        written.chmod(0o644)
        written.replace(path)
    except BaseException:
        written.unlink(missing_ok=True)
        raise
    with suppress(OSError):  # some file systems cannot sync a folder
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        if exc.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise DiskFull(f"There is no room to write {path.name}.", hint="Free some disk and run it again.") from exc
        raise TranscriptError(f"{path.name} cannot be written: {exc.strerror}.") from exc
