from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from threading import Barrier
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from eval.shelf import MemoryShelf
from qandai.answer import Answer, Done, Event, NoAnswer
from qandai.answering.extractive import ExtractiveSelector
from qandai.answering.turns import Speech
from qandai.ask import Asker
from qandai.asking.confirming import answering
from qandai.asking.models import Models
from qandai.chain import Chain
from qandai.clips import overlap
from qandai.errors import ProviderError, UnknownPerson
from qandai.model import Excerpt, Filters, Mode, Person, Pick, Question, Quote, Span, Turn, Video
from qandai.ports import Embedder, Selector, Shelf, ShelfState
from qandai.retrieval.ranking import Ranking
from qandai.retrieval.retriever import Retriever
from qandai.web.turns import AT_ONCE_WITH_MODELS
from tests.build import excerpt, row, shelf
from tests.fakes import BagOfWordsEmbedder, MemoryPeople, ScriptedLlm

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

    def select(self, question: Question, excerpts: Sequence[Excerpt], moments: Sequence[Span]) -> Sequence[Pick | Span]:
        self.read = excerpts
        return self.claims


def held() -> MemoryShelf:
    return shelf(
        row(FIRST, video=Video("v1", "Boats", published="2020-05-01", duration=300.0)),
        row(SECOND, video=Video("v2", "Taxes", published="2024-05-01")),
        embedder=EMBEDDER,
        chars=110,
    )


