"""First step of a graph query: plans the entities and sub-questions of the question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from hopline.errors import Permanent
from hopline.events.questions import PlanFinished
from hopline.models.base import Frozen
from hopline.models.questions import MOST_TRANSLATIONS
from workers.core.answers.turn import Turn
from workers.core.jobs.work import Outcome
from workers.core.language.languages import language_of
from workers.core.ports import Ports
from workers.core.prompts import Prompt, load_prompt
from workers.traverse.schema import Plan, QuestionPlan, SearchWords, Translated, TranslatedQuestionPlan
from workers.traverse.start_search import searched_meanwhile

_HISTORY = 5  # earlier questions of the session that are shown
_ANSWER = 600  # characters of each earlier answer
_ENTITIES = 12
_LINE = 400  # characters of an entity or sub-question; a longer one is no such thing
_REPLY_TOKENS = 600
_TRANSLATED = 600  # characters of what is searched for in each
TRANSLATION_TOKENS = 200  # of the reply, for each

Kind = TypeVar("Kind", bound=Plan)


class PreparedQuestion(Frozen):
    """A question made ready for tools."""

    question: str  # standing alone
    sub_questions: tuple[str, ...]  # none: it is atomic


class PlanInput(Frozen):
    """A question and the earlier ones of its session; without a history it stays as asked."""

    question: str
    history: tuple[Turn, ...]  # oldest first
    prepared: PreparedQuestion | None = None  # by the choice of the tools strategy: no model is asked again


class PlannedQuestion(Frozen):
    """A question with the entities it names and its parts."""

    question: str  # standing alone
    entities: tuple[str, ...]  # in the order of the question; none: the question itself is searched for
    sub_questions: tuple[str, ...]
    translations: tuple[str, ...] = ()  # names and words of the question in other languages, a text each
    search: str = ""  # reference of what a search for the question found meanwhile; "": none was made


class PlanResult(PlannedQuestion):
    """The plan of the graph strategy."""

    failed: str | None = None  # why the model gave none


def plan_question(question: PlanInput, ports: Ports) -> Outcome:
    """Plan the entities and sub-questions of a question, and search for it at the same time.

    There is no search yet for a question with a history, because the model rewrites it first, nor if
    documents are in other languages, because the search needs its words in these too. If the model fails for
    good, the plan is the question itself, and `failed` says why.

    Args:
        question: the question to answer.
        ports: the fast model is called once; embedder, graph, vectors and blob store serve the search.
    """
    languages = other_languages(question.question, ports)
    if question.history or languages:
        return planned(_plan(question, ports, languages))
    with searched_meanwhile(question.question, ports) as search:
        plan = _plan(question, ports, languages)
    return planned(plan.model_copy(update={"search": search.result()}))


def _plan(question: PlanInput, ports: Ports, languages: Sequence[str]) -> PlanResult:
    try:
        standing, plan = ask_plan(
            question,
            ports,
            load_prompt("workers.traverse", "plan"),
            QuestionPlan,
            _REPLY_TOKENS,
            translated=TranslatedQuestionPlan,
            languages=languages,
        )
    except Permanent as error:
        return PlanResult(**dict(plan_without_model(question.question)), failed=str(error)[:300])
    names, translations = translated_of(plan)
    return PlanResult(
        question=standing,
        entities=(*distinct_lines(plan.entities)[:_ENTITIES], *names),
        sub_questions=tuple(distinct_lines(plan.sub_questions)),
        translations=translations,
    )


def plan_without_model(question: str) -> PlannedQuestion:
    """Return the plan of last resort: search for the question itself."""
    return PlannedQuestion(question=question, entities=(), sub_questions=())


def planned(plan: Frozen) -> Outcome:
    """Return a plan as its step's outcome, with the event that reports it."""
    finished = PlanFinished(**plan.model_dump(include=set(PlanFinished.model_fields)))
    return Outcome(result=plan, events=(finished,))


def other_languages(question: str, ports: Ports) -> tuple[str, ...]:
    """Return the documents' languages other than the question's, the most frequent first."""
    asked = language_of(question)
    languages = ports.graph.around.languages(ports.job.collection)
    return tuple(language for language in languages if language != asked)[:MOST_TRANSLATIONS]


def translated_of(plan: Plan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a plan's names in other languages, and the search text for each language."""
    translations: list[SearchWords] = plan.translations if isinstance(plan, Translated) else []
    names = distinct_lines(name for each in translations for name in each.names)[:_ENTITIES]
    texts = (" ".join(distinct_lines([*each.words, *each.names])) for each in translations)
    return tuple(names), tuple(text[:_TRANSLATED] for text in texts if text)


def ask_plan(
    question: PlanInput,
    ports: Ports,
    prompt: Prompt,
    kind: type[Kind],
    max_tokens: int,
    *,
    translated: type[Kind] | None = None,
    languages: Sequence[str] = (),
    **material: Any,
) -> tuple[str, Kind]:
    """Return the self-contained question and its plan; without a history the question is unchanged.

    Args:
        question: the question to answer.
        ports: the fast model is called once.
        prompt: the prompt to use.
        kind: kind of plan.
        max_tokens: maximum length of the reply.
        translated: the kind requested instead if there are languages; also a `Translated`.
        languages: other languages of the documents.
        **material: material for the model in addition to question and history.

    Raises:
        Permanent: the model returned no plan.
    """
    history = [turn.model_dump() for turn in shown_history(question.history)]
    material = {"question": question.question, "history": history, **material}
    if translated:
        prompt = prompt.for_tools({"languages"} if languages else ())
        if languages:
            kind, max_tokens = translated, max_tokens + TRANSLATION_TOKENS * len(languages)
            material["languages"] = tuple(languages)
    plan = ports.model.ask(prompt, material, kind, max_tokens=max_tokens).value
    return standing_alone(question, plan.question), plan


def spoken_of(question: PlanInput) -> str:
    """Return the question together with the earlier ones it may refer to, as a text to take words from."""
    turns = [f"{turn.question}\n{turn.answer}" for turn in shown_history(question.history)]
    return "\n".join([*turns, question.question])


def standing_alone(question: PlanInput, replied: str) -> str:
    """Return the self-contained question in a model's reply; without a history the question as asked."""
    return (replied.strip() if question.history else "") or question.question


def shown_history(history: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the latest exchanges of the session in the form the model sees."""
    return tuple(turn.model_copy(update={"answer": turn.answer[:_ANSWER]}) for turn in history[-_HISTORY:])


def distinct_lines(texts: Iterable[str]) -> list[str]:
    """Return the distinct texts, each on one line, without empty and overlong ones."""
    lines = (" ".join(text.split()) for text in texts)
    kept: dict[str, str] = {}
    for line in lines:
        if 0 < len(line) <= _LINE:
            kept.setdefault(line.casefold(), line)
    return list(kept.values())
