"""How directly do the clips answer, as two language models of different families judge it?

    python -m eval.judge --transcripts DIR --questions FILE [--judge MODEL --judge MODEL] [--llm] [--json OUT]
    python -m eval.judge --person SLUG [--home DIR] …

Each question is put to the real asker, and both judges give what is played 1 to 5 by the rubric of eval/rubric.py.
--person asks the questions that the person's page suggests. Judges are models of the provider that is set; unnamed,
they are the first that chooses clips and the first of another family. agree, agree_within_1 and kappa say how far they
agree; where they do not, do not trust the mean. Refused questions have nothing to judge and are counted, as are
judgements that a provider failed (provider_errors) or a judge did not give in the form asked for (unusable).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from eval import rubric
from eval.assisted import Assistance, ask, by_provider, family, named, patience_of, patience_options
from eval.data import Data, load, read_archive
from eval.metrics import mean
from eval.options import Cell
from eval.played import Played, Way, ask_all
from eval.questions import Asked
from eval.runs import Run, combined, guarded, write_run
from eval.statistics import interval
from eval.subject import Bench, Subject, prepare
from eval.sweeps import progress, table
from qandai import compose
from qandai.chain import Task
from qandai.chat import Llm
from qandai.errors import UsageError
from qandai.model import Person
from qandai.settings import Settings

DIRECT = 4
"""The score from which on a clip counts as direct."""

SHOWN = ("directness", "direct", "judged", "agree", "agree_within_1", "kappa", "refused", "unusable", "provider_errors")


@dataclass(frozen=True, slots=True)
class Judgement:
    """`scores` by judge; None: the judge gave none that could be read, or, `lost`, its provider failed."""

    played: Played
    scores: Mapping[str, int | None]
    lost: int = 0

    @property
    def mean(self) -> float | None:
        """None unless all have judged."""
        given = [score for score in self.scores.values() if score is not None]
        return mean(given) if given and len(given) == len(self.scores) else None


def judge(played: Played, judges: Sequence[Llm]) -> Judgement:
    """Raises AccessRefused. Without a clip there is nothing to judge."""
    if played.clip is None or played.outcome == "provider":
        return Judgement(played, {})
    task = Task(rubric.prompt(played.asked.text, played.clip.quote.text), rubric.read)
    outcomes = {llm.model: ask(llm, task) for llm in judges}
    lost = sum(by_provider(outcome) for outcome in outcomes.values())
    return Judgement(played, {model: outcome.value for model, outcome in outcomes.items()}, lost)


def metrics(judged: Sequence[Judgement], judges: Sequence[str]) -> dict[str, float | int | None]:
    """`directness` is the mean of all judges' scores of the clips that all have judged."""
    means = [one.mean for one in judged if one.mean is not None]
    scores = [[score for one in judged if one.mean is not None for score in [one.scores[name] or 0]] for name in judges]
    asked = [one for one in judged if one.played.outcome != "provider"]
    missing = sum(score is None for one in judged for score in one.scores.values())
    lost = sum(one.lost for one in judged)
    figures: dict[str, float | int | None] = {
        "directness": mean(means) if means else None,
        "direct": mean([each >= DIRECT for each in means]) if means else None,
        "judged": len(means),
        "refused": mean([one.played.clip is None for one in asked]),
        "unusable": missing - lost,
        "provider_errors": lost + len(judged) - len(asked),
    }
    figures |= {
        f"directness {name}": mean(given) if given else None for name, given in zip(judges, scores, strict=True)
    }
    if len(scores) == 2 and means:
        figures["agree"] = rubric.exact(*scores)
        figures["agree_within_1"] = rubric.within(1, *scores)
        figures["kappa"] = rubric.weighted_kappa(*scores)
    return figures


def rows(judged: Sequence[Judgement]) -> list[dict[str, object]]:
    return [
        {
            "id": one.played.asked.id,
            "question": one.played.asked.text,
            "outcome": one.played.outcome if one.played.asked.moments or one.played.asked.contains else None,
            "video_id": one.played.clip and one.played.clip.video.id,
            "start": one.played.clip and round(one.played.clip.start, 2),
            "quote": one.played.clip and one.played.clip.quote.text,
            "scores": dict(one.scores),
            "directness": one.mean,
        }
        for one in judged
    ]


