# SPDX-License-Identifier: Apache-2.0
"""Tests for locks at PostgreSQL servers only: sessions that end, and schemas that are left."""

from __future__ import annotations

from pathlib import Path

import pytest
from plans import assert_refused_if_checked, finished, plan, primitives, run, start
from program import Program, wait_until
from servers import POSTGRESQL, REDIS, Service, psql


@pytest.fixture
def service() -> Service:
    return POSTGRESQL


# The sessions that hold a key of a trial.
HOLDERS = {
    "postgresql_advisory": "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted"
    " AND pid IN (SELECT pid FROM pg_stat_activity WHERE query ~ 'take')",
    "postgresql_row": "SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction'",
}


def counting(lock: str) -> str:
    """Two processes that count, each of whose holds takes a while."""
    sweep = [primitives(lock), 'mode = "fixed"', "threads = 2", "keys = 1", "operations = 6"]
    counters = 'workload = ["service_counter", "service_counter:unchecked"]'
    return plan(counters, *sweep, 'hold = "sleep:400ms"')


@pytest.mark.parametrize("lock", list(HOLDERS))
def test_a_holder_whose_session_is_ended_is_refused_by_a_resource_that_checks_tokens(
    lockbench: Program, plugin: str, server: str, lock: str
) -> None:
    process = start(lockbench, plugin, counting(lock), "LOCKBENCH_POSTGRESQL", server)
    ended = f"SELECT count(pg_terminate_backend(pid)) FROM ({HOLDERS[lock]}) AS holders"
    while process.poll() is None:
        psql(server, ended)
    rows = finished(lockbench, process)
    assert_refused_if_checked(rows)
    assert all(int(row["reconnects"]) > 0 for row in rows.values())


def test_a_trial_drops_what_one_that_was_killed_has_left(
    lockbench: Program, plugin: str, server: str
) -> None:
    left = "lockbench_" + 32 * "0"
    psql(server, f"CREATE SCHEMA {left}; CREATE SCHEMA lockbench_of_a_user")
    text = counting("postgresql_row")
    process = start(lockbench, plugin, text, "LOCKBENCH_POSTGRESQL", server)
    schemas = "SELECT nspname FROM pg_namespace WHERE nspname ~ '^lockbench' ORDER BY nspname"
    wait_until(
        lambda: "_of_a_user" in psql(server, schemas) and left not in psql(server, schemas),
        "it is left",
    )
    finished(lockbench, process)
    assert psql(server, schemas) == "lockbench_of_a_user"
    psql(server, "DROP SCHEMA lockbench_of_a_user")


def test_advise_across_machines_chooses_among_locks_with_tokens(
    lockbench: Program, plugin: str
) -> None:
    redis = Path(plugin).with_name("redis.so")
    if not redis.exists() or REDIS.missing():
        pytest.skip("needs locks of two services")
    words = ("--across-machines", "--threads", "2", "--keys", "8", "--hold", "sleep:1ms")
    both = ("--plugin", str(redis), "--plugin", plugin)
    done = lockbench.run("advise", *words, *both, "--budget", "10s", "--patience", "0")
    assert done.returncode in (0, 4), (done.stdout, done.stderr)  # 4: no row of a busy machine
    assert "redlock, redis_as_published" in done.stderr  # are not asked
    if done.returncode == 0:
        assert "refuses writes with an older token" in done.stdout
        assert "postgresql_row" in done.stdout and "redlock" not in done.stdout

    alone = lockbench.run("advise", *words, "--plugin", str(redis))
    assert alone.returncode == 2
    assert "one lock of a service with tokens is loaded" in alone.stderr


@pytest.mark.parametrize("threads", [1, 6])
def test_leases_are_numbered_and_each_has_one_holder(
    lockbench: Program, plugin: str, threads: int
) -> None:
    sweep = ['mode = "fixed"', f"threads = {threads}", "keys = 2", "operations = 30"]
    leases = primitives("postgresql_leases", "postgresql_leases:capacity=2")
    text = plan(leases, 'workload = "checkout"', *sweep, 'hold = "sleep:1ms"')
    for row in run(lockbench, plugin, text):
        assert (row["outcome"], row["lost_updates"], row["violations"]) == ("ok", "0", "0"), row
        assert row["operations"] == str(30 * threads)


# Each thread has one of three leases and wants another one: the third one gets it in the end.
def test_a_second_lease_is_found_though_a_client_waits_for_its_own(
    lockbench: Program, plugin: str
) -> None:
    sweep = ['mode = "fixed"', "threads = 2", "keys = 1", "operations = 20", 'hold = "sleep:1ms"']
    leases = primitives("postgresql_leases:capacity=3")
    (row,) = run(lockbench, plugin, plan(leases, 'workload = "checkout:second_lease"', *sweep))
    assert (row["outcome"], row["operations"]) == ("ok", "40"), row
