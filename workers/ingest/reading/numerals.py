"""Numbers of list items and headings, as word processors and browsers write them."""

from __future__ import annotations

_ROMAN_UP_TO = 3999
_ROMAN = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"),
        strict=True,
    )
)
_TIMES = 20  # as often a letter is repeated at most: a document may start a list at a billion
_CHINESE = "〇一二三四五六七八九"
_CHINESE_UNITS = ((1000, "千"), (100, "百"), (10, "十"), (1, ""))
_CHINESE_UP_TO = 9999
_HEBREW = tuple(
    zip((*range(400, 0, -100), *range(90, 0, -10), *range(9, 0, -1)), "תשרקצפעסנמלכיטחזוהדגבא", strict=True)
)
_HEBREW_UP_TO = 499
_ONES = (
    " One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen"
    " Seventeen Eighteen Nineteen"
)
_TENS = "  Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety"
_ENDINGS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth"}
_ENDINGS |= {"nine": "ninth", "twelve": "twelfth"}
_WORDS_UP_TO = 99
LATIN = "abcdefghijklmnopqrstuvwxyz"


def roman(number: int) -> str:
    """Return a number in lower-case Roman numerals; in digits outside 1 to 3999."""
    if not 1 <= number <= _ROMAN_UP_TO:
        return str(number)
    return _summed(number, _ROMAN)


def hebrew(number: int) -> str:
    """Return a number in Hebrew numerals, 15 and 16 as 9 + 6 and 9 + 7; in digits outside 1 to 499."""
    if not 1 <= number <= _HEBREW_UP_TO:
        return str(number)
    return _summed(number, _HEBREW).replace("יה", "טו").replace("יו", "טז")


def _summed(number: int, signs: tuple[tuple[int, str], ...]) -> str:
    """Return the signs, the greatest first, whose amounts make up a number."""
    text = ""
    for amount, sign in signs:
        text += sign * (number // amount)
        number %= amount
    return text


def letters(number: int) -> str:
    """Return a number as browsers letter a list: a to z, aa, ab; in digits below 1."""
    text, rest = "", number
    while rest > 0:
        rest, letter = divmod(rest - 1, len(LATIN))
        text = LATIN[letter] + text
    return text or str(number)


def repeated(alphabet: str, number: int) -> str:
    """Return a number as Word letters a list: a to z, aa, bb; in digits outside 1 to 20 times each."""
    times, letter = divmod(number - 1, len(alphabet))
    return alphabet[letter] * (times + 1) if 0 <= times < _TIMES else str(number)


def circled(number: int) -> str:
    """Return a number in a circle, ① to ⑳; in digits outside."""
    return chr(ord("①") + number - 1) if 1 <= number <= len("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳") else str(number)


def chinese(number: int) -> str:
    """Return a number in Chinese numerals (十二); in digits outside 1 to 9999."""
    if not 1 <= number <= _CHINESE_UP_TO:
        return str(number)
    text, skipped = "", False
    for unit, sign in _CHINESE_UNITS:
        digit, number = divmod(number, unit)
        if digit:
            text += ("零" if skipped else "") + _CHINESE[digit] + sign
        skipped = not digit and bool(text)
    return text.removeprefix("一") if text.startswith("一十") else text


def ordinal(number: int) -> str:
    """Return a number with its English ending: 1st, 2nd, 3rd, 4th, 11th."""
    is_teen = number // 10 % 10 == 1
    return f"{number}{'th' if is_teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def in_words(number: int, *, is_ordinal: bool = False) -> str:
    """Return a number in English words, Twenty-one or Twenty-first; in digits outside 1 to 99."""
    if not 1 <= number <= _WORDS_UP_TO:
        return ordinal(number) if is_ordinal else str(number)
    small = _ONES.split(" ")
    tens, ones = (0, number) if number < len(small) else divmod(number, 10)
    words = "-".join(filter(None, (_TENS.split(" ")[tens], small[ones]))).lower()
    if is_ordinal:
        first, hyphen, last = words.rpartition("-")
        ending = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
        words = first + hyphen + _ENDINGS.get(last, ending)
    return words.capitalize()
