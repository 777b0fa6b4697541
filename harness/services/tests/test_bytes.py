# SPDX-License-Identifier: Apache-2.0
"""The columns of bytes, beside what a proxy between the locks and their server counts."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from plans import plan, primitives, run
from program import Program
from servers import ETCD, PASSWORD, POSTGRESQL, REDIS, OwnServer, Service

OPERATIONS = 400


class CountingProxy:
    """Forwards connections to a port of the loopback interface, and counts what passes."""

    def __init__(self, reach: Callable[[], socket.socket]) -> None:
        self.sent = self.received = 0
        self._reach = reach
        self._counting = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # closed
            server = self._reach()
            for one, other, to_server in ((client, server, True), (server, client, False)):
                threading.Thread(
                    target=self._forward, args=(one, other, to_server), daemon=True
                ).start()

    def _forward(self, one: socket.socket, other: socket.socket, to_server: bool) -> None:
        try:
            while part := one.recv(65536):
                with self._counting:
                    if to_server:
                        self.sent += len(part)
                    else:
                        self.received += len(part)
                other.sendall(part)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the other side has ended


@contextmanager
def proxied(address: str) -> Iterator[tuple[CountingProxy, str]]:
    """The proxy and its address, before the server of an address as a user writes it."""
    account, _, host_and_port = address.rpartition("@")
    if "host=" in host_and_port:
        path = Path(host_and_port.partition("host=")[2]) / ".s.PGSQL.5432"

        def reach() -> socket.socket:
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(path))
            return server

    else:
        port = int(host_and_port.rpartition(":")[2])

        def reach() -> socket.socket:
            return socket.create_connection(("127.0.0.1", port))

    proxy = CountingProxy(reach)
    database = "/postgres" if "host=" in host_and_port else ""
    try:
        yield proxy, f"{account}@127.0.0.1:{proxy.port}{database}"
    finally:
        proxy.close()


@pytest.fixture(params=(REDIS, POSTGRESQL, ETCD), ids=lambda service: service.name)
def service(request: pytest.FixtureRequest) -> Service:
    return request.param


def test_nearly_all_bytes_are_counted_and_none_twice(
    lockbench: Program, service: Service, plugin: str, own: OwnServer
) -> None:
    sweep = ['workload = "counter"', 'mode = "fixed"', "threads = 2", "keys = 4"]
    sweep.append(f"operations = {OPERATIONS // 2}")
    with proxied(own.address_with(PASSWORD)) as (proxy, address):
        environment = {**os.environ, service.variable: address}
        text = plan(primitives(service.locks[0]), *sweep)
        (row,) = run(lockbench, plugin, text, env=environment)
    # A trial also greets the server, makes what it needs there and removes it.
    assert 0.7 * proxy.sent < float(row["bytes_sent"]) * OPERATIONS <= proxy.sent
    received = float(row["bytes_received"]) * OPERATIONS
    assert 0 < received <= proxy.received
    # etcd's metrics, which are asked for at the ends of a trial, are longer than all the rest.
    if service is not ETCD:
        assert 0.7 * proxy.received < received
