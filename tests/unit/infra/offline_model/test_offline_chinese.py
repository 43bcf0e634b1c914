"""What the rule-based reader finds for a profile in Chinese: names without capitals or spaces around them."""

from __future__ import annotations

import pytest

from infra.offline_model.parser.profiled_facts import extract_profiled
from workers.ingest.profile.profile import Profile, load_profile
from workers.ingest.schema import ProfiledFacts

NARRATIVE = load_profile("narrative")


def read(text: str, profile: Profile = NARRATIVE) -> ProfiledFacts:
    material = {"profile": profile.for_model(), "title": "", "chapter": 1, "text": text}
    return ProfiledFacts.model_validate(extract_profiled(material))


def types(text: str) -> dict[str, str]:
    return {entity.name: entity.type for entity in read(text).entities}


def relations(text: str) -> list[tuple[str, str, str]]:
    return [
        (relation.source, relation.type, relation.target)
        for fact in read(text).facts
        for relation in fact.relations
    ]


def events(text: str) -> list[tuple[str, list[str]]]:
    events = [fact.event for fact in read(text).facts if fact.event]
    return [(event.type, [who.name for who in event.participants]) for event in events]


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("铁匠何大勇睡着了。", "何大勇", "Character"),
        ("她的姐姐沈雪在门口等着。沈雪没有说话。", "沈雪", "Character"),
        ("李明加入了灯油会。", "李明", "Character"),
        ("没有人认识阿青。阿青也不认识别人。", "阿青", "Character"),
        ("欧阳文静走进了书房。", "欧阳文静", "Character"),
        ("他离开白石镇，再也没有回到白石镇。", "白石镇", "Place"),
        ("李明加入了灯油会。灯油会有九个人。", "灯油会", "Organization"),
        ("她统治着北陵国。", "北陵国", "Nation"),
        ("李明继承了一把铜钥匙。", "铜钥匙", "Item"),
        ("李明失去了一艘名叫“飞鱼”的船。李明拥有“飞鱼”。", "飞鱼", "Item"),
    ],
)
def test_a_name_is_told_by_the_words_around_it(text: str, name: str, kind: str) -> None:
    assert types(text).get(name) == kind


@pytest.mark.parametrize(
    "text",
    [
        "许多人都说，天黑以后不要出门。许多人不听。",
        "马上就要下雨了，马上又停了。",
        "石桥上没有人，钟楼上也没有人。",
        "何时回来，何时再走，没有人问。",
        "学会等待，学会忘记，都要很久。",
    ],
)
def test_everyday_words_name_nobody(text: str) -> None:
    assert "Character" not in types(text).values()
    assert "Organization" not in types(text).values()


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("何大勇的妹妹何小雨在唱歌。", ("何大勇", "FAMILY_OF", "何小雨")),
        ("何大勇是李明的叔叔。李明不知道。", ("何大勇", "FAMILY_OF", "李明")),
        ("何大勇娶了沈雪。沈雪笑了。", ("何大勇", "PARTNER_OF", "沈雪")),
        ("何大勇和李明成了朋友。李明笑了。", ("何大勇", "FRIEND_OF", "李明")),
        ("何大勇背叛了李明。李明走了。", ("何大勇", "ENEMY_OF", "李明")),
        ("何大勇拜李明为师。李明点了头。", ("李明", "MENTOR_OF", "何大勇")),
        ("何大勇率领灯油会。灯油会有九个人。", ("何大勇", "LEADER_OF", "灯油会")),
        ("何大勇回家以后，离开了李明，加入了灯油会。李明走了。", ("何大勇", "MEMBER_OF", "灯油会")),
        ("何大勇住在白石镇。", ("何大勇", "LIVES_IN", "白石镇")),
        ("何大勇从李明那里得到了一支竹笛。李明走了。", ("何大勇", "OWNS", "竹笛")),
        ("何大勇遇见了李明。李明走了。", ("何大勇", "INTERACTS_WITH", "李明")),
    ],
)
def test_a_relation_is_told_by_the_words_between_two_names(text: str, relation: tuple[str, str, str]) -> None:
    assert relation in relations(text)


@pytest.mark.parametrize(
    "text",
    [
        "何大勇没有加入灯油会。灯油会有九个人。",
        "何大勇睡了。李明带着灯走了。李明没有灯。",
        "灯油会背叛了何大勇的狗。灯油会有九个人。",
    ],
)
def test_what_is_not_said_is_no_relation(text: str) -> None:
    assert relations(text) == []


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("何大勇为白石镇献出了生命。白石镇还在。", ("sacrifice", ["何大勇", "白石镇"])),
        ("何大勇后来成了一名医生。", ("transformation", ["何大勇"])),
        ("何大勇从李明手里得到了一支竹笛。李明走了。", ("acquisition", ["何大勇", "李明"])),
        ("何大勇失去了一艘渡船。", ("loss", ["何大勇"])),
        ("何大勇在山上遇见了李明。李明走了。", ("encounter", ["何大勇", "李明"])),
        ("何大勇和李明打了一架。李明走了。", ("conflict", ["何大勇", "李明"])),
        ("何大勇说出了真相。", ("revelation", ["何大勇"])),
        ("何大勇和沈雪在船上成了亲。沈雪笑了。", ("milestone", ["何大勇", "沈雪"])),
    ],
)
def test_an_event_is_told_by_its_verb(text: str, event: tuple[str, list[str]]) -> None:
    assert events(text) == [event]


def test_who_learns_is_not_who_tells() -> None:
    [event] = [fact.event for fact in read("何大勇从铁匠李明那里得知了真相。").facts if fact.event]
    assert event.name == "何大勇从李明那里得知了真相"
    assert [(who.name, who.role) for who in event.participants] == [
        ("何大勇", "得知真相的人"),
        ("李明", "铁匠"),
    ]


def test_a_pronoun_means_whom_it_fits() -> None:
    text = "何大勇的妹妹何小雨在唱歌。他教会了李明游泳。她住在白石镇。李明走了。"
    assert relations(text) == [
        ("何大勇", "FAMILY_OF", "何小雨"),
        ("何大勇", "MENTOR_OF", "李明"),
        ("何小雨", "LIVES_IN", "白石镇"),
    ]


def test_what_somebody_is_called_is_an_alias() -> None:
    [entity] = read("女医生何小雨在唱歌，人们叫她“海鸥”。小雨不知道。").entities
    assert (entity.name, entity.aliases) == ("何小雨", ["小雨", "海鸥"])


def test_types_are_found_by_a_profile_in_chinese_too() -> None:
    profile = Profile.model_validate({"entities": {"Actor": "人物", "Site": "地点"}})
    types = {entity.name: entity.type for entity in read("何大勇住在白石镇。", profile).entities}
    assert types == {"何大勇": "Actor", "白石镇": "Site"}


@pytest.mark.parametrize("text", ["，。！", "“”", "他。", "«0»失去了«1»。", "何" * 3000, "何大勇" * 500])
def test_any_text_gives_a_reply_of_the_right_form(text: str) -> None:
    read(text)
