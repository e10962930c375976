"""gdb_print.py - is what `evaluate` writes what gdb's `print` writes?

usage: gdb_print.py SCRATCH PROGRAM...      as TAP
       gdb_print.py --write SCRATCH PROGRAM...   write the cases anew

A program is built by two compilers at four levels of optimization. gdb stops
it where its source says `here`, prints every expression, puts a jump to itself
there and lets the program go; so perftool finds the same process at the same
instruction, with every value and every address as it was.

The cases of PROGRAM.c are in PROGRAM.cases, three lines each: the type, as
gdb's `whatis` has it (`long or int` where versions of gdb differ), the expression,
and its value as gcc compiles it without optimization, with ADDRESS for addresses.
Any number of blank lines is between two cases.

gdb 13 cannot write the registers of a processor that has AMX, and so cannot
call functions there, which it does where a value must have an address: the
value is then what the case says.

clang 19 tells the length of an array of variable length, and whole arrays that
it keeps as numbers, less often than gdb takes them for told: gdb then fills in a
length of one, or zeros. lost_names() finds such names, and of them perftool must
not tell more than is known.

gdb 13 dies of some values of Rust that the compiler has left out. Such an
expression is asked of perftool alone, whose answer is then what the case says.

Where gdb and perftool both cannot tell a value, only that is compared. A case
whose value ends with `## REASON` says why gdb is wrong, or cannot tell: the
value is then what the language says, and only perftool must say so, too.
"""

import os
import pwd
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from fair_time import within

BUILDS = [(compiler, level) for level in ("-O0", "-O1", "-O2", "-Os")
          for compiler in ("gcc", "clang")]
COMPILERS = {(".c", "gcc"): ["gcc", "-std=gnu17"],
             (".c", "clang"): ["clang", "-std=gnu17"],
             (".cc", "gcc"): ["g++", "-std=gnu++17"],
             # it leaves out what it takes libstdc++ to have
             (".cc", "clang"): ["clang++", "-std=gnu++17",
                                "-fstandalone-debug"],
             # what rustc has made of it, see figures.rs
             (".rs", "gcc"): ["gcc"],
             (".rs", "rustc"): ["rustc", "-Cpanic=abort",
                                "-Coverflow-checks=off", "--emit=obj",
                                "--crate-type=staticlib"]}
RUST_LEVELS = {"-O0": "-Copt-level=0", "-O2": "-Copt-level=2"}
OUT = "<optimized out>"
# the address of what is nowhere in memory
NO_ADDRESS = re.compile(r"Can't take address of .* which isn't an lvalue|"
                        r"Attempt to take address of value not located|"
                        r"Address requested for identifier .* in register|"
                        r"is in a register and has no address")
NO_VARIANT = "ERROR Cannot access memory at address 0x0"
NO_PIECE = "<error reading variable: value has been optimized out>"
LIMIT = 60
WHY = "  ## "
DIES = "gdb dies of it"
NO_CALLS = "may-call-functions is off"
TOO_LARGE = "larger than the place that the debug information gives for it"
# what clang calls the length of the first array of variable length, and we `vla`
LENGTH = "__vla_expr0"

GDB = r"""
set style enabled off
set width 0
set breakpoint pending on
break {source}:{line}
run >/dev/null 2>&1 </dev/null
python
try:
    for _ in range(2):
        gdb.execute("set $xmm0.v4_int32[0] = ~$xmm0.v4_int32[0]")
except gdb.error:
    gdb.execute("set may-call-functions off")
answers = open("{answers}", "w", buffering=1) # what is there when it dies
answers.write("%d\n" % gdb.selected_inferior().pid)
for expression in open("{list}").read().splitlines():
    for command in ("whatis ", "print "):
        try:
            text = gdb.execute(command + expression, to_string=True).strip()
        except gdb.error as error:
            text = "ERROR " + str(error)
        answers.write(text.replace("\n", " ") + "\n")
end
set language c
set {{unsigned short}}$pc = 0xfeeb
detach
"""


def read_cases(path):
    """[(type, expression, value)]"""
    with open(path) as file:
        lines = [line.rstrip("\n") for line in file if line.strip()]
    assert len(lines) % 3 == 0, path + ": not three lines a case"
    return list(zip(lines[0::3], lines[1::3], lines[2::3]))


def run(command, **options):
    return subprocess.run(within(LIMIT, command), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="backslashreplace",
                          **options).stdout


