"""From what was found to what is told: the clip, and in synthesis the text beside it."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain

from qandai.answer import Answer, Done, Essay, Event, Found, Heard, NoAnswer, Statement, Summary, Summed, Wrote
from qandai.answering.highlights import apart, highlights
from qandai.answering.moments import moments
from qandai.answering.tail import Tail
from qandai.answering.turns import Speech
from qandai.asking.confirming import answering, confirmed
from qandai.asking.finding import OVERFETCH
from qandai.asking.models import Item, Models
from qandai.asking.notes import Notes, Scene
from qandai.clips import clip, overlap
from qandai.model import Clip, Excerpt, Person, Pick, Quote, Span
from qandai.retrieval.spread import spread


class Teller:
    """Never changes; threads share it."""

    def __init__(self, models: Models, *, lead: float) -> None:
        self._models = models
        self._lead = lead

    def tell(self, scene: Scene, notes: Notes) -> Generator[Event, None, None]:
        if notes.mode == "synthesis" and scene.claims:
            yield from self._synthesis(scene, notes)
            return
        yield Found(scene.excerpts if scene.claims else ())
        result = self._heard(scene, notes)
        yield Heard(result)
        yield Done(result)

    def _heard(self, scene: Scene, notes: Notes) -> Answer | NoAnswer:
        quotes = self._quotes(scene, notes)
        near = [self._clip(span) for span in scene.others]
        if not quotes:
            return NoAnswer(scene.question, apart(near), notes.watch.read(), notes.making())
        first, *rest = (clip(quote, lead=self._lead) for quote in quotes)
        others = apart([*rest, *near], beside=first)
        return Answer(scene.question, first, others, scene.excerpts, notes.watch.read(), notes.making())

    def _quotes(self, scene: Scene, notes: Notes) -> Sequence[Quote]:
        """Best first; none where nothing answers."""

        def confirm(claim: Pick | Span) -> Quote | None:
            with notes.watch.step("align"):
                return confirmed(claim, scene.excerpts, scene.others, scene.shelf)

        own = [quote for claim in scene.claims if (quote := confirm(claim))]
        if not scene.claims or not self._models.do("select"):
            return own
        with notes.watch.step("generate"):
            outcome = self._models.choose(scene.asked, scene.person, scene.excerpts, confirm, notes.deadline)
        choice = notes.of(outcome)
        if choice is None:
            notes.lacking.append("clip")
            return own
        notes.model = outcome.model
        if choice.quote is None:
            return ()
        return [answering(choice.quote, scene.excerpts, Speech.of(scene.person)), *own]

    def _synthesis(self, scene: Scene, notes: Notes) -> Generator[Event, None, None]:
        """An answer from the whole archive, its clip first. The writer begins before the clip is chosen."""
        cited = self._broad(scene, notes)
        yield Found(cited)
        spoken = self._spoken(cited, scene.person)
        with closing(self._models.write(scene.asked, scene.person, cited, notes.deadline)) as writing:
            notes.leaving.then(writing.close)
            result = self._heard(scene, notes)
            items = iter(writing)
            first = next(items, None) if isinstance(result, NoAnswer) else None
            if isinstance(result, NoAnswer) and isinstance(first, Statement) and first.cites:
                result = _of_many(scene, result, spoken[first.cites[0] - 1], notes)
            if isinstance(result, NoAnswer):
                notes.of(writing.outcome)
                result = replace(result, making=notes.making(), timings_ms=notes.watch.read())
                yield Heard(result)
                yield Done(result)
                return
            yield Heard(replace(result, essay=Essay(cited, spoken)))
            with notes.watch.step("generate"):
                statements, tail = yield from _statements(chain([first] if first else [], items))
        notes.of(writing.outcome)
        if statements:
            notes.model = writing.outcome.model
        elif writing.outcome.troubles or not self._models.do("synthesise"):
            notes.lacking.append("text")
        with notes.watch.step("align"):
            essay = self._essay(scene, cited, spoken, statements, tail)
        if essay.summary:
            yield Summed(essay.summary)
        if not statements:  # nothing is shown twice
            others = tuple(one for one in result.alternatives if not any(overlap(one, told) for told in essay.spoken))
            result = replace(result, alternatives=others)
        yield Done(replace(result, essay=essay, making=notes.making(), timings_ms=notes.watch.read()))

    def _broad(self, scene: Scene, notes: Notes) -> tuple[Excerpt, ...]:
        """What a text is written from: more than a clip needs, and from as many recordings as there are."""
        count = self._models.reading.broad if self._models.do("synthesise") else scene.asked.top_k
        search, places = scene.search, scene.shelf.places
        with notes.watch.step("retrieve"):
            ranked = search.apart(search.hits(count=count * OVERFETCH), count=2 * count)
            hits = spread(ranked, lambda hit: places[hit.index].video_id, count)
            return search.excerpts(hits)

    def _spoken(self, cited: Sequence[Excerpt], person: Person) -> tuple[Clip, ...]:
        """The moment of each excerpt, in their order."""
        found = {id(span.row): span for span in moments(cited, Speech.of(person))}
        return tuple(self._clip(found.get(id(excerpt.row), excerpt.passage)) for excerpt in cited)

    def _essay(
        self,
        scene: Scene,
        cited: tuple[Excerpt, ...],
        spoken: tuple[Clip, ...],
        statements: tuple[Statement, ...],
        tail: Tail | None,
    ) -> Essay:
        """What was written; where nothing was, the highlights: the recordings in their own words."""
        if not statements:
            chosen = highlights(spoken)
            kept = [place for place, each in enumerate(spoken) if each in chosen]
            cited, spoken = tuple(cited[place] for place in kept), tuple(spoken[place] for place in kept)
        numbers = {number for statement in statements for number in statement.cites}
        used = {excerpt.row.video.id for excerpt in cited if not numbers or excerpt.number in numbers}
        summary = Summary((len(used), len(scene.shelf.videos)))
        if statements and tail is not None:
            quote = None if tail.key_quote is None else self._clip(tail.key_quote)
            summary = replace(summary, themes=tail.themes, key_quote=quote)
        return Essay(cited, spoken, statements, summary)

    def _clip(self, said: Span | Quote) -> Clip:
        return clip(Quote(said) if isinstance(said, Span) else said, lead=self._lead)


def _of_many(scene: Scene, near: NoAnswer, best: Clip, notes: Notes) -> Answer:
    """No single passage answers, but all of them together do: what the text cites first is played."""
    others = apart(near.near, beside=best)
    return Answer(scene.question, best, others, scene.excerpts, notes.watch.read(), notes.making())


def _statements(items: Iterable[Item]) -> Generator[Event, None, tuple[tuple[Statement, ...], Tail | None]]:
    statements: list[Statement] = []
    tail: Tail | None = None
    for item in items:
        if isinstance(item, Statement):
            statements.append(item)
            yield Wrote(item)
        elif isinstance(item, Tail):
            tail = item
    return tuple(statements), tail
