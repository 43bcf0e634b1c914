"""Names that look like persons', and how facts use their short forms."""

import re

from workers.core.language.person_names import is_person_use, other_use, person_use, short_forms


def test_only_a_person_s_name_has_short_forms():
    for name, short in [
        ("tobias renn", ("tobias", "renn")),
        ("高承岳", ("承岳",)),
        ("university press", ()),
        ("grey gull of lisk", ()),
        ("louis 14", ()),
    ]:
        assert short_forms(name) == short, name


def test_both_ways_find_the_same_use_of_a_person_s_name():
    for name, text, is_person in [
        ("renn", "Renn mended the sail.", True),
        ("renn", "The crew sailed with Renn.", True),
        ("renn", "Renn lies on the Vistula.", False),
        ("renn", "Brenn mended the sail.", False),
        ("tobias", "The boat of Tobias is red.", True),
        ("承岳", "承岳擦洗甲板。", True),
        ("高承岳", "高承岳上了灰鸥号。", True),
        ("高承岳", "高承岳给灰鸥号的船主写信。", True),
        ("承岳", "那天承岳却没有说话。", True),
        ("高承岳", "高承岳先生是船主。", True),
        ("承岳", "独眼龙看着承岳的刀。", False),
        ("高血压", "医生检查高血压病人的血压。", False),
        ("高血压", "高血压说明血压长期偏高。", False),
        ("白细胞", "白细胞是一种细胞。", False),
        ("高利率", "高利率走高之后，投资下降。", False),
    ]:
        assert is_person_use(name, text) is is_person, name
        assert bool(re.match(person_use(name), text, re.DOTALL)) is is_person, name


def test_a_place_or_a_thing_of_the_same_name_is_seen():
    for name, text, is_other in [
        ("renn", "Renn is a town on the Vistula.", True),
        ("renn", "They lived in Renn.", True),
        ("renn", "Renn mended the sail.", False),
        ("crusade", "He died in the crusade.", True),
        ("承岳", "他到承岳去。", True),
    ]:
        assert bool(re.match(other_use(name), text, re.DOTALL)) is is_other, name
