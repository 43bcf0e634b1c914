"""The reasoning over notebooks: what it is given, what of it is believed."""

from doubles.drafts import scored, sentences
from doubles.library import Library, ScriptedModel, ports_for
from doubles.vectors import MemoryVectors

from workers.core.answers.evidence import fact_key
from workers.critic.reason import ReasoningInput, reason_over_notebooks
from workers.critic.schema import ReasonedAnswer

BORN = "Ada was born in London in 1815."
ELSEWHERE = "Ada was born in Paris in 1816."
DULL = "Ada had a cat."
ANSWER = ReasonedAnswer(
    answerable=True, sentences=sentences(("She was born in London.", 1)), analysis="Path 1 says so."
)


def notebook(path, start, *entries):
    return {"path": path, "start": start, "entries": list(entries)}


def reason(reply, *, scores=None, notebooks=None, **params):
    library = Library().add("Lives", (BORN, ["Ada"]), (ELSEWHERE, ["Ada"]), (DULL, ["Ada"]))
    model = ScriptedModel({ReasonedAnswer: reply})
    scores = scores or {BORN: 0.9, ELSEWHERE: 0.8, DULL: 0.0}
    facts = [scored(text, score, of="Ada") for text, score in scores.items()]
    books = notebooks or [
        notebook(1, "ada", {"text": "Born in London.", "rests_on": [fact_key(BORN)]}),
        notebook(2, "paris", {"text": "Born in Paris.", "rests_on": [fact_key(ELSEWHERE)]}),
    ]
    plan = {"asked": "a place", "steps": [], "key_information": []}
    given = {"question": "Where was Ada born?", "sub_questions": [], "plan": plan, "facts": facts}
    reading = ReasoningInput.model_validate({**given, "notebooks": books})
    return reason_over_notebooks(reading, ports_for(library, model, MemoryVectors(), **params)), model


def test_the_writer_gets_all_notebooks_with_the_numbers_that_their_entries_rest_on():
    outcome, model = reason(ANSWER)
    [(prompt, tier, material)] = model.asked
    assert (prompt, tier) == ("reason", "strong")
    assert material["notebooks"] == [
        notebook(1, "ada", {"text": "Born in London.", "evidence": [1]}),
        notebook(2, "paris", {"text": "Born in Paris.", "evidence": [2]}),
    ]
    assert [entry["n"] for entry in material["evidence"]] == [1, 2]
    assert material["plan"]["asked"] == "a place"
    assert outcome.result.state == "done"
    assert outcome.result.text == "She was born in London [1]."
    assert outcome.result.details["analysis"] == "Path 1 says so."
    assert outcome.events[-1].data["analysis"] == "Path 1 says so."


def test_entries_that_no_evidence_is_left_of_are_not_shown_and_counted():
    both = "Born in London, had a cat."
    dull = {"text": "Had a cat.", "rests_on": [fact_key(DULL)]}
    mixed = {"text": both, "rests_on": [fact_key(DULL), fact_key(BORN)]}
    books = [
        notebook(1, "ada", dull, mixed),
        notebook(2, "x", {"text": "Only this.", "rests_on": ["f-unknown"]}),
    ]
    outcome, model = reason(ANSWER, notebooks=books)
    assert model.asked[0][2]["notebooks"] == [notebook(1, "ada", {"text": both, "evidence": [1]})]
    assert outcome.result.details["entries_without_evidence"] == 2
    assert outcome.result.details["below_threshold"] == 1


def test_within_a_scope_an_entry_goes_with_any_fact_that_may_not_be_read_any_more():
    mixed = {"text": "Born in London, had a cat.", "rests_on": [fact_key(DULL), fact_key(BORN)]}
    sure = {"text": "Born in London.", "rests_on": [fact_key(BORN)]}
    more = {"text": "Born in London, they say.", "rests_on": [fact_key(BORN)], "cut": True}
    books = [notebook(1, "ada", mixed, more, sure)]
    _, model = reason(ANSWER, notebooks=books, documents=["d1"])
    (book,) = model.asked[0][2]["notebooks"]
    assert [entry["text"] for entry in book["entries"]] == ["Born in London."]


def test_an_unanswerable_question_keeps_its_analysis():
    reply = ReasonedAnswer(answerable=False, missing="The evidence does not tell.", analysis="x" * 4000)
    outcome, _ = reason(reply)
    assert outcome.result.state == "abstained"
    assert len(outcome.result.details["analysis"]) == 2000
    assert len(outcome.events[-1].data["analysis"]) == 200
