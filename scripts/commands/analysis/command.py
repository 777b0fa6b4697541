# SPDX-License-Identifier: Apache-2.0
"""The common parts of the scripts' command lines: errors in one line, and their exit
codes."""

from __future__ import annotations

import argparse
import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from analysis import units
from analysis.errors import InconclusiveError, InputError
from analysis.text import printable

# Exit codes, as harness/base/exit_code.h has them: docs/exit-codes.md.
SUCCESS = 0
COULD_NOT_FINISH = 1
USAGE_ERROR = 2
FOUND = 3  # the check found what it looks for
INCONCLUSIVE = 4


class EndedBy(Exception):
    """A command that this one started failed, and said why; its exit code is this one's."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = 128 - code if code < 0 else code


class Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line, and shows its epilog as it is written. `prog`:
    the words that a user types, such as `lockbench compare`."""

    def __init__(self, prog: str, **how: Any) -> None:
        how.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(prog=prog, **how)

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE_ERROR, f"{self.prog}: {message}; see {self.prog} --help\n")


def share(text: str) -> float:
    """`5%`, `5 %` or `0.05`, as 0.05."""
    number = text.strip()
    try:
        value = float(number[:-1]) / 100 if number.endswith("%") else float(number)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share; write 5% or 0.05")
    return value


def nanoseconds(text: str) -> float:
    """`100us`, as 100000."""
    value = units.quantity(text, units.NANOSECONDS)
    if not value:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time; write 100us or 1ms")
    return value


def run(name: str, body: Callable[[Sequence[str]], int], argv: Sequence[str] | None) -> int:
    """Runs the body of a script. An error of the user ends it with one line and exit code 2; rows
    that answer nothing, with one line and exit code 4; a file that cannot be written, with one line
    and exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    # Tables consist of many lists and few cycles. A search for cycles at every 700th object takes a
    # tenth of the time.
    gc.set_threshold(100_000)
    try:
        status = body(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
        return status
    except InputError as error:
        print_note(name, str(error))
        return USAGE_ERROR
    except EndedBy as end:
        return end.code
    except InconclusiveError as error:
        print_note(name, f"inconclusive: {error}")
        return INCONCLUSIVE
    except BrokenPipeError:
        # The reader has closed the pipe. Nothing more may be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        nameless = "the output could not be written: " if full else ""
        where = f"{error.filename}: " if error.filename else nameless
        print_note(name, f"{where}{error.strerror or error}")
        return COULD_NOT_FINISH
    except KeyboardInterrupt:
        return 130


def print_note(name: str, message: str) -> None:
    print(f"{name}: {printable(message)}", file=sys.stderr)
