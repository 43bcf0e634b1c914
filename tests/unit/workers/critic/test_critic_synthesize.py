import pytest
from doubles.drafts import draft, scored, sentences
from doubles.library import Library, ScriptedModel, f, ports_for
from doubles.vectors import MemoryVectors

from hopline.models.answers import Citation
from workers.core.errors import BudgetExceeded, ModelRefused
from workers.core.records import FactSource
from workers.critic.judge_translation import Judged
from workers.critic.known_names import KnownNames
from workers.critic.schema import AnswerDraft, EvidenceSummary, TranslationVerdict, TranslationVerdicts
from workers.critic.synthesize import WritingInput, synthesize

WROTE = "Ada Lovelace wrote notes on the Analytical Engine in 1843."
BORN = "Ada Lovelace was born in London in 1815."


@pytest.fixture
def library():
    return Library().add(
        "Ada", (WROTE, ["Ada Lovelace"]), ("She was born in London in 1815.", ["Ada Lovelace"], BORN)
    )


def write_with(
    library,
    reply,
    *facts,
    summary=None,
    question="When did she write?",
    open_parts=(),
    verdicts=None,
    **params,
):
    """Return the step's outcome and the model; a list of drafts is written one after another."""
    drafts = iter(reply if isinstance(reply, list) else ())
    script = (lambda _material: next(drafts)) if isinstance(reply, list) else reply
    model = ScriptedModel({AnswerDraft: script, EvidenceSummary: summary, TranslationVerdicts: verdicts})
    facts = facts or (scored(WROTE), scored(BORN, 0.5))
    writing = WritingInput(question=question, sub_questions=(), facts=facts, open_parts=open_parts)
    return synthesize(writing, ports_for(library, model, MemoryVectors(), **params)), model


def answer_with(library, reply, *facts, **more):
    outcome, model = write_with(library, reply, *facts, **more)
    return outcome.result, model


def test_an_answer_cites_places_in_documents(library):
    result, model = answer_with(library, draft(("Ada Lovelace wrote the notes in 1843.", 1)))
    assert result.state == "done"
    assert result.text == "Ada Lovelace wrote the notes in 1843 [1]."
    citation = Citation.model_validate(result.citations[0])
    _document, chunk = next(iter(library.documents.values()))
    assert chunk.text[citation.start : citation.end] == citation.quote == WROTE
    assert (citation.n, citation.fact_id, citation.document.title) == (1, f(WROTE), "Ada")
    assert citation.when == ("1843",)
    assert [(name, tier) for name, tier, _ in model.asked] == [("synthesize", "strong")]


def test_a_citation_names_no_time_where_its_sentence_does_not(library):
    library.add("Mara", ("Mara had a cat.", ["Mara"]))
    result, _ = answer_with(library, draft(("Mara had a cat.", 1)), scored("Mara had a cat."))
    assert "when" not in result.citations[0]
    assert Citation.model_validate(result.citations[0]).when == ()


def test_markers_are_renumbered_by_their_first_use(library):
    reply = draft(("She was born in 1815.", 2), ("She wrote notes in 1843.", 1, 2))
    result, _ = answer_with(library, reply)
    assert result.text == "She was born in 1815 [1]. She wrote notes in 1843 [2][1]."
    assert [c["fact_id"] for c in result.citations] == [f(BORN), f(WROTE)]


@pytest.mark.parametrize(("sentence", "why"), [
    (("She wrote notes in 1844.", 1), "not in the cited text: 1844"),
    (("Charles Babbage wrote the notes.", 1), "not in the cited text: Charles, Babbage"),
    (("She wrote notes in 1843.", 2), "not in the cited text: 1843"),
    (("She wrote notes.", 99), "cites evidence that does not exist"),
    (("She wrote notes.", 1, 0), "cites evidence that does not exist"),
    (("She wrote notes.",), "cites nothing"),
    (("Apparently bananas float.", 1), "shares no word with the cited text"),
    ((" [1] ", 1), "is empty"),
])  # fmt: skip
def test_a_sentence_that_its_evidence_does_not_carry_is_dropped_with_why(library, sentence, why):
    result, model = answer_with(library, draft(("She was born in London.", 2), sentence))
    assert (result.state, result.text) == ("done", "She was born in London [1].")
    assert [dropped["why"] for dropped in result.details["dropped_sentences"]] == [why]
    assert len(model.asked) == 1, "a later sentence that falls asks nobody again"


