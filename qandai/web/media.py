"""The recordings and portraits themselves, by range: nothing outside their folders is ever sent."""

from __future__ import annotations

from pathlib import Path

from flask import Blueprint, Response, send_file

from qandai.errors import UnknownPerson, UnknownVideo
from qandai.settings import Settings
from qandai.web.desk import Desk

AUDIO_TYPES = {
    ".mp3": "audio/mpeg",
    ".m4a": "audio/mp4",
    ".aac": "audio/aac",
    ".ogg": "audio/ogg",
    ".oga": "audio/ogg",
    ".opus": "audio/ogg",
    ".webm": "audio/webm",
    ".wav": "audio/wav",
    ".flac": "audio/flac",
}
IMAGE_TYPES = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".svg": "image/svg+xml",
}


def media(settings: Settings, desk: Desk) -> Blueprint:
    blueprint = Blueprint("media", __name__)

    @blueprint.get("/media/<slug>/<video_id>")
    def audio(slug: str, video_id: str) -> Response:
        video = desk.video(slug, video_id)
        local = video.url if video and video.source == "audio" else None
        path = below(settings.home / "audio", settings.home / local) if local else None
        if not path or path.suffix.lower() not in AUDIO_TYPES:
            raise UnknownVideo(f"There is no recording {video_id!r} to play here.", hint="Its transcript may still be.")
        return _send(path, AUDIO_TYPES[path.suffix.lower()])

    @blueprint.get("/portraits/<slug>")
    def portrait(slug: str) -> Response:
        person = desk.person(slug)
        folder = settings.home / "people"
        path = below(folder, folder / person.portrait) if person.portrait else None
        if not path or path.suffix.lower() not in IMAGE_TYPES:
            raise UnknownPerson(f"{person.name} has no portrait here.")
        return _send(path, IMAGE_TYPES[path.suffix.lower()])

    return blueprint


def below(folder: Path, path: Path) -> Path | None:
    """The real file at `path`, if it lies below `folder` when every link has been followed."""
    try:
        real = path.resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        return None
    return real if real.is_file() and real.is_relative_to(folder.resolve()) else None


def _send(path: Path, kind: str) -> Response:
    return send_file(path, mimetype=kind, conditional=True, max_age=3600)
