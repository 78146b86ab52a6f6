"""Cues in which captions speak about themselves: who wrote, translated or paid for them. Nobody says those."""

from __future__ import annotations

import re

_MAKERS = (
    r"subtitl\w*|caption\w*|transcri(?:bed|ption|pt|ber)\w*|translat\w*|proof-?read\w*|sync(?:ed|hroni[sz]ed)?|"
    r"sous-titr\w*|traduction|traduit\w*|relecture|untertitel\w*|übersetz\w*|untertitelung|"
    r"subtítul\w*|subtitul\w*|traducci[oó]n|traducid\w*|legendas?|legendad\w*|tradução|traduzid\w*|"
    r"sottotitoli|traduzione|tradott\w*|ondertitel\w*|vertaling|napisy|tłumaczenie|titulky|překlad|"
    r"υπότιτλοι|υποτιτλισμός|μετάφραση|απόδοση|επιμέλεια|субтитры|перевод|редактор\s+субтитров"
)
_BY = r"(?:by|from|thanks to|provided|courtesy|par|von|durch|por|de|da|do|di|door|przez|από|του|της|:|–|—|-|©)"
_CREDIT = re.compile(
    rf"^\W*(?:(?:english|the|these)\s+)?(?:{_MAKERS})\s*(?:&|and|et|und|y|και)?\s*(?:\w+\s+)?{_BY}", re.I
)
_NAMED = re.compile(r"\bamara\.org\b|\bopensubtitles\b|\baddic7ed\b|\brev\.com\b|\bAUTHORWAVE\b|^\W*©", re.I)
_MOST_WORDS = 20


def is_credit(text: str) -> bool:
    """Whether a cue's text reads like a credit. A speaker may say the same: whoever hears the speech decides."""
    return len(text.split()) <= _MOST_WORDS and bool(_CREDIT.search(text) or _NAMED.search(text))
