"""Names of which more hang together than are read at once."""

from collections.abc import Sequence
from itertools import pairwise
from string import ascii_lowercase

import pytest

from workers.adapters.neo4j.aliases.settlement import AliasSettlement
from workers.adapters.neo4j.aliases.states import read_states
from workers.core import ids

_C = "c"
_PERSONS = 900


def word(number: int) -> str:
    return "qu" + "".join(ascii_lowercase[number // part % 26] for part in (676, 26, 1))


class Chain:
    """A graph of persons each of whom shares a name with the next; it takes the place of a connection."""

    def __init__(self, wanted: Sequence[int] = (), *, is_unfit: bool = False) -> None:
        self.is_unfit = is_unfit  # every short name stands for others as well, but for the first
        self.claimed: set[str] = set()
        self.may_mean: dict[str, list[str]] = {}
        self.wanted = [ids.element_id(_C, word(number)) for number in wanted]
        words = [word(number) for number in range(_PERSONS + 1)]
        self.persons = [f"{first} {last}" for first, last in pairwise(words)]
        self.names = {ids.element_id(_C, name): name for name in [*words, *self.persons]}
        self.bearers: dict[str, list[str]] = {}
        for person in self.persons:
            for part in person.split():
                self.bearers.setdefault(part, []).append(person)
        self.read: list[str] = []
        self.merged: list[str] = []

    def run(self, query: str, **parameters):
        return getattr(self, f"_{query}", lambda **_parameters: [])(**parameters)

    def together(self, _name: str, work):
        return work(self.run)

    def _alias_sync(self, **_parameters):
        return [{"id": "a document", "ids": self.wanted, "collection": _C}]

    def _alias_states(self, *, ids: list[str], **_parameters):
        self.read += ids
        nothing = dict.fromkeys(("merge", "rule", "home", "target", "evidence"))
        nothing |= {"placed": [], "claims": [], "named_by": [], "members": [], "apart": []}
        known = [(element, self.names[element]) for element in ids if element in self.names]
        meant = self.may_mean
        return [{"id": key, "name": name, "may_mean": meant.get(key, []), **nothing} for key, name in known]

    def _alias_candidates(self, *, names, **_parameters):
        self.may_mean.update({row["id"]: row["may_mean"] for row in names})
        return []

    def _alias_claim(self, *, ids: list[str], **_parameters):
        self.claimed.update(ids)
        return []

    def _alias_bearers(self, *, names, **_parameters):
        return [{"id": row["id"], "hits": 2, "bearers": self.bearing(self.names[row["id"]])} for row in names]

    def bearing(self, part: str):
        named = ((ids.element_id(_C, name), name) for name in self.bearers[part])
        return [{"id": bearer, "name": name, "claimed": bearer in self.claimed} for bearer, name in named]

    def _alias_written(self, *, names, **_parameters):
        return [{"id": row["id"], "person": True} for row in names]

    def _alias_short_uses(self, *, names, **_parameters):
        first = ids.element_id(_C, word(0))
        unfit = {row["id"]: int(self.is_unfit and row["id"] != first) for row in names}
        return [{"id": name, "telling": 1, "unfit": count} for name, count in unfit.items()]

    def _merge_elements(self, *, source_name: str, **_parameters):
        self.merged.append(source_name)
        return [{"id": source_name}]


def settled(chain: Chain) -> Chain:
    """Return a chain whose names were settled, and nothing read since."""
    AliasSettlement(chain).settle(["a document"])
    chain.read.clear()
    return chain


@pytest.mark.parametrize("wanted", [[150], range(0, 800, 4)], ids=["one", "many"])
def test_a_name_at_the_edge_of_what_is_read_is_left_as_it_is(wanted):
    chain = Chain(wanted)
    AliasSettlement(chain, most_names=400).settle(["a document"])
    assert [name for name in chain.merged if len(chain.bearers[name]) > 1] == []


def test_no_more_names_are_read_at_once_than_are_allowed():
    chain = Chain()
    some = [ids.element_id(_C, word(number)) for number in range(350)]
    states = read_states(chain, _C, some, most_names=400)
    assert len(chain.read) == len(set(chain.read)) <= 400
    assert any(state.is_frozen for state in states.values())


def test_what_depends_on_names_that_were_read_is_not_frozen():
    chain = Chain()
    some = [ids.element_id(_C, word(number)) for number in (10, 200, 500)]
    states = read_states(chain, _C, some)
    assert [states[element].is_frozen for element in some] == [False] * 3


def test_names_are_read_once_where_nothing_differs():
    chain = settled(Chain([10, 500], is_unfit=True))
    chain.claimed.clear()
    AliasSettlement(chain).settle(["a document"])
    assert len(chain.read) == len(set(chain.read))
    persons = {ids.element_id(_C, person) for number in (10, 500) for person in chain.bearers[word(number)]}
    assert persons <= chain.claimed


def test_what_others_depend_on_is_read_without_those():
    chain = settled(Chain([10], is_unfit=True))
    AliasSettlement(chain).settle(["a document"])
    read = sorted(chain.names[element] for element in chain.read)
    assert read == sorted([word(10), *chain.bearers[word(10)]])


def test_only_what_leads_elsewhere_now_is_read_again():
    chain = settled(Chain([0, 500], is_unfit=True))
    chain.merged.clear()
    AliasSettlement(chain).settle(["a document"])
    assert chain.merged == [word(0)]
    again = sorted(chain.names[element] for element in set(chain.read) if chain.read.count(element) > 1)
    assert again == sorted([word(0), *chain.bearers[word(0)]])


def test_names_of_many_documents_are_read_once():
    chain = settled(Chain(range(2, 800, 4), is_unfit=True))
    AliasSettlement(chain).settle(["a document"])
    assert len(chain.read) == len(set(chain.read)) == 600
