"""gdb_modules.py - are variables of other modules those that gdb finds?

usage: gdb_modules.py SCRATCH           as TAP

A program and its library are built in several ways, and stopped in either; gdb
and perftool print the same expressions of the same process, as gdb_print.py
has it.
"""

import os
import re
import signal
import sys

from gdb_print import ask_gdb, ask_perftool, run

LIBRARY = r"""
int shared_count = 7; /* the program has a copy */
int lib_only = 21;
int lib_list[] = {1, 2, 3, 4};
static int lib_static = 33;
static int of_both = 34;
__thread int lib_tls = 44;
const char lib_name[] = "library";
struct pair { int a, b; } lib_pair = {1, 2};
struct hidden { int inside; } lib_hidden = {5};
static __thread int lib_static_tls = 45;

int bump(void)
{
	shared_count++;
	lib_static_tls++;
	return shared_count + lib_static + of_both + lib_tls + /* here */
	       lib_static_tls + lib_only;
}
"""

PROGRAM = r"""
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

extern int shared_count, lib_list[];
extern __thread int lib_tls;
extern struct hidden lib_hidden;
extern int bump(void), other(void);
static int of_both = 35;

int main(void)
{
	extern char **environ;

	shared_count = 70;
	lib_tls = 55;
	fprintf(stdout, "%s\n", environ[0]);
	shared_count += bump() * 0 + lib_list[1] + other();
	errno = 17;
	return shared_count + (&lib_hidden == 0) + of_both; /* here */
}
"""

# a unit without debug information, and its variables
OTHER = r"""
int plain = 91;
static int plain_static = 92;
__thread int plain_tls = 93;

int other(void)
{
	return (plain + ++plain_static + ++plain_tls) * 0;
}
"""

EXPRESSIONS = """
stdout
stdout->_fileno
&stdout
*stderr
environ
environ[0]
__environ
optarg
&optarg
(char *) program_invocation_name
(long) timezone
errno
(int) errno
errno == 17
sizeof errno
shared_count
shared_count + 1
&shared_count
lib_only
&lib_only
lib_only * 2 == 42
lib_list
lib_list[2]
lib_static
'lib.c'::lib_static
of_both
lib_tls
lib_tls + 1
&lib_tls
lib_static_tls
lib_name
lib_pair
lib_pair.b
&lib_pair
lib_hidden
lib_hidden.inside
(struct pair) plain
sizeof(struct pair)
plain
(int) plain
(char) plain + 1
*(int *) &plain
&plain
sizeof(plain)
plain + 1
(int) plain_static
(int) plain_tls
nobody_has_this
_r_debug
&_r_debug
(long) _r_debug
bump
&bump
""".split("\n")[1:-1]

# the flags of the program, of the library, is libc's debug information hidden
BUILDS = [(["gcc"], ["gcc"], False),
          (["gcc", "-no-pie"], ["gcc"], False),
          (["clang"], ["clang"], False),
          (["gcc", "-O2"], ["clang", "-O2"], False),
          (["gcc", "-g0"], ["gcc"], False),
          (["gcc"], ["gcc", "-g0"], False),
          (["gcc"], ["gcc"], True)]
UNKNOWN = "has unknown type; cast it to its declared type"


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    return path


def build(base, program, library, hide):
    os.mkdir(base)
    flags = ["-g", "-w"]
    lib = write(base + "/lib.c", LIBRARY)
    main = write(base + "/main.c", PROGRAM)
    other = write(base + "/other.c", OTHER)
    text = run(library[:1] + flags + library[1:] + ["-shared", "-fPIC", lib,
               "-o", base + "/libx.so"])
    text += run(["gcc", "-c", "-fPIE", other, "-o", base + "/other.o"])
    words = program[:1] + flags + program[1:] + [
        main, base + "/other.o", base + "/libx.so", "-o", base + "/program",
        "-Wl,-rpath," + base]
    if hide:
        words += ["-Wl,--dynamic-linker=" + base + "/ld.so"]
        hide_debug_information("/lib64/ld-linux-x86-64.so.2", base + "/ld.so")
        libc = re.search(r"libc\.so\.6 => (\S+)",
                         run(["ldd", "/bin/sh"])).group(1)
        hide_debug_information(libc, base + "/libc.so.6")
    text += run(words)
    assert os.path.exists(base + "/program"), text
    return base + "/program"


def hide_debug_information(path, copy):
    """By another build id."""
    with open(path, "rb") as file:
        content = bytearray(file.read())
    at = content.find(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0")
    assert at > 0
    content[at + 16] ^= 0xff
    with open(copy, "wb") as file:
        file.write(content)
    os.chmod(copy, 0o755)


def plain(value):
    value = re.sub(r"@@?GLIBC[A-Z_0-9.]*", "", value)
    if UNKNOWN in value:
        return UNKNOWN
    # what other name it has
    value = re.sub(r" <_?_?(environ|progname\w*|timezone|"
                   r"program_invocation_name)>", "", value)
    return "ERROR" if value.startswith("ERROR") else value


def explained(expression, their, our):
    if "errno" in expression and UNKNOWN in their and our.isdigit():
        return "gdb does not know that it is an int"
    if their == "<optimized out>" and our.startswith("ERROR"):
        return "it is optimized out"
    if their == "<incomplete type>" and our == "{<No data fields>}":
        return "a structure of which nothing is known"
    if expression == "lib_list" and our == "{1, 2, 3, 4}":
        return "gdb does not ask the symbol how long it is"
    if "text variable, no debug info" in their and "(void *)" in our:
        return "a function without a type is its address here"
    return None


def main(scratch):
    number = failed = 0
    for index, (program, library, hide) in enumerate(BUILDS):
        base = "%s/modules%d" % (scratch, index)
        path = build(base, program, library, hide)
        for source in ("main.c", "lib.c"):
            if "-g0" in (library if source == "lib.c" else program):
                continue
            theirs, pid = ask_gdb(path, base + "/" + source, EXPRESSIONS,
                                  base + "/" + source)
            try:
                ours = ask_perftool(pid, EXPRESSIONS)
            finally:
                os.kill(pid, signal.SIGKILL)
            for expression, (_, their), our in zip(EXPRESSIONS, theirs, ours):
                name = "%s, %s%s: %s: %s" % (
                    " ".join(program), " ".join(library),
                    ", no debug information of libc" * hide, source,
                    expression)
                why = explained(expression, their, our)
                good = why or plain(their) == plain(our)
                number += 1
                failed += not good
                print("%s %d - %s%s" % ("ok" if good else "not ok", number,
                                        name, " (%s)" % why if why else ""))
                if not good:
                    print("#   gdb:      %s\n#   perftool: %s" % (their, our))
    print("1..%d" % number)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
