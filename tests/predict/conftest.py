# SPDX-License-Identifier: Apache-2.0
"""Gives each test the program in an empty folder."""

from program import lockbench  # noqa: F401
