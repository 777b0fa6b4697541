# SPDX-License-Identifier: Apache-2.0
"""Restrictions that a service manager or a container puts on a program: seccomp filters and quotas.

Functions without arguments are for `preexec_fn`: they run in the child, before the program.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

# The numbers of system calls differ between architectures.
CALLS = {
    "x86_64": {"sched_setaffinity": 203, "sched_getaffinity": 204},
    "aarch64": {"sched_setaffinity": 122, "sched_getaffinity": 123},
}.get(platform.machine(), {})

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000


def refusing(*calls: str, error: int = errno.EPERM) -> Callable[[], None]:
    """From then on, the kernel refuses these system calls."""
    steps = [struct.pack("HBBI", LOAD_WORD, 0, 0, 0)]
    for call in calls:
        steps.append(struct.pack("HBBI", JUMP_IF_EQUAL, 0, 1, CALLS[call]))
        steps.append(struct.pack("HBBI", RETURN, 0, 0, FAIL | error))
    steps.append(struct.pack("HBBI", RETURN, 0, 0, ALLOW))
    text = ctypes.create_string_buffer(b"".join(steps))
    program = ctypes.create_string_buffer(struct.pack("HP", len(steps), ctypes.addressof(text)))
    libc = ctypes.CDLL(None, use_errno=True)

    def install() -> None:
        for words in (
            (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
            (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(program), 0, 0),
        ):
            if libc.prctl(words[0], *map(ctypes.c_ulong, words[1:])) != 0:
                raise OSError(ctypes.get_errno(), "seccomp")
        assert text

    return install


@contextmanager
def cpu_quota(processors: float) -> Iterator[Callable[[], None]]:
    """Gives what moves a child into a group with that quota. PermissionError: there can be none."""
    root = Path("/sys/fs/cgroup")
    per_period = int(processors * 100_000)
    for parent, name, text in (
        (root / "cpu", "cpu.cfs_quota_us", f"{per_period}"),
        (root, "cpu.max", f"{per_period} 100000"),
    ):
        group = parent / f"lockbench-quota-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            if (group / name).exists():
                (group / name).write_text(text, encoding="ascii")
                tasks = group / "cgroup.procs"

                def enter() -> None:
                    tasks.write_text(f"{os.getpid()}", encoding="ascii")

                yield enter
                return
        finally:
            group.rmdir()
    raise PermissionError("no control group can be made, or none has a quota")