def test_a_draft_whose_first_sentence_falls_is_asked_for_once_more_with_what_fell_and_why(library):
    first = draft(("She wrote notes in 1844.", 1), ("She was born in London.", 2), ("She had a cat.", 9))
    second = draft(("She wrote notes in 1843.", 1), ("She was born in London.", 2))
    result, model = answer_with(library, [first, second])
    assert (result.state, result.reason) == ("done", None)
    assert result.text == "She wrote notes in 1843 [1]. She was born in London [2]."
    fell = [
        {"sentence": "She wrote notes in 1844.", "why": "not in the cited text: 1844"},
        {"sentence": "She had a cat.", "why": "cites evidence that does not exist"},
    ]
    assert result.details["asked_again"] == fell
    assert "dropped_sentences" not in result.details
    assert [name for name, _tier, _material in model.asked] == ["synthesize", "rewrite"]
    assert model.asked[1][2]["deleted"] == fell


LACKING = "The evidence does not tell where Ada Lovelace wrote."


@pytest.mark.parametrize("missing", ["", LACKING])
def test_what_is_left_without_its_first_sentence_twice_is_partial_and_says_so(library, missing):
    lie = draft(("She wrote notes in 1844.", 1), ("She was born in London.", 2), missing=missing)
    result, model = answer_with(library, lie)
    assert (result.state, result.text) == ("partial", "She was born in London [1].")
    fell = "No source supports the direct answer that was written; the rest is supported."
    assert result.reason == f"{fell} {missing}".strip()
    assert result.missing == ((missing,) if missing else ())
    assert len(model.asked) == 2
    result, _ = answer_with(library, [lie, draft(answerable=False, missing=LACKING)])
    assert (result.state, result.text, result.reason) == ("abstained", "", LACKING)


def test_an_answer_in_chinese_is_carried_by_a_quote_in_another_order(library):
    aunt = "秦三娘是白苓的姑母。"
    library.add("灯塔", (aunt, ["秦三娘", "白苓"]))
    reply = draft(("白苓的姑母是秦三娘。", 1))
    result, model = answer_with(library, reply, scored(aunt), question="白苓的姑母是谁？")
    assert (result.state, result.text) == ("done", "白苓的姑母是秦三娘 [1]。")
    assert len(model.asked) == 1


PART_OPEN = "A part of the question is not answered by what was found."


@pytest.mark.parametrize(("answerable", "missing", "reason", "named"), [
    (False, LACKING, LACKING, (LACKING,)),
    (False, "Not stated, but in Marylebone.", "What was found does not answer the question.", ()),
    (True, LACKING, LACKING, (LACKING,)),
    (True, "Not where, but it was in Marylebone.", PART_OPEN, (PART_OPEN,)),
])  # fmt: skip
def test_what_a_writer_says_is_missing_is_told_unless_it_tells_what_no_source_says(
    library, answerable, missing, reason, named
):
    reply = draft(("She wrote notes in 1843.", 1), answerable=answerable, missing=missing)
    question = "When and where did Ada Lovelace write?"
    result, model = answer_with(library, reply, question=question)
    text = "She wrote notes in 1843 [1]." if answerable else ""
    assert (result.state, result.text) == ("partial" if answerable else "abstained", text)
    assert (result.reason, result.missing) == (reason, named)
    assert len(model.asked) == 1


WHERE, PAID = "Where Ada Lovelace wrote?", "Who paid Ada?" + 300 * "?"


