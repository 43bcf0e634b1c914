"""Finds the clock times and decades of a text: 9 p.m., halb acht, 晚上十一点, the sixties, 80年代."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from workers.core.language.figures.words import SHAPE, whole_number, words_of

_NIGHT = 6  # from this hour on, an hour at night is before midnight
_DAY, _HALF_DAY = 24 * 60, 12 * 60
_PREPOSITIONS = (
    r"at|by|from|until|till|um|bis|ab|gegen|om|tot|vanaf|à|vers|dès|jusqu'à|a las?|las?|desde las|hasta las"
    r"|alle|dalle|all'|às|à|das|até|o|od|do|в|до|с|к|о|об|з|ve|v|od|på"
)
_CLOCKS = (
    r"klockan|kl\.?|klo|pukul|jam|saat|o godz(?:inie|\.)|godz(?:ina|iny|\.)|hodin|الساعة|בשעה|ב-?שעה|lúc|เวลา"
)
_UNSPACED = "\\u0e00-\\u0eff\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7a3"
_BEFORE = "sabah|akşam|gece|öğleden sonra|सुबह|शाम|रात|दोपहर|abends|nachts|morgens|wieczorem|večer|ráno|rano"
_HOUR_WORDS = r"uhr|uur|o'clock|heures?|horas?|ore|часов|часа|час|годин[иаі]?|hodin[yu]?|giờ|बजे|น\.|นาฬิกา|h"
_ALONE = ("uhr", "uur", "o'clock", "giờ", "बजे", "น.", "นาฬิกา")  # words that only clock times have
_ADDED = {
    **dict.fromkeys(("half past", "साढ़े"), 30),
    **dict.fromkeys(("quarter past", "viertel nach", "kwart over", "kvart över", "kvarter over", "सवा"), 15),
    **dict.fromkeys(
        ("quarter to", "viertel vor", "kwart voor", "kvart i", "kvarter i", "पौने", "dreiviertel"), -15
    ),
    **dict.fromkeys(
        ("halb", "half", "halv", "wpół do", "půl", "половина", "половине", "setengah", "fél"), -30
    ),
    **dict.fromkeys(("пол", "пів на", "puoli"), -30),
}
_BEHIND = {
    30: "et demie|y media|e mezz[ao]|e meia|buçuk|والنصف|וחצי|rưỡi|с половиной|ครึ่ง|thirty|trente",
    15: "et quart|y cuarto|e un quarto|e quarto|والربع|ורבע|fifteen",
    -15: "moins le quart|menos cuarto|meno un quarto|إلا الربع|إلا ربعا|forty-five",
}
_ENGLISH = "one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_HOURS_OF_CJK = "하나 두 세 네 다섯 여섯 일곱 여덟 아홉 열 열한 열두".split()  # noqa: SIM905
_CJK = re.compile(
    r"(?P<part>午前|午後|上午|下午|晚上|晚间|早上|早晨|凌晨|清晨|傍晚|夜里|夜裡|深夜|中午|朝|夕方|夜|오전|오후|저녁|밤|새벽|아침)?의?\s?"
    r"(?P<hour>\d{1,2}|[〇零一二两兩三四五六七八九十]{1,3}|하나|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열한|열두|열)\s?"
    r"(?:(?P<sign>[点點时時시])(?![间間代期点點]|\d\d?分の)\s?"
    r"(?:(?P<half>半|반)|(?P<minute>\d{1,2}|[〇零一二三四五六七八九十]{1,3})\s?[分분]?(?![\d%万億人岁])|(?P<three>[一三])刻)?|:(?P<digits>[0-5]\d)(?!\d))"
    r"(?P<sure>[钟鐘整]|ごろ|頃)?"
)
_HAS_CJK = re.compile("[点點时時시]|[午晚早朝夜晨오밤]")
_CJK_PART = {
    **dict.fromkeys(["午前", "上午", "早上", "早晨", "凌晨", "清晨", "朝", "오전", "새벽", "아침"], "a"),
    **dict.fromkeys(["午後", "下午", "傍晚", "中午", "夕方", "오후", "저녁"], "p"),
}
_THAI = re.compile(
    r"(?:(?P<evening>\d|หนึ่ง|สอง|สาม|สี่|ห้า)\s?ทุ่ม|ตี\s?(?P<early>\d|หนึ่ง|สอง|สาม|สี่|ห้า)|บ่าย\s?(?P<noon>\d|สอง|สาม|สี่|ห้า)(?:\s?โมง)?"
    r"|(?P<late>\d|สี่|ห้า|หก)\s?โมงเย็น|(?P<morning>\d\d?|หก|เจ็ด|แปด|เก้า|สิบเอ็ด|สิบ)\s?โมง(?:เช้า)?)(?P<half>ครึ่ง)?"
)
_THAI_HOURS = {
    word: value
    for value, word in enumerate(
        ["หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า", "สิบ", "สิบเอ็ด"], 1
    )
}
_THAI_FROM = {"evening": 18, "early": 0, "noon": 12, "late": 12, "morning": 0}


class Time(NamedTuple):
    """A clock time, as possible minutes of the day, or a decade, with its position."""

    values: frozenset[int]
    start: int
    end: int
    is_held: bool = True  # against a sentence; not noon and midnight, which are other words as well


def clocks(text: str) -> list[Time]:
    """Return the clock times of a text."""
    shaped = text.translate(SHAPE)
    found = [*_spaced_clocks(shaped)]
    if _HAS_CJK.search(shaped):
        found += _cjk_clocks(shaped)
    if "โมง" in shaped or "ทุ่ม" in shaped or "ตี" in shaped or "บ่าย" in shaped:
        for match in _THAI.finditer(shaped):
            kind = next(name for name in _THAI_FROM if match[name])
            hour = int(match[kind]) if match[kind].isdigit() else _THAI_HOURS[match[kind]]
            minute = 30 if match["half"] else 0
            found.append(Time(frozenset([(hour + _THAI_FROM[kind]) * 60 + minute]), *match.span()))
    return found


def _spaced_clocks(shaped: str) -> Iterable[Time]:
    hours, parts, named = _hours(), _parts(), _named()
    for match in _pattern().finditer(shaped):
        if match["named"]:
            noon = named[match["named"]]
            yield Time(frozenset([noon]), *match.span("named"), is_held=False)
            continue
        word, part = match["word"], match["before"] or match["after"]
        hour = hours[word] if word else int(match["hour"])
        behind = next(
            (each for each, forms in _BEHIND.items() if match["half"] and re.fullmatch(forms, match["half"])),
            0,
        )
        added = _ADDED.get(match["added"] or "", 0) or behind
        if match["added"] == "half" and word in _ENGLISH:
            added = 30
        minute, mark = int(match["minute"] or match["minute2"] or 0), match["mark"] or ""
        sure = match["clock"] or (match["hour_word"] in _ALONE)
        if part in ("pagi", "sore", "siang", "malam") and not match["clock"]:
            continue
        if (
            part in ("дня", "ночи", "sáng", "trưa", "chiều", "tối", "đêm", "रात", "सुबह", "शाम", "दोपहर")
            and not match["hour_word"]
        ):
            continue
        if not (
            (mark in (":", "h") and match["minute"])
            or part
            or sure
            or (match["added"] and word)
            or (match["half"] and match["at"])
            or (match["hour_word"] and (match["at"] or match["minute2"]))
        ):
            continue
        yield Time(
            _minutes(
                hour, minute + added, parts.get(part or "", ""), fixed=not word and match["hour"][0] == "0"
            ),
            *match.span(),
        )


def _cjk_clocks(shaped: str) -> Iterable[Time]:
    for match in _CJK.finditer(shaped):
        part, sign = match["part"], match["sign"]
        if not (
            part or match["half"] or match["minute"] or match["sure"] or match["three"] or sign in "时時시"
            if sign
            else part
        ):
            continue
        numeral, minute = match["hour"], match["minute"] or match["digits"]
        hour = (
            _HOURS_OF_CJK.index(numeral) + 1
            if numeral in _HOURS_OF_CJK
            else whole_number(numeral.replace("한", "一"))
        )
        minutes = 30 if match["half"] else {"一": 15, "三": 45}.get(match["three"] or "", 0)
        if hour > 24 or (minute and whole_number(minute) > 59):  # noqa: PLR2004
            continue
        kind = _CJK_PART.get(part, "n") if part else ""
        yield Time(_minutes(hour, minutes + (whole_number(minute) if minute else 0), kind), *match.span())


def _minutes(hour: int, minute: int, part: str, *, fixed: bool = False) -> frozenset[int]:
    """Return the minutes of the day that an hour may mean: in the morning, afternoon, night, or any."""
    if hour > 12 or hour == 0 or (fixed and not part):  # noqa: PLR2004
        return frozenset([(hour * 60 + minute) % _DAY])
    early = (hour % 12 * 60 + minute) % _DAY
    late = (early + _HALF_DAY) % _DAY
    if part == "n":
        return frozenset([late if hour % 12 >= _NIGHT else early])
    return frozenset({"a": [early], "p": [late]}.get(part, [early, late]))


@cache
def _hours() -> dict[str, int]:
    hours: dict[str, int] = {}
    for rows in words_of("words", "hours").values():
        for row in rows:
            hours |= {
                word.replace("_", " "): value for value, word in enumerate(row.split(), 1) if word != "-"
            }
    return hours


@cache
def _parts() -> dict[str, str]:
    return {word: part for part, words in words_of("words", "parts_of_day").items() for word in words}


@cache
def _named() -> dict[str, int]:
    return {
        word: int(minute)
        for minute, words in words_of("words", "noon_and_midnight").items()
        for word in words
    }


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![^\W{_UNSPACED}]|[.,:/])(?:(?=\d)|(?<![^\W\d\u0590-\u05ff]-))(?:(?P<named>{_any(_named())})(?!\w)"
        rf"|(?:(?P<before>{_BEFORE}) )?(?:(?P<clock>{_CLOCKS}) |(?P<at>{_PREPOSITIONS})[ ])?"
        rf"(?:(?P<added>{_any(_ADDED)}) ?)?"
        r"(?:(?P<hour>[01]?\d|2[0-4])(?!\d)(?: ?(?P<mark>[:.h]) ?(?P<minute>[0-5]\d)(?![\d:%]|[.,]\d))?"
        rf"|(?P<word>{_any(_hours())})(?:'?[dt][ae]n?)?(?!\w))"
        rf"(?:[ -]?(?P<hour_word>{_HOUR_WORDS})(?!\w)(?: (?P<minute2>[0-5]\d)(?![\d:%.,]))?)?"
        rf"(?: (?P<half>{'|'.join(_BEHIND.values())})(?!\w))?(?: ?(?P<after>{_any(_parts())})(?!\w))?)"
    )


_DIGITS_OF_DECADE = re.compile(
    r"(?<![\d.,])(?P<century>1[5-9]|20)?(?P<tens>[1-9])0"
    r"(?:'?s\b|er[ns]?(?: jahren?)\b|'?erne\b|-?(?:е|х|ые|ых|ті|их)(?= год| рок| в)|-?lu[kv]\w+"
    r"|-?tal(?:et|ets|let|lets)?\b|-?årene\b|'?l[ae]r\w*|'?l[ıi](?= yıl)|-an\b|年代|년대)"
    r"|(?:années|años|década de(?: los)?|anos|anni|jaren|lata|latach|thập niên|thập kỷ|những năm"
    r"|ทศวรรษ(?:ที่)?|שנות ה-?)\s?'?(?P<century2>1[5-9]|20)?(?P<tens2>[1-9])0(?!\d|[.,]\d)"
)


def decades(text: str) -> list[Time]:
    """Return the decades of a text, by their first years; without a century, in any that they may be."""
    shaped = text.translate(SHAPE)
    found = []
    for match in _DIGITS_OF_DECADE.finditer(shaped):
        tens, century = match["tens"] or match["tens2"], match["century"] or match["century2"]
        if not _OF_AGE.search(shaped[max(0, match.start() - 8) : match.start()]):
            found.append(Time(_first_years(int(tens), century), *match.span()))
    words, pattern = _decade_words()
    for match in pattern.finditer(shaped):
        if not _OF_AGE.search(shaped[max(0, match.start() - 8) : match.start()]):
            tens = next(words[group] for group in match.groups() if group)
            found.append(Time(_first_years(tens), *match.span()))
    return found


_OF_AGE = re.compile(r"(?:his|her|their|my|your|our) $")


def _first_years(tens: int, century: str | None = None) -> frozenset[int]:
    return frozenset(int(each) * 100 + tens * 10 for each in ([century] if century else range(15, 21)))


@cache
def _decade_words() -> tuple[dict[str, int], re.Pattern[str]]:
    words: dict[str, int] = {}
    patterns: list[str] = []
    for around, rows in words_of("words", "decades").items():
        stems = rows[0].split()
        words |= {stem: tens for tens, stem in enumerate(stems, 2)}
        before, after = around.split("…")
        patterns.append(rf"{before}({_any(stems)}){after}")
    words |= {sign: tens for tens, sign in enumerate("二三四五六七八九", 2)}
    return words, re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})|([二三四五六七八九])十年代")
