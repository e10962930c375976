#!/usr/bin/python3
"""Every command block of README.md and doc/*.md is run, in order.

A block is fenced as ```console. A line "$ COMMAND" is a command, lines "> MORE"
go on with it, and what follows is what it prints, both streams. What differs
from run to run is not compared: addresses, times, percentages, the width of
columns, bars and spark lines. A line "..." stands for any lines. The blocks of a document
share one scratch directory, in which build/ and samples/ are those of the
project.

With --rewrite, what was printed takes the place of what the documents say, so
that every figure in them was really seen, all those of a block in one run.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("PERFTOOL_BUILD", os.path.join(ROOT, "build"))
LIMIT = 60  # seconds for one command

NORMAL = [
    (r"\x1b\[[0-9;]*m", ""),
    (r"0x[0-9a-f]+", "ADDRESS"),
    (r"\b(tsc|monotonic_raw)\b", "CLOCK"),
    (r"CLOCK \(.*\)(?=, resolution)", "CLOCK"),
    (r"\b[0-9.,]+(ns|us|ms|s)\b", "TIME"),
    (r"\b[0-9.,]*[0-9]:[0-9]{3}\b", "TIME"),
    # below the resolution there is no figure, or a bound; compensated ones may
    # be below 0
    (r"(?<= )-(?=TIME)", ""),
    (r"< ?TIME", "TIME"),
    (r" - +(?=TIME)", " TIME "),
    (r"\b[0-9]+(\.[0-9]+)? (us|ms|s)\b", "DURATION"),
    (r"\b[0-9]{1,3}(,[0-9]{3})*\.[0-9]+\b|\b[0-9]+\.[0-9]+\b", "FRACTION"),
    (r"(?<= )-(?=FRACTION)", ""),
    (r"< ?FRACTION", "FRACTION"),
    (r"\b[0-9]{1,3}(,[0-9]{3}){2,}\b", "BIG"),
    (r"\b(process|thread|pid|tid|Process|Thread) [0-9]+", r"\1 ID"),
    (r" \((TIME)\)", ""),
    # where the kernel does not tell of context switches, cells are empty
    (r"\bTIME( +TIME)+\b", "TIME"),
    (r"#{2,}|(?<= )#$", ""),
    (r"[\u2581-\u2588][\u2581-\u2588 ]*$", ""),
    (r"-{2,}", "-"),
    (r"[ \t]+", " "),
]


def normal(line):
    for pattern, replacement in NORMAL:
        line = re.sub(pattern, replacement, line)
    return line.strip()


# What depends on the machine and not on what is shown.
EXCUSE = re.compile(r"^On CPU, Waiting: not known.*\n?.*(perf_event|context switches).*$")


def without_excuses(lines):
    """The note of a leg table, of one line or two, that the kernel does not tell."""
    result = list(lines)
    for i in reversed(range(len(result))):
        for size in (1, 2):
            if result[i].startswith("On CPU, Waiting: not known") and EXCUSE.match("\n".join(result[i:i + size])):
                del result[i:i + size]
                break
    return result


def matches(wanted, got):
    """Lists of lines; "..." in wanted matches any lines, also none."""
    if not wanted:
        return not got
    if wanted[0].strip() == "...":
        return any(matches(wanted[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and normal(wanted[0]) == normal(got[0]) and matches(wanted[1:], got[1:])


def rewritten(wanted, got):
    """`wanted` with the lines of `got` that match it; "..." stays."""
    if not wanted:
        return []
    if wanted[0].strip() == "...":
        for i in range(len(got) + 1):
            if matches(wanted[1:], got[i:]):
                return [wanted[0]] + rewritten(wanted[1:], got[i:])
    return [got[0]] + rewritten(wanted[1:], got[1:])


def blocks(path):
    """(line number, [lines]) of each console block, and what is amiss."""
    found, amiss, lines, kind = [], [], [], None
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if line.startswith("```"):
            if kind is None:
                kind, start, lines = line[3:].strip(), number, []
            else:
                if kind == "console":
                    found.append((start, lines))
                elif any(text.startswith("$ ") for text in lines):
                    amiss.append("%s:%d: commands outside of a console block" % (path, start))
                kind = None
        elif kind is not None:
            lines.append(line)
    if kind is not None:
        amiss.append("%s: a block is not closed" % path)
    return found, amiss


def commands(lines):
    """[command, [lines of output]] of a block."""
    result = []
    for line in lines:
        if line.startswith("$ "):
            result.append([line[2:], []])
        elif line.startswith("> ") and result and not result[-1][1]:
            result[-1][0] += "\n" + line[2:]
        elif line == ">" and result and not result[-1][1]:
            result[-1][0] += "\n"
        elif result:
            result[-1][1].append(line)
    return result


class Tap:
    tests = failed = 0

    def ok(self, passed, name, why=""):
        self.tests += 1
        self.failed += not passed
        print("%sok %d - %s" % ("" if passed else "not ", self.tests, name))
        if not passed:
            print("".join("#   %s\n" % line for line in why.splitlines()[:80]), end="")


def rewrite(path, replacements):
    """Each: the lines of one command's output, and what to put there."""
    text = open(path, encoding="utf-8").read()
    for command, wanted, new in replacements:
        head = "$ " + command.replace("\n", "\n> ") + "\n"
        head = head.replace("\n> \n", "\n>\n")
        old = head + "".join(line + "\n" for line in wanted)
        assert text.count(old) == 1, (path, command)
        text = text.replace(old, head + "".join(line + "\n" for line in new))
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def run_document(tap, path, rewriting):
    name = os.path.relpath(path, ROOT)
    found, amiss = blocks(path)
    scratch = tempfile.mkdtemp(prefix="perftool-docs.")
    home = os.path.join(scratch, "home")
    work = os.path.join(scratch, "work")
    os.mkdir(home)
    os.mkdir(work)
    os.symlink(BUILD, os.path.join(work, "build"))
    os.symlink(os.path.join(ROOT, "samples"), os.path.join(work, "samples"))
    env = {key: value for key, value in os.environ.items()
           if key not in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "NO_COLOR")}
    env.update(HOME=home, LC_ALL="C.UTF-8", PATH=BUILD + ":" + os.environ["PATH"])
    for problem in amiss:
        tap.ok(False, problem)
    replacements = []
    for start, lines in found:
        for command, wanted in commands(lines):
            try:
                run = subprocess.run(["bash", "-c", command], cwd=work, env=env,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
                got = run.stdout.decode("utf-8", "replace").splitlines()
            except subprocess.TimeoutExpired:
                got = ["(not over after %d s)" % LIMIT]
            got = without_excuses(got)
            while got and not got[-1].strip():
                got.pop()
            while wanted and not wanted[-1].strip():
                wanted.pop()
            if wanted and matches(wanted, got):
                replacements.append((command, wanted, rewritten(wanted, got)))
            tap.ok(matches(wanted, got), "%s:%d: %s" % (name, start, command.split("\n")[0]),
                   "got:\n" + "\n".join(got) + "\nwanted:\n" + "\n".join(wanted))
    shutil.rmtree(scratch)
    if rewriting:
        rewrite(path, replacements)
    return len(found)


def memo_time(ns):
    us = ns // 1000
    text = "%d:%03d" % (us // 1000 % 1000, us % 1000)
    return "%d.%03d:%03d" % (us // 1000000, us // 1000 % 1000, us % 1000) if us >= 1000000 else text


def duration(ns):
    for size, unit in ((1, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s")):
        if ns < 999.5 * size:
            break
    return "%.2f%s" % (ns / size, unit)


def check_figures(tap):
    """Rows that differ in their figures alone are the same, however wide those are."""
    rows = set()
    for digits in range(13):
        for ns in (10 ** digits, 10 ** digits * 7 // 3, 10 ** (digits + 1) - 1):
            percent = "%.2f" % (ns / 1e9)
            for sign in ("", "< "):
                cells = [sign + memo_time(ns), sign + memo_time(ns // 7), sign + percent, "",
                         sign + duration(ns), sign + duration(ns / 7)]
                rows.add(normal("0*  1 -> 2  3,540   " + "  ".join(cells)))
                rows.add(normal("0*       1 -> 2          3,540  "
                                + "  ".join(cell.rjust(14) for cell in cells)))
            rows.add(normal("0*  1 -> 2  3,540  -0:001  -0:001  -0.02    -3.1us  -17ns"))
    tap.ok(len(rows) == 1, "the width of figures does not matter", "\n".join(sorted(rows)))


def main():
    tap = Tap()
    check_figures(tap)
    count = 0
    for path in [os.path.join(ROOT, "README.md")] + sorted(glob.glob(os.path.join(ROOT, "doc", "*.md"))):
        count += run_document(tap, path, "--rewrite" in sys.argv[1:])
    tap.ok(count > 0, "there are blocks to run")
    print("1..%d" % tap.tests)
    return tap.failed != 0


if __name__ == "__main__":
    sys.exit(main())
