# SPDX-License-Identifier: Apache-2.0
"""The presets of services: what they measure, and what they say when something is missing."""

from __future__ import annotations

import os

import pytest
from program import Program, last_attempts
from servers import REDIS, Service

FAST = ("--blocks", "1", "--warmup", "5ms", "--window", "20ms")


@pytest.fixture
def service() -> Service:
    return REDIS


@pytest.mark.parametrize("preset", ["services", "services-faults"])
def test_a_missing_plug_in_is_one_line(lockbench: Program, plugin: str, preset: str) -> None:
    done = lockbench.run("run", preset, "--plugin", plugin)
    assert done.returncode == 2 and not done.stdout
    (line,) = done.stderr.splitlines()
    said = "is in the plug-in postgresql.so; name it by --plugin, or leave the primitive out"
    assert said in line, line


def test_a_missing_server_is_one_line(lockbench: Program, plugin: str) -> None:
    alone = {**os.environ, "PATH": str(lockbench.folder)}
    words = ("--plugin", plugin, "--primitive", "redis", *FAST)
    done = lockbench.run("run", "services", *words, env=alone)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "install redis-server, or name a server by --service redis=HOST:PORT" in line, line


def test_the_locks_of_one_service_are_measured_under_every_workload(
    lockbench: Program, plugin: str
) -> None:
    words = ("--plugin", plugin, "--primitive", "redis", "--primitive", "redlock", *FAST)
    done = lockbench.run("run", "services", *words, "--out", "out")
    # A machine may be too busy for valid rows.
    assert done.returncode in (0, 4), done.stderr
    rows = last_attempts(lockbench.folder / "out")
    assert {row["workload"] for row in rows} == {"counter", "accounts", "service_counter"}
    assert {row["primitive"] for row in rows} == {"redis", "redlock"}
    for row in rows:
        assert (row["outcome"], row["lost_updates"]) == ("ok", "0"), row
        assert float(row["bytes_sent"]) > 50 and float(row["bytes_received"]) > 5


def test_a_holder_that_stands_still_loses_updates_unless_tokens_are_checked(
    lockbench: Program, plugin: str
) -> None:
    words = ("--plugin", plugin, "--primitive", "redis:lease_ms=200", "--blocks", "1")
    done = lockbench.run("run", "services-faults", *words, "--out", "out")
    assert done.returncode in (0, 4), done.stderr
    rows = {row["scenario"]: row for row in last_attempts(lockbench.folder / "out")}
    checked, unchecked = rows["stopped"], rows["stopped_unchecked"]
    assert checked["lost_updates"] == "0" and int(checked["refused_writes"]) > 0, checked
    assert int(unchecked["lost_updates"]) > 0 and unchecked["refused_writes"] == "0", unchecked
    # Without the watchdog, which stands still with its process, no hold would have ended.
    assert int(checked["expired_holds"]) > 0
