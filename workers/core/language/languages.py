"""Guesses the language of a text, from its script and its function words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

DEFAULT = "en"
_SAMPLE = 1_500  # characters: enough for a vote
_LETTER = re.compile(r"[^\W\d_]")
_LATIN_WORD = re.compile(r"[a-zà-žșțß]+")
# Of the scripts that one language mostly uses; the ranges are of Unicode's blocks.
_SCRIPTS = tuple(
    (re.compile(f"[{letters}]"), language)
    for letters, language in (
        ("\u3040-\u30ff", "ja"),
        ("\u4e00-\u9fff", "zh"),
        ("\uac00-\ud7a3", "ko"),
        ("\u0400-\u04ff", "ru"),
        ("\u0370-\u03ff", "el"),
        ("\u0530-\u058f", "hy"),
        ("\u0590-\u05ff", "he"),
        ("\u0600-\u06ff", "ar"),
        ("\u0900-\u097f", "hi"),
        ("\u0980-\u09ff", "bn"),
        ("\u0b80-\u0bff", "ta"),
        ("\u0c00-\u0c7f", "te"),
        ("\u0e00-\u0e7f", "th"),
        ("\u1000-\u109f", "my"),
        ("\u10a0-\u10ff", "ka"),
        ("\u1200-\u137f", "am"),
        ("\u1780-\u17ff", "km"),
    )
)
_WITHIN_SCRIPT = (
    ("ru", re.compile(r"[іїєґ]"), "uk"),
    ("ru", re.compile(r"[әғқңөұүһ]"), "kk"),
    ("ru", re.compile(r"\b(?:ще|със|към|който|която|което|съм|са)\b"), "bg"),
    ("ar", re.compile(r"[پچژگ]"), "fa"),
    ("ar", re.compile(r"[ٹڈڑں]"), "ur"),
    ("hi", re.compile(r"\b(?:आहे|आहेत|आणि|होते)\b"), "mr"),
)
# Frequent words that few other languages have.
_FREQUENT = {
    "en": (
        "the of and to is was that it for with as his he she be by at this had are but from or have an they "
        "which you were her their there been who will would my your what has him its how last long time in "
        "on"
    ),
    "de": (
        "der die das und ist nicht ein eine einen einem einer eines den dem des mit auf für sich von zu zum "
        "zur sie er wir ich auch wird wurde werden sind war haben hat bei nach über als im am aus noch nur "
        "oder dass wie ihre ihren sein seine keine kein uns vorherige bzw"
    ),
    "es": (
        "el la los las de del que un una por con para se su sus al lo como más pero fue era está son muy "
        "este esta hay ha soy mi también cuando sobre qué cuál cómo hoy le unos es en saludos"
    ),
    "fr": (
        "le la les des du de un une et est dans que qui pour pas au aux sur avec ce cette il elle nous vous "
        "sont été plus par ne se son sa ses je leur ou mais était où"
    ),
    "it": (
        "il lo la gli di che un una in per con del della dei delle nel nella non si sono da al alla ha "
        "anche come più era suo sua le ma questo questa ho"
    ),
    "pt": (
        "os as de do da dos das que um uma em no na nos nas por com para se ao não mais como foi são sua "
        "seu ele ela você também está"
    ),
    "nl": (
        "de het een en van is dat niet op te zijn voor met aan er door maar ook bij naar uit werd wordt "
        "heeft om hij zij ik je deze dit"
    ),
    "da": (
        "og det en den til er som på de med han af for ikke der var mig sig et har jeg om vi min havde ham "
        "hun nu fra blev efter også"
    ),
    "sv": (
        "och det att som en på är av för med till den har de inte om ett han var jag sig från vi så kan hon "
        "där nu under också efter"
    ),
    "fi": "ja ei se että oli hän ovat mutta joka myös kun mukaan olla vuonna tai jos niin minä sen",
    "pl": "na się że do nie jest to jak od za przez po dla jego są ale być tym był jej czy która który",
    "cs": "je se na že do jako pro za jsou by po byl ale jeho také nebo když byla které který",
    "sk": "je sa na že do ako pre za sú by po bol ale jeho alebo keď bola ktoré ktorý aj čo",
    "ro": "și de la în cu un din pe care nu este se pentru mai sunt ce fost al lui au să prin era",
    "tr": "ve bir bu da de için ile olarak çok daha olan gibi ne var ise sonra kadar en mi değil",
    "hu": "az és hogy nem is egy van volt ez csak meg de mint el még már vagy ha azt ki",
}
_LANGUAGES = defaultdict[str, list[str]](list)  # by frequent word
for _language, _words in _FREQUENT.items():
    for _word in _words.split():
        _LANGUAGES[_word].append(_language)
_MARKS = {"¿": "es", "¡": "es", "ñ": "es", "ß": "de", "ã": "pt", "õ": "pt"}  # each worth a word


def function_words(language: str) -> frozenset[str]:
    """Return some frequent words that few other languages have; none of a language that is not known."""
    return frozenset(_FREQUENT.get(language, "").split())


def language_of(text: str) -> str:
    """Return the ISO 639-1 code of the most likely language of a text; English where nothing tells."""
    sample = text[:_SAMPLE].casefold()
    if sample.isascii():
        return _by_words(sample)
    total = len(_LETTER.findall(sample))
    for letters, language in _SCRIPTS:
        # A few kana make a text Japanese; of other scripts a foreign name may stand in any text.
        share = 0.05 if language == "ja" else 0.3
        if len(letters.findall(sample)) > share * total:
            return next(
                (code for script, mark, code in _WITHIN_SCRIPT if script == language and mark.search(sample)),
                language,
            )
    return _by_words(sample)


def _by_words(sample: str) -> str:
    votes = Counter[str]()
    for word in _LATIN_WORD.findall(sample):
        for language in _LANGUAGES.get(word, ()):
            votes[language] += 1
    for mark, language in _MARKS.items():
        votes[language] += mark in sample
    best = max(votes, key=votes.__getitem__, default=DEFAULT)
    return best if votes[best] > votes[DEFAULT] else DEFAULT
