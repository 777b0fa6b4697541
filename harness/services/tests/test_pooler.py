# SPDX-License-Identifier: Apache-2.0
"""Advisory locks behind a pooler that gives each transaction a session: published, and not safe."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import postgresql
import pytest
from plans import plan, primitives, write
from program import Program, last_attempts, free_port
from servers import POSTGRESQL, Service, serving


@pytest.fixture
def service() -> Service:
    return POSTGRESQL


@pytest.fixture(params=["session", "transaction"])
def pooler(server: str, request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """How the pooler shares out sessions, and its address."""
    if shutil.which("pgbouncer") is None:
        pytest.skip("no pgbouncer: install pgbouncer")
    folder = Path(server.partition("host=")[2])
    port = free_port()
    settings = folder / f"{request.param}.ini"
    lines = ["[databases]", f"postgres = host={folder} user=lockbench", "[pgbouncer]"]
    lines += ["listen_addr = 127.0.0.1", f"listen_port = {port}", "unix_socket_dir ="]
    lines += ["auth_type = any", f"pool_mode = {request.param}", "default_pool_size = 8"]
    settings.write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = [*postgresql.as_server_user(), shutil.which("pgbouncer") or "", str(settings)]
    settings.chmod(0o644)

    def answers() -> bool:
        with socket.create_connection(("127.0.0.1", port), timeout=10):
            return True

    with serving([words], answers):
        yield request.param, f"postgresql://lockbench@127.0.0.1:{port}/postgres"


def measure(lockbench: Program, plugin: str, address: str, lock: str) -> dict[str, str]:
    sweep = [primitives(lock), 'workload = "service_counter"', 'mode = "fixed"', "threads = 4"]
    write(lockbench, plan(*sweep, "keys = 1", "operations = 200", 'hold = "sleep:1ms"'))
    environment = {**os.environ, "LOCKBENCH_POSTGRESQL": address}
    done = lockbench.run("run", "plan.toml", "--plugin", plugin, "--out", lock, env=environment)
    assert done.returncode in (0, 4), done.stderr
    (row,) = last_attempts(lockbench.folder / lock)
    return row


def test_an_advisory_lock_is_one_of_whichever_session_the_pooler_gives(
    lockbench: Program, plugin: str, pooler: tuple[str, str]
) -> None:
    mode, address = pooler
    row = measure(lockbench, plugin, address, "postgresql_as_published")
    if mode == "session":
        assert (row["outcome"], row["lost_updates"]) == ("ok", "0"), row
    else:
        # Two hold the key; or unlock() was that of another session, and the key stays locked.
        locked_for_good = row["outcome"] in ("deadlock", "service_lost")
        assert row["lost_updates"] not in ("", "0") or locked_for_good, row


def test_a_session_that_is_shared_has_no_room_for_prepared_statements(
    lockbench: Program, plugin: str, pooler: tuple[str, str]
) -> None:
    mode, address = pooler
    for lock in ("postgresql_advisory", "postgresql_advisory:level=transaction", "postgresql_row"):
        row = measure(lockbench, plugin, address, lock)
        if mode == "session":
            assert (row["outcome"], row["lost_updates"]) == ("ok", "0"), row
        else:
            assert row["outcome"] == "service_lost" and "prepared statement" in row["reason"], row


def test_a_hold_that_is_a_transaction_is_safe_if_nothing_is_prepared(
    lockbench: Program, plugin: str, pooler: tuple[str, str]
) -> None:
    _, address = pooler
    for lock in ("postgresql_advisory:level=transaction,prepare=0", "postgresql_row:prepare=0"):
        row = measure(lockbench, plugin, address, lock)
        assert (row["outcome"], row["lost_updates"]) == ("ok", "0"), row
        assert row["refused_writes"] == "0", row  # no token came late, either
