"""A cited sentence has its markers and one full stop."""

import pytest

from workers.core.answers.check import without_markers
from workers.critic.draft import marked


@pytest.mark.parametrize(("written", "shown"), [
    ("The rent is 430 euros.", "The rent is 430 euros [1]."),
    ("The rent is 430 euros", "The rent is 430 euros [1]."),
    ("The rent is 430 euros [1].", "The rent is 430 euros [1]."),
    ("The rent is 430 euros.[1].", "The rent is 430 euros [1]."),
    ("The rent is 430 euros. [1] .", "The rent is 430 euros [1]."),
    ("Was it 430 euros?[1].", "Was it 430 euros [1]?"),
    ("It was 430 euros![1]", "It was 430 euros [1]!"),
    ("Was it?!", "Was it [1]?!"),
    ("It was sold to Acme Inc.", "It was sold to Acme Inc [1]."),
    ("It was sold to Acme Inc.[1].", "It was sold to Acme Inc [1]."),
    ("It rose and rose...", "It rose and rose [1]..."),
    ("It rose and rose…[1].", "It rose and rose [1]…"),
    ("She said: “It is 430 euros.”", "She said: “It is 430 euros.” [1]"),
    ("She said: “It is 430 euros.”[1].", "She said: “It is 430 euros.” [1]"),
    ('She asked: "Is it 430 euros?"', 'She asked: "Is it 430 euros?" [1]'),
    ("Did she say “It is 430 euros.”?", "Did she say “It is 430 euros.” [1]?"),
    ("She called it “dear”.", "She called it “dear” [1]."),
    ("Elle dit : « C’est 430 euros. »", "Elle dit : « C’est 430 euros. » [1]"),
    ("The rent rose (to 430 euros).", "The rent rose (to 430 euros) [1]."),
    ("It was sold (to Acme Inc.)", "It was sold (to Acme Inc.) [1]."),
    ("It was sold (to Acme Inc.).", "It was sold (to Acme Inc.) [1]."),
    ("(The rent is 430 euros.)", "(The rent is 430 euros.) [1]"),
    ("租金是430欧元。", "租金是430欧元 [1]。"),
    ("租金是430欧元[1]。", "租金是430欧元 [1]。"),
    ("租金是430欧元。[1]。", "租金是430欧元 [1]。"),
    ("租金是430欧元", "租金是430欧元 [1]。"),
    ("她说：“租金是430欧元。”", "她说：“租金是430欧元。” [1]"),
    ("家賃は430ユーロです。[1].", "家賃は430ユーロです [1]。"),
    ("किराया 430 यूरो है।", "किराया 430 यूरो है [1]।"),
    ("किराया 430 यूरो है।[1]।", "किराया 430 यूरो है [1]।"),
    ("هل الإيجار 430 يورو؟", "هل الإيجار 430 يورو [1]؟"),
    ("کرایہ 430 یورو ہے۔", "کرایہ 430 یورو ہے [1]۔"),
    ("שכר הדירה 430 אירו.\u200f", "שכר הדירה 430 אירו [1]."),
    ("\u2067שכר הדירה 430 אירו.\u2069", "\u2067שכר הדירה 430 אירו.\u2069 [1]"),
])  # fmt: skip
def test_a_cited_sentence_has_one_full_stop(written: str, shown: str) -> None:
    assert marked(without_markers(written), [1, 1]) == shown


def test_several_markers_stand_together() -> None:
    assert marked("It is so.", [3, 1, 3]) == "It is so [3][1]."
