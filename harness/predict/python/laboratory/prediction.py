#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures and predicts a grid of cells on this machine, and says how accurate the predictions are.

grid        writes the preset of a grid: accuracy, bound, scaling or falls
accuracy    the tables of a measured and a predicted run of it
vary        writes a machine's file with each figure 30 % higher and lower
sensitivity the table of a run that was predicted with these files
table       the rates of a predicted run, for each machine
falls       which primitives of it fall from few threads to many
literature  predicted runs beside figures that others published
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "harness/predict/python"), str(ROOT / "scripts/commands")]

from analysis import modules  # noqa: E402

modules.need("prediction", "numpy", "pandas", "scipy")

import pandas as pd  # noqa: E402

from analysis import command, loader, marked  # noqa: E402
from analysis.errors import InputError  # noqa: E402
from laboratory import literature  # noqa: E402
from laboratory.accuracy import accuracy_text, changes, errors, falls, falls_text  # noqa: E402
from laboratory.accuracy import grid_text, sensitivity_text  # noqa: E402
from predicted import error_model  # noqa: E402

GRID = """\
# Written by laboratory/prediction.py grid, for docs/laboratory/prediction-accuracy.md.
title = "The grid on which predictions are compared with measurements"
blocks = 2
primitive = [
  "global", "global:lock=futex", "global:lock=std", "keyed", "keyed:buckets=64",
  "stripe_word:stripes=16", "stripe_word:stripes=63", "striped:stripes=16", "striped:stripes=64",
  "striped:stripes=1024", "striped:lock=futex,stripes=64", "striped:lock=std,stripes=64",
  "reentrant", "reentrant_repaired", "recursive_parking",
]
threads = [1, 2, 4, 8]
hold = ["0", "200ns", "20us"]
warmup = "10ms"
window = "50ms"

[[sweep]]
keys = [1, 64]

[[sweep]]
keys = 64
key_distribution = "zipf:0.99"
"""

# The same with each thread bound to a processor: what the kernel's choice of processors adds to the
# errors is not in it.
BOUND = GRID.replace("blocks = 2\n", 'blocks = 2\npinning = "compact"\n')

SCALING = """\
# Written by harness/predict/python/laboratory/prediction.py grid scaling, for
# docs/laboratory/predicted-machines.md.
title = "Our locks and the peers that can be predicted, on other machines"
blocks = 1
primitive = [
  "global", "global:lock=futex", "global:lock=std", "keyed", "stripe_word",
  "striped:stripes=64", "striped:stripes=1024", "striped:lock=std,stripes=64",
  "reentrant", "recursive_parking", "reentrant_repaired",
]
threads = [1, 2, 4, 8, 16, 32, 64]
hold = ["0", "200ns"]

[[sweep]]
keys = [1, 64]

[[sweep]]
keys = 10000
key_distribution = "zipf:0.99"
"""

FALLS = """\
# Written by laboratory/prediction.py grid falls: which locks fall from 8 to 64 cores.
title = "Each of our own locks with 8 and with 64 threads"
blocks = 3
threads = [8, 64]
hold = "0"
keys = 64

[[sweep]]
primitive = [
  "global", "global:lock=futex", "keyed", "stripe_word", "striped:stripes=64",
  "striped:stripes=1024", "reentrant", "recursive_parking",
]

[[sweep]]
workload = "checkout"
primitive = ["lease:leases=64", "lease:order=fifo,leases=64"]
"""

GRIDS = {"accuracy": GRID, "bound": BOUND, "scaling": SCALING, "falls": FALLS}

BY = 0.3
FIGURE = re.compile(r"^(?P<key>[a-z_]+)( *= *)(?P<number>[0-9.e+-]+)", re.IGNORECASE)
VARIED_TABLES = ("access_ns", "scheduler_ns")
LATENCIES = "latency"


def scaled(number: str, factor: float) -> str:
    return f"{float(number) * factor:.15g}"


