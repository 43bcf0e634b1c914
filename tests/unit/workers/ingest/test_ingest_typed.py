"""What a model says to a profile is taken only as far as profile and text bear it out."""

from types import SimpleNamespace

from hopline.models.documents import Chunk
from workers.core import ids
from workers.core.graph.elements import normalise_element
from workers.core.records import AtomicFact
from workers.ingest.extract import build_facts
from workers.ingest.naming.claims import find_claims
from workers.ingest.profile.profile import load_profile
from workers.ingest.profile.typed import TypedReply
from workers.ingest.schema import ProfiledFacts

TEXT = (
    "Mara Venn, whom all called the lamplighter, joined the Oil Guild. Her sister Zoë lost the brass key. "
    "Mara quarrelled with Corvin on the pier."
)
ENTITIES = [
    {"name": "Mara Venn", "type": "Character", "aliases": ["the lamplighter", "Mara"]},
    {"name": "Zoë", "type": "Character"},
    {"name": "Corvin", "type": "Character"},
    {"name": "Oil Guild", "type": "Organization"},
    {"name": "brass key", "type": "Item"},
]
JOINED = "Mara Venn joined the Oil Guild."
KEYS = ["Mara Venn", "Oil Guild"]


def element(name: str) -> str:
    return ids.element_id("c", normalise_element(name))


def built(*facts: dict, entities=ENTITIES, text: str = TEXT, title: str = "The Lamp"):
    reply = ProfiledFacts.model_validate({"facts": facts, "entities": entities})
    typed = TypedReply(load_profile("narrative"), reply, title=title, text=text)
    chunk = Chunk(id="x", index=0, text=text, start=0, end=len(text), tokens=9, content_hash="")
    ports = SimpleNamespace(limits=SimpleNamespace(grounding_threshold=0.5))
    return build_facts("c", chunk, typed.facts, ports, title=title, typed=typed), typed


def one(relations=(), event=None, text=JOINED, key_elements=KEYS, **more) -> tuple[AtomicFact, dict]:
    fields = {"text": text, "key_elements": key_elements, "relations": list(relations), "event": event}
    [fact], typed = built(fields, **more)
    return fact, dict(typed.dropped)


def relation(source: str, kind: str, target: str) -> dict:
    return {"source": source, "type": kind, "target": target}


def test_a_fact_keeps_its_relation_and_its_elements_their_types_and_aliases():
    fact, dropped = one([relation("Mara Venn", "MEMBER_OF", "Oil Guild")])
    [joined] = fact.relations
    expected = (element("Mara Venn"), "MEMBER_OF", element("Oil Guild"))
    assert (joined.source, joined.type, joined.target) == expected
    mara = next(key for key in fact.key_elements if key.name == "mara venn")
    assert mara.types == ("Character",)
    assert mara.aliases == ("Mara Venn", "the lamplighter", "Mara")
    assert TEXT[fact.start : fact.end].startswith("Mara Venn, whom")
    assert fact.grounded
    assert dropped == {}


def test_an_alias_means_its_entity_wherever_it_stands():
    enemy = relation("corvin", "ENEMY_OF", "Mara")
    sentence = "Mara quarrelled with Corvin on the pier."
    fact, dropped = one([enemy], text=sentence, key_elements=["Mara", "pier"])
    assert [key.name for key in fact.key_elements] == ["lamp", "corvin", "mara venn", "pier"]
    [enemies] = fact.relations
    assert (enemies.source, enemies.target) == (element("Corvin"), element("Mara Venn"))
    assert dropped == {}


def test_of_two_directions_of_a_symmetric_relation_there_is_one():
    sentence, keys = "Zoë is the sister of Mara Venn.", ["Mara Venn", "Zoë"]
    both = [relation("Zoë", "FAMILY_OF", "Mara Venn"), relation("Mara Venn", "FAMILY_OF", "Zoë")]
    fact, dropped = one(both, text=sentence, key_elements=keys)
    [kin] = fact.relations
    assert (kin.source, kin.target) == (element("Mara Venn"), element("Zoë"))
    assert dropped == {}


