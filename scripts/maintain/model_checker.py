#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the verdicts of `lockbench stress --engine sim` against those of GenMC, a model checker.

Each lock of GenMC's tests is compiled as it is, and once for each of its memory orders, with that
one weakened to relaxed. GenMC explores all executions under RC11 of threads that lock, write, read
and unlock once, and whether each thread that waits is served. `sim` explores the program
`L0 U | L0 U` under c11, without a bound on preemptions, and reports the first failure. Fetches
nothing.

Prints a table in Markdown. Exits with 1 if a verdict of `sim` differs from GenMC's. Each verdict is
in verdicts.csv of --out as soon as it is known.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any, TextIO

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "commands"))

from analysis import command  # noqa: E402
from analysis.errors import InputError  # noqa: E402
from analysis.text import markdown_table  # noqa: E402

# A memory order that can be weakened; those of an operation that fails count, too.
ORDER = re.compile(r"\b(memory_order_|mo_)(acquire|release|acq_rel|seq_cst)\b")
# The line where a header gives an order a name of its own is no use of it.
NAMED = re.compile(r"^\s*#\s*define\s+mo_")
MOST_THREADS = 8  # more take `sim` and GenMC too long
SPINS = ["-unroll=5"]  # rounds of a loop that GenMC cannot replace by one that waits


@dataclass(frozen=True)
class Lock:
    """A lock of GenMC's tests, and how it is called. `self` is the object, `node` what a thread
    brings along."""

    name: str
    source: str  # what is included
    weakened: tuple[str, ...]  # the files whose orders are weakened
    object: str  # its type
    lock: str
    unlock: str
    init: str = ""
    node: str = ""  # the node's type; empty: none
    outside: str = ""  # what the source leaves to its user
    spins: bool = False  # has a loop that GenMC must unroll


def simple(name: str, prefix: str = "", outside: str = "", verbs: str = "acquire release") -> Lock:
    """A lock of the form that most of them have: `NAMElock_acquire(&lock)`."""
    prefix = prefix or name
    take, give = verbs.split()
    return Lock(
        name,
        source=f"{name}.c",
        weakened=(f"{name}.c",),
        object=f"{prefix}_t",
        lock=f"{prefix}_{take}(self)",
        unlock=f"{prefix}_{give}(self)",
        init=f"{prefix}_init(self)",
        outside=outside,
    )


LOCKS = [
    simple("spinlock"),
    simple("ticketlock"),
    simple("ttaslock"),
    simple("twalock", outside="TWALOCK_ARRAY_DECL;"),
    simple("mutex", verbs="lock unlock"),
    Lock(
        "mcs_spinlock",
        source="mcs_spinlock.h",
        weakened=("mcs_spinlock.h", "fake.h"),
        object="_Atomic(struct mcs_spinlock*)",
        lock="mcs_spin_lock(self, node)",
        unlock="mcs_spin_unlock(self, node)",
        node="struct mcs_spinlock",
        outside="",
        spins=True,
    ),
]


@dataclass(frozen=True)
class Variant:
    """A lock as it is, or with one order weakened."""

    lock: Lock
    number: int  # 0: as it is
    what: str  # `spinlock.c:20: acquire`

    @property
    def name(self) -> str:
        return f"{self.lock.name}_{self.number}"


@dataclass(frozen=True)
class Verdict:
    broken: bool
    executions: int  # all that were explored; of a broken one, up to the failure
    seconds: float


@dataclass(frozen=True)
class Row:
    """One lock with so many threads, judged by both."""

    lock: str
    variant: str
    threads: int
    genmc_broken: bool
    genmc_executions: int
    genmc_s: float
    sim_broken: bool
    sim_executions: int
    sim_s: float
    sim_every: bool  # it explored every interleaving

    @property
    def same(self) -> bool:
        return self.genmc_broken == self.sim_broken


def orders(text: str) -> list[re.Match[str]]:
    """The uses of an order that is not relaxed."""
    return [
        found
        for found in ORDER.finditer(text)
        if not NAMED.match(text[text.rfind("\n", 0, found.start()) + 1 : found.end()])
    ]


def weakened(text: str, use: int) -> tuple[str, str]:
    """The text with that use relaxed, and `20: acquire`: its line and what it was."""
    found = orders(text)[use]
    line = text.count("\n", 0, found.start()) + 1
    return text[: found.start(2)] + "relaxed" + text[found.end(2) :], f"{line}: {found[2]}"


