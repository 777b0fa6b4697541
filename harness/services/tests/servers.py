# SPDX-License-Identifier: Apache-2.0
"""The services that locks are at, and servers of them as a user has them."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import ssl
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import postgresql
from program import free_port, wait_until

PASSWORD = "secret"


@dataclass
class OwnServer:
    """A server of a user's own, which asks for a password."""

    address_with: Callable[[str], str]  # a password; empty: without one
    residue: Callable[[], str]  # what a trial left there; empty: nothing


@dataclass(frozen=True)
class Service:
    name: str
    package: str
    program: str  # the name of the server's process
    missing: Callable[[], bool]
    locks: tuple[str, ...]  # each of them takes one server
    clusters: tuple[str, ...]  # these take several
    server: Callable[[Path], AbstractContextManager[OwnServer]]
    told_without_password: str
    told_of_wrong_password: str
    secret_addresses: tuple[str, ...]  # that cannot be used, with the password `cret` in some way
    unreachable: tuple[tuple[str, str], ...]  # values of --service, and what is told

    @property
    def variable(self) -> str:
        return f"LOCKBENCH_{self.name.upper()}"


def ask_redis(port: int, *words: str, password: str = "") -> str:
    """A request in Redis's inline form, and the first line of the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        if password:
            connection.sendall(f"AUTH {password}\r\n".encode())
            assert connection.recv(100) == b"+OK\r\n"
        connection.sendall((" ".join(words) + "\r\n").encode())
        return connection.recv(1000).decode().splitlines()[0]


@contextmanager
def serving(
    commands: list[list[str]], answers: Callable[[], object] = lambda: True
) -> Iterator[list[int]]:
    """The processes of a service that answers; an OSError, as a URLError is one, is no answer."""

    def ready() -> object:
        try:
            return answers()
        except OSError:
            return False

    processes = [subprocess.Popen(words, stdout=subprocess.DEVNULL) for words in commands]
    try:
        wait_until(ready, f"no answer of {commands[0][0]}")
        yield [process.pid for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


@contextmanager
def redis_process(folder: Path, *more: str, password: str = "") -> Iterator[tuple[int, int]]:
    """The port and the process of a Redis server."""
    port = free_port()
    words = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    words += ["--dir", str(folder), *more]
    with serving([words], lambda: ask_redis(port, "PING", password=password) == "+PONG") as pids:
        yield port, pids[0]


@contextmanager
def own_redis(folder: Path) -> Iterator[OwnServer]:
    with redis_process(folder, "--requirepass", PASSWORD, password=PASSWORD) as (port, _):

        def residue() -> str:
            keys = ask_redis(port, "DBSIZE", password=PASSWORD)
            return "" if keys == ":0" else keys

        def address_with(password: str) -> str:
            return f"redis://:{password}@127.0.0.1:{port}" if password else f"127.0.0.1:{port}"

        yield OwnServer(address_with, residue)


def ask_etcd(
    port: int,
    path: str,
    body: dict[str, object],
    token: str = "",
    certificate: Path | None = None,
) -> dict[str, Any]:
    """The answer to a request to the JSON gateway; by TLS if the server has a certificate."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": token} if token else {})
    url = f"http{'s' if certificate else ''}://127.0.0.1:{port}/v3/{path}"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    trusted = ssl.create_default_context(cafile=certificate) if certificate else None
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trusted)
    )
    with opener.open(request, timeout=10) as answer:
        answered: dict[str, Any] = json.load(answer)
        return answered


@contextmanager
def etcd_process(
    folder: Path, *more: str, certificate: Path | None = None
) -> Iterator[tuple[int, int]]:
    """The port and the process of a server of etcd."""
    with etcd_cluster(folder, *more, members=1, certificate=certificate) as (member,):
        yield member


@contextmanager
def etcd_cluster(
    folder: Path, *more: str, members: int = 3, certificate: Path | None = None
) -> Iterator[list[tuple[int, int]]]:
    """The ports and the processes of the members of a cluster."""
    ports = [free_port() for _ in range(members)]
    peers = [f"http://127.0.0.1:{free_port()}" for _ in range(members)]
    names = ",".join(f"own{i}={peer}" for i, peer in enumerate(peers))
    commands = []
    for i, (port, peer) in enumerate(zip(ports, peers)):
        clients = f"http{'s' if certificate else ''}://127.0.0.1:{port}"
        words = ["etcd", f"--name=own{i}", f"--data-dir={folder / f'data{i}'}", "--logger=zap"]
        words += [f"--listen-client-urls={clients}", f"--advertise-client-urls={clients}"]
        words += [f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}"]
        words += [f"--initial-cluster={names}", "--unsafe-no-fsync", "--log-outputs=/dev/null"]
        commands.append([*words, *more])

    def answers() -> bool:
        first: dict[str, object] = {"key": "AA=="}
        return all(ask_etcd(port, "kv/range", first, certificate=certificate) for port in ports)

    with serving(commands, answers) as pids:
        yield list(zip(ports, pids))