@pytest.mark.parametrize(("reply", "state", "reason", "missing"), [
    (draft(("In 1843.", 1), missing=LACKING), "partial", LACKING, (LACKING, PAID)),
    (draft(("In 1843.", 1)), "partial", f"Nothing was found for: {WHERE} {PAID}", (WHERE, PAID)),
    (ModelRefused("no"), "partial", None, (WHERE, PAID)),
    (draft(answerable=False), "abstained", None, (WHERE, PAID)),
    (draft(("She was born in 1699.", 1)), "abstained", None, (WHERE, PAID)),
])  # fmt: skip
def test_open_parts_are_missing_however_the_writing_ends(library, reply, state, reason, missing):
    asked = {"question": "When and where, and who paid?", "open_parts": (WHERE, PAID)}
    outcome, _ = write_with(library, reply, **asked)
    assert (outcome.result.state, outcome.result.missing) == (state, missing)
    assert reason in (None, outcome.result.reason)
    assert outcome.events[-1].name == "answer.written"
    assert outcome.events[-1].data["missing"] == [part[:200] for part in missing]


def test_the_end_of_the_writing_tells_what_became_of_the_facts(library):
    long = f"Ada Lovelace wrote {'and wrote ' * 60}notes."
    library.add("Long", (long, ["Ada Lovelace"]))
    facts = [*(scored(text) for text in (WROTE, long, "The moon is cheese.")), scored(BORN, 0.0)]
    reply = draft(("She wrote notes in 1843.", 1))
    outcome, _ = write_with(library, reply, *facts, evidence_tokens=100, summarise_overflow=False)
    counted = {"evidence": 1, "below_threshold": 1, "uncitable": 1, "left_out": 1}
    assert outcome.events[-1].data["facts"] == counted


def test_facts_decay_fall_below_the_threshold_and_are_sorted(library):
    facts = [scored(BORN, 0.5), scored(WROTE, 0.9, extracted_from_depth=2)]
    result, model = answer_with(library, draft(("In 1843.", 1)), *facts, decay_rate=0.4, score_threshold=0.2)
    assert [entry["fact"] for entry in model.asked[0][2]["evidence"]] == [BORN]
    assert result.details["below_threshold"] == 1
    unseen = scored(WROTE, 0.0, scored_by="unscored")  # is not held against the threshold
    assert answer_with(library, draft(("She wrote it in 1843.", 1)), unseen)[0].state == "done"
    result, _ = answer_with(library, draft(), scored(WROTE, 0.0))
    assert (result.state, result.rests_on) == ("abstained", ())


def test_nothing_is_answered_without_a_place_in_a_document(library):
    gone = [scored("The moon is cheese."), scored(WROTE)]
    key = next(key for key, (source, _) in library.held.items() if source.fact == WROTE)
    source, elements = library.held[key]
    library.held[key] = (source.model_copy(update={"grounded": False}), elements)
    result, model = answer_with(library, draft(), *gone)
    assert result.state == "abstained"
    assert result.details["uncitable"] == 2
    assert model.asked == []


def test_a_sentence_of_a_chunk_is_cited_at_its_offsets(library):
    chunk = next(iter(library.documents))
    loose = scored("She was born in London in 1815.", source_fact_id=None, source_qdrant_chunk_id=chunk)
    result, _ = answer_with(library, draft(("She was born in 1815.", 1)), loose)
    citation = result.citations[0]
    assert library.documents[chunk][1].text[citation["start"] : citation["end"]] == citation["quote"]


def test_a_sentence_of_a_chunk_is_cited_with_its_place_in_the_file(library):
    name = next(iter(library.documents))
    document, chunk = library.documents[name]
    told = chunk.model_copy(update={"places": f'{{"line":7,"breaks":[{len(WROTE)}]}}'})
    library.documents[name] = (document, told)
    loose = scored(BORN.replace("Ada Lovelace", "She"), source_fact_id=None, source_qdrant_chunk_id=name)
    result, _ = answer_with(library, draft(("She was born in 1815.", 1)), loose)
    assert Citation.model_validate(result.citations[0]).place.words == "line 8"


