# SPDX-License-Identifier: Apache-2.0
"""published.py: what authors published beside what a run measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import synthetic
from analysis import loader, published
from support import MakeRun

FILES = sorted(published.FOLDER.glob("*.toml"))

SOURCE = """
source = "a page"
note = "Of 21 updates."
columns = ["published"]

[[measured]]
title = "8 threads"
where = { threads = "8" }

[[measured]]
title = "2 threads"
where = { threads = "2" }

[[row]]
title = "makespan"
published = ["2.1 s"]
figure = "makespan_s"
unit = "s"
where = { primitive = "keyed" }

[[row]]
title = "saved"
published = ["50 %"]
figure = "makespan_s"
unit = "% saved"
where = { primitive = "keyed" }
against = "global"

[[row]]
title = "lost"
published = ["15"]
figure = "lost_updates"
where = { primitive = "none" }

[[row]]
title = "outcome"
published = ["deadlock"]
figure = "outcome"
where = { primitive = "none" }
"""


@pytest.fixture(name="known")
def known_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Published figures of the preset that made-up runs are of."""
    monkeypatch.setattr(published, "FOLDER", tmp_path)
    (tmp_path / "synthetic.toml").write_text(SOURCE, encoding="utf-8")
    return tmp_path / "synthetic.toml"


def measured(row: dict[str, Any]) -> None:
    if row["primitive"] == "none":
        row.update(valid="false", outcome="crash", lost_updates=14 + row["block"])
    else:
        row["makespan_s"] = {"keyed": 1.0, "global": 4.0}[row["primitive"]] + row["block"] / 1000


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_published_file_is_sound(path: Path) -> None:
    known = published.read(path)
    assert known["row"] and known["measured"]
    assert (path.parents[1] / path.name).is_file()  # it is of a preset


def test_medians_stand_beside_what_was_published(make_run: MakeRun, known: Path) -> None:
    assert known.exists()
    cells = synthetic.sweep(["keyed", "global", "none"], (2, 8), (6,), (10**6,), mode="fixed")
    run = loader.load(make_run(cells=cells, blocks=3, change=measured))
    (table,) = published.table(run)
    assert table.headers == ["what", "published", "8 threads", "2 threads"]
    assert table.rows == [
        ["makespan", "2.1 s", "1.001 s", "1.001 s"],
        ["saved", "50 %", "75.0 %", "75.0 %"],
        ["lost", "15", "15", "15"],
        ["outcome", "deadlock", "crash", "crash"],
    ]
    assert table.notes == ["Of 21 updates."]


def test_a_run_of_other_cells_shows_nothing_of_it(make_run: MakeRun, known: Path) -> None:
    assert known.exists()
    run = loader.load(make_run(cells=synthetic.sweep(["striped"], (3,))))
    assert published.table(run) == []


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        ('"% saved"', '"s"', "go with against"),
        ('unit = "s"', 'unit = "hours"', "no unit is called 'hours'"),
        ('published = ["15"]', 'published = ["15", "0"]', "2 published figures for 1 columns"),
        ('title = "lost"', 'name = "lost"', "no key is called 'name'"),
        ("columns =", "colums =", "columns is missing"),
        ("note = ", "note ", "is no TOML"),
    ],
)
def test_what_is_wrong_is_told_by_the_row(
    make_run: MakeRun, known: Path, was: str, becomes: str, said: str
) -> None:
    known.write_text(SOURCE.replace(was, becomes, 1), encoding="utf-8")
    with pytest.raises(loader.InputError, match=said):
        published.table(loader.load(make_run()))
