# SPDX-License-Identifier: Apache-2.0
"""Promises about what is measured and judged."""

from __future__ import annotations

import math
import statistics as means
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.stats import binom

from analysis import locking_cost, scalability as usl, verdict
from analysis.loader import Run
from promises.finding import Finding
from promises.lab import Lab, RunFailed

DELAY_NS = 1000
DELAY_WITHIN = 0.03

LOADS = (0.1, 0.5, 0.9)
LOAD_WITHIN = 0.03
LOADED_DELAY_NS = 100
LOADED_DELAY_WITHIN = 0.1
# It is a difference of two long operations, each measured in a process of its own. At 10 % load
# a machine that is 0.3 % slower for one of them than for the other changes it by 6 ns with a hold
# of 200 ns, and by 30 ns with one of 1 µs. So blocks are added until chance has no more than half
# of what the promise leaves. Processes differ by 20 to 35 ns, as much in a window of 25 ms as in
# one of 200 ms, and whether they ran one after the other or not: so blocks are many and short.
LOADED_DELAY_HOLD = "200ns"
LOADED_DELAY_BLOCKS = 100
LOADED_DELAY_WINDOW = "25ms"
LOADED_DELAY_MOST_ROUNDS = 8
LOADED_DELAY_CHANCE = LOADED_DELAY_WITHIN / 2

STALL_NS = 50e6  # half of the stall
CLOSED_NS = 1e6

TWINS = 200
TWIN_BLOCKS = 5

SLOWER_TIMES = 20
SLOWER_FOUND = 0.9
SLOWER_SECONDS = 60

JAIN_WITHIN = 0.01

CURVES = 20
CURVE_NOISE = 0.02
CURVE_WITHIN = 0.05


def _medians(run: Run, column: str) -> dict[str, float]:
    return {str(label): float(rows[column].median()) for label, rows in run.valid.groupby("label")}


def delay(lab: Lab) -> Finding:
    """The same code with and without the delay; the difference is taken within each block."""
    words = ["--primitive", "delayed:ns=0", "--primitive", f"delayed:ns={DELAY_NS}"]
    words += ["--threads", "1", "--hold", "100ns", "--blocks", "15", "--window", "100ms"]
    run = lab.run("delay", words)
    by_block = run.valid.pivot(index="block", columns="label", values="operation_ns").dropna()
    if by_block.shape[1] < 2 or by_block.empty:
        raise RunFailed("no block has both locks valid")
    found = float((by_block[f"delayed:ns={DELAY_NS}"] - by_block["delayed:ns=0"]).median())
    return Finding(
        f"a lock delayed by {DELAY_NS:,} ns",
        f"measured within {DELAY_WITHIN:.0%}",
        f"{found:,.1f} ns ({found / DELAY_NS - 1:+.1%}, {len(by_block)} blocks)",
        abs(found / DELAY_NS - 1) <= DELAY_WITHIN,
    )


def _at_loads(lab: Lab, name: str, words: list[str], hold: str = "1us") -> Run:
    loads = ",".join(f"{load:.0%}" for load in LOADS)
    common = ["--threads", "1", "--keys", "1", "--hold", hold, "--load", loads]
    return lab.run(name, [*common, *words])


def load(lab: Lab) -> Finding:
    """One thread without a lock: nothing but hold and think time takes its time."""
    words = ["--primitive", "none", "--blocks", "9", "--window", "200ms"]
    words += ["--sample-every", "16"]
    run = _at_loads(lab, "load", words)
    busy = run.valid.groupby("load_share")["busy_share"].median()
    if list(busy.index) != list(LOADS):
        raise RunFailed("no valid trial at a load")
    apart = max(abs(found - asked) for asked, found in busy.items())
    shares = ", ".join(f"{found:.1%} for {asked:.0%}" for asked, found in busy.items())
    return Finding(
        "the load that was asked for, one thread",
        f"the key is busy within {100 * LOAD_WITHIN:.0f} points of it",
        f"{shares} ({100 * apart:.1f} points apart at most)",
        apart <= LOAD_WITHIN,
    )


