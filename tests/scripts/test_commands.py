# SPDX-License-Identifier: Apache-2.0
"""demo.sh and test.sh call the right tools in the right order, and end as they should."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from machine import Machine
from support import ROOT

SUMMARY = "100% tests passed, 0 tests failed out of 3"


@pytest.fixture(name="machine")
def machine_fixture(tmp_path: Path) -> Machine:
    """A machine with all packages, where every build works and every test passes."""
    machine = Machine(tmp_path)
    machine.pretend_installed()
    pretend_cmake(machine)
    pretend_lockbench(machine)
    machine.pretend("ctest", f'echo "{SUMMARY}"')
    machine.pretend("setarch", 'shift 2; exec "$@"')
    return machine


def pretend_cmake(machine: Machine, version: str = "3.25.1", fails_on: str = "never") -> None:
    answer = f'[[ "$1" != --version ]] || echo "cmake version {version}"'
    machine.pretend("cmake", f'{answer}\n[[ " $* " != *" {fails_on} "* ]]')


def pretend_lockbench(machine: Machine, on_run: str = "") -> None:
    """As if it had been built: `run` makes the folder, does `on_run`, and `plot` draws."""
    body = f"""case "$1" in
  run) mkdir -p "${{@: -1}}"; {on_run or ":"} ;;
  plot) : >"$2/throughput.png" ;;
  report) : >"$2/report.html" ;;
