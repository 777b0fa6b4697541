# SPDX-License-Identifier: Apache-2.0
"""The real program, driven as users drive it, each test in a folder of its own."""

from __future__ import annotations

import csv
import fcntl
import json
import os
import pty
import resource
import shlex
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

# The machine is taken as it is: other tests run beside these.
os.environ.setdefault("LOCKBENCH_PATIENCE", "0")
# The interpreter of these tests has the modules; to look for one takes as long as a short run.
os.environ.setdefault("LOCKBENCH_PYTHON", sys.executable)

NO_PYTHON = "/bin/false"

PLUGINS = Path(os.environ.get("LOCKBENCH_TEST_PLUGINS", "build/release/tests/plugin/plugins"))
PLUGINS = PLUGINS.resolve()
BINARY = Path(os.environ.get("LOCKBENCH_BINARY", "build/release/lockbench")).resolve()

# Long enough for a machine that does much else; only what hangs takes as long.
PATIENCE_S = 60.0


def environment() -> dict[str, str]:
    """The variables of this process, but for the one that pytest changes with each test, which
    other threads copy meanwhile."""
    return {name: os.environ[name] for name in os.environ if name != "PYTEST_CURRENT_TEST"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(holds: Callable[[], Any], what: str, at_most_s: float = PATIENCE_S) -> Any:
    """Looks again and again until it holds, and gives what it gave."""
    deadline = time.monotonic() + at_most_s
    while time.monotonic() < deadline:
        result = holds()
        if result:
            return result
        time.sleep(0.005)
    raise AssertionError(f"waited in vain: {what}")


def files_below(folder: Path) -> dict[Path, tuple[int, int, int]]:
    """Each file with what changes when it is written. The contents of a program, which lies beside
    many tests, are not read."""
    files = (path for path in folder.rglob("*") if path.is_file())
    stats = {path: path.lstat() for path in files}
    return {path: (one.st_ino, one.st_size, one.st_mtime_ns) for path, one in stats.items()}


def meta_of(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "meta.json").read_text(encoding="utf-8"))
    return found


def keep_rows(run: Path, number: int) -> None:
    """Takes rows out of a run; a negative number: the last ones."""
    trials = run / "trials.csv"
    header, *rows = trials.read_text(encoding="utf-8").splitlines(keepends=True)
    trials.write_text("".join([header, *rows[:number]]), encoding="utf-8")


def rows_of(run: Path) -> list[dict[str, str]]:
    """The whole rows of a run so far."""
    trials = run / "trials.csv"
    if not trials.exists():
        return []
    text = trials.read_text(encoding="utf-8")
    return list(csv.DictReader(text[: text.rfind("\n") + 1].splitlines()))


def last_attempts(run: Path) -> list[dict[str, str]]:
    """A row of each trial: one that something disturbed was measured again, and its last counts."""
    return list({row["trial"]: row for row in rows_of(run)}.values())


def valid_in(rows: list[dict[str, str]]) -> int:
    return sum(row["valid"] == "true" for row in rows)


def skip_unless_valid(run: Path) -> None:
    """Skips what asks about figures if the machine left a trial without any."""
    for row in last_attempts(run):
        if row["disturbance"]:
            pytest.skip(f"the machine disturbed a trial: {row['disturbance']}")


def assert_complete(run: Path, trials: int) -> None:
    """Each trial has its row, none twice, each row all its cells, and nothing is torn."""
    text = (run / "trials.csv").read_text(encoding="utf-8")
    assert text.endswith("\n")
    lines = list(csv.reader(text.splitlines()))
    assert {len(line) for line in lines} == {len(lines[0])}
    # A trial that something disturbed has a row for each attempt.
    attempts = [(int(row["trial"]), int(row["attempt"])) for row in rows_of(run)]
    assert len(set(attempts)) == len(attempts)
    assert {trial for trial, _ in attempts} == set(range(trials))