def variants(lock: Lock, tests: Path, out: Path) -> Iterator[Variant]:
    """Makes a folder of sources for each."""
    folder = tests / lock.name
    yield _copied(Variant(lock, 0, "as it is"), folder, out)
    number = 0
    for file in lock.weakened:
        text = (folder / file).read_text(encoding="utf-8")
        for use in range(len(orders(text))):
            number += 1
            changed, what = weakened(text, use)
            variant = _copied(Variant(lock, number, f"{file}:{what}"), folder, out)
            (out / variant.name / file).write_text(changed, encoding="utf-8")
            yield variant


def _copied(variant: Variant, folder: Path, out: Path) -> Variant:
    others = shutil.ignore_patterns("variants", "*.in")
    shutil.copytree(folder, out / variant.name, ignore=others, dirs_exist_ok=True)
    return variant


INCLUDES = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
"""


def included(lock: Lock) -> str:
    before = '#include "fake.h"\n' if "fake.h" in lock.weakened else ""
    return f'{INCLUDES}{before}#include "{lock.source}"\n{lock.outside}\n'


def client(lock: Lock) -> str:
    """A program for GenMC: threads that lock once, and hold a variable that is no atomic."""
    node = f"  static {lock.node} nodes[THREADS];\n  {lock.node}* node = &nodes[index - 1];\n"
    return f"""{included(lock)}
static {lock.object} the_lock;
static int shared;

static void* work(void* argument) {{
  {lock.object}* self = &the_lock;
  const int index = (int)(intptr_t)argument;
{node if lock.node else ""}  {lock.lock};
  shared = index;
  assert(shared == index);
  {lock.unlock};
  return NULL;
}}

int main(void) {{
  {lock.object}* self = &the_lock;
  pthread_t threads[THREADS];
  (void)self;
  {lock.init};
  for (int i = 0; i < THREADS; ++i) {{
    pthread_create(&threads[i], NULL, work, (void*)(intptr_t)(i + 1));
  }}
  return 0;
}}
"""


def unit(variant: Variant) -> str:
    """The same lock for a plug-in, in C. It offers no try_lock() of its own: one that refuses
    promises nothing."""
    lock = variant.lock
    node = f"static _Thread_local {lock.node} own_node;\n" if lock.node else ""
    use = f"  {lock.node}* node = &own_node;\n" if lock.node else ""
    return f"""#include <lockbench/c_lock.h>
{included(lock)}
{node}static void* create(void) {{
  {lock.object}* self = calloc(1, sizeof(*self));
  {lock.init};
  return (void*)self;
}}
static void take(void* object) {{
  {lock.object}* self = object;
{use}  {lock.lock};
}}
static int refuse(void* object) {{
  (void)object;
  return 0;
}}
static void give(void* object) {{
  {lock.object}* self = object;
{use}  {lock.unlock};
}}
const lockbench_c_lock {variant.name} = {{
    .size = sizeof(lockbench_c_lock), .name = "{variant.name}", .summary = "{variant.what}",
    .create = create, .lock = take, .try_lock = refuse, .unlock = give, .destroy = free}};
"""


def plugin(names: Sequence[str]) -> str:
    """The unit that offers the locks of all others."""
    declared = "".join(f"extern const lockbench_c_lock {name};\n" for name in names)
    copied = "".join(f"  locks[{i}] = {name};\n" for i, name in enumerate(names))
    return f"""#include <lockbench/c_lock.h>
{declared}
static lockbench_c_lock locks[{len(names)}];
__attribute__((constructor)) static void collect(void) {{
{copied}}}
const lockbench_c_plugin lockbench_c_locks = {{LOCKBENCH_C_MAGIC, LOCKBENCH_C_VERSION,
                                              sizeof(lockbench_c_lock), {len(names)}, locks}};
"""


BUILD = """cmake_minimum_required(VERSION 3.25)
project(model_checker LANGUAGES C CXX)
find_package(lockbench REQUIRED)
file(GLOB sources CONFIGURE_DEPENDS */unit.c)
foreach(source ${sources})
  cmake_path(GET source PARENT_PATH folder)
  cmake_path(GET folder FILENAME name)
  # twalock has a table of the process, of which each variant gets its own.
  set_source_files_properties(${source} PROPERTIES INCLUDE_DIRECTORIES ${folder}
                                                   COMPILE_DEFINITIONS __twa_array=table_of_${name})
