"""What transcribers heard, in files: <folder>/<recording's hash>/<key>.json, one a piece; beside them, <video>.video
names whose they are. Safe to delete; then it is heard, and where it costs something paid for, again."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from qandai.adapters.durable import write_whole
from qandai.errors import DiskFull
from qandai.hearing import Heard, Sound

MOST_BYTES = 32 * 2**20
FORMAT = 1
"""In every file's name: another format's files are not read."""

_NAME = re.compile(r"[0-9a-f]{8,64}\Z")
_VIDEO_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_SOUND_NAME = "sound"
_NOTE = ".video"
_DIGITS = 32  # of a recording's hash, in its folder's name
_HEARD = TypeAdapter(Heard)
_SOUND = TypeAdapter(Sound)
T = TypeVar("T")


class HeardFiles:
    """Writes are atomic: a file is there whole or not at all. A damaged one counts as absent."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def heard(self, recording: str, key: str) -> Heard | None:
        return _read(self._path(recording, key), _HEARD)

    def keep(self, recording: str, key: str, heard: Heard) -> None:
        _write(self._path(recording, key), _HEARD.dump_json(heard))

    def sound(self, recording: str) -> Sound | None:
        return _read(self._path(recording, _SOUND_NAME), _SOUND)

    def keep_sound(self, recording: str, sound: Sound) -> None:
        _write(self._path(recording, _SOUND_NAME), _SOUND.dump_json(sound))

    def name(self, recording: str, video_id: str) -> None:
        assert _VIDEO_ID.match(video_id)
        note = self._folder / recording[:_DIGITS] / f"{video_id}{_NOTE}"
        if not note.exists():
            _write(note, b"")

    def forget(self, video_id: str) -> bool:
        """Two videos with the same recording are forgotten together: their words are the same."""
        assert _VIDEO_ID.match(video_id)
        notes = list(self._folder.glob(f"*/{video_id}{_NOTE}"))
        for note in notes:
            shutil.rmtree(note.parent, ignore_errors=True)
        return bool(notes)

    def _path(self, recording: str, key: str) -> Path:
        assert _NAME.match(recording)
        assert key == _SOUND_NAME or _NAME.match(key)
        return self._folder / recording[:_DIGITS] / f"{key}.v{FORMAT}.json"


def _read(path: Path, kind: TypeAdapter[T]) -> T | None:
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        return kind.validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as exc:
        raise DiskFull(
            f"what was heard cannot be kept in {path.parent}: {exc.strerror}.", hint="Make room there."
        ) from exc
