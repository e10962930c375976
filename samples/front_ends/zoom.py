#!/usr/bin/env python3
"""zoom.py - a front end of perftool that zooms in on what takes the time

    perftool serve ./program &
    samples/front_ends/zoom.py PATTERN [PID] [--rounds N] [--period S] [--keep PART]

The front end times all functions that PATTERN names, for example 'sqlite3_*'.
After each period it gives up those that have taken less than a part (5 %) of the
time of all together, so that in the end only the functions that matter are
watched, and cost anything. Of those that were called the tables keep what was
counted; the others it takes away. Ctrl-C gives up all of them. Legs and nodes
that others have made stay as they are. It speaks DyPer's XML (doc/PROTOCOL.md), and
needs nothing but Python.
"""
import argparse
import glob
import os
import re
import signal
import socket
import sys
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import escape, quoteattr


class Perftool:
    """A connection to a `perftool serve`, which speaks XML."""

    def __init__(self, pid=None):
        path = self.find(pid)
        self.pid = int(os.path.basename(path).removesuffix(".sock"))
        self.socket = socket.socket(socket.AF_UNIX)
        try:
            self.socket.connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            sys.exit(f"zoom.py: process {self.pid} is not served "
                     "(`perftool who' lists those that are)")
        self.parser = None
        self.waiting = []  # messages that were read and not used yet

    @staticmethod
    def find(pid):
        """The path of the socket: that of the pid, or the only one."""
        runtime = os.environ.get("XDG_RUNTIME_DIR", "")
        folder = (f"{runtime}/perftool" if runtime.startswith("/")
                  else f"/tmp/perftool-{os.geteuid()}")
        # Another user may have made a folder of this name.
        if os.path.exists(folder):
            status = os.stat(folder, follow_symlinks=False)
            if status.st_uid != os.geteuid() or status.st_mode & 0o077:
                sys.exit(f"zoom.py: {folder} is not a folder of yours alone")
        if pid:
            return f"{folder}/{pid}.sock"
        found = glob.glob(f"{folder}/*.sock")
        if len(found) != 1:
            sys.exit(f"zoom.py: {len(found)} programs are served; name a PID "
                     "(`perftool who' lists them)")
        return found[0]

    def message(self):
        """The next message of the server as an element; None at the end.

        Messages follow each other, with a newline behind each. The parser
        cannot take two documents, so that a message is parsed when its last
        line is there."""
        while not self.waiting:
            text = b""
            while not text.endswith(b">\n") or not self.is_whole(text):
                part = self.socket.recv(1 << 16)
                if not part:
                    return None
                text += part
            self.waiting = list(self.messages(text))
        return self.waiting.pop(0)

    @staticmethod
    def messages(text):
        """The messages in a text, as children of an element around them."""
        return ElementTree.fromstring(b"<all>" + text + b"</all>")

    def is_whole(self, text):
        try:
            self.messages(text)
            return True
        except ElementTree.ParseError:
            return False

    def ask(self, operation, content="", **attributes):
        """Gives an operation, and returns the content of its reply."""
        words = "".join(f" {name}={quoteattr(str(value))}"
                        for name, value in attributes.items())
        self.socket.sendall(
            f"<DYPER PID='{self.pid}' XCOMMAND='{operation}'{words}>"
            f"{content}</DYPER>\n".encode())
        while True:
            message = self.message()
            if message is None:
                raise EOFError("the program has ended")
            if message.tag == "DYPER_REPLY":
                break  # the others are notices: START, REPORT, DUMP
        error = message.find("ERROR")
        if error is not None:
            raise RuntimeError(error.text)
        return message

    def command(self, line):
        """Runs a line of the command language."""
        reply = self.ask("COMMAND", escape(line))
        if reply.get("STATUS") != "0":
            raise RuntimeError(reply.get("ERROR"))
        return reply.get("OUTPUT")


def legs_of(report):
    """The legs of a report: {number: (name, count, time in ns)}."""
    return {int(leg.get("ID")): (leg.get("NAME"), int(leg.get("COUNT")),
                                 int(leg.get("TOTAL_NS")))
            for leg in report.findall("LEGS")}


