"""Recordings in a folder below the home: which files hold sound, and what each one's content is called."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from qandai.adapters.durable import write_whole
from qandai.errors import ToolMissing, UsageError
from qandai.origins import Recorded

ID_LENGTH = 16
"""Hexadecimal digits of the SHA-256 of a file's content that are its recording's id."""

# Containers of sound. Playlists and scripts, which make ffmpeg open other files, are none.
_CONTAINERS = "aac,ac3,aiff,amr,asf,avi,caf,flac,flv,matroska,mov,mp3,mpeg,mpegts,ogg,wav,w64,webm,wv"
_IGNORED = frozenset(
    ".txt .md .json .yaml .yml .vtt .srt .json3 .jpg .jpeg .png .webp .svg .pdf .html .xml .csv .part .tmp .db".split()
)


class AudioFiles:
    """The `AudioFolders` port. `cache` remembers what is known of a file until its size or time changes."""

    def __init__(self, home: Path, cache: Path, *, program: str = "ffprobe") -> None:
        self._home = home
        self._cache = cache
        self._program = program

    def find(self, folder: str) -> Iterator[Recorded]:
        root = (self._home / folder).resolve()
        if not root.is_dir():
            raise UsageError(f"{folder} is no folder below {self._home.resolve()}.", hint="Put the recordings there.")
        if not root.is_relative_to(self._home.resolve()):
            raise UsageError(f"{folder} leads out of the home.", hint="Copy the recordings below it.")
        known = self._known()
        for path in sorted(root.rglob("*")):
            if path.suffix.lower() in _IGNORED or any(part.startswith(".") for part in path.relative_to(root).parts):
                continue
            if not path.is_file() or not path.resolve().is_relative_to(root):
                continue
            yield self._recorded(path, known)
        self._cache.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._cache, json.dumps(known).encode())

    def open(self, path: str) -> Path:
        return self._home / path

    def _recorded(self, path: Path, known: dict[str, list[Any]]) -> Recorded:
        shown = path.relative_to(self._home.resolve()).as_posix()
        stat = path.stat()
        fact = known.get(shown)
        if not (isinstance(fact, list) and len(fact) == 4 and fact[:2] == [stat.st_size, stat.st_mtime_ns]):
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()[:ID_LENGTH]
            fact = [stat.st_size, stat.st_mtime_ns, digest, self._duration(path)]
            known[shown] = fact
        title = unicodedata.normalize("NFC", path.stem)
        return Recorded(str(fact[2]), title, shown, float(fact[3]) if fact[3] is not None else None)

    def _duration(self, path: Path) -> float | None:
        """Seconds; None if there is no sound in it. A file is named to ffprobe as a file, never as an address."""
        if shutil.which(self._program) is None:
            raise ToolMissing("ffmpeg (with ffprobe) is not installed.", hint="Try: apt-get install ffmpeg")
        command = [self._program, "-v", "error", "-protocol_whitelist", "file", "-format_whitelist", _CONTAINERS]
        command += ["-show_entries", "stream=codec_type:format=duration", "-of", "json", f"file:{path}"]
        try:
            done = subprocess.run(  # noqa: S603 # a fixed program, a path that cannot be an option
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
            )
            found = json.loads(done.stdout or b"{}")
            if not any(stream.get("codec_type") == "audio" for stream in found.get("streams", [])):
                return None
            return round(float(found.get("format", {}).get("duration", 0.0)), 3)
        except (subprocess.TimeoutExpired, ValueError, AttributeError, TypeError):
            return None

    def _known(self) -> dict[str, list[Any]]:
        try:
            known = json.loads(self._cache.read_bytes())
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}