def children_of(parent: int) -> Iterator[int]:
    """Processes that `parent` started and that still run their program."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            state, ppid = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue  # it ended meanwhile
        if int(ppid) == parent and state not in "ZX":
            yield int(entry.name)


def trial_of(run: int) -> int:
    """The process of the trial that the process `run` measures now."""

    def find() -> int | None:
        for child in children_of(run):
            try:
                words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue  # it ended meanwhile: one that asked what the machine is
            if words[1:3] == [b"trial", b"--parent"]:
                return child
        return None

    trial: int = wait_until(find, "no trial was started")
    return trial


def is_running(pid: int) -> bool:
    """True if the process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def catches(pid: int, number: int) -> bool:
    """True if a process has a handler for the signal `number`."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def without_advice(err: str) -> str:
    """Standard error, without lines about the machine, which may be busy or not, and about a
    summary that was left out."""
    lines = err.splitlines(keepends=True)
    advice = (
        "see lockbench doctor\n",
        "measures a busy machine",
        f"no comparison: LOCKBENCH_PYTHON is {NO_PYTHON},",
    )
    return "".join(line for line in lines if not any(one in line for one in advice))


class Program:
    """lockbench, called in one folder."""

    def __init__(self, folder: Path, binary: Path = BINARY) -> None:
        self.folder = folder
        self.binary = binary

    def start(
        self, *words: str, file_limit: int | None = None, summary: bool = False, **how: Any
    ) -> Any:
        """Starts the program, with whatever this test run ignores or limits undone.

        The summary of a run or prediction takes longer than most of them here. It is left out,
        unless `summary` is set or the test says which Python there is.
        """

        def prepare() -> None:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if file_limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

        options: dict[str, Any] = {
            "cwd": self.folder,
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
            "preexec_fn": prepare,
            "env": environment(),
        }
        options |= how
        env = options["env"]
        theirs = env.get("LOCKBENCH_PYTHON") not in (None, sys.executable)
        if words[:1] in (("run",), ("predict",)) and not summary and not theirs:
            options["env"] = {**env, "LOCKBENCH_PYTHON": NO_PYTHON}
        return subprocess.Popen([str(self.binary), *words], **options)

    def run(self, *words: str, **how: Any) -> subprocess.CompletedProcess[str]:
        """Runs the program to its end; reads what `how` does not send elsewhere."""
        process = self.start(*words, **how)
        out, err = process.communicate(timeout=PATIENCE_S)
        return subprocess.CompletedProcess(
            words, process.returncode, out, without_advice(err or "")
        )

    def refuse(self, *words: str, said: tuple[str, ...] = (), code: int = 2, **how: Any) -> str:
        """The one line on standard error with which the program refuses to do anything."""
        before = files_below(self.folder)
        done = self.run(*words, **how)
        assert (done.returncode, done.stdout) == (code, ""), done.stderr
        assert done.stderr.startswith(("lockbench", f"{words[0]}: ")), done.stderr
        assert done.stderr.count("\n") == 1 and done.stderr.endswith("\n"), done.stderr
        for piece in said:
            assert piece in done.stderr, done.stderr
        assert files_below(self.folder) == before
        return done.stderr

    def on_a_terminal(self, columns: int, *words: str, **how: Any) -> str:
        """The output of the program to a terminal of that width, when all goes well."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = self.start(*words, stdout=theirs, stderr=theirs, **how)
        os.close(theirs)
        written = b""
        try:
            while piece := os.read(ours, 4096):
                written += piece
        except OSError:
            pass  # the other end is closed: how a terminal says that there is no more
        os.close(ours)
        assert process.wait() == 0
        return written.decode()

    def go_on_as_told(self, err: str) -> subprocess.CompletedProcess[str]:
        """Types what an interrupted run said would go on with it."""
        command = shlex.split(err.rpartition("to go on: ")[2])
        assert command[1:3] == ["run", "--resume"], err
        return self.run(*command[1:])


@pytest.fixture
def lockbench(tmp_path: Path) -> Program:
    return Program(tmp_path)


def installed_at(folder: Path, *commands: str) -> Path:
    """lockbench in another folder, with the programs of these commands: lockbench-stress."""
    files = [BINARY, *(BINARY.parent / "commands" / name for name in commands)]
    for file in files:
        copy = folder / file.relative_to(BINARY.parent)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if copy.exists() or not file.exists():
            continue
        try:
            os.link(file, copy)
        except OSError:  # another file system
            shutil.copy(file, copy)
    return folder / BINARY.name


def with_engine(
    folder: Path, answer: str, name: str = "sim", locks: str = "mine\ta lock\t\t\t\n"
) -> Program:
    """The program beside an engine that knows these locks and does as `answer` says."""
    binary = installed_at(folder, "lockbench-stress", "lockbench-petri")
    engine = folder / f"lockbench-{name}"
    engine.write_text(
        "#!/bin/sh\n"
        f'if [ "$1" = list ]; then printf %s {shlex.quote(locks)}; exit 0; fi\n'
        f"cat >{name}.json\n" + answer,
        encoding="utf-8",
    )
    engine.chmod(engine.stat().st_mode | stat.S_IXUSR)
    return Program(folder, binary)


def saying(report: dict[str, Any]) -> str:
    """The answer of an engine that reports this."""
    return f"echo {shlex.quote(json.dumps(report))}\n"


def with_temporary_folder(lockbench: Program) -> dict[str, str]:
    """The environment of one whose temporary files are the test's."""
    temporary = lockbench.folder / "temporary"
    temporary.mkdir()
    return {**environment(), "TMPDIR": str(temporary)}


def assert_interrupted_leaves_no_files(
    lockbench: Program, words: tuple[str, ...], number: int
) -> None:
    """The command makes temporary files, and a signal ends it; none of them is left."""
    process = lockbench.start(*words, env=with_temporary_folder(lockbench))
    temporary = lockbench.folder / "temporary"

    def is_used() -> bool:
        below = (found for found in os.walk(temporary) if found[0] != str(temporary))
        return any(folders or files for _, folders, files in below)

    wait_until(is_used, "nobody makes temporary files")
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert list(temporary.iterdir()) == []
