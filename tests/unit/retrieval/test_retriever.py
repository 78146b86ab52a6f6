from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.shelf import MemoryShelf
from qandai.ensemble import join
from qandai.model import Filters, Hit, Query, Row, Video
from qandai.ports import Inside, Leaf, Reading
from qandai.retrieval.excerpts import HOLE
from qandai.retrieval.likeness import Likeness
from qandai.retrieval.ranker import Ranker
from qandai.retrieval.ranking import Ranking
from qandai.retrieval.retriever import EmbeddedQuery, Retriever
from qandai.retrieval.searcher import Searcher, passes, window
from tests.build import row, said, shelf
from tests.fakes import BagOfWordsEmbedder, SharedWordsReranker

EMBEDDER = BagOfWordsEmbedder(dimension=512)
SENTENCES = (
    "We moved the whole bakery to the harbour in March.",
    "Sourdough wants a cold night and a warm morning.",
    "My grandfather built boats out of oak and larch.",
    "The ferry stops running when the ice gets thick.",
    "Nobody believed that the lighthouse would be sold.",
    "I learned to swim only after I was forty.",
)
ALL = Ranking(copies=None)  # the archive says everything several times, each time in another order
RETRIEVER = Retriever(ALL)  # works out an archive once, however often it is searched
CHANNELS = ("Harbour radio", "Town hall")


@cache
def archive(videos: int = 4) -> MemoryShelf:
    rows = []
    for number in range(videos):
        video = Video(f"v{number}", f"Talk {number}", channel=CHANNELS[number % 2], published=f"202{number}-05-01")
        rows.append(row(" ".join(SENTENCES[number:] + SENTENCES[:number]), video=video))
    return shelf(*rows, embedder=EMBEDDER, chars=60)


def asked(text: str) -> EmbeddedQuery:
    return EmbeddedQuery(Query(text), (EMBEDDER.read_query(text),))


def hits(held: MemoryShelf, text: str, *, count: int = 100, filters: Filters | None = None) -> tuple[Hit, ...]:
    return RETRIEVER.search(held, asked(text), filters).hits(count=count)


def test_the_passage_that_says_it_comes_first() -> None:
    held = archive()
    best = hits(held, "who built boats out of oak?")[0]
    assert "grandfather built boats" in held.texts[best.index]
    assert (best.rank, best.cosine > 0.3) == (1, True)


def test_asking_for_more_than_there_is_gives_what_there_is() -> None:
    held = archive(1)
    assert len(hits(held, "ferry", count=1000)) == len(held.places)
    assert hits(held, "ferry", count=0) == ()


def test_an_empty_shelf_has_no_hits_and_no_excerpts() -> None:
    held = MemoryShelf((), np.zeros((0, 512), np.float32))
    assert hits(held, "ferry") == ()
    assert Retriever().search(held, asked("ferry")).excerpts(()) == ()


FILTERS = st.builds(
    Filters,
    videos=st.sets(st.sampled_from(["v0", "v1", "v2", "v3", "nowhere"])).map(tuple),
    sources=st.sets(st.sampled_from([*CHANNELS, "Nobody"])).map(tuple),
    since=st.none() | st.sampled_from(["2020-01-01", "2021-05-01", "2022-05-02"]),
    until=st.none() | st.sampled_from(["2020", "2021-05", "2022-05-01", "2019-12-31"]),
)


@given(FILTERS, st.sampled_from(["oak boats", "a cold night", "ice", "zeppelin"]))
def test_a_filter_gives_the_exact_search_less_what_it_leaves_out(filters: Filters, text: str) -> None:
    held = archive()
    unfiltered = [
        hit.index for hit in hits(held, text) if passes(held.videos[held.places[hit.index].video_id], filters)
    ]
    assert [hit.index for hit in hits(held, text, filters=filters)] == unfiltered


def test_a_year_as_the_last_day_takes_in_all_of_it() -> None:
    video = Video("v", "Talk", published="2020-12-31")
    assert passes(video, Filters(until="2020"))
    assert not passes(video, Filters(until="2020-11"))
    assert not passes(Video("v", "Talk"), Filters(until="2020"))


