"""Short forms that everybody writes out alike: St for Saint, B.A., the letters of a state after a town."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

# Names of several words that need no text to tell them; the initials of what a text writes out need no list.
WRITTEN_OUT: Mapping[str, Sequence[str]] = {
    "United States": ("US", "U.S.", "USA", "America", "American", "Americans"),
    "United Kingdom": ("UK", "U.K.", "Britain", "British"),
    "United Nations": ("UN", "U.N."),
    "European Union": ("EU", "E.U."),
    "Soviet Union": ("USSR", "Soviet", "Soviets"),
    "World War I": ("First World War", "World War One", "World War 1", "WWI", "WW1"),
    "World War II": ("Second World War", "World War Two", "World War 2", "WWII", "WW2"),
    "New York City": ("NYC",),
    "District of Columbia": ("DC", "D.C."),
    "Bachelor of Arts": ("BA", "B.A."),
    "Bachelor of Science": ("BS", "B.S.", "BSc", "B.Sc."),
    "Master of Arts": ("MA", "M.A."),
    "Master of Science": ("MS", "M.S.", "MSc", "M.Sc."),
    "Master of Business Administration": ("MBA",),
    "Doctor of Philosophy": ("PhD", "Ph.D."),
    "Juris Doctor": ("JD", "J.D."),
    "Doctor of Medicine": ("MD", "M.D."),
    "Officer of the Order of the British Empire": ("OBE",),
    "Commander of the Order of the British Empire": ("CBE",),
    "Member of the Order of the British Empire": ("MBE",),
    "Member of Parliament": ("MP",),
    "Federal Bureau of Investigation": ("FBI",),
    "Central Intelligence Agency": ("CIA",),
    "National Aeronautics and Space Administration": ("NASA",),
    "North Atlantic Treaty Organization": ("NATO",),
    "World Health Organization": ("WHO",),
    "British Broadcasting Corporation": ("BBC",),
    "National Basketball Association": ("NBA",),
    "National Football League": ("NFL",),
    "National Hockey League": ("NHL",),
    "Major League Baseball": ("MLB",),
    "Grand Prix": ("GP",),
    "Chief Executive Officer": ("CEO",),
}
# A word, and what it is cut to; st is of two.
_CUT = """
    saint st; street st; mount mt; fort ft; doctor dr; professor prof; junior jr; senior sr; general gen;
    colonel col; captain capt; lieutenant lt; sergeant sgt; admiral adm; governor gov; senator sen;
    representative rep; reverend rev; president pres; department dept; university univ; institute inst;
    association assn assoc; brothers bros; company co; corporation corp; incorporated inc; limited ltd;
    international intl; national natl; government govt; avenue ave; boulevard blvd; road rd; monday mon;
    tuesday tue tues; wednesday wed; thursday thu thurs; friday fri; saturday sat; sunday sun
"""
_CUT_FORMS = tuple(frozenset(line.split()) for line in _CUT.split(";"))
_STATES = """
    AL Alabama; AK Alaska; AZ Arizona; AR Arkansas; CA California; CO Colorado; CT Connecticut; DE Delaware;
    FL Florida; GA Georgia; HI Hawaii; ID Idaho; IL Illinois; IN Indiana; IA Iowa; KS Kansas; KY Kentucky;
    LA Louisiana; ME Maine; MD Maryland; MA Massachusetts; MI Michigan; MN Minnesota; MS Mississippi;
    MO Missouri; MT Montana; NE Nebraska; NV Nevada; NH New Hampshire; NJ New Jersey; NM New Mexico;
    NY New York; NC North Carolina; ND North Dakota; OH Ohio; OK Oklahoma; OR Oregon; PA Pennsylvania;
    RI Rhode Island; SC South Carolina; SD South Dakota; TN Tennessee; TX Texas; UT Utah; VT Vermont;
    VA Virginia; WA Washington; WV West Virginia; WI Wisconsin; WY Wyoming
"""
_STATE_OF = dict(line.split(maxsplit=1) for line in _STATES.split(";"))
_AFTER_TOWN = re.compile(r"(?<=[^\W\d_A-Z], )(?:[A-Z]{2}|[A-Z]\.[A-Z]\.)(?!\w)")


def cut_forms(word: str) -> Iterator[str]:
    """Yield the other forms of a case-folded word that everybody cuts alike."""
    for forms in _CUT_FORMS:
        if word in forms:
            yield from forms - {word}


def states_after_towns(text: str) -> Iterator[str]:
    """Yield the states of the USA that two letters after a town's name stand for, as in Brookings, SD."""
    for match in _AFTER_TOWN.finditer(text):
        if state := _STATE_OF.get(match.group().replace(".", "")):
            yield state
