#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two versions of a lock, A and B, which are measured in turn, block by block: two
plug-ins, two programs `lockbench`, or a plug-in as two git revisions build it."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

from analysis import modules

modules.need("lockbench ab", "matplotlib", "pandas", "scipy")

from analysis import ab, command, comparison, figure, gate, loader, tables, verdict  # noqa: E402
from analysis.ab import NAMES, Version  # noqa: E402
from analysis.errors import InconclusiveError, InputError  # noqa: E402
from analysis.pictures import forest  # noqa: E402

BLOCKS = 15
EXAMPLES = """
All other words go to `lockbench run`: a preset, or flags of its cells. Without any, the locks that
both plug-ins bring are measured in the cells that `run` has if nothing names others.

Examples
  lockbench ab old/my_lock.so build/my_lock.so --threads 1,2 --keys 1,1000
  lockbench ab build/before/lockbench build/after/lockbench quick --blocks 10
  lockbench ab --base main --build 'cmake -B build && cmake --build build' \\
    --plugin build/my_lock.so --threads 2 --markdown
      The plug-in as the revision `main` builds it, against the one of this folder.

OUT/A and OUT/B are runs as any other: report, plot and compare read them.
docs/continuous-integration.md has a workflow for the repository of a lock.

Exit codes: 0 B is not slower by more than the share, 1 a trial could not be run, 2 bad input, as a
build that fails, 3 B is slower, 4 the blocks leave it open, or nothing valid was measured on a
busy machine (0 with --allow-inconclusive if the blocks leave it open).
"""


def parser() -> command.Parser:
    made = command.Parser(
        prog="lockbench ab",
        usage="lockbench ab A.so B.so [FLAGS OF run]\n       lockbench ab LOCKBENCH_A LOCKBENCH_B"
        " [FLAGS OF run]\n       lockbench ab --base REV --build CMD --plugin FILE [FLAGS OF run]",
        description=__doc__,
        epilog=EXAMPLES,
        allow_abbrev=False,
    )
    made.add_argument("--base", metavar="REV", help="A: this revision of the repository here")
    made.add_argument("--build", metavar="CMD", help="builds the plug-in, in this folder of REV")
    made.add_argument(
        "--plugin", metavar="FILE", help="with --build: what it builds; else: of both versions"
    )
    made.add_argument("--blocks", type=_blocks, default=BLOCKS, metavar="N", help="pairs (15)")
    gate.add_flags(made)
    made.add_argument(
        "--markdown", dest="format", action="store_const", const="markdown", help="for a comment"
    )
    made.add_argument(
        "--out", type=Path, metavar="DIR", help="folder (results/ab/<time>); goes on there"
    )
    made.add_argument("--program", default="lockbench", help=argparse.SUPPRESS)
    return made


def _blocks(text: str) -> int:
    if text.isdecimal() and 1 <= int(text) <= 10_000:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of blocks; write one from 1 to 10000")


def main(argv: Sequence[str] | None = None) -> int:
    return command.run("lockbench ab", body, argv)


def body(argv: Sequence[str]) -> int:
    words = list(argv)
    files: list[str] = []
    # `lockbench` puts --program first.
    lead = words[:2] if words[:1] == ["--program"] else []
    words = words[len(lead) :]
    while words and not words[0].startswith("-") and len(files) < 2:
        files.append(words.pop(0))
    arguments, of_run = parser().parse_known_args([*lead, *words])
    if arguments.base is None and arguments.build is None:
        return _between(_of_files(files, arguments), of_run, arguments)
    if None in (arguments.base, arguments.build, arguments.plugin):
        raise InputError("--base, --build and --plugin belong together; give all three")
    plugin = _within_each_version(arguments.plugin)
    with _revision(arguments.base) as folder:
        out = _out(arguments)
        versions = [
            Version(name, what, arguments.program, _built(name, where, plugin, arguments, out))
            for name, what, where in (
                (NAMES[0], arguments.base, folder),
                (NAMES[1], "this folder", Path.cwd()),
            )
        ]
    _note_if_same(versions)
    return _between(versions, [*files, *of_run], arguments)


