"""Look-ups remembered on disk for as long as their caption addresses work, so that a resumed run asks nothing twice."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from qandai.adapters.durable import write_whole
from qandai.adapters.ytdlp_info import Info, expires

REMEMBERED = 5 * 3600.0
"""Seconds for which a look-up is believed: caption addresses stop working after six to seven hours."""

_MARGIN = 300.0
_VIDEO_IN_ADDRESS = re.compile(r"[?&]v=([A-Za-z0-9_-]{11})(?:&|$)")


class Lookups:
    """A file a video. One that cannot be read counts as missing."""

    def __init__(self, folder: Path, *, now: Callable[[], datetime]) -> None:
        self._folder = folder
        self._now = now

    def get(self, video_id: str) -> Info | None:
        try:
            kept = json.loads(self._path(video_id).read_bytes())
            info, until = kept["info"], float(kept["until"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return info if isinstance(info, dict) and until > self._now().timestamp() else None

    def put(self, video_id: str, info: dict[str, Any]) -> None:
        until = min(self._now().timestamp() + REMEMBERED, (expires(info) or float("inf")) - _MARGIN)
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(self._path(video_id), json.dumps({"until": until, "info": info}, ensure_ascii=False).encode())

    def drop_address(self, url: str) -> None:
        """Forgets the look-up that handed out a caption address."""
        if found := _VIDEO_IN_ADDRESS.search(url):
            self._path(found[1]).unlink(missing_ok=True)

    def _path(self, video_id: str) -> Path:
        return self._folder / f"{video_id}.json"
