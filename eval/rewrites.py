"""Imagined answers to search with, one line a question: made once by a model, and measured as often as is wanted.

{"question": "why did you sell it?", "rewrites": ["I sold it because …", …]}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from eval.assisted import EXPAND, Assistance, ask
from qandai.chain import Task
from qandai.errors import UsageError
from qandai.model import Person
from qandai.retrieval import rewrites

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


def write(path: Path, found: Rewrites) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps({"question": question, "rewrites": texts}, ensure_ascii=False) for question, texts in found.items()
    ]
    part = path.with_name(f".{path.name}.part")
    part.write_text("\n".join(lines) + "\n", encoding="utf-8")
    part.replace(path)


def make(
    assistance: Assistance, person: Person, questions: Sequence[str], step: Callable[[int], object] = lambda _: None
) -> tuple[Rewrites, int]:
    """And for how many questions a provider or model made none. Raises AccessRefused, and UsageError
    where no model does."""
    found: dict[str, tuple[str, ...]] = {}
    (llm, *_) = assistance.steps.get(EXPAND) or (None,)
    if llm is None:
        raise UsageError("The models that are set imagine no answers.", hint="QANDAI_LLM=groq or openai does.")
    for text in dict.fromkeys(questions):
        made = ask(llm, Task(rewrites.prompt(text, person), rewrites.read)).value
        if made:
            found[text] = made
        step(1)
    return found, len(set(questions)) - len(found)