def test_a_relation_that_does_not_hold_is_dropped_and_counted():
    for wrong in [
        relation("Mara Venn", "WORSHIPS", "Oil Guild"),  # no type of the profile
        relation("Oil Guild", "MEMBER_OF", "Mara Venn"),  # ends of the wrong types
        relation("Mara Venn", "FRIEND_OF", "Zoë"),  # an end that the fact does not name
        relation("Mara Venn", "FRIEND_OF", "the lamplighter"),  # herself
        relation("Mara Venn", "FRIEND_OF", "Atlantis"),  # nobody
        relation("Mara Venn", "MEMBER_OF", "x" * 5000),
        relation("Mara Venn", "MEMBER_OF`]->() DETACH DELETE n //", "Oil Guild"),
    ]:
        fact, dropped = one([wrong, relation("Mara Venn", "MEMBER_OF", "Oil Guild")])
        assert [known.type for known in fact.relations] == ["MEMBER_OF"], wrong
        assert dropped == {"relations": 1}, wrong


def test_of_a_relation_said_again_and_again_one_is_kept_and_what_is_too_much_counted():
    fact, dropped = one([relation("Mara Venn", "MEMBER_OF", "Oil Guild")] * 30)
    assert (len(fact.relations), dropped) == (1, {"relations": 10}), "what is said again is kept once"


def test_an_event_keeps_its_participants_with_role_and_outcome():
    who = [
        {"name": "Zoë", "role": "keeper", "outcome": "loses the key"},
        {"name": "the lamplighter", "role": "sister"},  # not in this fact
        {"name": "brass key", "role": "r" * 300},
        {"name": "Zoë", "role": "again"},
        {"name": "Atlantis"},
    ]
    event = {"type": "loss", "name": " The lost\nkey ", "participants": who}
    fact, dropped = one(event=event, text="Zoë lost the brass key.", key_elements=["Zoë"])
    [lost] = fact.events
    assert (lost.type, lost.name) == ("loss", "The lost key")
    expected = [(element("Zoë"), "keeper", "loses the key"), (element("brass key"), "", "")]
    assert [(who.element, who.role, who.outcome) for who in lost.participants] == expected
    assert dropped == {"participants": 4}


def test_an_event_or_an_entity_that_does_not_hold_is_dropped_and_counted():
    for kind, name in (("party", "A party"), ("loss", ""), ("loss", "x" * 101), ("Loss", "The key")):
        fact, dropped = one(event={"type": kind, "name": name})
        assert (fact.events, dropped) == ((), {"events": 1})
    for kind, name in (("Lamplighter", "Mara Venn"), ("Character", "..."), ("Character", "x" * 101)):
        fact, dropped = one(entities=[{"name": name, "type": kind}])
        assert not any(key.types for key in fact.key_elements)
        assert dropped == {"entities": 1}


def test_an_alias_that_is_none_is_dropped_and_counted():
    for alias in ("she", "Her", "captain", "the Queen of Atlantis", "Zoë", "x" * 101, "??"):
        entities = [{"name": "Mara Venn", "type": "Character", "aliases": [alias]}, *ENTITIES[1:]]
        fact, dropped = one(entities=entities, text=JOINED, title="captain she")
        mara = next(key for key in fact.key_elements if key.name == "mara venn")
        assert (mara.aliases, dropped) == (("Mara Venn",), {"aliases": 1}), alias


def test_what_two_are_called_is_nobodys_name():
    known = {"type": "Character", "aliases": ["Mara"]}
    entities = [{"name": name, **known} for name in ("Mara Venn", "Mara Holt")]
    sentence = "Mara quarrelled with Corvin on the pier."
    fact, dropped = one(text=sentence, key_elements=["Mara"], entities=entities)
    assert [key.name for key in fact.key_elements] == ["lamp", "mara"]
    assert dropped == {"aliases": 1}


