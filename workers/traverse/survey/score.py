"""Scores facts of a survey's round, and returns them with their ids."""

from __future__ import annotations

from typing import cast

from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.critic.score import ScoreInput, ScoreResult, score_fact


class SurveyScoreInput(ScoreInput):
    """Facts of a round that are scored in one call."""

    ids: tuple[str, ...] = ()  # of the fact and its others; none where an earlier version asked
    calls: int = 0  # of the round; 0 where an earlier version asked


class SurveyScoreResult(ScoreResult):
    """The scores, with the ids of their facts.

    The worker that reads them may have a version that would have chosen other facts.
    """

    ids: tuple[str, ...] = ()  # in the order of the scores; none where an earlier version scored
    calls: int = 0  # of the round; 0 where an earlier version scored


def score_of_survey(scoring: SurveyScoreInput, ports: Ports) -> Outcome:
    """Score facts for relevance, in one call; see `score_fact`.

    Args:
        scoring: one fact or several, with the question.
        ports: the fast model is called once.
    """
    outcome = score_fact(scoring, ports)
    scores = cast("ScoreResult", outcome.result)
    result = SurveyScoreResult(**dict(scores), ids=scoring.ids, calls=scoring.calls)
    return outcome.model_copy(update={"result": result})