class Watch:
    """The legs that this front end has made, and their nodes.

    Others may have legs of the same functions: other front ends, people at a
    prompt, `set detail auto`. Each `time` makes legs and nodes of its own, and
    says which; what it does not name is none of ours."""

    MADE = re.compile(r"^Leg (\d+): ", re.MULTILINE)
    MORE = re.compile(r"^and (\d+) more: ", re.MULTILINE)

    def __init__(self, perftool, pattern):
        self.perftool = perftool
        # `time` would wait for a library that has such a function.
        perftool.command("list functions " + pattern)
        ours = self.made(perftool.command("time " + pattern))
        self.nodes = {int(leg.get("ID")): {int(leg.get("FROM")),
                                           int(leg.get("TO"))}
                      for leg in self.report().findall("LEGS")
                      if int(leg.get("ID")) in ours}

    def made(self, said):
        """The numbers of the legs that `time` has made. It has a line for each
        of the first ones only; the others have the numbers that follow."""
        named = [int(number) for number in self.MADE.findall(said)]
        more = self.MORE.search(said)
        following = int(more[1]) if more else 0
        return set(named) | {named[-1] + i for i in range(1, following + 1)}

    def report(self):
        return self.perftool.ask("REPORT").find("REPORT")

    def legs(self):
        """Our legs, as legs_of() has them. Somebody may have deleted some."""
        legs = legs_of(self.report())
        return {number: legs[number] for number in self.nodes
                if number in legs}

    def give_up(self, numbers):
        """Removes the nodes of legs, so that they cost nothing, and the legs
        of functions that were never called, which have nothing to tell."""
        ours = set().union(*(self.nodes.pop(number) for number in numbers))
        self.delete("break", ours & {int(node.get("ID")) for node in
                                     self.report().findall("NODES")
                                     if node.get("DELETED") != "TRUE"})
        legs = legs_of(self.report())
        self.delete("leg", {number for number in numbers
                            if number in legs and not legs[number][1]})

    def give_up_uncalled(self):
        self.give_up({number for number, leg in self.legs().items()
                      if not leg[1]})

    def delete(self, what, numbers):
        """Deletes breakpoints or legs. (The program stands still for a moment:
        one command for many of them.)"""
        listed = [str(number) for number in sorted(numbers)]
        for first in range(0, len(listed), 500):
            self.perftool.command(f"delete {what} " +
                                  " ".join(listed[first:first + 500]))


def pause(seconds):
    """Waits. Ctrl-C has an effect here only, so that no reply is cut in two."""
    if signal.sigtimedwait({signal.SIGINT}, seconds):
        raise KeyboardInterrupt


def zoom(watch, arguments):
    """Returns the legs of the functions that were watched until the end."""
    for round_number in range(arguments.rounds):
        before = watch.legs()
        pause(arguments.period)
        spent = {number: leg[2] - before[number][2]
                 for number, leg in watch.legs().items() if number in before}
        least = arguments.keep * sum(spent.values())
        left = {number for number, ns in spent.items() if ns and ns >= least}
        print(f"round {round_number + 1}: {len(spent)} functions are timed, "
              f"{len(left)} of them matter", flush=True)
        if left:
            watch.give_up(set(watch.nodes) - left)
    watch.give_up_uncalled()
    return watch.legs().values()


def measure(perftool, arguments):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    watch = Watch(perftool, arguments.pattern)
    try:
        return zoom(watch, arguments)
    except (KeyboardInterrupt, RuntimeError):
        watch.give_up(set(watch.nodes))
        raise


def seconds(text):
    number = float(text)
    if not 0 < number < 1e9:
        raise ValueError
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pattern", help="which functions: a glob")
    parser.add_argument("pid", nargs="?", type=int)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--period", type=seconds, default=1, help="seconds")
    parser.add_argument("--keep", type=float, default=0.05,
                        help="the part of the time that a function must take")
    arguments = parser.parse_args()
    perftool = Perftool(arguments.pid)
    print("measuring", perftool.ask("WHORU").find("START").text, flush=True)
    called = [leg for leg in measure(perftool, arguments) if leg[1]]
    for name, count, ns in sorted(called, key=lambda leg: -leg[2]):
        print(f"{name:40} {count:10} calls {max(ns, 0) / count / 1e3:10.2f} us")
    if not called:
        print("none of them was called")


if __name__ == "__main__":
    try:
        main()
    except ConnectionError:
        sys.exit("zoom.py: the program has ended")
    except (OSError, EOFError, RuntimeError) as error:
        sys.exit(f"zoom.py: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
