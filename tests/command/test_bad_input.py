# SPDX-License-Identifier: Apache-2.0
"""Bad input: one line that says where, what and what would be right; exit 2; nothing written."""

from __future__ import annotations

import os
import runpy
import shlex
from pathlib import Path

import pytest

from program import BINARY, PLUGINS, Program

SMALL = "--primitive keyed --threads 1 --blocks 1 --mode fixed"

# A command, and what is said of it. The words are those of each command; what values may be is
# tested where they are read.
OF_THE_CORE: list[tuple[str, ...]] = [
    ("rnu", "unknown command 'rnu'", "did you mean 'run'?"),
    ("''", "unknown command ''", "there are: run"),
    ("--frob", "unknown flag '--frob'", "--help"),
    ("--progress off run quick", "'--progress'", "go after it"),
    ("'two\nlines'", r"unknown command 'two\nlines'"),
    ("list primitivs", "'primitivs'", "did you mean 'primitives'?"),
    ("list 'two\nlines'", r"unknown list 'two\nlines'"),
    ("list presets --show quik", "--show: unknown preset 'quik'; did you mean 'quick'?"),
    ("list presets --show ''", "--show: '' is no preset; see lockbench list presets"),
    ("list --show quick", "write lockbench list presets --show quick"),
    ("list presets --show quick --format json", "leave out --format json"),
    ("list presets --format xml", "'xml' is neither text nor json"),
    ("run --progress none", "'none' is none of auto, bar, line, off"),
    ("preset", "wants init first", "lockbench preset init mine.toml"),
    ("preset init mine", "'mine'", "name it mine.toml"),
    ("preset init ''", "no name given"),
    ("preset init a.toml b.toml", "'b.toml'", "one file"),
    ("plugin", "lockbench plugin: file is required"),
    ("trial --parent me", "--parent: 'me' is not a whole number"),
    ("trial --flamegraph keyed.png", "'keyed.png' does not end in .svg"),
    ("trial --flamegraph keyed.svg --try", "--try measures nothing"),
    ("run", "nothing to measure", "lockbench run quick"),
    ("run --blocks 2", "nothing to measure", "lockbench run quick"),
    ("run --thread 3", "unknown flag '--thread'", "did you mean '--threads'?"),
    ("run quick keys", "unexpected word 'keys'", "lockbench run --help"),
    ("run --blocks", "--blocks: no value given"),
    ("run quick --seed 1 --seed 2", "--seed: given more than once"),
    ("run 'two\nlines.toml'", r"two\nlines.toml: No such file"),
    ("run --primitive '\x1b[2J'", r"'\x1b[2J' is not a primitive"),
    ("run --primitive stripped", "--primitive", "did you mean 'striped'?"),
    ("run --primitive keyed,striped", "as --primitive keyed --primitive striped"),
    ("run --primitive striped:stripes=8,keyed", "'keyed' in", "repeat the flag"),
    ("run --distribution uniform", "'--distribution'", "did you mean '--key-distribution'?"),
    ("run --threads 0", "--threads: 0", "1 to 4096"),
    ("run --seed -1 --threads 1", "--seed: -1", "0 to"),
    ("run --window 0", "window", "longer than 0"),
    ("run --processes --workload transfer", "'transfer' are threads", "counter, accounts"),
    ("run quick --blocks 2 --budget 9s", "--budget: has no meaning with --blocks"),
    ("run quick --progress loud", "'loud'", "auto, bar, line, off"),
    ("run quick --format html", "'html' is none of text, json, csv, markdown"),
    ("run --primitive global --patience long", "--patience"),
    ("run --primitive keyed --verbose", "--verbose: lists the trials of --dry-run"),
    ("run quick --precision 101%", "--precision", "a share above 0, as 2% or 0.02"),
    ("run quick --precision", "--precision: no value given"),
    ("run quick --precision 2% --budget 5", "--budget: '5' has no unit"),
    ("run quick --precision 2% --budget -5s", "--budget: '-5s' is negative"),
    ("run quick --precision 2% --precision 3%", "--precision: given more than once"),
    ("run empty.toml", "empty.toml:1:1:", 'title = "'),
    ("run moons.toml", "moons.toml:3:8:", "units are"),
    ("run quik", "unknown preset 'quik'", "did you mean 'quick'?"),
    ("run ''", "unknown preset ''", "quick"),
    ("run nowhere.toml", "nowhere.toml: No such file", "lockbench list presets"),
    ("run folder.toml", "folder.toml: Is a directory", "lockbench list presets"),
    ("run folder.toml/", "folder.toml/: neither", "lockbench list presets"),
    ("run binary.toml", "binary.toml:1:1:", "not TOML"),
    (f"run {SMALL} --out file", "file: cannot be made", "a folder that can be written"),
    (f"run {SMALL} --out file/run", "file/run: cannot be made", "a folder that can be written"),
    (f"run {SMALL} --out ''", "--out", "name a folder"),
    ("run --resume nowhere", "nowhere/meta.json", "name the folder of a run"),
    ("run --resume ''", "--resume", "name a folder"),
    ("run --resume there quick", "--resume", "leave out the preset"),
    ("run --resume there --threads 3", "--resume", "leave out --threads"),
    ("run --resume there --seed 3", "--resume", "leave out --seed"),
    ("run --resume there --out elsewhere", "--resume", "leave out --out"),
    ("run --resume there --dry-run", "--resume", "leave out --dry-run"),
    ("run --resume there --precision 2%", "leave out --precision"),
    ("run quick --shard 1/700 --out one", "700 shards are too many for this plan of "),
    ("run quick --shard 4/3 --out one", "write i/n, as 3/8"),
    ("run quick --shard 1/3 --precision 2% --out one", "has no meaning with --shard"),
    ("run quick --shard 1/3 --budget 1min --out one", "has no meaning with --shard"),
    ("run quick --shard 2/3", "--shard: wants --out and a folder for this shard alone"),
    ("run quick --up-to-processors --shard 1/2 --out x", "cannot be combined with --shard"),
    ("run --workload database --primitive lease:leases=11 --keys 100 --dry-run",
     "11 for each of 100 keys here; take 1000 or fewer in all"),
    ("ab", "names no two versions; "),
    ("ab nowhere.so other.so", "nowhere.so: no such file; "),
    ("ab c.so lb", "only one is a plug-in"),
    ("ab c.so alike.so", "no name is in both; give the lock one name"),
    ("ab --base main", "--base, --build and --plugin belong together"),
    ("ab c.so c.so --blocks x", "is no number of blocks"),
    ("advise --keys 8", "--threads: not given; say how many threads lock"),
    ("advise --threads 8", "--keys: not given; say how many keys there are"),
    ("advise --threads 1,2 --keys 8", "--threads"),
    ("advise --threads 2 --keys 1 --rate many", "--rate: 'many' is not a whole number"),
    ("advise --threads 2 --keys 1 --every 0", "0: threads that lock again at once are --load"),
    ("advise --threads 2 --keys 1 --load 5% --rate 5", "--rate and --load: both say how often"),
    ("advise --threads 2 --keys 1 --run nowhere", "nowhere: no such folder"),
    ("advise --threads 2 --keys 1 --run there --budget 9s", "--run: answers from that run"),
    ("advise --threads 2 --keys 1 --across-machines", "no lock of a service is loaded"),
    ("advise --threads 2 --keys 1 --service mine=localhost:1", "add --across-machines"),
    ("advise --threads 2 --keys 1 --format xml", "'xml' is none of text, json, csv, markdown"),
    ("advise --threads 2 --keys 4 --when keyed", "--when and --beats: name two primitives"),
    ("stress --weaken", "--weaken takes one lock"),
    ("stress spin --weaken --engine real", "leave --engine out, or say --engine sim"),
    ("stress spin --weaken --memory tso", "leave --memory out, or say --memory c11"),
    ("stress spin --weaken --program 'L0 U'", "leave --program out"),
    ("stress spin --engine sim --memory sequential", "say sc, tso or c11"),
    ("stress spin --engine sim --memory tso,tso", "the memory model tso is there twice"),
    ("stress spin --engine sim --memory tso,c11 --schedule 1 --program 'L0 U'",
     "a schedule belongs to one memory model"),
    ("stress spin --exhaustive --engine real", "leave --engine out, or say --engine sim"),
    ("stress spin --engine sim --mode stop", "--mode is for the engine real or proc"),
    ("stress spin --exhaustive --weaken", "leave --weaken out"),
    ("stress spin --exhaustive --schedule 1", "leave --schedule out"),
    ("stress keyd", "did you mean 'keyed'"),
    ("stress keyed --budget 0s", "--budget: leaves no time"),
    ("stress spin --report nowhere/page.html", "there is no folder nowhere"),
    ("stress spin --report page.html --list", "--report: shows the results of the engines"),
    ("stress spin --report page.html --self-test", "; leave out --self-test"),
]  # fmt: skip


