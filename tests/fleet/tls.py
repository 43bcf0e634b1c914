"""A private authority of certificates, and TLS before servers that speak none."""

import asyncio
import datetime as dt
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HANDSHAKE = b"\x16"  # the first byte of TLS
_DAY = dt.timedelta(days=1)


class Authority:
    """Issues certificates that nobody trusts who does not know it.

    Args:
        folder: for its own certificate, `ca_file`, and those of servers.
        names: of the servers.
    """

    def __init__(self, folder: Path, *names: str) -> None:
        self.ca_file = folder / "ca.pem"
        own, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        constraints = x509.BasicConstraints(ca=True, path_length=0)
        usage = x509.KeyUsage(*(position in (5, 6) for position in range(9)))  # signs certificates and lists
        authority = _certificate("hopline's tests", own, own, (constraints, True), (usage, True))
        hosts = [x509.DNSName(name) for name in ("localhost", *names)]
        addresses = [x509.IPAddress(ip_address("127.0.0.1"))]
        issued = _certificate("server", key, own, (x509.SubjectAlternativeName([*hosts, *addresses]), False))
        self.ca_file.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        server = folder / "server.pem"
        server.write_bytes(private + issued.public_bytes(serialization.Encoding.PEM))
        self.server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.server.load_cert_chain(server)


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: ec.EllipticCurvePrivateKey,
    *extensions: tuple[x509.ExtensionType, bool],
) -> x509.Certificate:
    now, issuer_key = dt.datetime.now(dt.UTC), x509.AuthorityKeyIdentifier
    made = (
        x509.CertificateBuilder()
        .subject_name(_named(name))
        .issuer_name(_named("hopline's tests"))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _DAY)
        .not_valid_after(now + _DAY)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(issuer_key.from_issuer_public_key(issuer.public_key()), critical=False)
    )
    for extension, critical in extensions:
        made = made.add_extension(extension, critical=critical)
    return made.sign(issuer, hashes.SHA256())


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


class Gate:
    """Takes TLS on a port of its own, and passes on what it holds, to a server on this machine.

    Attributes:
        firsts: the first byte of each connection.
        heard: what came within TLS, of each connection the first part.
    """

    def __init__(self, context: ssl.SSLContext, behind: int | None) -> None:
        self._context = context
        self._behind = behind
        self.firsts: list[bytes] = []
        self.heard: list[bytes] = []
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._listening.setblocking(False)
        self.port: int = self._listening.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._under_way: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Take connections until cancelled."""
        while True:
            came, _ = await self._loop.sock_accept(self._listening)
            task = self._loop.create_task(self._pass_on(came))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _pass_on(self, came: socket.socket) -> None:
        with suppress(OSError, EOFError):
            if not (first := await self._first(came)):
                came.close()
                return
            self.firsts.append(first)
            reader = asyncio.StreamReader()
            protocol = asyncio.StreamReaderProtocol(reader)
            transport, _ = await self._loop.connect_accepted_socket(lambda: protocol, came, ssl=self._context)
            writer = asyncio.StreamWriter(transport, protocol, reader, self._loop)
            try:
                await self._join(reader, writer)
            finally:
                writer.close()

    async def _first(self, came: socket.socket) -> bytes:
        while True:
            try:
                return came.recv(1, socket.MSG_PEEK)
            except BlockingIOError:
                await asyncio.sleep(0.002)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._behind is None:
            self.heard.append(await reader.read(4096))
            return
        there, here = await asyncio.open_connection("127.0.0.1", self._behind)
        tasks = [self._loop.create_task(_pump(*ends)) for ends in ((reader, here), (there, writer))]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            here.close()

    def run(self) -> None:
        """Serve until stopped."""
        with suppress(asyncio.CancelledError):
            self._serving = self._loop.create_task(self.serve())
            self._loop.run_until_complete(self._serving)

    def stop(self) -> None:
        """Take no more connections, and end those that there are."""

        def cancel() -> None:
            for task in (*self._under_way, self._serving):
                task.cancel()

        self._loop.call_soon_threadsafe(cancel)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while part := await reader.read(65_536):
            writer.write(part)
            await writer.drain()


@contextmanager
def tls_gate(authority: Authority, behind: int | None = None) -> Iterator[Gate]:
    """Take TLS until the block is left.

    Args:
        authority: whose certificate is shown.
        behind: the port of the server; without one each connection is closed when something has come.
    """
    gate = Gate(authority.server, behind)
    thread = threading.Thread(target=gate.run, name="tls", daemon=True)
    thread.start()
    try:
        yield gate
    finally:
        gate.stop()
        thread.join(60)
        gate._listening.close()
