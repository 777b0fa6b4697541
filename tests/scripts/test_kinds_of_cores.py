# SPDX-License-Identifier: Apache-2.0
"""kinds_of_cores.sh, with a lockbench that only writes down what it is asked for."""

from __future__ import annotations

import json
import subprocess
import tarfile
from pathlib import Path

import pytest
from machine import BASH
from support import ROOT

SCRIPT = ROOT / "scripts/maintain/kinds_of_cores.sh"
FAKE = """#!/bin/sh
echo "$@" >>"$FAKE/calls"
for last; do :; done
[ "$1" != "${FAILS%% *}" ] || case "$last" in *"${FAILS#* }") exit 1 ;; esac
case "$1 $2" in
  "doctor --format") cat "$FAKE/doctor.json"; exit 3 ;;
  "doctor ") echo "1 problem"; exit 3 ;;
  "run --resume") exit 0 ;;
  run*) mkdir -p "$last" && touch "$last/meta.json" "$last/trials.csv"
    [ "$(basename "$last")" != "$STOPS" ] || { kill -INT "$PPID"; exit 130; } ;;
  report*) touch "$last" ;;
esac
"""


class Lab:
    """The script, and what it asked lockbench for."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.out = folder, folder / "out"
        (folder / "build").mkdir()
        program = folder / "build/lockbench"
        program.write_text(FAKE, encoding="utf-8")
        program.chmod(0o755)
        self.has("fast", "slow")

    def has(self, *kinds: str) -> None:
        """The kinds of cores that the machine has."""
        found = [{"kind": kind, "usable_threads": 2} for kind in kinds]
        machine = {"core_kinds": found} if kinds else {}
        (self.folder / "doctor.json").write_text(json.dumps({"machine": machine}))

    def run(self, fails: str = "", stops: str = "") -> "subprocess.CompletedProcess[str]":
        """`fails`: a command, and how its last argument ends; `stops`: a run that Ctrl-C ends."""
        (self.folder / "calls").write_text("")
        given = {"FAKE": str(self.folder), "LOCKBENCH_BUILD": f"{self.folder}/build"}
        environment = {**given, "FAILS": fails, "STOPS": stops, "PATH": "/usr/bin:/bin"}
        return subprocess.run(
            [BASH, SCRIPT, "--out", self.out],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def calls(self) -> list[str]:
        every = (self.folder / "calls").read_text(encoding="utf-8").splitlines()
        return [call.replace(f"{self.out}/", "") for call in every]

    @property
    def packed(self) -> set[str]:
        with tarfile.open(f"{self.out}.tar.gz") as archive:
            return {name.removeprefix("out/") for name in archive.getnames()}


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


@pytest.mark.parametrize("kinds", [(), ("slow",)])
def test_cores_of_one_kind_are_left_out(lab: Lab, kinds: tuple[str, ...]) -> None:
    lab.has(*kinds)
    given = lab.run()
    assert given.returncode == 4 and "one kind of cores" in given.stderr
    assert lab.calls == ["doctor --format json"]
    assert not lab.out.exists() and not Path(f"{lab.out}.tar.gz").exists()


def test_each_part_is_measured_and_packed(lab: Lab) -> None:
    given = lab.run()
    assert (given.returncode, given.stderr) == (0, "")
    _, _, speed, hybrid, none, report = lab.calls
    assert "--pinning=kind:fast --pinning=kind:slow" in speed and speed.endswith("--out speed")
    assert hybrid == "run hybrid --out hybrid"
    assert none == "run hybrid --pinning none --out none"
    assert report == "report speed hybrid none --out report.html"
    assert lab.packed >= {"doctor.txt", "doctor.json", "kernel.txt", "report.html"}
    assert lab.packed >= {f"{name}/trials.csv" for name in ("speed", "hybrid", "none")}


def test_every_kind_of_the_machine_is_measured(lab: Lab) -> None:
    lab.has("fast", "middle", "slow")
    lab.run()
    assert "--pinning=kind:fast --pinning=kind:middle --pinning=kind:slow" in lab.calls[2]


def test_a_part_that_fails_is_named_and_the_others_are_packed(lab: Lab) -> None:
    given = lab.run(fails="run hybrid")
    assert given.returncode == 1 and "hybrid: exit 1" in given.stderr
    assert lab.calls[-1] == "report speed none --out report.html"
    assert {"speed/trials.csv", "report.html"} < lab.packed


def test_what_was_measured_before_ctrl_c_is_packed_and_the_same_command_continues(
    lab: Lab,
) -> None:
    given = lab.run(stops="hybrid")
    assert given.returncode == 130 and f"--out {lab.out}" in given.stdout
    assert "none" not in " ".join(lab.calls)
    assert {"speed/trials.csv", "hybrid/trials.csv"} < lab.packed
    assert lab.run().returncode == 0
    assert lab.calls[2:5] == [
        "run --resume speed",
        "run --resume hybrid",
        "run hybrid --pinning none --out none",
    ]
