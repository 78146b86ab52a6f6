"""Lists of segments: `[{"start", "text", "duration"}]`, `[{"start", "end", "text", "words"?}]`, and the object that
holds one under `segments`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from qandai.errors import TranscriptError
from qandai.ingest.captions import clean, cues
from qandai.ingest.captions.cues import Cue
from qandai.ingest.captions.draft import Draft, Json, Segment, seconds, text_of
from qandai.model import Word
from qandai.words import Entry, Token, fill, glued, joins, split, spread

NAME = "a list of segments"
_LONGEST_TIMED = 8  # characters; more is a sentence, not a word


def fits(document: Json) -> bool:
    return isinstance(document, list) and bool(document) and isinstance(document[0], dict) and _is_segment(document[0])


def read(document: Json) -> Draft:
    assert isinstance(document, list)
    found, repairs = read_segments(document)
    return Draft(found, repairs=dict(repairs))


def read_segments(listed: Sequence[Json]) -> tuple[list[Segment], Counter[str]]:
    """Raises TranscriptError naming the segment that is none."""
    items: list[Mapping[str, Json]] = []
    for number, item in enumerate(listed, start=1):
        if not isinstance(item, dict):
            raise TranscriptError(f"segment {number} is no object but {type(item).__name__}.")
        items.append(item)
    if not any(item.get("words") for item in items):
        return cues.segments([_cue(item) for item in items])
    return _worded(items)


def _is_segment(item: Mapping[str, Json]) -> bool:
    return "start" in item and ("text" in item or "words" in item)


def _cue(item: Mapping[str, Json]) -> Cue:
    start, end, length = (seconds(item.get(key)) for key in ("start", "end", "duration"))
    if end is None and start is not None and length is not None:
        end = start + max(0.0, length)
    return Cue(start, end, text_of(item.get("text")), _speaker(item), not item.get("interpolated"))


def _speaker(item: Mapping[str, Json]) -> str | None:
    return text_of(item.get("speaker")).strip() or None


def _worded(items: Sequence[Mapping[str, Json]]) -> tuple[list[Segment], Counter[str]]:
    found: list[Segment] = []
    repairs: Counter[str] = Counter()
    speaker: str | None = None
    passed = 0.0
    for item in items:
        cue = _cue(item)
        start = passed if cue.start is None else max(0.0, cue.start)
        entries = _entries(item, cue.speaker)
        repairs["untimed words"] += sum(_times(word)[0] is None for word in _listed(item))
        words = fill(entries, start, cue.end if cue.end is None or cue.end >= start else None)
        words, speaker = _with_turns(words, speaker, begun=bool(found))
        if words:
            passed = max(words[-1].start, words[-1].end)
            found.append(_judged(words, item))
    return found, +repairs


def _listed(item: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    words = item.get("words")
    return [word for word in words if isinstance(word, dict)] if isinstance(words, list) else []


def _entries(item: Mapping[str, Json], speaker: str | None) -> list[Entry]:
    """The segment's words, cleaned; where it lists none, those of its text, the first at the segment's start."""
    words = _listed(item)
    if not words:
        tokens = split(clean.said(clean.plain(text_of(item.get("text")))))
        times = [_times(item)[0], *[None] * len(tokens)]
        return [Entry(token, start, None, speaker) for token, start in zip(tokens, times, strict=False)]
    texts = [clean.plain(text_of(word.get("word", word.get("text")))) for word in words]
    text = clean.plain(text_of(item.get("text"))) or ("".join(texts) if any(t[:1].isspace() for t in texts) else "")
    flags = glued([part.strip() for part in texts], text)
    entries: list[Entry] = []
    turn = False
    for word, part, flag in zip(words, texts, flags, strict=True):
        said = clean.said(part.strip(), tagged=True)
        if said == "-" and not entries:  # "- Yes.": a dash at the start of a line is a turn
            turn = True
            continue
        tokens = _as_timed(said)
        if not tokens:
            turn = turn or clean.ends_on_turn(said)
            continue
        tokens[0] = tokens[0]._replace(glued=flag and bool(entries), turn=turn or tokens[0].turn)
        turn = clean.ends_on_turn(said)
        _append(entries, word, tokens, _speaker(word) or speaker)
    return entries


def _as_timed(said: str) -> list[Token]:
    """A recogniser's word of a script without spaces stays whole, because it was timed whole."""
    tokens = split(said)
    if len(tokens) > 1 and len(said) <= _LONGEST_TIMED and all(token.glued for token in tokens[1:]):
        return [Token(said, turn=tokens[0].turn)]
    return tokens


def _append(entries: list[Entry], word: Mapping[str, Json], tokens: Sequence[Token], speaker: str | None) -> None:
    """`word` may hold several words; or only the end of one ("-known", "%"), which then grows."""
    start, end = _times(word)
    first = tokens[0]
    if entries and first.glued and not joins(entries[-1].token.text, first.text):
        before = entries[-1]
        grown = before.token._replace(text=before.token.text + first.text)
        ends = before.end if before.start is None else end
        entries[-1] = before._replace(token=grown, end=ends if ends is not None else before.end)
        entries.extend(Entry(token, None, None, speaker) for token in tokens[1:])
    elif start is None or len(tokens) == 1:
        entries.extend(Entry(token, start, end, speaker) for token in tokens)
    else:
        times = spread([token.text for token in tokens], start, end)
        entries.extend(
            Entry(token, left, right, speaker, exact=number == 0)
            for number, (token, (left, right)) in enumerate(zip(tokens, times, strict=True))
        )


def _times(word: Mapping[str, Json]) -> tuple[float | None, float | None]:
    start, end = seconds(word.get("start")), seconds(word.get("end"))
    return (None, None) if start is None else (max(0.0, start), end)


def _with_turns(words: list[Word], speaker: str | None, *, begun: bool) -> tuple[list[Word], str | None]:
    """The words with a turn wherever the speaker changes, and who spoke last."""
    found: list[Word] = []
    for word in words:
        if word.speaker is not None and word.speaker != speaker:
            if (begun or found) and not word.turn:
                word = Word(word.text, word.start, word.end, word.exact, True, word.speaker, word.glued)
            speaker = word.speaker
        found.append(word)
    return found, speaker


def _judged(words: list[Word], item: Mapping[str, Json]) -> Segment:
    """Whisper's own thresholds: text that compresses too well repeats itself; unsure text where it hears no speech
    was invented."""
    ratio, log_probability, no_speech = (
        seconds(item.get(key)) for key in ("compression_ratio", "avg_logprob", "no_speech_prob")
    )
    unheard = no_speech is not None and no_speech > 0.6
    unsure = log_probability is not None and log_probability < -1.0
    return Segment(words, ratio is not None and ratio > 2.4, unheard, unheard and unsure)
