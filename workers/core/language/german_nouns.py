"""Recognises capitalised German words that are common nouns, by endings and neighbouring words."""

from __future__ import annotations

import re

from workers.core.language.name_words import GIVEN_NAMES

_COMMON_ENDINGS = re.compile(
    r".{2,}(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|tät|täten|nis|nisse|nissen|tum|"
    r"ling|"
    r"linge|chen|lein|ismus|ment|mente|anz|enz|ur|ik|ie|ien|zeug|werk|werke|stelle|stellen|zeit|zeiten|"
    r"jahr|jahre|"
    r"jahren|jahres|tag|tage|tagen|woche|wochen|monat|monate|monaten|preis|preise|geld|gelder|kosten|zahl|"
    r"zahlen|"
    r"plan|pläne|haus|häuser|hof|platz|weg|bau|bauten|kraft|kräfte|leute|leiter|leiterin|führer|führerin|"
    r"in|innen|"
    r"ern|ler|lern|er|erin|e|en|el|eln|em|s)"
)
# Of those, what also ends names of persons and places.
_NAME_ENDINGS = re.compile(
    r".{2,}(?:burg|berg|dorf|heim|hausen|stadt|furt|furth|bach|ingen|feld|wald|brück|brücken|hafen|itz|ow|"
    r"kirchen|"
    r"stein|stetten|hofen|reuth|münde|rode|leben|lingen|mann|meister|maier|meier|mayer|mayr|huber|müller|"
    r"schmidt|"
    r"schmid|inger|berger|hofer|bauer|moser|eder|sen|witz|ski|eck|tal|au|ach|münster|städt|stätter)"
)
_SURNAME = re.compile(
    r".{2,}(?:mann|meister|maier|meier|mayer|mayr|huber|müller|schmidt|schmid|inger|berger|hofer|moser|sen|"
    r"burg|"
    r"dorf|heim|hausen|ingen|stätter)s?"
)
_ROLE = re.compile(
    r".+(?:er|in|or|ent|ant|ist|mann|frau|chef|e|en|rat|eur|at|är|ung|schaft|keit|heit|ion)s?|firma|projekt|konzern"
)
_TOWN = re.compile(r".{4,}(?<!mitt)(?:el|ler)")  # Oberursel
_ABSTRACT = re.compile(r".{3,}(?:ung|ungen|heit|keit|keiten|schaft|tion|tionen|tät)")
_BARE = frozenset(
    """
    ihr ihre ihren ihrem ihrer ihnen sie
    anfang ende mitte beginn betrieb holz stein stahl glas eisen gold silber beton papier leder stoff sand
    wasser
    milch brot wein bier obst gemüse fleisch fisch salz gas öl strom licht luft feuer schnee regen sturm
    frost wind
    erfolg gewinn verlust bedarf besitz bezug kraft gang fall grund recht gericht gesetz kauf verkauf rat
    amt dienst
    ort stelle raum platz land dorf stadt staat bund kreis haus hof werk bau zug bahn rad auto schiff boot
    bus fuß
    hand kopf herz leib krieg frieden streit mord tod leben geburt haft urlaub winter sommer herbst sommer
    frühling
    frühjahr abend nacht mittag morgen wochen angaben ansicht aussage auskunft antrag auftrag wunsch plan
    ziel zweck
    zahl teil rest mal jahr tag monat woche stunde minute zeit dauer druck zwang not angst mut glück pech
    geld lohn
    preis wert rang titel ruf schutz sicht spiel sport musik tanz kunst text buch brief wort satz bild film
    funk post
    dank hilfe mehrheit leitung aufsicht verein klub chor rat vorstand kauf vertrag zins kredit bank markt
    handel
    export import umsatz ertrag ernte saat korn heu stroh vieh schaf rind pferd kuh huhn hund katze honig
    wachs
    personal team chef sohn tochter vater mutter bruder schwester mann frau kind volk gast gäste publikum
    schnitt
    durchschnitt rahmen laufe zuge folge anschluss zusammenarbeit seite höhe größe länge breite
    """.split()  # noqa: SIM905 - a list of words reads best
)
_MEASURES = frozenset(
    """
    tausende tausenden hunderte hunderten dutzende dutzenden
    euro cent franken mark dollar prozent liter hektoliter meter kilometer quadratmeter kubikmeter hektar kilo
    kilogramm gramm tonne tonnen zentner stück paar dutzend million millionen milliarde milliarden jahre
    jahren
    monate monaten wochen tage tagen stunden uhr ende anfang mitte beginn grad watt kilowatt megawatt volt
    """.split()  # noqa: SIM905 - as above
)
_DETERMINERS = re.compile(
    r"(?:d(?:er|ie|as|en|em|es)|ein(?:e[mnrs]?)?|kein(?:e[mnrs]?)?|(?:mein|dein|sein|ihr|unser|"
    r"euer)(?:e[mnrs]?)?|"
    r"dies(?:e[mnrs]?)|jen(?:e[mnrs])|jed(?:e[mnrs])|welch(?:e[mnrs]?)|all(?:e[mnrs]?)|viel(?:e[mnrs]?)?|"
    r"wenig(?:e[mnrs]?)?|einig(?:e[mnrs])|mehrere[mnrs]?|manch(?:e[mnrs])|beide[mnrs]?|zwei|drei|vier|fünf|"
    r"sechs|"
    r"sieben|acht|neun|zehn|elf|zwölf|hundert|tausend|mehr|genug|etwas|im|am|zum|zur|beim|vom|ins|ans|aufs|"
    r"fürs|"
    r"übers|ums|durchs|pro|je|\d[\d.,]*)"
)
# A verb of saying or doing, in the past or the present.
_SAID = re.compile(
    r"(?!heute|hatte|könnte|konnte|mochte|möchte|musste|müsste|sollte|wollte|durfte|leiste|letzte|beste)"
    r"[a-zäöüß]{3,}(?<!s)te|(?:er|be|ver)?(?:sagt|klärt|nennt)|meint|betont|fordert|gab|nahm|schrieb|fand|"
    r"(?:ver|unter|be)schrieb|erhielt|über(?:nahm|gab|ließ)|vertrat|gewann|bot|schlug"
)
_DERIVED = re.compile(
    r"(?:an|ab|auf|aus|bei|be|dar|ein|ent|er|fort|ge(?!r)|miss|mit|nach|über|um|un|unter|ver|vor|wider|zer|"
    r"zu|zwischen).{3,}"
)
# What a firm's name ends in: Ostermann Bau, Merkur Bank.
_FIRMS = frozenset(
    """
    bau werke verlag bank brauerei gruppe holding reederei metall stahl energie logistik stiftung versicherung
    versicherungen werft molkerei mühle kliniken möbel transporte reisen airlines elektronik
    maschinenbau hochbau tiefbau spedition druck medien textil chemie pharma immobilien ag gmbh kg
    """.split()  # noqa: SIM905 - as above
)
# Before these words nouns say what is led or done: die Leitung Bau.
_OF_FIRMS = re.compile(
    r".*(?:ung|bereich|ressort|(?:leit|arbeit|führ|berat|betreib|minist)er(?:in)?|chef|chefin|amt|branche|"
    r"sparte|thema|projekt|firma|kosten|(?:general|geschäft)\w{1,40})s?"
)
# Behind "in" without an article stand places in -en, and these nouns.
_IN_MANY = re.compile(
    r"(?:um|an|ab|vor|ver|be|ge|aus|ein|auf|unter|über|zu|nach|mit|er|ent|zer|rück|haupt|netz|sonder|teil).{3,}en|"
    r".*(?:[äöü].*|cken(?<!brücken)|ungen|heiten|keiten|schaften|tionen|täten|innen|ismen|enten|anten|isten|oren|ien|chen|"
    r"(?:schul|kist|spend|paus|barack|sach|frag|red|kart|list|kapell|mapp|tass|kass|trupp|tropf|vill|bot|"
    r"grupp|rat|teil|phas|etapp|hand|flasch|sack|schicht|klass|firm|reih|akt|zeit|muse|kirch|"
    r"betrieb|wochen|stund|tag|monat|jahr|fahrt|seit|zeil|spalt|tabell|form|farb|gass|straß|eck|hall|bahn|"
    r"anlag|fabrik|praxis|prax|klinik|bibliothek|apothek|werkstatt|verhandl|bereich|ort|region|provinz|staat|"
    r"nation|kommun|gemeind|kammer|kurs|themen?|them|problem|system|program|projekt|dokument|text|wort|satz|"
    r"gebiet|fall|schritt|stuf|auflag|ausgab|bänd|grenz|schrank|box|dos|tüt|tonn|mass|meng|größ|läng|"
    r"sprach|person|famili|runden?|rund|woch|minut|sekund|dekad|epoch|krisen?|kris|not|trümmer|ruin|flamm|"
    r"trän|ketten?|kett|serien?|zon|eben|höh|tief|linien?|preis|kost|ding|gedank|aug|ohr|herz|boden|waren?)en?)"
)
_PART = 5  # letters: shorter words are in too many
_TOWARDS = frozenset(("in", "aus", "nach"))
_PLACING = frozenset(("in", "aus", "nach", "von", "bei", "bis", "nahe", "über", "durch"))


