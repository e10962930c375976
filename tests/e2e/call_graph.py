#!/usr/bin/python3
"""Compares listings of a call graph with what tests/programs/callers says of its calls.

usage: call_graph.py TOLD LISTING...

TOLD has lines "CALLER CALLEE COUNT". A listing is that of `print graph`, or of `gprof -b -q`.
Functions besides those of the program (f0 to f11, main) are passed over. Prints what differs, and
fails if something does.
"""
import collections
import re
import sys

NAME = re.compile(r"\b(f\d+|main)\b(?: \(\S+\))?(?: <cycle (\d+)>)? \[\d+\]$")
COUNT = re.compile(r"(?:^| )(\d+)(?:([/+])(\d+))? +(?=f\d|main)")
TIMES = re.compile(r"-?\d+\.\d\d")
BOUND = re.compile(r" <\d+\.\d\d ")


class Entry:
    def __init__(self):
        self.called = self.recursive = 0
        self.cycle = None
        self.parents, self.children = {}, {}
        self.times = None  # self and descendants
        self.parent_times = []
        self.is_known = True  # no time is an upper bound only


def read(path):
    """The entries by name."""
    entries = collections.defaultdict(Entry)
    block, listing = [], open(path).read().split("Flat profile")[0]
    for line in listing.splitlines():
        if not line.startswith("-----"):
            block.append(line.rstrip())
            continue
        read_block(block, entries)
        block = []
    return entries


def read_block(block, entries):
    own = next((i for i, line in enumerate(block) if line.startswith("[")), None)
    name = NAME.search(block[own]) if own is not None else None
    if not name:
        return
    entry = entries[name[1]]
    entry.cycle = name[2]
    entry.times = [float(time) for time in TIMES.findall(block[own])][:2]
    entry.is_known = not any(BOUND.search(line) for line in block[: own + 1])
    count = COUNT.search(block[own])
    if count:
        entry.called = int(count[1])
        entry.recursive = int(count[3]) if count[2] else 0
    for i, line in enumerate(block):
        other, count = NAME.search(line), COUNT.search(line)
        if i < own:
            times = [float(time) for time in TIMES.findall(line)]
            entry.parent_times.append(times or [0.0, 0.0])
        if i != own and other and count:
            side = entry.parents if i < own else entry.children
            side[other[1]] = int(count[1])


def expected(path):
    parents, children = collections.defaultdict(dict), collections.defaultdict(dict)
    for line in open(path):
        caller, callee, count = line.split()
        parents[callee][caller] = children[caller][callee] = int(count)
    return parents, children


def leads(children, origin):
    """The functions that a function leads to by one call or more."""
    found, left = set(), list(children.get(origin, ()))
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += children.get(name, ())
    return found


def differences(path, told):
    parents, children = expected(told)
    entries = read(path)
    for name in sorted(set(parents) | set(children) - {"main"}):
        entry, others = entries[name], set(entries) - {name}
        own = parents[name].get(name, 0)
        if (entry.called, entry.recursive) != (sum(parents[name].values()) - own, own):
            yield f"{name}: called {entry.called}+{entry.recursive}"
        if entry.parents != parents[name]:
            yield f"{name}: parents {entry.parents}, not {parents[name]}"
        if entry.children != children[name]:
            yield f"{name}: children {entry.children}, not {children[name]}"
        cycle = {other for other in leads(children, name) & others if name in leads(children, other)}
        listed = {other for other in others if entry.cycle and entries[other].cycle == entry.cycle}
        if cycle != listed:
            yield f"{name}: in a cycle with {listed}, not {cycle}"
        if not entry.is_known:
            continue
        # each line is rounded to a hundredth
        total = sum(sum(times) for times in entry.parent_times)
        if not entry.cycle and abs(total - sum(entry.times)) > 0.011 * (len(entry.parent_times) + 1):
            yield f"{name}: the parents have {total:.2f}, the entry {sum(entry.times):.2f}"


def main():
    wrong = [f"{path}: {what}" for path in sys.argv[2:] for what in differences(path, sys.argv[1])]
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
