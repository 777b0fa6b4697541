# SPDX-License-Identifier: Apache-2.0
# A run of lockbench in R, without packages: medians, ratios by block, and waits.
#
#   LOCKBENCH_RUN=results/runs/mine Rscript examples/analysis.R
#
# `results/README.md` explains every column. This decides nothing: whether a difference is
# significant is what `lockbench compare RUN --format json` is for, whose verdicts are corrected for
# the number of cells.

run <- Sys.getenv("LOCKBENCH_RUN", "results/reference/xeon-2vcpu/quick")
out <- Sys.getenv("LOCKBENCH_OUT", ".")

# One row for each attempt at a trial. A row that is not valid (disturbed, or the lock lost an
# update) is no figure of the lock. An empty cell was not measured: it is never a zero.
# A random seed has 64 bits, more than a number of R: it stays text.
rows <- read.csv(file.path(run, "trials.csv"), colClasses = c(seed = "character"))
rows <- rows[tolower(rows$valid) == "true" & rows$mode == "timed", ]
if (nrow(rows) == 0) stop(run, ": has no valid row of a window (mode timed)")
rows$lock <- sub(":$", "", paste(rows$primitive, rows$params, sep = ":"))

# A cell is measured once in each block. The median over the blocks is the figure of the cell.
# A cell without a hold has no length of it, and aggregate() would leave out what is missing.
cell <- c("workload", "scenario", "threads", "keys", "key_type", "key_distribution", "hold_kind",
          "hold_ns", "think_ns", "pinning")
for (name in cell) rows[[name]] <- ifelse(is.na(rows[[name]]), "", as.character(rows[[name]]))
medians <- aggregate(list(median = rows$operations_per_s), rows[c(cell, "lock")], median)
print(medians[c("workload", "scenario", "threads", "keys", "lock", "median")])
write.csv(medians, file.path(out, "medians.csv"), row.names = FALSE)

# The machine is not the same in all blocks. In one block, all locks had the same machine: so the
# ratio is taken in each block, and then its median. The baseline is one std::mutex for all keys,
# `global:lock=std`, or another lock of the run if that was not measured. `none` locks nothing.
locks <- sort(setdiff(rows$lock, "none"))
against <- if ("global:lock=std" %in% locks) "global:lock=std" else locks[1]
cat("ratio: speed against", against, "\n")
baseline <- rows[rows$lock == against, c(cell, "block", "operations_per_s")]
pairs <- merge(rows, baseline, by = c(cell, "block"), suffixes = c("", "_of_baseline"))
pairs$ratio <- pairs$operations_per_s / pairs$operations_per_s_of_baseline
print(aggregate(list(ratio = pairs$ratio), pairs[c(cell[1:4], "lock")], median), digits = 3)

# latency.csv has the histograms behind the percentiles: histograms of several trials add up,
# percentiles do not. This shows the condition that most trials of the run have.
condition <- do.call(paste, rows[setdiff(cell, "threads")])
shown <- rows[condition == names(which.max(table(condition))), ]
print(unique(shown[setdiff(cell, "threads")]), row.names = FALSE)
buckets <- read.csv(file.path(run, "latency.csv"))
buckets <- merge(buckets[buckets$kind == "wait", ], shown[c("trial", "attempt", "lock", "threads")],
                 by = c("trial", "attempt"))

# The upper end of the bucket in which it lies.
percentile <- function(histogram, share) {
  histogram <- histogram[order(histogram$high_ns), ]
  histogram$high_ns[cumsum(as.numeric(histogram$count)) >= share * sum(histogram$count)][1]
}
waits <- do.call(rbind, lapply(split(buckets, buckets[c("threads", "lock")], drop = TRUE), function(one) {
  data.frame(threads = as.integer(one$threads[1]), lock = one$lock[1],
             p50_ns = percentile(one, 0.5), p99_ns = percentile(one, 0.99),
             p99.9_ns = percentile(one, 0.999))
}))
waits <- waits[order(waits$threads, waits$lock), ]
print(waits, row.names = FALSE)
write.csv(waits, file.path(out, "waits.csv"), row.names = FALSE)
