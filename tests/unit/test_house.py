"""The rules of the house that no linter checks, read off the source tree."""

import ast
import fnmatch
import importlib
import re
import subprocess
import tomllib
from collections import Counter
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import grimp
import pytest

from infra.local.settings import LocalSettings
from workers.app import app
from workers.flows.registry import FLOWS, STRATEGIES
from workers.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("hopline", "workers", "producer", "infra")
LONGEST_MODULE, LARGEST_FOLDER = 600, 30  # lines, files
COMMENT = {".cypher": "//", ".lua": "--", ".txt": "#"}
# Who may read the environment, and why.
ENVIRONMENT = {
    "workers/settings.py": "the one place for settings",
    "infra/local/settings.py": "what the stack itself may be told, a hash of it, XDG_CACHE_HOME",
    "infra/local/forking.py": "replaces the environment of a process that becomes a program",
    "infra/local/launch.py": "replaces HOPLINE_* in the environment of a program that it becomes",
    "infra/local/stack.py": "a second worker inherits the environment",
    "infra/wheels.py": "a build inherits the environment",
    "infra/local/supervise.py": "asks which stack a process belongs to",
    "infra/local/process.py": "a child inherits the environment",
    "infra/local/doctor.py": "looks for HOPLINE_* that nothing reads",
    "producer/commands/import_graph.py": "--password-env names a variable: no password in a command",
    "producer/commands/mcp.py": "--api-key-from-env names a variable: no key on a command line",
    "hopline/commands/client.py": "whether an API is named, before the client is chosen",
    "hopline/machine.py": "the folder of the local stack and its API",
    "hopline/transport.py": "address and key of the API, and HOPLINE_CA_FILE: clients have no other settings",
    "producer/flower.py": "hands Flower its password where ps does not show it",
}
_LANGUAGES = re.compile(
    r"\bredis\.call\s*\(|\bKEYS\[\d"
    r"|\bMATCH\s*\(|\bMERGE\s*\(|\bUNWIND\s+\$|\bCREATE\s+\(\w*:|\bDETACH DELETE\b"
)
_THEIR_WORDS = re.compile(r"redis\.call|KEYS|MATCH|MERGE|UNWIND|CREATE|DETACH")
_MACHINE = re.compile(r"/(?:home|Users)/\w|/root/|/work/\w")
_ADDRESS = re.compile(
    r"(?:--(?:extra-)?index-url|--find-links|--trusted-host|index-url\s*=|\bGOPROXY\b|PIP_INDEX_URL)"
)
# One of these stands in whatever the two find: they are looked for in every file.
_OF_PLACES = ("/home", "/Users", "/root", "/work", "index", "INDEX", "find-links", "trusted-host", "GOPROXY")
_READS_ENVIRONMENT = re.compile(r"\benviron|\bgetenv\b|\bBaseSettings\b")
_NAMES = re.compile(r"""["'](\w+)(?=["'{])""")  # whole texts, and the beginnings of those put together
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
_SETTING = re.compile(r"\bHOPLINE_(?!TEST_)[A-Z0-9_]*[A-Z0-9]\b")


@cache
def tracked() -> tuple[Path, ...]:
    """Return git's files as they lie here, those not yet added included."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = (ROOT / name for name in listed.split("\0") if name)
    return tuple(sorted(path for path in paths if path.is_file()))


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def _text(path: Path) -> str:
    """Return a file's text; none of one that is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


@cache
def _modules() -> tuple[Path, ...]:
    return tuple(path for path in _in_packages() if path.suffix == ".py")


@cache
def _in_packages() -> tuple[Path, ...]:
    return tuple(path for path in tracked() if _name(path).split("/")[0] in PACKAGES)


@cache
def _scripts() -> tuple[Path, ...]:
    """Cypher, Lua and prompts."""
    return tuple(
        path for path in _in_packages() if path.suffix in {".cypher", ".lua"} or path.parent.name == "prompts"
    )


@cache
def _nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(_text(path))))


@cache
def _names_in(package: str) -> frozenset[str]:
    """Return the names that stand in texts of a package's modules."""
    return frozenset(
        name for path in _modules() if _name(path).startswith(package) for name in _NAMES.findall(_text(path))
    )


