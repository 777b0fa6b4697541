# SPDX-License-Identifier: Apache-2.0
"""Help teaches: what there is, and examples that work as they stand."""

from __future__ import annotations

import json
import os
import re
import shlex

import pytest

import manual
from installation import ROOT
from program import Program

# Those that Python scripts carry out.
SCRIPTS = re.findall(
    r'^    \{"([a-z-]+)", CommandGroup',
    (ROOT / "harness/bench/command/analysis/analysis_entry.cc").read_text(encoding="utf-8"),
    re.MULTILINE,
)
assert "regret" in SCRIPTS


def test_no_words_show_help(lockbench: Program) -> None:
    alone = lockbench.run()
    asked = lockbench.run("--help")
    assert alone.returncode == 0 and alone.stderr == ""
    assert alone.stdout == asked.stdout
    for command in ("run", "plot", "compare", "report", "list", "trial"):
        assert re.search(rf"^  {command} ", alone.stdout, re.MULTILINE)
    assert "lockbench run quick" in alone.stdout


@pytest.mark.parametrize("command", ["run", "list", "trial", "advise"])
def test_each_command_shows_examples(lockbench: Program, command: str) -> None:
    done = lockbench.run(command, "--help")
    assert done.returncode == 0 and done.stderr == ""
    assert "Example" in done.stdout
    assert f"lockbench {command}" in done.stdout


@pytest.mark.parametrize("command", SCRIPTS)
def test_scripts_show_their_own_help(lockbench: Program, command: str) -> None:
    done = lockbench.run(command, "--help")
    assert done.returncode == 0, done.stderr
    assert f"usage: lockbench {command} " in done.stdout
    assert f"\n  lockbench {command} " in done.stdout.partition("\nExamples\n")[2]


def test_the_help_groups_commands_by_what_a_person_wants(lockbench: Program) -> None:
    groups = dict(manual.commands_in(lockbench.run("--help").stdout))
    order = (
        "Measure locks",
        "Decide",
        "Check a lock",
        "Your program",
        "Other machines",
        "Upkeep",
    )
    # A group whose commands are all of capabilities that were deleted is not there.
    assert list(groups) == [group for group in order if group in groups]
    assert "run" in dict(groups["Measure locks"])
    assert "help" in dict(groups["Upkeep"])
    assert not any("plugin" in dict(commands) for commands in groups.values())


def test_the_manual_has_the_commands_of_the_help(lockbench: Program) -> None:
    page = (ROOT / "docs/man/lockbench.1").read_text(encoding="utf-8")
    wanted = manual.page_with(page, lockbench.run("--help").stdout)
    assert page == wanted, "run scripts/maintain/manual.py build/release/lockbench"


# The values that the completion offers for a flag of `run`; each must be one that `run` takes.
@pytest.mark.parametrize("name", ["lockbench.bash", "_lockbench"])
def test_the_completions_offer_values_that_run_takes(lockbench: Program, name: str) -> None:
    text = (ROOT / "cmake/completion" / name).read_text(encoding="utf-8")
    flags = "mode key-type key-distribution pinning arrivals watch load".split()
    for flag in flags:
        found = re.search(rf"--{flag}(?: \| --\w+)*\)\s*(?:words=\"|compadd )([^\";]+)", text)
        assert found, flag
        for value in found[1].split():
            words = ["--threads", "2", "--hold", "200ns", f"--{flag}", value]
            words += ["--mode", "open", "--rate", "9"] if flag == "arrivals" else []
            words += ["--keys", "1"] if flag == "load" else ["--keys", "10"]
            words += ["--rate", "9"] if value == "open" else []
            words += ["--operations", "9"] if value == "fixed" and flag == "mode" else []
            done = lockbench.run("run", "--primitive", "keyed", "--dry-run", *words)
            assert done.returncode == 0, (flag, value, done.stderr)


def test_examples_of_run_expand_to_plans(lockbench: Program) -> None:
    text = lockbench.run("run", "--help").stdout.replace("\\\n", "")
    examples = [shlex.split(line) for line in text.splitlines() if line.startswith("  lockbench ")]
    assert len(examples) >= 5
    (lockbench.folder / "my-plan.toml").write_text('title = "x"\nprimitive = "keyed"\n')
    for words in examples:
        if "--resume" in words:
            continue
        done = lockbench.run(*words[1:], "--dry-run") if "--dry-run" not in words else None
        done = done or lockbench.run(*words[1:])
        assert done.returncode == 0, (words, done.stderr)
        assert re.search(r"\d+ trials? in \d+ blocks?, about \d+ ", done.stdout)


