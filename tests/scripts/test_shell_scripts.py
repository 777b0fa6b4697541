# SPDX-License-Identifier: Apache-2.0
"""The shell scripts parse, explain themselves, and install only what is missing."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from machine import BASH, Machine
from support import ROOT

COMMANDS = [
    ROOT / f"scripts/{name}.sh"
    for name in (
        "demo",
        "test",
        "maintain/suites",
        "maintain/generators",
        "maintain/systems",
        "maintain/kinds_of_cores",
    )
]
CI = ROOT / ".ci/run"
SOURCED = [ROOT / "scripts/prepare.sh", ROOT / "scripts/maintain/engines.sh"]
OTHERS = [ROOT / f"scripts/maintain/{name}.sh" for name in ("bare", "controls", "sanitize")]
SCRIPTS = [*COMMANDS, *OTHERS, *SOURCED, CI]


def name_of(path: Path) -> str:
    return path.name


def run(*command: str | Path, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("script", SCRIPTS, ids=name_of)
def test_the_script_parses(script: Path) -> None:
    assert run(BASH, "-n", script).returncode == 0


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck_finds_nothing() -> None:
    found = run("shellcheck", "-x", *SCRIPTS, cwd=ROOT)
    assert (found.returncode, found.stdout) == (0, "")


@pytest.mark.parametrize("script", [*COMMANDS, CI], ids=name_of)
def test_a_command_can_be_run_as_it_is_checked_out(script: Path) -> None:
    assert os.access(script, os.X_OK)


@pytest.mark.parametrize("script", COMMANDS, ids=name_of)
def test_help_is_given_from_any_directory(script: Path, tmp_path: Path) -> None:
    given = run(script, "--help", cwd=tmp_path)
    assert given.returncode == 0
    assert given.stdout.startswith(f"Usage: ./{script.relative_to(ROOT)}")


@pytest.mark.parametrize("script", COMMANDS, ids=name_of)
def test_an_unknown_argument_is_named_and_ends_with_2(script: Path) -> None:
    given = run(script, "--fast")
    assert (given.returncode, given.stdout) == (2, "")
    assert "'--fast'" in given.stderr and "--help" in given.stderr


def test_ci_runs_the_test_script(tmp_path: Path) -> None:
    for name, text in {
        ".ci/run": CI.read_text(encoding="utf-8"),
        "scripts/test.sh": "#!/bin/sh\npwd\nexit 7\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    given = run(tmp_path / ".ci/run", cwd=Path("/"))
    assert (given.returncode, given.stdout.strip()) == (7, str(tmp_path))


def script_that(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("suites", "code", "table"),
    [
        (("truth",), 0, ["truth 0 passed"]),
        (
            ("long", "truth", "bare"),
            1,
            [
                "long 0 failed: exit 3, build/suites/long.log",
                "truth 0 passed",
                "bare 0 left out: bare.sh: debootstrap is missing",
            ],
        ),
        (
            ("bare", "truth"),
            4,
            ["bare 0 left out: bare.sh: debootstrap is missing", "truth 0 passed"],
        ),
    ],
)
def test_suites_go_on_after_a_failure_and_end_with_a_table(
    suites: tuple[str, ...], code: int, table: list[str], tmp_path: Path
) -> None:
    for name in ("maintain/suites.sh", "prepare.sh"):
        script = script_that(tmp_path / "scripts" / name, "")
        script.write_bytes((ROOT / "scripts" / name).read_bytes())
    script_that(tmp_path / "scripts/test.sh", "echo of the suite; exit 3")
    script_that(tmp_path / "scripts/maintain/truth.sh", "exit 0")
    script_that(
        tmp_path / "scripts/maintain/bare.sh", "echo bare.sh: debootstrap is missing >&2; exit 4"
    )
    given = run(tmp_path / "scripts/maintain/suites.sh", *suites, cwd=Path("/"))
    lines = [" ".join(line.split()) for line in given.stdout.splitlines()]
    assert (given.returncode, given.stderr) == (code, "")
    assert lines[lines.index("suite minutes result") + 1 :] == table
    if "long" in suites:
        assert (tmp_path / "build/suites/long.log").read_text() == "of the suite\n"


@pytest.fixture(name="machine")
def machine_fixture(tmp_path: Path) -> Machine:
    """A Debian where `cmake` alone is installed and everything works, for root or with sudo."""
    machine = Machine(tmp_path)
    machine.pretend_installed("cmake")
    machine.pretend("apt-get", "")
    machine.pretend("sudo", 'exec "$@"')
    machine.pretend("id", "echo 0", noted=False)
    return machine


def ensure(machine: Machine, *packages: str) -> "subprocess.CompletedProcess[str]":
    command = 'source "$0"; ensure_packages "$@"'
    script = str(machine.checkout / "scripts/prepare.sh")
    return machine.run("-euo", "pipefail", "-c", command, script, *packages)


def test_nothing_is_installed_or_updated_when_nothing_is_missing(machine: Machine) -> None:
    given = ensure(machine, "cmake")
    assert (given.returncode, given.stdout, given.stderr) == (0, "", "")
    assert not machine.calls()


def test_root_installs_what_is_missing_and_no_more(machine: Machine) -> None:
    given = ensure(machine, "cmake", "ninja-build", "python3")
    assert given.returncode == 0
    assert "ninja-build python3" in given.stdout
    update, install = machine.calls()
    assert update.startswith("apt-get update")
    assert install.startswith("apt-get install") and install.endswith(" ninja-build python3")
    assert "--no-install-recommends" in install and "cmake" not in install


def test_a_user_with_sudo_is_told_what_will_be_installed(machine: Machine) -> None:
    machine.pretend("id", "echo 1000", noted=False)
    given = ensure(machine, "ninja-build")
    assert given.returncode == 0
    assert "ninja-build" in given.stdout and "sudo" in given.stdout
    assert len(machine.calls("sudo ")) == len(machine.calls("apt-get ")) == 2


def test_a_user_without_sudo_is_told_what_root_must_run(machine: Machine) -> None:
    machine.pretend("id", "echo 1000", noted=False)
    (machine.tools / "sudo").unlink()
    given = ensure(machine, "cmake", "ninja-build", "python3")
    assert given.returncode == 1
    install = "apt-get install --no-install-recommends ninja-build python3"
    assert f"as root, run: apt-get update && {install}" in given.stderr
    assert not machine.calls()


def test_lists_that_cannot_be_updated_do_not_stop_the_installation(machine: Machine) -> None:
    machine.pretend("apt-get", '[[ "$1" != update ]]')
    assert ensure(machine, "ninja-build").returncode == 0
    assert machine.calls()[-1].startswith("apt-get install")


def test_a_failed_installation_ends_the_script(machine: Machine) -> None:
    machine.pretend("apt-get", '[[ "$1" == update ]]')
    given = ensure(machine, "ninja-build")
    assert given.returncode == 1
    assert "could not be installed" in given.stderr


def test_another_system_is_told_what_is_needed_and_left_alone(machine: Machine) -> None:
    (machine.tools / "dpkg-query").unlink()
    given = ensure(machine, "cmake", "ninja-build")
    assert given.returncode == 0
    assert "cmake ninja-build" in given.stdout
    assert not machine.calls()
