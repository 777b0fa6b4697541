# SPDX-License-Identifier: Apache-2.0
"""Real job engines in a scratch folder: Slurm with two nodes on this host, and GNU parallel over an
sshd on loopback. Nothing of the machine's own configuration is read or changed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from program import Program, free_port, wait_until

# Jobs wait for each other on a machine that may do much else.
PATIENCE_S = 240.0

# Where Debian has daemons, and not every PATH.
SBIN = "/usr/sbin:/sbin"


def need(package: str, *programs: str) -> None:
    path = f"{os.environ['PATH']}:{SBIN}"
    if not all(shutil.which(program, path=path) for program in programs):
        pytest.skip(f"skipped: {package} is missing")


class Daemons:
    """Programs that run until the test ends; each keeps what it says in a file."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, *words: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.out").open("ab") as out:
            self.running[name] = subprocess.Popen(
                words,
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return self.running[name]

    def kill(self, name: str) -> None:
        process = self.running.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        for process in reversed(self.running.values()):
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


CONFIGURATION = """
ClusterName=scratch
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
MpiDefault=none
SelectType=select/linear
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,bf_interval=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
SlurmdTimeout=20
KillWait=2
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs={cpus} Features=slow
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs={cpus} Features=fast
PartitionName=bench Nodes=n[1-2] Default=YES State=UP MaxTime=INFINITE
"""


class Slurm:
    """A controller and two nodes, which are this host twice."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "PATH": f"{os.environ['PATH']}:{SBIN}",
            "SLURM_CONF": str(folder / "slurm.conf"),
            "LOCKBENCH_PATIENCE": "0",
        }
        self.daemons = Daemons(folder, self.environment)
        (folder / "state").mkdir()
        folder.chmod(0o755)
        cpus = len(os.sched_getaffinity(0))
        (folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                host=socket.gethostname().partition(".")[0],
                folder=folder,
                ports=[free_port() for _ in range(3)],
                cpus=cpus,
            ),
            encoding="utf-8",
        )
        self.start()

    def start(self) -> None:
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        files = [
            f"--{name}-file={self.folder}/munge.{name}" for name in ("key", "pid", "log", "seed")
        ]
        socket_at = self.folder / "munge.socket"
        self.daemons.start(
            "munged", "munged", "--force", "--foreground", f"--socket={socket_at}", *files
        )
        wait_until(socket_at.exists, "munged makes no socket")
        self.daemons.start("slurmctld", "slurmctld", "-D")
        for node in ("n1", "n2"):
            self.start_node(node)
        wait_until(lambda: self.says("sinfo", "-h", "-o", "%T") == "idle", "no idle nodes")

    def start_node(self, node: str) -> None:
        self.daemons.start(node, "slurmd", "-D", "-N", node)

    def says(self, *words: str) -> str:
        done = subprocess.run(
            words, env=self.environment, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    def stop(self) -> None:
        self.says("scancel", "--user=root")
        try:
            wait_until(lambda: not self.says("squeue", "-h"), "jobs do not end")
        finally:
            self.daemons.stop()


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[Slurm]:
    need("slurm-wlm", "slurmctld", "slurmd", "sbatch", "munged")
    if os.geteuid() != 0:
        pytest.skip("skipped: root is needed to start Slurm's daemons")
    folder = tmp_path / "slurm"
    folder.mkdir()
    started = Slurm(folder)
    yield started
    started.stop()


SSHD = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/user_key.pub
PidFile {folder}/sshd.pid
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
AcceptEnv *
"""

SSH = """
Host node1 node2
  HostName 127.0.0.1
  Port {port}
  IdentityFile {folder}/user_key
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known
  StrictHostKeyChecking accept-new
  LogLevel ERROR
"""


class Hosts:
    """Two hosts behind ssh, which are this host twice."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "LOCKBENCH_PATIENCE": "0",
            "PARALLEL_HOME": str(folder / "parallel"),
        }
        (folder / "parallel").mkdir()
        self.daemons = Daemons(folder, self.environment)
        for name in ("host_key", "user_key"):
            words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
            subprocess.run(words, check=True)
        port = free_port()
        for name, text in (("sshd_config", SSHD), ("ssh_config", SSH)):
            (folder / name).write_text(text.format(port=port, folder=folder), encoding="utf-8")
        self.file = folder / "hosts"
        self.file.write_text(
            "".join(f"ssh -F {folder}/ssh_config {node}\n" for node in ("node1", "node2")),
            encoding="utf-8",
        )
        Path("/run/sshd").mkdir(exist_ok=True)
        sshd = shutil.which("sshd", path=f"{os.environ['PATH']}:{SBIN}") or "sshd"
        self.daemons.start("sshd", sshd, "-D", "-e", "-f", str(folder / "sshd_config"))
        wait_until(lambda: self.answers("node1"), "sshd does not answer")

    def answers(self, host: str) -> bool:
        words = ["ssh", "-F", str(self.folder / "ssh_config"), host, "true"]
        return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    need("parallel", "parallel")
    need("openssh-server", "sshd", "ssh-keygen", "ssh")
    need("rsync", "rsync")
    if os.geteuid() != 0:
        pytest.skip("skipped: root is needed to start sshd")
    folder = tmp_path / "ssh"
    folder.mkdir()
    started = Hosts(folder)
    yield started
    started.daemons.stop()


@pytest.fixture
def lockbench(tmp_path: Path) -> Program:
    folder = tmp_path / "work"
    folder.mkdir()
    return Program(folder)


def processes_of(*words: str) -> list[int]:
    """Processes whose command line has all of these words."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            line = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # it ended meanwhile
        if all(word.encode() in line for word in words):
            found.append(int(entry.name))
    return found


@pytest.fixture
def wait_for() -> Callable[[Callable[[], Any], str], Any]:
    def wait(holds: Callable[[], Any], what: str) -> Any:
        return wait_until(holds, what, PATIENCE_S)

    return wait
