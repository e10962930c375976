"""Kills the server, a front end or the program of `perftool serve`, in each
state, and checks that nobody else is harmed.

    serve_deaths.py PERFTOOL PROGRAM FOLDER

PROGRAM is tests/programs/server. The script prints a line for each check: "pass
NAME", or "fail NAME: what it got"."""
import json
import os
import signal
import subprocess
import sys
import time

from fair_time import Limit
from front_end import PATIENCE, Json

perftool, program, folder = sys.argv[1:]
path = folder + "/socket"
ROUNDS = 3  # with which the moments of some deaths vary


def until(condition):
    limit = Limit(PATIENCE)
    while not condition():
        if limit.is_over():
            return False
        time.sleep(0.001)
    return True


def ended(process):
    """Waits until the process has ended; returns its status."""
    until(lambda: process.poll() is not None)
    return process.poll()


def ask(process, line):
    """Asks the program; returns the words of its answer."""
    process.stdin.write(line + "\n")
    process.stdin.flush()
    return process.stdout.readline().split()


def stands_still(pid):
    """Does the tool have a thread of the program stand still?"""
    try:
        for tid in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{tid}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "t":
                    return True
    except OSError:
        pass
    return False


class Scene:
    """A program, its server, a front end that may be killed, and another one
    that stays: `steady`."""

    def __init__(self, mode, state):
        self.mode, self.state = mode, state
        self.total = 0
        serve = [perftool, "serve", "-q", "-n", "--socket", path]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE,
                 "text": True}
        if mode == "launched":
            if state == "held":
                serve.append("--wait-front-end")
            self.server = subprocess.Popen(
                serve + [program, "2"], stderr=subprocess.DEVNULL, **pipes)
            self.program = self.server
            if state != "held":
                self.server.stdout.readline()
        else:
            self.program = subprocess.Popen([program, "2"], **pipes)
            self.program.stdout.readline()
            self.server = self.serve_again()
        self.steady = Json(path)
        self.pid = self.steady.call("who")["result"]["pid"]
        self.front_end = os.fork()
        if not self.front_end:
            try:
                self.be_front_end()
            finally:
                os._exit(1)

    def serve_again(self):
        return subprocess.Popen(
            [perftool, "serve", "-q", "-n", "--socket", path, "-p",
             str(self.program.pid)], stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def be_front_end(self):
        """The life of the front end, in a process of its own."""
        front_end = Json(path)
        call = front_end.call
        if self.state in ("running", "ending"):
            call("setdetail", detail=[{"item": "work", "value": True,
                                       "own": True}])
            call("agent", **{"class": "io", "own": True})
        elif self.state == "entering":
            front_end.send(json.dumps(
                {"jsonrpc": "2.0", "id": 1, "method": "agent", "params": {
                    "agent": [{"class": name, "own": True}
                              for name in ("io", "heap", "sync")]}}) + "\n")
        elif self.state == "detailing":
            # (thousands of functions; the program runs in between)
            front_end.send(json.dumps(
                {"jsonrpc": "2.0", "id": 1, "method": "setdetail", "params": {
                    "detail": [{"item": "libc.so.6", "value": True,
                                "own": True}]}}) + "\n")
        elif self.state == "sending":
            front_end.send(
                '{"jsonrpc":"2.0","id":1,"method":"classmodel"}\n'
                '{"jsonrpc":"2.0","id":1,"method":"report"}\n'
                '{"jsonrpc":"2.0","id":1,"method":"showstack"}\n' * 20)
        else:
            call("ping")
        with open(folder + "/ready", "w"):
            pass
        signal.pause()

    def reach(self, delay):
        """Waits until the state is reached; then so many ms more."""
        if self.state in ("entering", "detailing"):
            until(lambda: stands_still(self.pid))
        else:
            until(lambda: os.path.exists(folder + "/ready"))
        if self.state == "sending":
            self.steady.call("ping")
        elif self.state == "ending":
            self.server.send_signal(signal.SIGINT)
        time.sleep(delay / 1000)

    def work(self, number):
        """Has both threads of the program call work() so many times."""
        self.total += 2 * number
        return ask(self.program, str(number)) == \
            ["done", str(number), "total", str(self.total)]

    def is_clean(self):
        return ask(self.program, "look")[:4] == ["traced", "0", "foreign", "0"]

    def kill(self, victim):
        try:
            os.kill({"server": self.server.pid, "program": self.pid,
                     "front end": self.front_end}[victim], signal.SIGKILL)
        except ProcessLookupError:  # the server has ended the program
            assert self.state == "ending" and victim == "program"
        if victim == "front end":
            os.waitpid(self.front_end, 0)
            self.front_end = 0
        elif victim == "server":  # it listens until it is dead
            ended(self.server)

    def end(self):
        if self.front_end:
            os.kill(self.front_end, signal.SIGKILL)
            os.waitpid(self.front_end, 0)
        for process in (self.server, self.program):
            if process.poll() is None:
                process.kill()
            process.wait()
        for name in ("ready", "socket"):
            try:
                os.unlink(folder + "/" + name)
            except OSError:
                pass


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except OSError:
        return True
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0] in "ZX"