def is_common_noun(word: str, before: str, after: str, words: frozenset[str]) -> bool:
    """Return whether a German word with a capital inside a sentence is a common noun.

    Args:
        word: as written.
        before: the word before it, as written; "" where it begins the sentence, or something parts the two.
        after: the word behind it, in the same way.
        words: words of the text to search, in lower case.
    """
    small = word.casefold()
    forms = {small, small.removesuffix("s")}
    if not forms.isdisjoint(GIVEN_NAMES):
        return False
    if _is_of_firm(small, before, after):
        return False
    if not forms.isdisjoint(_BARE | _MEASURES) or _is_compound(small, words):
        return True
    return _is_common_beside(small, before, after, words)


def _is_common_beside(small: str, before: str, after: str, words: frozenset[str]) -> bool:
    if before[:1].isupper() and before.casefold() not in _MEASURES and not is_determiner(before):
        return _ABSTRACT.fullmatch(small) is not None
    if is_determiner(before):
        return True
    placed = is_placing(before)
    if (after[:1].isupper() and after.casefold() in words and not _ROLE.fullmatch(small)) or (
        _NAME_ENDINGS.fullmatch(small) and (placed or not before)
    ):
        return False
    if placed:
        if before.casefold() in _TOWARDS and _names_place(small, before.casefold()):
            return False
        return _COMMON_ENDINGS.fullmatch(small) is not None and _TOWN.fullmatch(small) is None
    return _SURNAME.fullmatch(small) is None and not _is_subject(small, before, after)


