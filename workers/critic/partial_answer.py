"""Streams an answer while it is written: publishes each sentence once it is complete and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic import ValidationError

from hopline.events.questions import AnswerRestarted, AnswerSentence
from hopline.models.jobs import Json
from workers.core.answers.answer import with_calls
from workers.core.jobs.work import Event
from workers.core.models.tools import FoundBy
from workers.core.ports import Tell
from workers.critic.draft import MOST_CONFLICTS, Writing, cited_place
from workers.critic.schema import AnswerDraft, DraftSentence

_RESTARTED = Event.of(AnswerRestarted())


class Showing:
    """Turns a growing draft into checked sentences, and publishes them.

    Nothing is reported of a draft whose first sentence is dropped, before it is finished.
    What was told is provisional: a draft that begins again, or comes to nothing, takes it back first.

    Args:
        begin: makes what takes a draft's sentences in, again for every draft.
        tell: shows events to whoever waits for the job.
        calls: what found facts in the graph, by id.
    """

    def __init__(self, begin: Callable[[], Writing], tell: Tell, calls: Mapping[str, FoundBy]) -> None:
        self._begin = begin
        self._tell = tell
        self._calls = {name: by.model_dump(exclude_none=True) for name, by in calls.items()}
        self._start()

    def _start(self) -> None:
        self._writing = self._begin()
        self._taken: list[DraftSentence] = []
        self._shown = False  # anything of this draft
        self._told = 0  # sentences, and the citations that went with them
        self._cited = 0
        self._untold: list[Event] = []

    def grow(self, draft: Json) -> None:
        """See what of a draft is whole so far; an empty one is the beginning of another."""
        if not draft:
            self._begin_anew()
        if draft.get("answerable") is not True:
            return
        drafted = draft.get("sentences")
        whole = drafted[len(self._taken) : -1] if isinstance(drafted, list) else []
        try:
            for sentence in whole:  # the last one may still grow
                self._take(DraftSentence.model_validate(sentence))
        except ValidationError:
            return  # the draft will not do; its repair begins again
        finally:
            # Without its first sentence a draft may answer wrongly: it is sent only if there is no other.
            if self._untold and not self._writing.written.lost_first:
                self._shown = True
                self._tell(self._untold)
                self._untold = []

    def finish(self, draft: AnswerDraft) -> tuple[Writing, tuple[Event, ...]]:
        """Return the answer, and events for what was not published yet.

        Sentences that a model has to judge are already published; if it refuses one, all are retracted.
        """
        if self._taken != draft.sentences[: len(self._taken)]:
            self._begin_anew()
        self._take_rest(draft)
        while self._writing.look_again():
            self._begin_anew()
            self._take_rest(draft)
        for group in draft.conflicts[:MOST_CONFLICTS]:
            self._writing.name_conflict(group)
            self._note()
        return self._writing, tuple(self._untold)

    def take_back(self) -> None:
        """Retract the published sentences, if there are any."""
        if self._shown:
            self._tell([_RESTARTED])

    def _begin_anew(self) -> None:
        self.take_back()
        self._start()

    def _take_rest(self, draft: AnswerDraft) -> None:
        for sentence in draft.sentences[len(self._taken) :]:
            self._take(sentence)

    def _take(self, sentence: DraftSentence) -> None:
        self._writing.take(sentence)
        self._taken.append(sentence)
        self._note()

    def _note(self) -> None:
        """Add the event of a new sentence, with citations not published before."""
        written = self._writing.written
        for text in written.sentences[self._told :]:
            self._told += 1
            places = enumerate(written.cited[self._cited :], self._cited + 1)
            cited = [cited_place(place, n) for n, place in places]
            self._cited = len(written.cited)
            resolved = with_calls({"citations": cited, "calls": self._calls})["citations"]
            sums = tuple(each.model_dump() for each in written.calculations if each.sentence == self._told)
            sentence = AnswerSentence(n=self._told, text=text, citations=tuple(resolved), calculations=sums)
            self._untold.append(Event.of(sentence))
