"""Questions with the passage that answers each, made up by a model: to measure with where nobody has written any.

    python -m eval.generate --transcripts DIR [--count 150] [--near-misses N] [--model NAME] --out FILE

A question is refused that is too long, none, or too near to its passage, and one whose answer the model cannot copy
from the passage. Near misses are asked in the archive's vocabulary and answered nowhere: the real search looks for
each, and the model reads the five excerpts that come first; one that they answer is refused. FILE is a questions file;
broken off, the same command goes on where it stopped, and what an editor put right there stays so.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eval.assisted import EXPAND, SELECT, Assistance, Made, ask, by_provider, named, patience_of, patience_options
from eval.data import Data, read_archive
from eval.invented import (
    MOST_SHARED,
    Invented,
    check_prompt,
    fault,
    near_miss_prompt,
    placed,
    question_prompt,
    read_check,
    read_question,
    too_near,
)
from eval.options import Cell
from eval.runs import guarded
from eval.subject import Bench, prepare
from eval.sweeps import progress
from qandai.chain import Outcome, Task
from qandai.chat import Llm
from qandai.errors import ProviderError, UsageError
from qandai.model import Excerpt, Question, Span
from qandai.passages import cut
from qandai.settings import Settings
from qandai.text import tokens

COUNT = 150
PASSAGE_CHARS = 500
_FEWEST_WORDS = 30  # of a passage that may be worth a question
_TRIES = 4  # passages for each question that is wanted
_MOST_LOST = 5  # passages in a row that a provider fails

Entry = Mapping[str, object]
Search = Callable[[str], Sequence[Excerpt]]


@dataclass(slots=True)
class Maker:
    """`refused` counts why passages gave no question. `search` finds what might answer a near miss."""

    llm: Llm
    language: str
    search: Search
    most_shared: float = MOST_SHARED
    refused: Counter[str] = field(default_factory=Counter)
    _lost: int = 0

    def question(self, passage: Span) -> Entry | None:
        """Raises AccessRefused, and ProviderError where several passages in a row were lost to the provider."""
        invented = self._invented(Task(question_prompt(passage, self.language), read_question))
        if invented is None:
            return None
        found = placed(invented, passage)
        reason = too_near(invented, passage, self.most_shared) or ("answer that was never said" if not found else None)
        if reason or found is None:
            self.refused[reason or ""] += 1
            return None
        spoken = {"start": round(passage.start, 2), "answer_start": round(found.start, 2), "end": round(passage.end, 2)}
        return self._entry(invented.question, {"video_id": passage.video.id, **spoken})

    def near_miss(self, passage: Span) -> Entry | None:
        """Raises as `question` does."""
        invented = self._invented(Task(near_miss_prompt(passage, self.language), read_question))
        if invented is None:
            return None
        excerpts = self.search(invented.question)
        answered = self._of(ask(self.llm, Task(check_prompt(invented.question, excerpts), read_check)))
        if answered:
            self.refused["near miss that is answered"] += 1
        return None if answered is None or answered else self._entry(invented.question, {"answerable": False})

    def _entry(self, question: str, judged: Entry) -> Entry:
        return {"question": question, **judged, "language": self.language, "made_by": self.llm.model}

    def _invented(self, task: Task[Invented]) -> Invented | None:
        invented = self._of(ask(self.llm, task))
        reason = invented and fault(invented.question)
        if reason:
            self.refused[reason] += 1
        return None if reason else invented

    def _of(self, outcome: Outcome[Made]) -> Made | None:
        """What a model made; None where it made nothing."""
        if outcome.value is not None:
            self._lost = 0
            return outcome.value
        lost = by_provider(outcome)
        self.refused["lost to the provider" if lost else "reply that cannot be used"] += 1
        self._lost = self._lost + 1 if lost else 0
        if self._lost == _MOST_LOST:
            raise ProviderError(outcome.troubles[-1].said, hint="The same command goes on later from here.")
        return None


def candidates(data: Data, seed: int) -> list[Span]:
    """Passages that may be worth a question, dealt in turns from recordings in random order."""
    rng = random.Random(seed)
    by_video = []
    for transcript in sorted(data.transcripts, key=lambda transcript: transcript.video.id):
        passages = cut(transcript.row, chars=PASSAGE_CHARS, language=data.language) if transcript.words else ()
        long = [passage.span for passage in passages if len(passage.span.words) >= _FEWEST_WORDS]
        rng.shuffle(long)
        by_video.append(long)
    rng.shuffle(by_video)
    deepest = max(map(len, by_video), default=0)
    return [passages[at] for at in range(deepest) for passages in by_video if at < len(passages)]


def make(
    passages: Sequence[Span], invent: Callable[[Span], Entry | None], kind: str, count: int, done: dict[str, Entry]
) -> Iterator[Entry]:
    """Adds to `done` until it holds `count` questions of a kind, which their ids begin with, or enough were tried."""
    have = sum(name.startswith(kind) for name in done)
    known = {tokens(str(entry["question"])) for entry in done.values()}
    for passage in passages[: _TRIES * count]:
        if have >= count:
            return
        name = f"{kind}-{passage.video.id}-{passage.start:.0f}"
        found = None if name in done else invent(passage)
        if found is not None and tokens(str(found["question"])) not in known:
            known.add(tokens(str(found["question"])))
            done[name] = {"id": name, **found}
            have += 1
            yield done[name]


def read(path: Path) -> dict[str, Entry]:
    """The questions that a file holds, by id; none where there is no file. Raises UsageError."""
    if not path.is_file():
        return {}
    try:
        entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        return {str(entry["id"]): entry for entry in entries}
    except (ValueError, KeyError, TypeError) as exc:
        raise UsageError(
            f"{path} is no file of questions: {exc}.", hint="--out names a new file, or one to go on with."
        ) from exc


def write(path: Path, entries: Mapping[str, Entry]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_text(
        "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries.values()), encoding="utf-8"
    )
    part.replace(path)


def _searching(data: Data, home: Path, embedding: str | None) -> Search:
    """What the real search reads for a question."""
    subject = prepare(Bench(home), data, Cell(), embedding=embedding)
    asker = subject.asker(live=True)
    return lambda text: asker.search(Question(subject.person.slug, text))


def _run(given: argparse.Namespace, assistance: Assistance) -> None:
    data = read_archive(given.transcripts, language=given.language)
    llm = (assistance.steps.get(EXPAND) or assistance.steps[SELECT])[0]
    search = _searching(data, given.home, given.embedding) if given.near_misses else lambda _: ()
    maker = Maker(llm, data.language, search, given.most_shared)
    passages, done = candidates(data, given.seed), read(given.out)
    kinds = (("asked", given.count, maker.question), ("near", given.near_misses, maker.near_miss))
    with progress() as bar:
        for kind, count, invent in kinds:
            step = bar(f"{kind} by {llm.model}", count)
            for _ in make(passages, invent, kind, count, done):
                write(given.out, done)
                step(1)
    near = sum(name.startswith("near") for name in done)
    print(f"{len(done) - near} questions and {near} near misses in {given.out}")
    for reason, count in maker.refused.most_common():
        print(f"  {count} refused: {reason}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transcripts", type=Path, required=True, help="a folder of transcript files")
    parser.add_argument("--language", help="keep transcripts of this language")
    parser.add_argument("--count", type=int, default=COUNT, help=f"questions with an answer; default {COUNT}")
    parser.add_argument("--near-misses", type=int, default=0, metavar="N", help="questions without one; default 0")
    parser.add_argument("--model", help="of the provider that is set; default: the one that imagines answers")
    parser.add_argument(
        "--most-shared", type=float, default=MOST_SHARED, metavar="SHARE", help="of its words that its passage may say"
    )
    parser.add_argument("--embedding", help="minilm, e5, onnx:<folder> or openai:<model>; default: by language")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of passages; default 0")
    parser.add_argument(
        "--home", type=Path, default=Path(), help="whose store/ keeps vectors and replies; default: here"
    )
    parser.add_argument("--out", type=Path, required=True, help="a file of questions, JSON lines")
    patience_options(parser)
    given = parser.parse_args(arguments)
    if given.count < 0 or given.near_misses < 0 or not given.count + given.near_misses:
        raise UsageError("--count and --near-misses are numbers from 0, and one of them is more.")
    settings = Settings.read(home=given.home)
    settings = named(settings, given.model) if given.model else settings
    with Assistance(settings, patience=patience_of(given)) as assistance:
        _run(given, assistance)


if __name__ == "__main__":
    guarded(main)