def asker(
    selector: Selector | None = None,
    *,
    lender: Lender | None = None,
    person: Person = ANN,
    models: Models | None = None,
    embedder: Embedder = EMBEDDER,
    retriever: Retriever | None = None,
) -> Asker:
    return Asker(
        MemoryPeople(person),
        lender or Lender(held()),
        embedders_for=lambda _: (embedder,),
        selector_for=lambda embedder: selector or ExtractiveSelector(embedder.calibration),
        retriever=retriever,
        models=models,
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
    uncut = Retriever(Ranking(cut_floor=-9.0, cut_gap=9.0))  # of three passages one stands far behind
    found = asker(selector, retriever=uncut).search(Question("ann", "the boat and the water", top_k=3))
    assert [excerpt.number for excerpt in found] == [1, 2, 3]
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


# With language models: what they do, and that nothing they say is shown unless it was said.

SAID = "People sell a boat twice, once in their heads."
GREAT = {
    "expand": "I sold the boat because it leaked.\nThe boat was a hole in the water.",
    "classify": '{"kind": "clip"}',
    "select": f"1: {SAID}",
    "synthesise": "The boat leaked every night [1]. Somebody had to sell the boat [1][9].\nTHEMES: boat; night; sea",
}


def helped(
    *,
    history: tuple[Turn, ...] = (),
    mode: Mode | Literal["auto"] = "clip",
    text: str = "why did she sell the boat",
    **say: str,
) -> tuple[list[Event], dict[str, ScriptedLlm]]:
    """What is told where every step has a model, each saying what it says in GREAT unless told otherwise."""
    llms = {step: ScriptedLlm(say.get(step, said), model=step) for step, said in GREAT.items()}
    chains = {step: Chain(step, [llm]) for step, llm in llms.items()}  # type: ignore[arg-type]  # a Step each
    events = asker(models=Models(chains)).stream(Question("ann", text, mode=mode, history=history))
    return list(events), llms


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def result(events: list[Event]) -> Answer:
    done = events[-1]
    assert isinstance(done, Done)
    assert isinstance(done.result, Answer)
    return done.result


def test_a_model_chooses_the_clip_and_its_words_are_those_that_were_said() -> None:
    events, _ = helped(select="Excerpt 1 - “people sell a BOAT twice – once in their heads!”")
    assert kinds(events) == ["Resolved", "Found", "Heard", "Done"]
    answer = result(events)
    assert (answer.clip.quote.text, answer.making.model, answer.making.lacking) == (SAID, "select", ())


def test_what_a_model_chose_begins_after_the_interviewer_s_question() -> None:
    talk = excerpt(
        ("Host", "Why did you sell the boat?"),
        ("Ann", "Because it leaked every night. I had to sell it."),
        question="why did you sell the boat",
        embedder=EMBEDDER,
    )
    asked = Quote(talk.row.span(0, 10))
    assert asked.text == "Why did you sell the boat? Because it leaked every night."
    assert answering(asked, [talk], Speech()).text == "Because it leaked every night."
    assert answering(asked, [talk], Speech(speaking="solo")) == asked
    alone = Quote(talk.row.span(0, 5))
    assert answering(alone, [talk], Speech()) == alone
    assert answering(asked, [], Speech()) == asked


@pytest.mark.parametrize(
    "claim", ["1: I won the lottery and bought a bigger boat with it.", "", "9", "{}", "<b>hm</b>"]
)
def test_what_nobody_said_is_never_shown_and_the_recordings_answer(claim: str) -> None:
    alone = answered("why did she sell the boat")
    answer = result(helped(select=claim, expand=" ")[0])
    assert (answer.clip, answer.alternatives) == (alone.clip, alone.alternatives)
    assert answer.making.lacking == ("clip",)


def test_a_model_that_finds_no_answer_shows_the_near_moments() -> None:
    (*_, done), _ = helped(select="NOT_COVERED")
    assert isinstance(done, Done)
    assert isinstance(done.result, NoAnswer)
    assert done.result.near
    assert not done.result.making.short_circuited


def test_below_the_floor_no_model_chooses_or_writes() -> None:
    events, llms = helped(text="zeppelin parking fees", mode="synthesis")
    assert kinds(events) == ["Resolved", "Found", "Heard", "Done"]
    assert llms["select"].asked == llms["synthesise"].asked == []
    done = events[-1]
    assert isinstance(done, Done)
    assert done.result.making.short_circuited


def test_a_text_comes_after_its_clip_and_cites_what_was_said() -> None:
    events, _ = helped(mode="synthesis")
    assert kinds(events) == ["Resolved", "Found", "Heard", "Wrote", "Wrote", "Summed", "Done"]
    essay = result(events).essay
    assert essay is not None
    assert [statement.cites for statement in essay.statements] == [(1,), (1,)]
    assert essay.summary is not None
    assert (essay.summary.scale, essay.summary.themes) == ((1, 2), ("boat", "night"))


def test_an_invented_text_gives_way_to_the_highlights() -> None:
    answer = result(helped(mode="synthesis", synthesise="She won a regatta in Sydney [1]. It was cold in 1987 [2].")[0])
    assert answer.essay is not None
    assert answer.essay.statements == ()
    assert {clip.quote.span.row.video.id for clip in answer.essay.spoken} == {"v1"}
    assert answer.making.lacking == ("text",)


def test_where_no_passage_answers_but_all_together_do_the_first_one_cited_is_played() -> None:
    answer = result(helped(mode="synthesis", select="NOT_COVERED")[0])
    assert answer.essay is not None
    assert answer.clip == answer.essay.spoken[0]


@pytest.mark.parametrize(
    ("told", "mode"), [('{"kind": "synthesis"}', "synthesis"), ("clip", "clip"), ("?", "synthesis")]
)
def test_a_model_tells_which_kind_of_answer_is_wanted_and_the_text_is_worth_more_than_doubt(
    told: str, mode: str
) -> None:
    events, _ = helped(mode="auto", classify=told)
    assert result(events).making.mode == mode


def test_imagined_answers_are_searched_with_and_never_shown() -> None:
    answer = result(helped(text="why did she give the boat away", expand="I had to sell the boat, it leaked.")[0])
    assert answer.making.rewrites == ("I had to sell the boat, it leaked.",)
    assert all("it leaked" not in clip.quote.text for clip in (answer.clip, *answer.alternatives))


def test_a_text_that_failed_is_in_the_log_also_where_nothing_answers() -> None:
    (*_, done), _ = helped(mode="synthesis", select="NOT_COVERED", synthesise=" ")
    assert isinstance(done, Done)
    assert isinstance(done.result, NoAnswer)
    assert [trouble.step for trouble in done.result.making.troubles] == ["synthesise"]


class Tired(BagOfWordsEmbedder):
    """Takes one question, and no imagined answers."""

    def query(self, text: str) -> NDArray[np.float32]:
        if text.startswith("I "):
            raise ProviderError("It asks for patience.")
        return super().query(text)


def test_imagined_answers_that_cannot_be_embedded_are_gone_without() -> None:
    models = Models({"expand": Chain("expand", [ScriptedLlm("I sold it.")])})
    embedder = Tired(dimension=512)
    answer = asker(models=models, embedder=embedder).ask(Question("ann", "why did she sell the boat"))
    assert isinstance(answer, Answer)
    assert (answer.clip, answer.making.rewrites) == (answered("why did she sell the boat").clip, ())


def test_a_follow_up_is_understood_by_a_model_or_carries_over_what_was_asked_about() -> None:
    history = (Turn("Why did she sell the boat?"),)
    answer = result(helped(text="and when?", history=history, expand="When did she sell the boat?")[0])
    assert answer.making.understood_as == "When did she sell the boat?"
    assert answer.question.text == "and when?"
    alone = result(helped(text="and when did she sell it?", history=history, expand="")[0])
    assert alone.making.understood_as is not None
    assert "boat" in alone.making.understood_as


def test_whoever_goes_away_ends_the_writing() -> None:
    writer = ScriptedLlm(GREAT["synthesise"])
    events = asker(models=Models({"synthesise": Chain("synthesise", [writer])})).stream(
        Question("ann", "why did she sell the boat", mode="synthesis")
    )
    for _ in range(3):
        next(events)
    events.close()
    assert writer.streams[0].closed


def test_as_many_questions_as_a_site_answers_side_by_side_have_their_models_at_once() -> None:
    together = Barrier(2 * AT_ONCE_WITH_MODELS, timeout=5)
    chains = {
        step: Chain(step, [ScriptedLlm(GREAT[step], before=together.wait)])  # type: ignore[arg-type]  # a Step each
        for step in ("expand", "classify")
    }
    questions = asker(models=Models(chains, hurry=8.0))
    asked = Question("ann", "why did she sell the boat", mode="auto")
    with closing(questions), ThreadPoolExecutor(AT_ONCE_WITH_MODELS) as threads:
        answers = list(threads.map(lambda _: questions.ask(asked), range(AT_ONCE_WITH_MODELS)))
    assert all(answer.making.rewrites and answer.making.mode == "clip" for answer in answers)
