# SPDX-License-Identifier: Apache-2.0
"""The completion by TAB of a line that is half typed, in the shells themselves."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from installation import ROOT
from program import BINARY, PATIENCE_S

COMPLETION = ROOT / "cmake" / "completion"

# Ctrl-G shows the line as it stands between marks that are not in what was typed.
BASH = f"""
[[ -e /usr/share/bash-completion/bash_completion ]] && . /usr/share/bash-completion/bash_completion
. {COMPLETION}/lockbench.bash
bind 'set enable-bracketed-paste off' 2>/dev/null
bind -x '"\\C-g": printf "<%s>\\n" "$READLINE_LINE|"'
echo rea''dy
"""
ZSH = f"""
fpath=({COMPLETION} $fpath)
autoload -Uz compinit && compinit -u -D
show() {{ print -r -- "<$BUFFER|>"; zle reset-prompt }}
zle -N show && bindkey '^G' show
echo rea''dy
"""

SHELLS = [
    pytest.param(["bash", "--norc", "--noprofile", "-i"], BASH, id="bash"),
    pytest.param(
        ["zsh", "-f", "-i"],
        ZSH,
        id="zsh",
        marks=pytest.mark.skipif(shutil.which("zsh") is None, reason="install the package zsh"),
    ),
]


class Shell:
    """An interactive shell on a terminal of its own, whose PATH has this lockbench."""

    def __init__(self, command: list[str], folder: Path, setup: str) -> None:
        self.ours, theirs = pty.openpty()
        path = f"{BINARY.parent}:{os.environ['PATH']}"
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={"PATH": path, "HOME": str(folder), "TERM": "dumb"},
            start_new_session=True,
        )
        os.close(theirs)
        (folder / "setup").write_text(setup, encoding="utf-8")
        self.type(". ./setup\n")
        self.read_until("ready")

    def type(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def read_until(self, end: str) -> str:
        said = ""
        deadline = time.monotonic() + PATIENCE_S
        while end not in said:
            assert time.monotonic() < deadline, said
            if select.select([self.ours], [], [], 1)[0]:
                said += os.read(self.ours, 4096).decode(errors="replace")
        return said

    def completed(self, line: str) -> str:
        """The line after TAB; then it is wiped."""
        self.type(f"{line}\t\x07")
        said = self.read_until("|>")
        self.type("\x15")
        return said.rpartition("<")[2].partition("|")[0].rstrip(" /")

    def end(self) -> None:
        os.close(self.ours)
        self.process.wait()


@pytest.mark.parametrize("command, setup", SHELLS)
def test_tab_completes_what_can_be_named(tmp_path: Path, command: list[str], setup: str) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "meta.json").write_text("{}", encoding="utf-8")
    (tmp_path / "my_locks.so").touch()
    (tmp_path / "my_picture.svg").touch()
    (tmp_path / "results" / "baselines" / "lastweek").mkdir(parents=True)
    shell = Shell(command, tmp_path, setup)
    for typed, wanted in {
        "lockbench doc": "lockbench doctor",
        "lockbench run qui": "lockbench run quick",
        "lockbench run --prim": "lockbench run --primitive",
        "lockbench run --primitive keyed_le": "lockbench run --primitive keyed_leaky",
        "lockbench run --primitive global:lock=tbb_q": (
            "lockbench run --primitive global:lock=tbb_queuing"
        ),
        "lockbench run --workload tran": "lockbench run --workload transfer",
        "lockbench run --plugin my": "lockbench run --plugin my_locks.so",
        "lockbench trial --flamegraph my": "lockbench trial --flamegraph my_picture.svg",
        "lockbench run --pinning com": "lockbench run --pinning compact",
        "lockbench run --resume mi": "lockbench run --resume mine",
        "lockbench report mi": "lockbench report mine",
        "lockbench list pres": "lockbench list presets",
        "lockbench list presets --show qui": "lockbench list presets --show quick",
        "lockbench gate mi": "lockbench gate mine",
        "lockbench gate mine --against lastw": "lockbench gate mine --against lastweek",
        "lockbench compare mine --format bench": "lockbench compare mine --format benchmark-json",
        "lockbench regret mine --prim": "lockbench regret mine --primitive",
    }.items():
        assert shell.completed(typed) == wanted
    shell.end()
