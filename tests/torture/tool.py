"""tool.py - one run of perftool: how it is started, ended, and what it said"""

import json
import os
import re
import signal
import subprocess
import time

from victims import Wrong, wait_until


MARK = 4711000000  # what it is asked for after commands


class Tool:
    def __init__(self, context, folder, name="tool", library="die.so"):
        self.limit = context.limit
        self.path = os.path.join(context.build, "perftool")
        self.library = os.path.join(context.build, "tests/torture", library)
        self.folder, self.name = folder, name
        self.report = self.file("json")
        self.popen = None
        self.took = 0
        self.asked = None  # when it was asked to end

    def file(self, ending):
        return os.path.join(self.folder, "%s.%s" % (self.name, ending))

    def script(self, lines):
        """Write a script; its name. A word {NAME} is a file of ours."""
        path = self.file("pt")
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
        return path

    def mark(self, name):
        """The command by which a script says how far it has come."""
        return "shell : > %s" % self.file(name)

    def has_marked(self, name):
        return os.path.exists(self.file(name))

    def start(self, arguments, death=None, talks=False):
        """death: the environment of die.c or fault.c, or None; talks: see
        tell()."""
        for name in ("json", "attached", "leaving", "calls"):
            if os.path.exists(self.file(name)):
                os.unlink(self.file(name))
        environment = dict(os.environ, HOME=self.folder)
        environment.pop("XDG_CONFIG_HOME", None)
        if death is not None:
            environment.update(death, LD_PRELOAD=self.library)
            # a sanitized build wants to be first, and need not be
            environment["ASAN_OPTIONS"] = "verify_asan_link_order=0"
        # plug.so is loaded while a victim runs: its functions come later
        self.argv = [self.path, "--pending"] + arguments
        with open(self.file("sh"), "w") as file:
            file.write("".join("%s=%s " % (k, v) for k, v in
                               (death or {}).items())
                       + ("LD_PRELOAD=%s " % self.library if death else "")
                       + " ".join("'%s'" % a for a in self.argv) + "\n")
        with open(self.file("out"), "wb") as out, \
                open(self.file("err"), "wb") as err:
            self.popen = subprocess.Popen(
                self.argv,
                stdin=subprocess.PIPE if talks else subprocess.DEVNULL,
                stdout=out, stderr=subprocess.STDOUT if talks else err,
                env=environment, start_new_session=True)
        self.messages = self.file("out" if talks else "err")

    # ---- commands on its standard input ----

    def start_talking(self, arguments):
        self.start(arguments, talks=True)
        self.questions = self.heard = 0

    def tell(self, commands, answered=True):
        """Have commands done; what it said to them."""
        self.questions += 1
        mark = b"\n%d\n" % (MARK + self.questions)
        lines = list(commands)
        if answered:
            lines.append("evaluate %d" % (MARK + self.questions))
        with open(self.file("pt"), "a") as file:
            file.write("\n".join(lines) + "\n")
        try:
            self.popen.stdin.write(("\n".join(lines) + "\n").encode())
            self.popen.stdin.flush()
        except BrokenPipeError:
            pass
        if not answered:
            return ""

        def said():
            text = self.said()
            if mark in text:
                return text
            if self.popen.poll() is not None:
                raise Wrong("perftool ended with %d at '%s': %s" % (
                    self.popen.returncode, "; ".join(commands),
                    self.error_text().strip()[-600:]))
            return None

        text = wait_until(said, "perftool's answer to '%s'"
                          % "; ".join(commands), Wrong, self.limit)
        answer = text[:text.index(mark)]
        self.heard += len(answer) + len(mark) - 1
        return answer.decode(errors="replace")

    def said(self):
        """Since the last answer; a newline first."""
        with open(self.file("out"), "rb") as file:
            file.seek(self.heard)
            return b"\n" + file.read()

    @staticmethod
    def number_in(answer):
        """Of the breakpoint that was set."""
        found = re.search(r"^Breakpoint #(\d+)", answer, re.M)
        if not found:
            raise Wrong("no breakpoint was set: " + answer[-600:])
        return int(found.group(1))

    def error_text(self):
        with open(self.messages, errors="replace") as file:
            return file.read()

    def wait(self):
        try:
            return self.popen.wait(self.limit)
        except subprocess.TimeoutExpired:
            raise Wrong("perftool does not end within %d s%s: %s" % (
                self.limit, " of SIGINT" if self.asked else "",
                self.error_text().strip()[-600:]))
        finally:
            # how long it takes to let go is part of being unharmed
            if self.asked:
                self.took = time.monotonic() - self.asked

    def wait_marked(self, name):
        """False: it ended before."""
        wait_until(lambda: self.has_marked(name)
                   or self.popen.poll() is not None,
                   "perftool gets to '%s'" % name, Wrong)
        # a SIGINT amid the command `shell` would be the shell's
        wait_until(lambda: self.catches_interrupt()
                   or self.popen.poll() is not None,
                   "perftool goes on after '%s'" % name, Wrong)
        return self.has_marked(name)

    def catches_interrupt(self):
        try:
            with open("/proc/%d/status" % self.popen.pid) as file:
                caught = re.search(r"^SigCgt:\s*(\S+)", file.read(), re.M)
        except OSError:
            return False
        return int(caught.group(1), 16) >> (signal.SIGINT - 1) & 1

    def interrupt(self):
        self.popen.send_signal(signal.SIGINT)
        self.asked = time.monotonic()

    def kill(self):
        if self.popen and self.popen.poll() is None:
            self.popen.kill()
            self.popen.wait()

    def kill_within(self, seconds):
        """SIGKILL after a random while, unless it ends before."""
        try:
            self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
        return self.popen.returncode

    def expect_success(self, status):
        if status != 0:
            raise Wrong("perftool ended with %d: %s"
                        % (status, self.error_text().strip()[-600:]))

    def read_report(self):
        with open(self.report) as file:
            return json.load(file)


