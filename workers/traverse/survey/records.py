"""Records of the survey: its plan, and the topics and facts that it may examine."""

from __future__ import annotations

from hopline.models.base import Frozen, VisibleText
from workers.traverse.survey.schema import AnswerKind


class SurveyedQuestion(Frozen):
    """A question about the whole collection, split into parts."""

    question: str  # standing alone
    kind: AnswerKind  # of answer
    sub_questions: tuple[str, ...]  # five at most
    translations: tuple[str, ...] = ()  # names and words of the question in other languages, a text each


class SurveyPlanResult(SurveyedQuestion):
    """The plan of the survey."""

    failed: str | None = None  # why the model gave none


class SurveyTopic(Frozen):
    """A topic with the facts that searches found in it."""

    id: str  # "": of the facts that came after the topics were built
    level: int  # 0 is the coarsest
    parent: str | None  # id; None at level 0
    name: VisibleText  # the key elements that its documents share, or its label
    facts: int  # in all
    documents: int  # in all
    mass: float  # sum of the weights of its facts that searches found


class SurveyFact(Frozen):
    """A fact that may be examined, with one place that states it."""

    id: str
    text: VisibleText
    title: VisibleText  # of the document
    quote: VisibleText
    topic: str  # id of its finest topic; "" where it has none
    weight: float  # how near searches found it, over all questions; little where they did not
    documents: tuple[int, ...]  # that state it: positions in `TopicsResult.documents`
    chunk: str = ""  # of the place; "" where a worker of an earlier version found it
    is_nearest: bool = False  # one of the searches found nothing nearer, or little


class Totals(Frozen):
    """Total numbers of documents, facts and topics."""

    facts: int = 0  # as topics count them; where documents came or went since, one of two documents twice
    documents: int = 0  # that state facts now
    topics: int = 0  # of the coarsest level; 0 where the collection has none
    since: int = 0  # documents, at least, that came after the topics were built


class TopicsResult(Frozen):
    """The topics that a survey may examine, best first, with their facts, best first."""

    totals: Totals
    topics: tuple[SurveyTopic, ...]
    facts: tuple[SurveyFact, ...]
    documents: tuple[str, ...]  # ids
    failed: str | None = None  # what of the searches or topics failed, and why
