"""Checks servers' certificates: which authorities are trusted, and how to report one that is not."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

from hopline.errors import InvalidInput

_UNKNOWN_ISSUER = frozenset((2, 18, 19, 20, 21))  # X509_V_ERR_… of OpenSSL: no authority vouches for it


def check_ca_file(path: Path) -> Path:
    """Return a file that holds certificates of authorities.

    Raises:
        ValueError: it cannot be read, or holds none.
    """
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except ssl.SSLError as error:
        allowed = "use a PEM file, with -----BEGIN CERTIFICATE----- before each"
        raise ValueError(f"{path} contains no readable certificates: {allowed}") from error
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}): use a PEM file") from error
    return path


def named_authorities(path: str | None) -> Path | None:
    """Return the file that HOPLINE_CA_FILE names; None where it names none.

    Raises:
        InvalidInput: there is no such file, or no certificate in it.
    """
    try:
        return check_ca_file(Path(path)) if path else None
    except ValueError as error:
        message = f"HOPLINE_CA_FILE: {error}"
        raise InvalidInput("HOPLINE_CA_FILE", path, "a file in PEM", message=message) from error


def tls_context(ca_file: Path | None) -> ssl.SSLContext:
    """Return a context that trusts the system's authorities and those in a file.

    SSL_CERT_FILE and SSL_CERT_DIR in the environment replace the system's, on the loopback too.

    Args:
        ca_file: PEM, as `check_ca_file` returns it.
    """
    from httpx2 import create_ssl_context  # noqa: PLC0415 - finds the system's where OpenSSL does not

    context = create_ssl_context()
    if ca_file is not None:
        context.load_verify_locations(ca_file)
    return context


def distrust(error: BaseException) -> str:
    """Return what is wrong with a server's certificate and what to do; "" where that is not the reason."""
    for cause in _causes(error):
        # aiohttp's error of this kind carries no reason itself.
        if isinstance(cause, ssl.SSLCertVerificationError) and hasattr(cause, "verify_code"):
            why = cause.verify_message.rstrip(".")
            if cause.verify_code in _UNKNOWN_ISSUER:
                return (
                    f"its certificate is not trusted ({why}): set HOPLINE_CA_FILE to a file with the "
                    "certificate of the authority that issued it"
                )
            return f"its certificate is refused: {why}"
    return ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen = set[int]()
    while error is not None and id(error) not in seen:  # a chain may lead back to itself
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
