"""Which addresses webhooks may call: nothing private, in whatever form it is written."""

from contextlib import suppress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopline.errors import InvalidInput
from workers.core.addresses import is_public, parse_target
from workers.settings import Settings
from workers.webhooks.address import check_webhook

PRIVATE_V4 = [
    IPv4Network(network)
    for network in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.168.0.0/16", "224.0.0.0/4", "240.0.0.0/4", "198.18.0.0/15", "255.255.255.255/32",
    )
]  # fmt: skip
LOCAL_V6 = [
    IPv6Network(network)
    for network in (
        "::/128", "::1/128", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8", "100::/64", "2001:db8::/32",
    )
]  # fmt: skip
# What holds an IPv4 address: mapped, compatible, NAT64 (both), 6to4, Teredo.
HOLDING_V4 = [
    IPv6Network(network)
    for network in ("::ffff:0:0/96", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")
]
SETTINGS = Settings()


def within(networks):
    return st.sampled_from(networks).flatmap(
        lambda network: st.integers(0, network.num_addresses - 1).map(
            lambda nth: type(network.network_address)(int(network.network_address) + nth)
        )
    )


private_v4 = within(PRIVATE_V4)
any_v4 = st.integers(0, 2**32 - 1).map(IPv4Address)


@given(st.one_of(any_v4, st.integers(0, 2**128 - 1).map(IPv6Address)))
def test_what_python_calls_private_or_multicast_is_not_public(address: IPv4Address | IPv6Address) -> None:
    if is_public(address):
        assert address.is_global
        assert not address.is_multicast
        assert [getattr(address, form, None) for form in ("ipv4_mapped", "sixtofour", "teredo")] == [None] * 3


@given(any_v4, st.integers(0, 2**64 - 1), st.sampled_from([0x00005EFE, 0x02005EFE]))
def test_an_isatap_address_is_not_public_whatever_its_network(inner, network, mark):
    assert not is_public(IPv6Address((network << 64) | (mark << 32) | int(inner)))


@given(st.one_of(private_v4, within(LOCAL_V6), within(HOLDING_V4)), st.sampled_from(["", ":443", ":8443"]))
def test_a_private_address_is_not_public_and_a_webhook_there_is_refused(address, port):
    assert not is_public(address)
    host = f"[{address}]" if address.version == 6 else str(address)
    with pytest.raises(InvalidInput) as refused:
        check_webhook(f"https://{host}{port}/hook", SETTINGS)
    assert refused.value.field == "webhook"


@given(any_v4, st.data())
def test_an_ipv4_address_in_another_notation_is_no_host(address, data):
    number = int(address)
    first, second, third, fourth = address.packed
    forms = (
        f"{number}", f"0x{number:x}", f"0{number:o}", f"{first}.{(second << 16) | (third << 8) | fourth}",
        f"{first}.{second}.{(third << 8) | fourth}", f"0x{first:x}.{second}.{third}.0x{fourth:x}",
        f"0{first:o}.0{second:o}.0{third:o}.0{fourth:o}", f"{address}.",
    )  # fmt: skip
    form = data.draw(st.sampled_from(forms))
    try:
        target = parse_target(f"https://{form}/")
    except ValueError:
        return
    # A form that is taken is one that means the same to everybody.
    assert target.literal == ip_address(form)


@given(st.text(max_size=60), st.text(alphabet=st.characters(max_codepoint=0x7F), max_size=40))
def test_a_url_is_taken_to_pieces_that_hold_nothing_but_visible_ascii_or_refused(path, host):
    for url in (f"https://example.com/{path}", f"https://{host}/x"):
        with suppress(ValueError):
            target = parse_target(url)
            assert all(0x21 <= ord(character) <= 0x7E for character in target.path)
            assert target.authority == "example.com" or host in url
            assert target.host
            assert not set(target.host) & set(" @/\\?#%[]\r\n\t")
            assert 0 < target.port < 65536


DECEIVING = [
    *("", "https://", "https:///path", "//example.com/", "http://example.com/", "ftp://example.com/"),
    *("https://user:pass@example.com/", "https://example.com@127.0.0.1/"),
    *("https://LOCALHOST:8080/", "https://a.localhost./", "https://printer.local/"),
    *("https://metadata.google.internal/", "https://169.254.169.254/latest/", "https://168.63.129.16/"),
    *("https://[fd00:ec2::254]/", "https://[fe80::1%25eth0]/", "https://[::ffff:127.0.0.1]/"),
    *("https://127.0.0.1\\@example.com/", "https://example.com\\@127.0.0.1/"),
    *("https://example.com/\r\nX-Injected: yes", "https://example.com/a b", "https://example.com/#part"),
    *("https://example.com:0/", "https://example.com:65536/", "https://" + "a" * 3000),
    *("https://exa\u200bmple.com/", "https://\u2460\u2461\u2466.0.0.1/"),
]


@pytest.mark.parametrize("url", DECEIVING)
def test_a_form_that_could_deceive_is_refused(url):
    with pytest.raises(InvalidInput, match="webhook"):
        check_webhook(url, SETTINGS)


@pytest.mark.parametrize(("url", "authority"), [
    ("https://example.com", "example.com"),
    ("https://hooks.example.com:8443/a/b?c=d", "hooks.example.com:8443"),
    ("https://8.8.8.8/", "8.8.8.8"),
    ("https://[2606:4700:4700::1111]/", "[2606:4700:4700::1111]"),
    ("https://xn--bcher-kva.example/", "xn--bcher-kva.example"),
    ("HTTPS://Example.COM/", "example.com"),
])  # fmt: skip
def test_a_public_address_is_taken(url, authority):
    assert check_webhook(url, SETTINGS).authority == authority


def test_settings_let_private_addresses_and_plain_http_in():
    open_ = Settings(webhook_private=True, webhook_http=True)
    assert check_webhook("http://127.0.0.1:8000/", open_).port == 8000
    with pytest.raises(InvalidInput):
        check_webhook("http://127.0.0.1:8000/", Settings(webhook_private=True))
    with pytest.raises(InvalidInput):
        check_webhook("http://127.0.0.1:8000/", Settings(webhook_http=True))
