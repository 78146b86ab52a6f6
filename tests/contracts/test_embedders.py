"""What every embedder promises, bundled, from a folder, from a server, or a stand-in."""

from __future__ import annotations

import json
import random
import threading
import unicodedata
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from sentencepiece import SentencePieceProcessor

from qandai.adapters.e5 import E5, Pieces
from qandai.adapters.encoder import BATCH
from qandai.adapters.minilm import MiniLm
from qandai.adapters.onnx import OnnxFolder
from qandai.adapters.openai_embeddings import OpenAiEmbedder
from qandai.ports import Embedder
from qandai.text import word_places
from tests.fakes import BagOfWordsEmbedder

TEXTS = (
    "So I sold the shop and moved to the coast.",
    "Yes.",
    "",
    "Then, after a long while in which nothing of note happened to anybody, we opened a second one. " * 14,
    "Η θάλασσα είναι ήρεμη.",
    "I sold my business and went to live by the sea.",
    "The recipe wants three eggs and a little flour.",
)


class _Answers(BaseHTTPRequestHandler):
    """A server that speaks the interface, over bags of words."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        vectors = BagOfWordsEmbedder(dimension=32).passages(body["input"]) * 3  # not of length 1
        rows = [{"object": "embedding", "index": at, "embedding": row.tolist()} for at, row in enumerate(vectors)]
        reply = json.dumps({"object": "list", "data": rows[::-1], "model": body["model"]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as http:
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}/v1"
        http.shutdown()


@pytest.fixture(scope="module")
def models(kept: Path) -> Path:
    MiniLm(kept / "models").query("builds the folder")
    return kept / "models"


@pytest.fixture(scope="module", params=["bag of words", "minilm", "e5", "onnx", "openai"])
def embedder(request: pytest.FixtureRequest, models: Path, server: str) -> Embedder:
    kinds: dict[str, Callable[[], Embedder]] = {
        "bag of words": BagOfWordsEmbedder,
        "minilm": lambda: MiniLm(models),
        "e5": lambda: E5(models),
        "onnx": lambda: OnnxFolder(next(models.glob("minilm-????????"))),
        "openai": lambda: OpenAiEmbedder("some-model", base_url=server, key="sk-test"),
    }
    return kinds[request.param]()


@pytest.mark.model
def test_a_vector_a_text_of_the_announced_length_and_of_length_one(embedder: Embedder) -> None:
    vectors = embedder.passages(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


@pytest.mark.model
def test_a_vector_never_depends_on_its_batch_mates(embedder: Embedder) -> None:
    together = embedder.passages(TEXTS)
    alone = np.concatenate([embedder.passages([text]) for text in TEXTS])
    shuffled = embedder.passages(TEXTS[::-1])[::-1]
    assert np.abs(together - alone).max() <= 1e-6
    assert np.abs(together - shuffled).max() <= 1e-6


@pytest.mark.model
@pytest.mark.parametrize("bundled", [MiniLm, E5])
def test_a_vector_is_the_same_to_the_bit_however_many_threads_embed(
    models: Path, bundled: type[MiniLm] | type[E5]
) -> None:
    texts = [f"{text[:200]} {at}" for at in range(10) for text in TEXTS]
    by_one = bundled(models, threads=1).passages(texts)
    assert len(texts) > 8 * BATCH
    assert np.array_equal(by_one, bundled(models, threads=3).passages(texts))


@pytest.mark.model
def test_like_texts_are_nearer_than_unlike_ones(embedder: Embedder) -> None:
    near, far = embedder.passages([TEXTS[5], TEXTS[6]]) @ embedder.query(TEXTS[0])
    assert near > far + 0.1


@pytest.mark.model
def test_what_is_read_word_by_word_has_the_vector_of_the_whole(embedder: Embedder) -> None:
    texts = [*TEXTS, "", " well  \u200b  then "]
    read = embedder.read_passages(texts)
    assert np.abs(np.stack([reading.vector for reading in read]) - embedder.passages(texts)).max() <= 1e-6
    assert np.abs(embedder.read_query(TEXTS[0]).vector - embedder.query(TEXTS[0])).max() <= 1e-6
    for text, reading in zip(texts, read, strict=True):
        count = max(1, len(word_places(text)))
        assert reading.words.shape == (count if embedder.tells_words else 0, embedder.dimension)
        assert np.linalg.norm(reading.words, axis=1) == pytest.approx(1, abs=1e-5)


@pytest.mark.model
@pytest.mark.parametrize("bundled", [MiniLm, E5])
def test_a_word_is_nearest_to_itself_in_another_sentence(models: Path, bundled: type[MiniLm] | type[E5]) -> None:
    said, asked = "My grandfather built boats out of oak.", "who wanted boats then"
    embedder = bundled(models)
    boats = embedder.read_query(asked).words[asked.split().index("boats")]
    words = embedder.read_passages([said])[0].words
    assert said.split()[int((words @ boats).argmax())] == "boats"


@pytest.mark.model
@pytest.mark.parametrize("bundled", [MiniLm, E5])
def test_words_beyond_what_is_read_are_as_the_text_on_the_whole(models: Path, bundled: type[MiniLm] | type[E5]) -> None:
    (reading,) = bundled(models).read_passages(["bread and boats " * 300])
    assert len(reading.words) == 900
    assert np.array_equal(reading.words[-1], reading.words[-2])
    assert not np.array_equal(reading.words[0], reading.words[1])


@pytest.mark.model
@pytest.mark.parametrize("bundled", [MiniLm, E5])
def test_a_word_is_read_without_the_marks_and_the_words_that_are_written_to_it(
    models: Path, bundled: type[MiniLm] | type[E5]
) -> None:
    embedder = bundled(models)
    said, plain = "L'argent, c'est «utile»!", "argent"
    words = embedder.read_passages([said])[0].words
    assert [said[first:last] for first, last in word_places(said)] == ["L", "argent", "c", "est", "utile"]
    assert int((words @ embedder.read_query(plain).words[0]).argmax()) == 1


@pytest.mark.model
@pytest.mark.parametrize(
    ("before", "least"),
    [
        ("Well… so… yeah… um…", 1.0),
        ("½ ½ ½ ½", 0.9),
        (unicodedata.normalize("NFD", "déjà été créé à côté"), 0.9),
        ("ﬁnd ﬁve ﬁne ﬁsh", 0.9),
        ("a¨b ¨ c ¨¨ d", 0.9),
        (unicodedata.normalize("NFD", "우리는 배를 만들었다"), 0.9),
    ],
)
def test_a_word_finds_itself_behind_letters_that_unicode_forms_anew(models: Path, before: str, least: float) -> None:
    said = "well I think my grandfather built the boats out of oak and then we sold all the bread in the harbour"
    plain, behind = (reading.words for reading in E5(models).read_passages([said, f"{before} {said}"]))
    found = (behind[-len(plain) :] @ plain.T).argmax(axis=1)
    assert np.mean(found == np.arange(len(plain))) >= least


@pytest.mark.model
def test_a_token_stands_where_the_text_has_it(models: Path) -> None:
    E5(models).query("builds the folder")
    path = next(models.glob("e5-????????")) / "pieces.model"
    pieces, processor = Pieces(path), SentencePieceProcessor(model_file=str(path))
    rng = random.Random(1)
    odd = "ab é½…ﬁ¨´ﷺ\u0301\u0323\u0308 \u00a0\u3000\t\u200b\u00ad" + "ᄒ\u1161\u11ab한ㄱᅡｶﾞﾟ\u0dd9\u0dcf\u0dca😀"
    for _ in range(2_000):
        text = "".join(rng.choices(odd, k=rng.randrange(12)))
        tokens = processor.encode(unicodedata.normalize("NFKC", text), out_type=str)
        places = pieces.places([text])[0]
        assert len(places) == len(pieces([text])[0]) == len(tokens) + 2
        assert (places[0], places[-1]) == ((0, 0), (0, 0))
        begins, ends = [first for first, _ in places[1:-1]], [last for _, last in places[1:-1]]
        assert (begins, ends) == (sorted(begins), sorted(ends))
        for token, (first, last) in zip(tokens, places[1:-1], strict=True):
            stretch = unicodedata.normalize("NFKC", text[first:last]).replace(" ", "")
            assert token.replace("▁", "") in stretch, (text, token)


@pytest.mark.model
@pytest.mark.parametrize("text", ["so… " * 600, "½" * 600])
def test_tokens_have_places_as_far_as_they_are_read(models: Path, text: str) -> None:
    E5(models).query("builds the folder")
    pieces = Pieces(next(models.glob("e5-????????")) / "pieces.model")
    assert len(pieces.places([text])[0]) == len(pieces([text])[0]) == 512


@pytest.mark.model
def test_words_of_unlike_sentences_are_far_from_each_other(models: Path) -> None:
    boats, eggs, rent = (
        reading.words
        for reading in E5(models).read_passages(
            [
                "my grandfather built the boats out of oak and sold them in the harbour",
                "the recipe wants three eggs, warm milk and a little flour from yesterday",
                "nobody had told us what the court would decide about our rent",
            ]
        )
    )
    # 0.62 to 0.67 where what all words have in common is left on.
    assert max(np.mean(boats @ eggs.T), np.mean(boats @ rent.T), np.mean(eggs @ rent.T)) < 0.3


@pytest.mark.model
def test_a_folder_whose_graph_gives_the_states_of_tokens_tells_words(models: Path) -> None:
    embedder = OnnxFolder(next(models.glob("minilm-????????")))
    asked = "who wanted boats then"
    words = embedder.read_query(asked).words
    assert words.shape == (4, embedder.dimension)
    assert np.abs(words - MiniLm(models).read_query(asked).words).max() <= 1e-5


@pytest.mark.model
def test_no_texts_make_no_vectors(embedder: Embedder) -> None:
    assert embedder.passages([]).shape == (0, embedder.dimension)


@pytest.mark.model
def test_it_says_how_many_texts_it_does_not_read_to_the_end(embedder: Embedder) -> None:
    assert embedder.overlong([]) == 0
    assert embedder.overlong(["Yes.", "", "So I sold the shop and moved to the coast."]) == 0
    found = embedder.overlong(["so it goes " * 400, "Yes.", "and on " * 600])
    assert found == (0 if isinstance(embedder, OpenAiEmbedder) else 2)


@pytest.mark.model
@pytest.mark.parametrize(("bundled", "most"), [(MiniLm, 256), (E5, 512)])
def test_its_own_tokens_count(models: Path, bundled: type[MiniLm] | type[E5], most: int) -> None:
    embedder = bundled(models)
    marks = 2 if bundled is MiniLm else 4  # e5 reads the word passage and a colon before each
    fits = "sea " * (most - marks)
    assert (embedder.overlong([fits]), embedder.overlong([f"{fits}sea"])) == (0, 1)
    assert embedder.overlong(["θάλασσα " * 60]) == (1 if bundled is MiniLm else 0)


@pytest.mark.model
def test_it_has_a_name_and_a_calibration(embedder: Embedder) -> None:
    assert embedder.model
    assert 0 < embedder.calibration.floor < 1


@pytest.mark.model
@pytest.mark.parametrize("bundled", [MiniLm, E5])
def test_a_word_is_known_and_a_slip_of_the_fingers_is_not(models: Path, bundled: type[MiniLm] | type[E5]) -> None:
    embedder = bundled(models)
    assert all(embedder.knows(word) for word in ("question", "answer", "summer"))
    assert not any(embedder.knows(word) for word in ("quesiton", "ansswer", "sumner ship", ""))


@pytest.mark.model
def test_threads_may_share_it(embedder: Embedder) -> None:
    expected = embedder.query(TEXTS[0])
    found: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: found.append(embedder.query(TEXTS[0]))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert all(np.abs(vector - expected).max() <= 1e-6 for vector in found)
