from types import SimpleNamespace

from fleet.cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from hopline.models.documents import Chunk
from workers.ingest.extract import build_facts
from workers.ingest.profile.profile import load_profile
from workers.ingest.profile.typed import TypedReply
from workers.ingest.schema import ProfiledFacts

NARRATIVE = load_profile("narrative")
TEXT = "Mara Venn, the lamplighter, joined the Oil Guild. Zoë met 李明 at Saltmere."
NAMES = st.one_of(
    st.sampled_from(
        ["Mara Venn", "Mara", "the lamplighter", "Oil Guild", "Zoë", "李明", "she", "Saltmere", ""]
    ),
    st.text(max_size=12),
)
TYPES = st.sampled_from([*NARRATIVE.entities, *NARRATIVE.relations, *NARRATIVE.events, "KeyElement", ""])
RELATIONS = st.fixed_dictionaries({"source": NAMES, "type": TYPES, "target": NAMES})
PARTICIPANTS = st.fixed_dictionaries({"name": NAMES, "role": st.text(max_size=300)})
EVENTS = st.fixed_dictionaries(
    {"type": TYPES, "name": NAMES, "participants": st.lists(PARTICIPANTS, max_size=5)}
)
FACTS = st.fixed_dictionaries(
    {
        "text": st.one_of(st.sampled_from(TEXT.split(". ")), st.text(min_size=1, max_size=40)),
        "key_elements": st.lists(NAMES, max_size=6),
        "relations": st.lists(RELATIONS, max_size=6),
        "event": st.none() | EVENTS,
    }
)
ENTITIES = st.fixed_dictionaries({"name": NAMES, "type": TYPES, "aliases": st.lists(NAMES, max_size=4)})


@given(st.lists(FACTS, max_size=5), st.lists(ENTITIES, max_size=8))
@settings(max_examples=cases(200), deadline=None)
def test_whatever_a_model_says_what_is_kept_fits_the_profile_and_the_fact(facts, entities):
    reply = ProfiledFacts.model_validate({"facts": facts, "entities": entities})
    typed = TypedReply(NARRATIVE, reply, title="The Lamp", text=TEXT)
    chunk = Chunk(id="x", index=0, text=TEXT, start=7, end=7 + len(TEXT), tokens=9, content_hash="")
    ports = SimpleNamespace(limits=SimpleNamespace(grounding_threshold=0.5))
    for fact in build_facts("c", chunk, typed.facts, ports, title="The Lamp", typed=typed):
        types = {element.id: frozenset(element.types) for element in fact.key_elements}
        assert all(known <= set(NARRATIVE.entities) for known in types.values())
        for relation in fact.relations:
            assert relation.source != relation.target
            assert NARRATIVE.joins(relation.type, types[relation.source], types[relation.target])
        for event in fact.events:
            assert event.type in NARRATIVE.events
            assert event.name == " ".join(event.name.split())
            assert all(types[who.element] for who in event.participants)
    assert all(count > 0 for count in typed.dropped.values())
