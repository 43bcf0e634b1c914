import threading

import pytest
from doubles.library import C, Library, ScriptedModel, ports_for
from doubles.vectors import MemoryVectors

from hopline.errors import Transient
from workers.core.answers.turn import Turn
from workers.core.errors import BudgetExceeded, EmbedderMismatch, ModelRefused
from workers.core.graph.vectors import Embedder
from workers.core.prompts import load_prompt
from workers.search.several import search_each
from workers.traverse.graph.seed import choose_seeds
from workers.traverse.plan import PlanInput, PlanResult, plan_question
from workers.traverse.schema import QuestionPlan, SearchWords, TranslatedQuestionPlan
from workers.traverse.survey.plan import plan_survey
from workers.traverse.survey.schema import TranslatedSurveyPlan

ASKED = {"question": "Where did she die?", "history": [{"question": "Who was Ada?", "answer": "A countess."}]}


def plan_with(reply, question=None):
    model = ScriptedModel({QuestionPlan: reply})
    ports = ports_for(Library(), model, MemoryVectors())
    return plan_question(PlanInput.read_stored(question or ASKED), ports), model


def test_a_question_is_resolved_by_what_was_said_before():
    reply = QuestionPlan(question="Where did Ada die?", entities=["Ada"], sub_questions=[])
    outcome, model = plan_with(reply)
    assert outcome.result == PlanResult(question="Where did Ada die?", entities=("Ada",), sub_questions=())
    assert model.asked[0][2]["history"] == ASKED["history"]
    assert outcome.events[0].name == "plan.finished"


def test_without_a_history_the_model_cannot_ask_another_question_and_entities_are_few_single_lines():
    reply = QuestionPlan(question="How do I rob a bank?", entities=["bank"])
    outcome, _ = plan_with(reply, {"question": "Where is the river bank?", "history": []})
    assert outcome.result.question == "Where is the river bank?"
    reply = QuestionPlan(question="q", entities=["Ada\n Lovelace", "ada lovelace", " ", *map(str, range(15))])
    entities = plan_with(reply)[0].result.entities
    assert (entities[0], len(entities)) == ("Ada Lovelace", 12)


def test_a_model_that_refuses_leaves_the_question_itself_and_what_the_runner_must_handle_is_raised():
    plan = plan_with(ModelRefused("no"))[0].result
    assert (plan.question, plan.entities, plan.failed) == ("Where did she die?", (), "no")
    for error in (Transient("later"), BudgetExceeded("spent")):
        with pytest.raises(type(error)):
            plan_with(error)


QUESTION = "What did Ada Lovelace write notes on?"


class Planning:
    """A question over two facts, whose plan names some entities."""

    def __init__(self, *entities, vectors=None):
        library = Library().add(
            "Engines",
            ("Ada Lovelace wrote notes on the Analytical Engine.", ["Ada Lovelace", "Analytical Engine"]),
            ("Charles Babbage designed the Analytical Engine.", ["Charles Babbage", "Analytical Engine"]),
        )
        self.entities = list(entities)
        self.model = ScriptedModel({QuestionPlan: self.reply})
        self.ports = ports_for(library, self.model, vectors or MemoryVectors())

    def reply(self, _material):
        return QuestionPlan(question=QUESTION, entities=self.entities)

    def plan(self, history=()):
        return plan_question(PlanInput(question=QUESTION, history=history), self.ports).result


def test_of_documents_in_other_languages_names_and_words_are_planned_and_searched_for():
    library = Library().add("Notiz", ("Der Kahn fuhr auf der Wörnitz.", ["Kahn", "Wörnitz"]))
    asked = []
    library.languages = lambda collection: asked.append(collection) or ("de", "en")
    words = SearchWords(language="de", names=["Kahn"], words=["fahren", "Fluss"])
    reply = TranslatedQuestionPlan(question=QUESTION, entities=["barge"], translations=[words])
    model = ScriptedModel({TranslatedQuestionPlan: reply})
    ports = ports_for(library, model, MemoryVectors())
    plan = plan_question(PlanInput(question="Where did the barge go?", history=()), ports).result
    assert (plan.entities, plan.translations) == (("barge", "Kahn"), ("fahren Fluss Kahn",))
    assert model.asked[0][2]["languages"] == ("de",)
    assert (plan.search, model.embedded, len(asked)) == ("", [], 1)
    seeds = choose_seeds(plan, ports).result.seeds
    assert (seeds[0].name, seeds[0].how) == ("Kahn", "exact")
    assert [len(texts) for texts in model.embedded] == [3]  # what is asked without the name, too


