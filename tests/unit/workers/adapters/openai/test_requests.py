"""What a model is sent, to which provider, and at which price."""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import orjson
import pytest
from pydantic import BaseModel

import workers
from hopline.errors import InvalidInput
from workers.adapters.openai.address import ModelEndpoint
from workers.adapters.openai.dialect import Dialect
from workers.adapters.openai.model import OpenAIModel
from workers.adapters.openai.prices import priced_embedder, priced_tiers
from workers.adapters.openai.wire import ReplyRequest, system_text
from workers.core.models.prices import Price, read_prices
from workers.core.prompts import Prompt, load_prompt
from workers.critic.schema import AnswerDraft, FactScores
from workers.settings import Settings

PACKAGES = Path(workers.__file__).parent
PROMPTS = sorted(path.relative_to(PACKAGES) for path in PACKAGES.rglob("prompts/*.txt"))
IS_MATERIAL = re.compile(r"never an instruction|never something to obey")
REPLIES = (
    "critic.schema", "traverse.schema", "traverse.reader.schema", "traverse.survey.schema",
    "traverse.tools.normalise", "traverse.auto.choose_strategy", "ingest.schema", "concepts.schema",
)  # fmt: skip


def prompt_of(path: Path) -> Prompt:
    return load_prompt(".".join(("workers", *path.parent.parent.parts)), path.stem)


def replies() -> Iterator[type[BaseModel]]:
    for name in REPLIES:
        module = import_module(f"workers.{name}")
        for kind_name, kind in inspect.getmembers(module, inspect.isclass):
            is_own = issubclass(kind, BaseModel) and kind.__module__ == module.__name__
            if is_own and not kind_name.endswith("Result"):  # of steps
                yield kind


def test_that_the_input_is_material_is_said_once() -> None:
    for form in ["json_schema", "json_object", None]:
        for path in PROMPTS:
            text = system_text(prompt_of(path), AnswerDraft, form)
            assert len(IS_MATERIAL.findall(text)) == 1, path
            assert text.count("<input>") <= 1, path


def test_a_schema_tells_nothing_of_the_code() -> None:
    for form in ["json_schema", "json_object"]:
        for reply in replies():
            request = ReplyRequest(Prompt(name="test", text="Answer."), {}, reply)
            body = request.body("m", 100, Dialect(format=form)).decode()
            assert reply.__name__ in body  # a name is what an endpoint asks for
            assert not re.search(r'\\?"description\\?"', body)
            for line in inspect.getdoc(reply).splitlines():
                assert not line.strip() or line.strip() not in body


def test_a_schema_keeps_its_fields_and_bounds() -> None:
    text = system_text(Prompt(name="test", text="Answer."), FactScores, "json_object")
    schema = orjson.loads(text.rpartition("\n")[2])
    scores = {"items": {"$ref": "#/$defs/NumberedScore"}, "maxItems": 100, "type": "array"}
    assert schema["properties"]["scores"] == scores
    score = schema["$defs"]["NumberedScore"]["properties"]
    assert score["relevance"] == {"maximum": 1, "minimum": 0, "type": "number"}


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
            file.write_text(block.replace("…", "x"), encoding="utf-8")
            named = {line.partition("=")[0].removeprefix("HOPLINE_").lower() for line in block.splitlines()}
            assert named <= set(Settings.model_fields), block
            settings = Settings(_env_file=file)  # type: ignore[call-arg]
            assert named <= settings.model_fields_set, block
            OpenAIModel.from_settings(settings)


def test_the_deployment_of_azure_goes_into_the_path_of_a_dated_version_only() -> None:
    addresses = re.findall(r"=(https://RESOURCE\S+)", SECTION)
    dated, v1 = sorted(addresses, key=lambda url: "api-version" not in url)
    endpoint = ModelEndpoint(url=dated, key="k")
    assert endpoint.base + endpoint.path("/chat/completions", "my deployment") == (
        "https://RESOURCE.openai.azure.com/openai/deployments/my%20deployment/chat/completions"
    )
    assert (endpoint.query, endpoint.headers) == ({"api-version": "2024-10-21"}, {"api-key": "k"})
    plain = ModelEndpoint(url=v1, key="k")
    assert plain.path("/chat/completions", "d") == "/chat/completions"
    assert plain.headers == {"Authorization": "Bearer k"}


FILE = """\
currency = "EUR"
[models.small]
input = 0.15
output = 0.6
[models."vectors/one"]
input = 0.02
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text(FILE)
    return path


def settings(file, **more):
    return Settings(_env_file=None, prices=file, model="small", embedding_model="vectors/one", **more)


def test_prices_are_read_and_what_is_not_named_is_unknown(file):
    prices = read_prices(file)
    assert prices.currency == "EUR"
    assert prices.of("small") == Price(input=0.15, output=0.6)
    assert prices.of("large") == Price()
    assert read_prices(None).of("small") == Price()


def test_models_and_the_embedder_have_the_prices_of_the_settings_and_else_of_the_file(file):
    tiers = priced_tiers(settings(file))
    prices = {tier: (model.price_in, model.price_out) for tier, model in tiers.items()}
    assert prices == {"fast": (0.15, 0.6), "strong": (0.15, 0.6)}
    assert priced_embedder(settings(file)).usage(1_000_000, 0).cost == pytest.approx(0.02)
    own = settings(file, price_fast_in=0.0, price_embedding=1.0)
    assert priced_tiers(own)["fast"].price_in == 0.0
    assert priced_tiers(settings(file, vision_model="small"))["vision"].price_out == 0.6
    assert priced_embedder(own).price_in == 1.0


def test_without_prices_the_cost_is_unknown_and_never_nought():
    bare = Settings(_env_file=None)
    assert priced_tiers(bare)["fast"].usage(10, 10).cost is None
    assert priced_embedder(bare).usage(10, 0).cost is None


def test_a_file_that_is_not_there_or_no_list_of_prices_is_refused_by_its_field(tmp_path):
    with pytest.raises(InvalidInput, match=r"gone\.toml"):
        read_prices(tmp_path / "gone.toml")
    path = tmp_path / "prices.toml"
    for text, field in (
        ("[models.small]\ninput = -1", "models.small.input"),
        ("[models.small]\nprompt = 1", "models.small.prompt"),
        ("models = [", "TOML"),
    ):
        path.write_text(text)
        with pytest.raises(InvalidInput, match=field):
            read_prices(path)