@given(st.sampled_from(["oak boats", "a cold night", "who learned to swim"]))
def test_several_queries_lose_no_hit_of_any(text: str) -> None:
    held = archive()
    search = RETRIEVER.search(held, asked(text)).also((asked("the lighthouse was sold"),))
    found = {hit.index for hit in search.hits(count=100)}
    assert found == set(range(len(held.places)))


def test_one_signal_alone_ranks_by_it() -> None:
    held = archive()
    cosines = held.vectors @ EMBEDDER.query("oak")
    only = Retriever(replace(ALL, fusion="vectors")).search(held, asked("oak")).hits(count=3)
    assert [hit.index for hit in only] == np.argsort(-cosines, kind="stable")[:3].tolist()


def test_a_searcher_is_made_anew_for_a_newer_shelf_of_the_same_person() -> None:
    retriever = Retriever()
    old, new = archive(1), shelf(row("Bees sleep in winter."), embedder=EMBEDDER)
    retriever.search(old, asked("bees")).hits(count=1)
    assert [hit.index for hit in retriever.search(new, asked("bees")).hits(count=9)] == [0]


def test_an_excerpt_is_the_passage_with_its_neighbours_and_the_one_that_follows() -> None:
    held = archive(1)
    retriever = Retriever(Ranking(excerpt_chars=140))
    found = hits(held, "The ferry stops running when the ice gets thick.")[:1]
    (excerpt,) = retriever.search(held, asked("ferry")).excerpts(found)
    assert excerpt.row.whole().text == " ".join(SENTENCES[2:6])
    assert excerpt.passage.text == SENTENCES[3]
    assert [sentence.span.text for sentence in excerpt.sentences] == list(SENTENCES[2:6])
    assert set(excerpt.terms) == {"ferry"}


def test_a_window_never_leaves_its_recording_nor_jumps_over_words_taken_out() -> None:
    video = Video("v0", "Talk")
    first = Row(video, said("One two three."), 0)
    later = Row(video, said("Seven eight nine.", at=90), 7)  # words 3 to 6 are somebody else's
    held = shelf(first, later, row("Another talk.", video=Video("v1", "Talk")), embedder=EMBEDDER, chars=50)
    assert [window(held.places, held.texts, index, chars=1000) for index in range(3)] == [
        range(0, 1),
        range(1, 2),
        range(2, 3),
    ]


def test_an_excerpt_ends_where_nobody_is_heard_for_long() -> None:
    video = Video("v0", "Talk")
    words = said("One two three.") + said("Seven eight nine.", at=1.5 + HOLE)
    whole = Row(video, words)
    spans = (whole.span(0, 2), whole.span(3, 5))
    vectors = EMBEDDER.passages([span.text for span in spans])
    leaves = [Leaf(span, (span,), vectors[place : place + 1]) for place, span in enumerate(spans)]
    held = MemoryShelf(leaves, vectors)
    (excerpt,) = Retriever().search(held, asked("seven")).excerpts(hits(held, "seven")[:1])
    assert excerpt.row.whole().text == "Seven eight nine."


def test_hits_apart_do_not_lie_in_each_others_excerpts() -> None:
    held = archive(2)
    search = Retriever(Ranking(excerpt_chars=150)).search(held, asked("the ferry and the ice"))
    found = search.hits(count=100)
    kept = search.apart(found, count=5)
    windows = [window(held.places, held.texts, hit.index, chars=150) for hit in kept]
    for place, hit in enumerate(kept):
        assert all(hit.index not in better for better in windows[:place])
    assert kept[0] == found[0]


def test_what_chance_explains_grows_with_the_number_of_passages() -> None:
    searcher = Searcher(archive(), width=512)
    assert searcher.chance(1000) == 0
    assert searcher.chance(30_000) > searcher.chance(3_000) > 0
    assert searcher.chance(30) == 0
    assert searcher.chance(0) == 0
    assert searcher.meant_by_chance(1000) == searcher.meant_by_chance(0) == 0
    assert searcher.meant_by_chance(30_000) > searcher.meant_by_chance(3_000) > 0


