"""fast_callgrind.py - do fast nodes count what callgrind counts?

usage: fast_callgrind.py SCRATCH MODULE PATTERN PROGRAM...

Each function of the module that callgrind sees called, and whose name matches
the pattern (a regular expression), gets a fast node of its own: be it one that
no symbol names. How often is its first instruction executed? Startup is not
the same under valgrind (there is more in the environment), so what PROGRAM
reads from its standard input is run once as it is and once empty, and what the
one has more than the other is compared.
"""

import collections
import hashlib
import json
import os
import pickle
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from fair_time import within

# The C library chooses its string functions by what the processor can do and by
# what it knows of the processor's maker and model. Valgrind shows the program a
# processor of its own, an Intel without AVX-512, whatever the machine has. So
# all features and all preferences that decide are switched off, and both runs
# choose the functions that every x86-64 processor can execute.
FEATURES = ("AVX512F AVX512VL AVX512BW AVX2 AVX ERMS FSRM RTM BMI1 BMI2 LZCNT "
            "SSE4_2 SSE4_1 SSSE3 MOVBE")
PREFERENCES = ("AVX_Fast_Unaligned_Load Avoid_Short_Distance_REP_MOVSB "
               "Fast_Copy_Backward Fast_Rep_String Fast_Unaligned_Copy "
               "Fast_Unaligned_Load Prefer_ERMS Prefer_FSRM "
               "Prefer_No_AVX512_Probing Prefer_No_VZEROUPPER "
               "Prefer_PMINUB_for_stringop Slow_BSF Slow_SSE4_2")
SAME_FUNCTIONS = "glibc.cpu.hwcaps=" + ",".join(
    "-" + name for name in (FEATURES + " " + PREFERENCES).split())
LIMIT = 60


def run(command, text):
    return subprocess.run(within(LIMIT, command), input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)


def entries(path, module):
    """How often the first instruction of each function that was called was
    executed: a loop may begin there."""
    executed, first = collections.Counter(), {}
    here = there = callee = None
    skip = False
    seen = set()  # where it jumps to another function it says it twice
    with open(path) as file:
        for line in file:
            kind, _, rest = line.rstrip("\n").partition("=")
            if kind == "fn":
                seen = set()
            elif kind == "ob":
                here = rest
            elif kind == "cob":
                there = rest
            elif kind == "cfn":
                # of recursive calls it tells by a name of their own
                callee = there or here, re.sub(r"'\d+$", "", rest)
                there = None
            elif kind == "calls":
                first[callee] = int(rest.split()[1], 16)
                skip = True  # what the call cost
            elif line.startswith("0x") and not skip:
                address, count = line.split()[:2]
                if address not in seen:
                    executed[here, int(address, 16)] += int(count)
                seen.add(address)
            elif line.startswith("0x"):
                skip = False
    return {name: executed[path, address]
            for (path, name), address in first.items()
            if os.path.basename(path) == module}


def under_callgrind(scratch, module, program, text):
    """The same program with the same input is executed once for each test."""
    key = hashlib.sha256(repr((module, program, text)).encode()).hexdigest()
    known = os.path.join(scratch, "callgrind." + key)
    if not os.path.exists(known):
        result = execute_under_callgrind(scratch, module, program, text)
        with open(known, "wb") as file:
            pickle.dump(result, file)
    with open(known, "rb") as file:
        return pickle.load(file)


def execute_under_callgrind(scratch, module, program, text):
    path = os.path.join(scratch, "callgrind.out")
    out = run(["valgrind", "--tool=callgrind", "-q", "--dump-instr=yes",
               "--dump-line=no", "--compress-strings=no", "--compress-pos=no",
               "--callgrind-out-file=" + path] + program, text).stdout
    return entries(path, module), out


def place(name, module):
    if name.startswith("0x"):
        return "*%s@%s" % (name, module)
    return "entry %s@%s" % (re.sub("@.*", "", name), module)


def under_perftool(scratch, module, names, program, text):
    script = os.path.join(scratch, "script.pt")
    report = os.path.join(scratch, "report.json")
    with open(script, "w") as file:
        file.write("set mechanism fast\n")
        for name in names:
            file.write("break %s if 1\n" % place(name, module))
        file.write("monitor on\n")
    out = run(["perftool", "-q", "-n", "-b", "-f", "json", "-o", report, "-x",
               script] + program, text).stdout
    with open(report) as file:
        nodes = {node["id"]: node for node in json.load(file)["nodes"]}
    found = {name: nodes[number] for number, name in enumerate(names, 1)
             if number in nodes}
    return ({name: node["count"] for name, node in found.items()},
            sum(node["mechanism"] == "fast" for node in found.values()), out)


def main(scratch, module, pattern, *program):
    program = list(program)
    text = sys.stdin.buffer.read()
    os.environ["GLIBC_TUNABLES"] = SAME_FUNCTIONS
    theirs, printed = under_callgrind(scratch, module, program, text)
    before, _ = under_callgrind(scratch, module, program, b"")
    names = sorted(name for name in theirs if re.search(pattern, name))
    ours, fast, output = under_perftool(scratch, module, names, program, text)
    ours_before, _, _ = under_perftool(scratch, module, names, program, b"")
    total = 0
    for name in names:
        their = theirs[name] - before.get(name, 0)
        our = ours.get(name, 0) - ours_before.get(name, 0)
        total += their
        if their != our:
            print("wrong: %s: callgrind %d, perftool %d" % (name, their, our))
    print("functions %d\nfast %d\ncalls %d" % (len(names), fast, total))
    print("output %s" % ("same" if output == printed else "another"))


if __name__ == "__main__":
    main(*sys.argv[1:])
