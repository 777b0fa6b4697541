# SPDX-License-Identifier: Apache-2.0
"""TLS to servers with a certificate that a test has made, where the client libraries have it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import postgresql
import pytest
from conftest import PLUGINS
from plans import plan, primitives, refused, run
from program import Program, free_port
from servers import ETCD, POSTGRESQL, Service, etcd_process

COUNTER = ('workload = "service_counter"', 'mode = "fixed"', "threads = 2", "operations = 20")


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1, signed by itself, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl: install openssl")
    made, key = tmp_path / "server.crt", tmp_path / "server.key"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    words += ["-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    words += ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(
        [*words, "-out", str(made), "-keyout", str(key)], check=True, capture_output=True
    )
    return made, key


def built(service: Service) -> str:
    file = PLUGINS / f"{service.name}.so"
    if service.missing() or not file.exists():
        pytest.skip(f"no {service.program}, or {file} is not built")
    return str(file)


def test_etcd(lockbench: Program, certificate: tuple[Path, Path], tmp_path: Path) -> None:
    plugin = built(ETCD)
    made, key = certificate
    with etcd_process(tmp_path, f"--cert-file={made}", f"--key-file={key}", certificate=made) as (
        port,
        _,
    ):
        text = plan(primitives("etcd"), *COUNTER)
        environment = {**os.environ, "LOCKBENCH_ETCD": f"etcds://127.0.0.1:{port}"}
        trusting = {**environment, "SSL_CERT_FILE": str(made)}
        (row,) = run(lockbench, plugin, text, env=trusting)
        assert (row["outcome"], row["lost_updates"]) == ("ok", "0"), row
        said = refused(lockbench, plugin, text, env=environment)
        assert f"etcd at 127.0.0.1:{port}: cannot connect by TLS: " in said
        plain = {**environment, "LOCKBENCH_ETCD": f"127.0.0.1:{port}"}
        assert f"etcd at 127.0.0.1:{port}: " in refused(lockbench, plugin, text, env=plain)


def test_postgresql(lockbench: Program, certificate: tuple[Path, Path]) -> None:
    plugin = built(POSTGRESQL)
    made, key = certificate
    port = free_port()
    with postgresql.server("secret", tls=(port, made, key)):
        text = plan(primitives("postgresql_advisory"), *COUNTER)
        account = f"postgresql://lockbench:secret@127.0.0.1:{port}/postgres"
        checked = f"{account}?sslmode=verify-full&sslrootcert={made}"
        environment = {**os.environ, "LOCKBENCH_POSTGRESQL": checked}
        (row,) = run(lockbench, plugin, text, env=environment)
        assert (row["outcome"], row["lost_updates"]) == ("ok", "0"), row
        # The server takes no connection without TLS, and its certificate is not the system's.
        for mode in ("disable", "verify-full"):
            environment["LOCKBENCH_POSTGRESQL"] = f"{account}?sslmode={mode}"
            said = refused(lockbench, plugin, text, env=environment)
            assert "cannot connect: " in said and "secret" not in said


@pytest.mark.parametrize("name", ["redis", "zookeeper"])
def test_a_library_without_tls_is_told(lockbench: Program, name: str) -> None:
    file = PLUGINS / f"{name}.so"
    if not file.exists():
        pytest.skip(f"{file} is not built: cmake --build --preset release --target services")
    environment = {**os.environ, f"LOCKBENCH_{name.upper()}": f"{name}s://127.0.0.1:1"}
    said = refused(lockbench, str(file), plan(primitives(name), *COUNTER), env=environment)
    assert f"{name}: its client library has no TLS here" in said
