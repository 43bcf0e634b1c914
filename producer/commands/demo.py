"""hopline demo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from producer.commands.ask import follow_question
from producer.commands.ingest import follow_documents
from producer.commands.session import Quiet, open_client
from producer.console import answers, error_line
from producer.exits import Exit

if TYPE_CHECKING:
    from producer.report import IngestReport, Submitted
    from workers.core.answer import Answer


def demo(
    story: Annotated[
        bool, typer.Option("--story", help="A story with a profile, and the tools asked about it, instead.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Ingest a dozen short texts and ask four questions about them.

    Two are answered with citations, one of them over two documents; two ask what the texts do not hold, and
    are declined. Exit code 0 says that all four ended as they should. With --story, a story in chapters is
    ingested with the profile "narrative" and the graph's tools are asked about its characters.
    """
    from producer.demo.run import Demo
    from producer.demo.story_run import StoryDemo

    with open_client() as client:

        def ask(job_id: str) -> tuple[Answer, float]:
            answer = follow_question(client, job_id, None, quiet=quiet)
            record = client.job(job_id)
            return answer, (record.ended or record.created) - record.created

        def ingest(submitted: Submitted) -> IngestReport:
            return follow_documents(client, submitted, quiet=quiet)

        if story:
            wrong = StoryDemo(client, answers(), ingest=ingest).run()
        else:
            wrong = Demo(client, answers(), ingest=ingest, ask=ask).run()
    for line in wrong:
        error_line(line)
    raise typer.Exit(Exit.FAILED if wrong else Exit.DONE)
