#!/usr/bin/python3
# tier: core full
# covers: doc command
"""The tables of doc/memo.md are tried, row by row.

A table with the columns "the memo", "typed here" and "answer" stands under a
block fenced as ```perftool: the commands that come before those of each of its
rows. `typed here' has commands, each in backquotes; they are typed in the order
in which they stand, in a session of their own. `answer' has texts, each in
backquotes, which must be in what these commands print, in this order; blanks
count as one. What follows a semicolon is a remark. A row without a command says
"Mesa's own:" and why.

WORDS is what the memo has, in its own order; each must be in the first column.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from fair_time import within

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("PERFTOOL_BUILD", os.path.join(ROOT, "build"))
LIMIT = 60  # seconds for one session
MARK = "424242"  # between the commands of the block and those of a row
HEADER = ["the memo", "typed here", "answer"]
REASON = "Mesa's own:"

WORDS = """
conditional breakpoint | from node | to node | number of times | histogram |
elapsed time | node table | 20 entries | NodeID | leg table | 41 entries | LegID |
linear | base | logarithmic | scale | 256 words | first variable | 16 bit unsigned |
16 buckets | ticks | 32 buckets | PerfTool Client | PerfPackage/l | window |
message subwindow | parameter subwindow | log subwindow | recursion | unwound |
tracked process | leg owner | last node encountered |
Monitor: {off, on} | Collect Nodes! | Initialize Tables! | Zero Tables! |
Condition Breaks! | the condition "1" | Print Tables! | Print Nodes! | Print Legs! |
↑DEL | Add Leg! | already in the leg table | From Node: | To Node: | wildcard |
Delete Leg! | Leg: | Add: {none, successor} | Add: none | Add: successor |
Track: {none, successor, all} | Track: none | Track: successor | Track: all |
Set Process! | octal ProcessHandle | List Processes | Process: |
Process: is empty | Add! | Delete! | Print! | Type: {node, leg} | Type: node |
Type: leg | Class: {linear, log} | Class: linear | Class: log | Histogram Node: |
Histogram Leg: | Buckets: | Scale: | power of two | Base: | default of Add |
default of Track | default of Set Process | default of Monitor | default of Type |
default of Class | default of Buckets | default of Scale | default of Base |
time base | 40 minutes | 340 minutes | ten microseconds | twenty-two bits |
sixteen bits | a * follows the count | ~ | seven pages | worry mode | Quit | Kill |
.bcd | interrupt | unconditional breakpoint |
Alto/Mesa Debugger 6.0 | You called? | SEt Root configuration: Mesa |
SEt Module context: SegmentsB | AllocatePages[140] | 37400B |
SEt Module context: Swapper | Break Entry procedure: AllocVM | Breakpoint #1. |
ATtach Condition #: 1, condition: pages = 1 | Break Xit procedure: AllocVM |
Breakpoint #2. | Performance Tool 6.0 | Conditionalized breaks | Collected nodes |
Leg from 1 to 2 added | N O D E T A B L E C O N T E N T S | Node Id |
Global Frame | Program Counter | Number of References | Config Name | Module Name |
Added Histogram for Node 1 | Added Histogram for Leg 0 | Proceed |
Total Elapsed Time of Measurements | Elapsed Time less PerfMonitor Overhead |
Total Overhead of PerfMonitor Breaks | Total number of Perf Breaks handled |
Average Overhead per Perf Break | % of Total Time spent in PerfMonitor |
1* | L E G T A B L E C O N T E N T S | Leg Id | From Node, To Node |
# of Times Referenced | Total Time sec.msec:usec | Average Time sec.msec:usec |
% of Time | 0* 1 -> 2 | Histogram for Node 1 | Sum of Values | Average Value |
Scale Factor | Value Count | Overflow | Histogram for Leg 0 | Scale Factor (2↑n)
"""


class Tap:
    tests = failed = 0

    def ok(self, passed, name, why=""):
        self.tests += 1
        self.failed += not passed
        print("%sok %d - %s" % ("" if passed else "not ", self.tests, name))
        if not passed:
            print("".join("#   %s\n" % line for line in why.splitlines()[:60]), end="")


def plain(text):
    """Without backquotes, and with single blanks."""
    return " ".join(text.replace("`", "").split())


def cells(line):
    """The cells of a row; `\\|' is part of one."""
    parts = re.split(r"(?<!\\)\|", line.strip()[1:-1])
    return [part.replace("\\|", "|").strip() for part in parts]


def spans(cell):
    """Texts in backquotes; two of them hold what has one itself."""
    return [(double or single).strip() for double, single in re.findall(r"``(.+?)``|`([^`]+)`", cell)]


def without_remark(cell):
    """Up to the first semicolon that is not in backquotes."""
    return re.match(r"(?:``.+?``|`[^`]+`|[^;`])*", cell).group()


def rows(path):
    """(line number, commands before it, cells) of each row, and what is amiss."""
    found, amiss, before, block, table = [], [], None, None, False
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if line.startswith("```"):
            if block is not None:
                before, block = block, None
            elif line == "```perftool":
                block = []
            else:
                amiss.append("%d: a block of another kind" % number)
        elif block is not None:
            block.append(line)
        elif not line.startswith("|"):
            table = False
        elif not table:
            table = True
            if cells(line) != HEADER:
                amiss.append("%d: the columns are not %s" % (number, HEADER))
            if before is None:
                amiss.append("%d: no block of commands before the table" % number)
        elif not re.fullmatch(r"[-|]+", line):
            found.append((number, before, cells(line)))
    return found, amiss


class Sessions:
    """Rows that type the same share a session."""

    def __init__(self):
        self.known = {}
        self.directory = tempfile.mkdtemp(prefix="perftool-docs.")
        os.symlink(BUILD, os.path.join(self.directory, "build"))
        os.symlink(os.path.join(ROOT, "samples"), os.path.join(self.directory, "samples"))
        self.env = {key: value for key, value in os.environ.items()
                    if key not in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "NO_COLOR")}
        self.env.update(HOME=self.directory, LC_ALL="C.UTF-8", PATH=BUILD + ":" + os.environ["PATH"])

    def output(self, before, typed):
        key = (tuple(before), tuple(typed))
        if key not in self.known:
            self.known[key] = self.run(before, typed)
        return self.known[key]

    def run(self, before, typed):
        """What the commands print; None: the first of them were not reached."""
        lines = before + ["evaluate " + MARK] + typed + ["quit"]
        options = [word for line in lines for word in ("-e", line)]
        command = ["perftool", "-n", "-b"] + options + ["build/samples/swapper"]
        run = subprocess.run(within(LIMIT, command), cwd=self.directory, env=self.env,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, check=False)
        said = run.stdout.decode("utf-8", "replace")
        return said.split(MARK + "\n", 1)[1] if MARK + "\n" in said else None

    def close(self):
        shutil.rmtree(self.directory)


def holds(output, wanted):
    """Are the texts in it, in this order?"""
    at = 0
    for text in wanted:
        found = output.find(plain(text), at)
        if found < 0:
            return False
        at = found + len(plain(text))
    return True


def try_row(tap, sessions, number, before, row):
    name = "doc/memo.md:%d: %s" % (number, plain(row[0]))
    if len(row) != len(HEADER):
        tap.ok(False, name, "it has %d cells" % len(row))
        return
    typed, wanted = spans(row[1]), spans(without_remark(row[2]))
    if not typed:
        reason = row[2].split(REASON, 1)
        tap.ok(len(reason) == 2 and len(reason[1].split()) >= 3, name,
               "neither a command nor a reason (%s why)" % REASON)
        return
    if not wanted or not all(wanted):
        tap.ok(False, name, "no text to look for in the answer")
        return
    output = sessions.output(before, typed)
    tap.ok(output is not None and holds(plain(output), wanted), name,
           "typed: %s\nwanted: %s\ngot:\n%s" % (typed, wanted, output))


def main():
    tap = Tap()
    path = os.path.join(ROOT, "doc", "memo.md")
    found, amiss = rows(path)
    for problem in amiss:
        tap.ok(False, problem)
    sessions = Sessions()
    few = os.environ.get("PERFTOOL_TIER") == "core"
    day = int(os.environ.get("PERFTOOL_SEED", time.strftime("%j")))
    for number, before, row in found:
        if few and (number + day) % 5:
            continue  # the tier core tries one row of five, others each day
        try_row(tap, sessions, number, before, row)
    sessions.close()
    memo = [plain(row[0]).lower() for _, _, row in found]
    for word in (plain(text) for text in WORDS.split("|")):
        tap.ok(any(word.lower() in text for text in memo), "the memo's `%s' is in a row" % word)
    print("1..%d" % tap.tests)
    return tap.failed != 0


if __name__ == "__main__":
    sys.exit(main())
