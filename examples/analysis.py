# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A run of lockbench in pandas
#
# As a script: `LOCKBENCH_RUN=results/runs/mine python3 examples/analysis.py`. In Jupyter:
# `examples/analysis.ipynb`, which has the same cells; name your run in the first one.
# `results/README.md` explains every column; the run's own `schema.json` has the same for programs.
#
# This shows medians, ratios and waits. It decides nothing: whether a difference is significant is
# what `lockbench compare RUN --format json` is for, whose verdicts are corrected for the number of
# cells.

# %%
import os
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

run = Path(os.environ.get("LOCKBENCH_RUN", "results/reference/xeon-2vcpu/quick"))
if not run.exists():  # Jupyter runs a notebook in the folder of its file
    run = Path("..") / run
out = Path(os.environ.get("LOCKBENCH_OUT", "."))

# %% [markdown]
# ## Rows
#
# One row for each attempt at a trial. A row that is not valid (disturbed, or the lock lost an
# update) is no figure of the lock. An empty cell was not measured: it is never a zero.

# %%
rows = pd.read_csv(run / "trials.csv", keep_default_na=False, na_values={"hold_ns": [""]})
rows = rows[rows["valid"].astype(str).str.lower() == "true"]
rows = rows[rows["mode"] == "timed"]
if rows.empty:
    raise SystemExit(f"{run}: has no valid row of a window (mode timed)")
rows["operations_per_s"] = pd.to_numeric(rows["operations_per_s"])
rows["lock"] = rows["primitive"].str.cat(rows["params"], sep=":").str.rstrip(":")

# %% [markdown]
# ## Medians
#
# A cell is measured once in each block. The median over the blocks is the figure of the cell.

# %%
cell = ["workload", "scenario", "threads", "keys", "key_type", "key_distribution"]
cell += ["hold_kind", "hold_ns", "think_ns", "pinning"]
medians = (
    rows.groupby([*cell, "lock"], dropna=False)["operations_per_s"]
    .agg(["median", "min", "max", "count"])
    .reset_index()
)
medians.to_csv(out / "medians.csv", index=False)
print(medians[["workload", "scenario", "threads", "keys", "lock", "median", "count"]].to_string())

# %% [markdown]
# ## Ratios by block
#
# The machine is not the same in all blocks. In one block, all locks had the same machine: so the
# ratio is taken in each block, and then its median. The baseline is one `std::mutex` for all keys,
# `global:lock=std`, or another lock of the run if that was not measured.

# %%
locks = sorted(set(rows["lock"]) - {"none"})  # `none` locks nothing
baseline = "global:lock=std" if "global:lock=std" in locks else locks[0]
print("ratio: speed against", baseline)
by_block = rows.pivot_table(
    index=[*cell, "block"], columns="lock", values="operations_per_s", dropna=False
)
ratios = by_block.div(by_block[baseline], axis=0).groupby(level=cell, dropna=False).median()
ratios = ratios.dropna(how="all").dropna(axis=1, how="all").reset_index()
print(ratios.drop(columns=["key_type", "pinning", "think_ns"]).round(2).to_string())

# %% [markdown]
# ## Waits
#
# `latency.csv` has the histograms behind the percentiles: histograms of several trials add up,
# percentiles do not. This shows the condition that most trials of the run have.

# %%
condition = [name for name in cell if name != "threads"]
conditions = rows[condition].astype(str).agg(" ".join, axis=1)
most = rows[conditions == conditions.value_counts().idxmax()]
print(most[condition].drop_duplicates().to_string(index=False))
trials = most[["trial", "attempt", "lock", "threads"]]
buckets = pd.read_csv(run / "latency.csv").merge(trials, on=["trial", "attempt"])
buckets = buckets[buckets["kind"] == "wait"]
waits = buckets.groupby(["threads", "lock", "high_ns"])["count"].sum().reset_index()


def percentile(histogram: pd.DataFrame, share: float) -> int:
    """The upper end of the bucket in which it lies."""
    ordered = histogram.sort_values("high_ns")
    reached = ordered["count"].cumsum() >= share * ordered["count"].sum()
    return int(ordered["high_ns"][reached].iloc[0])


found = [
    {"threads": threads, "lock": lock}
    | {f"p{100 * share:g}_ns": percentile(one, share) for share in (0.5, 0.99, 0.999)}
    for (threads, lock), one in waits.groupby(["threads", "lock"])
]
pd.DataFrame(found).to_csv(out / "waits.csv", index=False)
print(pd.DataFrame(found).to_string())

# %% [markdown]
# ## A picture

# %%
axes = (
    most.groupby(["threads", "lock"])["operations_per_s"]
    .median()
    .unstack()
    .plot(marker="o", logy=True)
)
axes.set_ylabel("operations per second")
plt.savefig(out / "analysis.svg")
