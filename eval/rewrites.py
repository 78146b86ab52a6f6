"""Imagined answers to search with, one line a question: made once by a model, and measured as often as is wanted.

{"question": "why did you sell it?", "rewrites": ["I sold it because …", …]}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from eval.assisted import EXPAND, Assistance
from qandai.errors import AccessRefused, UsageError
from qandai.model import Person, Question

Rewrites = Mapping[str, tuple[str, ...]]


def read(path: Path) -> Rewrites:
    """Raises UsageError with the line that cannot be read."""
    if not path.is_file():
        raise UsageError(f"{path} is not a file.", hint="With --llm the models that are set make it.")
    found: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            try:
                fields = json.loads(line)
                texts = fields["rewrites"]
                if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                    raise TypeError("`rewrites` must be a list of texts")
                found[str(fields["question"])] = tuple(texts)
            except (ValueError, KeyError, TypeError) as exc:
                raise UsageError(f"{path}:{number}: not a question with its rewrites: {exc}.") from exc
    return found


def write(path: Path, rewrites: Rewrites) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps({"question": question, "rewrites": texts}, ensure_ascii=False)
        for question, texts in rewrites.items()
    ]
    part = path.with_name(f".{path.name}.part")
    part.write_text("\n".join(lines) + "\n", encoding="utf-8")
    part.replace(path)


def make(
    assistance: Assistance, person: Person, questions: Sequence[str], step: Callable[[int], object] = lambda _: None
) -> tuple[Rewrites, int]:
    """And for how many questions a provider or model made none. Raises AccessRefused."""
    models = assistance.models([EXPAND])
    found: dict[str, tuple[str, ...]] = {}
    for text in dict.fromkeys(questions):
        whole, _ = models.deadlines()
        outcome = models.rewrites(Question(person.slug, text), person, whole)
        refused = next((trouble for trouble in outcome.troubles if trouble.cause == "key"), None)
        if refused is not None:
            raise AccessRefused(refused.said)
        if outcome.value:
            found[text] = outcome.value
        step(1)
    return found, len(set(questions)) - len(found)
