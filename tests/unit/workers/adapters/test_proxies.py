from __future__ import annotations

import pytest

from workers.adapters.proxies import proxy_of


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "inside.example")


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("https://vectors.example:6333", "http://proxy.example:3128"),
        ("http://vectors.example:6333", None),  # only https has one
        ("https://vectors.inside.example:6333", None),
        ("https://127.0.0.1:6333", None),
        ("https://localhost:6333", None),
    ],
)
def test_a_server_is_behind_the_proxy_that_the_environment_names(url: str, proxy: str | None) -> None:
    assert proxy_of(url) == proxy


@pytest.mark.parametrize("named", ["proxy.example:80", "http://proxy.example:80"])
def test_a_proxy_may_be_named_for_all_and_without_its_scheme(
    monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.setenv("all_proxy", named)
    assert proxy_of("http://vectors.example") == "http://proxy.example:80"