endforeach()
lockbench_add_simulated_plugin(model_checker plugin.c SOURCES ${sources} NO_DELAYS)
"""


def built(found: Sequence[Variant], prefix: Path, out: Path) -> Path:
    """The plug-in of all variants."""
    for variant in found:
        (out / variant.name / "unit.c").write_text(unit(variant), encoding="utf-8")
    (out / "plugin.c").write_text(plugin([one.name for one in found]), encoding="utf-8")
    (out / "CMakeLists.txt").write_text(BUILD, encoding="utf-8")
    log = out / "build.log"
    for words in (
        ["cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
        ["cmake", "--build", "build", "--parallel"],
    ):
        with log.open("w", encoding="utf-8") as printed:
            done = subprocess.run(words, cwd=out, stdout=printed, stderr=printed, check=False)
        if done.returncode != 0:
            raise InputError(f"{log}: `{' '.join(words)}` failed; the file has what it printed")
    return out / "build" / "model_checker.so"


# As GenMC 0.9 and later ones say it; a compiler's errors are no verdict.
FOUND = re.compile(r"^Error(?: detected)?: [\w -]*(?:violation|race)", re.MULTILINE | re.IGNORECASE)


def genmc_verdict(printed: str, code: int, seconds: float) -> Verdict:
    """The verdict in what GenMC printed; InputError if it has none."""
    complete = re.search(r"complete executions explored: (\d+)", printed)
    blocked = re.search(r"blocked executions seen: (\d+)", printed)
    broken = FOUND.search(printed) is not None
    if not broken and (code != 0 or complete is None):
        last = (printed.strip().splitlines() or ["and printed nothing"])[-1]
        raise InputError(f"no verdict of GenMC, which ended with {code}: {last}")
    executions = sum(int(found[1]) for found in (complete, blocked) if found)
    return Verdict(broken, executions, seconds)


def by_genmc(program: Path, variant: Variant, threads: int, out: Path) -> Verdict:
    folder = out / variant.name
    (folder / "client.c").write_text(client(variant.lock), encoding="utf-8")
    words = [str(program), "-rc11", "-check-liveness", *(SPINS if variant.lock.spins else [])]
    # In the folder: it gives its compiler paths without quotes.
    words += ["--", f"-DTHREADS={threads}", "-I.", "client.c"]
    began = time.monotonic()
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return genmc_verdict(done.stdout + done.stderr, done.returncode, time.monotonic() - began)


def sim_verdict(report: dict[str, Any]) -> Verdict:
    """The verdict of a report of `stress`; InputError if the lock was not judged."""
    verdict = report["verdict"]
    if verdict not in ("clean", "failed"):
        raise InputError(f"`stress` says {verdict}: {report.get('what')}")
    return Verdict(
        verdict == "failed", int(report["figures"]["executions"]), float(report["seconds"])
    )


def explored_every(report: dict[str, Any]) -> bool:
    return any(
        one["whole"] and one["bound"].startswith("in every interleaving")
        for one in report.get("explored", [])
    )


def by_sim(
    prefix: Path, library: Path, variant: Variant, threads: int, budget: str
) -> dict[str, Any]:
    """The report."""
    words = [str(prefix / "bin" / "lockbench"), "stress", f"global:lock={variant.name}"]
    words += ["--plugin", str(library), "--engine", "sim", "--memory", "c11", "--budget", budget]
    words += ["--program", " | ".join(["L0 U"] * threads), "--exhaustive", "--format", "json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise InputError(done.stderr.strip())
    report: dict[str, Any] = json.loads(done.stdout)
    return report


HEADS = [
    "lock",
    "threads",
    "variants",
    "broken: GenMC, `sim`, both",
    "clean by both",
    "every interleaving explored by `sim`",
    "executions of the lock as it is: GenMC, `sim`",
    "a broken one, median s: GenMC, `sim`",
]


def table(rows: Sequence[Row]) -> str:
    """For each lock and number of threads: what both say, and how much they explored."""
    cases = dict.fromkeys((row.lock, row.threads) for row in rows)
    lines = [_line([row for row in rows if (row.lock, row.threads) == case]) for case in cases]
    return "\n".join(markdown_table(HEADS, lines, "lrrlrrll"))


def _line(own: Sequence[Row]) -> list[str]:
    """The line of one lock with so many threads; the first row is of the lock as it is."""
    whole = own[0]
    both = [row for row in own if row.genmc_broken and row.sim_broken]
    broken = [sum(row.genmc_broken for row in own), sum(row.sim_broken for row in own), len(both)]
    clean = sum(not row.genmc_broken and not row.sim_broken for row in own)
    every = sum(row.sim_every for row in own)
    medians = (
        [statistics.median(getattr(row, name) for row in both) for name in ("genmc_s", "sim_s")]
        if both
        else []
    )
    return [
        whole.lock,
        str(whole.threads),
        str(len(own)),
        ", ".join(map(str, broken)),
        str(clean),
        str(every),
        f"{whole.genmc_executions:,}, {'–' if whole.sim_broken else f'{whole.sim_executions:,}'}",
        ", ".join(f"{median:.2g}" for median in medians) or "–",
    ]


def differences(rows: Sequence[Row]) -> list[str]:
    return [
        f"{row.lock}, {row.variant}, with {row.threads} threads: GenMC says"
        f" {'broken' if row.genmc_broken else 'clean'}, `sim` the opposite"
        for row in rows
        if not row.same
    ]


def all_verdicts(
    given: argparse.Namespace, found: Sequence[Variant], library: Path, file: TextIO
) -> Iterator[Row]:
    """Each row is in the file before the next variant is looked at."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([field.name for field in fields(Row)])
    for number, variant in enumerate(found, start=1):
        print(f"{number}/{len(found)}: {variant.lock.name}, {variant.what}", file=sys.stderr)
        for threads in given.threads:
            theirs = by_genmc(given.genmc, variant, threads, given.out)
            report = by_sim(given.prefix, library, variant, threads, given.budget)
            about = (variant.lock.name, variant.what, threads)
            ours = sim_verdict(report)
            every = explored_every(report)
            row = Row(*(*about, *astuple(theirs), *astuple(ours), every))
            writer.writerow(astuple(row))
            file.flush()
            yield row


