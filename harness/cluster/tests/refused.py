# SPDX-License-Identifier: Apache-2.0
"""Refused by `doctor --nodes`, `merge` and `submit`: rows of tests/command/test_bad_input.py."""

from __future__ import annotations

REFUSED: list[tuple[str, ...]] = [
    ("doctor --nodes pbs", "'pbs' is neither slurm nor parallel"),
    ("doctor --nodes parallel", "--hosts: not given"),
    ("doctor --nodes parallel --hosts nowhere", "nowhere"),
    ("doctor --nodes slurm --hosts h", "--hosts: has no meaning with slurm"),
    ("doctor --hosts h", "--hosts: is for the nodes of a cluster; write --nodes slurm"),
    ("doctor --nodes slurm", "call it on a node that has Slurm"),
    ("merge", "folder"),
    ("merge all", "name the folders of shards"),
    ("merge all nowhere", "nowhere: no such folder"),
    ("merge all folder.toml", "holds no run, nor do the folders in it"),
    ("submit", "wants slurm, parallel or progress first"),
    ("submit pbs quick", "wants slurm, parallel or progress first"),
    ("submit slurm", "slurm: name a preset"),
    ("submit slurm quick", "--shards: not given"),
    ("submit slurm quikc --shards 5", "quick"),
    ("submit slurm quick --shards 9999", "9999 shards are too many for this plan"),
    ("submit slurm quick --shards 5 --hosts h", "--hosts: has no meaning with slurm"),
    ("submit slurm quick --shards 5 -- --blok 3", "did you mean '--blocks'?"),
    ("submit slurm quick --shards 5 -- --dry-run", "write --dry-run before `--`"),
    ("submit parallel quick", "--hosts: not given"),
    ("submit parallel quick --hosts nowhere", "nowhere"),
    ("submit parallel quick --hosts h --time 1", "--time: has no meaning with"),
    ("submit progress", "name the folder"),
    ("submit progress nowhere", "nowhere/shards: no such folder"),
]  # fmt: skip
