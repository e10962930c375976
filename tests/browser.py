"""A headless Chromium for tests: `from browser import Browser`, with tests/ in
PYTHONPATH. It is driven through the DevTools protocol over two pipes, with
nothing but the standard library.

    with Browser("chromium", folder) as browser:
        browser.open(url)
        browser.wait("document.title != ''")
        browser.key("Tab")
        assert not browser.problems
"""
import json
import os
import subprocess
import time

from fair_time import Limit, is_readable

PATIENCE = 60  # seconds; a test that waits longer has failed

# The key, its code, and the text that it types.
KEYS = {
    "Tab": (9, ""), "Enter": (13, "\r"), " ": (32, " "), "Escape": (27, ""),
    "ArrowUp": (38, ""), "ArrowDown": (40, ""), "ArrowLeft": (37, ""),
    "ArrowRight": (39, ""), "Delete": (46, ""), "Home": (36, ""),
}


def has_crash_handler():
    """Is there a crash handler of a browser with our home directory?"""
    home = os.environ.get("HOME", "/").encode()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read()
        except OSError:
            continue
        if b"crashpad_handler" in words and home in words:
            return True
    return False


class Browser:
    def __init__(self, program, folder, width=1000, height=900):
        self.number = 0
        self.session = None
        self.bytes = b""
        # What the console and uncaught exceptions have said.
        self.problems = []
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        self.input, self.output = ours_in, ours_out
        # Chromium reads commands from descriptor 3, and writes to 4.
        self.process = subprocess.Popen(
            ["/bin/bash", "-c", 'exec "$@" 3<&%d 4>&%d' % (theirs_in,
                                                           theirs_out),
             "browser", program, "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-extensions",
             "--disable-component-update", "--force-color-profile=srgb",
             "--window-size=%d,%d" % (width, height),
             "--user-data-dir=" + folder, "--remote-debugging-pipe",
             "about:blank"],
            pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        target = self.call("Target.createTarget", url="about:blank")
        self.session = self.call("Target.attachToTarget", flatten=True,
                                 targetId=target["targetId"])["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Performance"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.input)
        os.close(self.output)
        # Its crash handlers end by themselves, a little later.
        limit = Limit(PATIENCE)
        while has_crash_handler() and not limit.is_over():
            time.sleep(0.01)

    # ---- the protocol ----

    def message(self):
        """The next message of the browser."""
        while b"\0" not in self.bytes:
            if not is_readable(self.input, PATIENCE):
                raise TimeoutError("the browser does not answer")
            more = os.read(self.input, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.bytes += more
        text, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        text = {"id": self.number, "method": method, "params": params}
        if self.session:
            text["sessionId"] = self.session
        data = json.dumps(text).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError("%s: %s" % (method, message["error"]))
                return message["result"]
            self.note(message)

    def note(self, event):
        params = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.problems.append(str(params["exceptionDetails"]))
        elif event.get("method") == "Log.entryAdded":
            self.problems.append(params["entry"]["text"])
        elif (event.get("method") == "Runtime.consoleAPICalled"
              and params["type"] in ("error", "warning", "assert")):
            self.problems.append(str(params["args"]))

    # ---- what a test does ----

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.wait("document.readyState == 'complete'")

    def value(self, expression):
        """The value of an expression, or of the promise that it is."""
        reply = self.call("Runtime.evaluate", expression=expression,
                          returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in reply:
            raise RuntimeError("%s: %s" % (expression,
                                           reply["exceptionDetails"]))
        return reply["result"].get("value")

    def wait(self, expression):
        """Waits until the expression is true."""
        limit = Limit(PATIENCE)
        while not self.value(expression):
            if limit.is_over():
                raise TimeoutError("never true: " + expression)
            time.sleep(0.05)

    def key(self, name, shift=False):
        code, text = KEYS[name]
        event = {"key": name, "code": "Space" if name == " " else name,
                 "windowsVirtualKeyCode": code,
                 "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else
                  "rawKeyDown", text=text, **event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def tab_to(self, expression, most=200):
        """Presses Tab until the expression is true of `at`, the element with
        the focus."""
        test = "(at => !!at && !!(%s))(document.activeElement)" % expression
        for _ in range(most):
            self.key("Tab")
            if self.value(test):
                return
        raise RuntimeError("Tab does not reach: " + expression)

    def metrics(self):
        """The size of the heap, and the numbers of nodes and listeners, after
        garbage was collected: the least of three looks, since a request of the
        page may be under way at one of them."""
        looks = []
        for _ in range(3):
            self.call("HeapProfiler.collectGarbage")
            values = {one["name"]: one["value"]
                      for one in self.call("Performance.getMetrics")["metrics"]}
            looks.append(values)
        return {name: int(min(look[name] for look in looks)) for name in
                ("JSHeapUsedSize", "Nodes", "JSEventListeners")}

    def picture(self, path):
        import base64
        data = self.call("Page.captureScreenshot",
                         captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
