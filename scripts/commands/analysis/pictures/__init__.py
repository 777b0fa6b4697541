# SPDX-License-Identifier: Apache-2.0
"""Pictures of a run, one module each.

A picture is a pure function of a run: `draw(run)` gives a figure, or None when the run has nothing
for it. To add one, write its module, with a docstring that states its purpose, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from matplotlib.figure import Figure

from analysis.fleet import Fleet
from analysis.loader import Run
from analysis.machines import Machine
from analysis.pictures import (
    by_machine,
    cost,
    cost_by_load,
    events,
    fairness,
    late_writes,
    makespan,
    micro,
    on_cores,
    readers_or_mutex,
)
from analysis.pictures import scalability, throughput, wait, wait_by_rate, winner

PICTURES: dict[str, Callable[[Run], Figure | None]] = {
    "which-on-which-cores": on_cores.draw,
    "cost-by-load": cost_by_load.draw,
    "wait-by-load": cost_by_load.draw_waits,
    "winner": winner.draw,
    "readers-or-mutex": readers_or_mutex.draw,
    "wait": wait.draw,
    "wait-by-rate": wait_by_rate.draw,
    "fairness": fairness.draw,
    "makespan": makespan.draw,
    "late-writes": late_writes.draw,
    "cost": cost.draw,
    "events": events.draw,
    "uncontended": micro.draw,
    "scalability": scalability.draw,
    **{f"throughput-by-{name}": sweep.draw for name, sweep in throughput.SWEEPS.items()},
    "throughput": throughput.draw,
}

# Pictures of several machines.
OF_MACHINES: dict[str, Callable[[Sequence[Machine]], Figure | None]] = {
    "by-machine": lambda members: by_machine.draw(Fleet(members)),
    "cost-by-load": cost_by_load.draw_machines,
}
