# SPDX-License-Identifier: Apache-2.0
"""Gives the tests made-up runs, and a browser."""

from fixtures import make_run, shared_fixture  # noqa: F401
