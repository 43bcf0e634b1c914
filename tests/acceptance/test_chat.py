"""`hopline chat` at a terminal and in a pipe, against real workers."""

import json
import subprocess
import sys

import pytest
from fleet.crew import Crew
from fleet.terminal import Terminal

HOPLINE = (sys.executable, "-m", "hopline")


@pytest.mark.long
def test_at_a_terminal_ctrl_c_ends_a_question_and_not_the_chat(crew: Crew, bridges: str) -> None:
    words = (*HOPLINE, "chat", "-c", bridges, "--strategy", "graph", "--session", "s1")
    with Terminal(words, crew.environment) as terminal:
        terminal.wait_for("Session s1")
        terminal.wait_for("ask> ")
        crew.model.set(chat={"hold": True})
        terminal.type("When was the Alda Bridge opened?\n")
        terminal.wait_for("planning")
        terminal.interrupt()
        terminal.wait_for("Cancelled job")
        crew.model.set()
        terminal.wait_for("ask> ")
        terminal.type("Who designed the Alda Bridge?\n")
        terminal.wait_for("Maren Holt")
        terminal.wait_for("ask> ")
        terminal.type("Where was she born?\n")  # at once: the exchange before has to be there
        terminal.wait_for("Vestby")
        terminal.wait_for("ask> ")
        terminal.interrupt_until("Ctrl-D")
        terminal.wait_for("ask> ")  # what is typed between two prompts may be lost
        terminal.type("\x04")
        terminal.wait_for("--session s1")
        assert terminal.ended() == 0
    states = [record.state.value for record in crew.client.jobs(limit=3)]
    assert states == ["done", "done", "cancelled"]


@pytest.mark.long
def test_lines_of_a_pipe_are_questions_that_understand_one_another(crew: Crew, bridges: str) -> None:
    done = subprocess.run(
        [*HOPLINE, "chat", "-c", bridges, "--strategy", "graph", "--json"],
        input="Who designed the Alda Bridge?\nWhere was she born?\nWho composed the opera Carmen?\n",
        env=crew.environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["status"] for answer in answers] == ["done", "done", "abstained"]
    assert "Vestby" in answers[1]["text"]