def scaled_line(line: str, factor: float) -> str:
    """All numbers after the equals sign, or all of a row of the matrix; comments stay."""
    text, mark, comment = line.partition("#")
    head, equals, tail = text.partition("=") if "=" in text else ("", "", text)
    tail = re.sub(r"[0-9][0-9.e+]*", lambda found: scaled(found.group(), factor), tail)
    return head + equals + tail + mark + comment


def figures_of(text: str) -> list[tuple[str, list[int]]]:
    """The figures of a machine's file, and the lines of each. All latencies are one figure."""
    found: dict[str, list[int]] = {}
    table = ""
    for number, line in enumerate(text.splitlines()):
        if heading := re.match(r"\[+([a-z_]+)\]+", line):
            table = heading.group(1)
        elif table == "latency_ns" and re.match(r"\s*[a-z0-9\[]", line):
            found.setdefault(LATENCIES, []).append(number)
        elif table in VARIED_TABLES and (figure := FIGURE.match(line)):
            found[figure["key"]] = [number]
    if LATENCIES not in found:
        raise InputError("no [latency_ns]; name the file of a machine")
    return list(found.items())


def variants(text: str, by: float = BY) -> dict[str, str]:
    """The file with one figure changed, by a name for the change. A figure of 0 stays."""
    made = {}
    for key, numbers in figures_of(text):
        for sign, factor in (("plus", 1 + by), ("minus", 1 - by)):
            lines = text.splitlines()
            for number in numbers:
                lines[number] = scaled_line(lines[number], factor)
            changed = "\n".join(lines) + "\n"
            if changed.strip() != text.strip():
                made[f"{key}-{sign}"] = changed
    return made


def give(name: str, text: str, page: Path | None) -> None:
    if page is None:
        sys.stdout.write(text)
        return
    old = page.read_text(encoding="utf-8")
    page.write_text(marked.replaced(old, name, text), encoding="utf-8")


def parser() -> command.Parser:
    made = command.Parser(prog="prediction", description=__doc__)
    modes = made.add_subparsers(dest="mode", required=True, parser_class=command.Parser)
    grid = modes.add_parser("grid", help="prints the preset of a grid")
    grid.add_argument("name", nargs="?", choices=GRIDS, default="accuracy")
    accuracy = modes.add_parser("accuracy", help="how near a prediction is to a measurement")
    accuracy.add_argument("measured", metavar="MEASURED", help="folder of the measured run")
    accuracy.add_argument("predicted", metavar="PREDICTED", help="folder of the predicted run")
    accuracy.add_argument(
        "--errors",
        type=Path,
        metavar="FILE.csv",
        help="also writes the errors of each class of cells, from which the bands in pictures come:"
        " harness/predict/python/predicted/prediction_errors.csv",
    )
    vary = modes.add_parser("vary", help="writes a machine's file with each figure changed")
    vary.add_argument("machine", type=Path, metavar="FILE.toml")
    vary.add_argument("folder", type=Path, metavar="FOLDER", help="for the files")
    sensitive = modes.add_parser("sensitivity", help="what each of these changes changes")
    sensitive.add_argument("run", metavar="RUN", help="folder of the predicted run")
    sensitive.add_argument("base", metavar="NAME", help="the machine without a change")
    table = modes.add_parser("table", help="the rates of a predicted run, for each machine")
    table.add_argument("run", nargs="+", metavar="RUN", help="folders of predicted runs")
    table.add_argument(
        "--primitive", action="append", metavar="P", help="shows this one; may be given again [all]"
    )
    fall = modes.add_parser("falls", help="which primitives fall from few threads to many")
    fall.add_argument("run", metavar="RUN", help="folder of the predicted run")
    fall.add_argument("--few", type=int, default=8, metavar="N", help="threads (8)")
    fall.add_argument("--many", type=int, default=64, metavar="N", help="threads (64)")
    fall.add_argument(
        "--most",
        type=command.share,
        default=0.2,
        metavar="SHARE",
        help="the greatest fall that passes (20%%)",
    )
    others = modes.add_parser("literature", help="predicted runs beside published figures")
    others.add_argument("figures", type=Path, metavar="FILE.csv", help="of results/published")
    others.add_argument("runs", nargs="+", metavar="RUN", help="folders of predicted runs")
    for one in (accuracy, sensitive, table, fall, others):
        one.add_argument(
            "--page", type=Path, metavar="FILE.md", help="replaces the tables of this page [prints]"
        )
        one.add_argument("--mark", metavar="NAME", help="of the place in the page [the mode]")
    return made


