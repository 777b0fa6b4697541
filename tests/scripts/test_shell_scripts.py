"""The set-up scripts parse, explain themselves, and install only what is missing.

No test installs anything: the scripts run with a PATH that holds stand-ins for the package tools,
which write down how they were called.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
COMMANDS = [CHECKOUT / "scripts/demo.sh", CHECKOUT / "scripts/test.sh"]
SCRIPTS = [*COMMANDS, CHECKOUT / "scripts/prepare.sh", CHECKOUT / ".ci/run"]
BASH = shutil.which("bash") or "/bin/bash"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_the_script_parses(script: Path) -> None:
    subprocess.run([BASH, "-n", script], check=True)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck_finds_nothing() -> None:
    found = subprocess.run(
        ["shellcheck", "-x", *SCRIPTS], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout) == (0, "")


@pytest.mark.parametrize("script", COMMANDS, ids=lambda path: path.name)
def test_help_is_given_from_any_directory(script: Path, tmp_path: Path) -> None:
    given = subprocess.run([script, "--help"], cwd=tmp_path, capture_output=True, text=True)
    assert given.returncode == 0
    assert given.stdout.startswith(f"Usage: ./scripts/{script.name}")


@pytest.mark.parametrize("script", COMMANDS, ids=lambda path: path.name)
def test_an_unknown_argument_is_named_and_ends_with_2(script: Path) -> None:
    given = subprocess.run([script, "--fast"], capture_output=True, text=True)
    assert given.returncode == 2
    assert given.stdout == ""
    assert "'--fast'" in given.stderr and "--help" in given.stderr


@pytest.mark.parametrize("script", [*COMMANDS, CHECKOUT / ".ci/run"], ids=lambda path: path.name)
def test_a_command_can_be_run_as_it_is_checked_out(script: Path) -> None:
    assert os.access(script, os.X_OK)


def test_ci_runs_the_test_script(tmp_path: Path) -> None:
    for name, text in {
        ".ci/run": (CHECKOUT / ".ci/run").read_text(encoding="utf-8"),
        "scripts/test.sh": "#!/bin/sh\npwd\nexit 7\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    given = subprocess.run([tmp_path / ".ci/run"], cwd="/", capture_output=True, text=True)
    assert (given.returncode, given.stdout.strip()) == (7, str(tmp_path))


@dataclass
class Machine:
    """A machine as far as ensure_packages can see it."""

    folder: Path
    installed: list[str] = field(default_factory=list)
    user_id: int = 0
    sudo: bool = True
    dpkg: bool = True
    update_works: bool = True
    install_works: bool = True

    def ensure(self, *packages: str) -> subprocess.CompletedProcess[str]:
        """Runs `ensure_packages packages…` on this machine."""
        self._stand_in("id", f"echo {self.user_id}")
        self._stand_in("env", 'while [[ "$1" == *=* ]]; do shift; done; exec "$@"')
        update, install = (0 if works else 100 for works in (self.update_works, self.install_works))
        self._stand_in("apt-get", f'[[ " $* " != *" update "* ]] || exit {update}; exit {install}')
        if self.dpkg:
            known = " ".join(self.installed)
            self._stand_in("dpkg-query", f'[[ " {known} " == *" ${{@: -1}} "* ]] && echo installed')
        if self.sudo:
            self._stand_in("sudo", 'exec "$@"')
        return subprocess.run(
            [BASH, "-euo", "pipefail", "-c", 'source "$0"; ensure_packages "$@"']
            + [str(CHECKOUT / "scripts/prepare.sh"), *packages],
            env={"PATH": str(self.folder)},
            capture_output=True,
            text=True,
        )

    def calls(self, name: str) -> list[str]:
        """How a stand-in was called, a call a line."""
        log = self.folder / f"{name}.calls"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def _stand_in(self, name: str, body: str) -> None:
        path = self.folder / name
        log = self.folder / f"{name}.calls"
        path.write_text(f'#!{BASH}\necho "$*" >>"{log}"\n{body}\n', encoding="utf-8")
        path.chmod(0o755)


def test_nothing_is_installed_or_updated_when_nothing_is_missing(tmp_path: Path) -> None:
    machine = Machine(tmp_path, installed=["cmake", "python3"], user_id=1000)
    given = machine.ensure("cmake", "python3")
    assert (given.returncode, given.stdout, given.stderr) == (0, "", "")
    assert not machine.calls("apt-get") and not machine.calls("sudo")


def test_root_installs_what_is_missing_and_no_more(tmp_path: Path) -> None:
    machine = Machine(tmp_path, installed=["cmake"])
    given = machine.ensure("cmake", "ninja-build", "python3")
    assert given.returncode == 0
    assert "ninja-build python3" in given.stdout
    update, install = machine.calls("apt-get")
    assert "update" in update
    assert install.endswith("ninja-build python3")
    assert "--no-install-recommends" in install and "cmake" not in install
    assert not machine.calls("sudo")


def test_a_user_with_sudo_is_told_what_will_be_installed(tmp_path: Path) -> None:
    machine = Machine(tmp_path, user_id=1000)
    given = machine.ensure("cmake")
    assert given.returncode == 0
    assert "cmake" in given.stdout and "sudo" in given.stdout
    assert len(machine.calls("sudo")) == len(machine.calls("apt-get")) == 2


def test_a_user_without_sudo_is_told_what_root_must_run(tmp_path: Path) -> None:
    machine = Machine(tmp_path, user_id=1000, sudo=False)
    given = machine.ensure("cmake", "ninja-build")
    assert given.returncode == 1
    assert "apt-get install --no-install-recommends cmake ninja-build" in given.stderr
    assert not machine.calls("apt-get")


def test_lists_that_cannot_be_updated_do_not_stop_the_installation(tmp_path: Path) -> None:
    machine = Machine(tmp_path, update_works=False)
    assert machine.ensure("cmake").returncode == 0
    assert len(machine.calls("apt-get")) == 2


def test_a_failed_installation_ends_the_script(tmp_path: Path) -> None:
    given = Machine(tmp_path, install_works=False).ensure("cmake")
    assert given.returncode == 1
    assert "could not be installed" in given.stderr


def test_another_system_is_told_what_is_needed_and_left_alone(tmp_path: Path) -> None:
    machine = Machine(tmp_path, dpkg=False)
    given = machine.ensure("cmake", "ninja-build")
    assert given.returncode == 0
    assert "cmake ninja-build" in given.stdout
    assert not machine.calls("apt-get")
