# SPDX-License-Identifier: Apache-2.0
"""A description of a machine for hwloc in the place of the real one, to which it is bound still."""

from __future__ import annotations

import pytest
from program import Program


def unit(number: int) -> str:
    its = f'cpuset="0x{1 << number:x}" complete_cpuset="0x{1 << number:x}"'
    its += ' nodeset="0x1" complete_nodeset="0x1"'
    return (
        f'<object type="Core" os_index="{number}" {its}>'
        f'<object type="PU" os_index="{number}" {its}></object></object>'
    )


def kind(number: int, efficiency: int, name: str, mhz: int) -> str:
    return (
        f'<cpukind cpuset="0x{1 << number:x}" forced_efficiency="{efficiency}">'
        f'<info name="CoreType" value="{name}"/>'
        f'<info name="FrequencyMaxMHz" value="{mhz}"/></cpukind>'
    )


def describe(lockbench: Program, monkeypatch: pytest.MonkeyPatch, kinds: str) -> None:
    """Two cores for hwloc, which are those of this machine with the numbers 0 and 1."""
    every = 'cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1"'
    file = lockbench.folder / "machine.xml"
    text = (
        '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE topology SYSTEM "hwloc2.dtd">'
        f'<topology version="2.0"><object type="Machine" os_index="0" {every}'
        ' allowed_cpuset="0x3" allowed_nodeset="0x1">'
        f'<object type="NUMANode" os_index="0" {every} local_memory="1073741824"></object>'
        f"{unit(0)}{unit(1)}</object>{kinds}</topology>"
    )
    # The parser that hwloc has without libxml2 wants its lines.
    file.write_text(text.replace("><", ">\n<"), encoding="utf-8")
    monkeypatch.setenv("HWLOC_XMLFILE", str(file))
    monkeypatch.setenv("HWLOC_THISSYSTEM", "1")
