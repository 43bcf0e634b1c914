"""Shows a running batch on stderr: redrawn on a terminal, as plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.console import Group
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.text import Text

from hopline.commands.console import harmless, notices
from hopline.models.jobs import NOBODY_BEGAN
from hopline.views.batches.status import how_far, status_texts, waiting
from hopline.views.live import NOBODY_BEGAN_SECONDS, cleared
from hopline.views.words import lasting, number, usage_parts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hopline.models.batches import BatchStatus

_LOOK_SECONDS = 2.0
_LINE_SECONDS = 10.0
_BAR = 50  # characters


def watch_batch(look: Callable[[], BatchStatus], *, quiet: bool) -> BatchStatus:
    """Show a batch's status until its end, pauses included; return the last status.

    Args:
        look: tells how it stands.
        quiet: show nothing.
    """
    console = notices()
    if quiet or not console.is_terminal:
        return _until_ended(look, _silent if quiet else _Lines())
    with cleared(Live(console=console, transient=True, refresh_per_second=4)) as live:
        return _until_ended(look, lambda batch, hint: live.update(_drawn(batch, hint)))


def _until_ended(look: Callable[[], BatchStatus], show: Callable[[BatchStatus, str], None]) -> BatchStatus:
    started = time.monotonic()
    while (batch := look()).lasts:
        begun = batch.ended or batch.usage.model_calls or batch.state == "paused" or batch.batch_mode
        waited = time.monotonic() - started > NOBODY_BEGAN_SECONDS
        hint = NOBODY_BEGAN if waited and not begun else ""
        show(batch, hint)
        time.sleep(_LOOK_SECONDS)
    return batch


def _drawn(batch: BatchStatus, hint: str) -> RenderableType:
    title, *lines = status_texts(batch)
    bar = ProgressBar(total=max(1, batch.documents), completed=batch.ended, width=_BAR)
    below: list[RenderableType] = [bar, *lines, *([Text(hint, "yellow")] if hint else [])]
    return Group(title, *(Padding(line, (0, 0, 0, 2)) for line in below))


def _silent(_batch: BatchStatus, _hint: str) -> None:
    """Show nothing."""


class _Lines:
    """Prints a line now and then for logs; at once when a batch pauses or no worker begins it."""

    def __init__(self) -> None:
        self._at, self._line = -_LINE_SECONDS, ""
        self._urgent: tuple[str, ...] = ("",)

    def __call__(self, batch: BatchStatus, hint: str) -> None:
        line, urgent = hint or _line(batch), (hint, *(pause.kind for pause in batch.pauses))
        late = time.monotonic() - self._at >= _LINE_SECONDS
        if urgent != self._urgent or (late and line != self._line):
            self._at, self._line, self._urgent = time.monotonic(), line, urgent
            notices().print(harmless(line), markup=False, soft_wrap=True)


def _line(batch: BatchStatus) -> str:
    parts = [how_far(batch)]
    if batch.failed:
        parts.append(f"{number(batch.failed)} failed")
    if batch.rate and batch.left is not None:
        parts += [f"{batch.rate:.1f} a minute", f"{lasting(batch.left)} left"]
    parts += usage_parts(batch.usage)
    parts += [f"paused: {pause.why}" for pause in batch.pauses]
    if batch.waits_until:
        parts.append(waiting(batch.waits_until, batch.zone))
    return " · ".join(parts)
