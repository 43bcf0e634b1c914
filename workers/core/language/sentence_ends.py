"""Finds the ends of sentences with the library sentencex, corrected where it splits too much or too little.

The library knows abbreviations, numbers and lists of many languages. It never splits quoted speech and
brackets, however many sentences they contain, so it gets the text without these marks.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache

from sentencex import get_sentence_boundaries

from workers.core.language.languages import DEFAULT, language_of

SPLITTER = 4  # counts up when sentences end elsewhere; 1 was hopline's own rule

_SECTION = 20_000  # characters that the library is given at once: for some texts it needs their square
# For each point in a text of these languages the library needs a hundred times as long as in others. No prose
# has more than so many in a section; "Dr. Dr. Dr." has.
_SLOW, _MOST_POINTS = frozenset(("da", "ca")), 500
_SHORT, _KEPT = 4_000, 512  # characters, texts: a chunk's sentences are wanted again when it is linked
# Holds no end but its own: no mark inside that may be one, of an abbreviation, a list or a quotation.
_ONE_SENTENCE = re.compile(r"[A-Za-zÀ-ÖØ-öø-ž0-9][A-Za-zÀ-ÖØ-öø-ž0-9 ,'’-]*+[.!?]?+\s?")
_MARKED = re.compile(r"[.!?;:][^\w\n]*(?:\s|$)")  # that may be an end in one language and none in another
_AHEAD = 500  # characters behind an end that tell whether it is one
# Shown as spaces: quotation marks, single ones only at the edge of a word, and brackets around a sentence.
_QUOTES = str.maketrans(dict.fromkeys('"“”„«»‹›', " ") | dict.fromkeys("⁃‣◦▪●∙", "•"))
_SINGLE = re.compile(r"(?<![^\s(\[“„«])['’‘‚](?=\w)|(?<=[\w.!?…,;])['’‘](?=[\s)\]”».,;!?]|$)")
_BRACKETS = re.compile(r"\(([^()]{0,1000}[.!?…])\)(?=\s|$)")
_LONGEST_WORD = 40  # characters before an end that tell whether it is one
_POINTS = (".", "!", "?", "…")
_WIDE_CLOSING = "」』）】》〉"
_CLOSING = "\"”“’'‘»›)] \u00a0\u202f" + _WIDE_CLOSING
_CONTINUING = frozenset(",;:/)%&=+*")
_WORD = re.compile(r"\w+")
_SURROGATE = re.compile("[\ud800-\udfff]")

_CLOSERS = re.compile(rf"(?:[\u00a0\u202f ]?[»›]|[\"”’')\]{_WIDE_CLOSING}])*")
_CLOSERS_LOW = re.compile(
    rf"(?:[\u00a0\u202f ]?[»›]|[\"”“’‘')\]{_WIDE_CLOSING}])*"
)  # where quotations begin below
_LOW = re.compile(r"[„‚]|,,")
# Stops that are nothing else, whatever follows. The library wants a letter behind those that it knows.
STOPS = "。｡！？।॥۔؟։።፧။។៕"
_WIDE = re.compile(r"[「『（\u3040-\u30ff\u3400-\u9fff]")  # kana and Chinese characters, also quoted
_STOP = re.compile(rf"《[^《》\n]{{0,100}}》|[{STOPS}]++|(?<={_WIDE.pattern})[?!]++(?={_WIDE.pattern})")
_QUOTED = re.compile(r"(?<=[」』])[とっなのをがはもにで]")  # the sentence that quotes goes on
_NEXT = re.compile(r"\s*[\"“”„«‹‘’'‚(\[]*\s*")  # what may stand before the first letter of a sentence
_BLANK = re.compile(r"\n\s*\n")
# A line without a letter or number stands by itself; one that ends with a colon leads to what follows.
_RULE = re.compile(r"^[^\S\n]*(?:[^\w\s]|_)(?:[^\w\n]|_)*$", re.MULTILINE)
_ROW = re.compile(r"^[^\S\n]*\|.*\|[^\S\n]*$", re.MULTILINE)  # of a table in Markdown: a statement of its own
_LEADING = re.compile(r":(?=[^\S\n]*\n\s*[^\W\d_])")
# Lines that are a statement each: entries of a log, and `key: value` where two or more follow one another.
_ENTRY = re.compile(
    r"^[ \t]*\[?(?:\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d\b|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|\d{1,3}(?:\.\d{1,3}){3} |(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b)",
    re.MULTILINE,
)
_FIELD = re.compile(r"^[ \t]*[^\W\d_][\w .()/-]{0,40}:[ \t]+\S.*$", re.MULTILINE)
# A stop without a blank behind it, before a word that begins sentences: names of files and code have others.
_GLUED = re.compile(
    r"[.!?](?=[A-Z])(?<=\w[^\W_].)(?=(?:The|It|He|She|They|We|You|This|That|These|Those|There|His|Her|Its|Their|Our|In|On|At"
    r"|An?|When|After|Before|For|From|With|By|But|And|However|If|While|Since|Der|Die|Das|Er|Sie|Es|Ein|Eine|Im"
    r"|El|La|Los|Las|Un|Una|En|Le|Les|Il|Elle|Ils|Dans|O|Os|Em|Gli|Nel)[ \t\n])"
)
_MARKER = re.compile(r"\s*+(?:[•*–-]\s*+)?(?:\d{1,3}|[^\W\d_]|[ivxIVX]{1,4})[.)]++\s*+")
_ITEM = re.compile(r"(?<!\S)(?:•\s*)?(\d{1,3}|[a-z])(\.\)|[.)])(?=\s+\w)")

_TITLE = re.compile(
    r"\b(?:Mr|Mrs|Ms|Mx|Dr|Prof|Rev|Hon|Gen|Col|Lt|Sgt|Capt|Cmdr|Maj|Adm|Sen|Rep|Gov|Atty|Supt|Messrs|Mme|Mlle)\.$"
)
_BEFORE_NUMBER = re.compile(
    r"(?:\b(?:[Nn]os?|[Nn]r?|[Nn][úu]ms?|[Vv]ols?|[Pp]p?|[Ff]igs?|[Ee]qs?|[Ss]ecs?|[Cc]hs?|[Aa]rts?|ca|cf|approx|[Ee]st)"
    r"|\b[Nn][°º]|№)\.$"
)
# Words that the library takes for abbreviations, of a state or a month among others.
_NO_ABBREVIATION = re.compile(r"\b(?:arc|art|fed|ill|may|me|miss|ore)\.(?=\s+[A-Z])")
# Languages that write an ordinal as a number with a point: "im 19. Jahrhundert".
_ORDINALS = frozenset(("de", "da", "fi", "cs", "sk", "pl", "hu", "tr"))
_ORDINAL = re.compile(r"(?<!\S)\d{1,2}\.$")
# What begins a sentence behind a number rather than naming what is counted.
_STARTERS = re.compile(
    r"(?:der|die|das|den|dem|eine?|er|sie|es|wir|ich|ihr|du|man|i[nm]|a[nmu]s?|auf|bei|mit|nach|von|zu|für|über"
    r"|und|aber|doch|dann|da|dort|so|wenn|als|wie|was|wer|wo|dies|diese[rs]?|hier|nun|seine?|ihre|det?|en|et"
    r"|han|hun)\b",
    re.IGNORECASE,
)


def sentence_ends(text: str) -> Iterator[int]:
    """Yield where the sentences of a text end, in order; the last end is that of the text."""
    if _ONE_SENTENCE.fullmatch(text):  # as most facts are
        yield len(text)
        return
    if len(text) <= _SHORT:
        yield from _kept_ends(text)
        return
    start = 0
    while len(text) - start > _SECTION:
        ends = [end for end in _ends(text[start : start + _SECTION]) if end <= _SECTION - _AHEAD]
        yield from (start + end for end in ends)
        begins_late = ends and ends[-1] > _SECTION // 2
        start += ends[-1] if begins_late else _SECTION - _AHEAD
    yield from (start + end for end in _ends(text[start:]))


@lru_cache(maxsize=_KEPT)
def _kept_ends(text: str) -> tuple[int, ...]:
    return tuple(_ends(text))


def _ends(text: str) -> list[int]:
    """Return the ends of the sentences of a section, in order."""
    shown = _shown(text)
    hard = {match.start() for match in _BLANK.finditer(text)}
    hard.update(match.end() for match in _LEADING.finditer(text))
    rows = [row.span() for row in _ROW.finditer(text)]
    hard.update(edge for row in rows for edge in row)
    for rule in _RULE.finditer(text):
        hard.update(rule.span())
    hard.update(_statement_lines(text))
    # Of rows and code, telling the language takes longer than finding the ends, which are the same in all.
    language = DEFAULT if text.isascii() and not _MARKED.search(text) else language_of(text)
    if language in _SLOW and shown.count(". ") > _MOST_POINTS:
        language = DEFAULT
    seen = list(_library_ends(text, shown, language))
    cased = _is_cased(text, seen)
    ends = hard | {end for end in seen if not _goes_on(text, end, language, cased=cased)}
    ends.update(match.end() for match in _GLUED.finditer(shown))
    for marker in _items(shown, sorted(hard)):
        ends.add(marker.start())
        ends.discard(marker.end())
    ordered = sorted(ends - {0, len(text)})
    for start, last in reversed(rows):
        del ordered[bisect_right(ordered, start) : bisect_left(ordered, last)]
    return [*_worded(text, ordered, hard), len(text)]


def _statement_lines(text: str) -> Iterator[int]:
    """Yield the beginnings of lines that are statements."""
    entries = [entry.start() for entry in _ENTRY.finditer(text)]
    if len(entries) > 1:
        yield from entries
    before = None
    for field in _FIELD.finditer(text):
        if before is not None and field.start() == before.end() + 1:
            yield from (before.start(), field.start())
        before = field


def _shown(text: str) -> str:
    """Return a text of the same length as the library is to see it."""
    narrow = _BLANK.sub(lambda gap: "\n\n" + " " * (len(gap[0]) - 2), text)
    shown = _BRACKETS.sub(r" \1 ", _SINGLE.sub(" ", narrow)).translate(_QUOTES)
    return shown if shown.isascii() else _SURROGATE.sub("?", shown)


def _library_ends(text: str, shown: str, language: str) -> Iterator[int]:
    """Yield the ends found by the library, each after closing quotation marks and brackets."""
    boundaries = get_sentence_boundaries(language, shown)[:-1]
    ends = [sentence["start_index"] + len(sentence["text"].rstrip()) for sentence in boundaries]
    if language == "en":
        ends += [word.end() for word in _NO_ABBREVIATION.finditer(shown)]
    if not text.isascii():
        ends += [stop.end() for stop in _STOP.finditer(text) if stop[0][0] != "《"]  # of a work's title
    closers = _CLOSERS_LOW if _LOW.search(text) else _CLOSERS
    for end in ends:
        closed = closers.match(text, end)
        behind = closed.end() if closed else end
        if not _QUOTED.match(text, behind):
            yield behind


def _begin_behind(text: str, end: int) -> int:
    """Return the position of the next sentence's first character, after spaces and opening marks."""
    opened = _NEXT.match(text, end)
    return opened.end() if opened else end