@pytest.mark.parametrize("error", [ModelRefused("no"), BudgetExceeded("spent")])
def test_a_writer_that_fails_for_good_leaves_the_evidence_cited_and_no_prose(library, error):
    result, _ = answer_with(library, error)
    assert (result.state, result.text) == ("partial", "")
    assert len(result.citations) == 2


@pytest.fixture
def guests(library):
    """More facts than fit."""
    texts = [f"Ada Lovelace met guest number {n} at her house." for n in range(30)]
    library.add("Guests", *((text, ["Ada Lovelace"]) for text in texts))
    return [scored(text, 0.9 - n / 100) for n, text in enumerate(texts)]


def test_what_does_not_fit_is_summarised_once_and_cited_by_its_facts(library, guests):
    def summary(material):
        last = material["evidence"][-1]
        told = (last["fact"], last["n"]), ("She met guest 777.", last["n"]), ("She met a guest.", 400)
        return EvidenceSummary(sentences=sentences(*told))

    def write(material):
        return draft(("She met guest number 29.", material["evidence"][-1]["n"]))

    result, model = answer_with(library, write, *guests, summary=summary, evidence_tokens=400)
    assert [name for name, _, _ in model.asked] == ["summarise", "synthesize"]
    assert result.text == "She met guest number 29 [1]."
    assert result.citations[0]["fact"] == guests[-1].fact_text
    assert result.details["shortened"] == 1


def test_a_summary_that_fails_leaves_what_fits(library, guests):
    reply = draft(("She met a guest at her house.", 1))
    result, _ = answer_with(library, reply, *guests, summary=ModelRefused("no"), evidence_tokens=400)
    assert result.state == "done"
    assert result.details["summary_failed"] == "no"
    result, model = answer_with(library, reply, *guests, evidence_tokens=400, summarise_overflow=False)
    assert [name for name, _, _ in model.asked] == ["synthesize"]


@pytest.mark.parametrize(
    "reply", [draft(("She wrote notes in 1843.", 1)), AnswerDraft(answerable=False, missing="Of Mara.")]
)
def test_words_rest_on_the_documents_of_all_evidence_cited_or_not(library, reply):
    library.add("Mara", ("Mara had a cat.", ["Mara"]))
    result, _ = answer_with(library, reply, scored(WROTE), scored("Mara had a cat.", 0.5))
    titles = {document.id: document.title for document, _chunk in library.documents.values()}
    assert [titles[name] for name in result.rests_on] == ["Ada", "Mara"]


@pytest.mark.parametrize(("noted_at", "scope", "described"), [
    ("here", {"documents": ["d"]}, "a life"),
    ("gone", {"documents": ["d"]}, "Ada"),
    (None, {"documents": ["d"]}, "Ada"),
    ("gone", {}, "a life"),
])  # fmt: skip
def test_a_place_that_is_hidden_meanwhile_does_not_describe_where_another_stands(
    library, noted_at, scope, described
):
    """The critic described the place that was read, and the title may be all that tells of it."""
    _document, chunk = next(iter(library.documents.values()))
    fact = scored(WROTE, source_qdrant_chunk_id=chunk.id if noted_at == "here" else noted_at)
    result, _ = answer_with(library, draft(("Ada Lovelace wrote the notes in 1843.", 1)), fact, **scope)
    assert [citation["source_description"] for citation in result.citations] == [described]


def test_a_name_in_the_place_of_a_pronoun_is_cited_with_the_sentence_that_introduces_it():
    canonized, born = "Joan of Arc was canonized in 1920.", "Joan of Arc was born in Domrémy."
    library = Library().add(
        "A trial",
        (born, ["Joan of Arc"]),
        ("Bishop Pierre Cauchon presided.", ["Pierre Cauchon"]),
        ("She was canonized in 1920.", ["1920"], canonized),
    )
    reply = draft((canonized, 1), ("Pierre Cauchon was canonized in 1920.", 1))
    result, _ = answer_with(library, reply, scored(canonized))
    assert result.text == "Joan of Arc was canonized in 1920 [1][2]."
    assert [place["quote"] for place in result.citations] == ["She was canonized in 1920.", born]
    lost = [lost["sentence"] for lost in result.details["dropped_sentences"]]
    assert lost == ["Pierre Cauchon was canonized in 1920."]


