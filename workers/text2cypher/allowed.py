"""The functions and procedures that a statement may call, by their exact names."""

from __future__ import annotations

import difflib

from workers.text2cypher.lexer import refusal
from workers.text2cypher.syntax import Part, words

# Built-in functions compare without regard to case. Left out: what reads files (file, linenumber), what calls
# models (genai.*), what looks into other graphs (graph.*), and all of APOC: some of it runs texts as Cypher.
FUNCTIONS = words(
    """
    avg collect count max min sum stDev stDevP percentileCont percentileDisc
    exists isEmpty size length type id elementId labels keys properties nodes relationships startNode endNode
    coalesce nullIf head last tail reverse range valueType char_length
    character_length
    toString toStringOrNull toStringList toInteger toIntegerOrNull toIntegerList toFloat toFloatOrNull
    toFloatList toBoolean toBooleanOrNull toBooleanList
    toUpper toLower upper lower trim btrim ltrim rtrim left right substring replace split normalize
    abs ceil floor round sign sqrt exp log log10 ln rand pi e isNaN sin cos tan cot asin acos atan atan2
    degrees radians haversin sinh cosh tanh coth
    date datetime localdatetime time localtime duration timestamp randomUUID
    date.truncate datetime.truncate localdatetime.truncate time.truncate localtime.truncate
    date.realtime date.statement date.transaction datetime.realtime datetime.statement datetime.transaction
    datetime.fromEpoch datetime.fromEpochMillis localdatetime.realtime time.realtime localtime.realtime
    duration.between duration.inDays duration.inMonths duration.inSeconds
    point point.distance point.withinBBox vector.similarity.cosine vector.similarity.euclidean
    """.lower()
)
# What a graph is made of. They report names only, bounded by the schema.
PROCEDURES = frozenset({"db.labels", "db.relationshiptypes", "db.propertykeys"})
_INSTEAD = {
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
    """Refuse calls of what is not on the lists.

    Raises:
        CypherRefused: it names the function or procedure, and one that comes near.
    """
    procedures = {
        id(clause.parts[0])
        for clause in statement.every("clause")
        if clause.name == "CALL procedure" and clause.parts
    }
    for call in statement.every("call"):
        name = call.name.lower()
        if id(call) in procedures:
            if name not in PROCEDURES:
                allowed = ", ".join(
                    f"{one}()" for one in ("db.labels", "db.relationshipTypes", "db.propertyKeys")
                )
                raise refusal(text, call.token.at, f"the procedure {call.name}", allowed)
        elif name not in FUNCTIONS:
            raise refusal(text, call.token.at, f"the function {call.name}", _instead(name))
        elif name != "exists" and any(part.sort == "pattern" and not part.name for part in call.parts):
            what = f"a pattern as an argument of {call.name}"
            raise refusal(text, call.token.at, what, "COUNT { (a)-->(b) }, or a pattern as a condition")


def _instead(name: str) -> str:
    if name in _INSTEAD:
        return _INSTEAD[name]
    near = difflib.get_close_matches(name, FUNCTIONS, n=3)
    return ", ".join(f"{one}()" for one in near) if near else "Cypher's built-in functions that only compute"
