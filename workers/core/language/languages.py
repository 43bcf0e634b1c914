"""Guesses the language of a text: by its script, then its function words, letters and py3langid's tables.

A sentence of five words has few function words, so tables of byte n-grams (Lui and Baldwin, 2012) decide
among the languages of one script, with additional evidence from words and letters.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # only for who asks: the tables take a tenth of a second and 12 MB
    import numpy as np
    from numpy.typing import NDArray

DEFAULT = "en"
_SAMPLE = 1_500  # characters: enough for a vote
_KEPT = 4_096  # texts whose language is remembered: several checks ask for the same sentence
# In units of a natural logarithm, as the tables count; measured on short sentences in 34 languages.
_WORD_COUNTS = 4.0  # a function word, for its languages
_LETTER_COUNTS = 4.0  # a letter, against the languages that do not write it
_DEFAULT_COUNTS = 4.0  # for English, so that a bare name or code is taken for it
_QUESTION_COUNTS = 24.0  # the first words of an English question, whatever names stand in it: die, De Gaulle
_CLEAR = 8  # function words that decide without the tables, where no other language has half as many
_LINES = 100  # characters of lines of a text that are looked at together for its languages, at least
_PARAGRAPH = 40  # the same of a paragraph
_PIECES = 100  # that are looked at, evenly spread
_LEAST = 0.1  # share of the letters from which on a language is one of a text's
_TELLING = 20  # letters of a script of several languages from which on a text tells its own
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(
    r"[^\W\d_](?:[^\W\d_]|[\u0900-\u0903\u093a-\u094f])*"
)  # Devanagari's vowel signs are no letters
_QUESTION = re.compile(
    r"\W*(?:(?:when|where|why|who|whom|whose|which|what|how)\b[^?]*\?\s*$|(?:did|does)\b"
    r"|(?:when|where|why|who|which|what|how) (?:did|does|do|is|are|was|were|has|have|had|can|will|would)\b)"
)
# Of the scripts that one language mostly uses; the ranges are of Unicode's blocks.
_SCRIPTS = tuple(
    (re.compile(f"[{letters}]"), language)
    for letters, language in (
        ("\u3040-\u30ff", "ja"),
        ("\u4e00-\u9fff", "zh"),
        ("\uac00-\ud7a3", "ko"),
        ("\u0400-\u04ff", "ru"),
        ("\u0370-\u03ff\u1f00-\u1fff", "el"),
        ("\u0530-\u058f", "hy"),
        ("\u0590-\u05ff", "he"),
        ("\u0600-\u06ff", "ar"),
        ("\u0900-\u0963\u0970-\u097f", "hi"),
        ("\u0980-\u09ff", "bn"),
        ("\u0a00-\u0a7f", "pa"),
        ("\u0a80-\u0aff", "gu"),
        ("\u0b80-\u0bff", "ta"),
        ("\u0c00-\u0c7f", "te"),
        ("\u0c80-\u0cff", "kn"),
        ("\u0d00-\u0d7f", "ml"),
        ("\u0d80-\u0dff", "si"),
        ("\u0e00-\u0e7f", "th"),
        ("\u0e80-\u0eff", "lo"),
        ("\u1000-\u109f", "my"),
        ("\u10a0-\u10ff", "ka"),
        ("\u1200-\u137f", "am"),
        ("\u1780-\u17ff", "km"),
    )
)
_RUSSIAN = "абвгдежзийклмнопрстуфхцчшщъыьэюяё"
_ARABIC = "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي"
# The letters of languages that share a script; of Latin, those beyond a to z. Hindi and its kin share all.
_LETTERS = {
    "en": "",
    "de": "äöüß",
    "fr": "àâæçéèêëîïôœùûüÿ",
    "es": "áéíñóúü",
    "it": "àèéìíîòóù",
    "pt": "áâãàçéêíóôõú",
    "nl": "äëéèïöü",
    "sv": "åäöé",
    "da": "æøåé",
    "no": "æøåéòô",
    "fi": "äöå",
    "pl": "ąćęłńóśźż",
    "cs": "áčďéěíňóřšťúůýž",
    "sk": "áäčďéíĺľňóôŕšťúýž",
    "hu": "áéíóöőúüű",
    "ro": "ăâîșşțţ",
    "tr": "çğıiöşüâî",
    "vi": "àáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
    "id": "",
    "ms": "",
    "hr": "čćđšž",
    "sl": "čšž",
    "et": "äõöüšž",
    "lv": "āčēģīķļņšūž",
    "lt": "ąčęėįšųūž",
    "ca": "àçéèíïòóúü",
    "ru": _RUSSIAN,
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "be": "абвгдежзйклмнопрстуфхцчшыьэюяёіў",
    "bg": "абвгдежзийклмнопрстуфхцчшщъьюя",
    "sr": "абвгдђежзијклљмнњопрстћуфхцчџш",
    "mk": "абвгдѓежзѕијклљмнњопрстќуфхцчџш",
    "kk": _RUSSIAN + "әғқңөұүһі",
    "ar": _ARABIC,
    "fa": "آأؤئءابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی",
    "ur": "آأؤئءابپتٹثجچحخدڈذرڑزژسشصضطظعغفقکگلمنںوہھیے",
}
# By the language that the script alone suggests.
_SHARING = {
    "en": "en de fr es it pt nl sv da no fi pl cs sk hu ro tr vi id ms hr sl et lv lt ca",
    "ru": "ru uk be bg sr mk kk",
    "ar": "ar fa ur",
    "hi": "hi mr ne",
}
_OTHER_NAMES = {"no": ("nb", "nn"), "hr": ("bs",)}  # of the tables, for what is one language here
# Frequent words that few other languages have.
_FREQUENT = {
    "en": (
        "the of and to is was that it for with as his he she be by at this had are but from or have an they "
        "which you were her their there been who will would my your what has him its how last long time in "
        "on not into also after before made did does when who whom whose which where why while these those"
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
        "heeft om hij zij ik je deze dit had haar niemand"
    ),
    "da": (
        "og det en den til er som på de med han af for ikke der var mig sig et har jeg om vi min havde ham "
        "hun nu fra blev efter også"
    ),
    "no": (
        "og det en den til er som på de med han av for ikke var seg et har jeg om vi min hadde hun nå fra "
        "ble etter også sin ved mot mellom etter skal kan"
    ),
    "sv": (
        "och det att som en på är av för med till den har de inte om ett han var jag sig från vi så kan hon "
        "där nu under också efter sin ingen"
    ),
    "fi": "ja ei se että oli hän ovat mutta joka myös kun mukaan olla vuonna tai jos niin minä sen on",
    "pl": (
        "na się że do nie jest to jak od za przez po dla jego są ale być tym był jej czy która który w z "
        "i o roku"
    ),
    "cs": "je se na že do jako pro za jsou by po byl ale jeho také nebo když byla které který v s o od svůj",
    "sk": "je sa na že do ako pre za sú by po bol ale jeho alebo keď bola ktoré ktorý aj čo v s o od svoj",
    "ro": "și de la în cu un din pe care nu este se pentru mai sunt ce fost al lui au să prin era a",
    "tr": "ve bir bu da de için ile olarak çok daha olan gibi ne var ise sonra kadar en mi değil",
    "hu": "az és hogy nem is egy van volt ez csak meg de mint el még már vagy ha azt ki a",
    "vi": "là và của không được có cho trong một những các đã với này từ đến người năm ở bà ông",
    "id": (
        "yang dan di ke dari untuk pada dengan tidak ini itu adalah oleh akan bahwa karena sudah telah "
        "bisa dia sejak"
    ),
    "ms": (
        "yang dan di ke dari untuk pada dengan tidak ini itu adalah oleh akan bahawa kerana sudah telah "
        "boleh beliau sejak ialah tiada"
    ),
    "hr": "je i u na se da za su od nije kao koji koja s iz ali što bio bila",
    "sl": "je in v na se da za so od ni kot ki z iz pa bil bila pri",
    "ru": "и в на не что с по это как из у за от для к до был была были его она он они но или при года году",
    "uk": "і в у на не що з за це як до від для та його вона він вони але або при року році був була були",
    "be": "і ў на не што з за гэта як да ад для яго яна ён але быў была былі год",
    "bg": "и в на не че с за от да се е са по това като който която към със със ще си г беше",
    "sr": "и у на не да је се са за од су као који која али што био била није",
    "mk": "и во на не да е се со за од се како кој која но што беше ги го",
    "ar": "في من على إلى أن هذا هذه التي الذي كان كانت عن مع لم لا ما قد بعد",
    "fa": "در از به که این را با است برای آن یک تا بود شد می او خود",
    "ur": "کے میں کی ہے اور سے کا کو اس نے پر یہ ہیں تھا تھی نہیں کہ",
    "hi": "है हैं का की के को में से नहीं और था थी ने पर यह कि लिए गया होता",
    "mr": "आहे आहेत आणि होते होता होती नाही या तो ती हे हा ला च्या मध्ये",
    "ne": "छ छन् हुन्छ हो र को मा ले लाई गरेको थियो भएको पनि",
}
_LANGUAGES = defaultdict[str, list[str]](list)  # by frequent word
for _language, _words in _FREQUENT.items():
    for _word in set(_words.split()):
        _LANGUAGES[_word].append(_language)


class _Table(NamedTuple):
    """The languages of a script, a column each, and how a feature of the text counts for them."""

    languages: list[str]
    weights: NDArray[np.float32]  # features x languages
    priors: NDArray[np.float32]


def function_words(language: str) -> frozenset[str]:
    """Return some frequent words that few other languages have; none of a language that is not known."""
    return frozenset(_FREQUENT.get(language, "").split())


def is_function_word(word: str) -> bool:
    """Return whether a word is among the frequent ones of any language."""
    return word in _LANGUAGES


@lru_cache(maxsize=_KEPT)
def language_of(text: str) -> str:
    """Return the ISO 639-1 code of the most likely language of a text; English without evidence."""
    sample = text[:_SAMPLE]
    script = _by_script(sample)
    return _among(sample, script) if script in _SHARING else script


def languages_of(text: str) -> tuple[str, ...]:
    """Return the languages of a text, most used first; none without evidence.

    That is a text without letters, or with a few of a script that several languages share. Its paragraphs
    count by their letters, short ones together with the next.
    """
    pieces = _pieces(text)
    letters = Counter[str]()
    for piece in pieces[:: -(-len(pieces) // _PIECES) or 1]:
        letters[language_of(piece)] += len(_LETTER.findall(piece))
    whole = letters.total()
    if whole < _TELLING and _by_script(text) in _SHARING:
        return ()
    return tuple(language for language, count in letters.most_common() if count >= _LEAST * whole > 0)


def _pieces(text: str) -> list[str]:
    pieces, enough = [""], _LINES
    for line in text.split("\n"):
        if len(pieces[-1]) >= enough:
            pieces.append("")
        enough = _LINES if line.strip() else _PARAGRAPH
        pieces[-1] = f"{pieces[-1]}\n{line[:_SAMPLE]}".strip()
    return pieces


def _by_script(sample: str) -> str:
    if sample.isascii():
        return DEFAULT
    total = len(_LETTER.findall(sample))
    for letters, language in _SCRIPTS:
        # A few kana make a text Japanese; of other scripts a foreign name may stand in any text.
        share = 0.05 if language == "ja" else 0.3
        if len(letters.findall(sample)) > share * total:
            return language
    return DEFAULT


def _among(sample: str, script: str) -> str:
    """Return the most likely of the languages that share a script."""
    small = sample.casefold()
    words = _WORD.findall(small)
    if not words:
        return DEFAULT
    sharing = _SHARING[script].split()
    votes = Counter(
        language for word in words for language in _LANGUAGES.get(word, ()) if language in sharing
    )
    (best, most), (_, second) = (*votes.most_common(2), ("", 0), ("", 0))[:2]
    if most >= _CLEAR and most > 2 * second:
        return best
    table = _table(script)
    scores = _scores(sample, table)
    foreign = Counter(
        language
        for letter in set(_LETTER.findall(small))
        if letter > "\x7f"
        for language, letters in _LETTERS.items()
        if letter not in letters
    )
    for column, language in enumerate(table.languages):
        scores[column] += _WORD_COUNTS * votes[language] - _LETTER_COUNTS * foreign[language]
        if language == DEFAULT:
            scores[column] += _DEFAULT_COUNTS + _QUESTION_COUNTS * bool(_QUESTION.match(small))
    return table.languages[int(scores.argmax())]


def _scores(sample: str, table: _Table) -> NDArray[np.float32]:
    import numpy as np  # noqa: PLC0415 - only for who asks

    counts = _model().instance2fv(sample, datatype=np.float32)
    found = np.flatnonzero(counts)
    scores: NDArray[np.float32] = np.log1p(counts[found]) @ table.weights[found] + table.priors
    return scores


@cache
def _table(script: str) -> _Table:
    import numpy as np  # noqa: PLC0415 - as above

    model = _model()
    known = list(model.nb_classes)
    columns = [
        (language, known.index(name))
        for language in _SHARING[script].split()
        for name in (language, *_OTHER_NAMES.get(language, ()))
    ]
    languages, numbers = map(list, zip(*columns, strict=True))
    weights = np.ascontiguousarray(model.nb_ptc[:, numbers], dtype=np.float32)
    return _Table(languages, weights, model.nb_pc[numbers].astype(np.float32))


@cache
def _model() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - as above

    return LanguageIdentifier.from_pickled_model(MODEL_FILE)
