#!/usr/bin/python3
# tier: core full
# covers: doc samples/labs
"""Every command block of README.md, doc/*.md and the pages of the labs is run, in order.

A block is fenced as ```console. A line "$ COMMAND" is a command, lines "> MORE"
go on with it, and what follows is what it prints, both streams. What differs
from run to run is not compared: addresses, times, percentages, the width of
columns, bars and spark lines. A line "..." stands for any lines. The blocks of a
document share one scratch directory, in which build/ and samples/ are those of
the project.

A block fenced as ```console 80 is what a user sees at a terminal of 80 columns and
24 rows: one shell there runs its commands, and lines "perftool> COMMAND" below one
of them are typed when perftool prompts. No line of such a block is longer than 80
characters. Which columns a table has there is not compared, nor how many rows the
histogram of a leg has: both depend on the times.

The tier core tries README.md and doc/start.md. FILEs given as arguments are tried
alone. With --rewrite, what was printed takes the
place of what the documents say, so that every figure in them was really seen, all
those of a block in one run.
"""
import fcntl
import glob
import os
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from fair_time import Limit, within

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("PERFTOOL_BUILD", os.path.join(ROOT, "build"))
LIMIT = 60  # seconds for one command
COLUMNS, ROWS = 80, 24
PROMPT = "perftool> "
OVER = "\x02"  # what the shell at a terminal prints when a command has ended

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
    # a statement so short that it has no time, in a table of statements
    (r" - +- +(?=[0-9]+  )", " TIME TIME "),
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


# At a terminal a table has the columns that there is room for; which those are
# depends on the width of figures.
BEFORE_AT_TERMINAL = [
    (r"( +(Min \.\. Max|Min|Mean|p[0-9.]+|Max|On CPU|Waiting))+$", " COLUMNS"),
    (r" +% of$", ""),
    (r"^On CPU, Waiting: not known.*", "On CPU, Waiting: not known"),
    (r"^(Average Value) +[0-9,]+$", r"\1 BIG"),
]
AFTER_AT_TERMINAL = [
    (r"\b(TIME|FRACTION)( (TIME|FRACTION|-)(?= |$))*", "TIME"),
    (r"^-( -)+$", "-"),
]

# Notes that a table has there or not, by its width and by how long things took.
NOTE = re.compile(r"^\(The terminal is too narrow|^% of Time above 100:|^\(threads, nested")

# How many rows the histogram of a leg's times has depends on the times.
HISTOGRAM_ROW = re.compile(r"^[0-9,]+( \.\.\.)?( +[0-9.,]+){3} +(< ?)?[0-9.]+[mun]?s\b")


def normal(line, at_terminal=False):
    before, after = (BEFORE_AT_TERMINAL, AFTER_AT_TERMINAL) if at_terminal else ([], [])
    for pattern, replacement in before + NORMAL + after:
        line = re.sub(pattern, replacement, line)
    return line.strip()


def items(lines, at_terminal):
    """(what is compared, [lines]): a line and the notes below it that are not
    compared, or the rows of a leg's histogram."""
    result = []
    for line in lines:
        if at_terminal and result and NOTE.match(line):
            result[-1][1].append(line)
            continue
        key = normal(line, at_terminal)
        if at_terminal and HISTOGRAM_ROW.match(line):
            key = "ROWS"
            if result and result[-1][0] == key:
                result[-1][1].append(line)
                continue
        result.append((key, [line]))
    return result


# What depends on the machine and not on what is shown.
EXCUSE = re.compile(r"^On CPU, Waiting: not known.*\n?.*(perf_event|context switches).*$")


# How slow int3s make a program depends on the machine. At a terminal the message
# has several lines.
SLOWS = re.compile(r"^breakpoint [0-9]+ \(.*\) slows the program down")


