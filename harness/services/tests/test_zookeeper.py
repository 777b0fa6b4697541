# SPDX-License-Identifier: Apache-2.0
"""Tests for locks at ZooKeeper only: nodes that end with a session, and lost connections."""

from __future__ import annotations

import select
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import plans
from plans import finished, plan, refused, run
from program import Program, wait_until, free_port
from servers import (
    ZOOKEEPER,
    Service,
    ask_zookeeper,
    nodes_of_zookeeper,
    state_of_zookeeper,
    zookeeper_process,
    zookeeper_server,
)


@pytest.fixture
def service() -> Service:
    return ZOOKEEPER


def counting(operations: int, hold: str, *more: str) -> str:
    """Two processes that count under one key."""
    sweep = ('mode = "fixed"', "threads = 2", "keys = 1", f"operations = {operations}")
    return plan(*sweep, f'hold = "sleep:{hold}"', *more)


BOTH = 'workload = ["service_counter", "service_counter:unchecked"]'


def start(lockbench: Program, plugin: str, port: int, text: str) -> subprocess.Popen[str]:
    return plans.start(lockbench, plugin, text, "LOCKBENCH_ZOOKEEPER", f"127.0.0.1:{port}")


# Longer than the session, which the library keeps meanwhile.
LONG = counting(1, "2s", 'primitive = ["zookeeper:lease_ms=1000"]', 'workload = "service_counter"')


def test_a_session_goes_on_while_its_key_is_held_or_waited_for(
    lockbench: Program, plugin: str
) -> None:
    (row,) = run(lockbench, plugin, LONG)
    assert (row["outcome"], row["lost_updates"], row["operations"]) == ("ok", "0", "2")


def holds_at(port: int) -> list[str]:
    """The nodes of holds and waits, `/lockbench/<random>/<key>/<random>-<number>`."""
    return [node for node in nodes_of_zookeeper(port) if node.count("/") == 4]


def test_a_holder_whose_node_is_removed_is_refused_by_a_resource_that_checks_tokens(
    lockbench: Program, plugin: str, tmp_path: Path
) -> None:
    with zookeeper_process(tmp_path) as (port, _):
        text = counting(1, "4s", 'primitive = "zookeeper"', BOTH)
        process = start(lockbench, plugin, port, text)
        removed: set[str] = set()
        while process.poll() is None:
            queue = sorted(holds_at(port), key=lambda node: node[-10:])
            # The first holder of each trial, while another one waits.
            if len(queue) == 2 and Path(queue[0]).parent.as_posix() not in removed:
                ask_zookeeper(port, f"delete {queue[0]}")
                removed.add(Path(queue[0]).parent.as_posix())
        rows = finished(lockbench, process)
        assert len(removed) == 2 and not nodes_of_zookeeper(port)
    assert {row["outcome"] for row in rows.values()} == {"ok"}
    assert (rows[""]["lost_updates"], rows[""]["refused_writes"]) == ("0", "1")
    assert rows["unchecked"]["lost_updates"] == "1"


def forward(client: socket.socket, port: int, stop: threading.Event) -> None:
    """Forwards what is sent on one connection, until `stop` is set; then resets it."""
    with client, socket.create_connection(("127.0.0.1", port)) as server:
        to = {client: server, server: client}
        while not stop.is_set():
            for end in select.select(list(to), [], [], 0.01)[0]:
                try:
                    sent = end.recv(65536)
                    to[end].sendall(sent)
                except OSError:
                    return
                if not sent:
                    return


@contextmanager
def failing_network(port: int) -> Iterator[tuple[int, list[threading.Event]]]:
    """A port before the server's, and what ends each of the connections that are made to it."""
    connections: list[threading.Event] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            connections.append(threading.Event())
            threading.Thread(target=forward, args=(client, port, connections[-1])).start()

    acceptor = threading.Thread(target=accept)
    acceptor.start()
    try:
        yield int(listener.getsockname()[1]), connections
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        acceptor.join()
        for connection in connections:
            connection.set()


def test_a_connection_that_is_lost_ends_no_hold_and_leaves_no_node(
    lockbench: Program, plugin: str, tmp_path: Path
) -> None:
    with zookeeper_process(tmp_path) as (server, _), failing_network(server) as network:
        port, connections = network
        text = counting(60, "5ms", 'primitive = "zookeeper"', 'workload = "service_counter"')
        process = start(lockbench, plugin, port, text)
        while process.poll() is None:
            known = len(connections)
            wait_until(lambda: len(connections) > known or process.poll() is not None, "no client")
            select.select([], [], [], 0.05)  # some requests are answered meanwhile
            for connection in connections:
                connection.set()
        (row,) = finished(lockbench, process).values()
        # The node of a key is left if the connection is lost at the end: the server removes it.
        assert not holds_at(server)
    assert (row["outcome"], row["operations"], row["lost_updates"]) == ("ok", "120", "0"), row
    assert int(row["reconnects"]) > 0
    # Each session outlived the loss of its connections.
    assert (row["expired_holds"], row["refused_writes"]) == ("0", "0"), row


def test_a_hold_is_a_node_below_that_of_its_key(
    lockbench: Program, plugin: str, tmp_path: Path
) -> None:
    with zookeeper_process(tmp_path) as (port, _):
        text = counting(1, "2s", 'primitive = "zookeeper"', 'workload = "service_counter"')
        process = start(lockbench, plugin, port, text)
        node = wait_until(lambda: holds_at(port), "no hold")[0]
        finished(lockbench, process)
        assert not nodes_of_zookeeper(port)
    _, top, trial, key, name = node.split("/")
    assert (top, len(trial), key) == ("lockbench", 32, "k0")
    assert len(name) == 32 + 1 + 10 and name[-10:].isdigit()


def test_an_ensemble_without_a_majority_is_told_before_anything_is_measured(
    lockbench: Program, plugin: str, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/myid").write_text("1\n", encoding="utf-8")
    # Only the first of three is there.
    servers = [f"server.{i}=127.0.0.1:{free_port()}:{free_port()}" for i in (1, 2, 3)]
    text = counting(1, "0ns", 'primitive = ["zookeeper"]', 'workload = "service_counter"')
    with zookeeper_server(tmp_path, "initLimit=10", "syncLimit=5", *servers) as (port, _):
        wait_until(lambda: "not currently serving" in state_of_zookeeper(port), "no answer")
        said = refused(lockbench, plugin, text, "--service", f"zookeeper=127.0.0.1:{port}")
    assert "the ensemble has no majority: of 1 servers that are named, 1 answer" in said, said