def _is_subject(small: str, before: str, after: str) -> bool:
    """Return whether a word without an article after a verb is its subject: das bezifferte Brandt.

    A common noun there is plural, a mass or abstract: "das erforderte Anstrengungen", "er hatte Zugang".
    """
    return (
        _SAID.fullmatch(before) is not None
        and not after[:1].isupper()
        and _COMMON_ENDINGS.fullmatch(small) is None
        and _DERIVED.match(small) is None
    )


def _is_of_firm(small: str, before: str, after: str) -> bool:
    """Return whether a word precedes the legal form of a firm, as only a name does."""
    return (
        after[:1].isupper()
        and after.casefold() in _FIRMS
        and (before.casefold() not in {"am", "im", "beim"})
        and _OF_FIRMS.fullmatch(small) is None
        and not is_determiner(small)
        and small not in _BARE
        and small not in _MEASURES
    )


def _names_place(small: str, before: str) -> bool:
    """Return whether a word that follows "in" or the like without an article can only be a place."""
    if small.endswith("walde") or (small.endswith("in") and len(small) > _PART):
        return True
    return before == "in" and small.endswith("en") and _IN_MANY.fullmatch(small) is None


def is_placing(word: str) -> bool:
    """Return whether a word is a preposition of place, so that a place may follow: in, aus, nach."""
    return word.casefold() in _PLACING


def is_determiner(word: str) -> bool:
    """Return whether a noun after this word is a common noun: it is an article, a number or an adjective."""
    return _DETERMINERS.fullmatch(word.casefold()) is not None


def _is_compound(word: str, words: frozenset[str]) -> bool:
    """Return whether a word is made of a word of the text and another: Preisgeld."""
    return any(
        word.endswith(other) or (word.startswith(other) and len(word) - len(other) >= _PART)
        for other in words
        if len(other) >= _PART
    )