def test_the_nearest_sentence_of_a_passage_counts_in_place_of_the_whole() -> None:
    held = shelf(
        row("Bees sleep. My grandfather built boats. Rain fell.", video=Video("v0", "Talk")),
        row("Boats sleep and bees fell and rain built a grandfather.", video=Video("v1", "Talk")),
        embedder=EMBEDDER,
    )
    by_sentence = Ranking(ranker=Ranker({"sentence": 1.0}))
    best, other = Retriever(by_sentence).search(held, asked("grandfather built boats")).hits(count=2)
    assert held.texts[best.index].startswith("Bees sleep.")
    unread = Ranking(ranker=Ranker({"vectors": 1.0}))
    assert best.score > Retriever(unread).search(held, asked("grandfather built boats")).hits(count=2)[0].score
    assert other.score < best.score


def test_two_models_side_by_side_find_what_either_finds() -> None:
    other = BagOfWordsEmbedder(dimension=64)
    first = shelf(row(" ".join(SENTENCES)), embedder=EMBEDDER, chars=60)
    second = shelf(row(" ".join(SENTENCES)), embedder=other, chars=60)
    leaves = [
        Leaf(one.passage, one.sentences, join([one.vectors, two.vectors]))
        for one, two in zip(first.leaves, second.leaves, strict=True)
    ]
    held = MemoryShelf(leaves, join([first.vectors, second.vectors]))
    text = "the lighthouse was sold"
    query = EmbeddedQuery(Query(text), (EMBEDDER.read_query(text), other.read_query(text)))
    best = Retriever().search(held, query).hits(count=1)[0]
    assert held.texts[best.index] == "Nobody believed that the lighthouse would be sold."
    assert best.cosine == pytest.approx(float(first.vectors[best.index] @ query.vectors[0]), abs=1e-5)


BY_WORDS = Retriever(Ranking(ranker=Ranker({"words": 1.0})))


def test_who_holds_more_of_the_words_comes_first_however_much_else_is_said() -> None:
    held = shelf(
        row("Boats sink.", video=Video("v0", "Talk")),
        row("My grandfather lived by the sea and built them, boats of oak and of larch.", video=Video("v1", "Talk")),
        *(row(sentence, video=Video(f"w{at}", "Talk")) for at, sentence in enumerate(SENTENCES[:2])),
        embedder=EMBEDDER,
    )
    by_vectors = Retriever(Ranking(ranker=Ranker({"vectors": 1.0})))
    short, long = "Boats sink.", "My grandfather lived by the sea and built them, boats of oak and of larch."
    assert held.texts[by_vectors.search(held, asked("oak boats")).hits(count=1)[0].index] == short
    assert held.texts[BY_WORDS.search(held, asked("oak boats")).hits(count=1)[0].index] == long


def test_without_words_of_its_own_the_whole_passage_stands_in() -> None:
    held = archive(1)
    bare = MemoryShelf([replace(leaf, signs=np.zeros((0, 0), np.uint8)) for leaf in held.leaves], held.vectors)
    found = BY_WORDS.search(bare, asked("oak boats")).hits(count=10)
    by_vectors = Retriever(Ranking(ranker=Ranker({"vectors": 1.0}))).search(bare, asked("oak boats")).hits(count=10)
    assert found == by_vectors
    mute = EmbeddedQuery(Query("oak"), (Reading(EMBEDDER.query("oak"), np.zeros((0, 512), np.float32)),))
    assert [hit.index for hit in BY_WORDS.search(held, mute).hits(count=3)] == [
        hit.index for hit in Retriever(Ranking(ranker=Ranker({"vectors": 1.0}))).search(held, mute).hits(count=3)
    ]