POTTERY = "柳泉陶瓷厂 1958 年投产，厂长唐家骏。"
DIRECTOR, OTHER = "Its director is Tang Jiajun.", "Its director is Tang Jialiang."
STARTED = "It started in 1958."


def verdicts(**wrong):
    """Return what gives each sentence a verdict by the words that the quotes do not carry, by sentence."""

    def judge(material):
        known = {entry["n"]: wrong.get(entry["sentence"]) for entry in material["sentences"]}
        return TranslationVerdicts(
            verdicts=[
                TranslationVerdict(n=n, carried=not words, wrong=words)
                for n, words in known.items()
                if words is not None
            ]
        )

    return judge


def pottery_with(reply, judge):
    library = Library().add("柳泉陶瓷厂志", (POTTERY, ["唐家骏"]))
    return answer_with(library, reply, scored(POTTERY), question="Who is the director?", verdicts=judge)


def test_names_in_another_script_than_the_quotes_are_judged_by_a_model_in_one_call():
    reply = draft((DIRECTOR, 1), (OTHER, 1), (STARTED, 1))
    judge = verdicts(**{DIRECTOR: [], OTHER: ["Jialiang", "nowhere"]})
    result, model = pottery_with(reply, judge)
    assert result.text == "Its director is Tang Jiajun [1]. It started in 1958 [1]."
    why = "not in the cited text, which is in another language: Jialiang"
    assert result.details["dropped_sentences"] == [{"sentence": OTHER, "why": why}]
    assert "unchecked_sentences" not in result.details
    assert [(name, tier) for name, tier, _ in model.asked] == [
        ("synthesize", "strong"), ("judge_translation", "fast")
    ]  # fmt: skip
    shown = model.asked[1][2]["sentences"]
    assert [(entry["n"], entry["sentence"]) for entry in shown] == [(1, DIRECTOR), (2, OTHER)]
    assert POTTERY in shown[0]["quotes"][0]


def test_the_judge_of_translations_sees_all_that_a_sentence_cites_or_not_that_sentence():
    def cited(*quotes):
        return [place(quote) for quote in quotes]

    long = f"柳泉陶瓷厂{'很大' * 600}，厂长唐家骏。"
    model = ScriptedModel({TranslationVerdicts: verdicts(**{DIRECTOR: [], STARTED: ["1958"]})})
    judged = Judged(model)
    director, other, started = ((text, (n,)) for n, text in enumerate((DIRECTOR, OTHER, STARTED), 1))
    places = {
        director: cited(*(f"{nth} 号窑在柳泉。" for nth in range(19)), long),
        other: cited("好" * 30_000),
        started: cited(POTTERY),
    }
    assert judged.judge(places)
    shown = model.asked[0][2]["sentences"]
    assert [(each["sentence"], len(each["quotes"])) for each in shown] == [(DIRECTOR, 20), (STARTED, 1)]
    assert shown[0]["quotes"][-1] == f"{long}\n柳泉陶瓷厂志."
    assert [judged.has_checked(key) for key in (director, other, started)] == [True, False, True]
    assert judged.judge({other: places[other]}) is False
    assert len(model.asked) == 1


def place(quote):
    return FactSource(
        fact_id="f", fact=quote, chunk_id="c", document_id="d", title="柳泉陶瓷厂志", uri="u",
        start=0, end=len(quote), match=1, grounded=True, quote=quote,
    )  # fmt: skip


@pytest.mark.parametrize("judge", [verdicts(), ModelRefused("no"), BudgetExceeded("spent")])
def test_a_translated_name_that_no_model_judges_is_kept_and_marked(judge):
    result, _ = pottery_with(draft((STARTED, 1), (DIRECTOR, 1)), judge)
    assert (result.state, result.text) == ("done", "It started in 1958 [1]. Its director is Tang Jiajun [1].")
    marked = {"sentence": "Its director is Tang Jiajun [1].", "why": "translated: names not checked"}
    assert result.details["unchecked_sentences"] == [marked]