def last_message(front_end):
    """Reads up to the end of the connection; returns the last message."""
    last = None
    try:
        while (message := front_end.message()) is not None:
            last = message
    except ConnectionResetError:  # the server died with something unread
        pass
    return last


def measures(scene):
    """Does a server measure the program, from the begin to the end?"""
    server = scene.serve_again()
    front_end = Json(path)
    front_end.call("command", line="zero tables")
    front_end.call("command", line="time work")
    good = scene.work(10)
    legs = front_end.call("report")["result"]["legs"]
    good = good and [leg["count"] for leg in legs
                     if leg["name"] == "work"] == [20]
    server.send_signal(signal.SIGINT)
    return good and ended(server) == 0 and \
        last_message(front_end)["method"] == "end"


def after_server(scene):
    last_message(scene.steady)  # there is an end
    if scene.mode == "launched":
        yield "the program is killed, too", until(lambda: is_gone(scene.pid))
    else:
        yield "the program works on", scene.work(10)
    if scene.state != "ending":
        yield "the socket is left", os.path.exists(path)
    if scene.mode == "attached":
        yield "another server measures the program", measures(scene)
        yield "and leaves nothing in it", scene.is_clean() and scene.work(1)
        yield "its socket is removed", not os.path.exists(path)


def after_front_end(scene):
    if scene.state == "ending":
        yield from after_ending(scene)
        return
    call = scene.steady.call
    yield "the other front end is served", call("ping").get("result") == "PONG"
    yield "what was its own is gone", until(lambda: not call(
        "report")["result"]["legs"])
    if scene.state == "held":
        yield "the program waits on", call("who")["result"]["held"]
        scene.steady.send('{"jsonrpc":"2.0","id":1,"result":{}}\n')
        scene.program.stdout.readline()
    yield "the program works on", scene.work(10)
    yield "the server measures", call("command", line="time work")["result"][
        "status"] == 0 and scene.work(5) and [
        leg["count"] for leg in call("report")["result"]["legs"]] == [10]
    if scene.mode == "attached":
        scene.server.send_signal(signal.SIGINT)
        yield "the server ends", ended(scene.server) == 0
        yield "and leaves nothing in the program", scene.is_clean()
    else:
        scene.program.stdin.close()
        yield "the server ends", ended(scene.server) == 0
    yield "the socket is removed", not os.path.exists(path)


def after_program(scene):
    last = last_message(scene.steady)
    yield "the other front end is told", last and last["method"] == "end"
    status = ended(scene.server)
    # An attached program ends without perftool's having failed.
    wanted = (137,) if scene.mode == "launched" else (0, 137)
    yield f"the server ends ({status})", \
        status in wanted or scene.state == "ending"
    yield "the socket is removed", not os.path.exists(path)


def after_ending(scene):
    status = ended(scene.server)
    yield f"the server ends ({status})", status in (0, 130)
    yield "the socket is removed", not os.path.exists(path)
    if scene.mode == "attached":
        yield "nothing is left in the program", scene.is_clean()
        yield "the program works on", scene.work(10)


AFTER = {"server": after_server, "front end": after_front_end,
         "program": after_program}


def play(mode, state, victim, delay):
    """Returns what was wrong."""
    scene = Scene(mode, state)
    wrong = []
    try:
        scene.reach(delay)
        scene.kill(victim)
        for what, good in AFTER[victim](scene):
            if not good:
                wrong.append(what)
    except Exception as error:  # pylint: disable=broad-except
        wrong.append(repr(error))
    finally:
        scene.end()
    return wrong


only = os.environ.get("ONLY", "")
for mode in ("launched", "attached"):
    for state in ("held", "running", "entering", "detailing", "sending",
                  "ending"):
        if (mode, state) == ("attached", "held"):
            continue
        for victim in AFTER:
            name = f"{mode}, {state}: the {victim} is killed"
            if only not in name:
                continue
            varies = state in ("entering", "ending") or \
                (state, victim) == ("detailing", "program")
            step = 150 if state == "detailing" else 7
            wrong = []
            for i in range(ROUNDS if varies else 1):
                wrong += play(mode, state, victim, i * step)
            print(f"fail {name}: {wrong}" if wrong else "pass " + name)
            sys.stdout.flush()
