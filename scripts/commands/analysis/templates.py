# SPDX-License-Identifier: Apache-2.0
"""Pages from templates: what all of them have in common."""

from __future__ import annotations

from pathlib import Path

import jinja2


def environment(folder: Path) -> jinja2.Environment:
    """For the templates in `folder`. Escapes inserted text; a name without a value is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
