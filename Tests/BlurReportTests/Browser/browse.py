#!/usr/bin/env python3
"""Opens a page in headless Chromium, performs steps, and prints the values of the evaluated expressions.

    browse.py PAGE.html < STEPS.json      or the page's address, http://…

STEPS is an array of objects, which are performed one after the other:
    {"width": 1280, "height": 900, "dark": false}    opens the page in a window of this size
    {"eval": "document.title"}                       evaluates an expression; promises are awaited
    {"eval": "start()", "must": true}                evaluates; if that throws, the other steps are skipped
    {"key": "Tab"}                                   presses a key
    {"hover": "#errors .mark"}                       moves the pointer to the first element that matches
    {"screenshot": "FILE.png", "whole": true}        saves a picture of the window, or of the whole page
The output is {"values": [one for each eval], "complaints": [errors and warnings of the browser],
"milliseconds": [how long each opening took]}.
"""
import base64, json, os, shutil, subprocess, sys, tempfile, time


class Browser:
    """Chromium, controlled through pipes by the DevTools protocol: JSON objects that end with a zero byte."""

    def __init__(self, program, folder):
        theirs_in, self.out = os.pipe()
        self.inward, theirs_out = os.pipe()
        # The protocol uses the file descriptors 3 and 4. The shell moves the ends of our pipes there.
        words = [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                 "--hide-scrollbars", "--disable-dev-shm-usage", "--remote-debugging-pipe",
                 f"--user-data-dir={folder}", "about:blank"]
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "sh", *words],
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.rest, self.number, self.events, self.session = b"", 0, [], None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self.session = attached["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.call(f"{domain}.enable")

    def read(self):
        while b"\0" not in self.rest:
            piece = os.read(self.inward, 1 << 20)
            if not piece:
                sys.exit("the browser ended")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.read())

    def open(self, page, step):
        width, height = step["width"], step["height"]
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=step.get("zoom", 1), mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", media=step.get("media", ""), features=[
            {"name": "prefers-color-scheme", "value": "dark" if step.get("dark") else "light"}])
        self.events = [e for e in self.events if e.get("method") != "Page.loadEventFired"]
        start = time.monotonic()
        url = page if page.startswith("http://") else f"file://{os.path.abspath(page)}"
        self.call("Page.navigate", url=url)
        self.wait("Page.loadEventFired")
        self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        return (time.monotonic() - start) * 1000

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            return "threw " + details.get("exception", {}).get("description", details["text"])
        return answer["result"].get("value")

    def press(self, key):
        text = {"Enter": {"text": "\r"}, "Space": {"text": " "}}.get(key, {})
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, key=" " if key == "Space" else key, code=key,
                      windowsVirtualKeyCode=KEYS[key], **(text if kind == "keyDown" else {}))

    def hover(self, selector):
        x, y = self.evaluate(f"""(() => {{
            const node = document.querySelector({json.dumps(selector)});
            node.scrollIntoView({{block: 'center', behavior: 'instant'}});
            const box = node.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def complaints(self):
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in COMPLAINTS:
                found.append(str([a.get("value") for a in parameters["args"]]))
        return found


COMPLAINTS = ("error", "warning", "assert")
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "Space": 32, "ArrowRight": 39, "ArrowLeft": 37,
        "End": 35, "Home": 36}


def main():
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    folder = tempfile.mkdtemp()
    browser = Browser(program or sys.exit("chromium is not installed"), folder)
    values, times = [], []
    try:
        for step in json.load(sys.stdin):
            if "width" in step:
                times.append(browser.open(sys.argv[1], step))
            elif "eval" in step:
                values.append(browser.evaluate(step["eval"]))
                if step.get("must") and str(values[-1]).startswith("threw "):
                    break
            elif "key" in step:
                browser.press(step["key"])
            elif "hover" in step:
                browser.hover(step["hover"])
            elif "screenshot" in step:
                whole = step.get("whole", False)
                picture = browser.call("Page.captureScreenshot", captureBeyondViewport=whole)
                with open(step["screenshot"], "wb") as file:
                    file.write(base64.b64decode(picture["data"]))
        print(json.dumps({"values": values, "complaints": browser.complaints(), "milliseconds": times}))
    finally:
        browser.process.kill()
        browser.process.wait()
        shutil.rmtree(folder, ignore_errors=True)


main()
