"""A broker in one process: carries messages to a runner, and can lose or double them."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from celery.exceptions import Ignore, Retry

from workers.core.jobs.messages import Message
from workers.engine.driver import Delivery
from workers.engine.runner import Runner


@dataclass
class Chord:
    left: int
    body: Message


@dataclass
class Parcel:
    message: Message
    then: tuple[Message, ...] = ()
    chord: Chord | None = None


@dataclass
class Broker:
    """A Publisher; `deliver` plays the workers until nothing is queued."""

    copies: int = 1
    queued: deque[Parcel] = field(default_factory=deque)
    delivered: list[Message] = field(default_factory=list)
    lost: int = 0

    def send(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self._put(Parcel(message))

    def chain(self, *chains: Sequence[Message]) -> None:
        for first, *rest in chains:
            self._put(Parcel(first, then=tuple(rest)))

    def chord(self, header: Sequence[Message], body: Message) -> None:
        shared = Chord(left=len(header), body=body)
        for message in header:
            self._put(Parcel(message, chord=shared))

    def _put(self, parcel: Parcel) -> None:
        if self.lost:
            self.lost -= 1
            return
        self.queued.extend([parcel] * self.copies)

    def deliver(self, runner: Runner, most: int = 10_000) -> None:
        while self.queued and most:
            most -= 1
            self.deliver_one(runner, self.queued.popleft())

    def deliver_one(self, runner: Runner, parcel: Parcel) -> None:
        message = parcel.message
        self.delivered.append(message)
        how = Delivery(in_chain=bool(parcel.then), in_chord=parcel.chord is not None)
        try:
            runner.run(message.job_id, message.epoch, message.item_id, how)
        except (Ignore, Retry):
            return
        if parcel.then:
            self._put(Parcel(parcel.then[0], then=parcel.then[1:]))
        if parcel.chord:
            parcel.chord.left -= 1
            if parcel.chord.left == 0:
                self._put(Parcel(parcel.chord.body))
