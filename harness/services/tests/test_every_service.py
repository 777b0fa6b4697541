# SPDX-License-Identifier: Apache-2.0
"""Tests for the locks of all services, at a real server of each, as users measure them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from plans import plan, primitives, refused, run, write
from program import Program, children_of, rows_of, wait_until
from servers import PASSWORD, OwnServer, Service


WORKLOADS = ("counter", "accounts", "service_counter", "file_counter")
IN_PROCESSES = ("counter:processes", "accounts:processes")


def every(*locks: str) -> str:
    workloads = ", ".join(f'"{name}"' for name in WORKLOADS + IN_PROCESSES)
    return plan(
        primitives(*locks),
        f"workload = [{workloads}]",
        'mode = "fixed"',
        "threads = 3",
        "keys = 1",
        "operations = 30",
    )


def servers_of(service: Service, parent: int) -> list[int]:
    return [
        pid
        for pid in children_of(parent)
        if Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip() == service.program
    ]


@pytest.mark.parametrize("several", [False, True], ids=["one server", "several servers"])
def test_every_workload_is_measured_before_private_servers(
    lockbench: Program, service: Service, plugin: str, several: bool
) -> None:
    locks = service.clusters if several else service.locks
    if not locks:
        pytest.skip(f"no lock takes several servers of {service.name}")
    rows = run(lockbench, plugin, every(*locks))
    assert len(rows) == len(WORKLOADS + IN_PROCESSES) * len(locks)
    for row in rows:
        assert row["outcome"] == "ok", row
        assert (row["operations"], row["lost_updates"], row["violations"]) == ("90", "0", "0"), row
        assert row["lock_bytes"] == ""  # the memory is the server's
        assert float(row["round_trips"]) >= 2
        assert row["reconnects"] == "0"
        assert row["server_cpu_s"] != "0"
    # The servers have ended with the run.
    assert not servers_of(service, os.getpid())


def test_the_lock_of_a_key_is_not_that_of_another(
    lockbench: Program, service: Service, plugin: str
) -> None:
    for key_type in ("u64", "string"):
        sweep = [primitives(*service.locks), 'workload = ["accounts"]', "threads = 3", "keys = 20"]
        sweep += ['mode = "fixed"', "operations = 30", f'key_type = "{key_type}"']
        for row in run(lockbench, plugin, plan(*sweep), out=key_type):
            assert (row["outcome"], row["lost_updates"]) == ("ok", "0"), row


SLOW = ('workload = ["counter"]', 'mode = "fixed"', "keys = 1", "operations = 3")


@pytest.mark.parametrize("more", [("threads = [1, 2]",), ("threads = 2", 'timeout = "5s"')])
def test_a_server_that_is_killed_costs_the_rows_that_need_it(
    lockbench: Program, service: Service, plugin: str, more: tuple[str, ...]
) -> None:
    locks = service.locks if len(more) == 1 else service.locks[:1]
    write(lockbench, plan(primitives(*locks), *SLOW, 'hold = "sleep:300ms"', *more))
    process = lockbench.start("run", "plan.toml", "--plugin", plugin, "--out", "out")
    server = wait_until(lambda: servers_of(service, process.pid), "no server")[0]
    wait_until(lambda: (lockbench.folder / "out/trials.csv").exists(), "no run")
    os.kill(server, signal.SIGKILL)
    stdout, stderr = process.communicate(timeout=100)
    assert process.returncode == 4, stderr
    rows = rows_of(lockbench.folder / "out")
    assert len(rows) == (2 * len(locks) if len(more) == 1 else 1)
    for row in rows:
        assert row["outcome"] == "service_lost", row
        reasons = (f"{service.name} at 127.0.0.1:", "the service did not answer")
        assert row["reason"].startswith(reasons), row["reason"]
        assert row["valid"] == "false" and row["operations"] == ""
    assert "service_lost" in stdout


def test_a_users_server_is_left_as_it_was(
    lockbench: Program, service: Service, plugin: str, own: OwnServer
) -> None:
    environment = {**os.environ, service.variable: own.address_with(PASSWORD)}
    rows = run(lockbench, plugin, every(*service.locks), env=environment)
    assert {row["outcome"] for row in rows} == {"ok"}
    assert own.residue() == ""
    assert PASSWORD not in (lockbench.folder / "out/meta.json").read_text(encoding="utf-8")


def test_a_server_that_cannot_be_used_is_told_before_anything_is_measured(
    lockbench: Program, service: Service, plugin: str
) -> None:
    for address, told in service.unreachable:
        said = refused(lockbench, plugin, every(*service.locks), "--service", address)
        assert told in said


def test_a_wrong_password_is_told(
    lockbench: Program, service: Service, plugin: str, own: OwnServer
) -> None:
    wrong = {"": service.told_without_password, "wrong": service.told_of_wrong_password}
    for password, told in wrong.items():
        environment = {**os.environ, service.variable: own.address_with(password)}
        said = refused(lockbench, plugin, every(*service.locks), env=environment)
        assert told in said and "wrong" not in said, said


def test_a_password_is_never_printed(lockbench: Program, service: Service, plugin: str) -> None:
    for address in service.secret_addresses:
        environment = {**os.environ, service.variable: address}
        said = refused(lockbench, plugin, every(*service.locks), env=environment)
        assert "cret" not in said


def test_a_service_that_no_primitive_needs_is_refused(
    lockbench: Program, service: Service, plugin: str
) -> None:
    address = f"{service.name}=localhost:1"
    said = refused(lockbench, plugin, plan('primitive = "keyed"'), "--service", address)
    assert f"no primitive of the plan is at {service.name}" in said


def test_a_lock_whose_plug_in_is_not_loaded_is_told_by_the_plug_in(
    lockbench: Program, plugin: str
) -> None:
    listed = [
        line.split()
        for line in lockbench.run("stress", "--list", "--plugin", plugin).stdout.splitlines()
    ]
    locks = {words[0].split(":")[0] for words in listed if words[1:2] == ["services"]}
    assert len(locks) >= 1
    for lock in locks:
        done = lockbench.run("stress", lock)
        assert done.returncode == 2
        file = os.path.basename(plugin)
        assert done.stderr == (
            f"lockbench stress: lock '{lock}' is in the plug-in {file}; name it by --plugin, "
            "with its folder\n"
        )
