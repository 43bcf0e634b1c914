"""Workers that are told to go finish what they hold and take nothing new; the batch does not notice."""

import signal

from fleet.checks import assert_nothing_left
from fleet.crew import PATIENCE, Crew, wait_until
from fleet.worlds import write_reports

from workers.telemetry.metrics import KEY as COUNTS

DOCUMENTS = 120  # more than two workers hold
COLLECTION = "chaos-drain"


def hold(crew: Crew, *, on: bool) -> None:
    crew.model.change(schemas={"ExtractedFacts": {"hold": on}})


def leases_lost(crew: Crew) -> float:
    return sum(float(count) for name, count in crew.redis.hgetall(COUNTS).items() if "leases_lost" in name)


def test_workers_are_replaced_in_the_middle_of_a_batch_and_no_call_is_paid_twice(crew, tmp_path):
    crew.forget_replies()
    crew.model.set()
    hold(crew, on=True)
    crew.have(first="bulk", quarantine="quarantine")
    lost = leases_lost(crew)
    submitted = crew.client.hand_over([write_reports(tmp_path, DOCUMENTS, "Drainport")], COLLECTION)
    for old, new in (("first", "second"), ("second", "third")):
        before = crew.model.asked("ExtractedFacts")
        wait_until(lambda before=before: crew.model.asked("ExtractedFacts") > before, f"{old} waits")
        worker = crew.workers.pop(old)
        worker.popen.send_signal(signal.SIGTERM)
        wait_until(lambda log=worker.log: "Warm shutdown" in log.read_text(encoding="utf-8"), f"{old} goes")
        hold(crew, on=False)
        assert worker.popen.wait(PATIENCE) == 0, "it ends by itself"
        assert crew.model.asked("ExtractedFacts") < DOCUMENTS, "it ended in the middle of the batch"
        hold(crew, on=True)
        crew.start(new, "bulk")
    hold(crew, on=False)
    report = crew.report(submitted.job_id)
    assert [document.status for document in report.documents] == ["done"] * DOCUMENTS
    assert crew.services.graph.census(COLLECTION).live.documents == DOCUMENTS
    assert crew.model.asked("ExtractedFacts") == DOCUMENTS, "each chunk was asked for once"
    assert leases_lost(crew) == lost
    assert_nothing_left(crew)
