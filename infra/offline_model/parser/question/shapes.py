"""Classifies a question by its form, whatever it is about."""

from __future__ import annotations

import re

_WHOM = ".{1,200}"  # a question's description of somebody or something


def _form(*phrases: str, head: str = r"\b(?:", tail: str = r")\b") -> re.Pattern[str]:
    return re.compile(head + "|".join(phrases) + tail, re.IGNORECASE)


_THANKS = _form(
    "thanks?|thank you|thx|cheers|great|perfect|nice",
    head=r"^\W*(?:many |ok(?:ay)?,? )?(?:",
    tail=r")\b[^?]*$",
)
_GREETING = _form(
    "hello|hi|hey|good (?:morning|afternoon|evening|day)|greetings|bye|goodbye|see you",
    head=r"^\W*(?:",
    tail=r")\b[^?]{0,40}\W*$",
)
_ABOUT_YOU = _form(
    "how are you|who are you|what are you|what can you do|how do you do|are you there",
    head=r"^\W*(?:(?:hello|hi|hey)\b[,!. ]*)?(?:",
)
_REPEAT = _form("repeat (?:that|it)|say (?:that|it) again|what did you (?:just )?say|your last answer")
_CONNECTION = _form(
    "connect(?:s|ed|ion|ions)?|links?|linked|relates?|related|path|paths|hang together",
    "in common|to do with",
    f"degrees? of separation|ties?|how (?:does|do|did|is|are) {_WHOM} know",
)
_JOURNEY = _form(
    r"journey|over time|over the years|chapter by chapter|in the course of|throughout|develop\w*|evolve\w*",
    f"how (?:did|does|do) {_WHOM} (?:come|came|get|change|fare|end up|become)|history of|timeline",
    "step by step|becomes? of|became of|(?:does|did) it go with",
)
_EVENT = _form("events?|turning points?|liv(?:e|es|ed) through|happen(?:s|ed)?|milestones?|major moments?")
_DETAIL = _form(
    "(?<!.)why|reasons?|because|quot(?:e|es|ation|ations)|passages?|details?|describe[ds]?|description|explain",
    f"document(?:s|ed)?|texts? say|mentioned|word for word|what does {_WHOM} (?:say|look like)",
)
_AGGREGATE = _form(
    "how many|number of|count|most|fewest|least|average|mean|total|sum|minimum|maximum|oldest|youngest",
    "newest",
    r"latest|earliest|highest|lowest|largest|smallest|longest|shortest|best|worst|top \w+|first \w+ [a-z]+s",
    "(?:more|less|fewer|greater|higher|lower|older|younger|earlier|later) than|at least|at most|before|after",
    r"since|between \d+|in the \d{4}s|(?:over|above|below|under) \d+|in \d{4}|same|both|contain(?:s|ing)",
    "starting with",
)
_ABOUT = _form(
    r"^\W*tell me (?:something |more |everything )?(?:about|of)",
    r"\bknown? (?:of|about)|\brelations?(?:hips?)? of|\binformation (?:on|about)|\bbelongs? to",
    rf"\bwhom? (?:does|do|did|is|all)\b(?:{_WHOM})? know|\bhow (?:does|do|did) {_WHOM} stand to others",
    head="(?:",
)


def is_courtesy(text: str) -> bool:
    """Return whether a text only thanks, greets, or asks the machine about itself."""
    return any(form.search(text) for form in (_THANKS, _GREETING, _ABOUT_YOU))


def is_thanks(text: str) -> bool:
    """Return whether it thanks."""
    return bool(_THANKS.search(text))


def is_repeat(text: str) -> bool:
    """Return whether it asks for something already said."""
    return bool(_REPEAT.search(text))


def is_connection(text: str) -> bool:
    """Return whether it asks how things hang together."""
    return bool(_CONNECTION.search(text))


def is_journey(text: str) -> bool:
    """Return whether it asks how things went over time."""
    return bool(_JOURNEY.search(text))


def is_event(text: str) -> bool:
    """Return whether it asks for events."""
    return bool(_EVENT.search(text))


def is_detail(text: str) -> bool:
    """Return whether it asks for something found only in texts: reasons, words, descriptions."""
    return bool(_DETAIL.search(text))


def is_aggregate(text: str) -> bool:
    """Return whether it counts, sorts, compares, or filters."""
    return bool(_AGGREGATE.search(text))


def is_about(text: str) -> bool:
    """Return whether it asks for whatever is known of something."""
    return bool(_ABOUT.search(text))
