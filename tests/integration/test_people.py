"""Person files on disk: what is refused, and how it is said."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from click.testing import CliRunner

from qandai.adapters.people import YamlPeople
from qandai.adapters.person_file import read_person
from qandai.adapters.person_form import SOURCE_KEYS, schema
from qandai.adapters.slugs import slug_fault, slug_of
from qandai.cli.people import command as people_command
from qandai.errors import PersonFileError, UnknownPerson
from qandai.settings import Settings

ROOT = Path(__file__).parents[2]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(PersonFileError) as caught:
        read_person(path)
    return str(caught.value)


def test_a_name_is_enough(tmp_path: Path) -> None:
    person = read_person(write(tmp_path, "ada.yaml", "name: Ada Byron\n"))
    assert (person.slug, person.name, person.language) == ("ada", "Ada Byron", "en")


def test_every_problem_is_named_with_its_line_and_the_nearest_key(tmp_path: Path) -> None:
    said = refusal(
        write(
            tmp_path,
            "ada.yaml",
            "name: Ada\nlangage: en\nsources:\n  - audio: /etc\n  - youtube: https://www.youtube.com/@ada\n"
            "  - feed: ftp://x.org/f\n  - youtube_ids: [short]\nspeaker: choir\n",
        )
    )
    assert "people/ada.yaml:2: unknown key 'langage'; did you mean 'language'?" in said
    assert "people/ada.yaml:4: sources.0.audio: must be a folder below the home" in said
    assert "people/ada.yaml:5: sources.1.youtube: must name a tab of the channel" in said
    assert "people/ada.yaml:6: sources.2.feed: must be an http(s) address" in said
    assert "people/ada.yaml:7: sources.3.youtube_ids.0" in said
    assert "people/ada.yaml:8: speaker" in said


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tagline: no name\n", ":1: name is missing"),
        ("name: [\n", "not YAML"),
        ("- name\n", "must be a mapping"),
        ("", "must be a mapping"),
        ("name: A\nname: B\n", ":2: the key 'name' stands here again (first on line 1)"),
        ("name: A\nsources: [{audio: a, feed: 'https://x.org'}]\n", "exactly one of"),
        ("name: A\nportrait: ../../etc/passwd\n", ":2: portrait"),
        ("name: A\nembedding: word2vec\n", ":2: embedding"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, text: str, reason: str) -> None:
    assert reason in refusal(write(tmp_path, "a.yaml", text))


@pytest.mark.parametrize(
    "text",
    [
        "name: !!python/object/apply:os.getcwd []\n",
        "name: A\nvocabulary: &v [a]\nsuggested_questions: *v\n",
        "name: A\nvocabulary: " + "[" * 5000 + "]" * 5000,
        "name: 'a\x00b'\n",
    ],
)
def test_hostile_yaml_is_refused(tmp_path: Path, text: str) -> None:
    assert "not YAML" in refusal(write(tmp_path, "a.yaml", text))


def test_slugs_are_lower_case_letters_of_any_script() -> None:
    assert slug_of("Ο Οδηγός") == "ο-οδηγός"
    assert slug_of("Bo!") == "bo"
    assert slug_fault("ο-οδηγός") is None
    assert slug_fault("bo") is None
    for bad in ("", "Bo", "-bo", "b/o", "b o", "api", "x" * 65):
        assert slug_fault(bad), bad


def test_one_broken_file_does_not_hide_the_others(tmp_path: Path) -> None:
    write(tmp_path, "good.yaml", "name: Good\n")
    write(tmp_path, "bad.yaml", "nome: Bad\n")
    people = YamlPeople(tmp_path)
    assert people.slugs() == ("bad", "good")
    assert people.get("good").name == "Good"
    with pytest.raises(UnknownPerson, match="good"):
        people.get("nobody")


LATER = 10**19
"""Nanoseconds: long after any file of a test was written."""


def test_a_file_is_parsed_once_and_again_as_soon_as_it_changes(tmp_path: Path) -> None:
    path = write(tmp_path, "ada.yaml", "name: Ada\n")
    people = YamlPeople(tmp_path, now=lambda: LATER)
    first = people.get("ada")
    assert people.get("ada") is first
    before = path.stat()
    write(tmp_path, "ada.yaml", "name: Eva\n")  # as long as before
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert people.get("ada").name == "Eva"
    write(tmp_path, "ada.yaml", "nome: Eva\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 2))
    for _ in range(2):
        with pytest.raises(PersonFileError, match="did you mean 'name'"):
            people.get("ada")
    path.unlink()
    with pytest.raises(UnknownPerson):
        people.get("ada")


def test_a_file_that_changed_just_now_is_not_remembered(tmp_path: Path) -> None:
    path = write(tmp_path, "ada.yaml", "name: Ada\n")
    stamp = path.stat()
    people = YamlPeople(tmp_path, now=lambda: stamp.st_mtime_ns + 1)
    assert people.get("ada").name == "Ada"
    write(tmp_path, "ada.yaml", "name: Eva\n")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # within the same tick
    assert people.get("ada").name == "Eva"


def test_threads_see_whole_files_whoever_writes_them(tmp_path: Path) -> None:
    path = write(tmp_path, "ada.yaml", "name: '0'\ntagline: '0'\n")
    people = YamlPeople(tmp_path, now=lambda: LATER)
    stop = Event()

    def read() -> list[int]:
        seen: list[int] = []
        while not stop.is_set():
            person = people.get("ada")
            assert person.name == person.tagline
            seen.append(int(person.name))
        return seen

    with ThreadPoolExecutor(3) as threads:
        readers = [threads.submit(read) for _ in range(3)]
        for n in range(1, 60):
            written = write(tmp_path, "next", f"name: '{n}'\ntagline: '{n}'\n")
            os.utime(written, ns=(n, n))
            written.replace(path)
            assert people.get("ada").name == str(n)
        stop.set()
    for reader in readers:
        assert reader.result() == sorted(reader.result())


def test_a_new_person_s_file_is_accepted_as_it_is_and_with_every_line_of_it_in_use(tmp_path: Path) -> None:
    settings = Settings.read({"QANDAI_HOME": str(tmp_path)})
    done = CliRunner().invoke(people_command, ["new", 'Ada "Countess" Lovelace'], obj=settings)
    assert done.exit_code == 0, done.output
    path = tmp_path / "people" / "ada-countess-lovelace.yaml"
    assert read_person(path).name == 'Ada "Countess" Lovelace'
    assert json.loads((tmp_path / "people" / "schema.json").read_text(encoding="utf-8")) == schema()
    head, _, rest = path.read_text(encoding="utf-8").partition("\n\n")
    path.write_text(head + "\n" + rest.replace("# ", "", 1).replace("\n# ", "\n"), encoding="utf-8")
    person = read_person(path)
    assert [source.kind for source in person.sources] == ["audio", "youtube", "feed"]
    assert (person.speaker, person.portrait) == ("interview", "ada-countess-lovelace.jpg")
    again = CliRunner().invoke(people_command, ["new", "Ada Countess Lovelace"], obj=settings)
    assert "is there already" in str(again.exception)


def test_the_person_file_in_the_documents_is_accepted(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "adding-a-person.md").read_text(encoding="utf-8")
    block = text.split("```yaml\n")[1].split("```")[0]
    assert {source.kind for source in read_person(write(tmp_path, "ada.yaml", block)).sources} == set(SOURCE_KEYS)


def test_the_committed_schema_is_the_readers() -> None:
    committed = json.loads((ROOT / "people" / "schema.json").read_text(encoding="utf-8"))
    assert committed == schema(), "run: python scripts/write_docs.py"
