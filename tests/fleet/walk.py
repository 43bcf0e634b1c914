"""Run the commands of README.md and the pages that follow it, in a copy of the tree with its own home.

The copy uses the packages of the Python that runs this. The ports are free ones, and what the pages name of
them is replaced.

A comment before a block says what of it is done otherwise, each with its reason:

    <!-- walk: not run: REASON -->
    <!-- walk: not run: BEGINNING OF A LINE: REASON -->
    <!-- walk: ended: BEGINNING OF A LINE: REASON -->

The lines of a block without a language are what the block before it prints; … stands for anything.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from infra.local.neo4j_server import COMPILE_QUICKLY
from infra.local.process import free_port
from infra.local.settings import cache_folder

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/guide.md", "docs/http.md")  # in the order a newcomer reads them
LANGUAGES = ("sh", "python")
PORTS = ("REDIS", "NEO4J", "VECTORS", "MODEL", "FLOWER", "API")
NAMED = {"8400": "API", "7688": "TOOLS"}  # ports in the pages' own text
ENDED_AFTER, TOO_LONG = 10, 900  # seconds
_MARK = re.compile(r"<!-- walk: (not run|ended): (?:([^:]+): )?([^:]+) -->")
# What a reader's shell keeps from block to block: its variables, the virtual environment's path among them.
_SCRIPT = """\
set -ae -o pipefail
curl() {{ command curl --fail-with-body "$@"; }}
test ! -f {kept} || . {kept}
trap 'echo "failed at line $((LINENO - 5 + {line})): $BASH_COMMAND" >&2' ERR
{text}
unset -f curl
export -p > {kept}
"""


class Mark(NamedTuple):
    action: Literal["not run", "ended"]
    line: str  # the beginning of a line, or nothing for the whole block
    reason: str


class Block(NamedTuple):
    """A fenced block: the number of its first line, what stands in it, and what it should print."""

    line: int
    language: str
    text: str
    marks: tuple[Mark, ...] = ()
    output: str = ""

    @property
    def is_run(self) -> bool:
        return not any(mark.action == "not run" and not mark.line for mark in self.marks)


class BlockFailed(Exception):
    """A command of a page does not work; the text says which line, how it ended, and what it printed."""


def read_blocks(text: str) -> list[Block]:
    """Return the blocks that can be run, each with its marks and with the output that follows it."""
    blocks: list[Block] = []
    for fence in _fences(text):
        if fence.language in LANGUAGES:
            blocks.append(fence)
        elif not fence.language and blocks and not blocks[-1].output and _follows(text, blocks[-1], fence):
            blocks[-1] = blocks[-1]._replace(output=fence.text)
    return blocks


def _fences(text: str) -> Iterator[Block]:
    lines, marks, start = text.splitlines(), [], 0
    for number, line in enumerate(lines):
        if line.startswith("```") and start:
            yield Block(start + 1, lines[start - 1][3:].strip(), "\n".join(lines[start:number]), tuple(marks))
            marks, start = [], 0
        elif line.startswith("```"):
            start = number + 1
        elif not start and "<!-- walk:" in line:
            mark = _MARK.fullmatch(line)
            if mark is None:
                raise ValueError(f"line {number + 1} is no mark: {line}")
            marks.append(Mark(mark[1], mark[2] or "", mark[3]))  # type: ignore[arg-type]


def _follows(text: str, block: Block, fence: Block) -> bool:
    end = block.line + block.text.count("\n") + 1  # of the closing fence
    return not "".join(text.splitlines()[end : fence.line - 2]).strip()


def as_script(block: Block, ports: Mapping[str, int], kept: Path) -> str:
    """Return what a shell runs for a block; every line keeps its number."""
    text = re.sub(r"(?<=[:=])\d{4}\b", lambda match: str(_replaced(match[0], ports)), block.text)
    if block.language == "python":
        return _SCRIPT.format(kept=kept, line=block.line, text=f"python - <<'PYTHON'\n{text}\nPYTHON")
    lines = [_as_marked(line, block.marks) for line in text.splitlines()]
    return _SCRIPT.format(kept=kept, line=block.line, text="\n".join(lines))


def _replaced(port: str, ports: Mapping[str, int]) -> str | int:
    return ports[NAMED[port]] if port in NAMED else port


def _as_marked(line: str, marks: tuple[Mark, ...]) -> str:
    for mark in marks:
        if mark.line and line.startswith(mark.line):
            if mark.action == "not run":
                return ":"
            command = re.sub(r"\s+#.*", "", line)
            return f"{{ timeout --signal=INT {ENDED_AFTER} {command}; }} || test $? = 124"
    return line


def check_output(block: Block, printed: str) -> None:
    """Raise where a line that the page shows is not printed, in its order.

    Raises:
        BlockFailed: says which line.
    """
    rest = printed
    for line in filter(str.strip, block.output.splitlines()):
        pattern = r"\s+".join(re.escape(word).replace("…", ".*?") for word in line.split())
        match = re.search(pattern, rest)
        if match is None:
            raise BlockFailed(f"line {block.line} ff. should print this and does not:\n{line}\n\n{printed}")
        rest = rest[match.end() :]


class Walk:
    """A copy of the tree with a home, ports and a virtual environment of its own.

    Args:
        folder: an empty one; the copy and the home lie in it.
    """

    def __init__(self, folder: Path) -> None:
        self.tree, self.home, self._kept = folder / "hopline", folder / "home", folder / "shell"
        self.home.mkdir()
        self.ports = {name: free_port() for name in (*PORTS, "TOOLS")}
        left_out = ("HOPLINE_", "XDG_", "VIRTUAL_ENV", "PYTHON", "PYTEST", "COLUMNS")
        kept = {name: text for name, text in os.environ.items() if not name.startswith(left_out)}
        ports = {f"HOPLINE_{name}_PORT": str(self.ports[name]) for name in PORTS}
        # Each Neo4j of a walk runs for a minute or two: compiling its code well costs more than it saves.
        shared = {"HOPLINE_CACHE": str(cache_folder()), "JAVA_TOOL_OPTIONS": COMPILE_QUICKLY}
        self._environment = kept | ports | shared | {"HOME": str(self.home)}
        _copy_tree(self.tree)
        _share_packages(self.tree)

    def run(self, tell: Callable[[str], None]) -> None:
        """Run the blocks of all pages.

        Raises:
            BlockFailed: one ended with an error, took too long, or does not print what its page shows.
        """
        for page in PAGES:
            for block in read_blocks((self.tree / page).read_text(encoding="utf-8")):
                began = time.monotonic()
                if block.is_run:
                    check_output(block, self._run_block(page, block))
                took = f"{time.monotonic() - began:5.1f} s" if block.is_run else "not run"
                tell(f"{took}  {page}, line {block.line}: {block.text.splitlines()[0]}")

    def _run_block(self, page: str, block: Block) -> str:
        where = f"{page}, line {block.line} ff.:\n{block.text}\n"
        try:
            ran = self.call("bash", "-c", as_script(block, self.ports, self._kept))
        except subprocess.TimeoutExpired as error:
            raise BlockFailed(f"{where}\ndid not end within {TOO_LONG} s: {error.stdout!r}") from error
        if ran.returncode:
            raise BlockFailed(f"{where}\nended with {ran.returncode}:\n{ran.stdout}\n{ran.stderr}")
        return ran.stdout

    def call(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the copy."""
        return subprocess.run(
            command, cwd=self.tree, env=self._environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=TOO_LONG, check=False,
        )  # fmt: skip

    def end(self) -> None:
        """End the stack of the copy."""
        self.call("make", "down")


def _copy_tree(target: Path) -> None:
    """Copy what git holds or would take: a clone, with what is not committed yet."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def _share_packages(tree: Path) -> None:
    """Make the copy a virtual environment whose packages are those of the Python that runs this."""
    environment = tree / ".venv"
    base = [sys._base_executable, "-m", "venv", "--without-pip", str(environment)]
    subprocess.run(base, check=True)
    packages = next(environment.glob("lib/python*/site-packages"))
    shared = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "walk.pth").write_text("\n".join([str(tree), *shared]) + "\n", encoding="utf-8")
    for script in Path(sys.executable).parent.iterdir():
        if script.is_file() and script.name in {"hopline", "celery"}:
            text = script.read_text(encoding="utf-8").partition("\n")[2]
            (environment / "bin" / script.name).write_text(f"#!{environment}/bin/python\n{text}")
            (environment / "bin" / script.name).chmod(0o755)
    (environment / ".hopline-installed").touch()
