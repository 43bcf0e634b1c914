"""Films as typed documents state them, for statements over hopline's own graph."""

from collections.abc import Iterator, Mapping

from doubles.documents import Sentence
from doubles.typed import Stated

_KINDS = {"ACTED_IN": "acted in", "DIRECTED": "directed", "PRODUCED": "produced", "WROTE": "wrote"}
_KINDS |= {"REVIEWED": "reviewed", "FOLLOWS": "follows", "RELEASED_IN": "was released in"}
FILMS = """
Keanu Reeves ACTED_IN: Matrix, Speed Racer, Johnny Mnemonic, Something Gotta Give
Keanu Reeves DIRECTED: Speed Racer
Laurence Fishburne ACTED_IN: Matrix
Carrie-Anne Moss ACTED_IN: Matrix, Speed Racer
Joel Silver PRODUCED: Matrix, Speed Racer, Ninja Assassin
Nancy Meyers DIRECTED: Something Gotta Give
Nancy Meyers PRODUCED: Something Gotta Give
Nancy Meyers WROTE: Something Gotta Give
Nancy Meyers ACTED_IN: Something Gotta Give
Nancy Meyers REVIEWED: Something Gotta Give, Matrix
Tom Hanks ACTED_IN: Apollo 13, Cast Away, Green Mile, Brave New World
Tom Hanks DIRECTED: Brave New World
Meg Ryan ACTED_IN: Top Gun, Brave New World
Jessica Thompson REVIEWED: Cast Away, Brave New World, Matrix
Angela Scope REVIEWED: Green Mile
James Thompson FOLLOWS: Jessica Thompson, Keanu Reeves
Angela Scope FOLLOWS: Jessica Thompson, Tom Hanks
Paul Blythe FOLLOWS: Angela Scope
Matrix RELEASED_IN: 1999
Speed Racer RELEASED_IN: 2008
Johnny Mnemonic RELEASED_IN: 1995
Something Gotta Give RELEASED_IN: 2003
Ninja Assassin RELEASED_IN: 2009
Apollo 13 RELEASED_IN: 1995
Cast Away RELEASED_IN: 2000
Green Mile RELEASED_IN: 1999
Top Gun RELEASED_IN: 1986
Brave New World RELEASED_IN: 1975
"""


def film_sentences(films: str = FILMS) -> tuple[list[Sentence], Mapping[str, Stated]]:
    sentences: list[Sentence] = []
    stated: dict[str, Stated] = {}
    for who, relation, what in _relations(films):
        text = f"{who} {_KINDS[relation]} {what}."
        sentences.append((text, [who, what]))
        source = "Movie" if relation == "RELEASED_IN" else "Person"
        target = {"RELEASED_IN": "Year", "FOLLOWS": "Person"}.get(relation, "Movie")
        events = ()
        if relation == "DIRECTED":
            events = (("milestone", f"The making of {what}", ((who, "director", "praised"),)),)
        stated[text] = Stated(
            types={who: (source,), what: (target,)}, relations=((who, relation, what),), events=events
        )
    return sentences, stated


def _relations(films: str) -> Iterator[tuple[str, str, str]]:
    for line in filter(None, films.splitlines()):
        head, _, things = line.partition(": ")
        who, _, relation = head.rpartition(" ")
        yield from ((who, relation, what) for what in things.split(", "))
