# SPDX-License-Identifier: Apache-2.0
"""A run of `lockbench stress` as one page: failures to step through, what was checked, and how to
have each failure again.

The page loads nothing, and its policy allows no script and no style but its own, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from markupsafe import Markup

from analysis import templates

_FOLDER = Path(__file__).parent
_MAIN_THREAD = -1
LANES = 9  # that have a colour; further threads share them

WORDS = {
    "failed": "failed",
    "clean": "no failure found",
    "inconclusive": "inconclusive",
    "unfair": "unfair",
}


@dataclass(frozen=True)
class Report:
    """The report of one engine on one lock; harness/stress/report.h defines the format."""

    json: Mapping[str, Any]
    number: int

    @property
    def engine(self) -> str:
        return str(self.json["engine"])

    @property
    def words(self) -> str:
        said = WORDS[self.json["verdict"]]
        return f"{said}: {self.json['oracle']}" if self.failed else said

    @property
    def failed(self) -> bool:
        return "what" in self.json

    @property
    def actor(self) -> str:
        return {"proc": "process", "services": "client"}.get(self.engine, "thread")

    @property
    def reproduced(self) -> str:
        """How often the replay command shows the failure again."""
        replay = self.json["replay"]
        if replay["exact"]:
            return "happens each time"
        if replay["reruns"] == 0:
            return "was not run again"
        if replay.get("command_s", 0) != 0:  # reports of older versions have none
            epochs = f"none of {replay['reruns']} reruns of the epoch"
            seconds = f"{replay['command_s']:.1f} s"
            if replay["command_failed"]:
                return f"happened again within {seconds} of the command, in {epochs}"
            return f"seen once; in {epochs}, nor in {seconds} of the command"
        seen_once = "seen once; " if replay["failures"] * 10 < 3 * replay["reruns"] else ""
        return f"{seen_once}happened again in {replay['failures']} of {replay['reruns']} reruns"

    @property
    def program(self) -> str:
        """The litmus program, as the replay command has it."""
        options = list(self.json["replay"]["options"])
        return str(options[options.index("--program") + 1]) if "--program" in options else ""

    @cached_property
    def steps(self) -> Sequence[Mapping[str, Any]]:
        """The trace with the lane of each step; harness/stress/trace/trace_text.h defines it."""
        steps = self.json.get("steps", [])
        lanes = {thread: lane for lane, thread in enumerate(self._threads(steps))}
        return [{**one, "lane": lanes[one["thread"]] % LANES} for one in steps]

    @cached_property
    def lanes(self) -> Sequence[tuple[str, str]]:
        """The threads that the trace names, each with its acts."""
        acts = _acts_of(self.program)
        threads = self._threads(self.json.get("steps", []))
        return [(self.name(one), acts[one] if 0 <= one < len(acts) else "") for one in threads]

    def name(self, thread: int) -> str:
        if thread != _MAIN_THREAD:
            return f"{self.actor} {thread}"
        return "faults" if self.engine == "services" else "main thread"

    @property
    def figures(self) -> Sequence[tuple[str, str]]:
        return [_figure(name, value) for name, value in self.json["figures"].items()]

    @property
    def explored(self) -> Sequence[tuple[str, str]]:
        """Programs with all executions explored, and the cost of this."""
        found = [one for one in self.json.get("explored", []) if one["whole"]]
        return [(one["program"], f"{one['bound']}: {_cost(one)}") for one in found]

    @property
    def remarks(self) -> Sequence[str]:
        left = [one for one in self.json.get("explored", []) if not one["whole"]]
        parts = [f"not whole: `{one['program']}` {one['bound']}: {_cost(one)}" for one in left]
        return parts + list(self.json["remarks"])

    @staticmethod
    def _threads(steps: Sequence[Mapping[str, Any]]) -> Sequence[int]:
        return sorted({int(one["thread"]) for one in steps})

    def time(self, step: Mapping[str, Any]) -> str:
        """The number of a simulated step, else its time, which must fit into its column."""
        at = int(step["at"])
        if self.engine == "sim":
            return str(at)
        return f"{at / 1e3:.1f} µs" if at < 10_000_000 else f"{at / 1e6:.2f} ms"


@dataclass(frozen=True)
class Lock:
    """The results of all engines for one lock."""

    name: str
    reports: Sequence[Report]
    oracles: Mapping[str, str]  # what each reports

    @property
    def failures(self) -> Sequence[Report]:
        return [one for one in self.reports if one.failed]

    @property
    def checks(self) -> Sequence[tuple[str, str, Sequence[tuple[str, str]]]]:
        """For each oracle what it reports, and for each engine how often it was asked, and the
        class of that cell."""
        return [
            (name, says, [_check(one.json, name) for one in self.reports])
            for name, says in self.oracles.items()
        ]


@dataclass(frozen=True)
class Run:
    """All that one call of `lockbench stress` found out."""

    machine: str
    locks: Sequence[Lock]

    @staticmethod
    def parse(json: Mapping[str, Any]) -> Run:
        reports = [Report(one, number) for number, one in enumerate(json["reports"])]
        names = dict.fromkeys(one.json["lock"] for one in reports)
        locks = [
            Lock(n, [r for r in reports if r.json["lock"] == n], json["oracles"]) for n in names
        ]
        return Run(json["machine"], locks)

    @property
    def title(self) -> str:
        if len(self.locks) == 1:
            return self.locks[0].name
        return f"{len(self.locks)} locks"

    @property
    def summary(self) -> str:
        reports = [report for lock in self.locks for report in lock.reports]
        failed = len({one.json["lock"] for one in reports if one.json["verdict"] == "failed"})
        if len(self.locks) == 1:
            return "broken" if failed else WORDS[_gravest(reports)]
        return f"{failed} of {len(self.locks)} broken"


def page(run: Run, runs: str = "") -> str:
    """A page that loads nothing. `runs`: link to the index of measured runs; empty: none."""
    environment = templates.environment(_FOLDER)
    style, script = _read("stress.css"), _read("stress.js")
    return environment.get_template("stress.html.j2").render(
        run=run,
        runs=runs,
        style=Markup(style),
        script=Markup(script),
        policy=f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'",
        data={str(report.number): report.steps for lock in run.locks for report in lock.failures},
    )


def _gravest(reports: Sequence[Report]) -> str:
    found = {one.json["verdict"] for one in reports}
    return next(one for one in ("failed", "inconclusive", "unfair", "clean") if one in found)


def _check(report: Mapping[str, Any], oracle: str) -> tuple[str, str]:
    times = report["evaluations"].get(oracle, 0)
    if report.get("oracle") == oracle:
        return f"{times:,} · {'unfair' if report['verdict'] == 'unfair' else 'failed'}", "bad"
    return (f"{times:,}", "asked") if times else ("never", "never")


def _acts_of(program: str) -> Sequence[str]:
    """The acts of each thread; what stands before all acts belongs to none."""
    threads = [one.strip() for one in program.split("|")]
    threads[0] = re.sub(r"^([KC]\d+ *)+", "", threads[0])
    return threads if program else []


def _figure(name: str, value: float) -> tuple[str, str]:
    """The unit is in the name."""
    for ending, text in (
        ("_share", f"{value:.1%}"),
        ("_ns", f"{value / 1e6:.1f} ms"),
        ("_per_s", f"{value:,.0f} per second"),
    ):
        if name.endswith(ending):
            return name.removesuffix(ending).replace("_", " "), text
    return name.replace("_", " "), f"{value:,.0f}"


def _cost(explored: Mapping[str, Any]) -> str:
    states = f", {explored['states']:,} states" if explored["states"] else ""
    return f"{explored['executions']:,} executions{states}, {explored['seconds']:.3f} s"


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
