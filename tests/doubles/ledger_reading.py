"""What a job's items read, while their workers die and are taken for dead at any moment."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from doubles.ledger_play import ADVANCE, Hand, Play
from doubles.ledger_view import View
from hopline.errors import Conflict
from workers.core.jobs.work import GivenBack, Job
from workers.ledger.reads import JobReads

NAMES = st.lists(st.sampled_from("stuvwxyz"), min_size=1, max_size=6)
MOST = st.none() | st.integers(0, 3)


class ReadingMachine(RuleBasedStateMachine):
    """The rules of reads, for the machine that plays the job."""

    play: Play
    hands: list[Hand]
    ghosts: list[Hand]

    def __init__(self) -> None:
        super().__init__()
        self.readers: dict[str, str] = {}  # name -> the item that reads it
        self.asked: list[tuple[str, list[str], int | None, list[str]]] = []  # reader, names, most, answer

    @precondition(lambda self: self.hands or self.ghosts)
    @rule(pick=st.integers(0, 1000), names=NAMES, most=MOST, again=st.booleans())
    def read(self, pick: int, names: list[str], most: int | None, *, again: bool) -> None:
        """A step asks what it may read; a ghost's call comes late, of an older epoch, or after the end."""
        hand = self._reader(pick)
        if hand is None:
            return
        for _ in range(1 + again):
            self._ask(hand.claim.epoch, hand.claim.item_id, names, most)

    @precondition(lambda self: self.asked)
    @rule(pick=st.integers(0, 1000))
    def read_as_before(self, pick: int) -> None:
        """An item that is done again reads all that it was to read, except what it gave back."""
        reader, names, most, answer = self.asked[pick % len(self.asked)]
        held = {name for name in answer if self.readers.get(name) == reader}
        own = {name for name in names if self.readers.get(name) == reader}
        view = self.play.view()
        taken = self._ask(view.epoch, reader, names, most)
        if view.state == "running" and (most is None or len(own) <= most):
            assert held <= set(taken), "what it read before"

    @precondition(lambda self: self.hands or self.ghosts)
    @rule(pick=st.integers(0, 1000), names=NAMES, again=st.booleans())
    def give_back(self, pick: int, names: list[str], *, again: bool) -> None:
        """An item gives back with its result, and only where that is the one that is recorded."""
        hand = self._reader(pick)
        if hand is None or hand.claim.item_id.startswith(ADVANCE):
            return
        if hand in self.hands:
            self.hands.remove(hand)
            self.ghosts.append(hand)
        leftover = GivenBack(reader=hand.claim.item_id, names=tuple(names))
        for _ in range(1 + again):
            moved = self.play.finish(hand.claim, given_back=leftover)
            self.play.send(hand.claim, moved)
            if moved.verdict == "recorded":
                gone = {name for name in names if self.readers.get(name) == hand.claim.item_id}
                self.readers = {name: item for name, item in self.readers.items() if name not in gone}

    def check_reads(self, view: View) -> None:
        """Each name has one reader, and only its reader's calls change that."""
        assert view.reads == self.readers

    def _reader(self, pick: int) -> Hand | None:
        own = [h for h in (*self.hands, *self.ghosts) if h.claim.job_id == self.play.name]
        return own[pick % len(own)] if own else None

    def _reads(self, epoch: int) -> JobReads:
        job = Job(id=self.play.name, kind="tree", collection="test", epoch=epoch)
        return JobReads(self.play.ledger.scripts, job)

    def _ask(self, epoch: int, reader: str, names: list[str], most: int | None) -> list[str]:
        view = self.play.view()
        reads = self._reads(epoch)
        if (view.state, view.epoch) != ("running", epoch):
            with pytest.raises(Conflict):
                reads.take(reader, names, most)
            return []
        tried = list(dict.fromkeys(names))
        free = [name for name in tried if name not in self.readers]
        own = [name for name in tried if self.readers.get(name) == reader]
        taken = reads.take(reader, names, most)
        limit = len(tried) if most is None else most
        assert taken == [name for name in tried if name in taken], "in the given order"
        assert set(taken) == {*own[:limit], *free[: max(0, limit - len(own))]}, "its own, then what is free"
        self.readers |= dict.fromkeys(taken, reader)
        assert reads.by_others(reader, tried) == set(tried) - {*own, *free}
        self.asked.append((reader, names, most, taken))
        return taken