esac"""
    machine.pretend("lockbench", body)
    built = machine.checkout / "build/release"
    built.mkdir(parents=True, exist_ok=True)
    (machine.tools / "lockbench").rename(built / "lockbench")


def run_script(machine: Machine, name: str, *words: str) -> "subprocess.CompletedProcess[str]":
    return machine.run(str(machine.checkout / "scripts" / name), *words)


def test_demo_builds_measures_draws_and_says_where_to_look(machine: Machine) -> None:
    given = run_script(machine, "demo.sh")
    assert given.returncode == 0, given.stderr
    assert [call.split()[1] for call in machine.calls("lockbench")] == [
        "run",
        "plot",
        "report",
    ]
    run_folder = machine.calls("lockbench run")[0].split()[-1]
    assert f"{run_folder}/throughput.png" in given.stdout
    assert f"{run_folder}/trials.csv" in given.stdout
    assert f"{run_folder}/report.html" in given.stdout
    assert (machine.checkout / run_folder).is_dir()
    assert str(machine.checkout) not in given.stdout
    # It builds lockbench alone of the targets, which needs no package of the tests.
    (build,) = machine.calls("cmake --build")
    assert build.endswith("--target lockbench")
    assert machine.calls("cmake --preset")[-1].endswith("-DBUILD_TESTING=OFF")


def test_demo_leaves_a_configured_folder_as_it_is(machine: Machine) -> None:
    (machine.checkout / "build/release/build.ninja").touch()
    run_script(machine, "demo.sh")
    assert "-DBUILD_TESTING" not in " ".join(machine.calls("cmake --preset"))


def test_demo_stops_at_what_fails(machine: Machine) -> None:
    pretend_cmake(machine, fails_on="--build")
    assert run_script(machine, "demo.sh").returncode != 0
    assert not machine.calls("lockbench")


def test_demo_interrupted_says_what_is_kept(machine: Machine) -> None:
    # lockbench takes the signal itself, finishes its row and exits with 130.
    pretend_lockbench(
        machine, 'trap "exit 130" INT; echo ready; for _ in {1..6000}; do sleep 0.01; done'
    )
    (machine.tools / "sleep").symlink_to("/bin/sleep")
    process = machine.start(str(machine.checkout / "scripts/demo.sh"))
    assert process.stdout is not None
    while process.stdout.readline() != "ready\n":
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "kept in results/runs/demo-" in out
    assert not machine.calls("lockbench plot")


@pytest.mark.parametrize("version", ["3.9.6", "3.22.1"])
def test_an_old_cmake_is_told_what_would_be_right(machine: Machine, version: str) -> None:
    pretend_cmake(machine, version=version)
    given = run_script(machine, "demo.sh")
    assert given.returncode == 1
    assert version in given.stderr and "3.25 or newer" in given.stderr


@pytest.mark.parametrize("version", ["3.25.0", "3.100.0", "4.0.1"])
def test_a_cmake_that_is_new_enough_is_used(machine: Machine, version: str) -> None:
    pretend_cmake(machine, version=version)
    assert run_script(machine, "demo.sh").returncode == 0


def test_tests_end_with_the_summary_of_the_release_build(machine: Machine) -> None:
    given = run_script(machine, "test.sh")
    assert given.returncode == 0, given.stderr
    assert given.stdout.endswith(SUMMARY + "\n")
    assert [call.split()[2] for call in machine.calls("ctest")] == ["asan", "tsan", "release"]
    asan, tsan, release = machine.calls("ctest")
    assert "--label-regex sanitize" in asan and "--label-regex sanitize" in tsan
    assert "--label-regex" not in release
    assert all("--no-tests=error" in call for call in (asan, tsan, release))
    assert "-DLOCKBENCH_WERROR=ON" in machine.calls("cmake --preset release")[0]


def test_long_tests_run_if_asked_for(machine: Machine) -> None:
    run_script(machine, "test.sh")
    assert all("--label-exclude ^(long|services)$" in call for call in machine.calls("ctest"))
    run_script(machine, "test.sh", "--long")
    assert all("--label-exclude" not in call for call in machine.calls("ctest")[3:])
    assert len(machine.calls("ctest")) == 6


def test_sanitized_programs_run_with_a_fixed_layout(machine: Machine) -> None:
    run_script(machine, "test.sh")
    fixed = [call.split()[3] for call in machine.calls("setarch x86_64 -R")]
    assert fixed == ["true", "cmake", "ctest", "cmake", "ctest"]


@pytest.mark.parametrize(
    ("bits", "presets"), [(28, ["asan", "tsan", "release"]), (32, ["release"])]
)
def test_without_a_fixed_layout_the_kernel_decides_whether_sanitizers_run(
    machine: Machine, bits: int, presets: list[str]
) -> None:
    machine.pretend("setarch", "exit 1")
    machine.pretend("cat", f"echo {bits}", noted=False)
    given = run_script(machine, "test.sh")
    assert [call.split()[2] for call in machine.calls("ctest")] == presets
    assert given.returncode == (0 if "asan" in presets else 1)
    assert f"vm.mmap_rnd_bits is {bits}" in given.stdout


@pytest.mark.parametrize("preset", ["asan", "tsan", "release"])
def test_a_failing_preset_fails_the_whole_but_stops_no_other(machine: Machine, preset: str) -> None:
    machine.pretend("ctest", f'[[ "$2" != {preset} ]]')
    given = run_script(machine, "test.sh")
    assert given.returncode == 1
    assert preset in given.stdout.splitlines()[-1]
    assert len(machine.calls("ctest")) == 3


def test_a_build_that_fails_still_runs_the_tests_that_were_built(machine: Machine) -> None:
    pretend_cmake(machine, fails_on="0")  # of `-k 0`: the release build
    given = run_script(machine, "test.sh")
    assert given.returncode == 1
    assert given.stdout.splitlines()[-2:] == [SUMMARY, "Failed: build release"]


def test_the_slowest_sources_and_tests_are_named_and_the_tests_counted(tmp_path: Path) -> None:
    log = ["# ninja log v5"] + [
        f"0\t{1000 * i}\t0\tharness/source_{i}.cc.o\tabc" for i in range(30)
    ]
    (tmp_path / ".ninja_log").write_text("\n".join(log) + "\n", encoding="utf-8")
    states = [("slow_test", "run", 9.5), ("broken_test", "fail", 1), ("absent_test", "notrun", 0)]
    cases = "".join(f'<testcase name="{n}" status="{s}" time="{t}"/>' for n, s, t in states)
    (tmp_path / "tests.xml").write_text(f"<testsuite>{cases}</testsuite>", encoding="utf-8")
    script = ROOT / "scripts/maintain/slowest.py"
    given = subprocess.run(
        [sys.executable, script, tmp_path, tmp_path / "tests.xml"],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = given.stdout.splitlines()
    assert "    29.0 s  harness/source_29.cc.o" in lines
    assert not any("source_9.cc.o" in line for line in lines)  # beyond the 20 slowest
    assert lines.index("     9.5 s  slow_test") < lines.index("     1.0 s  broken_test")
    assert lines[-1] == "1 passed, 1 failed, 1 skipped"