def run_gdb(program, source, expressions, base):
    """(what gdb says, pid of the process, answers: two for an expression)"""
    with open(source) as file:
        line = [number for number, text in enumerate(file, 1)
                if "/* here */" in text][0]
    with open(base + ".list", "w") as file:
        file.write("\n".join(expressions) + "\n")
    with open(base + ".gdb", "w") as file:
        file.write(GDB.format(source=os.path.basename(source), line=line,
                              list=base + ".list", answers=base + ".answers"))
    # gdb leaves the process in an endless loop, and this test kills it later. If the
    # test dies first, the limit of 120 s of CPU time ends the process. A limit of
    # elapsed time would end it too early on a busy machine; so the alarm(2) of
    # figures.s is ignored.
    text = run(["env", "--ignore-signal=ALRM", "prlimit", "--cpu=120",
                "gdb", "-nx", "-batch", "-x", base + ".gdb", program],
               stdin=subprocess.DEVNULL)
    assert os.path.exists(base + ".answers"), text
    with open(base + ".answers") as file:
        answers = file.read().splitlines()
    os.remove(base + ".answers")
    return text, int(answers[0]), answers[1:]


def ask_gdb(program, source, expressions, base):
    """([(type, value)], pid of the process, which is left spinning)"""
    fatal = []
    while True:
        asked = [expression for expression in expressions
                 if expression not in fatal]
        text, pid, answers = run_gdb(program, source, asked, base)
        if len(answers) == 2 * len(asked):
            break
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        assert "internal" in text, text
        fatal.append(asked[len(answers) // 2])
    types = [re.sub(r"^type = ", "", answer) for answer in answers[0::2]]
    values = [re.sub(r"^\$\d+ = ", "", answer) for answer in answers[1::2]]
    told = dict(zip(asked, zip(types, values)))
    return [told.get(expression, (DIES, DIES)) for expression in expressions], \
        pid


def ask_perftool(pid, expressions):
    """The values. A command that fails ends a script: another goes on."""
    values = []
    while len(values) < len(expressions):
        script = "".join("evaluate %s\n" % expression
                         for expression in expressions[len(values):])
        got = subprocess.run(within(LIMIT, ["perftool", "-q", "-n", "-p", str(pid)]),
                             input=script, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE,
                             encoding="utf-8", errors="backslashreplace")
        values += got.stdout.splitlines()
        if len(values) < len(expressions):
            reason = re.search(r"^standard input:\d+: (.*)$", got.stderr, re.M)
            assert reason, got.stderr + got.stdout
            values.append("ERROR " + reason.group(1))
    return values


def gone(value):
    return (value == OUT or
            (value.startswith("ERROR") and "optimized out" in value) or
            NO_ADDRESS.search(value))


def lost_names(cases, theirs, ours, length):
    """The names of which gdb tells what the debug information does not.

    `length` is what gdb says of LENGTH.
    """
    lost = {expression for (_, expression, value), (_, their), our
            in zip(cases, theirs, ours)
            if expression.isidentifier() and TOO_LARGE in our
            and written(their) != value.partition(WHY)[0]}
    return lost | ({"vla"} if length == OUT else set())


def is_unknown(our):
    """Does perftool tell nothing of the value but its address?"""
    return our.startswith("ERROR") or re.fullmatch("0x[0-9a-f]+", our)


def explained(expression, value, their, our, lost):
    """Why gdb's answer is another, or None."""
    if is_unknown(our) and lost & set(re.findall(r"\w+", expression)):
        return "gdb fills in what the debug information does not tell"
    if expression.startswith("sizeof") and gone(their) and our == value:
        return "gdb evaluates what C only measures"
    if (": <synthetic pointer>" in their or their == "<synthetic pointer>") \
            and plain(their.replace("synthetic pointer", "optimized out")) \
            == plain(our):
        return "gdb takes a missing piece for a pointer that has no place"
    if their == NO_VARIANT and written(our) == value:
        return "gdb looks for its variant in memory, where it is not"
    if their == NO_PIECE and OUT in our:
        return "gdb writes none of it where a piece is missing"
    return None


def reasoned(their, our, value, reason):
    """(why gdb differs, what is wrong) of a case that gives a reason."""
    if plain(their) == plain(our):
        return reason, None  # it does not matter here
    if written(our) == value or gone(our):
        return reason, None
    return reason, "wanted:   %s\nperftool: %s" % (value, written(our))


def plain(value, ours=False):
    """What is compared of a value."""
    if gone(value):
        return OUT
    if value.startswith("ERROR"):
        return "ERROR"
    return value


def written(value):
    value = re.sub(r"0x[0-9a-f]{6,}", "ADDRESS", plain(value))
    # how far in its function the stop is, the compiler decides
    return re.sub(r"^(\((?:void \(\*\)\(|\*mut fn).* <.*\+)\d+>$", r"\1N>", value)


def has_rustc():
    # rustup keeps compilers in the user's own directory, which $HOME is not now
    own = os.path.join(pwd.getpwuid(os.getuid()).pw_dir, ".rustup")
    if os.path.isdir(own):
        os.environ.setdefault("RUSTUP_HOME", own)
    return shutil.which("rustc") and \
        subprocess.run(["rustc", "--version"], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL).returncode == 0


def builds(source):
    if not source.endswith(".rs"):
        return BUILDS
    if not has_rustc():
        print("# no rustc: of Rust only what it has compiled before")
        return [("gcc", "-O0")]
    return [("gcc", "-O0"), ("rustc", "-O0"), ("rustc", "-O2")]


def sampled(all_builds):
    """One of the builds in the tier core, another each day; else all."""
    if os.environ.get("PERFTOOL_TIER") != "core":
        return all_builds
    seed = os.environ.get("PERFTOOL_SEED", time.strftime("%j"))
    print("# one build of each program, PERFTOOL_SEED=" + seed)
    return random.Random(int(seed)).sample(all_builds, 1)


def compile_program(source, compiler, level, output):
    stem, extension = os.path.splitext(source)
    words = COMPILERS[extension, compiler] + ["-g"]
    if extension != ".rs":
        words += [level, "-w", source]
    elif compiler == "gcc":
        words += [stem + ".s"]
    else:
        run(words + [RUST_LEVELS[level], "--cap-lints=allow", source,
                     "-o", output + ".o"])
        words = ["gcc", output + ".o"]
    text = run(words + ["-o", output])
    assert os.path.exists(output), text


def compare(job):
    """[(name, what is wrong or None)] of one build."""
    scratch, source, cases, compiler, level = job
    stem = os.path.splitext(os.path.basename(source))[0]
    base = os.path.join(scratch, "%s-%s%s" % (stem, compiler, level))
    expressions = [expression for _, expression, _ in cases]
    compile_program(source, compiler, level, base)
    theirs, pid = ask_gdb(base, source, expressions + [LENGTH], base)
    length = theirs.pop()[1]
    try:
        ours = ask_perftool(pid, expressions)
    finally:
        os.kill(pid, signal.SIGKILL)
    lost = lost_names(cases, theirs, ours, length)
    results = []
    for (type_, expression, value), (their_type, their), our in zip(
            cases, theirs, ours):
        wrong = None
        value, _, reason = value.partition(WHY)
        why = explained(expression, value, their, our, lost)
        if NO_CALLS in their:
            reason = "gdb cannot call functions here"
        if their == DIES:
            reason = DIES
        if reason and not why:
            why, wrong = reasoned(their, our, value, reason)
        if why:
            expression += " (" + why + ")"
        elif plain(their) != plain(our, True):
            wrong = "gdb:      %s\nperftool: %s" % (their, our)
        elif (compiler, level) == ("gcc", "-O0") and written(their) != value:
            wrong = "is:     %s\nwanted: %s" % (written(their), value)
        elif (compiler, level) == ("gcc", "-O0") and \
                their_type not in type_.split(" or "):
            wrong = "type:   %s\nwanted: %s" % (their_type, type_)
        results.append(("%s %s: %s" % (compiler, level, expression), wrong))
    return results


def write_cases(scratch, source):
    """From the expressions that are there; gcc -O0 says the rest."""
    path = os.path.splitext(source)[0] + ".cases"
    before = read_cases(path)
    expressions = [expression for _, expression, _ in before]
    base = os.path.join(scratch, "written")
    compile_program(source, "gcc", "-O0", base)
    answers, pid = ask_gdb(base, source, expressions, base)
    os.kill(pid, signal.SIGKILL)
    with open(path, "w") as file:
        file.write("\n\n".join("\n".join(
            case if WHY in case[2] else (type_, case[1], written(value)))
                               for (type_, value), case
                               in zip(answers, before)) + "\n")


def main(arguments):
    if arguments[0] == "--write":
        for source in arguments[2:]:
            write_cases(arguments[1], source)
        return 0
    jobs = []
    for source in arguments[1:]:
        cases = read_cases(os.path.splitext(source)[0] + ".cases")
        jobs += [(arguments[0], source, cases, compiler, level)
                 for compiler, level in sampled(builds(source))]
    number = failed = 0
    with ThreadPoolExecutor(2) as pool:
        for results in pool.map(compare, jobs):
            for name, wrong in results:
                number += 1
                failed += wrong is not None
                # a number sign begins a directive
                print("%s %d - %s" % ("not ok" if wrong else "ok", number,
                                      name.replace("#", "\\#")))
                for line in (wrong or "").splitlines():
                    print("#   " + line)
    print("1..%d" % number)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
