# SPDX-License-Identifier: Apache-2.0
"""Commands of other programs: in the folder of commands, and on the PATH."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from program import BINARY, Program, installed_at

PROGRAMS = sorted((BINARY.parent / "commands").glob("lockbench-*"))


def a_program(file: Path, body: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


@pytest.fixture(name="path")
def path_fixture(lockbench: Program) -> dict[str, str]:
    """An environment in which the command `greet` is on the PATH."""
    a_program(lockbench.folder / "tools/lockbench-greet", 'echo "greets $*"; exit 7')
    return {**os.environ, "PATH": f"{lockbench.folder / 'tools'}:{os.environ['PATH']}"}


def test_a_program_on_the_path_is_a_command(lockbench: Program, path: dict[str, str]) -> None:
    done = lockbench.run("greet", "a b", "--loud", env=path)
    assert (done.returncode, done.stdout, done.stderr) == (7, "greets a b --loud\n", "")
    assert lockbench.run("help", "greet", env=path).stdout == "greets --help\n"


def test_the_help_lists_commands_on_the_path(lockbench: Program, path: dict[str, str]) -> None:
    heading, _, rest = lockbench.run("--help", env=path).stdout.partition("On the PATH:\n")
    assert "Upkeep" in heading
    assert rest.splitlines()[0].split() == ["greet", "lockbench-greet,", "on", "the", "PATH"]
    assert "did you mean 'greet'?" in lockbench.run("gret", env=path).stderr


def test_a_command_of_lockbench_is_not_taken_from_the_path(
    lockbench: Program, path: dict[str, str]
) -> None:
    a_program(lockbench.folder / "tools/lockbench-list", "echo not this one")
    assert lockbench.run("list", "targets", env=path).stdout.startswith("Targets")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_each_program_describes_itself_and_has_its_commands(
    lockbench: Program, program: Path
) -> None:
    done = subprocess.run([program, "--describe"], capture_output=True, text=True, check=True)
    described = json.loads(done.stdout)
    assert set(described) == {"commands", "adds"} and described["commands"]
    for command in described["commands"]:
        shown = lockbench.run(command["name"], "--help")
        assert (shown.returncode, shown.stderr) == (0, "")
        assert f"lockbench {command['name']}" in shown.stdout.replace("\n", " ")


def test_a_description_that_was_not_written_is_no_success() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([PROGRAMS[0], "--describe"], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1 and b"could not be written" in done.stderr


def test_a_program_that_is_missing_is_named(lockbench: Program) -> None:
    alone = installed_at(lockbench.folder / "alone")
    done = subprocess.run([alone, "observ"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    first, missing = done.stderr.splitlines()
    assert first.startswith("lockbench: unknown command 'observ'")
    assert all(program.name in missing for program in PROGRAMS)
    assert "cmake --build --preset release" in missing
    done = subprocess.run([alone, "stress"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("lockbench: 'stress' needs lockbench-stress, which is not here")


def test_a_program_that_answers_wrongly_is_left_out(lockbench: Program) -> None:
    alone = installed_at(lockbench.folder / "alone")
    commands = alone.parent / "commands"
    a_program(commands / "lockbench-crash", "kill -9 $$")
    a_program(commands / "lockbench-text", "echo commands")
    a_program(commands / "lockbench-other", """echo '{"commands": [{"name": 7}], "adds": {}}'""")
    good = '{"commands": [{"name": "greet", "group": "decide", "summary": "Greets"}], "adds": {}}'
    a_program(commands / "lockbench-good", f"""[ "$1" = greet ] && echo hello || echo '{good}'""")
    shown = subprocess.run([alone, "--help"], capture_output=True, text=True, check=True)
    assert (shown.stderr, shown.stdout.count("Greets")) == ("", 1)
    greeted = subprocess.run([alone, "greet"], capture_output=True, text=True, check=True)
    assert greeted.stdout == "hello\n"
