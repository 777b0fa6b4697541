# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of one's own, reached by nothing but a socket in a temporary folder."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path


def programs() -> Path:
    """The folder of initdb and pg_ctl: Debian keeps them off the PATH, each version by itself."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found and (on_path := shutil.which("initdb")):
        found = [Path(on_path)]
    assert found, "no initdb: install the package postgresql"
    return found[-1].parent


def as_server_user() -> list[str]:
    """Begins a command that runs as somebody whom PostgreSQL accepts, which root is not."""
    if os.geteuid() != 0:
        return []
    user = pwd.getpwnam("postgres")
    ids = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    return ["setpriv", *ids, "--"]


@contextlib.contextmanager
def server(password: str = "") -> Iterator[str]:
    """Starts a server, gives its address, and ends it. With a password, it asks for that."""
    # A socket's path may have 107 letters; a test's own folder is too deep.
    folder = Path(tempfile.mkdtemp(prefix="lockbench-pg-", dir="/tmp"))
    data = folder / "data"
    begin = as_server_user()
    if begin:
        shutil.chown(folder, "postgres", "postgres")

    def call(program: str, *words: str) -> None:
        done = subprocess.run(
            [*begin, str(programs() / program), "-D", str(data), *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=(folder / "said").open("a", encoding="utf-8"),
            stderr=subprocess.STDOUT,
            check=False,
        )
        assert done.returncode == 0, (folder / "said").read_text(encoding="utf-8")

    try:
        auth = ["--auth=trust"]
        if password:
            (folder / "password").write_text(password, encoding="utf-8")
            auth = ["--auth=scram-sha-256", f"--pwfile={folder / 'password'}"]
        call("initdb", *auth, "--username=lockbench", "--no-sync", "--no-locale")
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        call("pg_ctl", "--wait", f"--options={options}", f"--log={folder / 'log'}", "start")
        try:
            account = f"lockbench:{password}" if password else "lockbench"
            yield f"postgresql://{account}@/postgres?host={folder}"
        finally:
            call("pg_ctl", "--wait", "--mode=immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
