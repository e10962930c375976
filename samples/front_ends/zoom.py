#!/usr/bin/env python3
"""zoom.py - a front end of perftool that zooms in on what takes the time

    perftool serve ./program &
    samples/front_ends/zoom.py PATTERN [PID] [--rounds N] [--period S] [--keep PART]

The front end times all functions that PATTERN names, for example 'sqlite3_*'.
After each period it gives up those that have taken less than a part (5 %) of the
time of all together, so that in the end only the functions that matter are
watched, and cost anything. It speaks DyPer's XML (doc/PROTOCOL.md), and needs
nothing but Python.
"""
import argparse
import glob
import os
import socket
import sys
import time
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import escape, quoteattr


class Perftool:
    """A connection to a `perftool serve`, which speaks XML."""

    def __init__(self, pid=None):
        path = self.find(pid)
        self.pid = int(os.path.basename(path).removesuffix(".sock"))
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.parser = None
        self.waiting = []  # messages that were read and not used yet

    @staticmethod
    def find(pid):
        """The path of the socket: that of the pid, or the only one."""
        runtime = os.environ.get("XDG_RUNTIME_DIR", "")
        folder = (f"{runtime}/perftool" if runtime.startswith("/")
                  else f"/tmp/perftool-{os.geteuid()}")
        if pid:
            return f"{folder}/{pid}.sock"
        found = glob.glob(f"{folder}/*.sock")
        if len(found) != 1:
            sys.exit(f"{len(found)} programs are served; name a PID "
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


def legs_of(perftool):
    """The legs of the report: {number: (name, nodes, count, time in ns)}."""
    report = perftool.ask("REPORT").find("REPORT")
    return {int(leg.get("ID")): (leg.get("NAME"),
                                 (leg.get("FROM"), leg.get("TO")),
                                 int(leg.get("COUNT")),
                                 int(leg.get("TOTAL_NS")))
            for leg in report.findall("LEGS")}


def give_up(perftool, legs):
    """Removes the nodes at the ends of legs, so that they cost nothing. (The
    program stands still for a moment: one command for all of them.)"""
    nodes = sorted({node for _, ends, _, _ in legs for node in ends}, key=int)
    for first in range(0, len(nodes), 500):
        perftool.command("delete " + " ".join(nodes[first:first + 500]))


def zoom(perftool, arguments):
    """Returns the legs of the functions that were watched until the end."""
    perftool.command("time " + arguments.pattern)
    watched = set(legs_of(perftool))
    for round_number in range(arguments.rounds):
        before = legs_of(perftool)
        time.sleep(arguments.period)
        now = legs_of(perftool)
        spent = {number: now[number][3] - before[number][3]
                 for number in watched}
        least = arguments.keep * sum(spent.values())
        left = {number for number, ns in spent.items() if ns and ns >= least}
        print(f"round {round_number + 1}: {len(watched)} functions are timed, "
              f"{len(left)} of them matter", flush=True)
        if left and left != watched:
            give_up(perftool, [now[number] for number in watched - left])
            watched = left
    now = legs_of(perftool)
    return [now[number] for number in watched]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pattern", help="which functions: a glob")
    parser.add_argument("pid", nargs="?", type=int)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--period", type=float, default=1, help="seconds")
    parser.add_argument("--keep", type=float, default=0.05,
                        help="the part of the time that a function must take")
    arguments = parser.parse_args()
    perftool = Perftool(arguments.pid)
    print("measuring", perftool.ask("WHORU").find("START").text)
    try:
        found = zoom(perftool, arguments)
    except EOFError as ended:
        sys.exit(str(ended))
    for name, _, count, ns in sorted(found, key=lambda leg: -leg[3]):
        mean = ns / count / 1e3 if count else 0
        print(f"{name:40} {count:10} calls {mean:10.2f} us")


if __name__ == "__main__":
    main()
