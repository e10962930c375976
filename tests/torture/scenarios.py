"""scenarios.py - what a tool does while one of its system calls fails

A scenario runs perftool once, with the environment of fault.c, and judges what
came of it: Harm, if the program is not as it should be, or Wrong, if the tool
is. Otherwise the outcome is told in a word.
"""

import os
import re
import signal
import time

from counts import Follow, Trial
from tool import Tables, Tool
from victims import Harm, Victim, Wrong, wait_until

FUNCTIONS = ["f0", "f1", "f5", "f6"]
# jumps, an int3, a condition, a trace
SCRIPT = ["time " + " ".join(FUNCTIONS), "set mechanism int3", "time f9",
          "break f8 if 1", "set mechanism auto"]
TOOL_FAILED, NOT_EXECUTABLE, NOT_FOUND, SIGNAL = 125, 126, 127, 128
# Not those remarks that tell of no failure: children are not measured, or, on a
# busy machine, a breakpoint slows the program down.
MESSAGE = re.compile(r"^(?!process \d+ has \d+ child|"
                     r"breakpoint \d+ .* slows the program down)\S.*", re.M)


class Everything(Follow):
    """All that is forked and executed is followed."""

    def __init__(self):
        self.fork = self.exec = True


class Scenario:
    """What the ways have in common. `fault` is a struct of faults.py, or None
    for a run in which nothing fails."""

    def __init__(self, context, folder):
        self.context, self.folder = context, folder
        self.follow, self.functions = Everything(), FUNCTIONS + ["f9"]
        self.tool = Tool(context, folder, library="fault.so")
        self.trace = os.path.join(folder, "trace.csv")
        self.victim = None

    def options(self):
        return ["-q", "-n", "-b", "-f", "json", "-o", self.tool.report]

    def commands(self):
        return SCRIPT + ["trace " + self.trace]

    def close(self):
        self.tool.kill()
        if self.victim:
            self.victim.close()
            self.victim = None

    def killed(self):
        """The thread that fault.c has killed, or 0. Of a child, or of one of
        the program's own."""
        try:
            with open(os.path.join(self.folder, "fault")) as file:
                return int(file.read() or 0)
        except OSError:
            return 0

    # ---- judging ----

    def said(self):
        return MESSAGE.findall(self.tool.error_text())

    def judge_status(self, status, fault):
        """The status, and a word for it. What is not success has a message."""
        said = self.said()
        if status < 0:
            raise Wrong("perftool died of signal %d: %s"
                        % (-status, " | ".join(said)))
        # (SIGINT comes as soon as the victim is dead, perhaps before `continue`)
        if self.killed() and (status == SIGNAL + signal.SIGKILL
                              or status == SIGNAL + signal.SIGINT
                              and self.tool.asked
                              or status == 1 and self.victim["done"]):
            return "killed"
        if status == 0:
            return "told" if said else "silent"
        if status not in (TOOL_FAILED, NOT_EXECUTABLE, NOT_FOUND):
            raise Wrong("status %d: %s" % (status, " | ".join(said)))
        if not said:
            raise Wrong("status %d, and not a word" % status)
        if fault and not fault.kills and not any(
                re.search(fault.text, line) for line in said):
            raise Wrong("status %d, and not told why (%s): %s" % (
                status, fault.text, " | ".join(said)))
        return "failed"

    def judge_counts(self, bounds):
        """Success, and nothing was said to be missing: all is there."""
        Trial.compare(self, bounds)
        report = self.tool.read_report()
        wanted = sum(int(leg["count"]) for leg in Tables(report).legs)
        with open(self.trace) as file:
            rows = len(file.readlines()) - 1
        # what is attached to goes on while commands are executed
        if rows > wanted or (rows < wanted and isinstance(self, Launch)):
            raise Wrong("%d rows of a trace, not %d" % (rows, wanted))

    def judge_leftovers(self):
        """No process and no file that was not there."""
        wait_until(lambda: not self.session(), "processes left behind", limit=5)
        known = {"truth", "victim.log", "trace.csv", "sites", "fault",
                 "trace.csv.part", ".cache"}
        left = [name for name in os.listdir(self.folder)
                if name not in known and not name.startswith("tool.")]
        if left:
            raise Wrong("files left behind: " + " ".join(left))

    def session(self):
        """Processes of the tool's own session."""
        found = []
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                with open("/proc/%s/stat" % name) as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == self.tool.popen.pid and fields[0] not in "ZX":
                found.append(int(name))
        return found


class Launch(Scenario):
    """It starts the program, which forks and executes others."""

    features = ["worker=1", "timer", "fork", "spawn", "loader"]

    def run(self, environment, fault):
        self.victim = Victim(self.context.layout, self.folder, 1,
                             self.features, rounds=40)
        victim, tool = self.victim, self.tool
        victim["gate"] = 1
        script = tool.script(self.commands())
        try:
            tool.start(self.options() + ["-x", script, "--"] + victim.argv,
                       environment)
            status = tool.wait()
            if victim["bad"] and not self.killed():
                raise Harm("; ".join(victim.faults()) + ": "
                           + " | ".join(self.said()))
            word = self.judge_status(status, fault)
            if status == 0 and not victim["done"]:
                raise Harm("the victim did not come to its end: "
                           + tool.error_text()[-600:])
            if word == "silent":
                self.judge_counts(Trial.exact(self))
            if word == "failed" and victim["pid"] and not victim["done"]:
                word = "ended"  # with the program
            self.judge_leftovers()
        finally:
            self.close()
        return word


class Attach(Scenario):
    """It attaches to a program that goes on for ever."""

    features = ["worker=2", "timer", "fork"]
    attach = "attach %d"

    def run(self, environment, fault):
        victim, tool = self.victim, self.tool
        if not victim:
            victim = self.victim = Victim(
                self.context.layout, self.folder, 1, self.features, pace=300)
            victim.start()
            victim.check_clean()
        victim["gate"] = 1
        kinds = self.context.layout.kinds
        first = victim.all_calls(kinds)
        script = tool.script([self.attach % victim.pid] + self.commands()
                             + [tool.mark("attached"), "continue"])
        tool.start(self.options() + ["-x", script], environment)
        try:
            if tool.wait_marked("attached"):
                self.work_for_a_while()
                tool.interrupt()
            status = tool.wait()
            word = self.judge_status(status, fault)
            last = victim.all_calls(kinds)
            if self.killed():
                # itself, or a child, which it does not expect
                self.close()
            else:
                Trial.check_left_alone(self)
            if word == "silent":
                self.judge_counts(self.bounds(first, last))
            self.judge_leftovers()
        except (Harm, Wrong):
            self.close()
            raise
        return word

    def work_for_a_while(self):
        """Until so many calls more have begun, or the tool has ended."""
        enough = self.victim.entries() + 500
        wait_until(lambda: self.tool.popen.poll() is not None
                   or self.victim.entries() >= enough
                   or not self.victim.is_alive(), "work")

    def bounds(self, first, last):
        return Trial.between(self, first, last, first, last)


class Children(Attach):
    """It attaches to a program and to the children that it has."""

    features = ["worker=1", "prefork=2"]
    attach = "attach %d children"


SCENARIOS = {"launch": Launch, "attach": Attach, "children": Children}
