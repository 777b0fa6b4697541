# SPDX-License-Identifier: Apache-2.0
"""Leases before real connections: SQLite's, and those of a PostgreSQL server that is started."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import postgresql
import pytest
from program import Program, last_attempts

PLAN = """
title = "Pools before a database"
blocks = 1
mode = "fixed"
threads = 6
keys = 2
operations = 40
[[sweep]]
primitive = ["lease:leases=3", "lease:leases=3,order=fifo", "lease_as_published:leases=3",
             "random_mutexes_as_published:leases=3"]
"""


def run_plan(
    lockbench: Program, workload: str, code: int = 0, **how: object
) -> list[dict[str, str]]:
    (lockbench.folder / "plan.toml").write_text(
        PLAN + f'workload = "{workload}"\n', encoding="utf-8"
    )
    done = lockbench.run("run", "plan.toml", "--out", "out", **how)
    assert done.returncode == code, done.stderr
    return last_attempts(lockbench.folder / "out")


def assert_all_valid(rows: list[dict[str, str]]) -> None:
    assert len(rows) == 4
    for row in rows:
        assert row["valid"] == "true" or row["disturbance"], row["reason"]
        assert (row["outcome"], row["lost_updates"], row["violations"]) == ("ok", "0", "0"), row
        assert row["operations"] == str(6 * 40)


def at(address: str) -> dict[str, str]:
    return {**os.environ, "LOCKBENCH_POSTGRES": address}


def psql(address: str, query: str) -> str:
    words = ["psql", "--no-psqlrc", "--tuples-only", "--no-align", address, "--command", query]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgresql.server() as address:
        yield address


def test_sqlite_is_there_without_being_asked_for(lockbench: Program) -> None:
    scratch = lockbench.folder / "scratch"
    scratch.mkdir()
    rows = run_plan(lockbench, "database", env={**os.environ, "TMPDIR": str(scratch)})
    assert_all_valid(rows)
    assert not list(scratch.iterdir()), "databases are left behind"


def test_transactions_on_a_server_are_all_there(lockbench: Program, server: str) -> None:
    assert_all_valid(run_plan(lockbench, "database:postgresql", env=at(server)))
    assert psql(server, "SELECT count(*) FROM pg_namespace WHERE nspname ~ 'lockbench'") == "0"


def test_a_server_s_password_is_not_written_down(lockbench: Program, server: str) -> None:
    run_plan(lockbench, "database:postgresql", env=at(server + "&password=s3cret"))
    for file in (lockbench.folder / "out").iterdir():
        assert "s3cret" not in file.read_text(encoding="utf-8"), file


def test_without_an_address_it_is_said_what_is_needed(lockbench: Program) -> None:
    env = {name: value for name, value in os.environ.items() if name != "LOCKBENCH_POSTGRES"}
    asked = ("run", "connection-pool-postgresql", "--dry-run")
    done = lockbench.run(*asked, env=env)
    assert done.returncode == 2
    assert "set LOCKBENCH_POSTGRES to its address, as postgresql://user@host/name" in done.stderr
    assert done.stderr.count("\n") == 1
    assert "LOCKBENCH_POSTGRES" in lockbench.run("list", "workloads", env=env).stdout


def test_a_server_that_does_not_answer_costs_the_row_and_is_told(lockbench: Program) -> None:
    nowhere = f"postgresql://lockbench@/postgres?host={lockbench.folder / 'nowhere'}"
    # No row is valid: inconclusive.
    rows = run_plan(lockbench, "database:postgresql", code=4, env=at(nowhere))
    assert {row["outcome"] for row in rows} == {"failed"}
    assert all("No such file or directory" in row["reason"] for row in rows)


def test_two_runs_in_one_database_do_not_mix(lockbench: Program, server: str) -> None:
    (lockbench.folder / "other").mkdir()
    other = Program(lockbench.folder / "other")
    (other.folder / "plan.toml").write_text(
        PLAN + 'workload = "database:postgresql"\n', encoding="utf-8"
    )
    process = other.start("run", "plan.toml", "--out", "out", env=at(server))
    assert_all_valid(run_plan(lockbench, "database:postgresql", env=at(server)))
    process.communicate()
    assert process.returncode == 0
    assert_all_valid(last_attempts(other.folder / "out"))


def test_databases_of_a_killed_trial_are_no_hindrance(lockbench: Program, server: str) -> None:
    psql(server, "CREATE SCHEMA lockbench_scratch CREATE TABLE shard_0 (left_behind int)")
    assert_all_valid(run_plan(lockbench, "database:postgresql", env=at(server)))
