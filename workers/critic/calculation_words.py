"""Words by which the check of calculations recognises constants, fractions, changes and non-things."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

_QUARTER = "quarter|quartal|viertel|trimest|kwarta|квартал|季|四半期|분기|quart|cuart|四分之"
_DAY = r"\bdays?\b|\bdail|\btage?|täglich|jour|\bd[ií]as?\b|giorn|\bdag|\bdni\b|дн|день|日|天|일"
# Numbers that may stand in an expression without a citation, by the words that must be said with them.
CONSTANTS: Mapping[int, re.Pattern[str]] = {
    number: re.compile(words, re.IGNORECASE)
    for number, words in {
        2: r"\bhal[fvb]|hälfte|moiti|demi|mitad|medi[oa]|met[àa]\b|mezz|helft|połow|половин|半|二分之|절반|"
        r"\bdouble|twice|doppel|doble|doppi|dobro|dubbel|вдвое|倍|배",
        3: rf"third|drittel|tiers|tercio|terz[oi]|terço|derde|трет|三分之|triple|dreifach|{_QUARTER}",
        4: _QUARTER,
        7: rf"week|woche|semaine|semana|недел|周|週|{_DAY}",
        12: r"month|monat|\bmois\b|mensuel|\bmes(?:es)?\b|mensual|mes[ei]\b|mensil|"
        r"m[eê]s\b|maand|miesi|месяц|月|월",
        24: r"hour|stund|heure|\bhoras?\b|\bor[ae]\b|\buur|godzin|час|小时|時間|시간",
        52: r"week|woche|semaine|semana|settiman|tydzie|tygod|недел|周|週|星期|주",
        60: r"minut|second|sekund|минут|секунд|分|秒|분|초",
        365: _DAY,
        1000: r"‰|per mille?\b|promille",
    }.items()
}
FRACTIONS: Sequence[tuple[Decimal, re.Pattern[str]]] = tuple(
    (Decimal(over) / Decimal(under), re.compile(words, re.IGNORECASE))
    for over, under, words in (
        (2, 3, r"two[ -]thirds|zwei drittel|deux tiers|dos tercios|三分之二|3分の2"),
        (3, 4, r"three[ -](?:quarters|fourths)|drei ?viertel|trois quarts|tres cuartos|四分之三|4分の3"),
        (1, 3, r"(?:(?:one|a)[ -])?third|(?:ein )?drittel|un tiers|un tercio|三分之一|3分の1"),
        (1, 4, r"(?:(?:one|a)[ -])?(?:quarter|fourth)|(?:ein )?viertel|un quart|un cuarto|四分之一|4分の1"),
        (1, 2, r"(?:one[ -])?half|(?:die )?hälfte|la moitié|la mitad|一半|半分"),
        (2, 1, r"double|twice|(?:das )?doppelte?|le double|el doble|两倍|兩倍|2倍"),
        (3, 1, r"triple|three times|(?:das )?dreifache|le triple|el triple|三倍|3倍"),
    )
)
# Parts of a year in a sentence without a number: "one quarter's rent".
PARTS = re.compile(r"\b(?:(?:one|a|per) )?(?:quarter|half|third|fourth)(?=\b|ly\b)", re.IGNORECASE)
# Phrases for counting both the first and the last day: one more day than the difference.
_ENDS = (
    r"both days|(?:first|last|final|opening|closing) days?|both dates|start and end|beide\w? tage?|"
    r"(?:ersten|erster|letzte[rn]?) tag\w{0,2}|premier|dernier|los dos días|primer|último|"
    r"primo|ultimo|首尾|两天|兩天|首日|末日|当日|當日|初日|最終日|両日|両端|첫날|마지막"
)
_COUNTS = (
    r"inclu(?:d(?:ed|ing|es?)|s|sive|si|indo|yendo|ido|idos)\w{0,3}|count(?:ed|ing|s)?|(?:mit|ein)gerechnet|"
    r"einschließlich|inklusiv\w{0,2}|inbegriffen|y compris|inclus\w{0,3}|compres[oi]|meegerekend|włącznie|"
    r"включ\w{0,9}|包含|包括|含|計入|计入|含め|を含|포함"
)
_APART = r"[^.;!?。；！？]{0,15}?"
INCLUSIVE = re.compile(
    rf"\binclusive(?:ly)?\b|\bwith both days\b|(?:{_ENDS}){_APART}(?:{_COUNTS})|"
    rf"(?:{_COUNTS}){_APART}(?:{_ENDS})|"
    r"\bboth (?:days )?included|włącznie|включительно|含首尾",
    re.IGNORECASE,
)
NOT_INCLUSIVE = re.compile(
    r"\b(?:not|never|without|neither|nor|exclu\w{1,6}|except|nicht|ohne|weder|kein\w{0,2}|sans|sin|no|non|senza|"
    r"niet|zonder|nie|bez)\b|\bexklusiv|\bне\b|\bбез\b|不|未|没|除|ない|除く|제외|않",
    re.IGNORECASE,
)
# How a sentence says that something became more, or less; one that says both says nothing for a number.
ROSE = re.compile(
    r"\b(?:rose|risen|rise[sn]?|grew|grown|increas|climb|up by|higher|(?:ge|an)?stieg|erhöh|zunahm|"
    r"zugenommen|wuchs|gewachsen|höher|augment|hausse|progress|accr[uo]|aument|subi[óe]|crec|increment|"
    r"вырос|возрос|увелич|повыси|рост\b)"
    r"|增[加长長]|上升|上涨|上漲|提高|増[加え]|上昇|上がっ|伸び",
    re.IGNORECASE,
)
FELL = re.compile(
    r"\b(?:fell|fall(?:s|en)?\b|drop|declin|decreas|sank|shrank|shrunk|reduc|down by|lower|(?:ge)?s[au]nk|"
    r"gefallen|fiel|verringer|abnahm|abgenommen|zurückg|niedriger|baiss|diminu|recul|chut|"
    r"bajó|baja|cayó|caíd|descen|disminu|снизи|упал|уменьш|сократи|паден)|减少|減少|下降|下跌|降低|減[っりる]|下が[っる]|低下",
    re.IGNORECASE,
)
PER_TIME: Mapping[
    str, re.Pattern[str]
] = {  # what a sentence must say where its value is one per unit of time
    "second": CONSTANTS[60],
    "minute": CONSTANTS[60],
    "hour": CONSTANTS[24],
    "day": CONSTANTS[365],
    "week": CONSTANTS[52],
    "month": CONSTANTS[12],
    "year": re.compile(
        r"year|jahr|\bann|\ban\b|\baños?\b|\banual|год|лет|jaar|\bro[ck]|年|연|년", re.IGNORECASE
    ),
}
_NEVER_COUNTED = """
    a an and are as at be but by for from had has have in is it its no not of on or that the their these this
    those to was were which who with aber als am an auf aus das dem den der des die ein eine er es für hat im
    in ist mit nicht oder sie sind und von war waren zu au aux avec dans de des du elle en est et il la le les
    mais ont ou par pas pour qui sont sur un une al con del el está las los no o para pero por que se son su
    una y а в для и из или к на не но о он она по с что это 的 了 和 与 與 在 是 也 或 は が を に の と で も
"""
NEVER_COUNTED = frozenset(_NEVER_COUNTED.split())  # words that are no thing
