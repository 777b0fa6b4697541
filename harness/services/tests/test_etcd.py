# SPDX-License-Identifier: Apache-2.0
"""Tests for locks at etcd only: leases that are revoked, and a server that forgets everything."""

from __future__ import annotations

import os
import signal
import urllib.error
from pathlib import Path

import pytest
from plans import assert_refused_if_checked, finished, plan, refused, run, start
from program import Program, wait_until
from servers import ETCD, Service, ask_etcd, etcd_cluster, etcd_process, keys_of_etcd


@pytest.fixture
def service() -> Service:
    return ETCD


# Longer than the lease, which is extended meanwhile.
RENEWED = plan(
    'primitive = ["etcd:lease_ms=1000"]',
    'workload = ["service_counter"]',
    'mode = "fixed"',
    "threads = 2",
    "keys = 1",
    "operations = 1",
    'hold = "sleep:2s"',
)


def test_a_lease_is_renewed_while_its_key_is_held_or_waited_for(
    lockbench: Program, plugin: str
) -> None:
    (row,) = run(lockbench, plugin, RENEWED)
    assert int(row["renewals"]) >= 4
    assert (row["lost_updates"], row["operations"]) == ("0", "2")


# Processes whose holds last long enough to revoke leases meanwhile, and to learn of it by renewals.
SLOW = plan(
    'primitive = ["etcd:lease_ms=1000"]',
    'workload = ["service_counter", "service_counter:unchecked"]',
    'mode = "fixed"',
    "threads = 2",
    "keys = 1",
    "operations = 4",
    'hold = "sleep:700ms"',
)


def revoke_all(port: int) -> None:
    """Ends the leases of all that wait or hold."""
    for lease in ask_etcd(port, "lease/leases", {}).get("leases", []):
        try:
            ask_etcd(port, "lease/revoke", {"ID": lease["ID"]})
        except urllib.error.HTTPError:
            pass  # it has ended meanwhile


def test_a_holder_whose_lease_is_revoked_is_refused_by_a_resource_that_checks_tokens(
    lockbench: Program, plugin: str, tmp_path: Path
) -> None:
    with etcd_process(tmp_path) as (port, _):
        process = start(lockbench, plugin, SLOW, "LOCKBENCH_ETCD", f"127.0.0.1:{port}")
        while process.poll() is None:
            # A hold lasts longer than the distance between two looks.
            if len(keys_of_etcd(port)) > 2:
                revoke_all(port)
        rows = finished(lockbench, process)
        assert not keys_of_etcd(port)
    assert_refused_if_checked(rows)


def test_a_hold_is_a_key_under_a_prefix_of_the_trial_which_ends_in_its_lease(
    lockbench: Program, plugin: str, tmp_path: Path
) -> None:
    text = plan(
        'primitive = ["etcd"]',
        'workload = ["counter"]',
        'mode = "fixed"',
        "threads = 1",
        "keys = 1",
        "operations = 1",
        'hold = "sleep:1s"',
    )
    with etcd_process(tmp_path) as (port, _):
        process = start(lockbench, plugin, text, "LOCKBENCH_ETCD", f"127.0.0.1:{port}")
        names = wait_until(
            lambda: [name for name in keys_of_etcd(port) if not name.endswith("/base")], "no hold"
        )
        finished(lockbench, process)
    folder, random, key, lease = names[0].split("/")
    assert (folder, len(random), key) == ("lockbench", 32, "1:0") and lease.isdigit()


ONE_HOLD = plan(
    'primitive = ["etcd:members=3"]',
    'workload = ["counter"]',
    'mode = "fixed"',
    "threads = 1",
    "keys = 1",
    "operations = 3",
)


def test_a_cluster_is_used_as_long_as_it_has_a_majority(
    lockbench: Program, plugin: str, tmp_path: Path
) -> None:
    with etcd_cluster(tmp_path) as members:
        named = ",".join(f"127.0.0.1:{port}" for port, _ in members)
        environment = {**os.environ, "LOCKBENCH_ETCD": named}
        os.kill(members[0][1], signal.SIGKILL)  # the one that clients ask first
        (row,) = run(lockbench, plugin, ONE_HOLD, env=environment)
        assert (row["outcome"], row["operations"]) == ("ok", "3"), row
        os.kill(members[1][1], signal.SIGKILL)
        said = refused(lockbench, plugin, ONE_HOLD, env=environment)
    told = "the cluster has no majority: of 3 servers that are named, 1 answer and know no leader"
    assert told in said, said


def test_too_few_members_and_clusters_of_several_sizes_are_refused(
    lockbench: Program, plugin: str
) -> None:
    said = refused(lockbench, plugin, ONE_HOLD, "--service", "etcd=127.0.0.1:1,127.0.0.1:2")
    assert "etcd: needs 3 servers, and 2 are named" in said
    both = ONE_HOLD.replace('"etcd:members=3"', '"etcd:members=3", "etcd"')
    said = refused(lockbench, plugin, both)
    assert "etcd: the plan has primitives with members=1 and members=3" in said
