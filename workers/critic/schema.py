"""Request and reply schemas of the critics and the writer."""

from __future__ import annotations

from pydantic import Field

from hopline.models.base import Frozen


class FactScore(Frozen):
    """How much a fact helps to answer. Input: {question, sub_questions, fact, sources: [{title, quote}]}."""

    relevance: float = Field(ge=0, le=1)
    source_description: str = Field(default="", max_length=500)  # where it stands, for a reader


class FactNumber(Frozen):
    """Which fact is meant; a class of its own so that it is written first."""

    n: int


class NumberedScore(FactScore, FactNumber):
    """How much the fact of that number helps."""


class FactScores(Frozen):
    """How much each of several facts helps.

    Input: {question, sub_questions, facts: [{n, fact, sources: [{title, quote}]}]}.
    """

    scores: list[NumberedScore] = Field(max_length=100)


class SummarySentence(Frozen):
    """One sentence with the numbers of the evidence it rests on."""

    text: str = Field(min_length=1, max_length=2000)  # without markers; the code sets them
    citations: list[int] = Field(default=[], max_length=20)


class DraftOperand(Frozen):
    """A number, a date or a counted thing of a calculation, exactly as it stands in what is cited."""

    citation: int  # a number of the evidence
    number: str = Field(default="", max_length=200)  # "" where the cited item itself is counted


class DraftCalculation(Frozen):
    """The calculation of a number that no quote states; see `critic.calculations`."""

    value: str = Field(min_length=1, max_length=200)  # exactly as it stands in the sentence
    expression: str = Field(min_length=1, max_length=1000)  # with the operands as they are quoted
    operands: list[DraftOperand] = Field(default=[], max_length=60)


class DraftSentence(SummarySentence):
    """One sentence of the answer, with the calculations of values that no quote states.

    A calculation is refused, and its sentence dropped, unless every operand stands in what it cites, units
    agree, and the result, rounded as the value is written, equals the value.
    """

    calculations: list[DraftCalculation] = Field(default=[], max_length=10)


class AnswerDraft(Frozen):
    """The written answer. Input: {question, sub_questions, evidence: [{n, fact, quote, source}]}.

    Where facts may contradict one another also possible_contradictions: [[{n, value, source, date,
    priority}]], groups of evidence, in each the highest priority and then the newest first; date and priority
    where known.

    Its fields are written in this order: sentences are shown before the draft is whole, so what decides
    whether there is an answer stands before them.
    """

    answerable: bool  # false: the evidence does not hold what is asked
    missing: str = Field(
        default="", max_length=500
    )  # what of the question the evidence lacks; "" where nothing
    sentences: list[DraftSentence] = Field(default=[], max_length=60)
    conflicts: list[list[int]] = Field(default=[], max_length=20)  # groups of evidence that contradict


class EvidenceSummary(Frozen):
    """What did not fit, shorter. Input: {question, evidence: [{n, fact}]}."""

    sentences: list[SummarySentence] = Field(max_length=60)


class Analysis(Frozen):
    """What is thought before anything is written; a class of its own so that it comes first."""

    analysis: str = Field(default="", max_length=4000)  # how the notebooks lead to the answer


class ReasonedAnswer(AnswerDraft, Analysis):
    """The answer out of the reader's notebooks, reasoned before it is written.

    Input: {question, sub_questions, plan: {asked, steps, key_information}, notebooks: [{path, start, entries:
    [{text, evidence: [n]}]}], evidence: [{n, fact, quote, source}]}, possible_contradictions as for an
    `AnswerDraft`: an entry's numbers are the evidence that it rests on. conflicts holds groups of n that
    contradict, be it within one notebook or between two.
    """


class TranslationVerdict(Frozen):
    """Whether the quotes of one sentence carry it."""

    n: int
    carried: bool
    wrong: list[str] = Field(default=[], max_length=20)  # its words that they do not carry


class TranslationVerdicts(Frozen):
    """Which sentences are carried by quotes in another language. Input: {sentences: [{n, sentence, quotes}]}.

    A model that cannot tell leaves a sentence out.
    """

    verdicts: list[TranslationVerdict] = Field(default=[], max_length=60)


class AnswerCheck(Frozen):
    """Is a question answered by what the tools brought, or is there nothing more to be found?

    Input: {question, history: [{question, answer}], rounds_left, asked: [{question, tool, arguments, found:
    Markdown, at most some thousand characters, or why nothing was}]}.
    """

    complete: bool  # every part is answered
    gave_up: bool = False  # not complete, and asking on would bring nothing new: missing is not asked again
    missing: list[str] = Field(default=[], max_length=10)  # asked anew, with the answers so far filled in
    why: str = Field(default="", max_length=500)
