"""What supervisord is told of a program."""

from __future__ import annotations

from configparser import RawConfigParser
from pathlib import Path

from infra.local.parts import vectors_program
from infra.local.process import Program
from infra.local.supervise import configuration


def test_a_program_gets_its_own_variables_beside_those_of_the_stack(tmp_path: Path) -> None:
    program = Program("one", ("sleep", "1"), lambda _pid: True, {"SHARE": "50%"})
    read = RawConfigParser()
    read.read_string(configuration(tmp_path, "fingerprint", [program], []))
    environment = read["program:one"]["environment"].split(",")
    assert f'HOPLINE_VAR="{tmp_path}"' in environment
    assert environment[-1] == 'SHARE="50%%"'


def test_the_vectors_endpoint_multiplies_in_one_thread(tmp_path: Path) -> None:
    program = vectors_program(tmp_path / "vectors", 6333, "key")
    assert program.environment["OPENBLAS_NUM_THREADS"] == "1"