def test_help_of_run_says_what_happens_without_a_preset(lockbench: Program) -> None:
    assert "is an error" in lockbench.run("run", "--help").stdout


def test_version_names_the_build(lockbench: Program) -> None:
    done = lockbench.run("--version")
    assert done.returncode == 0
    assert re.match(r"lockbench \d+\.\d+\.\d+", done.stdout)
    assert "abseil" in done.stdout


def test_list_names_the_same_for_programs(lockbench: Program) -> None:
    everything = json.loads(lockbench.run("list", "--format", "json").stdout)
    # After these, what capabilities add.
    assert list(everything)[:4] == ["primitives", "workloads", "presets", "targets"]
    for what, listed in everything.items():
        done = lockbench.run("list", what, "--format", "json")
        assert (done.returncode, json.loads(done.stdout)) == (0, {what: listed})
        lines = lockbench.run("list", what).stdout.splitlines()[1:]
        told = [line.split()[0] for line in lines if not line.startswith("    :")]
        assert [one["name"] for one in listed] == [name for name in told if name[0] != ":"]
    striped = {one["name"]: one for one in everything["primitives"]}["striped:lock=std"]
    assert striped["parameters"]["lock"] == "std" and not striped["usual"]
    assert "counter" in striped["workloads"] and striped["key_types"] == ["u64", "string"]
    assert striped["numbers"][0]["parameter"] == "stripes"


def test_a_preset_to_start_from_runs_and_is_never_replaced(lockbench: Program) -> None:
    printed = lockbench.run("preset", "init").stdout
    written = lockbench.run("preset", "init", "mine.toml")
    assert (written.returncode, written.stderr) == (0, "")
    file = lockbench.folder / "mine.toml"
    assert file.read_text(encoding="utf-8") == printed
    planned = lockbench.run("run", "mine.toml", "--dry-run")
    assert planned.returncode == 0 and re.search(r"\d+ trials in \d+ blocks", planned.stdout)
    quoted = lockbench.run("preset", "init", "a 'b\".toml").stdout.splitlines()[1]
    words = shlex.split(quoted.partition("then ")[2])
    assert lockbench.run(*words[1:]).returncode == 0, quoted
    full = lockbench.run("preset", "init", "full.toml", file_limit=100)
    assert full.returncode == 1 and not (lockbench.folder / "full.toml").exists()
    repeated = lockbench.run("preset", "init", "mine.toml")
    assert (repeated.returncode, repeated.stdout) == (0, written.stdout)
    file.write_text("mine", encoding="utf-8")
    again = lockbench.run("preset", "init", "mine.toml")
    assert (again.returncode, again.stdout) == (2, "")
    assert "mine.toml: exists already; name another file" in again.stderr
    assert file.read_text(encoding="utf-8") == "mine"


def test_a_preset_is_shown_as_toml_alone(lockbench: Program) -> None:
    shown = lockbench.run("list", "presets", "--show", "quick")
    quick = ROOT / "workloads" / "presets" / "quick.toml"
    assert (shown.returncode, shown.stdout) == (0, quick.read_text(encoding="utf-8"))


def test_every_listed_preset_expands(lockbench: Program) -> None:
    lines = lockbench.run("list", "presets").stdout.splitlines()[1:]
    assert len(lines) >= 11
    with_server = {**os.environ, "LOCKBENCH_POSTGRES": "postgresql://somebody@nowhere/name"}
    for line in lines:
        preset = line.split()[0]
        done = lockbench.run("run", preset, "--dry-run", env=with_server)
        # Their locks are in plug-ins; harness/services/tests has the runs with these.
        if preset.startswith("services"):
            assert (done.returncode, done.stdout) == (2, "")
            assert "; name it by --plugin" in done.stderr
            continue
        assert done.returncode == 0, done.stderr


def test_a_dry_run_begins_with_how_much_there_is(lockbench: Program) -> None:
    words = ("run", "--primitive", "keyed", "--threads", "1,2", "--blocks", "3", "--dry-run")
    short, long = (lockbench.run(*words, *more).stdout for more in ((), ("-v",)))
    assert re.fullmatch(r"6 trials in 3 blocks, about \d+ .*\n", short)
    summary, _, trials = long.partition("\n\n")
    assert summary + "\n" == short and len(trials.splitlines()) == 6
