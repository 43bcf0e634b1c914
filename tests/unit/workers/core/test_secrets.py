"""No secret of a process is in what it logs, records or shows, in whatever form others repeat it."""

import json
import logging
from base64 import b64encode
from urllib.parse import quote

import pytest
import structlog
from pydantic import ValidationError

from hopline.errors import Deferred, InvalidInput, Permanent
from hopline.secrets import guard, guard_address, scrubbed
from infra.local.probes import _first_line
from workers.core.errors import worded
from workers.logs import send_logs
from workers.settings import Settings

KEY = "sk-canary/+7=-of-the-endpoint"
PASSWORD = "canary-p@ss/word"
IN_BASE64 = ("Y2FuYXJ5", "NhbmFye", "jYW5hcn")  # "canary", by where it begins


@pytest.fixture(autouse=True)
def _guarded() -> None:
    guard(KEY)
    guard_address(f"rediss://hop:{quote(PASSWORD, safe='')}@redis.invalid:6380/0?ssl_cert_reqs=required")


@pytest.mark.parametrize("said", [
    f"Incorrect API key provided: {KEY}.",
    f"Illegal header value b'Bearer {KEY}\\n'",
    f"GET https://api.invalid/v1?key={quote(KEY, safe='')}&x=1",
    f"{KEY!r} is not known",
    json.dumps({"error": KEY}),
    f"AUTH hop {PASSWORD} failed",
    f"Basic {b64encode(f'hop:{PASSWORD}'.encode()).decode()} was refused",
    *(f"sent {b64encode(bytes(before) + KEY.encode()).decode()}" for before in range(3)),
    f"rediss://hop:{quote(PASSWORD, safe='')}@redis.invalid:6380/0 does not answer",
])  # fmt: skip
def test_a_secret_is_hidden_in_each_form_in_which_it_is_repeated(said: str) -> None:
    for text in (
        scrubbed(said),
        str(Permanent(said)),
        str(Deferred(said, retry_after=1.0)),
        str(InvalidInput("url", said, "another")),
        _first_line(RuntimeError(said)),
        worded(RuntimeError(said)),
    ):
        assert "canary" not in text
        assert not any(form in text for form in IN_BASE64)
        assert "…" in text or "rediss://redis.invalid" in text


def test_what_was_never_told_is_hidden_where_it_is_named() -> None:
    said = "https://me:pw@a.invalid/?password=short&api_key=abc&page=2 with Bearer abc.def"
    assert scrubbed(said) == "https://a.invalid/?password=…&api_key=…&page=2 with Bearer …"


def test_ordinary_text_stays_as_it_is() -> None:
    for word in ("offline", "password", "", "required"):
        guard(word)
    guard_address("abc://[x")
    said = "The offline model at http://127.0.0.1:8099/v1 answered: a key=value is required, no password."
    assert scrubbed(said) == said


def test_logs_hold_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    before, handlers = structlog.get_config(), logging.getLogger().handlers
    send_logs(as_json=True)
    try:
        structlog.get_logger().warning("call.failed", error=f"denied {KEY}")
        structlog.get_logger().error("call.crashed", exc_info=RuntimeError(f"denied {KEY}"))
        logging.getLogger("library").warning("denied %s", KEY)
    finally:
        structlog.configure(**before)
        logging.getLogger().handlers = handlers
    written = capsys.readouterr().err
    assert written.count("denied") >= 3
    assert "canary" not in written


def test_settings_hide_what_they_hold_and_show_no_value_that_they_refuse() -> None:
    Settings(model_key="sk-another-canary", neo4j_password="graph-canary")  # type: ignore[arg-type]
    assert scrubbed("sk-another-canary graph-canary") == "… …"
    with pytest.raises(ValidationError) as caught:
        Settings(model_key="sk-canary\nsk-other")  # type: ignore[arg-type]
    assert "canary" not in str(caught.value)