def keys_of_etcd(port: int, token: str = "") -> list[str]:
    """The names of all keys."""
    everything: dict[str, object] = {"key": "AA==", "range_end": "AA==", "keys_only": True}
    found = ask_etcd(port, "kv/range", everything, token).get("kvs", [])
    return [base64.b64decode(entry["key"]).decode() for entry in found]


@contextmanager
def own_etcd(folder: Path) -> Iterator[OwnServer]:
    with etcd_process(folder, "--bcrypt-cost=4") as (port, _):
        account = {"name": "root", "password": PASSWORD}
        ask_etcd(port, "auth/user/add", {**account})
        ask_etcd(port, "auth/role/add", {"name": "root"})
        ask_etcd(port, "auth/user/grant", {"user": "root", "role": "root"})
        ask_etcd(port, "auth/enable", {})

        def residue() -> str:
            token = ask_etcd(port, "auth/authenticate", {**account})["token"]
            return " ".join(keys_of_etcd(port, token))

        def address_with(password: str) -> str:
            return f"etcd://root:{password}@127.0.0.1:{port}" if password else f"127.0.0.1:{port}"

        yield OwnServer(address_with, residue)


ZOOKEEPER_JARS = "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar"


def zookeeper_program(name: str, *options: str) -> list[str]:
    """A program of ZooKeeper's jar, which prints errors alone."""
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=off"
    options += ("-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xmx256m")
    return ["java", quiet, *options, "-cp", ZOOKEEPER_JARS, f"org.apache.zookeeper.{name}"]


def ask_zookeeper(port: int, *requests: str) -> str:
    """The output of ZooKeeper's command line."""
    words = [*zookeeper_program("ZooKeeperMain"), "-waitforconnection"]
    words += ["-server", f"127.0.0.1:{port}"]
    text = "\n".join(requests) + "\nquit\n"
    done = subprocess.run(words, input=text, check=True, capture_output=True, text=True)
    return done.stdout


def nodes_of_zookeeper(port: int, *before: str) -> list[str]:
    """The paths of all nodes but ZooKeeper's own."""
    lines = ask_zookeeper(port, *before, "ls -R /").splitlines()
    paths = [line for line in lines if line.startswith("/") and line != "/"]
    return [path for path in paths if not path.startswith("/zookeeper")]


@contextmanager
def zookeeper_process(folder: Path) -> Iterator[tuple[int, int]]:
    """The port and the process of a ZooKeeper server."""
    with zookeeper_server(folder) as (port, process):
        wait_until(lambda: state_of_zookeeper(port).startswith("Zookeeper version"), "no answer")
        yield port, process


def state_of_zookeeper(port: int) -> str:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(b"srvr")
            return connection.recv(100).decode()
    except OSError:
        return ""


@contextmanager
def zookeeper_server(folder: Path, *ensemble: str) -> Iterator[tuple[int, int]]:
    """The port and the process of a server, which may not serve yet. `ensemble`: more settings."""
    port = free_port()
    settings = folder / "zoo.cfg"
    lines = ["clientPortAddress=127.0.0.1", f"clientPort={port}", f"dataDir={folder / 'data'}"]
    lines += ["tickTime=100", "maxClientCnxns=0", "minSessionTimeout=200", *ensemble]
    settings.write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = ("-Dzookeeper.forceSync=no", "-Dzookeeper.admin.enableServer=false")
    program = "server.quorum.QuorumPeerMain" if ensemble else "server.ZooKeeperServerMain"
    words = [*zookeeper_program(program, *options), str(settings)]
    with serving([words]) as pids:
        yield port, pids[0]


@contextmanager
def own_zookeeper(folder: Path) -> Iterator[OwnServer]:
    """Only the account `me` may make nodes."""
    with zookeeper_process(folder) as (port, _):
        account = f"addauth digest me:{PASSWORD}"
        ask_zookeeper(port, account, "setAcl / auth::cdrwa")

        def address_with(password: str) -> str:
            address = f"127.0.0.1:{port}"
            return f"zookeeper://me:{password}@{address}" if password else address

        yield OwnServer(address_with, lambda: " ".join(nodes_of_zookeeper(port, account)))


def no_zookeeper() -> bool:
    jars = (Path(jar) for jar in ZOOKEEPER_JARS.split(":"))
    return shutil.which("java") is None or not all(jar.exists() for jar in jars)


def psql(address: str, query: str) -> str:
    words = ["psql", "--no-psqlrc", "--tuples-only", "--no-align", address, "--command", query]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


@contextmanager
def own_postgresql(_folder: Path) -> Iterator[OwnServer]:
    schemas = "SELECT nspname FROM pg_namespace WHERE nspname ~ 'lockbench'"
    with postgresql.server(PASSWORD) as address:

        def address_with(password: str) -> str:
            return address.replace(f":{PASSWORD}@", f":{password}@" if password else "@")

        yield OwnServer(address_with, lambda: psql(address, schemas))


