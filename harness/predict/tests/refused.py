# SPDX-License-Identifier: Apache-2.0
"""Refused by `predict`, `calibrate-machine` and `advise --machine`: for test_bad_input.py."""

from __future__ import annotations

REFUSED: list[tuple[str, ...]] = [
    ("calibrate-machine --out mine", "files that end in .toml; name it mine.toml"),
    ("calibrate-machine --out ''", "name it here.toml"),
    ("calibrate-machine --name ''", "--name: '' is no name"),
    ("calibrate-machine --name a/b", "write a word without /"),
    ("calibrate-machine --name a --out b.toml", "leave out --name or --out"),
    ("calibrate-machine mine.toml", "unexpected word 'mine.toml'"),
    ("predict quick", "--machine: not given; name a machine (lockbench list machines)"),
    ("predict --machine i7-1165g8", "unknown machine 'i7-1165g8'; did you mean 'i7-1165g7'?"),
    ("predict --machine gone.toml", "gone.toml: No such file or directory; name a machine's file"),
    ("predict --machine graviton3 --machine graviton3", "'graviton3' is given twice"),
    ("predict --machine graviton3 --primitive keyed_absl --threads 1",
     "no cell of the plan can be predicted: primitive keyed_absl"),
    ("predict --resume x --machine graviton3", "--resume: goes on with the plan of that"),
    ("advise --threads 2 --keys 1 --across-machines --machine here", "leave out --machine"),
    ("advise --threads 2 --keys 4 --machine nix", "unknown machine 'nix'"),
    ("advise --threads 2 --keys 4 --machine graviton3 --budget 3s", "leave out --budget"),
    ("advise --threads 2 --keys 4 --machine graviton3 --memory 1KiB", "leave out --memory"),
    ("advise --threads 2 --keys 4 --machine graviton3 --across-machines", "the model of a machine"),
]  # fmt: skip