def test_an_excerpt_says_how_much_of_the_question_is_meant_in_it_and_around() -> None:
    held = shelf(
        *(row(sentence, video=Video(f"v{at}", "Talk")) for at, sentence in enumerate(SENTENCES)), embedder=EMBEDDER
    )

    def meant(text: str) -> list[float | None]:
        search = RETRIEVER.search(held, asked(text))
        return [excerpt.meant for excerpt in search.excerpts(search.hits(count=2))]

    whole, *_ = meant("grandfather built boats")
    half, *_ = meant("grandfather sold bicycles")
    assert whole is not None
    assert half is not None
    assert whole > 0.9 > half
    bare = MemoryShelf([replace(leaf, signs=np.zeros((0, 0), np.uint8)) for leaf in held.leaves], held.vectors)
    search = RETRIEVER.search(bare, asked("grandfather built boats"))
    assert [excerpt.meant for excerpt in search.excerpts(search.hits(count=2))] == [None, None]


def test_of_a_question_in_another_language_more_is_read() -> None:
    read: list[int] = []

    class Watched(MemoryShelf):
        def inside(self, indices: Sequence[int]) -> tuple[Inside, ...]:
            read.append(len(indices))
            return super().inside(indices)

    held = archive(4)
    watched = Watched(held.leaves, held.vectors)
    retriever = Retriever(Ranking(reread=3, reread_across=7))
    retriever.warm(watched, asked("warm"))
    read.clear()
    retriever.search(watched, asked("the lighthouse would be sold")).hits(count=2)
    retriever.search(watched, asked("pourquoi vendre votre vieux phare")).hits(count=2)
    assert read == [3, 7]


class Backwards:
    """Turns every order round."""

    def scores(self, question: str, texts: Sequence[str]) -> np.ndarray:
        return np.arange(len(texts), dtype=np.float32)


def test_a_reranker_orders_the_best_and_leaves_the_others_and_the_scores() -> None:
    held = archive()
    before = hits(held, "oak boats")
    after = Retriever(replace(ALL, rerank=5), Backwards()).search(held, asked("oak boats")).hits(count=100)
    assert [hit.index for hit in after] == [hit.index for hit in [*before[:5][::-1], *before[5:]]]
    assert [(hit.rank, hit.score) for hit in after] == [(hit.rank, hit.score) for hit in before]


def test_a_reranker_reads_as_many_passages_however_few_are_wanted() -> None:
    held = archive()
    reranker = SharedWordsReranker()
    best = Retriever(Ranking(fusion="vectors", rerank=7), reranker).search(held, asked("who built boats")).hits(count=1)
    assert [held.texts[hit.index] for hit in best] == ["My grandfather built boats out of oak and larch."]
    assert len(reranker.read) == 7


def test_a_reranker_reads_only_what_the_filters_let_through() -> None:
    held = archive()
    reranker = SharedWordsReranker()
    retriever = Retriever(Ranking(), reranker)
    found = retriever.search(held, asked("boats"), Filters(videos=("v1",))).hits(count=3)
    assert {held.places[hit.index].video_id for hit in found} == {"v1"}
    assert set(reranker.read) <= set(held.texts)
    assert len(reranker.read) == len(SENTENCES)
    assert retriever.search(held, asked("boats"), Filters(videos=("nowhere",))).hits(count=3) == ()


def twice() -> MemoryShelf:
    """A talk that was published twice, and another."""
    text = " ".join(SENTENCES)
    again = Video("v2", "Talk, the whole of it", channel=CHANNELS[1])
    return shelf(
        row(text, video=Video("v1", "Talk", channel=CHANNELS[0])),
        row(text.replace("larch", "large"), video=again),
        row("The town hall burned down, and boats of oak were all that was left.", video=Video("v3", "Fire")),
        embedder=EMBEDDER,
        chars=60,
    )


@given(st.sampled_from(SENTENCES), st.integers(1, 20))
def test_a_talk_that_was_published_twice_is_found_once(text: str, count: int) -> None:
    held = twice()
    every = RETRIEVER.search(held, asked(text)).hits(count=100)
    found = Retriever().search(held, asked(text)).hits(count=count)
    assert found[0] == every[0]
    assert len(found) == min(count, len(SENTENCES) + 1)
    said = [held.places[hit.index].first for hit in found if held.places[hit.index].video_id != "v3"]
    assert len(said) == len(set(said))


