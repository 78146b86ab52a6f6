from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest

from eval.shelf import MemoryShelf
from qandai.answer import Answer, NoAnswer
from qandai.answering.extractive import ExtractiveSelector
from qandai.ask import Asker
from qandai.clips import overlap
from qandai.errors import UnknownPerson
from qandai.model import Excerpt, Filters, Person, Pick, Question, Span, Video
from qandai.ports import Selector, Shelf, ShelfState
from tests.build import row, shelf
from tests.fakes import BagOfWordsEmbedder, MemoryPeople

ANN = Person("ann", "Ann", mishearings={"barge": "boat"})
EMBEDDER = BagOfWordsEmbedder(dimension=512)
FIRST = (
    "The winter was long and we ate a lot of fish. I had to sell the boat because the boat leaked every night. "
    "Bread wants time and a warm oven, and nobody at the harbour had an oven. My aunt lent me hers for a year."
)
SECOND = "A boat is a hole in the water. People sell a boat twice, once in their heads. The tax office wrote to me."


class Lender:
    def __init__(self, held: Shelf) -> None:
        self.held = held
        self.borrowed = 0

    def states(self) -> Mapping[str, ShelfState]:
        return {}

    @contextmanager
    def borrow(self, slug: str) -> Iterator[Shelf]:
        self.borrowed += 1
        try:
            yield self.held
        finally:
            self.borrowed -= 1


class ScriptedSelector:
    def __init__(self, *claims: Pick | Span) -> None:
        self.claims = claims
        self.read: Sequence[Excerpt] = ()

    def select(self, question: Question, excerpts: Sequence[Excerpt]) -> Sequence[Pick | Span]:
        self.read = excerpts
        return self.claims


def held() -> MemoryShelf:
    return shelf(
        row(FIRST, video=Video("v1", "Boats", published="2020-05-01", duration=300.0)),
        row(SECOND, video=Video("v2", "Taxes", published="2024-05-01")),
        embedder=EMBEDDER,
        chars=110,
    )


def asker(selector: Selector | None = None, *, lender: Lender | None = None, person: Person = ANN) -> Asker:
    return Asker(
        MemoryPeople(person),
        lender or Lender(held()),
        embedders_for=lambda _: (EMBEDDER,),
        selector_for=lambda _, embedder: selector or ExtractiveSelector(embedder.calibration),
    )


def ask(text: str, selector: Selector | None = None, *, filters: Filters | None = None) -> Answer | NoAnswer:
    return asker(selector).ask(Question("ann", text, filters=filters or Filters()))


def answered(text: str, selector: Selector | None = None) -> Answer:
    result = ask(text, selector)
    assert isinstance(result, Answer)
    return result


def test_the_answer_is_the_persons_own_words_from_their_second() -> None:
    result = answered("why did you sell the boat?")
    assert result.clip.quote.text.startswith("I had to sell the boat")
    assert result.clip.start == pytest.approx(5.5 - 0.3)
    assert result.clip.exact
    assert result.clip.quote.match == "exact"


def test_what_nobody_said_is_refused_with_the_nearest_moments() -> None:
    result = ask("zeppelin pilots of Friedrichshafen")
    assert isinstance(result, NoAnswer)
    assert result.near
    assert len({clip.video.id for clip in result.near[:2]}) == 2


def test_other_moments_never_play_what_the_clip_plays() -> None:
    result = answered("why did you sell the boat?")
    assert result.alternatives
    every = [result.clip, *result.alternatives]
    assert not any(overlap(one, other) for one in every for other in every if one is not other)


def test_every_step_is_timed_and_the_total_holds_them() -> None:
    times = dict(answered("why did you sell the boat?").timings_ms)
    total = times.pop("total")
    assert set(times) == {"expand", "embed", "retrieve", "select", "generate", "align"}
    assert times["generate"] == 0
    assert 0 < sum(times.values()) <= total


