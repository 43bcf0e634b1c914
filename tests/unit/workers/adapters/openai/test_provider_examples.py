"""The lines of `.env` that docs/models.md gives for providers are settings, and are read as it says."""

from __future__ import annotations

import re
from pathlib import Path

from workers.adapters.openai.address import ModelEndpoint
from workers.adapters.openai.model import OpenAIModel
from workers.settings import Settings

PAGE = (Path(__file__).resolve().parents[5] / "docs" / "models.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Providers\n")[2].partition("\n## ")[0]
PROVIDERS = ("OpenAI", "Azure OpenAI", "DeepSeek", "SiliconFlow", "Ollama", "vLLM")


def test_each_provider_has_its_lines_and_they_are_read(tmp_path: Path) -> None:
    assert tuple(re.findall(r"^### (.+)$", SECTION, re.MULTILINE)) == PROVIDERS
    file = tmp_path / ".env"
    for part in SECTION.split("\n### ")[1:]:
        blocks = re.findall(r"```sh\n(.*?)```", part, re.DOTALL)
        assert blocks
        for block in blocks:
            file.write_text(block, encoding="utf-8")
            named = {line.partition("=")[0].removeprefix("HOPLINE_").lower() for line in block.splitlines()}
            assert named <= set(Settings.model_fields), block
            settings = Settings(_env_file=file)  # type: ignore[call-arg]
            assert named <= settings.model_fields_set, block
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