def loaded_delay(lab: Lab) -> Finding:
    """A known delay, measured as a cost of locking at each load, block by block, until the medians
    of the blocks are known closely enough."""
    differences: dict[float, list[float]] = {share: [] for share in LOADS}
    for number in range(LOADED_DELAY_MOST_ROUNDS):
        for share, own in _loaded_differences(lab, f"loaded-delay-{number}").items():
            differences[share] += own
        if not all(differences.values()):
            raise RunFailed("no block has both locks valid at a load")
        medians = {share: known_median(own) for share, own in differences.items()}
        chance = max(either for _, either in medians.values()) / LOADED_DELAY_NS
        if chance <= LOADED_DELAY_CHANCE:
            break
    apart = max(abs(ns / LOADED_DELAY_NS - 1) for ns, _ in medians.values())
    costs = ", ".join(f"{ns:.1f} ± {e:.1f} ns at {share:.0%}" for share, (ns, e) in medians.items())
    blocks = max(map(len, differences.values()))
    return Finding(
        f"a lock that costs {LOADED_DELAY_NS} ns more, at three loads",
        f"measured within {LOADED_DELAY_WITHIN:.0%} at each, known to {LOADED_DELAY_CHANCE:.0%}",
        f"{costs} (95 % intervals, {blocks} blocks)",
        apart <= LOADED_DELAY_WITHIN and chance <= LOADED_DELAY_CHANCE,
    )


def _loaded_differences(lab: Lab, name: str) -> dict[float, list[float]]:
    """By load, of each block that has both locks."""
    fast, slow = "delayed:ns=100", f"delayed:ns={100 + LOADED_DELAY_NS}"
    words = ["--primitive", fast, "--primitive", slow, "--window", LOADED_DELAY_WINDOW]
    words += ["--blocks", str(LOADED_DELAY_BLOCKS)]
    run = _at_loads(lab, name, words, LOADED_DELAY_HOLD)
    rows = locking_cost.with_costs(run, run.valid)
    found: dict[float, list[float]] = {share: [] for share in LOADS}
    for share, own in rows.groupby("load_share"):
        by_block = own.pivot(index="block", columns="label", values="locking_ns").dropna()
        if by_block.shape[1] == 2:
            found[share] = [float(ns) for ns in by_block[slow] - by_block[fast]]
    return found


def known_median(values: Sequence[float]) -> tuple[float, float]:
    """The median, and half of its 95 % interval, which is between two of the values (binomial
    order statistics); infinite for so few that no interval is wide enough."""
    ordered = np.sort(values)
    below = int(binom.ppf(0.025, len(ordered), 0.5))
    if below < 1:
        return float(np.median(ordered)), math.inf
    low, high = ordered[below - 1], ordered[len(ordered) - below]
    return float(np.median(ordered)), float(high - low) / 2


def stall(lab: Lab) -> Finding:
    """One lock, asked at a given rate and as fast as it goes."""
    common = ["--primitive", "stalling:every_ms=1000,stall_ms=100", "--threads", "2"]
    common += ["--keys", "1", "--hold", "500ns", "--window", "3s", "--blocks", "3"]
    closed = lab.run("stall-closed", [*common, "--think", "5us", "--sample-every", "16"])
    opened = lab.run("stall-open", [*common, "--mode", "open", "--rate", "2000"])
    p99 = [_medians(run, "wait_p99_ns") for run in (closed, opened)]
    if not all(p99):
        raise RunFailed("no valid trial in a whole run")
    closed_ns, open_ns = (next(iter(found.values())) for found in p99)
    return Finding(
        "a lock that stalls 100 ms once a second",
        f"open loop: p99 ≥ {STALL_NS / 1e6:.0f} ms; closed loop: < {CLOSED_NS / 1e6:.0f} ms",
        f"open {open_ns / 1e6:.1f} ms, closed {closed_ns / 1e6:.4f} ms",
        open_ns >= STALL_NS and closed_ns < CLOSED_NS,
    )


def twins(lab: Lab) -> Finding:
    """As many cells as comparisons, which differ in their hold."""
    words = ["--primitive", "twin_a", "--primitive", "twin_b", "--threads", "1", "--keys", "1"]
    words += ["--hold", ",".join(f"{ns}ns" for ns in range(1, TWINS + 1))]
    words += ["--warmup", "2ms", "--window", "20ms", "--blocks", str(TWIN_BLOCKS)]
    run = lab.run("twins", words)
    judged = verdict.of_run(run, "twin_a").comparisons
    apart = [one for one in judged if one.significant]
    slowed = verdict.of_run(_slowed(run, 0.97), "twin_a").comparisons
    found = sum(one.verdict == verdict.SLOWER for one in slowed)
    return Finding(
        "one lock under two names",
        f"none of {TWINS} comparisons calls it two, in one table",
        f"{len(apart)} of {len(judged)}; {found} called slower had one been 3 % slower",
        len(judged) == TWINS and not apart,
    )


def _slowed(run: Run, factor: float) -> Run:
    """The same rows, had one twin been so much slower: a test that never rejects would keep the
    promise, too."""
    trials = run.trials.copy()
    trials.loc[trials["label"] == "twin_b", verdict.RATE] *= factor
    return replace(run, trials=trials)