def refused_by_parts() -> list[tuple[str, ...]]:
    """The rows that capabilities have in a file of their own."""
    rows = []
    for file in sorted(Path(__file__).resolve().parents[2].glob("harness/*/tests/refused.py")):
        rows += runpy.run_path(str(file))["REFUSED"]
    return rows


REFUSED = OF_THE_CORE + refused_by_parts()
PLANS = {
    "empty": "",
    "moons": 'title = "x"\nprimitive = "keyed"\nhold = "2 moons"\n',
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """A folder with files that the commands name; no program is on the PATH."""
    lockbench = Program(tmp_path_factory.mktemp("refused"))
    folder = lockbench.folder
    (folder / "folder.toml").mkdir()
    (folder / "binary.toml").write_bytes(b"\x80\x00\xff")
    for name, text in PLANS.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    (folder / "file").write_text("x", encoding="utf-8")
    (folder / "lb").symlink_to(BINARY)
    (folder / "c.so").symlink_to(PLUGINS / "c_locks.so")
    (folder / "alike.so").symlink_to(PLUGINS / "alike.so")
    return lockbench


@pytest.mark.parametrize(("command", "said"), [(case[0], case[1:]) for case in REFUSED])
def test_what_makes_no_command_is_refused(
    prepared: Program, command: str, said: tuple[str, ...]
) -> None:
    prepared.refuse(*shlex.split(command), said=said, env={**os.environ, "PATH": "/nowhere"})


def test_a_patience_of_the_environment_is_checked_too(lockbench: Program) -> None:
    env = {**os.environ, "LOCKBENCH_PATIENCE": "long"}
    lockbench.refuse("run", "--primitive", "global", "--dry-run", said=("--patience",), env=env)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"finished"', '"finished"', ("there/trials.csv", "already holds a run", "another folder")),
        ('"compiler": "', '"compiler": "another ', ("there: ", "another build")),
        ('"cpu_model": "', '"cpu_model": "another ', ("there: ", "another machine")),
        ('"plan": ', '"plam": ', ("there/meta.json", "plan", "missing")),
    ],
)
def test_a_folder_of_a_run_that_is_not_ours(
    lockbench: Program, old: str, new: str, said: tuple[str, ...]
) -> None:
    small = ("run", *SMALL.split(), "--out", "there")
    assert lockbench.run(*small).returncode == 0
    meta = lockbench.folder / "there" / "meta.json"
    text = meta.read_text(encoding="utf-8")
    assert old in text
    text = text.replace('"finished"', '"running"').replace(old, new)
    meta.write_text(text, encoding="utf-8")
    lockbench.refuse(*(small if old == new else ("run", "--resume", "there")), said=said)


@pytest.mark.parametrize("text", ["", "{}", "[", '{"number":0}', "\0"])
def test_a_trial_that_is_none(lockbench: Program, text: str) -> None:
    (lockbench.folder / "trial.json").write_text(text, encoding="utf-8")
    with (lockbench.folder / "trial.json").open(encoding="utf-8") as file:
        lockbench.refuse("trial", said=("lockbench trial: standard input:",), stdin=file)
