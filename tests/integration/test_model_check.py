"""Models that retire, and keys that are missing, are named before a visitor meets them."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from qandai.adapters.key_check import check_key
from qandai.compose_doctor import diagnoses
from qandai.compose_models import not_offered
from qandai.errors import AccessRefused, ProviderError, UsageError
from qandai.findings import Finding
from qandai.settings import Settings


@contextmanager
def offering(*models: str, status: int = 200) -> Iterator[str]:
    """A service that only lists its models."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps({"object": "list", "data": [{"id": model} for model in models]}).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()


def groq(base_url: str, home: Path = Path(), **given: object) -> Settings:
    return Settings.read({}, home=home, llm="groq", groq_api_key="not-a-real-key", groq_base_url=base_url, **given)


def about_models(settings: Settings, *, online: bool) -> Finding:
    (finding,) = [one for one in diagnoses(settings, online=online) if one.about == "language models"]
    return finding


def test_a_model_that_its_provider_no_longer_has_is_named(tmp_path: Path) -> None:
    with offering("openai/gpt-oss-20b", "openai/gpt-oss-120b") as base_url:
        assert not_offered(groq(base_url)) == ("qwen/qwen3.8-27b",)
        assert about_models(groq(base_url, tmp_path), online=True).state == "fault"
        assert not_offered(groq(base_url, model_select="openai/gpt-oss-120b")) == ()


def test_a_server_of_one_s_own_may_take_any_name(tmp_path: Path) -> None:
    with offering("/models/some.gguf") as base_url:
        settings = Settings.read({}, home=tmp_path, llm="openai", openai_base_url=base_url, model_select="any")
        assert about_models(settings, online=True).state == "note"


def test_a_service_that_does_not_tell_is_believed() -> None:
    with offering(status=404) as base_url:
        assert not_offered(groq(base_url)) == ()
    with offering("a", status=401) as base_url, pytest.raises(AccessRefused):
        not_offered(groq(base_url))


def test_without_a_network_only_the_settings_are_looked_at(tmp_path: Path) -> None:
    finding = about_models(groq("http://127.0.0.1:9/v1", tmp_path), online=False)
    assert (finding.state, finding.said.startswith("groq: openai/gpt-oss-20b")) == ("ok", True)
    assert about_models(Settings.read({}, home=tmp_path), online=True).said == "none"


def test_a_provider_without_its_key_is_a_fault_that_says_where_to_get_one(tmp_path: Path) -> None:
    settings = Settings.read({}, home=tmp_path, llm="groq")
    finding = about_models(settings, online=False)
    assert finding.state == "fault"
    assert "console.groq.com" in finding.said
    with pytest.raises(UsageError, match="GROQ_API_KEY"):
        not_offered(settings)


@pytest.mark.parametrize("key", ["κλειδί-που-δεν-λέγεται", "two\nlines"])
def test_a_key_that_cannot_be_sent_is_a_finding_and_is_not_told(key: str) -> None:
    with offering("a") as base_url, pytest.raises(ProviderError) as caught:
        check_key(base_url, key)
    assert key not in "".join(traceback.format_exception(caught.value))


def test_an_address_that_is_none_is_a_finding() -> None:
    with pytest.raises(ProviderError):
        check_key(f"http://{'a' * 70}.example/v1", None)
