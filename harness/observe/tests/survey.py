#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Observes programs of Debian that lock, and writes what was said of each.

    python3 harness/observe/tests/survey.py --out docs/data/observed-programs.csv
    python3 harness/observe/tests/survey.py pigz nginx   # these only, to standard output

Each program runs for some seconds in a new folder that has `text` (30 MB of words) and `work.py`.
Programs that are not installed are left out, and their packages are named. A server is asked by a
client that is not observed.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

PROGRAMS = Path(__file__).with_suffix(".toml")

WORK_PY = """
import concurrent.futures, queue, socket, struct, sys, threading, time

def work(n):
    return sum(i * i for i in range(n))

def memcached(port):
    def one():
        with socket.create_connection(("127.0.0.1", port)) as c:
            f = c.makefile("rb")
            for i in range(6000):
                c.sendall(b"set k%d 0 0 3\\\\r\\\\nabc\\\\r\\\\n" % (i % 50)); f.readline()
    run(one)

def dns(port):
    def one():
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(0.02)
        for i in range(200):
            name = b"\\\\x07version\\\\x04bind\\\\x00"
            s.sendto(struct.pack(">6H", i, 0x100, 1, 0, 0, 0) + name + b"\\\\0\\\\x10\\\\0\\\\3",
                     ("127.0.0.1", port))
            try: s.recv(500)
            except OSError: pass
    run(one)

def run(one):
    threads = [threading.Thread(target=one) for _ in range(4)]
    [t.start() for t in threads]; [t.join() for t in threads]

how = sys.argv[1]
if how == "threads":
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(work, [300_000] * 40))
elif how == "processes":
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        list(pool.map(work, [300_000] * 40))
elif how == "queue":
    q = queue.Queue()
    def drain():
        while q.get() is not None: pass
    threads = [threading.Thread(target=drain) for _ in range(4)]
    [t.start() for t in threads]
    for i in range(100): q.put(i); time.sleep(0.01)
    for t in threads: q.put(None)
    [t.join() for t in threads]
else:
    globals()[how](int(sys.argv[2]))
""".replace(
    "\\\\", "\\"
)

LOCKS_JAVA = """
public class Locks {
  static long sum;
  static synchronized void add() { for (int i = 0; i < 2000; i++) sum += i; }
  public static void main(String[] a) throws Exception {
    Thread[] t = new Thread[4];
    for (int i = 0; i < 4; i++) {
      t[i] = new Thread(() -> { for (int k = 0; k < 100000; k++) add(); });
      t[i].start();
    }
    for (Thread x : t) x.join();
  }
}
"""

FILES = {
    "work.py": WORK_PY,
    "work.js": "const z = require('zlib'), f = require('fs'); const d = f.readFileSync('text');"
    " for (let i = 0; i < 4; i++) z.deflate(d, () => {});",
    "Locks.java": LOCKS_JAVA,
    "sql": "create table t(a integer primary key, b text); begin; with recursive c(x) as (select 1"
    " union all select x + 1 from c where x < 300000) insert into t select x, hex(x) from c;"
    " commit; select count(*) from t where b like '%9%';\n",
    "bootstrap.sql": "create database d;\ncreate table d.t(a int primary key) engine=innodb;\n"
    "insert into d.t select seq from (select 1 seq union select 2) s;\n",
    "nginx.conf": "pid nginx.pid; error_log error.log; worker_processes 2; events {} http {"
    " access_log off; server { listen 127.0.0.1:7395; root .; } }",
    "lighttpd.conf": "server.document-root = env.PWD\nserver.port = 7396\n"
    'server.bind = "127.0.0.1"\n',
    "haproxy.conf": "global\n nbthread 4\ndefaults\n mode http\n timeout client 5s\n"
    " timeout connect 5s\n timeout server 5s\nfrontend f\n bind 127.0.0.1:7398\n"
    " http-request return status 200\n",
    "unbound.conf": 'server:\n num-threads: 4\n interface: 127.0.0.1\n port: 7399\n username: ""\n'
    ' chroot: ""\n use-syslog: no\n pidfile: ""\n do-daemonize: no\nremote-control:\n'
    " control-enable: no\n",
    "named.conf": 'options { directory "."; listen-on port 7400 { 127.0.0.1; };'
    " listen-on-v6 { none; }; pid-file none; recursion no; dnssec-validation no; };\n"
    "controls { };\n",
    "build.ninja": "rule cc\n command = gcc -O1 -c $in -o $out\n"
    + "".join(f"build o{i}.o: cc many.c\n" for i in range(6)),
    "Makefile": "all: "
    + " ".join(f"m{i}.o" for i in range(6))
    + "\nm%.o: many.c\n\tgcc -O1 -c many.c -o $@\n",
    "many.c": "".join(f"int f{i}(int x) {{ return x * {i} + x / {i + 1}; }}\n" for i in range(600)),
}

