"""What can be told of yt-dlp on this machine without asking anybody."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import time
from datetime import date
from http.cookiejar import LoadError, MozillaCookieJar
from pathlib import Path

PROGRAMS = {"deno": "deno", "node": "node", "quickjs": "qjs", "bun": "bun"}
"""yt-dlp's names of JavaScript runtimes, in its order of preference, and their programs."""

_LEAST = {"deno": (2, 0), "node": (20, 0), "bun": (1, 0)}
_SESSION = ("LOGIN_INFO", "SAPISID", "__Secure-3PAPISID", "SID")


def released() -> date | None:
    """The day of the installed release, which is its version; None where yt-dlp is missing."""
    try:
        version = importlib.metadata.version("yt-dlp")
        year, month, day = (int(part) for part in version.split(".")[:3])
        return date(year, month, day)
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return None


def has_solver() -> bool:
    """Whether the scripts package that a JavaScript runtime needs is there."""
    try:
        return bool(importlib.metadata.version("yt-dlp-ejs"))
    except importlib.metadata.PackageNotFoundError:
        return False


def found_runtime() -> str | None:
    return next((name for name, program in PROGRAMS.items() if shutil.which(program)), None)


def runtime_fault(name: str) -> str | None:
    """Why a runtime cannot be used, None if it can."""
    program = shutil.which(PROGRAMS[name])
    if program is None:
        return f"{PROGRAMS[name]} is not installed"
    if name not in _LEAST:
        return None
    try:
        said = subprocess.run([program, "--version"], capture_output=True, timeout=10, check=False).stdout  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return f"{program} does not run"
    number = re.search(rb"(\d+)\.(\d+)", said)
    least = _LEAST[name]
    if number and (int(number[1]), int(number[2])) < least:
        return f"{name} {number[0].decode()} is too old; {least[0]}.{least[1]} or newer is needed"
    return None


def cookies_fault(path: Path) -> str | None:
    """Why a cookie file cannot help, as far as the file itself tells; None if it may."""
    jar = MozillaCookieJar(str(path))
    try:
        jar.load(ignore_discard=True, ignore_expires=True)
    except (OSError, LoadError) as exc:
        return f"{path} is no cookies.txt in Netscape format ({str(exc).splitlines()[0][:80]})"
    session = [cookie for cookie in jar if "youtube.com" in cookie.domain and cookie.name in _SESSION]
    if not session:
        return f"{path} holds no YouTube session"
    if all(cookie.expires and cookie.expires < time.time() for cookie in session):
        return f"the YouTube session in {path} has expired"
    return None