class Tables:
    """The JSON of a report: whole numbers by function."""

    def __init__(self, report):
        self.nodes, self.legs = report["nodes"], report["legs"]
        self.by_id = {n["id"]: n for n in self.nodes}

    def hits(self):
        return sum(int(n["count"]) for n in self.nodes)

    def node(self, function, kind):
        found = [n for n in self.nodes
                 if n["function"] == function and n["kind"] == kind]
        if len(found) != 1:
            raise Wrong("%d nodes at the %s of %s"
                        % (len(found), kind, function))
        return found[0]

    def count(self, function, kind):
        return int(self.node(function, kind)["count"])

    def leg(self, function):
        start = self.node(function, "entry")["id"]
        found = [l for l in self.legs if l["from"] == start]
        if len(found) != 1:
            raise Wrong("%d legs of %s" % (len(found), function))
        return found[0]

    def broken_rules(self, known=None):
        """The conservation rules, where they do not hold.

        known: by leg, how many hits of its nodes were before it was added, as
        found when it was first seen. A leg of a node that was deleted counts
        no more."""
        broken = []
        for leg in self.legs:
            if any(self.by_id[leg[x]]["deleted"] for x in ("from", "to")):
                continue
            start, end = (int(self.by_id[leg[x]]["count"])
                          for x in ("from", "to"))
            parts = {k: int(leg[k]) for k in ("count", "ignored_from",
                                              "unwound", "discarded", "open",
                                              "ignored_to")}
            before = (start - sum(parts.values()) + parts["ignored_to"],
                      end - parts["count"] - parts["ignored_to"])
            wanted = (0, 0) if known is None \
                else known.setdefault(leg["id"], before)
            if before != wanted or min(before) < 0:
                broken.append("leg %d: from %d to %d but %s, less %d and %d"
                              % ((leg["id"], start, end, parts) + wanted))
        return broken