def _is_cased(text: str, ends: list[int]) -> bool:
    """Return whether the sentences of a text begin with capitals rather than with small letters."""
    begins = [text[begin : begin + 1] for begin in (_begin_behind(text, end) for end in ends)]
    return sum(letter.isupper() for letter in begins) >= sum(letter.islower() for letter in begins)


def _goes_on(text: str, end: int, language: str, *, cased: bool) -> bool:
    """Return whether a sentence continues after an end found by the library."""
    before = text[max(0, end - _LONGEST_WORD) : end].rstrip(_CLOSING)
    if not before.endswith(_POINTS):
        return False  # a list, or a full stop that means nothing else
    begin = _begin_behind(text, end)
    following = text[begin : begin + 1]
    if begin == end and not (before[-1] in "?!" and _WIDE.match(following)):
        # example.com, but a quotation may be followed at once
        return text[end - 1] == before[-1] or not following.isupper()
    if following.islower():
        return cased or before[-1] in "!?…" or not text.startswith(before, end - len(before))
    if following.isdigit():
        return _BEFORE_NUMBER.search(before) is not None
    if following.isupper():
        counted = language in _ORDINALS and _ORDINAL.search(before) and not _STARTERS.match(text, begin)
        return bool(counted or _TITLE.search(before))
    return following in _CONTINUING


