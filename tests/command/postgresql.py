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


def take_tls_alone(folder: Path, port: int, certificate: Path, key: Path) -> str:
    """The options of a server whose data are in the folder."""
    for name, file in {"crt": certificate, "key": key}.items():
        copy = folder / f"server.{name}"
        shutil.copy(file, copy)
        copy.chmod(0o600)
        if os.geteuid() == 0:
            shutil.chown(copy, "postgres", "postgres")
    rules = "local all all scram-sha-256\nhostssl all all 127.0.0.1/32 scram-sha-256\n"
    (folder / "data/pg_hba.conf").write_text(rules, encoding="ascii")
    files = f"-c ssl_cert_file={folder}/server.crt -c ssl_key_file={folder}/server.key"
    return f"-c listen_addresses=127.0.0.1 -p {port} -c ssl=on {files}"


@contextlib.contextmanager
def server(password: str = "", tls: tuple[int, Path, Path] | None = None) -> Iterator[str]:
    """Starts a server, gives its address, and ends it. With a password, it asks for that. With
    `tls`, a port, a certificate and its key, it takes connections to the port by TLS alone."""
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
        options = f"-c unix_socket_directories={folder} -c fsync=off "
        if tls:
            options += take_tls_alone(folder, *tls)
        else:
            options += "-c listen_addresses="
        call("pg_ctl", "--wait", f"--options={options}", f"--log={folder / 'log'}", "start")
        try:
            account = f"lockbench:{password}" if password else "lockbench"
            yield f"postgresql://{account}@/postgres?host={folder}"
        finally:
            call("pg_ctl", "--wait", "--mode=immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