def _is_used(script: Path) -> bool:
    """Say whether a text of its package names it, whole or as the beginning of one that is put together."""
    if script.parent.name == "migrations":
        return True  # all files of that folder are run, by number
    if script.parent.parent.name == "packs":
        declared = [tomllib.loads(_text(file)) for file in script.parent.glob("*.toml")]
        return script.name in {declaration.get("cypher") for declaration in declared}
    shelves = (each for each in script.parents if each.name in {"cypher", "lua", "prompts"})
    package = _name(next(shelves, script.parent).parent)
    return bool({script.stem, script.stem.rpartition("_")[0] + "_"} & _names_in(package))


def test_a_script_begins_by_saying_what_it_does() -> None:
    for path in _scripts():
        first, _, rest = _text(path).partition("\n")
        mark, _, sentence = first.partition(" ")
        assert mark == COMMENT[path.suffix], path
        assert len(sentence.split()) > 2, path
        assert rest.strip(), path


def test_every_script_is_used() -> None:
    assert [_name(path) for path in _scripts() if not _is_used(path)] == []


def test_no_cypher_and_no_lua_in_python() -> None:
    alike = [path for path in _modules() if _THEIR_WORDS.search(_text(path))]
    assert not {_name(path) for path in alike if any(map(_LANGUAGES.search, _strings(path)))}


def _strings(path: Path) -> set[str]:
    """Return the texts of a module, docstrings apart."""
    docstrings = {id(node.value) for node in _nodes(path) if isinstance(node, ast.Expr)}
    texts = (node for node in _nodes(path) if isinstance(node, ast.Constant) and id(node) not in docstrings)
    return {node.value for node in texts if isinstance(node.value, str)}


def test_the_search_for_other_languages_finds_them() -> None:
    assert _LANGUAGES.search("MATCH (n) RETURN n")
    assert _LANGUAGES.search("return redis.call('GET', KEYS[1])")
    assert not _LANGUAGES.search("the best match (by words) is merged")


def test_one_module_opens_clients_of_redis() -> None:
    opens = re.compile(r"\bRedis(?:\.from_url)?\(|\bSentinel\(")
    modules = {_name(path) for path in _modules() if opens.search(_text(path))}
    own = "infra/local/redis_server.py"  # asks the server that it has just started
    assert modules == {"workers/adapters/redis/client.py", own}


def test_only_named_modules_read_the_environment() -> None:
    alike = [path for path in _modules() if _READS_ENVIRONMENT.search(_text(path))]
    assert {_name(path) for path in alike if any(map(_reads_environment, _nodes(path)))} == set(ENVIRONMENT)


def _reads_environment(node: ast.AST) -> bool:
    if isinstance(node, ast.ClassDef):
        return any(_last_word(base) == "BaseSettings" for base in node.bases)
    return isinstance(node, ast.Attribute) and node.attr in {"environ", "environb", "getenv"}


