# SPDX-License-Identifier: Apache-2.0
"""The locks of the catalog, and how their names are compared."""

from __future__ import annotations

import json
from typing import Any

from program import Program

Spelling = tuple[str, frozenset[str]]


def spelling(name: str) -> Spelling:
    """`lease:order=fifo,nesting=share` is `lease:nesting=share,order=fifo`."""
    primitive, _, parameters = name.partition(":")
    return primitive, frozenset(filter(None, parameters.split(",")))


def spelt_out(entry: dict[str, Any]) -> Spelling:
    """With the parameters that its name leaves out."""
    parameters = (f"{name}={value}" for name, value in entry["parameters"].items())
    return entry["primitive"], frozenset(parameters)


def catalog(lockbench: Program) -> list[dict[str, Any]]:
    done = lockbench.run("list", "primitives", "--format", "json")
    return list(json.loads(done.stdout)["primitives"])


def is_ours(entry: dict[str, Any]) -> bool:
    return bool(entry["origin"] == "lockbench")
