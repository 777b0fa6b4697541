# SPDX-License-Identifier: Apache-2.0
"""Two versions of a lock, measured in turn: which commands measure them, and in which order. Pure.

Both versions have one plan of N blocks, and block I is shard I/N of it. So each version is a run as
any other, and block I of one was measured right beside block I of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

NAMES = ("A", "B")
_LATER_PATIENCE = "2s"


@dataclass(frozen=True)
class Version:
    """One of the two: a lockbench, and the plug-in with the lock if it is in one."""

    name: str  # A or B
    what: str  # in words: the file, or the revision
    lockbench: str
    plugin: Path | None = None

    def run(self, words: Sequence[str], block: int, blocks: int, out: Path) -> list[str]:
        """The command that measures a block, which counts from 1. Only the first one waits long for
        a quiet machine: its successors follow at once."""
        plugin = [] if self.plugin is None else ["--plugin", str(self.plugin)]
        shard = ["--blocks", str(blocks), "--shard", f"{block}/{blocks}"]
        folder = ["--out", str(self.part(out, block)), "--progress", "off"]
        patient = block == 1 or any(word.split("=")[0] == "--patience" for word in words)
        patience = [] if patient else ["--patience", _LATER_PATIENCE]
        return [self.lockbench, "run", *words, *plugin, *shard, *folder, *patience]

    def merge(self, blocks: int, out: Path) -> list[str]:
        """The command that makes one run of the blocks."""
        parts = [str(self.part(out, block)) for block in range(1, blocks + 1)]
        return [self.lockbench, "merge", str(self.folder(out)), *parts]

    def part(self, out: Path, block: int) -> Path:
        return out / "blocks" / f"{self.name}{block}"

    def folder(self, out: Path) -> Path:
        return out / self.name


def order(blocks: int) -> Iterator[tuple[int, int]]:
    """Block and version, in the order of measurement: A B, B A, A B, so that neither always comes
    after the other."""
    for block in range(1, blocks + 1):
        for version in (0, 1) if block % 2 else (1, 0):
            yield block, version


def common_locks(brought: Sequence[Sequence[str]], plugins: Sequence[str]) -> tuple[list[str], str]:
    """The primitives that both plug-ins bring; or none, and what is wrong."""
    one, other = brought
    common = [name for name in one if name in other]
    if common:
        return common, ""
    return [], (
        f"{plugins[0]} brings {', '.join(one) or 'no lock to measure'} and {plugins[1]} brings"
        f" {', '.join(other) or 'no lock to measure'}: no name is in both; give the lock one name"
        " in both, or measure two names in one run, with --plugin and --primitive for each, and"
        " name one as --baseline of compare"
    )
