"""callers_callgrind.py - does $caller name the functions that callgrind names?

usage: callers_callgrind.py SCRATCH MODULE PATTERN PROGRAM...

Each function of the module that has a name, whose name matches the pattern (a
regular expression), and that callgrind sees called, gets a node whose hits are
split by $caller. Where callgrind sees a call, the function around the call is
found by the call frame information of the file. A function that is reached by a
tail jump is left out: callgrind counts the function that has jumped as the
caller, and perftool the function that the frame returns to. Startup is not the
same under valgrind, so what PROGRAM reads from its standard input is run once as
it is and once empty, and what the one has more than the other is compared.
"""

import collections
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fast_callgrind import SAME_FUNCTIONS, run  # noqa: E402
import json  # noqa: E402


class File:
    """The functions of a file: where they begin, where they end, their names."""

    def __init__(self, path):
        text = subprocess.run(["readelf", "-W", "--debug-dump=frames", path],
                              stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL).stdout
        self.ranges = sorted(
            (int(low, 16), int(high, 16)) for low, high
            in re.findall(r"FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)", text))
        self.names = collections.defaultdict(set)
        for table in "--syms", "--dyn-syms":
            text = subprocess.run(["readelf", "-W", table, path],
                                  stdout=subprocess.PIPE, text=True).stdout
            for line in text.splitlines():
                words = line.split()
                if len(words) > 7 and words[3] in ("FUNC", "IFUNC"):
                    self.names[int(words[1], 16)].add(
                        re.sub("@.*", "", words[7]))

    def start(self, address):
        for low, high in self.ranges:
            if low <= address < high:
                return low
        return None


def calls(path):
    """(file, address of the call, file and name of the callee) -> count"""
    here = there = callee = count = None
    made = collections.Counter()
    with open(path) as file:
        for line in file:
            kind, _, rest = line.rstrip("\n").partition("=")
            if kind == "ob":
                here = rest
            elif kind == "cob":
                there = rest
            elif kind == "cfn":
                callee = there or here, re.sub(r"'\d+$", "", rest)
                there = None
            elif kind == "calls":
                count = int(rest.split()[0])
            elif line.startswith("0x") and count:
                made[here, int(line.split()[0], 16), callee] += count
                count = None
    return made


def is_call(path, address, known={}):
    """Is there a call instruction, and no jump?"""
    if path not in known:
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path],
                              stdout=subprocess.PIPE, text=True).stdout
        known[path] = {int(at, 16) for at in re.findall(
            r"^ *([0-9a-f]+):\s+(?:\S+ )?call", text, re.M)}
    return address in known[path]


def under_callgrind(scratch, module, pattern, program, text):
    path = os.path.join(scratch, "callgrind.out")
    run(["valgrind", "--tool=callgrind", "-q", "--dump-instr=yes",
         "--dump-line=no", "--compress-strings=no", "--compress-pos=no",
         "--callgrind-out-file=" + path] + program, text)
    files, found, jumped = {}, collections.defaultdict(collections.Counter), set()
    for (there, address, (where, name)), count in calls(path).items():
        if os.path.basename(where) != module or name.startswith("0x") \
                or not re.search(pattern, name):
            continue
        if not os.path.exists(there):
            jumped.add(name)
            continue
        if there not in files:
            files[there] = File(there)
        start = files[there].start(address)
        if start is None or not is_call(there, address):
            jumped.add(name)
            continue
        found[name][os.path.basename(there), start] += count
    return found, jumped, files


def under_perftool(scratch, module, names, program, text):
    script = os.path.join(scratch, "script.pt")
    report = os.path.join(scratch, "report.json")
    with open(script, "w") as file:
        for name in names:
            file.write("break entry %s@%s if 1\n" % (name, module))
        file.write("collect nodes\n")
        for number in range(1, len(names) + 1):
            file.write("split node %d by=$caller\n" % number)
    run(["perftool", "-q", "-n", "-b", "-f", "json", "-o", report, "-x",
         script] + program, text)
    with open(report) as file:
        nodes = {node["id"]: node for node in json.load(file)["nodes"]}
    return {name: nodes[number] for number, name in enumerate(names, 1)}


def main(scratch, module, pattern, *program):
    text = sys.stdin.buffer.read()
    program = list(program)
    os.environ["GLIBC_TUNABLES"] = SAME_FUNCTIONS
    # A call that binds its function lazily has the run-time linker as caller.
    os.environ["LD_BIND_NOW"] = "1"
    theirs, jumped, files = under_callgrind(scratch, module, pattern, program,
                                            text)
    before, more, _ = under_callgrind(scratch, module, pattern, program, b"")
    names = sorted(set(theirs) - jumped - more)
    ours = under_perftool(scratch, module, names, program, text)
    ours_before = under_perftool(scratch, module, names, program, b"")
    by_name = {os.path.basename(path): file for path, file in files.items()}
    callers = total = 0
    for name in names:
        rows, past = (
            collections.Counter({row["value"]: row["count"]
                                 for row in run[name]["by"]["values"]})
            for run in (ours, ours_before))
        rows.subtract(past)
        for (where, start), count in sorted(theirs[name].items()):
            wanted = by_name[where].names[start] | {
                "%s+0x%x" % (where, start)}
            got = sum(rows.pop(label) for label in wanted & set(rows))
            count -= before[name][where, start]
            callers += 1
            total += got
            if got != count:
                print("wrong: %s by %s: callgrind %d, perftool %d" %
                      (name, "/".join(sorted(wanted)), count, got))
        for label, count in rows.items():
            if count:
                print("wrong: %s by %s: perftool alone, %d" %
                      (name, label, count))
    print("functions %d\ncallers %d\ncalls %d" % (len(names), callers, total))
    print("fast %d" % sum(n["mechanism"] == "fast" for n in ours.values()))


if __name__ == "__main__":
    main(*sys.argv[1:])