def _last_word(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def test_a_module_is_short() -> None:
    lengths = {_name(path): len(_text(path).splitlines()) for path in _modules()}
    assert not {name: length for name, length in lengths.items() if length > LONGEST_MODULE}


def test_a_folder_holds_few_files() -> None:
    files = Counter(
        path.parent.relative_to(ROOT).as_posix()
        for path in _in_packages()
        if path.parent.name not in {"cypher", "lua", "prompts"} and not _is_of_nouns(path.parent)
    )
    assert not {folder: count for folder, count in files.items() if count > LARGEST_FOLDER}


def _is_of_nouns(folder: Path) -> bool:
    """Return whether a folder holds a file for each noun of the contract, however many these are."""
    return folder.parent.name == "hopline"


def test_every_step_of_every_flow_has_its_task_and_no_task_is_without_a_step() -> None:
    for module in app.conf.imports:
        importlib.import_module(module)
    steps = {step for flow in (*FLOWS.values(), *STRATEGIES.values()) for step in flow.steps} | {
        "flow.advance",
        "schedules.begin",  # makes a job and does no item
    }
    tasks = {name for name in app.tasks if not name.startswith("celery.")}
    assert tasks == steps


def test_every_file_that_the_packages_load_is_shipped() -> None:
    patterns = _project()["tool"]["setuptools"]["package-data"]["*"]
    left_out = [
        _name(path)
        for path in _in_packages()
        if path.suffix != ".py"
        and not {"docker", "kubernetes"} & set(path.parts)
        and path.parent != ROOT / "hopline"  # its README, licence and project file
        and not any(fnmatch.fnmatch(path.name, pattern) for pattern in patterns)
    ]
    assert not left_out


def _project(folder: str = ".") -> dict[str, Any]:
    return tomllib.loads(_text(ROOT / folder / "pyproject.toml"))


def _plain(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~; ]", requirement)[0]).lower()


def test_every_dependency_has_a_pin() -> None:
    projects = [_project(folder)["project"] for folder in (".", "hopline")]
    wanted = {
        requirement
        for project in projects
        for several in (project["dependencies"], *project["optional-dependencies"].values())
        for requirement in several
    }
    pins = _text(ROOT / "constraints.txt").split()
    ours = [project["name"] for project in projects]
    assert {_plain(requirement) for requirement in wanted} <= {_plain(pin) for pin in (*pins, *ours)}


def test_client_and_server_are_of_one_version_and_ask_for_one_another() -> None:
    client, server = (_project(folder)["project"] for folder in ("hopline", "."))
    version = client["version"]
    assert server["version"] == version
    assert f"hopline=={version}" in server["dependencies"]
    assert client["optional-dependencies"] == {
        "server": [f"hopline-server=={version}"],
        **{extra: [f"hopline-server[{extra}]=={version}"] for extra in ("local", "minilm", "ocr", "otel")},
    }


def test_the_client_ships_all_of_its_packages() -> None:
    packages = {_name(path.parent).replace("/", ".") for path in (ROOT / "hopline").rglob("*.py")}
    assert set(_project("hopline")["tool"]["setuptools"]["packages"]) == packages


def test_pins_are_exact_and_name_no_address() -> None:
    pins = _text(ROOT / "constraints.txt").splitlines()
    wrong = [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", pin)]
    assert not wrong


def test_no_file_names_a_place_of_a_machine_or_of_a_registry() -> None:
    texts = {_name(path): _text(path) for path in tracked() if path != Path(__file__).resolve()}
    named = {name: text for name, text in texts.items() if any(word in text for word in _OF_PLACES)}
    hits = [(name, pattern.search(text)) for name, text in named.items() for pattern in (_ADDRESS, _MACHINE)]
    assert not [f"{name}: {hit[0]}" for name, hit in hits if hit]


def test_every_link_of_the_documentation_leads_to_a_file() -> None:
    pages = [path for path in tracked() if path.suffix == ".md" and "demo" not in path.parts]
    links = [(page, link) for page in pages for link in _LINK.findall(_text(page))]
    assert links
    missing = [f"{_name(page)}: {link}" for page, link in links if not (page.parent / link).exists()]
    assert not missing


def test_the_readme_begins_with_what_to_type() -> None:
    beginning = _text(ROOT / "README.md").splitlines()[:25]
    assert any(line.startswith("make demo") for line in beginning)
    assert any(line.startswith("make test") for line in beginning)


def test_decisions_are_numbered_one_after_another() -> None:
    decisions = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))
    assert [path.name[:4] for path in decisions] == [
        f"{number:04}" for number in range(1, len(decisions) + 1)
    ]
    for number, path in enumerate(decisions, start=1):
        assert _text(path).startswith(f"# {number}. ")


def test_every_setting_that_the_documentation_names_exists() -> None:
    known = {f"HOPLINE_{name}".upper() for name in (*Settings.model_fields, *LocalSettings.model_fields)}
    known.add("HOPLINE_API_KEY")  # of clients
    pages = [path for path in tracked() if path.suffix == ".md" or path.parent.name == "docker"]
    named = {name for page in pages for name in _SETTING.findall(_text(page))}
    assert named
    beginnings = {name for name in named if any(setting.startswith(f"{name}_") for setting in known)}
    assert named - beginnings <= known


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports within functions count; those for type checking alone do not."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(error.args[1]))