def _of_files(files: Sequence[str], arguments: argparse.Namespace) -> list[Version]:
    if len(files) < 2:
        raise InputError(
            "names no two versions; name two plug-ins, as `lockbench ab old/my_lock.so my_lock.so`,"
            " or give --base, --build and --plugin"
        )
    for file in files:
        if not Path(file).is_file():
            raise InputError(f"{file}: no such file; the two versions are the first words")
    plugins = [file.endswith(".so") for file in files]
    if plugins[0] != plugins[1]:
        raise InputError(f"{files[0]} and {files[1]}: only one is a plug-in (.so); name two")
    if plugins[0]:
        if arguments.plugin is not None:
            raise InputError("--plugin: the versions are plug-ins already; leave it out")
        return [
            Version(name, file, arguments.program, Path(file)) for name, file in zip(NAMES, files)
        ]
    plugin = None if arguments.plugin is None else Path(arguments.plugin)
    return [
        Version(name, file, str(Path(file).resolve()), plugin) for name, file in zip(NAMES, files)
    ]


def _within_each_version(file: str) -> Path:
    """The plug-in's path from the folder of a version. A path that leads to one file from both
    would compare it with itself."""
    path = Path(file)
    if path.is_absolute():
        try:
            path = path.relative_to(Path.cwd())
        except ValueError:
            raise InputError(
                f"--plugin {file}: is outside of this folder, so it would be the file of both"
                " versions; name it from this folder, as --plugin build/my_lock.so"
            ) from None
    return path


@contextmanager
def _revision(base: str) -> Iterator[Path]:
    """This folder, as the revision has it."""
    with tempfile.TemporaryDirectory(prefix="lockbench-ab-") as scratch:
        tree = Path(scratch) / "tree"
        inside = _git("rev-parse", "--show-prefix")
        _git("worktree", "add", "--detach", str(tree), base)
        try:
            yield tree / inside
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _git(*words: str) -> str:
    try:
        done = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise InputError("--base: there is no program git; install it") from None
    if done.returncode:
        lines = [" ".join(line.split()) for line in done.stderr.splitlines()]
        said = "; ".join(line for line in lines if line)
        raise InputError(f"--base: git {words[0]}: {said or 'it does not say why'}")
    return done.stdout.strip()


def _built(name: str, where: Path, plugin: Path, arguments: argparse.Namespace, out: Path) -> Path:
    """A copy of the plug-in that the command builds there."""
    if not where.is_dir():
        raise InputError(f"--base {arguments.base}: has no such folder as this one")
    done = subprocess.run(arguments.build, shell=True, cwd=where, stdout=sys.stderr, check=False)
    if done.returncode:
        raise InputError(f"--build: ended with {done.returncode}, building {name} in {where}")
    made = where / plugin
    if not made.is_file():
        raise InputError(f"--plugin {plugin}: --build did not make it in {where}")
    top = where
    while not (top / ".git").exists() and top != top.parent:
        top = top.parent
    # A link, or a path with `..`, may lead to a file that both versions have.
    if not made.resolve().is_relative_to(top.resolve()):
        raise InputError(
            f"--plugin {plugin}: is {made.resolve()}, outside of {top}; --build must make it in"
            " the folder of each version"
        )
    copy = out / "plugins" / name / made.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(made, copy)
    return copy


def _note_if_same(versions: Sequence[Version]) -> None:
    files = [version.plugin for version in versions if version.plugin is not None]
    if len(files) == 2 and files[0].read_bytes() == files[1].read_bytes():
        command.print_note("lockbench ab", "--build made the same file of both versions")


