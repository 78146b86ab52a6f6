"""Person files on disk: what is refused, and how it is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qandai.adapters.people import YamlPeople, read_person, schema, slug_fault, slug_of
from qandai.errors import PersonFileError, UnknownPerson

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


def test_the_committed_schema_is_the_readers() -> None:
    committed = json.loads((ROOT / "people" / "schema.json").read_text(encoding="utf-8"))
    assert committed == schema(), "run: python scripts/write_docs.py"