def test_a_copy_that_a_filter_hides_does_not_stand_for_the_one_it_lets_through() -> None:
    held = twice()
    for channel, video in zip(CHANNELS, ("v1", "v2"), strict=True):
        search = Retriever().search(held, asked("boats out of oak"), Filters(sources=(channel,)))
        found = search.hits(count=100)
        assert "grandfather built boats" in held.texts[found[0].index]
        assert [held.places[hit.index].video_id for hit in found] == [video] * len(SENTENCES)


WORDS = (
    "harbour bakery flour oven winter ferry ice boat oak larch lighthouse keeper tax office letter stamp school pupil "
    "exam summer tent river salmon net knot rope sail storm roof tile chimney smoke fire engine coat wool sheep dog"
).split()


@cache
def large() -> MemoryShelf:
    """Six talks of some thirty passages, each of two or three sentences that say something else."""
    chance = Random(5)
    rows = []
    for number in range(6):
        video = Video(f"v{number}", f"Talk {number}", channel=CHANNELS[number % 2], published=f"202{number}-05-01")
        said_here = [f"The {' and the '.join(chance.sample(WORDS, 4))} {number}{at}." for at in range(80)]
        rows.append(row(" ".join(said_here), video=video))
    return shelf(*rows, embedder=EMBEDDER, chars=120)


@cache
def searcher() -> Searcher:
    return Searcher(large(), width=512)


READING = Ranking(ranker=Ranker({"vectors": 0.5, "bm25": 0.3, "near": 0.1, "sentence": 0.6}), copies=None)
READER = Retriever(READING)


def exact(held: MemoryShelf, text: str, filters: Filters) -> list[int]:
    """By the weights of READING, of the passages that a filter lets through and of them alone."""
    likeness = Likeness(held.vectors, (EMBEDDER.query(text),))
    signals = searcher().evidence(text, likeness.passages)
    passing = [at for at, place in enumerate(held.places) if passes(held.videos[place.video_id], filters)]
    scores = dict(zip(passing, READING.fuse({name: every[passing] for name, every in signals.items()}), strict=True))
    for at in sorted(passing, key=lambda at: -scores[at])[: READING.reread]:
        nearest = likeness.of(held.leaves[at].vectors).max()
        scores[at] += READING.ranker.weights["sentence"] * (nearest - signals["sentence"][at])
    return sorted(passing, key=lambda at: -scores[at])


@given(
    st.builds(
        Filters,
        videos=st.sets(st.sampled_from([f"v{number}" for number in range(6)])).map(tuple),
        sources=st.sets(st.sampled_from(CHANNELS)).map(tuple),
        since=st.none() | st.sampled_from(["2021-01-01", "2023-05-01", "2026"]),
        until=st.none() | st.sampled_from(["2024", "2021-05", "2020-01-01"]),
    ),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join),
    st.sampled_from([1, 5, 60]),
)
def test_what_an_exact_search_of_the_filtered_archive_finds_is_found_in_its_order(
    filters: Filters, text: str, count: int
) -> None:
    held = large()
    assert len(held.places) > 3 * READING.reread
    found = READER.search(held, asked(text), filters).hits(count=count)
    assert [hit.index for hit in found] == exact(held, text, filters)[:count]


@pytest.mark.parametrize(("number", "text"), [(0, "the river and the coat"), (3, "chimney"), (5, "sheep dog exam")])
def test_the_best_of_a_single_video_is_found_though_forty_others_are_better(number: int, text: str) -> None:
    held = large()
    found = READER.search(held, asked(text), Filters(videos=(f"v{number}",))).hits(count=100)
    everything = Retriever(replace(READING, reread=1000)).search(held, asked(text)).hits(count=1000)
    assert [hit.index for hit in found] == [
        hit.index for hit in everything if held.places[hit.index].video_id == f"v{number}"
    ]
