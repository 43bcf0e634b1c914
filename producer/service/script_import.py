"""Imports a Cypher script into an empty database that is not hopline's own."""

from __future__ import annotations

import ipaddress
import socket
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hopline.errors import DependencyAway, InvalidInput, Permanent, unreadable_file
from hopline.models.base import Frozen
from hopline.models.graph_schema import GraphSchema
from workers.text2cypher.script import ScriptStatement, split_script

if TYPE_CHECKING:
    from collections.abc import Callable

    from workers.adapters.neo4j.script import Loaded, ScriptConnection
    from workers.settings import Settings

_BOLT_PORT = 7687
_THIS_MACHINE = "127.0.0.1"
_SCHEMES = {f"{scheme}{more}" for scheme in ("bolt", "neo4j") for more in ("", "+s", "+ssc")}
_ADDRESS = "an address such as bolt://127.0.0.1:7688"
_UNKNOWN = "Nothing was imported: hopline could not check whether this is its own database"
_MOST_BYTES = 256_000_000
_SECONDS = 60.0  # of a query beside the script


class Target(Frozen):
    """A database: its address and login."""

    url: str  # bolt:// or neo4j://, with +s for encryption
    user: str
    password: str
    settings: str = ""  # what the settings of the login begin with; "" where none holds it


class Imported(Frozen):
    """The result of an import, and the resulting graph."""

    statements: int
    schema_statements: int
    transactions: int
    nodes: int
    relationships: int
    indexed: tuple[str, ...]  # labels whose names are found by words
    not_indexed: str = ""  # why no index could be made
    graph: GraphSchema


def check_target(url: str) -> str:
    """Return a database's address.

    Raises:
        InvalidInput: it is not valid, or contains a login, which the message does not repeat.
    """
    if "@" in url:
        # Whatever stands before it: a password with a # or a / in it is no login to who splits addresses.
        raise InvalidInput("into", "…@…", "an address without a login, so without an @")
    try:
        parts = urlsplit(url)
        known = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:  # of brackets, or of a port, which may be a password in the wrong place
        raise InvalidInput("into", f"{url.partition('://')[0][:20]}://…", _ADDRESS) from None
    if not known:
        raise InvalidInput("into", url if "://" in url else "…", _ADDRESS)
    return url


def read_script(path: Path) -> list[ScriptStatement]:
    """Return a script's statements.

    Raises:
        InvalidInput: the file is missing, too large, not UTF-8, or contains no statement.
        CypherRefused: it is not valid Cypher; the message says where.
    """
    if not path.is_file():
        raise unreadable_file("FILE.cypher", path)
    if path.stat().st_size > _MOST_BYTES:
        most = f"at most {_MOST_BYTES // 1_000_000} MB"
        raise _unfit_script(path, most, f"is too large: a script has {most}")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unfit_script(path, "UTF-8", "is not text in UTF-8") from error
    statements = list(split_script(text))
    if not statements:
        raise _unfit_script(path, "a script with a statement", "contains no statement")
    return statements


def _unfit_script(path: Path, allowed: str, how: str) -> InvalidInput:
    return InvalidInput("FILE.cypher", str(path), allowed, message=f"{path} {how}")


def import_script(
    statements: list[ScriptStatement], target: Target, settings: Settings, tell: Callable[[int], None]
) -> Imported:
    """Run a script in an empty database, then make its names searchable.

    Args:
        statements: the script's statements from `read_script`.
        target: the database.
        settings: name hopline's own database, which is refused.
        tell: called with the number of statements run so far.

    Raises:
        InvalidInput: the database is not empty, or is hopline's own; nothing was done.
        Permanent: a statement failed (the message says which one, and what remains), or the database may be
            hopline's own.
        DependencyAway: the database cannot be reached.
    """
    from workers.adapters.neo4j.script import ScriptConnection, load_script

    login, ca_file = (target.url, target.user, target.password), settings.ca_file
    connection = ScriptConnection(*login, _SECONDS, target.settings, ca_file=ca_file)
    try:
        _check_empty(connection, target, settings)
        return _indexed(connection, load_script(connection, statements, tell))
    finally:
        connection.close()


def _check_empty(connection: ScriptConnection, target: Target, settings: Settings) -> None:
    if is_same_server(target.url, settings.neo4j_url):
        raise _own_database(target.url)
    nodes, _relationships = connection.size()
    if _is_own(connection, settings):
        raise _own_database(target.url)
    if nodes:
        message = f"{target.url} is not empty, it has {nodes:,} nodes; nothing was imported"
        raise InvalidInput("into", target.url, "an empty database", message=message)


def _own_database(url: str) -> InvalidInput:
    message = f"{url} is hopline's own database: import scripts into another one"
    return InvalidInput("into", url, "another database than hopline's own", message=message)


def _is_own(connection: ScriptConnection, settings: Settings) -> bool:
    """Return whether this is hopline's own database under another address.

    Raises:
        Permanent: hopline's own database answers, but does not identify itself.
    """
    from neo4j.exceptions import Neo4jError

    from workers.adapters.neo4j.script import ScriptConnection

    own = ScriptConnection(*settings.own_login, _SECONDS, ca_file=settings.ca_file)
    try:
        return own.database_id() == connection.database_id()
    except DependencyAway as error:
        if isinstance(error.__cause__, Neo4jError):  # said by a server, of a login most often
            raise Permanent(f"{_UNKNOWN}. {error}") from error
        return False  # nobody is there, and the one to be filled is
    finally:
        own.close()


def _indexed(connection: ScriptConnection, loaded: Loaded) -> Imported:
    from hopline.errors import HoplineError
    from workers.adapters.neo4j.schema import Neo4jSchema

    schema, failed = Neo4jSchema(connection), ""
    try:
        labels = schema.index_names()
    except HoplineError as error:  # the graph is there; names have to be spelled right
        labels, failed = (), str(error)
    return Imported(
        **loaded.model_dump(), indexed=labels, not_indexed=failed, graph=schema.schema(refresh=True)
    )


def is_same_server(url: str, other: str) -> bool:
    """Return whether two database addresses have the same host and port, whatever the host's name.

    A server may still have two addresses with nothing in common, for example through a forwarded port.
    """
    return bool(_places(url) & _places(other))


def _places(url: str) -> set[tuple[str, int]]:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or _BOLT_PORT
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # a name that nobody knows is compared as written
        return {(host.rstrip("."), port)}
    return {(_plain(str(address[0])), port) for *_, address in addresses}


def _plain(address: str) -> str:
    """Return one address for all that mean this machine, and IPv4 addresses unwrapped."""
    known = ipaddress.ip_address(address.partition("%")[0])
    known = getattr(known, "ipv4_mapped", None) or known
    return _THIS_MACHINE if known.is_loopback or known.is_unspecified else str(known)
