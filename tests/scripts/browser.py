# SPDX-License-Identifier: Apache-2.0
"""A browser without a window, driven as a user drives one: Chromium, by the DevTools protocol over
two pipes. Small on purpose: what the tests of the report need, and nothing else.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_CODES = {
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    "End": 35,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowRight": 39,
}
_LIMIT_S = 60.0  # for any one answer, on a machine that is busy with other tests


def find() -> str | None:
    """The program, or None when this machine has none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One page of one browser; what it asks for and complains of is kept."""

    def __init__(self, program: str) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._profile = tempfile.mkdtemp(prefix="lockbench-browser-")
        to_child, self._to = os.pipe()
        self._from, from_child = os.pipe()
        self._process = subprocess.Popen(
            [
                "bash",
                "-c",
                f'exec "$@" 3<&{to_child} 4>&{from_child}',
                "bash",
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                f"--user-data-dir={self._profile}",
                "--remote-debugging-pipe",
                "about:blank",
            ],
            pass_fds=(to_child, from_child),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_child)
        os.close(from_child)
        self._number = 0
        self._rest = b""
        self._session = ""
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in targets if one["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command, and its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        answer = self._until(lambda found: found.get("id") == self._number)
        assert "error" not in answer, f"{method}: {answer.get('error')}"
        return answer["result"]

    def open(self, page: Path, width: int = 1280, height: int = 900) -> None:
        """Shows a file in a window of this size, and waits until all of it is there."""
        self.resize(width, height)
        self.requests.clear()
        self.complaints.clear()
        self.call("Page.navigate", url=page.resolve().as_uri())
        self._until(lambda found: found.get("method") == "Page.loadEventFired")

    def resize(self, width: int, height: int) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def prefer(self, scheme: str) -> None:
        """`dark` or `light`, as the system's own setting."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def settled(self, script: str) -> Any:
        """The value that a promise in the page comes to."""
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def point(self, x: float, y: float) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, selector: str) -> None:
        """In the middle of the first element, scrolled to if need be."""
        x, y = self.middle(selector)
        self.click_at(x, y)

    def click_at(self, x: float, y: float) -> None:
        self.point(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def middle(self, selector: str) -> tuple[float, float]:
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'center', behavior: 'instant'});"
            " const b = e.getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        return box[0], box[1]

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            code = _CODES[key]
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                **text,
            )

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def picture(self, path: Path, whole: bool = False) -> None:
        found = self.call("Page.captureScreenshot", captureBeyondViewport=whole, format="png")
        path.write_bytes(base64.b64decode(found["data"]))

    def printed(self) -> bytes:
        """The page as PDF."""
        found = self.call("Page.printToPDF", printBackground=False, preferCSSPageSize=True)
        return base64.b64decode(found["data"])

    def _until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        end = time.monotonic() + _LIMIT_S
        while time.monotonic() < end:
            message, nul, rest = self._rest.partition(b"\0")
            if not nul:
                ready, _, _ = select.select([self._from], [], [], end - time.monotonic())
                data = os.read(self._from, 1 << 20) if ready else b""
                assert data or not ready, "the browser has gone"
                self._rest += data
                continue
            self._rest = rest
            found = json.loads(message)
            self._note(found)
            if wanted(found):
                return found
        raise AssertionError(f"no answer from the browser within {_LIMIT_S:.0f} s")

    def _note(self, found: dict[str, Any]) -> None:
        method, parameters = found.get("method"), found.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(parameters["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(str(parameters["args"]))
        elif method == "Log.entryAdded":
            self.complaints.append(str(parameters["entry"]["text"]))
