"""profile_callgrind.py - does `profile functions` count what callgrind counts?

usage: profile_callgrind.py SCRATCH MODULE COMMANDS PROGRAM...

All functions of the module are counted, those that no symbol names too, after
COMMANDS of perftool. The comparison is that of fast_callgrind.py: how often the
first instruction of each function is executed, in what PROGRAM does with its
standard input more than with an empty one. (What callgrind itself calls a call
leaves out tail jumps to functions that no symbol names.)
"""

import collections
import json
import os
import re
import sys

import fast_callgrind


def under_perftool(scratch, module, commands, program, text):
    report = os.path.join(scratch, "functions.json")
    script = os.path.join(scratch, "script.pt")
    with open(script, "w") as file:
        file.write("%s\nprofile functions '*@%s'\nrun\nset format json\n"
                   "print functions > %s\n" % (commands, module, report))
    out = fast_callgrind.run(["perftool", "-q", "-n", "-b", "-x", script] +
                             program, text).stdout
    counts = collections.Counter()
    with open(report) as file:
        for function in json.load(file)["functions"]:
            counts[function["function"]] += function["calls"]
    return counts, out


def our_name(name, module):
    """The name that perftool has for a function of callgrind."""
    if name.startswith("0x"):
        return "%s+0x%x" % (module, int(name, 16))
    return re.sub("@.*", "", name)


def main(scratch, module, commands, *program):
    program = list(program)
    text = sys.stdin.buffer.read()
    os.environ["GLIBC_TUNABLES"] = fast_callgrind.SAME_FUNCTIONS
    theirs, printed = fast_callgrind.under_callgrind(scratch, module, program,
                                                     text)
    before, _ = fast_callgrind.under_callgrind(scratch, module, program, b"")
    ours, output = under_perftool(scratch, module, commands, program, text)
    ours_before, _ = under_perftool(scratch, module, commands, program, b"")
    total = same = 0
    for name in sorted(theirs):
        their = theirs[name] - before.get(name, 0)
        known = our_name(name, module)
        our = ours[known] - ours_before[known]
        total += their
        same += their == our
        if their != our:
            print("wrong: %s: callgrind %d, perftool %d" % (name, their, our))
    print("functions %d\nsame %d\ncalls %d" % (len(theirs), same, total))
    print("output %s" % ("same" if output == printed else "another"))


if __name__ == "__main__":
    main(*sys.argv[1:])
