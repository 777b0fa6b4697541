# SPDX-License-Identifier: Apache-2.0
"""Plans of locks of services, and their runs."""

from __future__ import annotations

import os
import subprocess

from program import Program, last_attempts


def plan(*sweep: str) -> str:
    return "\n".join(['title = "Services"', "blocks = 1", "[[sweep]]", *sweep]) + "\n"


def primitives(*names: str) -> str:
    return "primitive = [" + ", ".join(f'"{name}"' for name in names) + "]"


def write(lockbench: Program, text: str) -> None:
    (lockbench.folder / "plan.toml").write_text(text, encoding="utf-8")


def start(
    lockbench: Program, plugin: str, text: str, variable: str, address: str
) -> subprocess.Popen[str]:
    """Begins a run at the server that the variable names."""
    write(lockbench, text)
    words = ["run", "plan.toml", "--plugin", plugin, "--out", "out"]
    process: subprocess.Popen[str] = lockbench.start(*words, env={**os.environ, variable: address})
    return process


def finished(lockbench: Program, process: subprocess.Popen[str]) -> dict[str, dict[str, str]]:
    """The row of each scenario of a run that ends well."""
    _, stderr = process.communicate(timeout=100)
    assert process.returncode == 0, stderr
    return {row["scenario"]: row for row in last_attempts(lockbench.folder / "out")}


def assert_refused_if_checked(rows: dict[str, dict[str, str]]) -> None:
    """Holds ended early; a resource that checks tokens refused their writes, and loses none."""
    for row in rows.values():
        assert row["outcome"] == "ok", row
        assert int(row["expired_holds"]) > 0
    assert rows[""]["lost_updates"] == "0" and int(rows[""]["refused_writes"]) > 0
    assert int(rows["unchecked"]["lost_updates"]) > 0


def run(
    lockbench: Program, plugin: str, text: str, out: str = "out", **how: object
) -> list[dict[str, str]]:
    write(lockbench, text)
    done = lockbench.run("run", "plan.toml", "--plugin", plugin, "--out", out, **how)
    assert done.returncode == 0, (done.stdout, done.stderr)
    return last_attempts(lockbench.folder / out)


def refused(lockbench: Program, plugin: str, text: str, *more: str, **how: object) -> str:
    """One line, before anything is measured."""
    write(lockbench, text)
    done = lockbench.run("run", "plan.toml", "--plugin", plugin, "--out", "refused", *more, **how)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert not (lockbench.folder / "refused").exists()
    return done.stderr