def run(
    subject: Subject,
    judges: Sequence[Llm],
    *,
    way: Way = Way(),  # noqa: B008  # frozen
    seed: int = 0,
    step: Callable[[int], object] = lambda _: None,
) -> Run:
    """Raises as the asker does, and AccessRefused."""
    judged = []
    for played in ask_all(subject, way):
        judged.append(judge(played, judges))
        step(1)
    names = [llm.model for llm in judges]
    bounds = interval([one.mean for one in judged if one.mean is not None], seed=seed)
    return Run(
        "judge",
        subject.described() | way.described() | {"judges": names},
        subject.data.described(),
        metrics(judged, names),
        rows(judged),
        seed,
        {"directness": bounds} if bounds else {},
    )


def panel(assistances: Sequence[Assistance], *, related: bool = False) -> tuple[Llm, ...]:
    """One judge of each, or of a single one the first that chooses clips and the first of another family.

    Raises UsageError where they are of one family, unless they may be `related`, and where there is no second."""
    if len(assistances) > 1:
        judges = [assistance.steps["select"][0] for assistance in assistances]
    else:
        steps = assistances[0].steps
        found = [llm for step in ("select", "synthesise", "expand", "classify") for llm in steps.get(step, ())]
        others = [llm for llm in found if _apart(llm.model, found[0].model, related)]
        judges = [found[0], *others[:1]]
    if not related and len({family(llm.model) for llm in judges}) < len(judges):
        raise UsageError(
            f"{' and '.join(llm.model for llm in judges)} are of one family, and would agree in their faults.",
            hint="Name models of two families, or add --related.",
        )
    if len({llm.model for llm in judges}) < 2:
        raise UsageError("There is only one judge.", hint="Name two: --judge MODEL --judge MODEL.")
    return tuple(judges)


def _apart(one: str, other: str, related: bool) -> bool:
    return one != other if related else family(one) != family(other)


def suggested(settings: Settings, slug: str) -> tuple[Data, Person]:
    """A person's recordings, asked what their page suggests. Raises UnknownPerson, UsageError."""
    person = compose.people(settings).get(slug)
    texts = person.suggested_questions
    if not texts:
        raise UsageError(f"people/{slug}.yaml suggests no questions.", hint="Add suggested_questions, or name a file.")
    questions = tuple(Asked(f"{slug}-{number}", text) for number, text in enumerate(texts, 1))
    data = read_archive(settings.home / "transcripts" / slug)
    found = replace(data, name=f"{slug}, suggested", questions=questions, questions_hash=combined(texts))
    return replace(found, language=person.language.split("-")[0]), person


def _measure(given: argparse.Namespace, stack: ExitStack) -> Run:
    settings, patience = Settings.read(home=given.home), patience_of(given)

    def assistance(of: Settings) -> Assistance:
        return stack.enter_context(Assistance(of, patience=patience))

    own = assistance(settings)
    judges = panel([assistance(named(settings, name)) for name in given.judge] or [own], related=given.related)
    person = None
    if given.person:
        data, person = suggested(settings, given.person)
    else:
        data = load(given.transcripts, given.questions, language=given.language, limit=given.limit)
    way = Way("clip", own, own.models()) if given.llm else Way()
    with progress() as bar:
        subject = prepare(
            Bench(given.home), data, Cell(), embedding=given.embedding, step=bar("embedding", 0), person=person
        )
        return run(subject, judges, way=way, seed=given.seed, step=bar("judging", len(data.questions)))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transcripts", type=Path, help="a folder of transcript files")
    parser.add_argument("--questions", type=Path, help="a file of questions, JSON lines")
    parser.add_argument("--person", metavar="SLUG", help="in place of both: what their page suggests")
    parser.add_argument("--judge", action="append", default=[], metavar="MODEL", help="twice; default: of the settings")
    parser.add_argument("--related", action="store_true", help="judges may be of one family")
    parser.add_argument("--llm", action="store_true", help="clips are chosen by the models that are set")
    parser.add_argument("--language", help="keep transcripts of this language; default: that of the questions")
    parser.add_argument("--embedding", help="minilm, e5, onnx:<folder> or openai:<model>; default: by language")
    parser.add_argument("--limit", type=int, help="only so many questions")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap; default 0")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the run here, too")
    parser.add_argument(
        "--home", type=Path, default=Path(), help="whose store/ keeps vectors and replies; default: here"
    )
    patience_options(parser)
    given = parser.parse_args(arguments)
    if bool(given.person) == bool(given.transcripts and given.questions):
        raise UsageError("Name --transcripts and --questions, or a --person.")
    if len(given.judge) not in (0, 2):
        raise UsageError("--judge is given twice, or not at all.")
    with ExitStack() as stack:
        measured = _measure(given, stack)
    print(table([measured], SHOWN))
    if given.json:
        write_run(given.json, measured)


if __name__ == "__main__":
    guarded(main)
