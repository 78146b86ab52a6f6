"""A visitor goes away while a model writes: waitress, the real answer, a real SDK and a socket at its end."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from qandai.ask import Asker
from qandai.settings import Settings
from qandai.site import Site
from qandai.web.app import create_app
from tests import helped
from tests.fakes import MemoryPeople
from tests.faults.test_model_faults import ANN, GOOD, settings, shelves
from tests.provider import Provider, Reply, Request, hang, reply, sse
from tests.web.telling import open_to_all
from tests.web.test_stream import ask, read_until

SENTENCE = "The boat leaked every night, so she had to sell the boat [1]. "
API = "/api/ask/stream?person=ann&q=Why+did+she+sell+the+boat%3F&mode=synthesis"
PAGE = "/ann?q=Why+did+she+sell+the+boat%3F&mode=synthesis"


def patient(provider: Provider) -> AbstractContextManager[Asker]:
    """One writer, who has half a minute: whatever ends its call earlier is not the deadline."""
    chosen = settings(provider.base_url, answer_seconds=30.0, model_synthesise="w1")
    return helped.asking(ANN, shelves(), chosen)


def writing(text: Reply) -> Callable[[Request], Reply]:
    return lambda request: text if request.model.startswith("w") else reply(GOOD[request.model])


WRITES = sse([f"{word} " for word in (SENTENCE * 40).split()], gap=0.05)


@pytest.mark.parametrize(("text", "seconds"), [(WRITES, 4.0), (hang(), 5.0)], ids=["writes", "says nothing"])
@pytest.mark.parametrize("path", [API, PAGE])
def test_who_leaves_ends_the_call_of_the_model_that_writes(
    tmp_path: Path, path: str, text: Reply, seconds: float
) -> None:
    with Provider(writing(text)) as provider, patient(provider) as asker:
        site = Site(asker, shelves(), MemoryPeople(ANN), Settings(home=tmp_path, limit_visitor=0, limit_site=0))
        with open_to_all(create_app(site)) as port:
            visitor = ask(port, path)
            read_until(visitor, b"I had to sell")
            visitor.close()
            assert provider.wait_abandoned(seconds=seconds)
            assert [request.model for request in provider.requests].count("w1") == 1
