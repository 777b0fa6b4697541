# SPDX-License-Identifier: Apache-2.0
"""Makes run folders that look as if they had been measured.

A plan is a list of cells; each becomes one row a block. Their figures are rough (waiting grows with
threads per lock) but have the shape of the real thing: drift between blocks, a few ten percent
between primitives, percentiles that spread under contention. Everything follows from the seed.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from analysis import loader

COLUMNS = loader.COLUMNS

META: dict[str, Any] = {
    "schema_version": 1,
    "run_id": "20250101-120000",
    "machine": {
        "cpu_model": "Imaginary CPU @ 3.00GHz",
        "cores": 4,
        "threads_per_core": 2,
        "hardware_threads": 8,
    },
    "build": {"compiler": "g++ 12.2.0", "flags": "-O2", "commit": "0123456"},
}

# Cost of an uncontended pair in ns, and how badly it takes contention.
CHARACTER = {
    "none": (1.0, 0.0),
    "global": (9.0, 0.6),
    "global:lock=std": (18.0, 0.8),
    "global:lock=absl": (40.0, 0.9),
    "global:lock=tbb_spin": (10.0, 1.4),
    "global:lock=tbb": (16.0, 1.0),
    "global:lock=pthread_spin": (11.0, 1.5),
    "global:lock=tbb_queuing": (20.0, 2.5),
    "keyed": (10.0, 0.6),
    "keyed_table": (75.0, 1.0),
    "keyed_table64": (60.0, 0.9),
    "keyed_tbb": (95.0, 1.6),
    "keyed_absl": (55.0, 0.9),
    "keyed_leaky": (50.0, 0.9),
    "striped": (9.5, 0.6),
    "striped:lock=std,stripes=64": (18.5, 0.8),
    "striped_vector": (21.0, 1.1),
    "reentrant": (6.0, 0.7),
    "recursive_mutex": (17.8, 0.8),
    "lease": (8.0, 0.6),
    "lease_condvar": (37.0, 1.1),
    "lease_tbb": (55.0, 1.3),
    "lease_semaphore": (45.0, 1.0),
}

COUNTER = [p for p in CHARACTER if not p.startswith(("reentrant", "recursive", "lease"))]


def sweep(
    primitives: Iterable[str] = ("global:lock=std", "keyed", "striped"),
    threads: Iterable[int] = (1, 2, 4, 8),
    keys: Iterable[int] = (64,),
    holds: Iterable[int] = (200,),
    workload: str = "counter",
    scenario: str = "",
    mode: str = "timed",
) -> list[dict[str, Any]]:
    """Every combination, as cells."""
    return [
        {
            "primitive": p.partition(":")[0],
            "params": p.partition(":")[2],
            "workload": workload,
            "scenario": scenario,
            "mode": mode,
            "threads": t,
            "keys": k,
            "hold_kind": "spin" if h else "none",
            "hold_ns": h,
        }
        for t in threads
        for k in keys
        for h in holds
        for p in primitives
    ]


def on_kinds(
    primitives: Iterable[str] = ("global", "keyed", "striped"), keys: Iterable[int] = (1,)
) -> list[dict[str, Any]]:
    """Like the preset `hybrid`: four threads on fast cores, on slow ones, and on two of each."""
    kinds = {"kind:fast": "fast 4", "kind:slow": "slow 4", "mixed:2+2": "fast 2, slow 2"}
    loaded = {"load_share": 0.9, "think_kind": "spin", "think_ns": 1000}
    return [
        {**cell, **loaded, "pinning": pinning, "threads_by_kind": threads}
        for pinning, threads in kinds.items()
        for cell in sweep(primitives, threads=(4,), keys=keys)
    ]


def serve_slow_cores(row: dict[str, Any], share: float, p99_ns: float = 40_000.0) -> None:
    """What the slow cores of a row got, if its threads were on two kinds; slow cores are slower."""
    row["operations_per_s"] *= {"kind:slow": 0.4, "mixed:2+2": 0.6}.get(row["pinning"], 1.0)
    if row["pinning"] == "mixed:2+2":
        row.update(slow_operations_share=share * (1 + 0.01 * row["block"]))
        row.update(fast_wait_p99_ns=4000.0, slow_wait_p99_ns=p99_ns)


def quick() -> list[dict[str, Any]]:
    """Like the preset of that name: all five primitives with their baselines."""
    return [
        *sweep(COUNTER, threads=(1, 2, 4, 8), keys=(1, 64)),
        *sweep(["reentrant", "recursive_mutex"], (1, 4), (1,), (0,), "nested", "mixed_lock_unlock"),
        *sweep(
            [p for p in CHARACTER if p.startswith("lease")],
            (2, 4, 8, 16),
            (1,),
            workload="checkout",
        ),
        *sweep(["none", "global", "keyed"], (21,), (6,), (100_000_000,), mode="fixed"),
    ]


def independent_locks(cell: dict[str, Any]) -> float:
    """How many threads can be inside at once."""
    name, keys = cell["primitive"], cell["keys"]
    if name.startswith("global") or name in ("reentrant", "recursive_mutex"):
        return 1
    if name.startswith("lease"):
        return 10
    if name.startswith("striped"):
        return min(keys, 20)
    return keys


def measured(cell: dict[str, Any], draw: random.Random, drift: float) -> dict[str, Any]:
    """The figures of one trial of the cell."""
    label = cell["primitive"] + (":" + cell["params"] if cell["params"] else "")
    cost, contention = CHARACTER.get(label, (30.0, 1.0))
    threads, hold = cell["threads"], cell["hold_ns"]
    crowd = max(0.0, threads / independent_locks(cell) - 0.6)
    pair = (cost + hold + contention * 60 * crowd / (1 + 0.05 * crowd)) * drift
    pair *= draw.lognormvariate(0, 0.03)
    parallel = min(threads, 8, independent_locks(cell)) if cell["primitive"] != "none" else threads
    rate = 1e9 / pair * max(1.0, 0.9 * parallel)
    unfair = min(0.9, contention * 0.1 * crowd) * draw.uniform(0.6, 1.2)
    wait = cost + crowd * pair
    window = 0.1
    operations = int(rate * window)
    figures: dict[str, Any] = {
        "window_s": window,
        "operations": operations,
        "operations_per_s": operations / window,
        "thread_operations_min": int(operations / threads * (1 - unfair)),
        "thread_operations_max": int(operations / threads * (1 + unfair)),
        "fairness_jain": 1 / (1 + unfair**2 / 3),
        "overlap": 0.99,
        "cpu_user_s": window * min(threads, 8) * 0.9,
        "cpu_system_s": window * min(threads, 8) * 0.1 * min(1, crowd),
        "lock_bytes": {"none": 0, "global": 64}.get(cell["primitive"], 64 * 20),
        "wait_samples": operations // 64,
        "wait_mean_ns": wait,
        "wait_p50_ns": wait * 0.7,
        "wait_p90_ns": wait * 2 * (1 + unfair),
        "wait_p99_ns": wait * 8 * (1 + unfair) ** 3 * draw.lognormvariate(0, 0.2),
        "wait_p999_ns": wait * 60 * (1 + unfair) ** 5 * draw.lognormvariate(0, 0.4),
        "wait_max_ns": wait * 900 * (1 + unfair) ** 5 * draw.lognormvariate(0, 0.8),
        "lost_updates": 0,
        "violations": 0,
        "valid": "true",
        "outcome": "ok",
    }
    if cell["mode"] == "open":
        figures.update(served(cell, rate, window))
    if cell["mode"] == "fixed":
        figures.update(fixed(cell, draw))
    if cell["primitive"] == "none" and threads > 1:
        operations = figures["operations"]
        lost = int(operations * 0.7)
        figures.update(
            lost_updates=lost, valid="false", reason=f"lost {lost} of {operations} updates"
        )
    return figures


def arriving(cells: list[dict[str, Any]], rates: Iterable[int]) -> list[dict[str, Any]]:
    """The cells as open loops, each at every rate."""
    return [
        {**cell, "mode": "open", "rate_per_s": rate, "arrivals": "poisson"}
        for rate in rates
        for cell in cells
    ]


def served(cell: dict[str, Any], capacity: float, window: float) -> dict[str, Any]:
    """An open loop: waits of one queue in front of all, until it outgrows the window."""
    offered = cell["rate_per_s"]
    load = offered / capacity
    mean = 1e9 / capacity * (1 / (1 - min(load, 0.999)))
    if load >= 1:
        mean = window * 1e9 * (1 - 1 / load) / 2
    done = int(min(offered, capacity) * window)
    return {
        "operations": done,
        "operations_per_s": done / window,
        "unserved": max(0, int(offered * window) - done),
        "idle_lateness_mean_ns": 900.0,
        "wait_mean_ns": mean,
        "wait_p50_ns": mean * 0.7,
        "wait_p90_ns": mean * 2.3,
        "wait_p99_ns": mean * 4.6,
        "wait_p999_ns": mean * 6.9,
        "wait_max_ns": mean * 10,
    }


def fixed(cell: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """Each thread once: the makespan is the longest queue's holds, and a little."""
    per_key = -(-cell["threads"] // max(1, cell["keys"])) + 2
    ideal = min(per_key, cell["threads"]) * cell["hold_ns"] / 1e9
    queue = cell["threads"] * cell["hold_ns"] / 1e9
    alone = cell["primitive"] == "global"
    makespan = (queue if alone else ideal) * (1 + draw.uniform(0.001, 0.008))
    return {
        "operations": cell["threads"],
        "operations_planned": cell["threads"],
        "operations_per_s": cell["threads"] / makespan,
        "makespan_s": makespan,
        "ideal_s": ideal,
        "efficiency": ideal / makespan,
        "thread_operations_min": 1,
        "thread_operations_max": 1,
        "fairness_jain": 1,
    }


def rows(
    cells: list[dict[str, Any]],
    blocks: int = 5,
    seed: int = 1,
    run_id: str = "20250101-120000",
    change: Callable[[dict[str, Any]], None] | None = None,
) -> list[dict[str, Any]]:
    """All trials of the plan; `change` may spoil a row before it is written."""
    draw = random.Random(seed)
    found: list[dict[str, Any]] = []
    for block in range(blocks):
        drift = draw.lognormvariate(0, 0.1)
        order = draw.sample(range(len(cells)), len(cells))
        for position, index in enumerate(order):
            row: dict[str, Any] = {name: "" for name in COLUMNS}
            row.update(
                schema_version=1,
                run_id=run_id,
                preset="synthetic",
                trial=len(found),
                block=block,
                position=position,
                key_type="u64",
                key_distribution="uniform",
                think_kind="none",
                think_ns=0,
                pinning="none",
                seed=seed + block,
                warmup_s=0.01,
                sample_every=64,
                timeout_ns=0,
                attempt=0,
                steal_share=0.001,
                other_cpu_share=0.01,
                started_at="2025-01-01T12:00:00Z",
            )
            row.update(cells[index])
            row.update(measured(cells[index], draw, drift))
            if change is not None:
                change(row)
            found.append(row)
    return found


def write_run(
    folder: Path,
    cells: list[dict[str, Any]] | None = None,
    meta: dict[str, Any] | None = None,
    change_all: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] | None = None,
    **options: Any,
) -> Path:
    """Writes trials.csv, latency.csv and meta.json into `folder` and gives it back."""
    folder.mkdir(parents=True, exist_ok=True)
    found = rows(sweep() if cells is None else cells, **options)
    if change_all is not None:
        found = change_all(found)
    with open(folder / "trials.csv", "w", newline="", encoding="utf-8") as out:
        names = dict.fromkeys([*COLUMNS, *(name for row in found for name in row)])
        writer = csv.DictWriter(out, list(names), lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
    lines = ["run_id,trial,kind,low_ns,high_ns,count,attempt"]
    lines += [
        f"{r['run_id']},{r['trial']},wait,{16 << i},{(32 << i) - 1},{100 >> i},{r['attempt']}"
        for r in found
        for i in range(6)
    ]
    (folder / "latency.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if meta is None:
        meta = {**META, "run_id": found[0]["run_id"]} if found else META
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    return folder


def machine(number: int, cores: int = 4) -> dict[str, Any]:
    """meta.json of one machine among many."""
    own: dict[str, Any] = {
        **META["machine"],
        "id": f"node{number}-abc",
        "host": f"node{number}",
        "boot_id": f"boot-{number}",
        "cores": cores,
        "hardware_threads": 2 * cores,
    }
    return {**META, "run_id": f"run-{number}", "machine": own}


def write_fleet(
    folder: Path,
    count: int = 3,
    cells: list[dict[str, Any]] | None = None,
    speeds: Callable[[int, str], float] = lambda number, label: 1.0,
    **options: Any,
) -> list[Path]:
    """A run of each of `count` machines: machine `number` has 2, 4, 8 … cores, and is `speeds`
    times as fast with each primitive as a run of this module is."""

    def run(number: int) -> Path:
        def change(row: dict[str, Any]) -> None:
            label = row["primitive"] + (":" + row["params"] if row["params"] else "")
            row["operations_per_s"] *= speeds(number, label)

        return write_run(
            folder / f"node{number}",
            cells=cells,
            meta=machine(number, 2 << number % 3),
            seed=number + 1,
            run_id=f"run-{number}",
            change=change,
            **options,
        )

    return [run(number) for number in range(count)]
