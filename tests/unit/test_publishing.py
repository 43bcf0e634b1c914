"""Workflows, templates and what is built for an index; actionlint checks the workflows in the long tests."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from infra.wheels import tag_faults

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.8"
_TARGET = re.compile(r"\bmake ([a-z-]+)")


def _commands(workflow: Path) -> list[str]:
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values()
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


def test_workflows_call_targets_that_exist_and_little_else() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    called = {name for workflow in WORKFLOWS for run in _commands(workflow) for name in _TARGET.findall(run)}
    assert called
    assert called <= targets
    others = [run for workflow in WORKFLOWS for run in _commands(workflow) if not _TARGET.search(run)]
    assert others == ["mkdir upload && mv dist/*.whl dist/*.tar.gz upload/", ".ci/run"]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_read_and_only_publishing_may_more(workflow: Path) -> None:
    read = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    assert read["permissions"] == {"contents": "read"}
    assert {name for name, job in read["jobs"].items() if "permissions" in job} <= {"publish"}
    assert all("timeout-minutes" in job for job in read["jobs"].values())


def test_a_misspelt_key_of_a_workflow_is_noticed(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(WORKFLOWS[0].read_text(encoding="utf-8").replace("runs-on:", "run-on:", 1))
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", wrong]
    assert subprocess.run(command, capture_output=True, check=False, timeout=180).returncode == 1


@pytest.mark.parametrize("readme", ["hopline/README.md", "producer/README.md"])
def test_the_page_on_an_index_leads_nowhere_that_is_not_there(readme: str) -> None:
    text = (ROOT / readme).read_text(encoding="utf-8")
    assert re.findall(r"\]\((?!https://)", text) == []
    assert "pip install" in text


def test_a_tag_names_the_version_of_both_distributions_and_a_part_of_the_changelog(tmp_path: Path) -> None:
    (tmp_path / "hopline").mkdir()
    for folder, name, version in (("hopline", "hopline", "0.2.0"), (".", "hopline-server", "0.1.0")):
        text = f'[project]\nname = "{name}"\nversion = "{version}"\n'
        (tmp_path / folder / "pyproject.toml").write_text(text, encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 0.2.0 - 2027-01-01\n", encoding="utf-8")
    assert tag_faults("v0.2.0", tmp_path) == ["hopline-server is of version 0.1.0, and the tag is v0.2.0"]
    assert len(tag_faults("0.3.0", tmp_path)) == 3


@pytest.mark.long
def test_actionlint_finds_nothing_in_the_workflows() -> None:
    if (go := shutil.which("go")) is None:
        reason = "there is no go, which builds actionlint"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    command = [go, "run", ACTIONLINT, "-no-color", "-shellcheck=", "-pyflakes=", *WORKFLOWS]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr
