# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a machine: a checkout of the shell scripts alone, and a PATH of pretended tools.

What a script calls is written down and answered as the test wants, so that nothing is installed,
built or measured.
"""

import shutil
import subprocess
from pathlib import Path
from support import ROOT

BASH = shutil.which("bash") or "/bin/bash"
REAL_TOOLS = ("cat", "date", "dirname", "head", "mkdir", "sed", "sort", "true")


class Machine:
    """One machine, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.tools = folder / "tools"
        self.checkout = folder / "checkout"
        self.log = folder / "calls"
        self.tools.mkdir()
        for part in ("scripts", "scripts/maintain"):
            (self.checkout / part).mkdir(parents=True)
            for file in (ROOT / part).glob("*.sh"):
                shutil.copy(file, self.checkout / part)
        for tool in REAL_TOOLS:
            (self.tools / tool).symlink_to(shutil.which(tool) or f"/usr/bin/{tool}")
        (self.tools / "bash").symlink_to(BASH)
        self.pretend("env", 'while [[ "$1" == *=* ]]; do shift; done; exec "$@"', noted=False)
        self.pretend("nproc", "echo 2", noted=False)
        self.pretend("uname", "echo x86_64", noted=False)

    def pretend(self, name: str, body: str, noted: bool = True) -> None:
        """Puts a tool on the PATH: a bash script; its calls are noted unless said otherwise."""
        note = f'echo "{name} $*" >>"{self.log}"\n' if noted else ""
        path = self.tools / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!{BASH}\n{note}{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def pretend_installed(self, *packages: str) -> None:
        """These packages are installed; without any given, all are."""
        known = f'[[ " {" ".join(packages)} " == *" ${{@: -1}} "* ]] && ' if packages else ""
        self.pretend("dpkg-query", f"{known}printf installed", noted=False)

    def start(self, *command: str) -> "subprocess.Popen[str]":
        """Starts a command of the checkout, from elsewhere, in a process group of its own."""
        return subprocess.Popen(
            [BASH, *command],
            cwd=self.tools,
            env={"PATH": str(self.tools)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """Runs a command of the checkout to its end."""
        process = self.start(*command)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def calls(self, tool: str = "") -> list[str]:
        """The calls noted so far, in order; those of one tool, or all."""
        if not self.log.exists():
            return []
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.startswith(tool)]