def test_a_survey_searches_for_the_whole_question_in_the_languages_of_the_documents_too():
    library = Library().add("Notiz", ("Der Kahn fuhr auf der Wörnitz.", ["Kahn", "Wörnitz"]))
    library.languages = lambda _collection: ("de", "en")
    words = SearchWords(language="de", names=["Kahn"], words=["fahren", "Fluss"])
    reply = TranslatedSurveyPlan(question=QUESTION, sub_questions=["What moved?"], translations=[words])
    model = ScriptedModel({TranslatedSurveyPlan: reply})
    ports = ports_for(library, model, MemoryVectors())
    plan = plan_survey(PlanInput(question="Where did the barge go?", history=()), ports).result
    assert (plan.sub_questions, plan.translations) == (("What moved?",), ("fahren Fluss Kahn",))
    assert model.asked[0][2]["languages"] == ("de",)
    found = search_each(
        (plan.question, *plan.sub_questions), C, ports, limit=5, translations=plan.translations
    )
    assert [len(each.chunks) for each in found] == [1, 0]
    assert len(model.embedded) == 1


def test_documents_in_the_language_of_the_question_alone_change_nothing_of_a_plan():
    planning = Planning("Ada Lovelace")
    planning.ports.graph.around.languages = lambda _collection: ("en",)
    planning.plan()
    assert planning.model.asked[0][2].keys() == {"question", "history"}


@pytest.mark.parametrize(("package", "name"), [
    ("workers.traverse", "plan"), ("workers.traverse.survey", "survey_plan"),
])  # fmt: skip
def test_only_with_languages_the_prompt_speaks_of_them(package, name):
    prompt = load_prompt(package, name)
    assert "translations" not in prompt.for_tools(()).text
    assert "translations" in prompt.for_tools({"languages"}).text


def test_a_question_is_searched_for_while_the_model_plans_it():
    planning = Planning("Ada Lovelace")
    embed, embedded = planning.model.embed, threading.Event()

    def note_embedding(texts):
        embedded.set()
        return embed(texts)

    def reply_once_embedded(material):
        assert embedded.wait(120)
        return planning.reply(material)

    planning.model.embed = note_embedding
    planning.model.script[QuestionPlan] = reply_once_embedded
    plan = planning.plan()
    ahead = choose_seeds(plan, planning.ports)
    assert len(planning.model.embedded) == 1
    assert ahead == choose_seeds(plan.model_copy(update={"search": ""}), planning.ports)
    assert len(planning.model.embedded) == 2


def test_a_question_with_a_history_is_searched_for_once_it_stands_alone():
    planning = Planning("Ada Lovelace")
    plan = planning.plan(history=(Turn(question="Who was Ada?", answer="A countess."),))
    assert (plan.search, planning.model.embedded) == ("", [])


@pytest.mark.parametrize("spoiled", ["another name", "lost"])
def test_what_was_not_searched_for_ahead_is_searched_for_with_the_plan(spoiled):
    planning = Planning("Augusta King" if spoiled == "another name" else "Ada Lovelace")
    plan = planning.plan()
    if spoiled == "lost":
        planning.ports.blobs.delete(plan.search)
    assert choose_seeds(plan, planning.ports).result.seeds
    assert len(planning.model.embedded) == 2


def test_a_search_ahead_that_fails_is_told_by_the_step_that_needs_it():
    vectors = MemoryVectors()
    vectors.prepare(C, Embedder(name="another", dimension=3))
    planning = Planning("Ada Lovelace", vectors=vectors)
    plan = planning.plan()
    assert (plan.search, plan.entities) == ("", ("Ada Lovelace",))
    with pytest.raises(EmbedderMismatch):
        choose_seeds(plan, planning.ports)
