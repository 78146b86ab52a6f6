"""Which caption tracks are taken for a video's own speech."""

from __future__ import annotations

from qandai.ingest.choice import choose
from qandai.origins import Track


def hand(key: str, language: str | None = None) -> Track:
    return Track(key, language or key, f"https://x.test/{key}", by_hand=True)


def heard(language: str) -> Track:
    return Track(f"{language}-orig", language, f"https://x.test/a-{language}", original=True)


def translation(language: str) -> Track:
    return Track(language, language, f"https://x.test/t-{language}", translated=True)


def test_hand_made_captions_of_any_region_go_onto_the_automatic_ones() -> None:
    choice = choose([hand("en-GB"), heard("en")], language="en")
    assert choice.by_hand
    assert choice.by_hand.key == "en-GB"
    assert choice.automatic
    assert choice.spoken == "en"


def test_regions_tie_by_config_then_by_the_default_audio() -> None:
    tracks = [hand("pt-BR"), hand("pt-PT")]
    assert choose(tracks, language="pt", region="pt-PT").by_hand == tracks[1]
    assert choose(tracks, language="pt", spoken="pt-PT").by_hand == tracks[1]
    assert choose(tracks, language="pt", region="pt-BR", spoken="pt-PT").by_hand == tracks[0]
    assert choose(tracks, language="pt").note == "pt-BR of pt-BR, pt-PT"


def test_a_translation_is_never_taken() -> None:
    choice = choose([translation("en"), heard("ru"), translation("de")], language="en")
    assert choice.automatic == heard("ru")
    assert choice.by_hand is None
    assert choice.spoken == "ru"
    assert choice.note == "spoken in ru"
    assert choose([translation("en")], language="en").automatic is None


def test_hand_made_captions_in_another_language_than_the_speech_are_a_translation() -> None:
    choice = choose([hand("en"), heard("ru"), hand("ru")], language="en")
    assert choice.by_hand == hand("ru")


def test_of_dubbed_audio_the_default_one_is_the_original() -> None:
    tracks = [heard("es"), heard("en"), heard("de")]
    assert choose(tracks, language="en", spoken="de").automatic == heard("de")
    assert choose(tracks, language="en").automatic == heard("en")
    assert choose(tracks, language="fr").automatic == heard("es")


def test_what_nobody_made_by_hand_nor_heard_is_left_alone() -> None:
    copy_of_a_manual_track = Track("el-el", "el", "https://x.test/el")
    choice = choose([copy_of_a_manual_track], language="el")
    assert choice.automatic is None
    assert choice.by_hand is None
    assert choice.note == "no captions"


def test_only_other_languages_are_named() -> None:
    choice = choose([hand("de"), hand("fr")], language="en")
    assert choice.by_hand is None
    assert choice.note == "captions only in de, fr"
