# SPDX-License-Identifier: Apache-2.0
"""Input that `model` refuses, and the messages: rows of tests/command/test_bad_input.py."""

from __future__ import annotations

REFUSED: list[tuple[str, ...]] = [
    ("model", "no model given"),
    ("model kyed", "did you mean 'keyed'?"),
    ("model keyed --thread 3", "did you mean '--threads'?"),
    ("model keyed --order opposite", "--order needs --nested"),
    ("model keyed --nested --order sideways", "same, opposite, twice"),
    ("model keyed --threads 1000", "1 to 64"),
    ("model keyed --file x.pnml", "leave out 'keyed'"),
    ("model keyed --budget soon", "--budget"),
    ("model keyed --conform --budget 0s", "lockbench model: --budget: leaves no time"),
    ("model keyed --engine prc", "none of sim, real, proc"),
    ("model keyed --engine real", "needs --conform"),
    ("model keyed --lock global", "needs --conform"),
    ("model keyed --conform --lock global", "it has 2 locks, the code 1"),
    ("model keyed --lock nosuch --conform", "no engine knows the lock 'nosuch'; they know "),
    ("model keyed --trace nowhere.txt", "lockbench model: nowhere.txt: "),
    ("model keyed --trace .", "lockbench model: .: "),
    ("model global --stripes 3", "leave out --stripes"),
    ("model --file nowhere.pnml", "lockbench model: nowhere.pnml: No such file"),
    ("model --file .", "Is a directory"),
    ("model --file x.pnml --nested", "leave out --nested"),
]  # fmt: skip
