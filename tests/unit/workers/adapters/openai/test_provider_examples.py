"""The lines of `.env` that docs/models.md gives for providers are settings, and are read as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from workers.adapters.openai.address import ModelEndpoint
from workers.adapters.openai.model import OpenAIModel
from workers.settings import Settings

PAGE = (Path(__file__).resolve().parents[5] / "docs" / "models.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Providers\n")[2].partition("\n## ")[0]
PROVIDERS = ("OpenAI", "Azure OpenAI", "DeepSeek", "SiliconFlow", "Ollama", "vLLM")
BLOCKS = [
    pytest.param(block, id=f"{name} {nth}")
    for name, _, text in (part.partition("\n") for part in SECTION.split("\n### ")[1:])
    for nth, block in enumerate(re.findall(r"```sh\n(.*?)```", text, re.DOTALL))
]


def test_each_provider_has_its_lines() -> None:
    assert tuple(re.findall(r"^### (.+)$", SECTION, re.MULTILINE)) == PROVIDERS


@pytest.mark.parametrize("block", BLOCKS)
def test_the_lines_are_read(block: str, tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text(block, encoding="utf-8")
    named = [line.partition("=")[0].removeprefix("HOPLINE_").lower() for line in block.splitlines()]
    assert set(named) <= set(Settings.model_fields)
    settings = Settings(_env_file=file)  # type: ignore[call-arg]
    assert set(named) <= settings.model_fields_set
    OpenAIModel.from_settings(settings)


def test_the_deployment_of_azure_goes_into_the_path_of_a_dated_version_only() -> None:
    dated, v1 = (line for line in re.findall(r"https://RESOURCE\S+", SECTION) if line)
    dated, v1 = sorted((dated, v1), key=lambda url: "api-version" not in url)
    endpoint = ModelEndpoint(url=dated, key="k")
    assert endpoint.base + endpoint.path("/chat/completions", "my deployment") == (
        "https://RESOURCE.openai.azure.com/openai/deployments/my%20deployment/chat/completions"
    )
    assert (endpoint.query, endpoint.headers) == ({"api-version": "2024-10-21"}, {"api-key": "k"})
    plain = ModelEndpoint(url=v1, key="k")
    assert plain.path("/chat/completions", "d") == "/chat/completions"
    assert plain.headers == {"Authorization": "Bearer k"}