COLUMNS = (
    "program", "verdict", "greatest_gain", "blocked_share", "wall_s", "processes",
    "seen_processor_share", "futex_samples", "seen_futex_share", "other_programs_share", "answer",
)  # fmt: skip


def is_installed(package: str) -> bool:
    query = ["dpkg", "-s", package]
    return subprocess.run(query, capture_output=True, check=False).returncode == 0


def prepare(folder: Path) -> None:
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    words = [f"{number:x}" for number in random.Random(1).choices(range(99_999), k=5_000_000)]
    (folder / "text").write_text("\n".join(words), encoding="utf-8")
    (folder / "text.small").write_text("\n".join(words[:2000]), encoding="utf-8")
    compiler = ["javac", "Locks.java"]
    if is_installed("default-jdk-headless"):
        subprocess.run(compiler, cwd=folder, check=False)


def row_of(name: str, found: dict) -> dict[str, object]:
    coverage = found["coverage"]
    worst = max(found["processes"], key=lambda one: one["greatest_gain"], default=None)
    samples = coverage["futex_samples"]
    seen = coverage["seen_processor_s"] / max(1e-9, coverage["processor_s"])
    return {
        "program": name,
        "verdict": found["verdict"]["kind"],
        "greatest_gain": f"{worst['greatest_gain'] if worst else 0:.4f}",
        "blocked_share": f"{worst['blocked_s'] / max(1e-9, worst['wall_s']) if worst else 0:.4f}",
        "wall_s": f"{coverage['life_s']:.2f}",
        "processes": coverage["processes"],
        "seen_processor_share": f"{min(1, seen):.3f}",
        "futex_samples": samples,
        "seen_futex_share": f"{coverage['seen_futex_samples'] / samples:.3f}" if samples else "",
        "other_programs_share": f"{coverage['other_programs_share']:.2f}",
        "answer": found["verdict"]["answer"],
    }


def observe(lockbench: str, program: dict[str, str], source: Path) -> dict[str, object]:
    name, client = program["name"], program.get("client", "")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for file in source.iterdir():
            shutil.copy(file, folder)
        words = [lockbench, "observe", "--out", "seen", "--", "sh", "-c", program["command"]]
        with subprocess.Popen(
            words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as run:
            if client:
                asks = ["sh", "-c", "sleep 1.5; " + client]
                subprocess.run(asks, cwd=folder, capture_output=True, check=False)
                run.send_signal(signal.SIGTERM)
            try:
                _, told = run.communicate(timeout=120)
            except subprocess.TimeoutExpired:
                run.send_signal(signal.SIGINT)
                _, told = run.communicate()
        try:
            found = json.loads((folder / "seen/observed.json").read_text(encoding="utf-8"))
        except OSError:
            return {"program": name, "verdict": "failed", "answer": told[-200:]}
        for one in found["coverage"]["running"]:  # what was left in the background
            os.kill(one["pid"], signal.SIGTERM)
        sys.stderr.write(told if os.environ.get("VERBOSE") else "")
        return row_of(name, found)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="*", help="parts of names [all]")
    parser.add_argument("--lockbench", default="build/release/lockbench")
    parser.add_argument("--out", type=Path)
    wanted = parser.parse_args(argv)
    lockbench = str(Path(wanted.lockbench).resolve())
    rows = []
    with tempfile.TemporaryDirectory() as made:
        prepare(Path(made))
        for one in tomllib.loads(PROGRAMS.read_text(encoding="utf-8"))["program"]:
            name, package = one["name"], one["package"]
            if wanted.programs and not any(part in name for part in wanted.programs):
                continue
            if not is_installed(package):
                print(f"{name}: left out; install {package}", file=sys.stderr)
                continue
            rows.append(observe(lockbench, one, Path(made)))
            print(*(rows[-1].get(one, "") for one in COLUMNS), sep="\t", flush=True)
    if wanted.out:
        with wanted.out.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