def test_what_a_model_typed_is_quoted_as_it_was_said() -> None:
    result = answered(
        "boat?", ScriptedSelector(Pick(1, "i had to SELL the boat because the boat leaked every evening"))
    )
    assert result.clip.quote.text.startswith("I had to sell the boat because the boat leaked every")
    assert result.clip.quote.match == "repaired"


def test_a_word_or_two_that_were_said_often_stand_for_the_first_sentence_of_the_answer() -> None:
    result = answered("why did you sell the boat?", ScriptedSelector(Pick(1, "the boat")))
    assert result.clip.quote.text == "I had to sell the boat because the boat leaked every night."


def test_what_a_model_made_up_is_never_quoted() -> None:
    made_up = "Everybody in the village was secretly a champion of competitive origami and ballroom dancing"
    assert isinstance(ask("boat?", ScriptedSelector(Pick(1, made_up))), NoAnswer)
    result = answered(
        "boat?", ScriptedSelector(Pick(9, made_up), Pick(1, "I had to sell the boat because the boat leaked"))
    )
    assert result.clip.quote.text.startswith("I had to sell the boat")


def test_a_quote_from_outside_the_excerpts_is_found_in_the_recording() -> None:
    lender = Lender(held())
    pick = Pick(1, "My aunt lent me hers for a year")
    result = asker(ScriptedSelector(pick), lender=lender).ask(Question("ann", "sell the boat", top_k=1))
    assert isinstance(result, Answer)
    assert result.clip.quote.text == "My aunt lent me hers for a year."


def test_mishearings_are_put_right_before_searching() -> None:
    assert answered("why did you sell the barge?").clip.quote.text.startswith("I had to sell the boat")


def test_a_slip_of_the_fingers_does_not_hide_the_answer() -> None:
    selector = ScriptedSelector()
    ask("who had an oven at the harbuor?", selector)
    assert list(selector.read[0].terms) == ["who", "had", "an", "oven", "at", "the", "harbour"]


def test_a_name_that_the_editor_listed_is_no_slip_though_nobody_said_it() -> None:
    selector = ScriptedSelector()
    question = Question("ann", "who had an oven at Harbous?")
    asker(selector, person=replace(ANN, vocabulary=("Port Harbous",))).ask(question)
    assert "harbous" in selector.read[0].terms
    asker(selector).ask(question)
    assert "harbous" not in selector.read[0].terms


def test_filters_narrow_answer_and_alternatives() -> None:
    result = ask("why did you sell the boat?", filters=Filters(since="2023-01-01"))
    clips = [result.clip, *result.alternatives] if isinstance(result, Answer) else list(result.near)
    assert {clip.video.id for clip in clips} == {"v2"}


def test_a_filter_that_leaves_nothing_is_never_said() -> None:
    result = ask("why did you sell the boat?", filters=Filters(videos=("nowhere",)))
    assert isinstance(result, NoAnswer)
    assert result.near == ()


def test_search_gives_ranked_passages_and_chooses_nothing() -> None:
    selector = ScriptedSelector()
    found = asker(selector).search(Question("ann", "the boat and the water", top_k=3))
    assert [excerpt.number for excerpt in found] == [1, 2]
    assert {excerpt.row.video.id for excerpt in found} == {"v1", "v2"}
    assert selector.read == ()


def test_a_passage_that_clearly_answers_is_the_only_source() -> None:
    (found,) = asker().search(Question("ann", "sell the boat", top_k=3))
    assert "sell the boat" in found.passage.text


def test_an_unknown_person_is_an_error_and_a_shelf_is_always_given_back() -> None:
    lender = Lender(held())
    with pytest.raises(UnknownPerson):
        asker(lender=lender).ask(Question("bob", "why?"))
    asker(lender=lender).ask(Question("ann", "sell the boat"))
    asker(lender=lender).warm("ann")
    assert lender.borrowed == 0


def test_threads_that_ask_at_once_get_the_same_answer() -> None:
    shared = asker()
    question = Question("ann", "why did you sell the boat?")
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: shared.ask(question), range(32)))
    assert len({result.clip.quote.span.id for result in results if isinstance(result, Answer)}) == 1
    assert all(isinstance(result, Answer) for result in results)
