"""The rules of the house that no linter checks, read off the source tree."""

from __future__ import annotations

import ast
import fnmatch
import importlib
import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterable
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
PACKAGES = ("workers", "producer", "infra")
NAMED = (*PACKAGES, "bench")  # whose variables have names of their own
LONGEST_MODULE, LONGEST_FUNCTION = 400, 40  # lines; a function's without its docstring
LARGEST_FOLDER = 20  # files
NOUNS = {"workers/ingest/reading/encoding.py"}  # that end as participles do
EMPTY_NAMES = {"asked", "found", "given", "one", "said", "told"}  # that say nothing of what a variable holds
COMMENT = {".cypher": "//", ".lua": "--", ".txt": "#"}
# Who may read the environment, and why.
ENVIRONMENT = {
    "workers/settings.py": "the one place for settings",
    "infra/local/settings.py": "what the stack itself may be told, and a hash of it to notice old settings",
    "infra/local/supervise.py": "asks which stack a process belongs to",
    "infra/local/process.py": "a child inherits the environment",
    "infra/local/doctor.py": "looks for HOPLINE_* that nothing reads",
    "infra/local/jars.py": "XDG_CACHE_HOME",
    "producer/commands/graph/import_graph.py": "--password-env names a variable: no password in a command",
    "producer/commands/mcp.py": "--api-key-from-env names a variable: no key on a command line",
    "producer/commands/workers.py": "hands Flower its password where ps does not show it",
}
# Which functions may be longer, and why.
LONG = {
    "producer/commands/questions/ask.py::ask": "one option, one argument",
    "producer/commands/ingestion/ingest.py::ingest": "one option, one argument",
    "producer/commands/ingestion/sync.py::sync": "one option, one argument",
    "producer/commands/audit.py::audit": "one option, one argument",
    "producer/commands/history.py::history": "one option, one argument",
    "workers/app.py::_configuration": "one literal table of settings",
}
_LANGUAGES = re.compile(
    r"\bredis\.call\s*\(|\bKEYS\[\d"
    r"|\bMATCH\s*\(|\bMERGE\s*\(|\bUNWIND\s+\$|\bCREATE\s+\(\w*:|\bDETACH DELETE\b"
)
_MACHINE = re.compile(r"/(?:home|Users)/\w|/root/|/work/\w")
_ADDRESS = re.compile(
    r"(?:--(?:extra-)?index-url|--find-links|--trusted-host|index-url\s*=|\bGOPROXY\b|PIP_INDEX_URL)"
)
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
def _modules(folders: tuple[str, ...] = PACKAGES) -> tuple[Path, ...]:
    return tuple(path for path in tracked() if path.suffix == ".py" and _name(path).split("/")[0] in folders)


def _scripts() -> list[Path]:
    """Cypher, Lua and prompts."""
    return [
        path
        for path in tracked()
        if _name(path).split("/")[0] in PACKAGES
        and (path.suffix in {".cypher", ".lua"} or path.parent.name == "prompts")
    ]


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(_tree(path)))


@cache
def _strings(path: Path) -> frozenset[str]:
    """Return the texts of a module, docstrings apart."""
    nodes = _nodes(path)
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in docstrings)
    return frozenset(node.value for node in texts if isinstance(node.value, str))


@cache
def _strings_of(package: str) -> frozenset[str]:
    """Return the texts of a package's modules."""
    return frozenset().union(*(_strings(path) for path in _modules() if _name(path).startswith(package)))


@pytest.mark.parametrize("path", _scripts(), ids=_name)
def test_a_script_begins_by_saying_what_it_does(path: Path) -> None:
    first, _, rest = path.read_text(encoding="utf-8").partition("\n")
    mark = COMMENT[path.suffix]
    assert first.startswith(f"{mark} ")
    assert len(first.removeprefix(mark).split()) > 2
    assert rest.strip()


@pytest.mark.parametrize("path", _scripts(), ids=_name)
def test_a_script_is_used(path: Path) -> None:
    """Its name stands in a string of its package, whole or as the beginning of one that is put together."""
    if path.parent.name == "migrations":
        return  # all files of that folder are run, by number
    if path.parent.parent.name == "packs":
        declared = [tomllib.loads(file.read_text(encoding="utf-8")) for file in path.parent.glob("*.toml")]
        assert path.name in {declaration.get("cypher") for declaration in declared}, (
            f"no tool of {path.parent} names it"
        )
        return
    package = _name(path).rsplit("/", 2)[0]
    stem = path.stem
    parts = {stem, stem.rpartition("_")[0] + "_"}
    assert parts & _strings_of(package), f"nothing in {package} names {stem}"


def test_no_cypher_and_no_lua_in_python() -> None:
    assert not {_name(path) for path in _modules() if any(map(_LANGUAGES.search, _strings(path)))}


def test_the_search_for_other_languages_finds_them() -> None:
    assert _LANGUAGES.search("MATCH (n) RETURN n")
    assert _LANGUAGES.search("return redis.call('GET', KEYS[1])")
    assert not _LANGUAGES.search("the best match (by words) is merged")


