"""How hard the laws are tried: fewer examples in the suite that runs at every change, more where time is taken."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("quick", max_examples=25, deadline=None)
settings.register_profile("thorough", max_examples=500, deadline=None)
settings.load_profile(os.environ.get("QANDAI_LAWS", "quick"))