def is_predicted(run: loader.Run) -> bool:
    return run.error is error_model.ERROR_MODEL


def measured_and_predicted(arguments: argparse.Namespace) -> str:
    measured, predicted = loader.load(arguments.measured), loader.load(arguments.predicted)
    if is_predicted(measured) or not is_predicted(predicted):
        raise InputError("wants a measured run first, and a predicted one after it")
    if arguments.errors is not None:
        arguments.errors.write_text(errors_text(measured, predicted), encoding="utf-8")
    return accuracy_text(measured.valid, predicted.valid)


def errors_text(measured: loader.Run, predicted: loader.Run) -> str:
    """The file that analysis/predict/error_model.py reads."""
    processors = measured.hardware_threads
    if processors is None:
        raise InputError(
            f"{measured.folder / 'meta.json'}: does not say how many processors it had"
        )
    about = [
        "Quantiles of measured over predicted; `ratio` is that of two primitives in one cell.",
        "command: ./harness/predict/python/laboratory/prediction.py accuracy MEASURED PREDICTED"
        " --errors FILE",
        f"machine: {measured.machine}",
        f"measured: {measured.run_id}; predicted: {predicted.run_id}",
    ]
    rows = errors(measured.valid, predicted.valid, processors)
    return "".join(f"# {line}\n" for line in about) + rows.to_csv(index=False)


def write_variants(arguments: argparse.Namespace) -> None:
    text = arguments.machine.read_text(encoding="utf-8")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    base = arguments.machine.stem
    files = {base: text, **{f"{base}-{name}": made for name, made in variants(text).items()}}
    for name, made in files.items():
        (arguments.folder / f"{name}.toml").write_text(made, encoding="utf-8")
    print(" ".join(f"--machine {arguments.folder / name}.toml" for name in files))


def body(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    if arguments.mode == "grid":
        sys.stdout.write(GRIDS[arguments.name])
    elif arguments.mode == "accuracy":
        give(arguments.mark or "accuracy", measured_and_predicted(arguments), arguments.page)
    elif arguments.mode == "literature":
        runs = [loader.load(folder).valid for folder in arguments.runs]
        theirs = literature.published(arguments.figures)
        found = literature.curves(theirs, literature.predicted(runs))
        give(arguments.mark or arguments.mode, literature.text(found), arguments.page)
    elif arguments.mode == "vary":
        write_variants(arguments)
    else:
        folders = arguments.run if isinstance(arguments.run, list) else [arguments.run]
        runs = [loader.load(folder) for folder in folders]
        for run in runs:
            if not is_predicted(run) or "machine" not in run.trials:
                raise InputError(f"{run.folder}: is no predicted run")
        text = text_of_run(arguments, pd.concat(run.valid for run in runs))
        give(arguments.mark or arguments.mode, text, arguments.page)
    return 0


def text_of_run(arguments: argparse.Namespace, trials: pd.DataFrame) -> str:
    if arguments.mode == "table":
        shown = trials["label"].isin(arguments.primitive or trials["label"].unique())
        return grid_text(trials[shown])
    if arguments.mode == "falls":
        few, many = arguments.few, arguments.many
        return falls_text(falls(trials, few, many), few, many, arguments.most)
    return sensitivity_text(changes(trials, arguments.base))


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("prediction", body, argv)


if __name__ == "__main__":
    sys.exit(main())
