# SPDX-License-Identifier: Apache-2.0
"""Gives each test the program in an empty folder, and made-up runs."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))

from fixtures import make_run  # noqa: E402, F401
from program import lockbench  # noqa: E402, F401
