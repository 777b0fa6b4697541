# SPDX-License-Identifier: Apache-2.0
"""The container file: built where a tool for it is, otherwise read."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from support import ROOT

FILE = ROOT / "packaging" / "container" / "Containerfile"
BUILDERS = [name for name in ("podman", "buildah") if shutil.which(name)]


def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"\\\n\s*", "", FILE.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def test_every_instruction_is_one_and_every_command_is_shell() -> None:
    known = "FROM WORKDIR COPY RUN VOLUME ENTRYPOINT CMD".split()
    found = instructions()
    assert found[0][0] == "FROM" and {word for word, _ in found} <= set(known)
    for command in (rest for word, rest in found if word == "RUN"):
        subprocess.run(["bash", "-n", "-c", command], check=True)


def test_what_it_copies_and_names_exists() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert (ROOT / "scripts" / "prepare.sh").exists() and "run_packages=(" in (
        ROOT / "scripts" / "prepare.sh"
    ).read_text(encoding="utf-8")
    stages = [rest.split(" AS ")[1] for word, rest in instructions() if " AS " in rest]
    copied = re.findall(r"--from=(\w+)", text)
    assert copied and set(copied) <= set(stages)


@pytest.mark.long
@pytest.mark.skipif(not BUILDERS, reason="neither podman nor buildah is here")
def test_the_image_is_built_and_runs() -> None:
    base = next(rest for word, rest in instructions() if word == "FROM").split()[0]
    if subprocess.run([BUILDERS[0], "pull", base], check=False, capture_output=True).returncode:
        pytest.skip(f"{base} cannot be downloaded here")
    build = ["buildah", "bud"] if BUILDERS == ["buildah"] else [BUILDERS[0], "build"]
    image = "localhost/lockbench-test"
    subprocess.run([*build, "-t", image, "-f", str(FILE), str(ROOT)], check=True, timeout=3000)
    if BUILDERS == ["buildah"]:
        made = subprocess.run(
            ["buildah", "from", image], check=True, capture_output=True, text=True
        ).stdout.strip()
        run = ["buildah", "run", made, "--", "lockbench", "--version"]
    else:
        run = [BUILDERS[0], "run", "--rm", image, "--version"]
    shown = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    assert shown.startswith("lockbench ")
