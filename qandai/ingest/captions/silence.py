"""What recognisers write where nobody speaks: credits and farewells of the videos that they learned from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from qandai.ingest.captions.draft import Segment
from qandai.model import Gap
from qandai.text import tokens

# Nobody says these; a segment that begins with one or is one is dropped.
_CREDITS = (
    "subtitles by the amara org community", "subtitles by the amara.org community", "transcription by castingwords",
    "sous-titres réalisés para la communauté d'amara.org", "sous-titres réalisés par la communauté d'amara.org",
    "sous-titrage société radio-canada", "untertitel der amara.org-community", "untertitel im auftrag des zdf",
    "untertitelung des zdf", "υπότιτλοι authorwave", "sottotitoli creati dalla comunità amara.org",
    "sottotitoli e revisione a cura di qtss", "subtítulos realizados por la comunidad de amara.org",
    "legendas pela comunidade amara.org", "субтитры сделал dimatorzok", "субтитры создавал dimatorzok",
    "редактор субтитров", "字幕由amara.org社区提供", "字幕志愿者", "napisy stworzone przez społeczność amara.org",
    "ondertitels ingediend door de amara.org gemeenschap",
)  # fmt: skip
# People do say these, so the figures must agree that nobody did.
_FAREWELLS = (
    "thanks for watching", "thank you for watching", "thank you so much for watching", "thank you very much",
    "thank you", "please subscribe", "please subscribe to my channel", "like and subscribe", "see you next time",
    "bye", "bye bye", "you", "i'm sorry", "ευχαριστώ", "ευχαριστώ που παρακολουθήσατε", "merci",
    "merci d'avoir regardé cette vidéo", "gracias por ver el video", "danke fürs zuschauen", "vielen dank",
    "grazie per aver guardato il video", "obrigado por assistir", "продолжение следует", "спасибо за просмотр",
    "ご視聴ありがとうございました", "ご清聴ありがとうございました", "谢谢观看", "謝謝觀看",
)  # fmt: skip
_CREDIT_TOKENS = tuple(map(tokens, _CREDITS))
_FAREWELL_TOKENS = frozenset(map(tokens, _FAREWELLS))
_LONGEST_CREDIT = 30  # tokens


def without(segments: Sequence[Segment]) -> tuple[list[Segment], list[Gap], Counter[str]]:
    """The segments that somebody said, the stretches of the others, and how many words went for which reason."""
    kept: list[Segment] = []
    gaps: list[Gap] = []
    repairs: Counter[str] = Counter()
    for segment in segments:
        reason = _reason(segment)
        if reason is None:
            kept.append(segment)
            continue
        repairs[reason] += len(segment.words)
        start = segment.words[0].start
        gaps.append(Gap(start, max(start, segment.words[-1].end), "silence"))
    return kept, gaps, repairs


def _reason(segment: Segment) -> str | None:
    if segment.invented:
        return "no speech"
    if len(segment.words) > _LONGEST_CREDIT:
        return None
    said = tuple(token for word in segment.words for token in tokens(word.text))
    if any(said[: len(credit)] == credit for credit in _CREDIT_TOKENS):
        return "silence phrases"
    if said in _FAREWELL_TOKENS and (segment.unheard or _has_no_length(segment)):
        return "silence phrases"
    return None


def _has_no_length(segment: Segment) -> bool:
    """All words at one moment: no voice was found to time them by."""
    return len(segment.words) > 1 and segment.words[-1].end <= segment.words[0].start
