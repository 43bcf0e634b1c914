"""hopline messages: what it lists."""

import json

from doubles.command_line import Run
from doubles.desk import Desk

from workers.transport.dead_messages import bury


def test_dead_messages_come_newest_first_without_secrets_or_signs_of_a_terminal(run: Run, desk: Desk) -> None:
    shown = run("messages")
    assert shown.exit_code == 0
    assert "There are none." in shown.stderr
    assert json.loads(run("messages", "--json").stdout) == {"messages": []}
    secret = "A" * 43
    bury(desk.redis, "bulk", b"not \x1b[31mJSON", "it cannot be read")
    bury(desk.redis, "submissions", {"key": f"hop_0123456789ab_{secret}"}, "no task is called so")
    listed = json.loads(run("messages", "--json").stdout)["messages"]
    assert [(each["queue"], each["reason"]) for each in listed] == [
        ("submissions", "no task is called so"),
        ("bulk", "it cannot be read"),
    ]
    shown = run("messages").stdout
    assert "submissions" in shown
    assert "\x1b" not in shown
    assert secret not in shown
    assert len(json.loads(run("messages", "--limit", "1", "--json").stdout)["messages"]) == 1


def test_the_table_names_a_message_by_task_and_id_and_cuts_other_texts_short(desk: Desk, run: Run) -> None:
    body = "Q" * 5000
    bury(desk.redis, "bulk", {"body": body, "headers": {"task": "app.mail", "id": "8d1f"}}, "no such task")
    bury(desk.redis, "bulk", body.encode(), "it cannot be read")
    shown = run("messages")
    assert "app.mail 8d1f" in " ".join(shown.stdout.split())
    assert shown.stdout.count("Q") == 59
    assert "hopline messages show" in shown.stderr
    listed = json.loads(run("messages", "--json").stdout)["messages"]
    for each in listed:
        assert body in json.loads(run("messages", "show", each["id"][:6], "--json").stdout)["text"]
        assert body[:40] in run("messages", "show", each["id"]).stdout
        assert run("messages", "delete", each["id"], "--yes").exit_code == 0
    assert json.loads(run("messages", "--json").stdout) == {"messages": []}
