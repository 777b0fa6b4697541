# SPDX-License-Identifier: Apache-2.0
"""Plans of locks of services, and their runs."""

from __future__ import annotations

from program import Program, last_attempts


def plan(*sweep: str) -> str:
    return "\n".join(['title = "Services"', "blocks = 1", "[[sweep]]", *sweep]) + "\n"


def primitives(*names: str) -> str:
    return "primitive = [" + ", ".join(f'"{name}"' for name in names) + "]"


def write(lockbench: Program, text: str) -> None:
    (lockbench.folder / "plan.toml").write_text(text, encoding="utf-8")


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
