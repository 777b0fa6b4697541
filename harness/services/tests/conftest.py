# SPDX-License-Identifier: Apache-2.0
"""Gives each test the program in an empty folder, and skips what this machine cannot test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import postgresql
from program import lockbench  # noqa: F401
from servers import POSTGRESQL, SERVICES, OwnServer, Service

PLUGINS = Path(os.environ.get("LOCKBENCH_SERVICES", "build/release/services")).resolve()


@pytest.fixture(params=SERVICES, ids=lambda service: service.name)
def service(request: pytest.FixtureRequest) -> Service:
    return request.param


@pytest.fixture
def plugin(service: Service) -> str:
    if service.missing():
        pytest.skip(f"no {service.program}: install {service.package}")
    file = PLUGINS / f"{service.name}.so"
    if not file.exists():
        pytest.skip(f"{file} is not built: cmake --build --preset release --target services")
    return str(file)


@pytest.fixture
def own(service: Service, plugin: str, tmp_path: Path) -> Iterator[OwnServer]:
    with service.server(tmp_path) as server:
        yield server


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a PostgreSQL server."""
    if POSTGRESQL.missing():
        pytest.skip("no postgres: install postgresql")
    with postgresql.server() as address:
        yield address