def slower(lab: Lab) -> Finding:
    """The delay differs by 30 ns of about 1,000; each comparison is a run of its own."""
    slow, fast = "delayed:ns=130", "delayed:ns=100"
    words = ["--primitive", fast, "--primitive", slow, "--threads", "1", "--keys", "1"]
    words += ["--hold", "850ns", "--warmup", "5ms", "--window", "40ms"]
    words += ["--same-within", "1%", "--budget", f"{SLOWER_SECONDS}s"]
    found, ratios, longest = 0, [], 0.0
    for number in range(SLOWER_TIMES):
        start = time.monotonic()
        run = lab.run(f"slower-{number}", words)
        judged = verdict.of_run(run, fast).comparisons
        took = time.monotonic() - start
        longest = max(longest, took)
        (one,) = judged
        ratios.append(one.ratio)
        found += one.verdict == verdict.SLOWER and took <= SLOWER_SECONDS
    return Finding(
        "a lock 3 % slower, one thread",
        f"found in ≥ {SLOWER_FOUND:.0%} of {SLOWER_TIMES}, each within {SLOWER_SECONDS} s",
        f"{found} of {SLOWER_TIMES} (median ratio {means.median(ratios):.4f},"
        f" {longest:.1f} s at most)",
        found >= SLOWER_FOUND * SLOWER_TIMES,
    )


def jain(counts: np.ndarray) -> float:
    return float(counts.sum() ** 2 / (len(counts) * (counts**2).sum()))


def unfair(lab: Lab) -> Finding:
    """The lock writes down its own turns, a line as it goes; trials go one after the other, so the
    lines are in the order of the rows."""
    turns = lab.folder / "turns"
    words = ["--primitive", "unfair:share=8", "--threads", "2,4", "--keys", "1", "--hold", "500ns"]
    words += ["--warmup", "0s", "--window", "1s", "--blocks", "5"]
    run = lab.run("unfair", words, {"LOCKBENCH_TRUTH_TURNS": str(turns)})
    lines = turns.read_text(encoding="utf-8").splitlines()
    if len(lines) != len(run.trials):
        raise RunFailed(f"{len(lines)} accounts of turns for {len(run.trials)} trials")
    own = [jain(np.array([float(word) for word in line.split()])) for line in lines]
    table = run.trials.assign(own=own)
    table = table[table["valid"]]
    if table.empty:
        raise RunFailed("no valid trial")
    apart = float((table["fairness_jain"] / table["own"] - 1).abs().max())
    indices = table.groupby("threads")["fairness_jain"].median()
    indices_text = ", ".join(
        f"{index:.3f} at {threads:.0f} threads" for threads, index in indices.items()
    )
    return Finding(
        "a lock's own count of unequal turns",
        f"Jain's index within {JAIN_WITHIN:.0%} of the count's",
        f"{apart:.2%} apart at most ({indices_text}; {len(table)} trials)",
        apart <= JAIN_WITHIN,
    )


def scalability(lab: Lab) -> Finding:
    """Constructed curves, each point with noise, fitted like the curves of a run."""
    draw = np.random.default_rng(lab.seed)
    counts = np.array([1, 2, 4, 8, 12, 16, 24, 32, 48, 64], dtype=float)
    worst, refused = 0.0, 0
    for number in range(CURVES):
        true = (draw.uniform(1e6, 1e8), draw.uniform(0.05, 0.2), draw.uniform(1e-3, 1e-2))
        noise = np.exp(CURVE_NOISE * draw.standard_normal((40, len(counts))))
        made = usl.law(counts, *true) * noise
        fit = usl.fitted(pd.DataFrame(made, columns=counts), f"made-up {number}")
        if isinstance(fit, str):
            refused += 1
            continue
        found = (fit.rate_per_s, fit.contention, fit.coherency)
        worst = max(worst, *(abs(a / b - 1) for a, b in zip(found, true)))
    return Finding(
        f"{CURVES} made-up curves with {CURVE_NOISE:.0%} noise, contention 5 to 20 %, "
        "coherency 0.1 to 1 %",
        f"parameters of the Universal Scalability Law within {CURVE_WITHIN:.0%}",
        f"{worst:.1%} off at most, {refused} refused",
        worst <= CURVE_WITHIN and not refused,
    )


def quick_twice(lab: Lab) -> Finding:
    first = lab.run("quick-1", ["quick"])
    if lab.minutes_apart > 0:
        lab.print_progress(f"waiting for {lab.minutes_apart:g} minutes")
        time.sleep(60 * lab.minutes_apart)
    second = lab.run("quick-2", ["quick"])
    judged = verdict.of_two_runs(first, second).comparisons
    apart = sum(one.significant for one in judged)
    return Finding(
        f"`quick` twice, {lab.minutes_apart:g} minutes apart",
        "no cell is called different",
        f"{apart} of {len(judged)} cells",
        apart == 0 and bool(judged),
    )
