"""What the index holds of what was ingested: the living, once, corrected, and only what the person said."""

from __future__ import annotations

from pathlib import Path

from qandai.adapters.ledgers import LedgerFiles
from qandai.adapters.transcripts import TranscriptFiles
from qandai.ingest.searchable import Searchable
from qandai.model import Person
from qandai.origins import Entry
from tests.archive import Archive, texts, topical
from tests.build import talk
from tests.fakes import MemoryPeople


class Home:
    def __init__(self, folder: Path, person: Person | None = None) -> None:
        self.folder = folder
        self.files = TranscriptFiles(folder / "transcripts")
        self.ledgers = LedgerFiles(folder / "transcripts", folder / "locks")
        self.archive = Archive(folder / "store")
        self.people = MemoryPeople(person or Person("ann", "Ann"))

    def index(self) -> set[str]:
        searchable = Searchable(self.files, self.ledgers, self.people)
        report = self.archive.indexer(transcripts=searchable, people=self.people).index("ann")
        assert not report.failed
        return set(self.archive.read(lambda shelf: dict(shelf.videos)))


def test_the_dead_leave_the_search_keep_their_transcript_and_come_back(tmp_path: Path) -> None:
    home = Home(tmp_path)
    for number, video_id in enumerate(("one", "two", "copy")):
        home.files.write("ann", topical(video_id, start=20 * number))
    assert home.index() == {"one", "two", "copy"}
    entries = {
        "one": Entry("one", "dead", "youtube", reason="removed"),
        "copy": Entry("copy", "skipped", "youtube", reason="the same as two (A talk)"),
    }
    home.ledgers.write("ann", entries)
    assert home.index() == {"two"}
    assert set(home.files.ids("ann")) == {"one", "two", "copy"}
    home.ledgers.write("ann", {**entries, "one": Entry("one", "transcribed", "youtube")})
    assert home.index() == {"one", "two"}


def test_no_passage_holds_or_bridges_what_an_editor_took_out(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.files.write("ann", talk("one", "We begin with sails.", "A word from our sponsor.", "Now to the anchors."))
    home.index()
    assert "sponsor" in " ".join(home.archive.read(texts))
    start = next(word.start for word in home.files.read("ann", "one").words if word.text == "A")
    edits = tmp_path / "transcripts/ann/one.edits.yaml"
    edits.write_text(f"not_this_person: [{{start: {start}, end: {start + 2}}}]\n")
    home.index()
    assert home.archive.read(texts) == ("We begin with sails.", "Now to the anchors.")


def test_a_host_named_later_is_known_after_the_next_index(tmp_path: Path) -> None:
    heard = talk("one", "Why sails?", "Because of the wind, as everybody knows.")
    words = tuple(
        word.__class__(word.text, word.start, word.end, word.exact, n in (0, 2), "CARL" if n < 2 else "SMITH")
        for n, word in enumerate(heard.words)
    )
    home = Home(tmp_path, Person("ann", "Ann Smith"))
    home.files.write("ann", heard.__class__(heard.video, words, segments=heard.segments))

    def speakers() -> set[str | None]:
        home.index()
        return home.archive.read(lambda shelf: {w.speaker for leaf in shelf.read([0]) for w in leaf.passage.words})

    assert speakers() == {"CARL", "Ann Smith"}
    home.people = MemoryPeople(Person("ann", "Ann Smith", host="Carl Jung"))
    assert speakers() == {"Carl Jung", "Ann Smith"}