def test_a_first_sentence_that_the_model_refuses_is_asked_for_once_more():
    judge = verdicts(**{DIRECTOR: [], OTHER: ["Jialiang"]})
    result, model = pottery_with([draft((OTHER, 1)), draft((DIRECTOR, 1))], judge)
    assert result.text == "Its director is Tang Jiajun [1]."
    assert [entry["sentence"] for entry in result.details["asked_again"]] == [OTHER]
    names = [name for name, _tier, _material in model.asked]
    assert names == ["synthesize", "judge_translation", "rewrite", "judge_translation"]


def test_nothing_is_judged_where_code_compares_all(library):
    for sentence in (STARTED, "Its director is 唐家骏."):
        result, model = pottery_with(draft((sentence, 1)), ModelRefused("is not asked"))
        assert (result.state, len(model.asked)) == ("done", 1)
    wrote = "Ada Lovelace schrieb 1843 die Anmerkungen."
    library.add("Leben", (wrote, ["Ada Lovelace"]))
    result, model = answer_with(library, draft(("Ada Lovelace wrote the notes in 1843.", 1)), scored(wrote))
    assert (result.state, len(model.asked)) == ("done", 1)


def test_a_translated_number_is_compared_by_code():
    result, _ = pottery_with(draft((DIRECTOR, 1), ("It started in 1985.", 1)), verdicts(**{DIRECTOR: []}))
    assert result.text == "Its director is Tang Jiajun [1]."
    assert [entry["why"] for entry in result.details["dropped_sentences"]] == ["not in the cited text: 1985"]


@pytest.mark.parametrize(("title", "before"), [("A log", "10 June 1915"), ("A log", "It is 10 June 1915.")])
def test_a_date_that_the_chunk_completes_is_cited_with_what_completes_it(title, before):
    landed = "They landed in May."
    library = Library().add(title, (before, ["1915"]), (landed, ["May"]))
    chunk = next(iter(library.documents))
    quote = landed if before.endswith(".") else f"{before} {landed}"
    loose = scored(quote, source_fact_id=None, source_qdrant_chunk_id=chunk)
    result, _ = answer_with(library, draft(("They landed in May 1915.", 1)), loose)
    quotes = [place["quote"] for place in result.citations]
    assert quotes == ([landed, before] if before.endswith(".") else [quote])


def test_the_words_of_a_fact_carry_nothing_that_no_quote_says():
    said = "She landed on 23 May."
    library = Library().add("A log", (said, ["May"], "Ada Lovelace landed on 23 May 1915 at noon."))
    fact = scored("Ada Lovelace landed on 23 May 1915 at noon.")
    result, _ = answer_with(library, draft((said, 1), ("She landed on 23 May 1915.", 1)), fact)
    assert result.text == "She landed on 23 May [1]."


def test_names_are_looked_up_once_and_only_where_capitals_do_not_tell_them(library):
    answer_with(library, draft(("Ada Lovelace wrote the notes in 1843.", 1)))
    assert "elements_like" not in library.calls
    aunt, uncle = "秦三娘是白苓的姑母。", "秦四郎是白苓的叔父。"
    library.add("灯塔", (aunt, ["秦三娘", "白苓"]), (uncle, ["秦四郎"]))
    reply = draft((aunt, 1), (uncle, 2))
    result, _ = answer_with(library, reply, scored(aunt), scored(uncle), question="白苓有什么亲人？")
    assert (result.state, library.calls.count("elements_like")) == ("done", 1)
    known = KnownNames(library, "default")
    assert known.look([aunt, uncle])
    assert not known.look([aunt])
    assert not known.look(["Ada Lovelace wrote."])
    assert set(known.of("秦四郎是姑母。", aunt)[:2]) == {"秦三娘", "白苓"}
    assert "秦四郎" in known.of("秦四郎是姑母。", aunt)
    assert known.of("Ada Lovelace is his aunt.", aunt) == []
