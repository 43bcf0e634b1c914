"""Lists the functions and procedures that a statement may call, and their return kinds."""

from __future__ import annotations

import difflib

from workers.text2cypher.lexer import refusal
from workers.text2cypher.syntax import Part, words

# Built-in functions compare without regard to case. What is not listed is not called: what reads files or
# calls models, what returns more than it is given, all of APOC: some of it runs texts as Cypher.
NUMBERS = words(  # or dates, true and false: values that take no more room than a number
    """
    avg count sum stdev stdevp percentilecont percentiledisc exists isempty size length char_length id
    abs ceil floor round sign sqrt exp log log10 rand pi e isnan
    tointeger tointegerornull tofloat tofloatornull toboolean tobooleanornull
    date datetime localdatetime time localtime duration timestamp
    date.truncate datetime.truncate localdatetime.truncate
    datetime.fromepoch datetime.fromepochmillis
    duration.between duration.indays duration.inmonths duration.inseconds
    point point.distance
    """
)
OF_GRAPH = words("type elementid labels keys nodes relationships startnode endnode")
# A text from a text, never a longer one but by replace; what else they are given is a number or stands there.
TEXTS = words(
    "toupper tolower upper lower trim ltrim rtrim btrim left right substring split replace tostring"
    " tostringornull"
)
SAME = words("min max coalesce nullif tail reverse properties")  # as what they are given
MEMBERS = words("head last")
FUNCTIONS = NUMBERS | OF_GRAPH | TEXTS | SAME | MEMBERS | {"collect", "range"}
# Procedures that list a graph's schema. They return only names, bounded by the schema.
PROCEDURES = ("db.labels", "db.relationshipTypes", "db.propertyKeys")
_INSTEAD = {
    "reduce": "sum(…) or collect(…), with UNWIND before them where a list is stored",
    "apoc.coll.toset": "collect(DISTINCT …)",
    "apoc.text.join": "collect(…), which returns a list",
    "apoc.coll.sum": "sum(…)",
    "apoc.coll.max": "max(…)",
    "apoc.coll.min": "min(…)",
    "apoc.convert.tojson": "the value itself",
    "tolist": "collect(…)",
    "lcase": "toLower(…)",
    "ucase": "toUpper(…)",
    "len": "size(…)",
    "distance": "point.distance(…)",
}


def check_calls(text: str, statement: Part) -> None:
    """Refuse calls of functions and procedures that are not on the lists.

    Raises:
        CypherRefused: it names the function or procedure, and one that comes near.
    """
    clauses = (clause for clause in statement.every("clause") if clause.name == "CALL procedure")
    procedures = {id(clause.parts[0]) for clause in clauses}
    for call in statement.every("call"):
        if id(call) in procedures:
            if call.name.lower() not in map(str.lower, PROCEDURES) or call.parts:
                allowed = ", ".join(f"{name}()" for name in PROCEDURES)
                raise refusal(text, call.token.at, f"the procedure {call.name}", allowed)
        elif call.name.lower() not in FUNCTIONS:
            raise refusal(text, call.token.at, f"the function {call.name}", instead_of(call.name))
        elif call.name.lower() != "exists" and call.own("pattern"):
            what = f"a pattern as an argument of {call.name}"
            raise refusal(text, call.token.at, what, "COUNT { (a)-->(b) }, or a pattern as a condition")


def instead_of(name: str) -> str:
    """Return what may be written in place of a function that is not listed."""
    if name.lower() in _INSTEAD:
        return _INSTEAD[name.lower()]
    near = difflib.get_close_matches(name.lower(), FUNCTIONS, n=3)
    return (
        ", ".join(f"{function}()" for function in near)
        if near
        else "Cypher's functions of numbers, texts and dates"
    )
