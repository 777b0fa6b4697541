# SPDX-License-Identifier: Apache-2.0
"""Locks at a real Redis server, as users measure them."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from program import Program, children_of, last_attempts, rows_of, wait_until

pytestmark = pytest.mark.skipif(
    shutil.which("redis-server") is None, reason="no redis-server: install redis-server"
)


@pytest.fixture
def plugin(plugins: Path) -> str:
    file = plugins / "redis.so"
    if not file.exists():
        pytest.skip(f"{file} is not built: cmake --build --preset release --target services")
    return str(file)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def ask(port: int, *words: str, password: str = "") -> str:
    """A request in Redis's inline form, and the first line of the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        if password:
            connection.sendall(f"AUTH {password}\r\n".encode())
            assert connection.recv(100) == b"+OK\r\n"
        connection.sendall((" ".join(words) + "\r\n").encode())
        return connection.recv(1000).decode().splitlines()[0]


@contextmanager
def server_process(folder: Path, *more: str, password: str = "") -> Iterator[tuple[int, int]]:
    """The port and the process of a server of a user's own."""
    port = free_port()
    words = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    process = subprocess.Popen([*words, "--dir", str(folder), *more], stdout=subprocess.DEVNULL)

    def answers() -> bool:
        try:
            return ask(port, "PING", password=password) == "+PONG"
        except OSError:
            return False

    try:
        wait_until(answers, "no answer of the server")
        yield port, process.pid
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[int]:
    """The port of a server with a password."""
    with server_process(tmp_path, "--requirepass", "secret", password="secret") as (port, _):
        yield port


def plan(*sweep: str) -> str:
    return "\n".join(['title = "Services"', "blocks = 1", "[[sweep]]", *sweep]) + "\n"


def run(
    lockbench: Program, plugin: str, text: str, code: int = 0, *more: str, **how: object
) -> list[dict[str, str]]:
    (lockbench.folder / "plan.toml").write_text(text, encoding="utf-8")
    done = lockbench.run("run", "plan.toml", "--plugin", plugin, "--out", "out", *more, **how)
    assert done.returncode == code, (done.stdout, done.stderr)
    return last_attempts(lockbench.folder / "out")


EVERY = plan(
    'primitive = ["redis", "redis_as_published", "redlock:nodes=3"]',
    'workload = ["counter", "accounts", "service_counter", "file_counter"]',
    'mode = "fixed"',
    "threads = 3",
    "keys = 1",
    "operations = 30",
)


def test_every_workload_is_measured_before_a_private_server(
    lockbench: Program, plugin: str
) -> None:
    rows = run(lockbench, plugin, EVERY)
    assert len(rows) == 12
    for row in rows:
        assert row["outcome"] == "ok", row
        assert (row["operations"], row["lost_updates"], row["violations"]) == ("90", "0", "0"), row
        assert row["lock_bytes"] == ""  # the memory is the server's
        assert float(row["round_trips"]) >= 2
        assert row["reconnects"] == "0"
    # The server has ended with the run.
    assert not [pid for pid in children_of(os.getpid()) if "redis" in name_of(pid)]