def thread_numbers(text: str) -> list[int]:
    """`2,3`, as [2, 3]."""
    words = text.split(",")
    if not all(word.isdigit() and 2 <= int(word) <= MOST_THREADS for word in words):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no list of numbers from 2 to {MOST_THREADS}; write 2,3"
        )
    return [int(word) for word in words]


def existing(text: str) -> Path:
    path = Path(text).resolve()
    if not path.exists():
        raise argparse.ArgumentTypeError(f"{text}: no such file or folder")
    return path


def parser() -> command.Parser:
    made = command.Parser(prog="model_checker.py", description=__doc__)
    add = made.add_argument
    add("--genmc", type=existing, required=True, metavar="PROGRAM", help="GenMC's program")
    add(
        "--tests",
        type=existing,
        required=True,
        metavar="FOLDER",
        help="tests/correct/data-structures of a checkout of GenMC",
    )
    add(
        "--prefix",
        type=existing,
        required=True,
        metavar="FOLDER",
        help="where lockbench is installed, with its package for CMake",
    )
    add("--threads", type=thread_numbers, default=[2, 3], metavar="LIST", help="[2,3]")
    add("--budget", default="10s", metavar="TIME", help="for `sim`, of each case [10s]")
    add("--lock", action="append", choices=[lock.name for lock in LOCKS], help="[all]")
    add(
        "--out",
        type=Path,
        default=Path("build/model_checker"),
        metavar="FOLDER",
        help="sources, build and verdicts.csv [build/model_checker]",
    )
    return made


def body(argv: Sequence[str]) -> int:
    given = parser().parse_args(argv)
    given.out = given.out.resolve()
    for file in (given.prefix / "bin" / "lockbench", given.tests / LOCKS[0].name):
        if not file.exists():
            raise InputError(f"{file}: is missing; see --help for --prefix and --tests")
    wanted = [lock for lock in LOCKS if not given.lock or lock.name in given.lock]
    found = [one for lock in wanted for one in variants(lock, given.tests, given.out)]
    library = built(found, given.prefix, given.out)
    with (given.out / "verdicts.csv").open("w", newline="", encoding="utf-8") as file:
        rows = list(all_verdicts(given, found, library, file))
    print(table(rows))
    unlike = differences(rows)
    print("\n".join(unlike) or f"\nBoth say the same of each of the {len(rows)} cases.")
    return 1 if unlike else 0


if __name__ == "__main__":
    sys.exit(command.run("model_checker.py", body, None))
