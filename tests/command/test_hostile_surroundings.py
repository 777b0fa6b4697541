# SPDX-License-Identifier: Apache-2.0
"""A run holds its own whatever it is started from."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess

import pytest

from program import Program, assert_complete, rows_of, wait_until
from surroundings import CALLS, refusing

FIXED = ("--primitive", "global", "--threads", "1", "--mode", "fixed", "--operations", "1")
FILE_LOCKS = ("file", "file:form=directory", "file_flock", "file_ofd", "file_robust_mutex")
RUN = ("run", *FIXED, "--hold", "sleep:10ms", "--blocks", "12", "--out", "out")


def in_shell(lockbench: Program, script: str, *words: str) -> int:
    """Runs the program as `"$@"` of a shell script; its exit code."""
    process = lockbench.start(
        "-c", script, "sh", str(lockbench.binary), *words, executable="/bin/sh"
    )
    process.communicate()
    code: int = process.returncode
    return code


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_do_not_end_up_in_the_rows(lockbench: Program, closed: str) -> None:
    # A summary that cannot be written is an error; the rows are there.
    code = 1 if ">&-" in closed.replace("2>&-", "") else 0
    assert in_shell(lockbench, f'exec "$@" {closed}', *RUN, "--progress", "bar") == code
    assert_complete(lockbench.folder / "out", 12)
    assert "trials," not in (lockbench.folder / "out" / "trials.csv").read_text(encoding="utf-8")


def test_a_newer_build_in_its_place_does_not_mix_with_a_run(lockbench: Program) -> None:
    copy = lockbench.folder / "lockbench"
    shutil.copy(lockbench.binary, copy)
    replacement = lockbench.folder / "newer"
    replacement.write_text("#!/bin/sh\nexit 9\n", encoding="utf-8")
    replacement.chmod(0o755)
    out = lockbench.folder / "out"
    process = Program(lockbench.folder, copy).start(*RUN)
    wait_until(lambda: rows_of(out), "no rows")
    os.replace(replacement, copy)
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert_complete(out, 12)
    assert {row["outcome"] for row in rows_of(out)} == {"ok"}


def test_ignored_deaths_of_children_are_seen_all_the_same(lockbench: Program) -> None:
    # Were the death of `false` not seen, it would pass for a Python that has what plot needs.
    ignoring = 'trap "" CHLD; LOCKBENCH_PYTHON=false exec "$@"'
    assert in_shell(lockbench, ignoring, "plot", "nowhere") == 2


@pytest.mark.parametrize("words", [("list",), ("run", "quick", "--dry-run"), ("--help",)])
def test_output_that_cannot_be_written_is_an_error(
    lockbench: Program, words: tuple[str, ...]
) -> None:
    for output in (">/dev/full", ">&-"):
        script = f'exec "$@" {output}'
        sh = ("-c", script, "sh", str(lockbench.binary))
        done = lockbench.run(*sh, *words, executable="/bin/sh")
        assert done.returncode == 1, output
        assert done.stderr.count("\n") == 1
        assert "standard output" in done.stderr


@pytest.mark.parametrize("style", ["text", "csv"])
def test_an_answer_that_cannot_be_written_is_an_error_and_its_rows_are_kept(
    lockbench: Program, style: str
) -> None:
    plan = "--primitive global --threads 1 --blocks 1 --mode fixed --operations 10 --patience 0"
    words = ("run", *plan.split(), "--format", style, "--out", "out")
    with open("/dev/full", "w", encoding="utf-8") as full:
        assert lockbench.run(*words, stdout=full, summary=True).returncode == 1
    assert lockbench.run("compare", "out").returncode == 0


@pytest.mark.parametrize("words", [("list",), ("list", "presets", "--show", "quick")])
def test_a_reader_that_has_gone_is_no_error(lockbench: Program, words: tuple[str, ...]) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    # Without the signal, the program itself has to find out.
    done = lockbench.run(*words, stdout=theirs, restore_signals=False)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_preset_of_an_endless_name_still_gets_a_folder(lockbench: Program) -> None:
    plan = lockbench.folder / ("x" * 240 + ".toml")
    plan.write_text(
        'title = "x"\nprimitive = "keyed"\nblocks = 1\nmode = "fixed"\noperations = 1\n'
    )
    done = lockbench.run("run", plan.name)
    assert done.returncode == 0, done.stderr
    (out,) = (lockbench.folder / "results" / "runs").iterdir()
    assert_complete(out, 1)


# A namespace of one's own, in which a small file system can be mounted.
IN_NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount")


def namespaces_are_permitted() -> bool:
    if shutil.which(IN_NAMESPACE[0]) is None:
        return False
    words = [*IN_NAMESPACE, "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not namespaces_are_permitted(), reason="needs user namespaces")
def test_a_full_disk_does_not_kill_the_locks_in_files(lockbench: Program) -> None:
    # Room for the names of files, and none for what they hold.
    script = """
        mount -t tmpfs -o size=16k none /mnt && export TMPDIR=/mnt || exit 9
        cat /dev/zero >/mnt/filler 2>/dev/null
        exec "$@"
    """
    primitives = [word for name in FILE_LOCKS for word in ("--primitive", name)]
    process = lockbench.start(
        *(*IN_NAMESPACE[1:], "sh", "-c", script, "sh", str(lockbench.binary)),
        *("run", *primitives, "--workload", "counter", "--threads", "1", "--mode", "fixed"),
        *("--operations", "5", "--blocks", "1", "--out", "out"),
        executable=shutil.which(IN_NAMESPACE[0]),
    )
    _, err = process.communicate(timeout=60)
    assert process.returncode in (0, 4), err
    rows = {row["primitive"]: row for row in rows_of(lockbench.folder / "out")}
    # Waiters go without the words that wake them.
    assert rows["file"]["valid"] == "true", rows["file"]
    # A lock that cannot do without a file of its own says so.
    assert rows["file_robust_mutex"]["outcome"] == "failed"
    assert "No space left on device" in rows["file_robust_mutex"]["reason"]


def test_code_in_the_current_folder_is_not_run(lockbench: Program) -> None:
    ran = lockbench.folder / "ran"
    for module in ("importlib", "pandas", "jinja2", "matplotlib", "scipy", "numpy"):
        (lockbench.folder / module).mkdir()
        (lockbench.folder / module / "__init__.py").write_text(
            f"open({str(ran)!r}, 'w').close()\n", encoding="utf-8"
        )
    for words in (("doctor",), ("compare", "nowhere"), ("plot", "nowhere"), ("report", "nowhere")):
        lockbench.run(*words)
    assert not ran.exists()


def test_a_python_that_hangs_is_given_up(lockbench: Program) -> None:
    python = lockbench.folder / "python3"
    python.write_text("#!/bin/sh\nexec >&- 2>&-\nsleep 1000\n", encoding="utf-8")
    python.chmod(0o755)
    done = lockbench.run("plot", "x", env={**os.environ, "LOCKBENCH_PYTHON": str(python)})
    assert done.returncode in (1, 2)
    assert "cannot be run or lacks one of" in done.stderr


@pytest.mark.parametrize("device", ["/dev/zero", None], ids=["endless", "fifo"])
@pytest.mark.parametrize("name", ["plan.toml", "meta.json", "trials.csv", "latency.csv"])
def test_what_is_not_a_file_neither_hangs_nor_fills_the_memory(
    lockbench: Program, name: str, device: str | None
) -> None:
    assert lockbench.run("run", *FIXED, "--blocks", "1", "--out", "out").returncode == 0
    # All files of a run are read only if it goes on.
    meta = lockbench.folder / "out" / "meta.json"
    meta.write_text(meta.read_text(encoding="utf-8").replace('"finished"', '"running"'))
    path = lockbench.folder / ("out" if name != "plan.toml" else ".") / name
    path.unlink(missing_ok=True)
    if device is None:
        os.mkfifo(path)
    else:
        path.symlink_to(device)
    words = ("plan.toml",) if name == "plan.toml" else ("--resume", "out")
    done = lockbench.run("run", *words)
    assert done.returncode in (1, 2), done
    assert done.stderr.count("\n") == 1, done.stderr


def test_scripts_take_an_interpreter_by_its_name(lockbench: Program) -> None:
    path = lockbench.folder / "tools"
    path.mkdir()
    (path / "my-python").write_text("#!/bin/sh\necho called\n", encoding="utf-8")
    (path / "my-python").chmod(0o755)
    done = lockbench.run("plot", "x", env={"PATH": str(path), "LOCKBENCH_PYTHON": "my-python"})
    assert (done.returncode, done.stdout) == (0, "called\n")


known_calls = pytest.mark.skipif(not CALLS, reason="system calls have other numbers here")


@known_calls
@pytest.mark.parametrize("primitive, workload", [("global", "counter"), ("file", "file_counter")])
def test_a_kernel_that_refuses_to_place_workers_is_named_and_measured_on(
    lockbench: Program, primitive: str, workload: str
) -> None:
    words = ("--primitive", primitive, "--workload", workload, "--threads", "1,2", "--keys", "1")
    process = lockbench.start(
        *("run", *words, "--mode", "fixed", "--blocks", "1", "--out", "out"),
        preexec_fn=refusing("sched_setaffinity"),
    )
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert err.count("the kernel refuses sched_setaffinity") == 1
    assert {row["outcome"] for row in rows_of(lockbench.folder / "out")} == {"ok"}


@known_calls
def test_doctor_names_the_call_that_the_kernel_refuses(lockbench: Program) -> None:
    done = lockbench.run("doctor", preexec_fn=refusing("sched_setaffinity"))
    assert "the kernel refuses sched_setaffinity: Operation not permitted" in done.stdout


@known_calls
def test_a_pinning_that_the_kernel_refuses_is_the_reason_of_the_row(lockbench: Program) -> None:
    words = ("--primitive", "global", "--threads", "1", "--pinning", "compact", "--blocks", "1")
    lockbench.run("run", *words, "--out", "out", preexec_fn=refusing("sched_setaffinity"))
    for row in rows_of(lockbench.folder / "out"):
        assert row["outcome"] == "failed"
        assert "refuses to bind it to its processor (sched_setaffinity" in row["reason"]


@known_calls
def test_a_kernel_that_does_not_say_which_processors_may_be_used_stops_no_run(
    lockbench: Program,
) -> None:
    words = ("--primitive", "global", "--threads", "1", "--mode", "fixed", "--blocks", "1")
    done = lockbench.run("run", *words, "--out", "out", preexec_fn=refusing("sched_getaffinity"))
    assert done.returncode == 0, done.stderr
    assert [row["valid"] for row in rows_of(lockbench.folder / "out")] == ["true"]
    machine = json.loads((lockbench.folder / "out" / "meta.json").read_text())["machine"]
    assert machine["usable_threads"] == len(os.sched_getaffinity(0))
    assert "cores" not in machine


@pytest.mark.parametrize("words", [("list",), ("doctor",), ("run", "quick", "--dry-run"), RUN])
def test_a_small_stack_is_enough(lockbench: Program, words: tuple[str, ...]) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_STACK, (64 << 10, 64 << 10))

    done = lockbench.run(*words, preexec_fn=limit)
    # doctor ends with 3 where something disturbs measurements.
    assert done.returncode == 0 or (words == ("doctor",) and done.returncode == 3), done.stderr