def test_names_in_scripts_without_spaces_are_found():
    text = "李明加入了灯油会，人们叫他明哥。"
    entities = [
        {"name": "李明", "type": "Character", "aliases": ["明哥"]},
        {"name": "灯油会", "type": "Organization"},
    ]
    membership = relation("明哥", "MEMBER_OF", "灯油会")
    fact, dropped = one([membership], text="李明加入了灯油会。", key_elements=["李明"], entities=entities)
    assert dropped == {"aliases": 1, "relations": 1}  # this text does not know him as 明哥
    said = {"text": "李明加入了灯油会。", "relations": [membership]}
    [fact], typed = built(said, text=text, entities=entities, title="灯")
    assert [known.type for known in fact.relations] == ["MEMBER_OF"]
    assert not typed.dropped


def test_a_fact_said_twice_has_what_either_states():
    member = relation("Mara Venn", "MEMBER_OF", "Oil Guild")
    facts, typed = built(
        {"text": JOINED, "key_elements": KEYS, "relations": [member]},
        {"text": JOINED, "key_elements": KEYS, "event": {"type": "milestone", "name": "The oath"}},
    )
    [fact] = facts
    assert len(fact.relations) == len(fact.events) == 1
    assert typed.counts(facts) == {"entities": 2, "relations": 1, "events": 1, "dropped": {}}
    assert all(key.types for key in fact.key_elements if key.name != "lamp")


CALLED = "The sailors called Corvin Drake the Heron. In the morning the Heron sailed to Lisk."
DRAKE = [{"name": "Corvin Drake", "type": "Character", "aliases": ["the Heron"]}]
CALLS = {"text": "The sailors called Corvin Drake the Heron.", "key_elements": ["Corvin Drake", "the Heron"]}
SAILS = {"text": "Corvin Drake sailed to Lisk.", "key_elements": ["Corvin Drake", "Lisk"]}


def stated(text: str, *facts: dict, **more) -> list[tuple[str, str, bool]]:
    """Return (alias, name, whether it passes on) of what the facts of a profiled chunk state."""
    built_facts, _typed = built(*facts, text=text, **more)
    known = {key.id: key.name for fact in built_facts for key in fact.key_elements}
    return [(known[claim.alias], known[claim.name], claim.passes) for claim in find_claims(text, built_facts)]


def test_an_alias_that_a_sentence_states_is_found_as_without_a_profile():
    assert stated(CALLED, CALLS, SAILS, entities=DRAKE) == [("heron", "corvin drake", False)]
    (called, sailed), _typed = built(CALLS, SAILS, text=CALLED, entities=DRAKE)
    assert [key.name for key in called.key_elements] == ["lamp", "corvin drake", "heron"]
    assert [key.name for key in sailed.key_elements] == ["lamp", "corvin drake", "lisk"]
    assert called.key_elements[1].aliases == ("Corvin Drake", "the Heron")
    named = {"text": "Corvin Drake had a by-name.", "key_elements": ["Corvin Drake"]}
    assert stated(CALLED, named, entities=DRAKE) == [("heron", "corvin drake", False)]


def test_a_true_name_that_a_profile_takes_for_the_alias_is_the_name():
    text = "The Heron, whose true name was Corvin Drake, sailed to Lisk."
    heron = [{"name": "the Heron", "type": "Character", "aliases": ["Corvin Drake"]}]
    sails = {"text": "The Heron sailed to Lisk.", "key_elements": ["the Heron", "Lisk"]}
    assert stated(text, sails, entities=heron) == [("heron", "corvin drake", False)]


def test_an_office_among_the_aliases_passes_on_and_an_alias_that_no_sentence_states_is_no_element():
    text = "Corvin Drake became the Warden. Tobias met Corvin Drake, and the Heron sailed."
    drake = [{"name": "Corvin Drake", "type": "Character", "aliases": ["the Warden", "the Heron"]}]
    became = {"text": "Corvin Drake became the Warden.", "key_elements": ["Corvin Drake", "the Warden"]}
    assert stated(text, became, SAILS, entities=drake) == [("warden", "corvin drake", True)]
    facts, _typed = built(became, SAILS, text=text, entities=drake)
    assert {key.name for fact in facts for key in fact.key_elements} >= {"corvin drake", "warden"}
    assert "heron" not in {key.name for fact in facts for key in fact.key_elements}
