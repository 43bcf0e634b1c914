"""What the rule-based reader finds for a profile: kinds of names, relations, events, aliases."""

from __future__ import annotations

import orjson
import pytest

from infra.offline_model.parser.profiled_facts import extract_profiled
from infra.offline_model.replies import content_of
from workers.ingest.profile.profile import Profile, load_profile
from workers.ingest.schema import ProfiledFacts

NARRATIVE = load_profile("narrative")


def read(text: str, profile: Profile = NARRATIVE, title: str = "A story") -> ProfiledFacts:
    material = {"profile": profile.for_model(), "title": title, "chapter": 1, "text": text}
    return ProfiledFacts.model_validate(extract_profiled(material))


def types(text: str) -> dict[str, str]:
    return {entity.name: entity.type for entity in read(text).entities}


def relations(text: str, profile: Profile = NARRATIVE) -> list[tuple[str, str, str]]:
    return [
        (relation.source, relation.type, relation.target)
        for fact in read(text, profile).facts
        for relation in fact.relations
    ]


def events(text: str) -> list[tuple[str, list[str]]]:
    events = [fact.event for fact in read(text).facts if fact.event]
    return [(event.type, [who.name for who in event.participants]) for event in events]


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("The miller Anselm slept.", "Anselm", "Character"),
        ("They feared Anselm, a miller of the valley.", "Anselm", "Character"),
        ("It was the cat Moth that they missed.", "Moth", "Character"),
        ("They all knew that Lady Orsa was there.", "Lady Orsa", "Character"),
        ("The village of Thrum is small.", "Thrum", "Place"),
        ("Thrum, a town on the coast, is small.", "Thrum", "Place"),
        ("In the kingdom of Varr nobody is late.", "Varr", "Nation"),
        ("They feared the Salt Company more.", "Salt Company", "Organization"),
        ("The ship was called the Wren.", "Wren", "Item"),
        ("Over it hung Sorrow, a sword of glass.", "Sorrow", "Item"),
    ],
)
def test_a_name_is_what_the_words_near_it_say(text, name, kind):
    assert types(text)[name] == kind


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Orsa's brother Anselm Wick slept. Then Orsa wept.", ("Orsa", "FAMILY_OF", "Anselm Wick")),
        ("Anselm Wick is the son of Lady Orsa.", ("Anselm Wick", "FAMILY_OF", "Lady Orsa")),
        ("Anselm Wick waited, and his sister Jane Wick sang.", ("Anselm Wick", "FAMILY_OF", "Jane Wick")),
        ("Anselm Wick secretly married Lady Orsa.", ("Anselm Wick", "PARTNER_OF", "Lady Orsa")),
        ("Anselm Wick was an old friend of Lady Orsa.", ("Anselm Wick", "FRIEND_OF", "Lady Orsa")),
        ("Anselm Wick betrayed the Salt Company.", ("Anselm Wick", "ENEMY_OF", "Salt Company")),
        ("Lady Orsa taught Anselm Wick to read.", ("Lady Orsa", "MENTOR_OF", "Anselm Wick")),
        ("Anselm Wick was the apprentice of Lady Orsa.", ("Lady Orsa", "MENTOR_OF", "Anselm Wick")),
        ("Lady Orsa commanded the Salt Company.", ("Lady Orsa", "LEADER_OF", "Salt Company")),
        ("Anselm Wick joined the Salt Company.", ("Anselm Wick", "MEMBER_OF", "Salt Company")),
        ("Anselm Wick lived in the village of Thrum.", ("Anselm Wick", "LIVES_IN", "Thrum")),
        ("Anselm Wick inherited a brass key.", ("Anselm Wick", "OWNS", "brass key")),
        ("Anselm Wick warned Lady Orsa.", ("Anselm Wick", "INTERACTS_WITH", "Lady Orsa")),
    ],
)
def test_a_relation_is_told_by_the_words_between_two_names(text, relation):
    assert relation in relations(text)


@pytest.mark.parametrize(
    "text",
    [
        "Anselm Wick never joined the Salt Company.",
        "Anselm Wick slept. Lady Orsa led the horse.",
        "The Salt Company joined Anselm Wick.",  # the profile's types do not allow it
    ],
)
def test_what_is_not_said_is_no_relation(text):
    assert relations(text) == []


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("Anselm Wick gave his life for Lady Orsa.", ("sacrifice", ["Anselm Wick", "Lady Orsa"])),
        ("Anselm Wick became a raven.", ("transformation", ["Anselm Wick"])),
        ("Anselm Wick found the Crown of Varr.", ("acquisition", ["Anselm Wick"])),
        ("Anselm Wick lost the ring of his father.", ("loss", ["Anselm Wick"])),
        ("Anselm Wick met Lady Orsa in a mill.", ("encounter", ["Anselm Wick", "Lady Orsa"])),
        ("Anselm Wick fought Lady Orsa.", ("conflict", ["Anselm Wick", "Lady Orsa"])),
        ("Lady Orsa revealed that she was a spy.", ("revelation", ["Lady Orsa"])),
        ("Lady Orsa was crowned in Thrum.", ("milestone", ["Lady Orsa"])),
    ],
)
def test_an_event_is_told_by_its_verb(text, event):
    assert events(text) == [event]


def test_pronouns_and_short_names_mean_whom_they_fit():
    text = "Lady Orsa met Anselm Wick. She taught Anselm to read. He joined the Salt Company."
    assert relations(text)[1:] == [
        ("Lady Orsa", "MENTOR_OF", "Anselm Wick"),
        ("Anselm Wick", "MEMBER_OF", "Salt Company"),
    ]


def test_what_somebody_is_called_is_an_alias():
    text = "The smuggler Jane Wick sang. People called her the Wren. Then Jane slept. The smuggler woke."
    [jane] = read(text).entities
    assert (jane.name, jane.aliases) == ("Jane Wick", ["Jane", "the smuggler", "the Wren"])


def test_types_of_another_profile_are_found_by_their_own_names():
    contracts = Profile.model_validate(
        {
            "entities": {"Party": "a person or company that signs"},
            "relations": {"OWES": {"description": "has to pay", "from": ["Party"], "to": ["Party"]}},
            "events": {"breach": "somebody breaks a contract"},
        }
    )
    text = (
        "The tenant Anselm Wick owes Mr Holm the rent. Mr Holm said that Anselm Wick breached the contract."
    )
    assert relations(text, contracts) == [("Anselm Wick", "OWES", "Mr Holm")]
    assert [fact.event.type for fact in read(text, contracts).facts if fact.event] == ["breach"]


def test_an_invented_reply_has_the_right_form():
    material = {"profile": NARRATIVE.for_model(), "title": "", "text": "Anselm Wick slept."}
    lie = ProfiledFacts.model_validate(orjson.loads(content_of("ProfiledFacts", material, "invented")))
    assert "moon" in lie.facts[0].text
    assert [entity.name for entity in lie.entities] == ["Atlantis", "Anselm Wick"]


@pytest.mark.parametrize(
    "text", ["", "…", "# Only a heading", "李明加入了灯油会。", "«0» lost «1».", "x" * 5000]
)
def test_any_text_gives_a_reply_of_the_right_form(text):
    read(text)


def test_a_she_is_sooner_one_who_is_known_to_be_one_than_the_last_who_was_named() -> None:
    text = (
        "Ilse Varn put on her boots. Perrin Roake dug. Linnet dug. Captain Roake sawed. "
        "“So it did,” said Tobin Varn. Then she laughed herself."
    )
    assert [fact.text for fact in read(text).facts][-1] == "Then Ilse Varn laughed herself."
