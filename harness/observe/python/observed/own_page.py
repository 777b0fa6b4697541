# SPDX-License-Identifier: Apache-2.0
"""`lockbench report` of a folder that `lockbench observe` wrote (analysis/capabilities.py)."""

from __future__ import annotations

from observed import FILE, page

__all__ = ["FILE", "PAGE", "WHAT", "page"]

WHAT = "an observation"
PAGE = "observed.html"