def no_postgresql() -> bool:
    installed = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    return not any(installed) and shutil.which("initdb") is None


REDIS = Service(
    name="redis",
    package="redis-server",
    program="redis-server",
    missing=lambda: shutil.which("redis-server") is None,
    locks=("redis", "redis_as_published"),
    clusters=("redlock:nodes=3",),
    server=own_redis,
    told_without_password="NOAUTH",
    told_of_wrong_password="refuses the account: WRONGPASS",
    secret_addresses=("redis://me:se,cret@h:1", "redis://me:cr@et@[::1]:1", "me:cret@nowhere"),
    unreachable=(
        ("redis=127.0.0.1:1", "redis at 127.0.0.1:1: cannot connect: Connection refused"),
        ("redis=nowhere", "redis: 'nowhere' is no address; it is written host:port"),
        ("redis", "--service: 'redis' is written NAME=HOST:PORT"),
        ("reddis=localhost:1", "unknown service 'reddis'; did you mean 'redis'?"),
        ("redis=me:secret@localhost:1", "set LOCKBENCH_REDIS to redis://user:password@host:port"),
    ),
)

ETCD = Service(
    name="etcd",
    package="etcd-server",
    program="etcd",
    missing=lambda: shutil.which("etcd") is None,
    locks=("etcd",),
    clusters=("etcd:members=3",),
    server=own_etcd,
    told_without_password="user name is empty",
    told_of_wrong_password="refuses the account: etcdserver: authentication failed",
    secret_addresses=("etcd://me:se,cret@h:1", "etcd://me:cr@et@[::1]:1", "me:cret@nowhere"),
    unreachable=(
        ("etcd=127.0.0.1:1", "etcd at 127.0.0.1:1: cannot connect: Connection refused"),
        ("etcd=nowhere", "etcd: 'nowhere' is no address; it is written host:port"),
        ("etcd", "--service: 'etcd' is written NAME=HOST:PORT"),
        ("ectd=localhost:1", "unknown service 'ectd'; did you mean 'etcd'?"),
        ("etcd=me:secret@localhost:1", "set LOCKBENCH_ETCD to etcd://user:password@host:port"),
    ),
)

POSTGRESQL = Service(
    name="postgresql",
    package="postgresql",
    program="postgres",
    missing=no_postgresql,
    locks=(
        "postgresql_advisory",
        "postgresql_advisory:level=transaction",
        "postgresql_row",
        "postgresql_as_published",
    ),
    clusters=(),
    server=own_postgresql,
    told_without_password="no password supplied",
    told_of_wrong_password="password authentication failed",
    secret_addresses=(
        "postgresql://me:se,cret@127.0.0.1:1/x",
        "postgresql://me:cr@et@[::1/x",
        "host=h port cret=1 password=cret",
        "me:cret@127.0.0.1:nowhere",
    ),
    unreachable=(
        ("postgresql=127.0.0.1:1", "postgresql at 127.0.0.1:1: cannot connect: "),
        ("postgresql=nowhere", "postgresql: 'nowhere' is no address; it is written host:port"),
        ("postgresql=host", "postgresql: 'host' is no address"),
        ("postgresql", "--service: 'postgresql' is written NAME=HOST:PORT"),
        ("postgrsql=localhost:1", "unknown service 'postgrsql'; did you mean 'postgresql'?"),
        ("postgresql=postgresql://me:secret@localhost/x", "set LOCKBENCH_POSTGRESQL to "),
        ("postgresql=host=h password=secret", "set LOCKBENCH_POSTGRESQL to "),
    ),
)

ZOOKEEPER = Service(
    name="zookeeper",
    package="libzookeeper-java and default-jre-headless",
    program="java",
    missing=no_zookeeper,
    locks=("zookeeper",),
    clusters=("zookeeper:members=3",),
    server=own_zookeeper,
    told_without_password="refuses the account, or asks for one: not authenticated",
    told_of_wrong_password="refuses the account, or asks for one: not authenticated",
    secret_addresses=(
        "zookeeper://me:se,cret@h:1",
        "zookeeper://me:cr@et@[::1]:1",
        "me:cret@nowhere",
    ),
    unreachable=(
        ("zookeeper=127.0.0.1:1", "zookeeper at 127.0.0.1:1: cannot connect; start the server"),
        ("zookeeper=nowhere", "zookeeper: 'nowhere' is no address; it is written host:port"),
        ("zookeeper", "--service: 'zookeeper' is written NAME=HOST:PORT"),
        ("zookeper=localhost:1", "unknown service 'zookeper'; did you mean 'zookeeper'?"),
        ("zookeeper=me:secret@localhost:1", "set LOCKBENCH_ZOOKEEPER to zookeeper://user:"),
    ),
)

SERVICES = (REDIS, POSTGRESQL, ETCD, ZOOKEEPER)
