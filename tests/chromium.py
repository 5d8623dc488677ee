"""A real browser without a window, for tests of pages: Chromium, driven over a pipe in the language of
its developer tools (https://chromedevtools.github.io/devtools-protocol)."""

import base64
import json
import os
import select
import subprocess
import tempfile
import time

PATIENCE = 30  # seconds for any answer


class Chromium:
    """One page. `events` are what the browser has said without being asked, [(method, parameters)]."""

    def __init__(self):
        self.events, self._rest, self._session = [], b"", {}
        self._last = 0
        self._profile = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        to_browser, self._to_browser = os.pipe()
        self._from_browser, from_browser = os.pipe()
        # It reads requests from descriptor 3 and writes answers to 4.
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "-", "chromium", "--headless=new",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--force-color-profile=srgb", "--remote-debugging-pipe",
             f"--user-data-dir={self._profile.name}", "about:blank"],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._session = {"sessionId": session}
        for domain in ("Page", "Runtime", "Log", "Accessibility"):
            self.call(f"{domain}.enable")

    def close(self):
        self._session = {}
        self.call("Browser.close")
        self._process.wait(PATIENCE)
        os.close(self._to_browser)
        os.close(self._from_browser)
        self._profile.cleanup()

    def _receive(self):
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._rest:
            if not select.select([self._from_browser], [], [], deadline - time.monotonic())[0]:
                raise TimeoutError("Chromium does not answer")
            chunk = os.read(self._from_browser, 1 << 20)
            if not chunk:
                raise EOFError(f"Chromium has ended: {self._process.wait()}")
            self._rest += chunk
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self._last += 1
        request = {"id": self._last, "method": method, "params": parameters, **self._session}
        os.write(self._to_browser, json.dumps(request).encode() + b"\0")
        while True:
            message = self._receive()
            if message.get("id") == self._last:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            if "method" in message:
                self.events.append((message["method"], message["params"]))

    def evaluate(self, script):
        """The value of an expression of the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url=f"file://{path}")
        while not any(method == "Page.loadEventFired" for method, _ in self.events):
            message = self._receive()
            self.events.append((message["method"], message["params"]))

    def complaints(self):
        """Whatever went to the console."""
        return [parameters for method, parameters in self.events
                if method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")]

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)

    def prefer(self, scheme):
        """light or dark"""
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def press(self, key):
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def drag(self, begin, end):
        """Presses the mouse at a point of the screen and lets it go at another."""
        for kind, (x, y), button in (("mouseMoved", begin, "none"), ("mousePressed", begin, "left"),
                                     ("mouseMoved", end, "left"), ("mouseReleased", end, "left")):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1)

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def screenshot(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
