"""Moves that the ledger's tests begin with, as one line each."""

from doubles.ledger_play import Hand, Play, Sent
from workers.core.jobs.records import Claim


def begun(
    play: Play, item: str = "root", job_id: str | None = None, epoch: int = 0, *, quarantine: bool = False
) -> Claim:
    """Begin an item, which must be there to be begun; in the job's epoch unless another is named."""
    message = Sent(job_id or play.name, epoch or play.view(job_id).epoch, item)
    claim, answer = play.begin(message, quarantine=quarantine)
    assert answer.verdict == "go"
    return claim


def verdict(play: Play, item: str = "root", *, quarantine: bool = False) -> str:
    """Return what a message for the item would hear."""
    return play.begin(Sent(play.name, 1, item), quarantine=quarantine)[1].verdict


def to_leaves(play: Play) -> list[str]:
    """Finish the root and open the leaves' phase."""
    claim = begun(play)
    moved = play.finish(claim)
    play.advance(Hand(claim.model_copy(update={"item_id": moved.advance}), 0))
    return sorted(item for item in play.view().due if item.startswith("leaf"))


def lose(play: Play, item: str, *, quarantine: bool = False) -> None:
    """Begin an item and let its lease run out."""
    begun(play, item, quarantine=quarantine)
    play.wait(11)


def with_dead_leaf(play: Play) -> None:
    play.on_the_way.clear()
    to_leaves(play)
    play.ledger.fail(begun(play, "leaf 0"), "broken", permanent=True)
    play.play_on()
    assert play.view().state == "partial"