def _out(arguments: argparse.Namespace) -> Path:
    if arguments.out is None:
        now = datetime.now(timezone.utc).strftime("%Y%m%d-%H%M%S")
        arguments.out = Path("results") / "ab" / f"{now}-{os.getpid()}"
    out: Path = arguments.out
    return out


def _between(versions: Sequence[Version], of_run: list[str], arguments: argparse.Namespace) -> int:
    out = _out(arguments)
    words = of_run + _locks(versions, of_run)
    for block, which in ab.order(arguments.blocks):
        if which == (block + 1) % 2 and sys.stderr.isatty():
            print(f"ab: block {block} of {arguments.blocks}", file=sys.stderr)
        try:
            _ask(versions[which].run(words, block, arguments.blocks, out), shown=block == 1)
        except (KeyboardInterrupt, command.EndedBy) as end:
            # A command that is refused once is refused again.
            if not (isinstance(end, command.EndedBy) and end.code == command.USAGE_ERROR):
                command.print_note(
                    "lockbench ab",
                    f"finished blocks are kept in {out}; the same command with --out goes on",
                )
            raise
    for version in versions:
        _ask(version.merge(arguments.blocks, out))
    runs = [_loaded(version, out) for version in versions]
    heading = f"B, {versions[1].what}, against A, {versions[0].what} · {runs[1].machine}"
    if any(run.valid.empty for run in runs):
        raise InconclusiveError(f"no row is valid of a version; see the reasons in {out}")
    result = comparison.in_turn(runs[0], runs[1], heading, verdict.SAME_WITHIN)
    found = gate.of(result, arguments.fail_if_slower, arguments.allow_inconclusive)
    pictures = _drawn(result, out)
    _show(found, pictures, arguments.format)
    return found.exit_code


def _locks(versions: Sequence[Version], of_run: Sequence[str]) -> list[str]:
    """Flags for the locks of the plug-ins, if nothing else names primitives."""
    named = any(word.split("=")[0] == "--primitive" for word in of_run)
    if named or versions[0].plugin is None or versions[1].plugin is None:
        return []
    brought = []
    for version in versions:
        listed = [version.lockbench, "list", "primitives", "--plugin", str(version.plugin)]
        known = json.loads(_ask([*listed, "--format", "json"]))["primitives"]
        own = [str(one["name"]) for one in known if one["plugin"] == str(version.plugin)]
        brought.append(own)
    common, wrong = ab.common_locks(brought, [version.what for version in versions])
    if wrong:
        raise InputError(wrong)
    return [word for name in common for word in ("--primitive", name)]


def _ask(words: list[str], shown: bool = False) -> str:
    """The output of the command. Rows that are not valid do not end the comparison."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if shown or done.returncode not in (0, command.INCONCLUSIVE):
        sys.stderr.write(done.stderr)
    if done.returncode in (0, command.INCONCLUSIVE):
        return done.stdout
    raise command.EndedBy(done.returncode)


def _loaded(version: Version, out: Path) -> loader.Run:
    run = loader.load(version.folder(out))
    run.trials["run_id"] = version.name
    return run


def _drawn(result: comparison.Result, out: Path) -> list[Path]:
    figure.use_style()
    made = forest.draw(result)
    if made is None:
        return []
    files = [out / f"ab.{form}" for form in ("svg", "png")]
    for file in files:
        figure.save(made, file)
    return files


def _show(found: gate.Gate, pictures: Sequence[Path], form: str) -> None:
    if form == "json":
        record = gate.record(found)
        record["comparisons"] = [one.record() for one in found.result.table.comparisons]
        record["pictures"] = [str(file) for file in pictures]
        print(json.dumps(record, indent=2, ensure_ascii=False))
    elif form == "markdown":
        print(f"**{found.words}**\n\n{tables.as_markdown(found.result)}")
    else:
        print(f"{found.words}\n\n{tables.as_text(found.result)}")
        print("\n".join(map(str, pictures)))


if __name__ == "__main__":
    sys.exit(main())