def test_one_module_opens_clients_of_redis() -> None:
    opens = re.compile(r"\bRedis(?:\.from_url)?\(|\bSentinel\(")
    modules = {_name(path) for path in _modules() if opens.search(path.read_text("utf-8"))}
    own = "infra/local/redis_server.py"  # asks the server that it has just started
    assert modules == {"workers/adapters/redis/client.py", own}


def test_only_named_modules_read_the_environment() -> None:
    readers = {_name(path) for path in _modules() if _reads_environment(_nodes(path))}
    assert readers == set(ENVIRONMENT)


def _reads_environment(nodes: Iterable[ast.AST]) -> bool:
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "environb", "getenv"}:
            return True
        if isinstance(node, ast.ClassDef) and any(_last_word(base) == "BaseSettings" for base in node.bases):
            return True
    return False


def _last_word(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def test_a_module_is_short() -> None:
    lengths = {_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in _modules()}
    assert not {name: length for name, length in lengths.items() if length > LONGEST_MODULE}


def test_a_folder_holds_few_files() -> None:
    files = Counter(
        path.parent.relative_to(ROOT).as_posix()
        for path in tracked()
        if _name(path).split("/")[0] in PACKAGES and path.parent.name not in {"cypher", "lua", "prompts"}
    )
    assert not {folder: count for folder, count in files.items() if count > LARGEST_FOLDER}


def test_a_module_is_no_participle() -> None:
    participles = {_name(path) for path in _modules() if path.stem.endswith("ing")} - NOUNS
    assert not participles


def test_a_variable_is_named_for_what_it_holds() -> None:
    assert not {
        f"{_name(path)}: {name}"
        for path in _modules(NAMED)
        for name in _variables(_nodes(path)) & EMPTY_NAMES
    }


def _variables(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names of variables and parameters; fields of classes are part of what is stored."""
    names = set()
    fields = set()
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            fields |= {id(part.target) for part in node.body if isinstance(part, ast.AnnAssign)}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields:
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
    return names


def test_the_search_for_variables_finds_them() -> None:
    tree = ast.parse(
        "class C:\n    told: int\n    def f(self, one, *, said=1):\n        asked = [found for found in one]"
    )
    assert _variables(ast.walk(tree)) == {"self", "one", "said", "asked", "found"}


def test_a_function_is_short() -> None:
    long = {
        f"{_name(path)}::{node.name}"
        for path in _modules()
        for node in _nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _length(node) > LONGEST_FUNCTION
    }
    assert long <= set(LONG)


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    whole = (function.end_lineno or 0) - function.lineno + 1
    if ast.get_docstring(function) is None:
        return whole
    docstring = function.body[0]
    return whole - ((docstring.end_lineno or 0) - docstring.lineno + 1)


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
    data = [path for path in tracked() if _name(path).split("/")[0] in PACKAGES and path.suffix != ".py"]
    left_out = [
        _name(path)
        for path in data
        if not {"docker", "kubernetes"} & set(path.parts)
        and not any(fnmatch.fnmatch(path.name, pattern) for pattern in patterns)
    ]
    assert not left_out


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _plain(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~; ]", requirement)[0]).lower()


def test_every_dependency_has_a_pin() -> None:
    project = _project()["project"]
    wanted = set(project["dependencies"]).union(*project["optional-dependencies"].values())
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    assert {_plain(requirement) for requirement in wanted} <= {_plain(pin) for pin in pins}


def test_pins_are_exact_and_name_no_address() -> None:
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    wrong = [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", pin)]
    assert not wrong


def test_no_file_names_a_place_of_a_machine_or_of_a_registry() -> None:
    hits = []
    for path in tracked():
        if path == Path(__file__).resolve():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        hits += [
            f"{_name(path)}:{number}: {line.strip()[:100]}"
            for number, line in enumerate(text.splitlines(), start=1)
            if _ADDRESS.search(line) or _MACHINE.search(line)
        ]
    assert not hits


def test_every_link_of_the_documentation_leads_to_a_file() -> None:
    pages = [path for path in tracked() if path.suffix == ".md" and "demo" not in path.parts]
    links = [(page, link) for page in pages for link in _LINK.findall(page.read_text(encoding="utf-8"))]
    assert links
    missing = [f"{_name(page)}: {link}" for page, link in links if not (page.parent / link).exists()]
    assert not missing


def test_the_readme_begins_with_what_to_type() -> None:
    beginning = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:25]
    assert any(line.startswith("make demo") for line in beginning)
    assert any(line.startswith("make test") for line in beginning)


def test_the_readme_is_short_enough_for_a_newcomer() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 180


def test_decisions_are_numbered_one_after_another() -> None:
    decisions = sorted((ROOT / "docs" / "adr").glob("*.md"))
    assert [path.name[:4] for path in decisions] == [
        f"{number:04}" for number in range(1, len(decisions) + 1)
    ]
    for number, path in enumerate(decisions, start=1):
        assert path.read_text(encoding="utf-8").startswith(f"# {number}. ")


def test_every_setting_that_the_documentation_names_exists() -> None:
    known = {f"HOPLINE_{name}".upper() for name in (*Settings.model_fields, *LocalSettings.model_fields)}
    pages = [path for path in tracked() if path.suffix == ".md" or path.parent.name == "docker"]
    named = {name for page in pages for name in _SETTING.findall(page.read_text(encoding="utf-8"))}
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
