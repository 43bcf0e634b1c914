"""Questions that take several steps, answered by the stand-in over documents of one paragraph each."""

import re

import pytest
from doubles.library import Library
from doubles.offline import ask, rows
from doubles.strategies import GraphRun

from hopline.models.jobs import JobState
from infra.offline_model.parser.question.synonyms import is_dense
from workers.critic.schema import AnswerDraft, FactScores
from workers.ingest.schema import ExtractedFacts
from workers.traverse.schema import NodeNotes, QuestionPlan

# A question, the statements that lead to its answer, and what leads nowhere.
_TABLE = """
    Into which sea does the river flow that the Hallow Bridge crosses? \
        | The Hallow Bridge crosses the River Tam. The River Tam flows into the Grey Sea. \
        | The Marn Bridge crosses the River Ode. The River Ode flows into the White Sea.
    Which fair is held in the birthplace of the engineer who designed the Hallow Bridge? \
        | The Hallow Bridge was designed by Nora Keld in 1871. Nora Keld was born in Ostwick. \
        Ostwick holds the Lantern Fair every autumn. | Paul Renn was born in Dell. \
        Dell holds the Goose Fair every spring.
    What is made in the town where the founder of Brightwater Mill was born? \
        | Brightwater Mill was founded by Edwin Sharrow in 1820. Edwin Sharrow was born in Caldmoor. \
        Glass is made in Caldmoor. | Marble is made in Dunmoor.
    Who built the lighthouse on the island where the poet Mira Voss died? \
        | The poet Mira Voss died on Skell Island in 1902. Skell Lighthouse stands on Skell Island. \
        Skell Lighthouse was built by Owen Tarr. | Rock Lighthouse was built by Hugh Pell.
    Which mountain overlooks the lake that supplies the canal of Norrby? \
        | Lake Ister supplies the Norrby Canal. Mount Harl overlooks Lake Ister. \
        | Mount Gryt overlooks Lake Vann.
    Who teaches at the school that the daughter of Karl Bremer attended? \
        | Karl Bremer had a daughter, Lise Bremer. Lise Bremer attended Fennwood School. \
        Anton Reiss teaches at Fennwood School. | Otto Lang teaches at Westgate School.
    When was the company founded that owns the ship which carried Ellen Moor? \
        | Ellen Moor was carried to Boston by the Seagull. The Seagull is owned by Harrow Line. \
        Harrow Line was founded in 1866. | Crane Line was founded in 1871.
    青石桥所跨的河流入哪个海？ | 青石桥横跨白溪河。白溪河流入东平海。 | 红木桥横跨黑水河。 \
        黑水河流入西宁海。
    设计青石桥的工程师的出生地举办什么集市？ | 青石桥由林远山设计。林远山出生于柳塘镇。 \
        柳塘镇每年秋天举办灯笼集市。 | 红木桥由周大河设计。石门镇每年春天举办鹅市。
    云岭书院创办人的老师住在哪里？ | 云岭书院由何静之创办。何静之的老师是沈墨白。沈墨白住在梅花坞。 \
        | 陈三住在石门镇。
    诗人顾晚晴去世的岛上的灯塔是谁建造的？ | 诗人顾晚晴在月牙岛去世。月牙岛上有一座望潮灯塔。 \
        望潮灯塔由宋海生建造。 | 海角灯塔由周大河建造。
    白鹭号所属公司的总部在哪座城市？ | 白鹭号属于恒江航运公司。恒江航运公司的总部位于临海城。 \
        | 大雁号属于长风公司。长风公司的总部位于北山城。
"""
CHAINS = [
    (question, *(re.findall(r"(?! )[^.。]+[.。]", text) for text in texts))
    for question, *texts in rows(_TABLE)
]
STAND_IN = {
    kind: (lambda material, kind=kind: ask(kind, **material))
    for kind in (QuestionPlan, NodeNotes, FactScores, AnswerDraft)
}


def answered(question, statements):
    library = Library()
    for nth, statement in enumerate(statements):
        title = f"{'笔记' if is_dense(statement) else 'Note'} {nth}"
        facts = ask(ExtractedFacts, title=title, text=statement).facts
        library.add(title, *((statement, fact.key_elements, fact.text) for fact in facts))
    return GraphRun(library, STAND_IN, question=question).to_end()


@pytest.mark.parametrize(("question", "steps", "others"), CHAINS)
def test_each_step_that_a_walk_led_to_is_cited(question, steps, others):
    end = answered(question, [*others, *steps])
    assert end.state is JobState.DONE, end.outcome["reason"]
    assert {citation["quote"] for citation in end.outcome["citations"]} == set(steps)


@pytest.mark.parametrize(("question", "told"), [
    ("神经网络是什么？", "神经网络是一种模仿大脑结构的计算模型。"),
    ("什么是最小二乘法？", "最小二乘法是通过最小化误差平方和来拟合数据的方法。"),
])  # fmt: skip
def test_a_concept_is_explained_by_documents_that_speak_of_it(question, told):
    end = answered(question, ["白鹭号属于恒江航运公司。", told])
    assert [citation["quote"] for citation in end.outcome["citations"]] == [told]


@pytest.mark.parametrize(("question", "steps", "others"), [chain for chain in CHAINS if len(chain[1]) > 2])
def test_without_the_last_step_there_is_no_answer(question, steps, others):
    assert answered(question, [*others, *steps[:-1]]).state is not JobState.DONE


TOLD = [
    "Joan of Arc was born in Domrémy.",
    "Bishop Pierre Cauchon presided over her trial.",
    "She was canonized by Pope Benedict XV in 1920.",
]


@pytest.mark.parametrize(("title", "markers"), [("Joan of Arc", "[1]"), ("A trial in Rouen", "[1][2]")])
def test_a_pronoun_means_whom_the_document_is_about_before_a_passer_by(title, markers):
    facts = ask(ExtractedFacts, title=title, text=" ".join(TOLD)).facts
    assert len(facts) == len(TOLD)
    held = zip(TOLD, facts, strict=True)
    library = Library().add(title, *((quote, fact.key_elements, fact.text) for quote, fact in held))
    end = GraphRun(library, STAND_IN, question="When was Joan of Arc canonized?").to_end()
    assert end.outcome["text"] == f"Joan of Arc was canonized by Pope Benedict XV in 1920 {markers}."
