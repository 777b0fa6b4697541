#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes shards far larger than a test measures, from the rows of a real one, and times their merge.

    harness/cluster/tests/scale.py FOLDER --binary build/release/lockbench [--shards 1000]
        [--rows 10000]

Each shard has `--rows` rows of a plan of `--trials`. A plan has at most 100,000 trials, so with
more rows than that trials are there several times, measured at other times; merge has to choose.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

CELLS = ["--primitive", "keyed", "--threads", "1", "--mode", "fixed", "--operations", "1"]
RUN_ID = "RUN-OF-SHARD"
MOST_BLOCKS = 10_000


def template(binary: Path, folder: Path, trials: int) -> tuple[str, list[str], str]:
    """meta.json, the lines of trials.csv, and schema.json of a shard of a plan of so many trials; a
    row for each number of keys."""
    out = folder / "template"
    if not (out / "meta.json").exists():
        keys = ",".join(str(key + 1) for key in range(-(-trials // MOST_BLOCKS)))
        blocks = trials // len(keys.split(","))
        words = ["run", *CELLS, "--hold", "0", "--keys", keys, "--blocks", str(blocks)]
        words += ["--sample-every", "0", "--shard", f"1/{blocks}", "--out", str(out)]
        subprocess.run(
            [str(binary), *words, "--progress", "off", "--patience", "0"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    lines = (out / "trials.csv").read_text(encoding="utf-8").splitlines()
    meta = (out / "meta.json").read_text(encoding="utf-8")
    return meta, lines, (out / "schema.json").read_text(encoding="utf-8")


def write_shards(binary: Path, folder: Path, shards: int, rows: int, trials: int) -> None:
    meta, (header, *measured), schema = template(binary, folder, trials)
    parsed = json.loads(meta)
    planned = [
        (one["block"], one["seed"], one["cell"]["keys"], one["position"])
        for one in parsed["plan"]["trials"]
    ]
    run_id = parsed["run_id"]
    names = header.split(",")
    latency = "run_id,trial,kind,low_ns,high_ns,count,attempt\n"
    lines = {}
    for row in measured:
        cells = row.split(",")
        keys = int(cells[names.index("keys")])
        for name in ("trial", "block", "position", "seed", "started_at", "run_id"):
            cells[names.index(name)] = "{" + name + "}"
        lines[keys] = ",".join(cells) + "\n"
    for shard in range(shards):
        out = folder / "shards" / str(shard + 1)
        out.mkdir(parents=True, exist_ok=True)
        own = f"{RUN_ID}-{shard:05}"
        (out / "meta.json").write_text(meta.replace(run_id, own, 1), encoding="utf-8")
        (out / "schema.json").write_text(schema, encoding="utf-8")
        (out / "latency.csv").write_text(latency, encoding="utf-8")
        hour, minute = divmod(shard, 60)
        started = f"2025-01-{1 + hour // 24:02}T{hour % 24:02}:{minute:02}:00Z"
        first = shard * rows
        with (out / "trials.csv").open("w", encoding="utf-8") as file:
            file.write(header + "\n")
            for i in range(first, first + rows):
                trial = i % trials
                block, seed, keys, position = planned[trial]
                line = lines[keys].format(
                    trial=trial,
                    block=block,
                    position=position,
                    seed=seed,
                    started_at=started,
                    run_id=own,
                )
                file.write(line)


def main() -> int:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("folder", type=Path)
    made.add_argument("--binary", type=Path, required=True)
    made.add_argument("--shards", type=int, default=1000)
    made.add_argument("--rows", type=int, default=10_000)
    made.add_argument("--trials", type=int, default=20_000)
    made.add_argument("--only-merge", action="store_true")
    arguments = made.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    if not arguments.only_merge:
        write_shards(arguments.binary, folder, arguments.shards, arguments.rows, arguments.trials)
    begun = time.monotonic()
    words = [str(arguments.binary), "merge", str(folder / "merged"), str(folder / "shards")]
    done = subprocess.run([*words, "--partial"], capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begun
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(done.stdout.splitlines()[0] if done.returncode == 0 else done.stderr[-2000:])
    print(f"{arguments.shards * arguments.rows:,} rows, {seconds:.1f} s, {most >> 10} MiB")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
