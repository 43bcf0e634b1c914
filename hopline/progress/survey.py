"""Folds the events of a survey into its progress: topics, and claims made of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from hopline.events.questions import ClaimsMade, TopicsFound
from hopline.models.events import EventData


@dataclass
class SurveyProgress:
    """Topics and facts that a survey looks at, and the claims made so far."""

    topics: list[str] = field(default_factory=list)  # names of the best
    of_topics: int = 0  # in all
    facts: int = 0  # that may be looked at
    claims: list[str] = field(default_factory=list)

    def add(self, event: EventData | None) -> list[str]:
        """Take one event in; return lines for views that cannot redraw."""
        match event:
            case TopicsFound(topics=topics, facts=facts, of_topics=of_topics):
                self.topics, self.facts, self.of_topics = list(topics), facts, of_topics
                return [f"topics: {'; '.join(topics)}"] if topics else []
            case ClaimsMade(claims=claims):
                self.claims += claims
                return [f"claims: {len(self.claims)}"]
        return []
