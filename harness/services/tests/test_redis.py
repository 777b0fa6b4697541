# SPDX-License-Identifier: Apache-2.0
"""Tests for locks at Redis servers only: leases, and a majority of servers."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack
from pathlib import Path

import pytest
from plans import finished, plan, refused, run, write
from program import Program, wait_until, free_port
from servers import REDIS, Service, ask_redis, redis_process


@pytest.fixture
def service() -> Service:
    return REDIS


# The hold outlasts the lease, which nothing renews.
LATE = plan(
    'primitive = ["redis:lease_ms=20,renew=0", "redis_as_published:lease_ms=20"]',
    'workload = ["service_counter", "service_counter:unchecked", "counter:processes"]',
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
        (row["primitive"], row["scenario"]): (
            int(row["lost_updates"]),
            int(row["refused_writes"] or 0),
        )
        for row in run(lockbench, plugin, LATE)
    }
    for scenario in ("", "processes"):
        lost, refused = rows["redis", scenario]
        assert lost == 0 and refused > 0
    lost, refused = rows["redis", "unchecked"]
    assert lost > 0 and refused == 0
    for scenario in ("", "unchecked"):  # it has no tokens that could be checked
        lost, refused = rows["redis_as_published", scenario]
        assert lost > 0 and refused == 0
    lost, _ = rows["redis_as_published", "processes"]
    assert lost > 0


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
    three = "redis=" + ",".join(f"127.0.0.1:{port}" for port in ports)
    assert told in refused(lockbench, plugin, MAJORITY, "--service", three)
    two = "redis=127.0.0.1:1,127.0.0.1:2"
    said = refused(lockbench, plugin, MAJORITY, "--service", two)
    assert "redis: needs 3 servers, and 2 are named" in said


# Long enough to stop a server meanwhile.
SLOW = MAJORITY + 'hold = "sleep:50ms"\n'


def test_redlock_goes_on_when_its_first_server_becomes_silent(
    lockbench: Program, plugin: str, tmp_path: Path
) -> None:
    write(lockbench, SLOW)
    with ExitStack() as stack:
        servers = [stack.enter_context(redis_process(tmp_path)) for _ in range(3)]
        addresses = ",".join(f"127.0.0.1:{port}" for port, _ in servers)
        words = ["plan.toml", "--plugin", plugin, "--out", "out"]
        process = lockbench.start("run", *words, "--service", f"redis={addresses}")
        port, first = servers[0]
        wait_until(lambda: ask_redis(port, "DBSIZE") != ":0", "no key is held")
        os.kill(first, signal.SIGSTOP)
        (row,) = finished(lockbench, process).values()
    assert (row["outcome"], row["operations"], row["lost_updates"]) == ("ok", "40", "0"), row
