# SPDX-License-Identifier: Apache-2.0
"""Programs of others, observed and with other locks, do what they do alone."""

from __future__ import annotations

import json
import random
import shutil
import signal
import socket
import subprocess
import threading
from pathlib import Path

import pytest
from program import BINARY, Program, free_port, wait_until

LOCKS = ("std", "adaptive", "futex", "tbb_spin")


def installed(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def add_and_read(port: int, client: int, count: int, wrong: list[str]) -> None:
    """A client that raises one counter of all and sets values of its own."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        answers = connection.makefile("rb")

        def ask(request: str) -> str:
            connection.sendall(request.encode())
            return answers.readline().decode().strip()

        for i in range(count):
            if not ask("incr all 1\r\n").isdigit():
                wrong.append("incr")
            if ask(f"set k{client}-{i % 50} 0 0 4\r\n{i:04}\r\n") != "STORED":
                wrong.append("set")
            if ask(f"get k{client}-{i % 50}\r\n") != f"VALUE k{client}-{i % 50} 0 4":
                wrong.append("get")
            if [answers.readline().strip() for _ in range(2)] != [f"{i:04}".encode(), b"END"]:
                wrong.append("value")


def serve(lockbench: Program, *wrapped: str) -> None:
    """memcached under a command of lockbench, with three clients at once."""
    port = free_port()
    words = ["-l", "127.0.0.1", "-p", str(port), "-U", "0", "-t", "2", "-u", "root"]
    command = [str(BINARY), *wrapped, "--", installed("memcached"), *words]
    with subprocess.Popen(command, cwd=lockbench.folder, stderr=subprocess.PIPE, text=True) as run:
        wait_until(lambda: listens(port) or run.poll() is not None, "memcached listens")
        with socket.create_connection(("127.0.0.1", port)) as first:
            first.sendall(b"set all 0 0 1\r\n0\r\n")
            assert first.recv(100) == b"STORED\r\n"
        wrong: list[str] = []
        clients = [
            threading.Thread(target=add_and_read, args=(port, i, 300, wrong)) for i in range(3)
        ]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        with socket.create_connection(("127.0.0.1", port)) as last:
            last.sendall(b"get all\r\n")
            assert b"\r\n900\r\n" in last.recv(100)
        run.send_signal(signal.SIGTERM)
        _, told = run.communicate(timeout=60)
    assert (wrong, run.returncode) == ([], 0), told


def test_memcached_is_observed(lockbench: Program) -> None:
    serve(lockbench, "observe", "--out", "seen")
    found = json.loads((lockbench.folder / "seen/observed.json").read_text(encoding="utf-8"))
    places = found["processes"][0]["places"]
    assert any(one["locks"] > 50 for one in places)  # the locks of items
    assert sum(one["acquisitions"] for one in places) > 900 * 4


@pytest.mark.parametrize("lock", LOCKS)
def test_memcached_works_with(lock: str, lockbench: Program) -> None:
    serve(lockbench, "substitute", "--lock", lock)


def text_file(folder: Path) -> Path:
    words = [f"{number:x}" for number in random.Random(1).choices(range(9999), k=300_000)]
    made = folder / "text"
    made.write_text(" ".join(words), encoding="utf-8")
    return made


@pytest.mark.parametrize("lock", LOCKS)
def test_pigz_works_with(lock: str, lockbench: Program) -> None:
    text = text_file(lockbench.folder)
    done = lockbench.run("substitute", "--lock", lock, "--", installed("pigz"), "-kp4", "text")
    assert done.returncode == 0, done.stderr
    unpacked = subprocess.run(["gzip", "-dc", "text.gz"], cwd=lockbench.folder, capture_output=True)
    assert unpacked.stdout == text.read_bytes()


def test_pigz_is_observed(lockbench: Program) -> None:
    text = text_file(lockbench.folder)
    flags = ("--callers", "2", "--out", "seen")
    done = lockbench.run("observe", *flags, "--", installed("pigz"), "-kp4", text.name)
    assert done.returncode == 0, done.stderr
    found = json.loads((lockbench.folder / "seen/observed.json").read_text(encoding="utf-8"))
    assert found["processes"][0]["threads"] >= 4
