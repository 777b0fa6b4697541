# SPDX-License-Identifier: Apache-2.0
"""`lockbench stress --engine services` before real servers: what it finds, and what it does not."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from program import Program
from servers import ETCD, POSTGRESQL, REDIS, ZOOKEEPER, Service

BROKEN = Path(
    os.environ.get("LOCKBENCH_BROKEN_REDIS", "build/release/harness/services/tests/plugins")
)
BUDGET = "40s"  # a failure ends it earlier


def stress(lockbench: Program, plugin: str, lock: str, *more: str) -> dict[str, Any]:
    words = ["stress", lock, "--plugin", plugin, "--engine", "services", "--format", "json", *more]
    process = lockbench.start(*words)
    stdout, stderr = process.communicate(timeout=200)
    assert process.returncode in (0, 3), (stdout, stderr)
    report = json.loads(stdout)
    assert (report["verdict"] == "failed") == (process.returncode == 3)
    return report


def refusal(lockbench: Program, *words: str) -> str:
    done = lockbench.run("stress", *words)
    assert (done.returncode, done.stdout) == (2, ""), (done.stdout, done.stderr)
    return str(done.stderr)


class TestRedis:
    @pytest.fixture
    def service(self) -> Service:
        return REDIS

    @pytest.mark.parametrize("lock", ["redis_as_published", "redlock"])
    def test_a_late_holder_without_a_token_loses_an_update(
        self, lockbench: Program, plugin: str, lock: str
    ) -> None:
        report = stress(lockbench, plugin, lock, "--faults", "stop_holder", "--budget", BUDGET)
        assert report["oracle"] == "exclusion", report
        assert "the resource lost an update" in report["what"]
        assert report["figures"]["lost_updates"] > 0
        trace = report["trace"]
        stop = next(i for i, line in enumerate(trace) if "SIGSTOP of client" in line)
        wrong = next(i for i, line in enumerate(trace) if "here it goes wrong" in line)
        assert stop < wrong and "SIGCONT" in "".join(trace[stop:wrong])
        assert any("not checked: the order of tokens" in remark for remark in report["remarks"])
        words = shlex.split(report["command"])
        assert words[:3] == ["lockbench", "stress", lock]
        assert words[words.index("--faults") + 1] == "stop_holder" and "--seed" in words

    def test_tokens_make_a_late_holder_safe_if_the_resource_checks_them(
        self, lockbench: Program, plugin: str
    ) -> None:
        faults = ("--faults", "stop_holder")
        safe = stress(lockbench, plugin, "redis", *faults, "--budget", "15s")
        assert safe["verdict"] == "clean", safe
        assert safe["figures"]["refused_by_resource"] > 0 and safe["figures"]["stop_holder"] > 0
        assert safe["figures"]["lost_updates"] == 0
        unsafe = stress(lockbench, plugin, "redis", *faults, "--ignore-tokens", "--budget", BUDGET)
        assert (unsafe["verdict"], unsafe["oracle"]) == ("failed", "exclusion")
        assert "--ignore-tokens" in unsafe["command"]

    def test_a_failover_to_a_replica_that_lags_loses_holds_and_tokens_make_that_safe(
        self, lockbench: Program, plugin: str
    ) -> None:
        faults = ("--faults", "failover")
        safe = stress(lockbench, plugin, "redis", *faults, "--budget", "10s")
        assert safe["verdict"] == "clean" and safe["figures"]["failover"] > 0, safe
        unsafe = stress(lockbench, plugin, "redis", *faults, "--ignore-tokens", "--budget", BUDGET)
        assert (unsafe["verdict"], unsafe["oracle"]) == ("failed", "exclusion")
        assert any("its replica takes its place" in line for line in unsafe["trace"])

    def test_clocks_that_step_end_leases_and_tokens_make_that_safe(
        self, lockbench: Program, plugin: str
    ) -> None:
        if not any(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")):
            pytest.skip("no libfaketime: install faketime")
        step = ("--faults", "clock_step", "--budget", BUDGET)
        unsafe = stress(lockbench, plugin, "redis", *step, "--ignore-tokens")
        assert (unsafe["verdict"], unsafe["oracle"]) == ("failed", "exclusion"), unsafe
        assert any("the clock of server 0 steps" in line for line in unsafe["trace"])
        safe = stress(lockbench, plugin, "redis", *step[:3], "10s")
        assert safe["verdict"] == "clean" and safe["figures"]["clock_step"] > 0, safe
        most = stress(lockbench, plugin, "redlock", "--faults", "clock_step_most", *step[2:])
        assert (most["verdict"], most["oracle"]) == ("failed", "exclusion"), most
        assert any("each clock of servers" in line for line in most["trace"])

    def test_clock_steps_are_refused_without_the_library_and_done_only_by_name(
        self, lockbench: Program, plugin: str
    ) -> None:
        environment = {**os.environ, "LOCKBENCH_FAKETIME": "/nowhere"}
        words = ["stress", "redlock", "--plugin", plugin, "--engine", "services"]
        done = lockbench.run(
            *words, "--faults", "clock_step,cut", "--budget", "5s", env=environment
        )
        assert done.returncode == 2 and "install faketime" in done.stderr, done.stderr
        assert len(done.stderr.splitlines()) == 1
        report = stress(lockbench, plugin, "redis", "--budget", "1s")
        assert any("not checked: clock steps" in remark for remark in report["remarks"]), report

    @pytest.mark.parametrize(
        ("lock", "oracle", "faults"),
        [
            ("unlock_not_comparing", "exclusion", "stop_holder"),
            ("no_expiry", "progress", "kill_holder"),
            ("same_token", "token", "cut"),
            ("idle_owner", "residue", "cut"),
            # Its tokens grow, and the resource refuses the writes of all but one of its holders.
            ("check_then_set", "exclusion", "cut"),
            ("one_too_many", "exclusion", "stop_holder"),
        ],
    )
    @pytest.mark.usefixtures("plugin")
    def test_each_oracle_reports_the_lock_that_it_is_for(
        self, lockbench: Program, lock: str, oracle: str, faults: str
    ) -> None:
        broken = BROKEN.resolve() / "broken_redis.so"
        if not broken.exists():
            pytest.skip(f"{broken} is not built: cmake --build --preset release --target services")
        report = stress(lockbench, str(broken), lock, "--faults", faults, "--budget", BUDGET)
        assert (report["verdict"], report["oracle"]) == ("failed", oracle), report


@pytest.mark.parametrize("service", [REDIS, ETCD], ids=lambda service: service.name)
def test_a_semaphore_is_clean_under_all_faults(
    lockbench: Program, service: Service, plugin: str
) -> None:
    report = stress(lockbench, plugin, f"{service.name}_semaphore", "--budget", "15s")
    assert report["verdict"] == "clean", report
    for oracle in ("exclusion", "token", "progress", "residue"):
        assert report["evaluations"][oracle] > 0


class TestParameters:
    @pytest.fixture
    def service(self) -> Service:
        return REDIS

    def test_of_a_lock_at_a_service_may_follow_its_name(
        self, lockbench: Program, plugin: str
    ) -> None:
        lock = "redis_semaphore:capacity=3,lease_ms=400"
        report = stress(lockbench, plugin, lock, "--budget", "6s")
        assert report["verdict"] == "clean", report
        assert report["lock"] == lock
        assert "leases of 400 ms" in report["remarks"]

    @pytest.mark.parametrize(
        ("lock", "said"),
        [
            (
                "redis_semaphore:capacity=1",
                "lock 'redis_semaphore': capacity=1; it is a whole number from 2 to 10000",
            ),
            (
                "redis:leas=300",
                "lock 'redis' has no parameter 'leas'; it has lease_ms, poll_ms, renew",
            ),
            (
                "redis:renew=0,renew=1",
                "lock 'redis': renew is given twice; give it once",
            ),
            (
                "file_flock:x=3",
                "lock 'file_flock:x=3': stress chooses the parameters of file_flock itself; "
                "say 'file_flock'",
            ),
        ],
    )
    def test_that_cannot_be_are_refused(
        self, lockbench: Program, plugin: str, lock: str, said: str
    ) -> None:
        assert refusal(lockbench, lock, "--plugin", plugin) == f"lockbench stress: {said}\n"


def may_make_namespaces() -> bool:
    """And virtual interfaces in them."""
    words = ["unshare", "--net", "ip", "tuntap", "add", "dev", "lba", "mode", "tun"]
    try:
        return subprocess.run(words, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


class TestNetwork:
    @pytest.fixture
    def service(self) -> Service:
        return REDIS

    @pytest.mark.skipif(not may_make_namespaces(), reason="no rights for namespaces, or no TUN")
    @pytest.mark.parametrize("lock", ["redis", "redlock"])
    def test_a_partition_may_be_a_link_that_is_down(
        self, lockbench: Program, plugin: str, lock: str
    ) -> None:
        words = ("--network", "namespaces", "--faults", "partition", "--budget", "10s")
        report = stress(lockbench, plugin, lock, *words)
        assert report["verdict"] == "clean", report
        assert report["figures"]["partition"] > 0
        assert any("between network namespaces are lost" in remark for remark in report["remarks"])

    @pytest.mark.skipif(not may_make_namespaces(), reason="no rights for namespaces, or no TUN")
    def test_single_packets_may_be_lost_and_late(self, lockbench: Program, plugin: str) -> None:
        words = ("--network", "namespaces", "--faults", "lose_packets,delay_packets")
        report = stress(lockbench, plugin, "redis", *words, "--budget", "15s")
        assert report["verdict"] == "clean", report
        figures = report["figures"]
        assert figures["lose_packets"] > 0 and figures["delay_packets"] > 0, figures

    def test_single_packets_need_namespaces(self, lockbench: Program, plugin: str) -> None:
        said = refusal(lockbench, "redis", "--plugin", plugin, "--faults", "lose_packets")
        assert said == "lockbench stress: faults: lose_packets: needs --network namespaces\n"

    def test_of_another_kind_is_refused(self, lockbench: Program, plugin: str) -> None:
        said = refusal(lockbench, "redis", "--plugin", plugin, "--network", "pigeons")
        assert said == "lockbench stress: network: 'pigeons'; say proxy or namespaces\n"


LOCKS = {
    "redis": "redis",
    "postgresql": "postgresql_row",
    "etcd": "etcd",
    "zookeeper": "zookeeper",
}


@pytest.mark.parametrize(
    "service", [REDIS, POSTGRESQL, ETCD, ZOOKEEPER], ids=lambda service: service.name
)
def test_a_lock_with_tokens_is_clean_under_all_faults(
    lockbench: Program, service: Service, plugin: str
) -> None:
    lock = LOCKS[service.name]
    report = stress(lockbench, plugin, lock, "--budget", "15s")
    assert report["verdict"] == "clean", report
    for oracle in ("exclusion", "token", "conservation", "progress", "residue"):
        assert report["evaluations"][oracle] > 0
    # Every process has ended with the run.
    assert not list(lockbench.folder.glob("core*"))


@pytest.mark.parametrize("service", [ETCD, ZOOKEEPER], ids=lambda service: service.name)
def test_a_cluster_that_loses_its_leader_or_its_majority_keeps_holds_apart(
    lockbench: Program, service: Service, plugin: str
) -> None:
    (lock,) = service.clusters
    words = ("--faults", "kill_leader,lose_majority", "--budget", "20s")
    report = stress(lockbench, plugin, lock, *words)
    assert report["verdict"] == "clean", report
    figures = report["figures"]
    assert figures["kill_leader"] + figures["lose_majority"] > 0 and figures["lost_updates"] == 0
    # One server alone has no leader that could be lost.
    alone = ["stress", LOCKS[service.name], "--plugin", plugin, "--engine", "services"]
    done = lockbench.run(*alone, "--budget", "5s", *words[:2])
    assert done.returncode == 2 and "cannot be used so" in done.stderr, done.stderr


@pytest.mark.skipif(not may_make_namespaces(), reason="no rights for namespaces, or no TUN")
@pytest.mark.parametrize("service", [ETCD, ZOOKEEPER], ids=lambda service: service.name)
def test_a_leader_that_is_cut_off_from_the_others_grants_nothing_twice(
    lockbench: Program, service: Service, plugin: str
) -> None:
    (lock,) = service.clusters
    words = ("--network", "namespaces", "--faults", "part_leader,part_leader_one_way")
    report = stress(lockbench, plugin, lock, *words, "--budget", "25s")
    assert report["verdict"] == "clean", report
    figures = report["figures"]
    assert figures["part_leader"] > 0 and figures["part_leader_one_way"] > 0, figures
    # Clients alone are on the loopback interface, where members cannot be parted.
    said = refusal(lockbench, lock, "--plugin", plugin, "--faults", "part_leader")
    assert said == "lockbench stress: faults: part_leader: needs --network namespaces\n"


@pytest.mark.parametrize("service", [ZOOKEEPER], ids=lambda service: service.name)
@pytest.mark.usefixtures("service")
def test_a_claim_that_does_not_look_for_its_lost_node_waits_for_itself(
    lockbench: Program, plugin: str
) -> None:
    lock = "zookeeper_as_published"
    report = stress(lockbench, plugin, lock, "--faults", "cut", "--budget", BUDGET)
    assert (report["verdict"], report["oracle"]) == ("failed", "progress"), report


@pytest.mark.parametrize("service", [POSTGRESQL, ZOOKEEPER], ids=lambda service: service.name)
def test_tokens_do_not_go_back_with_the_clock_of_the_server(
    lockbench: Program, service: Service, plugin: str
) -> None:
    if not any(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")):
        pytest.skip("no libfaketime: install faketime")
    faults = {"postgresql": "clock_step,restart_server,kill_holder", "zookeeper": "clock_step"}
    words = ("--faults", faults[service.name], "--budget", "30s")
    report = stress(lockbench, plugin, LOCKS[service.name], *words)
    assert report["verdict"] == "clean" and report["evaluations"]["token"] > 0, report
    assert report["figures"]["clock_step"] > 0, report


def test_what_does_not_exist_is_refused(lockbench: Program, service: Service, plugin: str) -> None:
    words = ["--plugin", plugin, "--engine", "services", "--budget", "5s"]
    lock = LOCKS[service.name]
    refused = {
        ("--faults", "stop"): "`stop` is none; say some of stop_holder,kill_holder",
        ("--threads", "1"): "threads: 1; say 2 to 16 clients",
        ("--mode", "kill"): "--mode is for the engine real or proc",
        ("--program", "L0 U"): "--program is for the engine sim or real",
    }
    for more, said in refused.items():
        done = lockbench.run("stress", lock, *words, *more)
        assert done.returncode == 2 and said in done.stderr, (done.stdout, done.stderr)


@pytest.mark.parametrize(
    "service", [REDIS, POSTGRESQL, ETCD, ZOOKEEPER], ids=lambda service: service.name
)
def test_a_fault_that_the_service_cannot_have_is_refused(
    lockbench: Program, service: Service, plugin: str
) -> None:
    impossible = {
        "redis": ["end_session", "lose_majority", "clock_step_most"],
        "postgresql": ["empty_server", "failover", "clock_step_most"],
        "etcd": ["failover", "clock_step"],
        "zookeeper": ["end_session", "kill_leader"],
    }
    lock = LOCKS[service.name]
    for fault in impossible[service.name]:
        words = ["--plugin", plugin, "--engine", "services", "--budget", "5s", "--faults", fault]
        done = lockbench.run("stress", lock, *words)
        assert done.returncode == 2, (done.stdout, done.stderr)
        assert f"servers of {service.name} cannot be used so" in done.stderr
