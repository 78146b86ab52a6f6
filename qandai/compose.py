"""Builds the program from its settings. The only room that names adapters."""

from __future__ import annotations

from qandai.adapters.people import YamlPeople, slug_fault, slug_of
from qandai.ports import People
from qandai.settings import Settings

__all__ = ["people", "slug_fault", "slug_of"]


def people(settings: Settings) -> People:
    return YamlPeople(settings.home / "people")
