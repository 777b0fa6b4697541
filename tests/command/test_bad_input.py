# SPDX-License-Identifier: Apache-2.0
"""Bad input: one line that says where, what and what would be right; exit 2; nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from program import Program

SMALL = ("--primitive", "keyed", "--threads", "1", "--blocks", "1", "--mode", "fixed")
RESUME = ("run", "--resume", "there")


def files_below(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_refused(lockbench: Program, words: tuple[str, ...], said: tuple[str, ...]) -> None:
    before = files_below(lockbench.folder)
    done = lockbench.run(*words)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("lockbench")
    assert done.stderr.count("\n") == 1 and done.stderr.endswith("\n"), done.stderr
    for piece in said:
        assert piece in done.stderr
    assert files_below(lockbench.folder) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rnu",), ("unknown command 'rnu'", "did you mean 'run'?")),
        (("",), ("unknown command ''", "there are: run")),
        (("--frob",), ("unknown flag '--frob'", "--help")),
        (("--progress", "off", "run", "quick"), ("'--progress'", "go after it")),
        (("run", "--thread", "3"), ("unknown flag '--thread'", "did you mean '--threads'?")),
        (("run", "quick", "keys"), ("unexpected word 'keys'", "lockbench run --help")),
        (("list", "primitivs"), ("'primitivs'", "did you mean 'primitives'?")),
        (("preset",), ("wants init first", "lockbench preset init mine.toml")),
        (("preset", "init", "mine"), ("'mine'", "name it mine.toml")),
        (("preset", "init", ""), ("no name given",)),
        (("preset", "init", "a.toml", "b.toml"), ("'b.toml'", "one file")),
        (("run",), ("nothing to measure", "lockbench run quick")),
        (("run", "--blocks", "2"), ("nothing to measure", "lockbench run quick")),
        (("run", "--blocks"), ("--blocks: no value given",)),
        (("run", "quick", "--seed", "1", "--seed", "2"), ("--seed: given more than once",)),
        (("two\nlines",), (r"unknown command 'two\nlines'",)),
        (("run", "two\nlines.toml"), (r"two\nlines.toml: No such file",)),
        (("run", "--primitive", "\x1b[2J"), (r"'\x1b[2J' is not a primitive",)),
        (("list", "two\nlines"), (r"unknown list 'two\nlines'",)),
        (
            ("run", "quick", "--blocks", "2", "--budget", "9s"),
            ("--budget: has no meaning with --blocks",),
        ),
        (("trial", "--parent", "me"), ("--parent", "lockbench trial --help")),
        (("run", "quick", "--progress", "loud"), ("'loud'", "auto, bar, line, off")),
    ],
)
def test_words_that_make_no_command(
    lockbench: Program, words: tuple[str, ...], said: tuple[str, ...]
) -> None:
    assert_refused(lockbench, words, said)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--primitive stripped", ("--primitive", "did you mean 'striped'?")),
        ("--threads 0", ("--threads: 0", "1 to 4096")),
        ("--primitive keyed,striped", ("as --primitive keyed --primitive striped",)),
        ("--primitive striped:stripes=8,keyed", ("'keyed' in", "repeat the flag")),
        ("--distribution uniform", ("'--distribution'", "did you mean '--key-distribution'?")),
        ("--blocks 0 --threads 1", ("--blocks: 0", "1 to 10000")),
        ("--seed -1 --threads 1", ("--seed: -1", "0 to")),
        ("--window 0", ("window", "longer than 0")),
        (
            "--processes --workload transfer",
            ("--processes", "'transfer' are threads", "counter, accounts"),
        ),
    ],
)
def test_flags_that_make_no_cell(lockbench: Program, flags: str, said: tuple[str, ...]) -> None:
    assert_refused(lockbench, ("run", *flags.split()), said)


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("", ("plan.toml:1:1:", 'title = "')),
        ('title = "x"\nprimitive = "keyed"\nhold = "2 moons"\n', ("plan.toml:3:8:", "units are")),
        (
            'title = "x"\n[[sweep]]\nprimitive = "striped"\nworkload = "nested"\n',
            ("plan.toml:2:1:",),
        ),
    ],
)
def test_preset_files_that_make_no_plan(
    lockbench: Program, toml: str, said: tuple[str, ...]
) -> None:
    (lockbench.folder / "plan.toml").write_text(toml, encoding="utf-8")
    assert_refused(lockbench, ("run", "plan.toml"), said)


@pytest.mark.parametrize(
    ("preset", "said"),
    [
        ("quik", ("unknown preset 'quik'", "did you mean 'quick'?")),
        ("", ("unknown preset ''", "quick")),
        ("nowhere.toml", ("nowhere.toml: No such file", "lockbench list presets")),
        ("folder.toml", ("folder.toml: Is a directory", "lockbench list presets")),
        ("folder.toml/", ("folder.toml/: neither", "lockbench list presets")),
        ("binary.toml", ("binary.toml:1:1:", "not TOML")),
    ],
)
def test_presets_that_cannot_be_read(
    lockbench: Program, preset: str, said: tuple[str, ...]
) -> None:
    (lockbench.folder / "folder.toml").mkdir()
    (lockbench.folder / "binary.toml").write_bytes(b"\x80\x00\xff")
    assert_refused(lockbench, ("run", preset), said)


def test_output_folder_below_a_file(lockbench: Program) -> None:
    (lockbench.folder / "file").write_text("x", encoding="utf-8")
    for out in ("file", "file/run"):
        words = ("run", *SMALL, "--out", out)
        assert_refused(lockbench, words, (f"{out}: cannot be made", "a folder that can be written"))
    assert_refused(lockbench, ("run", *SMALL, "--out", ""), ("--out", "name a folder"))


def test_output_folder_that_holds_a_run(lockbench: Program) -> None:
    assert lockbench.run("run", *SMALL, "--out", "there").returncode == 0
    said = ("there/trials.csv", "already holds a run", "another folder")
    assert_refused(lockbench, ("run", *SMALL, "--out", "there"), said)


def test_resume_of_no_run(lockbench: Program) -> None:
    said = ("nowhere/meta.json", "name the folder of a run")
    assert_refused(lockbench, ("run", "--resume", "nowhere"), said)
    assert_refused(lockbench, ("run", "--resume", ""), ("--resume", "name a folder"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"compiler": "', '"compiler": "another ', ("there: ", "another build")),
        ('"cpu_model": "', '"cpu_model": "another ', ("there: ", "another machine")),
        ('"plan": ', '"plam": ', ("there/meta.json", "plan", "missing")),
    ],
)
def test_resume_of_a_run_that_is_not_ours(
    lockbench: Program, old: str, new: str, said: tuple[str, ...]
) -> None:
    assert lockbench.run("run", *SMALL, "--out", "there").returncode == 0
    meta = lockbench.folder / "there" / "meta.json"
    text = meta.read_text(encoding="utf-8").replace('"finished"', '"running"')
    assert old in text
    meta.write_text(text.replace(old, new), encoding="utf-8")
    assert_refused(lockbench, RESUME, said)


@pytest.mark.parametrize(
    ("extra", "named"),
    [
        (("quick",), "the preset"),
        (("--threads", "3"), "--threads"),
        (("--seed", "3"), "--seed"),
        (("--out", "elsewhere"), "--out"),
        (("--dry-run",), "--dry-run"),
    ],
)
def test_resume_with_another_plan(lockbench: Program, extra: tuple[str, ...], named: str) -> None:
    assert_refused(lockbench, (*RESUME, *extra), ("--resume", f"leave out {named}"))


@pytest.mark.parametrize("text", ["", "{}", "[", '{"number":0}', "\0"])
def test_a_trial_that_is_none(lockbench: Program, text: str) -> None:
    (lockbench.folder / "trial.json").write_text(text, encoding="utf-8")
    with (lockbench.folder / "trial.json").open(encoding="utf-8") as file:
        done = lockbench.run("trial", stdin=file)
    assert done.returncode == 2
    assert done.stderr.startswith("lockbench trial: standard input:")
    assert done.stderr.count("\n") == 1
