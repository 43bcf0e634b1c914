"""Finds names in a sentence without capitals that a text does not contain.

A name is known to the graph, or marked by punctuation (《》, ・), a title or a family name, or differs in one
part from a name in the text (邵云舟 for 邵云帆), or is a large place.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from hopline.visible import visible
from workers.core.answers.firms import begins_no_thai_name, lacking_han, lacking_thai
from workers.core.answers.spellings import TEXTS_KEPT
from workers.core.answers.uncased_spaced import lacking_spaced
from workers.core.language import uncased_names as tables

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々"
_UNCASED = re.compile(
    rf"[{_HAN}\u3040-\u30ff\uac00-\ud7a3\u0590-\u05ff\u0600-\u06ff\u0900-\u097f\u0e00-\u0e7f]"
)
_KANA = re.compile(r"[\u3040-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_THAI = re.compile(r"[\u0e00-\u0e7f]")
_THAI_RUN = re.compile(r"[\u0e00-\u0e7f]{3,30}")
_HAN_RUN = re.compile(rf"[{_HAN}]{{2,12}}")
_THAI_PLACE = re.compile("(?:หนอง|ห้วย|โคก|โนน|ดอน|บาง|ทุ่ง|ท่า|วัง|คลอง|เขา)[\u0e00-\u0e7f]{2}")
_BEFORE_HAN_NAMES = frozenset("在于於到自从從往由住达達至")
_TOWARDS = frozenset("到往达達至")  # behind these stands where somebody goes
_HAN_END = re.compile(r"[，。；、！？,.;!?]|$")
_MOST_SLOTS = 100  # surroundings of a name that are looked for in a sentence
_LONGER = 2  # signs by which another name in the same place may be longer
_QUOTED = re.compile(r"《([^《》]{1,40})》|『([^『』]{1,40})』|「([^「」。、，！？]{2,14})」")
_GIVEN = 5  # letters of a Thai given name that tell it from another
_FEWEST = 3  # letters of a script that a text must hold to be compared in it
_FULL_NAME = 5  # characters of a long Japanese name
_FAMILY = f"(?:{'|'.join(sorted(tables.HAN_COMPOUND))}|[{tables.HAN_FAMILIES}])"
# A full name, with the words around it that show it to be a person's.
_HAN_TOLD = re.compile(
    rf"(?:(?P<title>{tables.HAN_TITLES}|[{_HAN}][家师師者员員长長手匠])(?:是|叫|为|為|：)?|(?P<before>{tables.HAN_BEFORE})|(?P<start>^))"
    rf"(?=(?P<name>{_FAMILY}[{_HAN}]{{1,2}}?)(?:(?P<titled>{tables.HAN_TITLES})|"
    rf"(?P<after>{tables.HAN_AFTER})|[^{_HAN}]|$))"
)
_NAMING = ("由", "叫", "名叫", "叫做")
_HAN_TITLED = re.compile(
    rf"(?:(?<![{_HAN}])|(?<=[是由的和与與、给給向请請]))(?P<family>{_FAMILY})(?=(?:{tables.HAN_TITLES}))"
)
_HAN_NICKNAME = re.compile(rf"[小老](?P<family>{_FAMILY})")
_HAN_PLACE = re.compile(rf"(?=(?P<stem>[{_HAN}]{{2}})(?P<kind>[{tables.HAN_PLACES}]))")
_HOUSE = re.compile(
    rf"(?P<stem>[\uac00-\ud7a3]{{2,6}}?)(?P<kind>{tables.KOREAN_HOUSES})(?:{tables.KOREAN_PARTICLES})?"
)
_HOUSE_KIND = re.compile(rf"(?P<kind>{tables.KOREAN_HOUSES})(?:{tables.KOREAN_PARTICLES})?")
_KOREAN_ADJECTIVE = re.compile("[은는던한된인운른진린적의]$")
_NO_STEM = re.compile(
    r"[的在是个個这這那该該本全各新老小大两兩每一二三四五六七八九十百千几幾从從到于於和与與及有了为為向往至"
    r"位由被把将上下东西南北中"
    r"城地农農市郊校景园園乡鄉县縣省州条條座]"
)
_JA_HONORED = re.compile(
    rf"(?P<name>[{_HAN}]{{1,5}}|(?<![ァ-ヶー・])[ァ-ヶー・]{{2,30}})(?P<title>{tables.JAPANESE_HONORIFICS}|"
    rf"{tables.JAPANESE_TITLES})"
)
_JA_TOLD = re.compile(
    rf"(?:^|[はがのと、も「])(?P<name>[{_HAN}]{{3,5}})(?=です|でした|だ|である|であった|が|は|さん|氏|"
    rf"に(?:より|よって|よる)|という|[。、」]|$)"
)
_JA_TITLES = re.compile(rf"(?:{tables.JAPANESE_TITLES})$")
_TITLES_BEHIND = re.compile(rf"(?:{tables.JAPANESE_TITLES}|{tables.HAN_TITLES})$")
_JA_FAMILY_ENDS = "村田山川野原井本藤島崎沢木林谷岡宮橋塚坂浜松倉森尾瀬津江根"
_JA_BODY = re.compile(r"[会部課社組合団院店局所室校園長員事]")  # has a head that is no name
_KATAKANA = re.compile(r"[ァ-ヶー]{2,20}(?:・[ァ-ヶー]{1,20}){1,5}")
_KANJI = re.compile(rf"[{_HAN}]+")
# A word in katakana, and what stands behind it: ベルゲンの石切, アンナが建て.
_KATAKANA_BEFORE = re.compile(
    rf"(?<![\d一二三四五六七八九十百千万億ァ-ヶー・])(?P<word>[ァ-ヶー]{{3,20}})"
    rf"(?P<behind>(?:の|から|まで|で|に|へ|と|が|は|を)[{_HAN}ァ-ヶー][{_HAN}ァ-ヶー\u3040-\u309f])"
)
_JA_GENERIC = re.compile(r"[新現前元副初代当同各該本全社客者員人家生様方長]")
_THAI_TITLE = re.compile(
    r"(?P<title>นางสาว|นาง|นาย|คุณ|ดร\.|ศาสตราจารย์|พันเอก|หลวงพ่อ|ครู|จังหวัด|อำเภอ|ตำบล|เด็กชาย|"
    r"เด็กหญิง)\s?(?P<run>[\u0e00-\u0e7f]{2,})"
    r"(?:\s(?P<more>[\u0e00-\u0e7f]{3,}))?"
)
_THAI_NO_NAME = re.compile(
    r"(?:ที่|ค่า|ภาพ|สมบัติ|ประโยชน์|แม่|พ่อ|ใหม่|ใหญ่|คน|สอน|ของ|และ|ได้|จะ|เป็น|ใน|นี้|นั้น|อื่น|ต่าง|"
    r"หนึ่ง|ทุก|เมือง|ก(?:รัฐ|เทศ|สมาคม|องค์)|พยาบาล|ครู|หมอ|สาว|เอก|แบบ|ลุง|ป้า|ตา|ยาย|น้า)"
)
_THAI_VILLAGE = re.compile(
    r"(?P<sign>(?:บ้าน|ตำบล|อำเภอ|แขวง|เขต|ต\.|อ\.)\s?(?:หนอง|ห้วย|โคก|โนน|ดอน|บาง|ทุ่ง|ท่า|วัง|คลอง|เขา))"
    r"(?P<own>[\u0e00-\u0e7f]{2})"
)
# Common beginnings of family names: two that share no more than this are different names.
_THAI_FAMILY = re.compile(r"วงศ์|วงษ์|พงศ์|พงษ์|ศรี|สุข|ชัย|บุญ|แก้ว|จันทร์|รัตน|สุวรรณ|เจริญ|ไชย|ทอง|สม|อินทร์|เพชร")


def lacking_uncased(sentence: str, stands: str, known: Sequence[str] = ()) -> list[str]:
    """Return the names in scripts without capitals that a sentence contains but a text lacks, as written.

    A text without these letters is in another language and cannot be compared.

    Args:
        sentence: the sentence.
        stands: the text that must contain the names.
        known: names known to extraction and the graph.
    """
    if not _UNCASED.search(sentence):
        return []
    said, text = _shaped(sentence), _shaped(stands)
    if len(_UNCASED.findall(text)) < _FEWEST:
        return []
    found = [*_quoted(said, text), *_known(said, text, known), *_in_slots(said, text, known)]
    if _KANA.search(said):
        found += _japanese(said, text, known)
    elif re.search(f"[{_HAN}]", said):
        found += _chinese(said, text, known)
    if re.search(f"[{_HAN}]", said):
        found += lacking_han(said, text)
    if _HANGUL.search(said):
        found += _korean(said, text, known)
    if _THAI.search(said):
        found += [*_thai(said, text, known), *lacking_thai(said, text)]
    found += lacking_spaced(said, text, [*map(_shaped, known)])
    return list(dict.fromkeys(found))


@lru_cache(maxsize=TEXTS_KEPT)
def _shaped(text: str) -> str:
    return unicodedata.normalize("NFKC", visible(text))


def _quoted(said: str, text: str) -> Iterator[str]:
    for match in _QUOTED.finditer(said):
        name = next(filter(None, match.groups()))
        if _UNCASED.search(name) and name not in text and name.replace(" ", "") not in text.replace(" ", ""):
            yield name


def _known(said: str, text: str, known: Iterable[str]) -> Iterator[str]:
    """Yield known names that look like names, and that the sentence has but the text lacks."""
    for name in map(_shaped, known):
        if name not in text and name in said and _looks_like_name(name):
            yield name


def _looks_like_name(name: str) -> bool:
    if re.fullmatch(f"[{_HAN}]+", name):
        return (len(name) in (3, 4) and re.match(_FAMILY, name) is not None) or (
            len(name) >= _FEWEST and name[-1] in tables.HAN_PLACES
        )
    return " " in name.strip() and _UNCASED.search(name) is not None


def _in_slots(said: str, text: str, known: Iterable[str]) -> Iterator[str]:
    """Yield words in the same context as a known name, in a text without spaces."""
    for name in map(_shaped, known):
        is_thai = _THAI_RUN.fullmatch(name) is not None
        if not (is_thai or _HAN_RUN.fullmatch(name)):
            continue
        beside, letters = (3, _THAI_RUN) if is_thai else (1, _HAN_RUN)
        places: dict[str, list[int]] = {}
        for left, right in islice(_slots(name, text, beside), _MOST_SLOTS):
            is_placed = is_thai or _looks_like_name(name) or left in _BEFORE_HAN_NAMES
            is_ending = left in _TOWARDS and _HAN_END.match(right) is not None
            if len(left) < beside or not is_placed or (len(right) <= beside and not is_ending):
                continue
            if left not in places:
                places[left] = [found.end() for found in re.finditer(re.escape(left), said)]
            for start in places[left]:
                end = said.find(right, start, start + len(name) + _LONGER + len(right))
                if is_ending and end < 0:
                    end = next((found.start() for found in _HAN_END.finditer(said, start)), -1)
                other = said[start:end] if 0 < end - start <= len(name) + _LONGER else ""
                if (
                    len(other) >= max(2, beside)
                    and letters.fullmatch(other)
                    and other not in text
                    and (other[:2] in tables.HAN_COMPOUND or not _NO_STEM.search(other))
                    and (_THAI_PLACE.match(other) or not begins_no_thai_name(other))
                ):
                    yield other


def _slots(name: str, text: str, beside: int) -> Iterator[tuple[str, str]]:
    """Yield the distinct contexts to the left and right of a name in a text."""
    seen = set()
    for match in re.finditer(re.escape(name), text):
        left = text[max(0, match.start() - beside) : match.start()]
        slot = left, text[match.end() : match.end() + beside + 1]
        if slot not in seen:
            seen.add(slot)
            yield slot


def _places(language: str, said: str, text: str) -> Iterator[str]:
    for place in tables.PLACES[language].split():
        if place in said and place not in text:
            if place == "京都" and "東京都" in said:
                continue
            yield place


# Chinese


def _chinese(said: str, text: str, known: Sequence[str]) -> Iterator[str]:
    yield from _places("zh", said, text)
    people = {*_han_people(text), *(name for name in known if _is_han_person(name) and name in text)}
    told = [name for name in _han_people(said) if name not in text]
    yield from told
    for person in people:
        head = 2 if person[:2] in tables.HAN_COMPOUND else 1
        for match in re.finditer(re.escape(person[:head]), said):
            other = said[match.start() : match.start() + len(person)]
            if other != person and other not in text and _is_near(other, person, head):
                yield other
    for match in _HAN_TITLED.finditer(said):
        if match["family"] not in text and match["family"] not in tables.HAN_ALSO_WORDS:
            yield said[match.start() : match.end() + 2]
    yield from _nicknames(said, text, known)
    yield from _towns(said, text)


def _nicknames(said: str, text: str, known: Iterable[str]) -> Iterator[str]:
    """Yield family names after 小 or 老 if the text has others after these."""
    others = {match["family"] for name in known if (match := _HAN_NICKNAME.fullmatch(name)) and name in text}
    for match in _HAN_NICKNAME.finditer(said):
        if others and match["family"] not in others and match["family"] not in tables.HAN_ALSO_WORDS:
            yield match.group()


def _towns(said: str, text: str) -> Iterator[str]:
    """Yield places, recognised by their endings, that contain something or of which the text has others."""
    kinds = {match["kind"] for match in _HAN_PLACE.finditer(text)}
    for match in _HAN_PLACE.finditer(said):
        stem = match["stem"]
        placed = said[max(0, match.start() - 1) : match.start()] in {
            "",
            "在",
            "于",
            "於",
            "到",
            "自",
            "往",
            "，",
            "是",
            "、",
        }
        if (
            stem not in text
            and stem[-1] + match["kind"] not in text
            and not _NO_STEM.search(stem)
            and (placed or match["kind"] in kinds)
        ):
            yield stem + match["kind"]


# Words that may follow a family name alone: a title or an occupation.
_AFTER_FAMILY = frozenset(word[0] for word in f"{tables.HAN_AFTER}|{tables.HAN_TITLES}".split("|"))


def _is_near(other: str, person: str, head: int) -> bool:
    given, own = other[head:], person[head:]
    if len(other) < len(person) or not re.fullmatch(f"[{_HAN}]+", other) or set(given) & tables.HAN_NO_NAME:
        return False
    if len(own) == 1:  # of a family name of two: 鲜于静 for 鲜于敏
        return head > 1 and given != own and given not in _AFTER_FAMILY
    return given[0] == own[0] or given[-1] == own[-1]


def _is_han_person(name: str) -> bool:
    return re.fullmatch(f"{_FAMILY}[{_HAN}]{{1,2}}", name) is not None


@lru_cache(maxsize=TEXTS_KEPT)
def _han_people(text: str) -> tuple[str, ...]:
    """Return the personal names that a text has beside a title, or as the agent of an action."""
    found = []
    for part in re.split(r"[。！？；\n]", text):
        for match in _HAN_TOLD.finditer(part):
            name = match["name"]
            given = name[2:] if name[:2] in tables.HAN_COMPOUND else name[1:]
            if set(given) & tables.HAN_NO_NAME or re.search(tables.HAN_TITLES, name):
                continue
            strong = match["title"] or match["titled"]
            named = match["before"] in _NAMING or len(given) > 1
            if not strong and (name[0] in tables.HAN_ALSO_WORDS or not (match["after"] and named)):
                continue
            if strong and len(given) == 1 and name[0] in tables.HAN_ALSO_WORDS:
                continue
            found.append(name)
    return tuple(dict.fromkeys(found))


# Japanese


def _japanese(said: str, text: str, known: Sequence[str]) -> Iterator[str]:
    yield from _places("ja", said, text)
    for match in _KATAKANA.finditer(said):
        if any(part not in text for part in match.group().split("・")):
            yield match.group()
    beside = {match["behind"] for match in _KATAKANA_BEFORE.finditer(text)}
    for match in _KATAKANA_BEFORE.finditer(said):
        if match["behind"] in beside and match["word"].rstrip("ー") not in text:
            yield match["word"]
    yield from _honored(said, text, known)
    yield from _towns(said, text)
    for match in _JA_TOLD.finditer(said):
        name = match["name"]
        family = next((each for each in (name[:3], name[:2]) if each in tables.JAPANESE_FAMILIES), "")
        if name not in text and family and name[len(family) :] and name[-1] in tables.JAPANESE_GIVEN:
            yield name
    runs = {run for run in _KANJI.findall(text) if len(run) >= _FEWEST}
    titled = {_JA_TITLES.sub("", run) for run in runs if _JA_TITLES.search(run)}
    runs, known = runs | titled, [*known, *titled]
    for run in {_TITLES_BEHIND.sub("", run) for run in _KANJI.findall(said)}:
        is_new = len(run) >= _FEWEST and run not in text and not run.startswith("第")
        if is_new and any(_is_near_kanji(run, other, known) for other in runs):
            yield run


def _is_near_kanji(run: str, other: str, known: Sequence[str]) -> bool:
    shared = _shared(run, other)
    rests = run[shared:], other[shared:]
    if other in known and run[-1] in tables.JAPANESE_GIVEN and run[-2:] == other[-2:] and run[0] != other[0]:
        return len(run) <= _FULL_NAME >= len(other) > _FEWEST  # the given name is the same, the family is not
    return (
        shared >= 2  # noqa: PLR2004 - most family names have two characters
        and all(0 < len(rest) <= 2 for rest in rests)  # noqa: PLR2004 - of a given name
        and (other in known or all(rest[-1] in tables.JAPANESE_GIVEN for rest in rests))
    )


def _honored(said: str, text: str, known: Sequence[str]) -> Iterator[str]:
    for match in _JA_HONORED.finditer(said):
        name, title = match["name"], match["title"]
        if name in text or name in tables.JAPANESE_NO_PEOPLE or _JA_GENERIC.search(name):
            continue
        if title in tables.JAPANESE_HONORIFICS.split("|"):
            if title != "君" or len(name) > 1:
                yield name
        elif "・" in name or any(name.startswith(family) for family in tables.JAPANESE_FAMILIES):
            yield name
        elif title in text and not _JA_BODY.search(name):  # a family name, of a person known by another
            like = len(name) == 2 and any(name[0] == person[0] for person in known if person in text)  # noqa: PLR2004
            is_name = len(name) == _FEWEST or (len(name) == 2 and name[-1] in _JA_FAMILY_ENDS)  # noqa: PLR2004
            if like or (is_name and any(f"{person}{title}" in text for person in known)):
                yield name


def _shared(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return next((n for n, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


# Korean

_EOJEOL = re.compile(r"[\uac00-\ud7a3]+")
_TITLE = re.compile(f"(?:{tables.KOREAN_TITLES})")
_TITLED = re.compile(f"(?:{tables.KOREAN_TITLES})(?:{tables.KOREAN_PARTICLES})?")
_ROLE = re.compile(rf"[\uac00-\ud7a3]*(?:{tables.KOREAN_ROLES})(?:은|는|이|가|의)?")
_COPULA = re.compile(
    r"(?P<name>[\uac00-\ud7a3]{2,4}?)(?:이?라고|입니다|이에요|예요|이다|이었다|였다|이었습니다|였습니다|"
    r"이며|이고|다)$"
)
_KOREAN_NO_NAME = "장관원실사했하되있없였았었겠인한된"  # ends verbs and offices
_KOREAN_TRADES = ("건설", "건축", "산업", "식품", "신문")


def _korean(said: str, text: str, known: Sequence[str]) -> Iterator[str]:
    words, their = _EOJEOL.findall(said), _EOJEOL.findall(text)
    places = frozenset(tables.PLACES["ko"].split())
    people = {*_korean_people(text), *(name for name in known if _is_korean_person(name) and name in text)}
    for place, word in enumerate(words):
        bases = _without_particles(word)
        if found := [base for base in bases if base in places and base not in text]:
            yield found[0]
        elif not any(len(base) > 1 and base in text for base in bases):
            near = [base for base in bases for person in people if _is_near_korean(base, person)]
            beside = words[place - 1] if place else "", words[place + 1] if place + 1 < len(words) else ""
            yield from near[:1] or _told_korean(word, bases, beside, text, their)


def _told_korean(
    word: str, bases: Sequence[str], beside: tuple[str, str], text: str, their: Sequence[str]
) -> list[str]:
    """Return the name in an unmatched word, judged by its ending and its neighbours."""
    before, after = beside
    house = _HOUSE.fullmatch(word)
    if house and house["stem"] not in tables.KOREAN_GENERIC:
        is_one = any(house["kind"] in other for other in their) or (
            house["kind"] not in _KOREAN_TRADES and any(map(_HOUSE.fullmatch, their))
        )
        return [word] if house["stem"] not in text and is_one else []
    if after and _TITLED.fullmatch(after) and word[0] in tables.KOREAN_FAMILIES:
        is_family = len(word) == 1 and not any(other.startswith(word) for other in their)
        return [word] if is_family or (_is_korean_person(word) and len(word) == _FEWEST) else []
    kind = _HOUSE_KIND.fullmatch(after) if after else None
    if kind and kind["kind"] in text and len(word) > 1 and not _KOREAN_ADJECTIVE.search(word):
        return [word] if word not in tables.KOREAN_GENERIC and len(bases) == 1 else []
    told = _COPULA.fullmatch(word)
    name = told["name"] if told else next((base for base in bases if _is_korean_person(base)), "")
    is_full = len(name) == _FEWEST and _is_korean_person(name) and name[-1] not in _KOREAN_NO_NAME
    is_told = _ROLE.fullmatch(before) and (told or _TITLE.fullmatch(before))
    return [name] if is_full and is_told else []


def _without_particles(word: str) -> list[str]:
    found = [word]
    for particle in tables.KOREAN_PARTICLES.split("|"):
        base = word.removesuffix(particle)
        if base and base != word:
            found.append(base)
    return sorted(set(found), key=len)


def _is_korean_person(name: str) -> bool:
    is_family = name[:1] in tables.KOREAN_FAMILIES or name.startswith(tables.KOREAN_COMPOUND)
    return len(name) in (2, 3, 4) and is_family and _EOJEOL.fullmatch(name) is not None


def _is_near_korean(word: str, person: str) -> bool:
    if len(word) != len(person) or word == person or len(word) < _FEWEST or word[0] != person[0]:
        return False
    return sum(one == other for one, other in zip(word, person, strict=True)) == len(word) - 1


@lru_cache(maxsize=TEXTS_KEPT)
def _korean_people(text: str) -> tuple[str, ...]:
    """Return the names that a text has beside a title, or as the agent of an action."""
    found = []
    words = _EOJEOL.findall(text)
    for place, word in enumerate(words):
        after = words[place + 1] if place + 1 < len(words) else ""
        before = words[place - 1] if place else ""
        beside = _TITLED.fullmatch(after) or _ROLE.fullmatch(before)
        found += [
            base
            for base in _without_particles(word)
            if beside
            and _is_korean_person(base)
            and (base[-1] not in _KOREAN_NO_NAME or _TITLED.fullmatch(after))
            and (len(base) == _FEWEST or base.startswith(tables.KOREAN_COMPOUND))
        ]
    return tuple(dict.fromkeys(found))


# Thai


_THAI_MARK = re.compile(r"[\u0e30-\u0e3a\u0e47-\u0e4e]")  # is of the letter before it
_THAI_PAIR = re.compile(
    r"(?=(?<![\u0e00-\u0e7f])(?P<left>[\u0e00-\u0e7f]{4,}) (?P<right>[\u0e00-\u0e7f]{4,}))"
)


def _thai(said: str, text: str, known: Sequence[str]) -> Iterator[str]:
    yield from _places("th", said, text)
    yield from _thai_families(said, text, known)
    yield from _thai_villages(said, text)
    pairs: dict[str, list[str]] = {}
    for match in _THAI_PAIR.finditer(text):
        pairs.setdefault(match["left"][-_GIVEN:], []).append(match["right"])
    for match in _THAI_PAIR.finditer(said):
        right, families = match["right"], pairs.get(match["left"][-_GIVEN:], [])
        is_other = right[: _GIVEN - 1] not in text or any(_is_other_family(right, each) for each in families)
        if families and is_other and not begins_no_thai_name(right):
            yield right
    names = [(match["run"], match["more"] or "") for match in _THAI_TITLE.finditer(text)]
    for match in _THAI_TITLE.finditer(said):
        run, more = match["run"], match["more"] or ""
        if _THAI_NO_NAME.match(run):
            continue
        same = [family for given, family in names if run.startswith(given) or given.startswith(run)]
        if not same and run not in text and any(_is_near_thai(run, given) for given, more in names if more):
            yield f"{match['title']}{run}"
            continue
        is_other = len(run) >= _GIVEN and not same and run[:_GIVEN] not in text and run not in text
        if run[:_FEWEST] not in text or (
            is_other and not any(_goes_on(run, given) for given, _more in names)
        ):
            yield f"{match['title']}{run}"
        elif (
            same
            and more
            and not begins_no_thai_name(more)
            and all(family for family in same)
            and not any(more.startswith(each) or each.startswith(more) for each in same)
        ):
            yield more


def _thai_families(said: str, text: str, known: Sequence[str]) -> Iterator[str]:
    """Yield other family names behind the given name of a person that is known in whole."""
    for name in known:
        given, _, family = name.partition(" ")
        if not family or not _THAI.match(given) or name not in text:
            continue
        for match in re.finditer(rf"{re.escape(given)} (?P<family>[\u0e00-\u0e7f]{{3,30}})", said):
            if not match["family"].startswith(family) and not begins_no_thai_name(match["family"]):
                yield match["family"]


def _thai_villages(said: str, text: str) -> Iterator[str]:
    """Yield villages and districts whose names begin like one of the text's and go on otherwise."""
    signs = {match["sign"] for match in _THAI_VILLAGE.finditer(text)}
    for match in _THAI_VILLAGE.finditer(said):
        if match["sign"] in signs and match.group() not in text:
            yield match.group()


def _is_other_family(right: str, family: str) -> bool:
    """Return whether two family names share nothing but a beginning that many have."""
    begins = _THAI_FAMILY.match(right)
    if begins is None or begins.end() != _shared(right, family):
        return False
    rests = right[begins.end() :], family[begins.end() :]
    return all(rest and not begins_no_thai_name(rest) for rest in rests)


def _goes_on(run: str, given: str) -> bool:
    """Return whether two runs begin with one name, behind which a text goes on with what is of none."""
    shared = _shared(run, given)
    return shared >= _FEWEST and begins_no_thai_name(given[shared:]) and not _THAI_MARK.match(run[shared:])


def _is_near_thai(run: str, given: str) -> bool:
    """Return whether a given name begins like another one that is known in whole."""
    return len(run) >= _GIVEN and len(given) > _GIVEN and _shared(run, given) >= _FEWEST
