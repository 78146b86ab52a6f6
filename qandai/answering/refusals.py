"""That something was never said: the one sentence in which we say it, and the many in which models do."""

from __future__ import annotations

from dataclasses import dataclass

from qandai.text import fold, tokens

NOT_COVERED = {
    "en": "This isn't covered in the recordings.",
    "el": "Αυτό δεν αναφέρεται στις ηχογραφήσεις.",
    "fr": "Ce sujet n'est pas abordé dans les enregistrements.",
    "de": "Das kommt in den Aufnahmen nicht vor.",
    "es": "Esto no se trata en las grabaciones.",
    "it": "Questo argomento non è trattato nelle registrazioni.",
    "pt": "Este assunto não é tratado nas gravações.",
    "nl": "Dit komt niet aan bod in de opnamen.",
}

_REACH = 6  # words between "not" and "covered"
_MOST_WORDS = 45
ASIDE = 3
"""Words of a sentence such as "I'm sorry.", which says nothing."""


def not_covered(language: str) -> str:
    """The one sentence that says "they never said", in the language of the recordings or else English."""
    return NOT_COVERED.get(base(language), NOT_COVERED["en"])


def base(language: str) -> str:
    return language.partition("-")[0].lower()


@dataclass(frozen=True, slots=True)
class _Wording:
    """Folded words, and how folded words begin. `told`: what recordings did not do. `untold` says it in one word.
    `passive`: what cannot be said of anything else than of recordings. `around`: "told" may stand before "not", too."""

    no: frozenset[str]
    told: tuple[str, ...]
    where: tuple[str, ...]
    but: frozenset[str]
    passive: frozenset[str] = frozenset()
    untold: tuple[str, ...] = ()
    around: bool = False


def _set(words: str) -> frozenset[str]:
    return frozenset(fold(words).split())


def _all(words: str) -> tuple[str, ...]:
    return tuple(fold(words).split())


_WORDINGS = {
    "en": _Wording(
        _set(
            "not no nothing never nowhere none nobody neither cannot unable isnt arent wasnt werent dont doesnt didnt "
            "cant couldnt hasnt havent"
        ),
        _all(
            "cover mention discuss address answer said say speak spoke talk tell told explain detail contain includ "
            "provid specif state describ refer touch information relate find found give offer cite"
        ),
        _all("recording excerpt archive talk transcript interview passage material source clip episode video"),
        _set("but however though although yet instead rather except only"),
        _set("covered mentioned discussed addressed answered specified stated"),
        ("unrelated", "irrelevant", "uncovered", "unanswered", "unmentioned"),
    ),
    "de": _Wording(
        _set("nicht kein keine keinen keinem keiner keines nichts nie niemals nirgends"),
        _all(
            "kommt kommen erwähn behandel besproch beantwort gesagt sagt sagen sprech gesproch erklär information "
            "thema angab auskunft genannt enthalt"
        ),
        _all("aufnahm auszug auszüg archiv gespräch transkript interview passage ausschnitt quelle video folge"),
        _set("aber jedoch sondern allerdings doch nur"),
        around=True,
    ),
    "nl": _Wording(
        _set("niet geen niets nooit nergens"),
        _all("bod besprok vermeld genoemd behandel zeg gezegd beantwoord informatie uitgelegd genoem"),
        _all("opnam opnem fragment archief gesprek transcript interview bron video aflever"),
        _set("maar echter wel slechts"),
        around=True,
    ),
    "fr": _Wording(
        _set("pas aucun aucune rien jamais"),
        _all("abord mention trait évoqu répon dit dis parl expliqu précis information contien"),
        _all("enregistrement extrait archive entretien transcription passage source vidéo épisode"),
        _set("mais cependant toutefois seulement pourtant"),
        around=True,
    ),
    "es": _Wording(
        _set("no nada ningún ninguna ninguno nunca"),
        _all("trat mencion habl dice dicho respon explic abord información contien"),
        _all("grabacion extracto fragmento archivo entrevista transcripcion pasaje fuente vídeo episodio"),
        _set("pero sino aunque solo embargo"),
    ),
    "it": _Wording(
        _set("non nessun nessuna nessuno niente nulla mai"),
        _all("tratt menzion parl dice dett rispo spieg affront informazion conten conteng"),
        _all("registrazion estratt archivi intervist trascrizion passagg brani fonti video episod"),
        _set("ma però tuttavia solo bensì"),
    ),
    "pt": _Wording(
        _set("não nada nenhum nenhuma nunca"),
        _all("trata mencion abord fala diz dit respo explic informac conté contê"),
        _all("gravaç excert trecho arquivo entrevist transcriç passage font vídeo episód"),
        _set("mas porém contudo apenas embora"),
    ),
    "el": _Wording(
        _set("δεν δε τίποτα ποτέ καμία κανένα κανένας"),
        _all("αναφέρ αναφορ καλύπτ λέει λένε ειπ μιλ απαντ εξηγ πληροφορ περιλαμβ συζητ"),
        _all("ηχογραφ απόσπασμ αποσπασμ αρχεί συνέντευξ συνεντευξ βίντεο επεισόδ"),
        _set("αλλά όμως ωστόσο μόνο"),
    ),
}


def is_limitation(sentence: str, language: str) -> bool:
    """Whether a sentence says that something is not covered by the recordings, and nothing else. In the language of
    the recordings or in English, which models fall back on."""
    said = tokens(sentence)
    if not said or len(said) > _MOST_WORDS:
        return False
    known = {base(language), "en"} & _WORDINGS.keys()
    return any(_limits(said, _WORDINGS[each]) for each in known)


def is_about_telling(word: str, language: str) -> bool:
    """Whether a folded word is one of those that say that something is covered or not, and where."""
    known = {base(language), "en"} & _WORDINGS.keys()
    return any(
        word in wording.no or word.startswith((*wording.told, *wording.where, *wording.untold))
        for wording in (_WORDINGS[each] for each in known)
    )


def _limits(said: tuple[str, ...], wording: _Wording) -> bool:
    if not wording.but.isdisjoint(said):
        return False
    placed = any(word.startswith(wording.where) for word in said)
    if placed and wording.untold and any(word.startswith(wording.untold) for word in said):
        return True
    for place, word in enumerate(said):
        if word not in wording.no:
            continue
        if not wording.passive.isdisjoint(said[place + 1 : place + 4]):
            return True
        near = said[max(0, place - _REACH) if wording.around else place + 1 : place + 1 + _REACH]
        if placed and any(other.startswith(wording.told) for other in near):
            return True
    return False
