# SPDX-License-Identifier: Apache-2.0
"""Made-up runs as if they had been predicted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

# Machines that as_predicted() names begin so.
PREDICTED = "prediction for Imaginary 64"


def as_predicted(run: Path, names: Sequence[str] = ("m64",), some: bool = False) -> Path:
    """The run as if it had been predicted for these machines of 64 processors; `some`: every other
    row was measured."""
    trials = run / "trials.csv"
    header, *rows = trials.read_text(encoding="utf-8").splitlines()
    lines = [f"{header},machine,predicted"]
    for i, row in enumerate(rows):
        kind = "" if some and i % 2 else "true"
        lines += [f"{row},{name},{kind}" for name in names]
    trials.write_text("\n".join(lines) + "\n", encoding="utf-8")
    meta = json.loads((run / "meta.json").read_text(encoding="utf-8"))
    about = [
        {"id": name, "cpu_model": f"{PREDICTED}, {name}", "cores": 64, "usable_threads": 64}
        for name in names
    ]
    meta.update(machine=about[0], machines=about)
    meta.pop("plan", None)
    (run / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    return run


def predicted_here(run: Path) -> Path:
    """As if the machine of the run had been predicted."""
    trials = run / "trials.csv"
    header, *rows = trials.read_text(encoding="utf-8").splitlines()
    assert "predicted" not in header
    lines = [f"{header},predicted", *(f"{row},true" for row in rows)]
    trials.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return run
