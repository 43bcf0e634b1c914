import pytest

from workers.adapters.proxies import proxy_of


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "inside.example")


def test_a_server_is_behind_the_proxy_that_the_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    assert proxy_of("https://vectors.example:6333") == "http://proxy.example:3128"
    assert proxy_of("http://vectors.example:6333") is None  # only https has one
    for host in ("vectors.inside.example", "127.0.0.1", "localhost"):
        assert proxy_of(f"https://{host}:6333") is None
    for named in ("proxy.example:80", "http://proxy.example:80"):
        monkeypatch.setenv("all_proxy", named)
        assert proxy_of("http://vectors.example") == "http://proxy.example:80"
