"""hopline eval."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.client import refuse_an_api
from hopline.commands.console import agree, answers, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.options import AsJson, Quiet
from hopline.commands.waiting import happening
from hopline.errors import InvalidInput
from hopline.words import counted

if TYPE_CHECKING:
    from hopline import Hopline
    from hopline.models.ingest_reports import IngestReport, Submitted
    from producer.evaluation.dataset import Dataset
    from producer.evaluation.report import EvalReport
    from producer.evaluation.run import Evaluation
    from workers.settings import Settings


ANSWERS = "Answers"

File = Annotated[
    Path | None,
    typer.Argument(
        help="JSON file with passages and questions, see docs/measurements.md.", show_default=False
    ),
]
Compare = Annotated[
    tuple[Path, Path] | None,
    typer.Option(
        metavar="A.json B.json",
        help="Instead of measuring, show the differences between two reports, question by question.",
        show_default=False,
    ),
]
Own = Annotated[
    str | None,
    typer.Option(
        "--collection",
        "-c",
        help="Collection that stores the passages and keeps them. (default: a separate one for the file)",
    ),
]
Strategy = Annotated[
    str,
    typer.Option(
        help="With --answers: how to look for the answer; see `hopline ask --help`.", rich_help_panel=ANSWERS
    ),
]
Parallel = Annotated[
    int,
    typer.Option(
        min=1,
        max=64,
        help="With --answers: number of questions that run at the same time.",
        rich_help_panel=ANSWERS,
    ),
]
WithAnswers = Annotated[
    bool,
    typer.Option(
        "--answers", help="Also answer every question, and measure the answers.", rich_help_panel=ANSWERS
    ),
]
Yes = Annotated[
    bool,
    typer.Option(
        "--yes", "-y", help="With --fresh: do not ask for confirmation, even if the collection is not empty."
    ),
]
Out = Annotated[
    Path | None, typer.Option(help="File for the JSON report. (default: in eval/ in the stack's folder)")
]


def evaluate(
    file: File = None,
    collection: Own = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Use only the first N questions.")] = None,
    with_answers: WithAnswers = False,
    strategy: Strategy = "graph",
    parallel: Parallel = 4,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="First remove all documents from the collection.")
    ] = False,
    yes: Yes = False,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Keep the separate collection for the next run or other questions."),
    ] = False,
    out: Out = None,
    compare: Compare = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Measure search, and with --answers also the answers, on questions with known gold passages.

    Each passage becomes a document in a separate collection, which is removed at the end. With --keep, or
    in your own collection (-c), the documents stay: a second run finds them there and calls no model for
    them. Prints the share of gold passages that a search finds, compared with words, vectors and their
    hybrid alone, by type of question, with milliseconds per question. Also writes JSON with a row per
    question. It runs where the servers can be reached, not over an API, which does not rank by words or
    vectors alone. Exit codes: 0 measured, 4 some passages could not be ingested, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline eval hotpot100.json

      hopline eval musique100.json --answers --strategy reader --limit 20

      hopline eval --compare before.json after.json
    """
    if compare:
        if file is not None:
            raise InvalidInput("file", str(file), "left out with --compare")
        show_comparison(*compare, as_json=as_json)
        return
    if file is None:
        raise InvalidInput("file", None, "a file to measure, or --compare with two reports")
    from hopline import Hopline
    from producer.evaluation.dataset import read_dataset
    from workers.core.jobs.params import QueryParams, parse_params
    from workers.settings import load_settings

    refuse_an_api()
    parse_params(QueryParams, {"question": "?", "strategy": strategy})
    dataset = read_dataset(file).first(limit)
    settings = load_settings()
    with Hopline.local(settings, via="cli", timeout=None) as client:
        run = prepare(client, settings, dataset, collection, quiet=quiet or as_json)
        if fresh and not yes:
            ask_before_others_go(run)
        stays = keep or collection is not None
        try:
            with telling_of_interrupts(stays=stays):
                run.bring_in(fresh=fresh)
                run.rank()
                if with_answers:
                    run.answer(strategy, parallel)
            show_report(run.report(), out or run.default_out, as_json=as_json)
        finally:
            if not stays:
                remove_own(run)
    raise typer.Exit(Exit.PARTIAL if run.ingested.failed else Exit.DONE)


def show_comparison(before: Path, after: Path, *, as_json: bool) -> None:
    """Print the differences between two reports, as text or as JSON."""
    from producer.evaluation.comparison import compare_reports, read_report
    from producer.views.comparison import print_comparison

    comparison = compare_reports(read_report(before), read_report(after), (str(before), str(after)))
    if as_json:
        print_json(comparison.model_dump_json())
    else:
        print_comparison(answers(), comparison)


def ask_before_others_go(run: Evaluation) -> None:
    """Ask before deleting documents that this file cannot restore; a no ends the command."""
    others = run.others()
    question = f"{run.collection} holds {counted(others, 'document')} not of this file. Remove them too?"
    agree(question, yes=not others)


def prepare(
    client: Hopline, settings: Settings, dataset: Dataset, collection: str | None, *, quiet: bool
) -> Evaluation:
    """Return the evaluation, with its progress shown on stderr."""
    from infra.local.status import status
    from producer.evaluation.run import Evaluation
    from producer.views.evaluation import counting

    return Evaluation(
        client,
        settings,
        dataset,
        collection,
        parts=status(),
        counted=partial(counting, quiet=quiet),
        follow=partial(follow_passages, client, quiet=quiet),
    )


@contextmanager
def telling_of_interrupts(*, stays: bool) -> Iterator[None]:
    """On Ctrl-C, report what happened to the jobs (the waiting code cancels them) and the documents."""
    try:
        yield
    except KeyboardInterrupt:
        rest = "; what was ingested stays for the next run" if stays else ""
        notice(f"Interrupted: running jobs were cancelled{rest}.")
        raise


def remove_own(run: Evaluation) -> None:
    """Remove the file's separate collection unless it has other documents; a failure is only reported."""
    try:
        if run.others():
            return
        run.empty()
    except Exception as error:  # noqa: BLE001 - the measurements stand, whatever fails
        from hopline.commands.mistakes import explain

        notice(f"Collection {run.collection} was not removed; the next run removes it: {explain(error)[0]}")
    else:
        notice(f"Removed collection {run.collection}; --keep keeps it for the next run.")


def follow_passages(client: Hopline, submitted: Submitted, *, quiet: bool) -> IngestReport:
    """Show the ingestion's progress until it ends."""
    from hopline.models.ingest_reports import IngestReport
    from hopline.views.live import follow, ingest_view
    from producer.views.evaluation import PassageProgress

    progress = PassageProgress(documents=submitted.documents)
    follow(happening(client, submitted.job_id), progress, ingest_view(progress), quiet=quiet)
    return IngestReport.of_all([client.jobs.get(submitted.job_id)], submitted.refused)


def show_report(report: EvalReport, out: Path, *, as_json: bool) -> None:
    """Write the report, and print it as text or as JSON."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(report.model_dump_json(indent=1) + "\n", encoding="utf-8")
    for place, reason in report.ingested.failed.items():
        notice(f"not brought in: {place}: {reason}")
    if report.others:
        note = f"{counted(report.others, 'document')} of {report.collection} not of this file"
        notice(f"ranked with the passages: {note}")
    if as_json:
        print_json(report.model_dump_json())
    else:
        from producer.views.evaluation import print_evaluation

        print_evaluation(answers(), report)
    notice(f"Written: {out}")
