"""What an editor knows of the client: the types that calls return, and where each method is defined."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jedi
import pytest
from fleet.npm import npm_program

import hopline

ROOT = Path(hopline.__file__).parent.parent
pytestmark = pytest.mark.long

SAMPLE = """
from hopline import AsyncHopline, Hopline


def ask(client: Hopline) -> None:
    answer = client.ask("Who?", collection="notes", max_depth=2)
    reveal_type(answer)
    reveal_type(answer.citations)
    reveal_type(client.jobs.list(limit=3))
    reveal_type(client.jobs.iterate(kind="query"))
    reveal_type(client.raw(client.weights.list))
    reveal_type(client.queries.search("Who?").chunks)
    client.jobs.list(limit="3")
    client.ask("Who?", max_dept=2)


async def ask_too(client: AsyncHopline) -> None:
    reveal_type(await client.ask("Who?"))
    async for job in client.jobs.iterate(kind="query"):
        reveal_type(job)
"""


def test_a_checker_knows_what_calls_return_and_finds_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(SAMPLE, encoding="utf-8")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "sample.py"],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    revealed = [kind.rpartition(".")[2] for kind in re.findall(r'type is "([^"[]+)', checked.stdout)]
    assert revealed == ["Answer", "tuple", "JobPage", "Iterator", "Raw", "tuple", "Answer", "Job"]
    assert re.findall(r"error: .*\[([a-z-]+)\]", checked.stdout) == ["arg-type", "call-arg"], checked.stdout


def test_another_checker_says_the_same(tmp_path: Path) -> None:
    pyright = npm_program("pyright@1.1.414", "pyright", tmp_path)
    (tmp_path / "sample.py").write_text(SAMPLE, encoding="utf-8")
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT)], "include": ["sample.py"]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    checked = subprocess.run(
        [pyright, "--pythonpath", sys.executable, "--outputjson"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    told = json.loads(checked.stdout)["generalDiagnostics"]
    revealed = [each["message"].rpartition(' is "')[2].rstrip('"') for each in told if "rule" not in each]
    assert revealed == [
        "Answer",
        "tuple[Citation | GraphCitation, ...]",
        "JobPage",
        "Iterator[Job]",
        "Raw[WeightList]",
        "tuple[FoundChunk, ...]",
        "Answer",
        "Job",
    ]
    wrong = [each["rule"] for each in told if "rule" in each]
    assert wrong == ["reportArgumentType", "reportCallIssue"], checked.stdout


@pytest.mark.parametrize("client", ["Hopline", "AsyncHopline"])
def test_an_editor_finds_the_definition_of_every_operation(client: str) -> None:
    kind = getattr(hopline, client)
    project = jedi.Project(ROOT, added_sys_path=[str(ROOT)])
    nouns = [name for name, value in vars(kind).items() if isinstance(value, property) and name != "url"]
    found = 0
    for noun in nouns:
        head = f"from hopline import {client}\n\n{client}().{noun}."
        completions = jedi.Script(head, project=project).complete(3)
        for name in (each.name for each in completions if not each.name.startswith("_")):
            [definition] = jedi.Script(f"{head}{name}", project=project).goto(3, follow_imports=True)
            assert definition.module_path is not None
            assert definition.module_path.is_relative_to(ROOT / "hopline"), (noun, name)
            found += definition.name == name
    assert found > 60