def name_of(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8")


# The hold outlasts the lease, which nothing renews.
LATE = plan(
    'primitive = ["redis:lease_ms=20,renew=0", "redis_as_published:lease_ms=20"]',
    'workload = ["service_counter", "service_counter:unchecked"]',
    'mode = "fixed"',
    "threads = 3",
    "keys = 1",
    "operations = 8",
    'hold = "sleep:60ms"',
)


def test_a_hold_that_outlasts_its_lease_loses_updates_unless_tokens_are_checked(
    lockbench: Program, plugin: str
) -> None:
    rows = {
        (row["primitive"], row["scenario"]): (int(row["lost_updates"]), int(row["refused_writes"]))
        for row in run(lockbench, plugin, LATE)
    }
    lost, refused = rows["redis", ""]
    assert lost == 0 and refused > 0
    lost, refused = rows["redis", "unchecked"]
    assert lost > 0 and refused == 0
    for scenario in ("", "unchecked"):  # it has no tokens that could be checked
        lost, refused = rows["redis_as_published", scenario]
        assert lost > 0 and refused == 0


# Shorter than the second that a hold takes; longer than what a busy machine takes away.
RENEWED = plan(
    'primitive = ["redis:lease_ms=600"]',
    'workload = ["service_counter"]',
    'mode = "fixed"',
    "threads = 2",
    "keys = 1",
    "operations = 1",
    'hold = "sleep:1s"',
)


def test_a_lease_is_renewed_while_its_key_is_held(lockbench: Program, plugin: str) -> None:
    (row,) = run(lockbench, plugin, RENEWED)
    assert int(row["renewals"]) >= 2
    assert row["lost_updates"] == "0"


MAJORITY = plan(
    'primitive = ["redlock:nodes=3"]',
    'workload = ["counter"]',
    'mode = "fixed"',
    "threads = 2",
    "keys = 1",
    "operations = 20",
)


def test_redlock_needs_more_than_half_of_its_servers(lockbench: Program, plugin: str) -> None:
    (row,) = run(lockbench, plugin, MAJORITY)
    assert (row["outcome"], row["operations"], row["lost_updates"]) == ("ok", "40", "0")
    assert float(row["round_trips"]) >= 6

    ports = [free_port() for _ in range(3)]
    told = f"redlock: 0 of 3 servers can be used, and 2 are needed; redis at 127.0.0.1:{ports[0]}:"
    refused(lockbench, plugin, MAJORITY, ",".join(f"127.0.0.1:{port}" for port in ports), told)
    two = "127.0.0.1:1,127.0.0.1:2"
    refused(lockbench, plugin, MAJORITY, two, "redis: needs 3 servers, and 2 are named")


# Long enough to stop a server meanwhile.
SLOW = MAJORITY + 'hold = "sleep:50ms"\n'


def test_redlock_goes_on_when_its_first_server_becomes_silent(
    lockbench: Program, plugin: str, tmp_path: Path
) -> None:
    (lockbench.folder / "plan.toml").write_text(SLOW, encoding="utf-8")
    with ExitStack() as stack:
        servers = [stack.enter_context(server_process(tmp_path)) for _ in range(3)]
        addresses = ",".join(f"127.0.0.1:{port}" for port, _ in servers)
        words = ["plan.toml", "--plugin", plugin, "--out", "out"]
        process = lockbench.start("run", *words, "--service", f"redis={addresses}")
        port, first = servers[0]
        wait_until(lambda: ask(port, "DBSIZE") != ":0", "no key is held")
        os.kill(first, signal.SIGSTOP)
        _, stderr = process.communicate(timeout=100)
    assert process.returncode == 0, stderr
    (row,) = last_attempts(lockbench.folder / "out")
    assert (row["outcome"], row["operations"], row["lost_updates"]) == ("ok", "40", "0"), row


def refused(lockbench: Program, plugin: str, text: str, addresses: str, told: str) -> None:
    (lockbench.folder / "plan.toml").write_text(text, encoding="utf-8")
    words = ["plan.toml", "--plugin", plugin, "--service", f"redis={addresses}"]
    done = lockbench.run("run", *words, "--out", "refused")
    assert done.returncode == 2
    assert told in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (lockbench.folder / "refused").exists()


TIMED = plan(
    'primitive = ["redis"]',
    'workload = ["counter"]',
    'mode = "fixed"',
    "threads = 2",
    "keys = 1",
    "operations = 3",
    'hold = "sleep:300ms"',
    'timeout = "5s"',
)

LONG = plan(
    'primitive = ["redis"]',
    'workload = ["counter"]',
    'mode = "fixed"',
    "threads = [1, 2]",
    "keys = 1",
    "operations = 3",
    'hold = "sleep:300ms"',
)


@pytest.mark.parametrize(("text", "count"), [(LONG, 2), (TIMED, 1)])
def test_a_server_that_is_killed_costs_the_rows_that_need_it(
    lockbench: Program, plugin: str, text: str, count: int
) -> None:
    (lockbench.folder / "plan.toml").write_text(text, encoding="utf-8")
    process = lockbench.start("run", "plan.toml", "--plugin", plugin, "--out", "out")
    server = wait_until(
        lambda: next((pid for pid in children_of(process.pid) if "redis" in name_of(pid)), None),
        "no server",
    )
    wait_until(lambda: (lockbench.folder / "out/trials.csv").exists(), "no run")
    os.kill(server, signal.SIGKILL)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 4, stderr
    rows = rows_of(lockbench.folder / "out")
    assert [row["outcome"] for row in rows] == ["service_lost"] * count
    for row in rows:
        reasons = ("redis at 127.0.0.1:", "the service did not answer")
        assert row["reason"].startswith(reasons), row["reason"]
        assert row["valid"] == "false" and row["operations"] == ""
    assert "service_lost" in stdout


def test_a_users_server_is_left_as_it_was(lockbench: Program, plugin: str, server: int) -> None:
    address = f"redis://:secret@127.0.0.1:{server}"
    environment = {**os.environ, "LOCKBENCH_REDIS": address}
    rows = run(lockbench, plugin, EVERY.replace(', "redlock:nodes=3"', ""), env=environment)
    assert {row["outcome"] for row in rows} == {"ok"}
    assert ask(server, "DBSIZE", password="secret") == ":0"
    assert "secret" not in (lockbench.folder / "out/meta.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("service", "told"),
    [
        ("redis=127.0.0.1:1", "redis at 127.0.0.1:1: cannot connect: Connection refused"),
        ("redis=nowhere", "redis: 'nowhere' is no address; it is written host:port"),
        ("redis", "--service: 'redis' is written NAME=HOST:PORT"),
        ("reddis=localhost:1", "unknown service 'reddis'; did you mean 'redis'?"),
        ("redis=me:secret@localhost:1", "set LOCKBENCH_REDIS to redis://user:password@host:port"),
    ],
)
def test_a_server_that_cannot_be_used_is_told_before_anything_is_measured(
    lockbench: Program, plugin: str, service: str, told: str
) -> None:
    (lockbench.folder / "plan.toml").write_text(EVERY, encoding="utf-8")
    done = lockbench.run(
        "run", "plan.toml", "--plugin", plugin, "--out", "out", "--service", service
    )
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (lockbench.folder / "out").exists()


def test_a_wrong_password_is_told(lockbench: Program, plugin: str, server: int) -> None:
    for account, told in (("", "NOAUTH"), (":wrong@", "refuses the account: WRONGPASS")):
        environment = {**os.environ, "LOCKBENCH_REDIS": f"redis://{account}127.0.0.1:{server}"}
        (lockbench.folder / "plan.toml").write_text(EVERY, encoding="utf-8")
        done = lockbench.run(
            "run", "plan.toml", "--plugin", plugin, "--out", "out", env=environment
        )
        assert done.returncode == 2
        assert told in done.stderr and "wrong" not in done.stderr


def test_a_password_is_never_printed(lockbench: Program, plugin: str) -> None:
    (lockbench.folder / "plan.toml").write_text(EVERY, encoding="utf-8")
    for address in ("redis://me:se,cret@h:1", "redis://me:cr@et@[::1]:1", "me:cret@nowhere"):
        environment = {**os.environ, "LOCKBENCH_REDIS": address}
        words = ["run", "plan.toml", "--plugin", plugin, "--out", "out"]
        done = lockbench.run(*words, env=environment)
        assert done.returncode == 2 and "cret" not in done.stderr, done.stderr


def test_a_service_that_no_primitive_needs_is_refused(lockbench: Program, plugin: str) -> None:
    (lockbench.folder / "plan.toml").write_text(plan('primitive = "keyed"'), encoding="utf-8")
    words = ["plan.toml", "--plugin", plugin, "--service", "redis=localhost:1", "--out", "out"]
    done = lockbench.run("run", *words)
    assert done.returncode == 2
    assert "no primitive of the plan is at redis" in done.stderr, done.stderr
    assert not (lockbench.folder / "out").exists()