def _items(shown: str, hard: list[int]) -> Iterator[re.Match[str]]:
    """Yield the markers of lists whose items follow one another on a line: "1. … 2. …"."""
    items: list[re.Match[str]] = []
    for marker in _ITEM.finditer(shown):
        if items and _value(marker) == _value(items[-1]) + 1 and marker[2] == items[-1][2]:
            items.append(marker)
            continue
        if len(items) > 1:
            yield from items
        items = [marker] if _begins_list(shown, marker, hard) else []
    if len(items) > 1:
        yield from items


def _value(marker: re.Match[str]) -> int:
    return int(marker[1]) if marker[1].isdigit() else ord(marker[1])


def _begins_list(shown: str, marker: re.Match[str], hard: list[int]) -> bool:
    place = bisect_right(hard, marker.start())
    before = shown[hard[place - 1] if place else 0 : marker.start()].rstrip()
    return not before or (before.endswith(":") and marker[1] in {"1", "a"})


def _worded(text: str, ends: list[int], hard: set[int]) -> Iterator[int]:
    """Yield the ends of real sentences, not of mere punctuation or list markers."""
    begin, worded = 0, False
    for end in ends:
        marker = not worded and end - begin < _LONGEST_WORD and _MARKER.fullmatch(text, begin, end)
        worded = worded or (not marker and _WORD.search(text, begin, end) is not None)
        if end in hard or worded:
            yield end
            worded = False
        begin = end
