# SPDX-License-Identifier: Apache-2.0
"""`lockbench trial --flamegraph`: with a `perf` that says what a test wants, and with the real one
where there is one."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from installation import ROOT
from program import Program, wait_until

# A trial as a run keeps it.
META = ROOT / "results" / "reference" / "xeon-2vcpu" / "quick" / "meta.json"
TRIAL = json.loads(META.read_text(encoding="utf-8"))["plan"]["trials"][0]
PRINTED = "77\n\t  2f lockbench::work (/opt/lockbench)\n\t  1f main (/opt/lockbench)\n\n"
# Runs the command after --, as perf does; what it records is what it will print.
RECORDS = """while [ $# -gt 0 ]; do
  case "$1" in --output) cat perf.txt >"$2";; --) shift; break;; esac
  shift
done
exec "$@"
"""
PRINTS = 'cat "$3"; exit\n'  # script --input FILE


def with_perf(folder: Path, record: str, script: str = PRINTS) -> dict[str, str]:
    """The environment of a machine whose perf does this."""
    programs = folder / "bin"
    programs.mkdir()
    perf = programs / "perf"
    body = f'#!/bin/sh\nif [ "$1" = script ]; then\n{script}fi\n{record}'
    perf.write_text(body, encoding="utf-8")
    perf.chmod(perf.stat().st_mode | stat.S_IXUSR)
    (folder / "perf.txt").write_text(PRINTED, encoding="utf-8")
    path = f"{programs}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "LOCKBENCH_PYTHON": sys.executable}


def measured(lockbench: Program, *words: str, **how: Any) -> subprocess.CompletedProcess[str]:
    trial = lockbench.folder / "trial.json"
    trial.write_text(json.dumps(TRIAL), encoding="utf-8")
    with trial.open(encoding="utf-8") as stdin:
        return lockbench.run("trial", *words, stdin=stdin, **how)


def test_the_sample_is_printed_and_the_stacks_are_drawn(lockbench: Program) -> None:
    env = with_perf(lockbench.folder, RECORDS)
    done = measured(lockbench, "--flamegraph", "keyed.svg", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["outcome"] == "ok"
    picture = (lockbench.folder / "keyed.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(picture)
    assert "Processor time of keyed" in picture and "keyed, counter, 2 threads, 64 keys" in picture
    assert "<title>lockbench::work: 100.0 % (1 of 1 samples)</title>" in picture


def test_a_run_s_primitive_is_drawn_with_its_stacks_beside_it(lockbench: Program) -> None:
    env = with_perf(lockbench.folder, RECORDS)
    words = ["flamegraph", str(META.parent), "--primitive", "stri.*", "--where", "keys=1"]
    words += ["--out", "striped.svg"]
    done = lockbench.run(*words, env=env)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "striped.svg\nstriped.folded\n"
    assert "flamegraph: striped:stripes=64, counter, threads 8, keys 1\n" in done.stderr
    assert "Processor time of striped:stripes=64" in (lockbench.folder / "striped.svg").read_text()
    assert (lockbench.folder / "striped.folded").read_text() == "main;lockbench::work 1\n"


def test_a_primitive_that_a_run_lacks_is_named(lockbench: Program) -> None:
    words = ("flamegraph", str(META.parent), "--primitive", "nowhere")
    lockbench.refuse(*words, said=("primitive=nowhere: no cell",))


@pytest.mark.parametrize(
    "record, script, code, told",
    [
        ("echo 'Access is limited.' >&2; exit 255\n", "", 2, "2 or less is needed"),
        (RECORDS, "echo 'no such data' >&2; exit 3\n", 1, "exit code 3: no such data"),
        (RECORDS, "exit\n", 1, "perf took no sample"),
    ],
)
def test_what_perf_cannot_do_is_said_and_no_picture_written(
    lockbench: Program, record: str, script: str, code: int, told: str
) -> None:
    env = with_perf(lockbench.folder, record, script)
    done = measured(lockbench, "--flamegraph", "keyed.svg", env=env)
    assert done.returncode == code and told in done.stderr
    assert done.stderr.startswith("lockbench trial: --flamegraph: ")
    assert done.stderr.count("\n") == 1
    assert bool(done.stdout) == (code == 1)  # what was measured is not lost
    assert not (lockbench.folder / "keyed.svg").exists()


def test_without_perf_the_error_names_the_package(lockbench: Program) -> None:
    env = {**os.environ, "PATH": str(lockbench.folder), "LOCKBENCH_PYTHON": sys.executable}
    done = measured(lockbench, "--flamegraph", "keyed.svg", env=env)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no program perf is on the PATH; install linux-perf" in done.stderr


def test_a_picture_in_no_folder_is_refused_before_the_trial(lockbench: Program) -> None:
    done = measured(lockbench, "--flamegraph", "nowhere/keyed.svg")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nowhere' is no folder" in done.stderr and done.stderr.count("\n") == 1


def test_an_interrupted_one_leaves_neither_processes_nor_files(lockbench: Program) -> None:
    # The first recording is the one that shows whether perf may record.
    record = (
        'for last; do :; done\n[ "$last" = true ] && exit\necho $$ >hung; exec tail -f /dev/null\n'
    )
    env = with_perf(lockbench.folder, record)
    env["TMPDIR"] = str(lockbench.folder / "tmp")
    (lockbench.folder / "tmp").mkdir()
    trial = lockbench.folder / "trial.json"
    trial.write_text(json.dumps(TRIAL), encoding="utf-8")
    hung = lockbench.folder / "hung"
    with trial.open(encoding="utf-8") as stdin:
        process = lockbench.start("trial", "--flamegraph", "k.svg", stdin=stdin, env=env)
    number = wait_until(lambda: hung.exists() and hung.read_text().strip(), "perf does not record")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err == "lockbench trial: --flamegraph: interrupted\n"
    assert not Path(f"/proc/{number}").exists()
    assert list((lockbench.folder / "tmp").iterdir()) == []
    assert not (lockbench.folder / "k.svg").exists()


def records_here() -> bool:
    """True if there is a perf that may record."""
    if shutil.which("perf") is None:
        return False
    words = ["record", "--quiet", "--event", "cpu-clock", "--output", "/dev/null", "--", "true"]
    return subprocess.run(["perf", *words], capture_output=True, check=False).returncode == 0


@pytest.mark.long
@pytest.mark.skipif(not records_here(), reason="no perf here, or it may not record")
def test_the_real_perf_sees_the_measured_loop(lockbench: Program) -> None:
    done = measured(lockbench, "--flamegraph", "keyed.svg")
    assert (done.returncode, done.stderr) == (0, "")
    picture = (lockbench.folder / "keyed.svg").read_text(encoding="utf-8")
    assert "OperationLoop::run" in picture and "start_thread" in picture