def without_slowness(lines, wanted):
    """Without the messages that int3s slow the program down, unless one is wanted."""
    result, inside = [], False
    if any(SLOWS.match(line) for line in wanted):
        return lines
    for line in lines:
        inside = inside or bool(SLOWS.match(line))
        if not inside:
            result.append(line)
        inside = inside and not line.endswith("need it")
    return result


def without_excuses(lines, wanted):
    """Without the note of a leg table, of one line or two, that the kernel does not
    tell, unless such a note is wanted."""
    result = list(lines)
    if any(line.startswith("On CPU, Waiting: not known") for line in wanted):
        return result
    for i in reversed(range(len(result))):
        for size in (1, 2):
            if result[i].startswith("On CPU, Waiting: not known") and EXCUSE.match("\n".join(result[i:i + size])):
                del result[i:i + size]
                break
    return result


def matches(wanted, got):
    """Lists of items; "..." in wanted matches any items, also none."""
    if not wanted:
        return not got
    if wanted[0][0] == "...":
        return any(matches(wanted[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and wanted[0][0] == got[0][0] and matches(wanted[1:], got[1:])


def rewritten(wanted, got):
    """The lines of `got` that match those of `wanted`; "..." stays."""
    if not wanted:
        return []
    if wanted[0][0] == "...":
        for i in range(len(got) + 1):
            if matches(wanted[1:], got[i:]):
                return wanted[0][1] + rewritten(wanted[1:], got[i:])
    return got[0][1] + rewritten(wanted[1:], got[1:])


def blocks(path):
    """(line number, [lines], at a terminal?) of each console block, and what is amiss."""
    found, amiss, lines, kind = [], [], [], None
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if line.startswith("```"):
            if kind is None:
                kind, start, lines = line[3:].strip(), number, []
            else:
                if kind in ("console", "console 80"):
                    found.append((start, lines, kind == "console 80"))
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


def run_alone(command, work, env):
    """The lines that the command prints, without a terminal."""
    run = subprocess.run(within(LIMIT, ["bash", "-c", command]), cwd=work, env=env,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False)
    ended = "" if run.returncode != 124 else "\n(not over after %d s)" % LIMIT
    if run.returncode < 0:
        ended = "\n(ended by signal %d)" % -run.returncode
    return (run.stdout.decode("utf-8", "replace") + ended).splitlines()


def take_terminal():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def run_at_terminal(pairs, work, env):
    """The lines that each command prints, at a terminal, in one shell."""
    script = "".join("%s\nprintf '\\002\\n'\n" % command for command, _ in pairs)
    typed = [line[len(PROMPT):] for _, wanted in pairs for line in wanted
             if line.startswith(PROMPT)]
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    env = {key: value for key, value in env.items() if key not in ("COLUMNS", "LINES")}
    shell = subprocess.Popen(["bash", "-c", script], cwd=work, env=dict(env, TERM="dumb"),
                             stdin=slave, stdout=slave, stderr=slave,
                             preexec_fn=take_terminal)
    os.close(slave)
    seen, answered = b"", 0
    limit = Limit(LIMIT)
    while not limit.is_over():
        if not select.select([master], [], [], 0.1)[0]:
            if shell.poll() is not None:
                break
            continue
        try:
            seen += os.read(master, 65536)
        except OSError:  # the last one has closed the terminal
            break
        if (b"\n" + seen).endswith(b"\n" + PROMPT.encode()) and len(seen) > answered:
            line = typed.pop(0).encode() + b"\n" if typed else b"\x04"
            os.write(master, line)
            answered = len(seen) + len(line)
    else:
        seen += b"\n(not over after %d s)\n" % LIMIT
        shell.kill()
    shell.wait()
    os.close(master)
    text = seen.decode("utf-8", "replace").replace("\r", "")
    # The status line is there for a moment, if something takes long, and then erased.
    text = re.sub(r"\x1b\[K[^\n\x1b]*(?=\x1b\[K)", "", text).replace("\x1b[K", "")
    texts = text.split(OVER + "\n")
    texts += [""] * len(pairs)
    return [text.splitlines() for text in texts[:len(pairs)]]


def cannot_watch(command):
    """Does the command watch memory, on a processor that does not report it? (On a
    virtual machine this depends on the hypervisor.)"""
    return "-e 'watch " in command and subprocess.call(
        [os.path.join(BUILD, "tests", "programs", "watchable")]) == 1


def is_of_other_python(command):
    """Does the command read the interpreter's memory as it is in Python 3.11, and
    is the system's Python another version?"""
    return "-x names.pt" in command and subprocess.call(
        ["/usr/bin/python3", "-c", "import sys; sys.exit(sys.version_info[:2] != (3, 11))"]) != 0


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
    # Servers of other tests are not listed.
    run = os.path.join(scratch, "run")
    os.mkdir(run, 0o700)
    env.update(HOME=home, LC_ALL="C.UTF-8", PATH=BUILD + ":" + os.environ["PATH"],
               XDG_RUNTIME_DIR=run)
    for problem in amiss:
        tap.ok(False, problem)
    replacements = []
    for start, lines, at_terminal in found:
        pairs = commands(lines)
        if at_terminal:
            printed = run_at_terminal(pairs, work, env)
        for i, (command, wanted) in enumerate(pairs):
            if cannot_watch(command):
                tap.ok(True, "%s:%d # SKIP the processor does not report "
                       "what it watches" % (name, start))
                continue
            if is_of_other_python(command):
                tap.ok(True, "%s:%d # SKIP it is for Python 3.11" % (name, start))
                continue
            got = printed[i] if at_terminal else run_alone(command, work, env)
            got = without_slowness(without_excuses(got, wanted), wanted)
            while got and not got[-1].strip():
                got.pop()
            while wanted and not wanted[-1].strip():
                wanted.pop()
            compared = items(wanted, at_terminal), items(got, at_terminal)
            passed = matches(*compared)
            if wanted and passed:
                replacements.append((command, wanted, rewritten(*compared)))
            tap.ok(passed, "%s:%d: %s" % (name, start, command.split("\n")[0]),
                   "got:\n" + "\n".join(got) + "\nwanted:\n" + "\n".join(wanted))
        if at_terminal:
            wide = [line for line in lines if len(line) > COLUMNS]
            tap.ok(not wide, "%s:%d: no line has more than %d characters" % (name, start, COLUMNS),
                   "\n".join(wide))
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
    rows.add(normal("0*  1 -> 2  3,540  9:999  8:888  0.20  17ns  3.1us"))
    columns = {normal("Id Name Referenced Time Time" + more, True)
               for more in ("  p50  p99  Max", "  Min  p50  p99  Max  On CPU", " p50 Max On CPU  Waiting")}
    tap.ok(len(columns) == 1, "heads that differ only in the columns there is room for are equal", "\n".join(columns))
    tap.ok(len(rows) == 1, "rows that differ only in the width of figures are equal", "\n".join(sorted(rows)))


def all_documents():
    """What a newcomer reads first; all but in the tier core, the rest, too."""
    first = [os.path.join(ROOT, "README.md"), os.path.join(ROOT, "doc", "start.md")]
    if os.environ.get("PERFTOOL_TIER") == "core":
        return first
    return first + sorted(set(glob.glob(os.path.join(ROOT, "doc", "*.md"))) - set(first)) + sorted(
        glob.glob(os.path.join(ROOT, "samples", "labs", "**", "*.md"), recursive=True))


def main():
    tap = Tap()
    check_figures(tap)
    count = 0
    documents = [argument for argument in sys.argv[1:] if argument != "--rewrite"]
    for path in documents or all_documents():
        count += run_document(tap, path, "--rewrite" in sys.argv[1:])
    tap.ok(count > 0, "the documents have command blocks")
    print("1..%d" % tap.tests)
    return tap.failed != 0


if __name__ == "__main__":
    sys.exit(main())
