"""Whether a sentence denies what a quote affirms in the same words, or affirms what it denies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from workers.core.answers.lexical_rank import STOP_WORDS
from workers.core.language.figures.figures import figures
from workers.core.language.forms import is_form
from workers.core.language.languages import function_words, language_of
from workers.core.language.plurals import is_verb_form
from workers.core.language.text import normalise, pieces

# By language: words that deny, and words with which a text may deny or not.
_WORDS: dict[str, tuple[str, str]] = {
    "en": (
        r"not|never|no|nobody|none|nothing|neither|cannot|\w+n['’]t",
        r"not only|no (?:less|fewer|more|later|longer|sooner|doubt)|if|unless|until|but|except|without",
    ),
    "de": (
        r"nicht|kein\w*|nie|niemals|niemand\w*|nichts|weder",
        r"nicht (?:nur|mehr|erst|zuletzt|weniger)|sondern|wenn|falls|ob|ohne|außer|bis",
    ),
    "fr": (
        r"pas|jamais|aucun\w*|rien|personne|nul|nulle",
        r"pas (?:seulement|moins|plus)|que|qu['’]\w*|si|sans|mais|sauf|plus",
    ),
    "es": (
        r"no|nunca|jamás|nadie|nada|ningun\w*|ningún|tampoco",
        r"no (?:solo|sólo|menos|más|obstante)|sino|si|sin|pero|salvo|hasta|ya no",
    ),
    "it": (
        r"non|mai|nessun\w*|niente|nulla",
        r"non (?:solo|meno|più|appena)|che|ma|se|senza|fino|finché|bensì",
    ),
    "pt": (
        r"não|nunca|jamais|ninguém|nada|nenhum\w*",
        r"não (?:só|apenas|menos|mais)|senão|mas|se|sem|até|já não",
    ),
    "nl": (
        r"niet|geen|nooit|niemand|niets|nergens",
        r"niet (?:alleen|meer|minder)|geen (?:minder|meer)|maar|als|tenzij|zonder|tot|pas",
    ),
    "sv": (r"inte|ej|aldrig|ingen|inget|inga", r"inte (?:bara|minst)|utan|om|men|förrän"),
    "da": (r"ikke|aldrig|ingen|intet", r"ikke (?:kun|bare|mindst)|men|hvis|uden|før"),
    "pl": (r"nie|nigdy|nikt|nic|żaden|żadn\w+", r"nie (?:tylko|mniej|więcej)|ale|lecz|jeśli|bez|dopóki|aż"),
    "hu": (r"nem|soha|sem|nincs|nincsenek|senki|semmi", r"nem (?:csak|csupán)|hanem|ha|de|nélkül|amíg"),
    "ro": (r"nu|niciodată|nimeni|nimic|nicio|niciun", r"nu (?:numai|doar)|ci|dacă|dar|fără|decât|până"),
    "ru": (
        r"не|нет|никогда|никто|ничего|ни",
        r"не (?:только|менее|более|раз|позднее|ранее)|но|если|без|пока|а|кроме|чуть не|едва не",
    ),
    "uk": (r"не|ні|немає|ніколи|ніхто|нічого", r"не (?:тільки|лише|менше|більше)|але|якщо|без|поки|а|крім"),
    "bg": (r"не|няма|никога|никой|нищо", r"не само|но|ако|без|докато|а|освен"),
    "el": (r"δεν|δε|μη|μην|ποτέ|κανείς|τίποτα|ούτε", r"όχι μόνο|αλλά|αν|χωρίς|παρά|μέχρι"),
    "ar": (r"لا|لم|لن|ليس|ليست|ليسوا|غير", r"ليس فقط|إلا|لكن|بل|إذا|حتى|بدون|دون|سوى"),
    "he": (r"לא|אין|אינו|אינה|אינם|מעולם", r"לא רק|אלא|אם|עד|בלי|ללא|אבל|חוץ"),
    "hi": (r"नहीं|न|मत|कभी नहीं", r"न केवल|सिर्फ|केवल|लेकिन|बल्कि|अगर|यदि|बिना|जब तक"),
    "tr": (r"değil|yok|hiç|hiçbir|asla", r"sadece|yalnızca|ama|fakat|eğer|kadar|aksine"),
    "vi": (r"không|chưa|chẳng|chả", r"không (?:chỉ|những)|mà|nếu|trừ|nhưng|cho đến"),
    "id": (
        r"tidak|bukan|belum|tak|tiada",
        r"tidak (?:hanya|kurang|lebih)|melainkan|tetapi|jika|tanpa|sampai",
    ),
    "ko": (
        r"\S*않\S*|못|\S*못\S*|\S*없\S*|\S*아니\S*|안",
        r"\S*뿐\S*|아니라|\S*밖에|\S*않으면|\S*지만|만약|\S*없이",
    ),
}
_NEGATIONS = {
    language: (re.compile(rf"(?<!\S)(?:{denies})(?!\S)"), re.compile(rf"(?<!\S)(?:{unclear})(?!\S)"))
    for language, (denies, unclear) in _WORDS.items()
}
# Of scripts without spaces: what denies, and words that hold such a character or may deny or not.
_UNSPACED_NEGATIONS = {
    "zh": (
        re.compile("并没有|並沒有|没有|沒有|并未|並未|从未|從未|不是|并非|並非|没|沒|未|不|无|無"),
        re.compile(
            "不[仅僅但只少过過久断斷同锈鏽足满滿超低论論管得可必到动動止料幸妨利良安]|未[来來满滿必婚]|"
            "[无無][线線论論人机機名]|没收|沒收|非常|除非|如果|若|但|除了|直到|否[认認则則]|拒[绝絕]"
        ),
        re.compile("[了的过過在于於已经經将將把被地得之也都就又还還曾会會其该該这這]"),
    ),
    "ja": (
        re.compile("ませんでした|なかった|ありません|ません|ない|ず(?=に|、|$)"),
        re.compile(
            "だけで|のみなら|ばかりで|しか|かもしれ|違いない|なければ|ざるを|少なくない|が、|ば|ないか"
        ),
        re.compile("[\u3040-\u309f]"),
    ),
    "th": (
        re.compile("ไม่ได้|ไม่มี|ไม่ใช่|ไม่|มิได้|ยังไม่"),
        re.compile("ไม่เพียง|ไม่น้อย|ไม่เกิน|แต่|ถ้า|หาก|เว้นแต่|จนกว่า|ปฏิเสธ"),
        re.compile("ได้|แล้ว|ที่|ของ|ใน|ก็"),
    ),
}
_CLAUSE = re.compile(r"[,;:.!?，。；：！？،؛।()（）–—\n]+|(?<!\S)(?:and|und|et|och|og|и|та|και|ve)(?!\S)")
_YES_NO = re.compile(
    r"^(?:yes|no|ja|nein|oui|non|sí|si|no|sim|não|da|да|нет|tak|nie|nee|evet|hayır|nem|igen)\s*[,.:;!–—]\s*",
    re.IGNORECASE,
)
_DO = re.compile(r"\b(do|does|did)(?:n['’]t| not| never)\b")  # what English denies a verb with
_TURKISH = re.compile(r"(?<=\w{3})m[aeıiuü](?=d[ıiuü]|m[ıi]ş|y[ae]c)")
_ELIDED = re.compile(r"(?<!\w)(?:[cdjlmnst]|qu|un|all|dell|nell)['’]")
_SHORT, _LAST_LATIN = 2, "\u024f"  # letters of a word that carries no content, in Latin script
_STOP_WORDS = STOP_WORDS - {"own"}  # which may be the verb
_LEAST = 2  # content words that both have
_LEAST_UNSPACED = 4  # characters


class _Clause(NamedTuple):
    words: tuple[str, ...]  # of its content; of a script without spaces the whole, and without its dates
    free: frozenset[str]  # those of them that may be added: names, numbers, dates
    denies: bool
    auxiliary: str = ""  # do, does or did, with which English denies


def contradicts(sentence: str, quotes: Sequence[str]) -> bool:
    """Return whether a sentence says the opposite of a quote, for certain.

    That is certain if both have the same content words, apart from names, numbers and dates that one of them
    adds, only one of them denies, and no clause of the quotes says the same as the sentence. Words that may
    or may not deny ("not only", "until") leave it open.
    """
    language = language_of(sentence)
    if not any(may_deny(text, language) for text in (sentence, *quotes)):
        return False
    told = _clause(_YES_NO.sub("", sentence), language)
    if told is None:
        return False
    same = [
        clause.denies == told.denies
        for quote in quotes
        for text in _CLAUSE.split(quote)
        if (clause := _clause(text, language)) is not None and _is_same(told, clause, language)
    ]
    return bool(same) and not any(same)


def may_deny(text: str, language: str) -> bool:
    """Return whether a text holds a word that denies in its language."""
    denies, *_ = _UNSPACED_NEGATIONS.get(language) or _NEGATIONS.get(language) or (None,)
    if denies is None:
        return False
    folded = normalise(text)
    return bool(denies.search(folded)) or (language == "tr" and bool(_TURKISH.search(folded)))


def _clause(text: str, language: str) -> _Clause | None:
    """Return the content of a clause; None where it is open whether it denies."""
    if language in _UNSPACED_NEGATIONS:
        denies, unclear, particles = _UNSPACED_NEGATIONS[language]
        folded = "".join(normalise(text).split())
        if unclear.search(folded):
            return None
        undated = "".join(normalise(_without(_dates(text), text)).split())
        left, shorter = (
            re.sub(r"\W", "", particles.sub("", denies.sub("", part))) for part in (folded, undated)
        )
        return _Clause((left, shorter), frozenset(), denies.search(folded) is not None)
    if language not in _NEGATIONS:
        return None
    denying, unclear = _NEGATIONS[language]
    folded = normalise(text)
    if unclear.search(folded):
        return None
    negations = denying.findall(folded)
    left = _ELIDED.sub(" ", denying.sub(" ", folded))
    negated = bool(negations)
    if language == "tr" and _TURKISH.search(left):
        left, negated = _TURKISH.sub("", left), True
    words = tuple(dict.fromkeys(_content(left, language)))
    first, *others = [*re.findall(r"[^\W_]+", text), ""]
    capital = {word.casefold() for word in others if word[:1].isupper()} - {first.casefold()}
    dated = {word for start, end in _dates(text) for word in pieces(normalise(text[start:end]))}
    free = frozenset(word for word in words if word in capital or word in dated or word[0].isdigit())
    auxiliary = _DO.search(folded) if language == "en" else None
    return _Clause(words, free, negated, auxiliary[1] if auxiliary else "")


def _dates(text: str) -> list[tuple[int, int]]:
    return [(figure.start, figure.end) for figure in figures(text) if figure.day]


def _without(spans: Sequence[tuple[int, int]], text: str) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]} {text[end:]}"
    return text


def _content(text: str, language: str) -> Iterator[str]:
    common = function_words(language)
    for word in pieces(text):
        if (
            word not in _STOP_WORDS
            and word not in common
            and (len(word) > _SHORT or word.isdigit() or word[0] > _LAST_LATIN)
        ):
            yield word


def _is_same(one: _Clause, other: _Clause, language: str) -> bool:
    if language in _UNSPACED_NEGATIONS:
        whole, other_whole = one.words[0], other.words[0]
        is_long = min(len(one.words[-1]), len(other.words[-1])) >= _LEAST_UNSPACED
        return is_long and (whole in other.words or other_whole in one.words)
    smaller, larger = sorted((one, other), key=lambda clause: len(clause.words))
    if len(smaller.words) < _LEAST:
        return False
    left = list(larger.words)
    for word in smaller.words:
        match = next((other for other in left if _is_form(word, smaller, other, larger)), None)
        if match is None:
            return False
        left.remove(match)
    return all(word in larger.free for word in left)


def _is_form(word: str, clause: _Clause, other_word: str, other: _Clause) -> bool:
    return (
        is_form(word, other_word)
        or _is_denied(word, clause.auxiliary, other_word)
        or _is_denied(other_word, other.auxiliary, word)
    )


def _is_denied(verb: str, auxiliary: str, word: str) -> bool:
    """Return whether a word is the form that an auxiliary stands for: pays for does pay, paid for did pay."""
    if not auxiliary or auxiliary == "do":
        return False
    is_present, is_past = word.endswith("s"), not word.endswith(("s", "ing"))
    return (is_present if auxiliary == "does" else is_past) and is_verb_form(word, verb)
