# SPDX-License-Identifier: Apache-2.0
"""The promise that nothing finished is ever lost: runs are killed at random moments, and gone on
with, until they are done."""

from __future__ import annotations

import csv
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path

from promises.finding import Finding
from promises.lab import Lab, RunFailed

TRIALS = 100
OPERATIONS = 20  # of each trial, every one of them timed
# Half of the kills come before the time that a run needs to its next row, as it starts and reads
# what there is; half up to so much later, as it writes rows. A run that begins calibrates first,
# and one that goes on does not: each has its own time.
LATEST_S = 0.06
# The share of the kills of a run whose rows are all there: most of what follows is the table of
# another program, so that such a kill is worth little.
KILLED_AT_THE_END = 0.5

CELLS = ("--primitive", "global", "--threads", "1", "--mode", "fixed")
SMALL = (*CELLS, "--operations", str(OPERATIONS), "--sample-every", "1", "--hold", "1us")


class Broken(Exception):
    """A row was lost or doubled; the message says which."""


def kills(lab: Lab) -> Finding:
    begun_s, resumed_s = _to_next_row(lab)
    lab.print_progress(
        f"kills: a first row takes {begun_s * 1e3:.0f} ms, the next one after a kill"
        f" {resumed_s * 1e3:.0f} ms"
    )
    killed, done, broken = 0, 0, ""
    folder = lab.folder / "kills"
    kept: list[str] = []
    try:
        while killed < lab.kills:
            to_next_row = resumed_s if (folder / "meta.json").exists() else begun_s
            ended = _killed_after(lab, folder, _moment(lab, to_next_row, len(kept) > TRIALS))
            killed += not ended
            kept = _grown(folder, kept)
            if ended:
                _check_whole(folder)
                shutil.rmtree(folder)
                done, kept = done + 1, []
            elif killed % 100 == 0:
                lab.print_progress(
                    f"kills: {killed:,} of {lab.kills:,}, {done} runs brought to their end"
                )
        if folder.exists():
            _finish(lab, folder)
            _grown(folder, kept)
            _check_whole(folder)
            done += 1
    except Broken as found:
        broken = f"; after {killed:,}: {found}"
    return Finding(
        f"{lab.kills:,} SIGKILLs at random moments",
        "no finished row lost, none doubled, every histogram whole",
        f"{killed:,} kills, {done} runs of {TRIALS} trials brought to their end{broken}",
        killed >= lab.kills and not broken and done > 0,
    )


def _moment(lab: Lab, to_next_row: float, whole: bool) -> float | None:
    """After how many seconds a run is killed; None: not at all. `whole`: all rows are there."""
    if whole and lab.draw.random() >= KILLED_AT_THE_END:
        return None
    if lab.draw.random() < 0.5:
        return lab.draw.uniform(0.0, to_next_row)
    return to_next_row + lab.draw.uniform(0.0, LATEST_S)


def _command(lab: Lab, folder: Path) -> list[str]:
    """To go on where there is a run, else to begin one."""
    program = [str(lab.program), "run", "--progress", "off", "--patience", "0"]
    if (folder / "meta.json").exists():
        return [*program, "--resume", str(folder)]
    # Killed before it had begun: nothing was finished, and nothing may be there.
    if _lines(folder)[1:]:
        raise Broken("rows without a meta.json")
    shutil.rmtree(folder, ignore_errors=True)
    return [*program, *SMALL, "--blocks", str(TRIALS), "--out", str(folder)]


def _start(lab: Lab, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        _command(lab, folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def _to_next_row(lab: Lab) -> tuple[float, float]:
    """The times of a run that begins, and of one that goes on after it was killed."""
    folder = lab.folder / "kills-first"
    found = []
    for _ in range(2):
        before = len(_lines(folder)) or 1
        start = time.monotonic()
        process = _start(lab, folder)
        while len(_lines(folder)) <= before and process.poll() is None:
            time.sleep(0.001)
        found.append(time.monotonic() - start)
        if process.poll() is not None:
            _expect_end(process)
        process.kill()
        process.communicate()
    shutil.rmtree(folder)
    return found[0], found[1]


def _killed_after(lab: Lab, folder: Path, seconds: float | None) -> bool:
    """True if it came to its end before that."""
    process = _start(lab, folder)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return False
    _expect_end(process)
    return True


def _finish(lab: Lab, folder: Path) -> None:
    _expect_end(_start(lab, folder))


def _expect_end(process: subprocess.Popen[str]) -> None:
    said = process.communicate()[1].strip().splitlines()
    if process.returncode != 0:
        raise RunFailed(f"exit {process.returncode}: {said[-1] if said else ''}")


def _lines(folder: Path) -> list[str]:
    """The whole lines of trials.csv: a last one without its end is not finished."""
    try:
        text = (folder / "trials.csv").read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    return text.split("\n")[:-1]


def _grown(folder: Path, before: list[str]) -> list[str]:
    """The rows now. The earlier rows must be the first of them, without a change."""
    now = _lines(folder)
    if now[: len(before)] != before:
        raise Broken(f"{len(before) - 1} rows were there, and are not all there any more")
    return now


def _check_whole(folder: Path) -> None:
    rows = list(csv.DictReader(_lines(folder)))
    attempts = Counter((row["trial"], row["attempt"]) for row in rows)
    if doubled := [key for key, count in attempts.items() if count > 1]:
        raise Broken(f"trial {doubled[0][0]}, attempt {doubled[0][1]}: is there twice")
    trials = {int(row["trial"]) for row in rows}
    if missing := set(range(TRIALS)) - trials:
        raise Broken(f"trial {min(missing)}: is missing in a run that ended well")
    _check_latency(folder, rows)


def _check_latency(folder: Path, rows: list[dict[str, str]]) -> None:
    """Each histogram has as many times as its row says, and no bucket twice."""
    with (folder / "latency.csv").open(encoding="utf-8", newline="") as file:
        buckets = list(csv.DictReader(file))
    found: Counter[tuple[str, str, str]] = Counter()
    seen: set[tuple[str, ...]] = set()
    for bucket in buckets:
        key = (bucket["trial"], bucket["attempt"], bucket["kind"])
        if (*key, bucket["low_ns"]) in seen:
            raise Broken(f"trial {key[0]}: a bucket of its histogram is there twice")
        seen.add((*key, bucket["low_ns"]))
        found[key] += int(bucket["count"])
    recorded: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        for kind, column in (("wait", "wait_samples"), ("hold", "held_samples")):
            if row[column] not in ("", "0"):
                recorded[row["trial"], row["attempt"], kind] = int(row[column])
    if found != recorded:
        key = sorted(set(found.items()) ^ set(recorded.items()))[0][0]
        raise Broken(f"trial {key[0]}: its histogram of {key[2]} and its row do not agree")
