"""Webhooks as a receiver reads them."""

from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks import Webhook

from hopline.errors import AccessDenied, InvalidInput
from hopline.models.jobs import JobState
from hopline.models.times import timestamp
from hopline.webhooks import unwrap
from workers.core.jobs.webhooks import WebhookParams

SECRET = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
SENT = WebhookParams(
    url="https://receiver.invalid", job_id="j1", kind="query", collection="c", state=JobState.DONE, epoch=1,
    ended=2.0, request_id="r1",
)  # fmt: skip


def headers(body: str, *, age: timedelta = timedelta()) -> dict[str, str]:
    sent = datetime.now(UTC) - age
    return {
        "Webhook-Id": "j1.1",
        "Webhook-Timestamp": str(int(sent.timestamp())),
        "Webhook-Signature": Webhook(SECRET).sign("j1.1", sent, body),
    }


def test_what_is_sent_is_read_and_fields_of_a_newer_server_are_left_out() -> None:
    body = SENT.body()
    event = unwrap(body.encode(), headers(body), SECRET)
    assert (event.type, event.job_id, event.state, event.ended) == ("job.ended", "j1", "done", timestamp(2))
    newer = body.replace("{", '{"of_tomorrow":1,', 1)
    assert unwrap(newer, headers(newer), SECRET) == event


def test_what_is_not_signed_with_the_secret_or_is_old_is_refused() -> None:
    body = SENT.body()
    for wrong in (
        {},
        headers(body + " "),
        headers(body, age=timedelta(minutes=6)),
        headers(body) | {"Webhook-Signature": "?"},
    ):
        with pytest.raises(AccessDenied, match="does not come from hopline"):
            unwrap(body, wrong, SECRET)


def test_a_signed_body_that_is_no_event_is_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        unwrap("{}", headers("{}"), SECRET)
    assert caught.value.field == "job_id"
