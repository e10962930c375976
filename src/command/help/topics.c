/*
 * topics.c - see topics.h. This file is the text of the topics.
 */
#include "topics.h"

#include <stddef.h>

const struct topic topics[] = {
	{"start", "the first five minutes",
	 "Time one function, then run the program and look at the tables:\n"
	 "    time parse\n"
	 "    run\n"
	 "    print tables\n"
	 "Time the code from one place to another: two breakpoints with a "
	 "condition are nodes, and a leg goes from one to the other.\n"
	 "    break entry begin if 1\n"
	 "    break entry finish if 1\n"
	 "    add leg 1 2\n"
	 "    monitor on\n"
	 "    run\n"
	 "    print legs\n"
	 "`attach PID' measures a process that runs already, `continue for "
	 "10s' "
	 "measures for so long, and `detach' lets it go.",
	 NULL},
	{"look", "where should I look, if I know no name yet",
	 "`top' shows within ten seconds which functions use the CPU, and the "
	 "commands that would time them. The Spy shows which procedure "
	 "contains the calls of which; it also watches page faults, "
	 "allocations, mappings, and what one thread waits for. `profile "
	 "calls' counts and times all calls.\n"
	 "    top\n"
	 "    spy on\n"
	 "    continue for 10s\n"
	 "    spy display\n"
	 "Outside of the prompt, `perftool top -p PID' and `perftool top "
	 "PROGRAM' do the first of these.",
	 "spy"},
	{"node", "a place where hits are counted",
	 "A node is a breakpoint with a condition that has been entered in the "
	 "node table: by `collect nodes', by `add leg', or when it is reached "
	 "first. Its number is that of the breakpoint. While the monitor is "
	 "on, the node counts and never stops the program.\n"
	 "    break entry parse if 1\n"
	 "    collect nodes",
	 "node"},
	{"leg", "the code from one node to another",
	 "A leg goes from one node to another one, or to the same. It counts "
	 "how "
	 "often the code between them was executed, and how long that took. "
	 "Each thread has its own start, unless owner= or key= says otherwise; "
	 "match= says what a second start before the end means.\n"
	 "    add leg 1 2\n"
	 "    time parse",
	 "leg"},
	{"histogram", "how values or times are distributed",
	 "A histogram belongs to a node, and counts a value there, or to a "
	 "leg, "
	 "and counts its time. The classes are linear (buckets of one width), "
	 "log (powers of two) and hdr (each value within 1 %). `time' gives "
	 "each of its legs an hdr one, of which `print tables' has a line.\n"
	 "    add histogram node 1 linear value=size scale=64\n"
	 "    add histogram leg 0 log\n"
	 "    print histogram leg 0",
	 "histogram"},
	{"expressions", "what conditions and values may contain",
	 "Expressions are C's, without side effects, with the program's own "
	 "types: variables, members, elements, casts, sizeof and all "
	 "operators. $arg1 to $arg6 are arguments where a function begins, "
	 "also without debug information; $ret is what it returns, at its end. "
	 "$rax and so on are registers, $pid and $tid are the process and the "
	 "thread, $g is the goroutine of a Go program, $node(N) is how often "
	 "node N was reached, $caller is the function that has called the "
	 "function of the place, and compares with a string.\n"
	 "    break entry parse if depth > 3 && name == \"root\"\n"
	 "    break entry parse if $caller == \"load\"\n"
	 "    evaluate list->head.name",
	 NULL},
	{"conditions", "which hits count",
	 "A node counts a hit when its condition is true: with 1, always. A "
	 "condition that cannot be evaluated is an error of the node, and the "
	 "hit does not count. A condition of `attach condition' works as in "
	 "the Mesa memo: it filters nothing, and only names the variable that "
	 "a histogram counts. `set conditions name' or `filter' decides for "
	 "all. While the monitor is off, every condition decides whether the "
	 "program stops.\n"
	 "    condition 1 pages > 4\n"
	 "    condition 1",
	 NULL},
	{"keys", "legs that go from one thread to another",
	 "With key=EXPR, a leg's start belongs to the value of EXPR, not to "
	 "the thread: what one thread begins, another thread may end. EXPR is "
	 "evaluated at both nodes; key=A:B has one for each. If a function "
	 "returns what it takes from a queue, the key is $ret at its exit. The "
	 "address of a request does, or a number in it, as request->id.\n"
	 "    add leg submit finish key=request\n"
	 "    add leg enqueue exit dequeue key=job:$ret\n"
	 "    add leg enqueue exit dequeue key=job:$ret by=job->kind",
	 NULL},
	{"by", "a row for each value of an expression",
	 "by=EXPR splits a node or a leg: the tables then have a row for each "
	 "value, those that took the longest first. EXPR is evaluated where "
	 "the leg begins, :EXPR where it ends. perftool always keeps the part "
	 "of each process in a leg: `print legs by=process'. The node stays a "
	 "jump if EXPR follows a pointer, or is a C string, as command->name: "
	 "the program reads it. An object such as std::string makes the node "
	 "an int3; `help mechanisms' says what that changes.\n"
	 "    time execute by=command->name\n"
	 "    split leg 0 by=:$ret rows=20\n"
	 "    print legs by=process",
	 NULL},
	{"formats", "text, JSON and CSV",
	 "`set format' chooses how the printing commands write, and batch mode "
	 "its report unless -f says otherwise. `save tables FILE' chooses the "
	 "form by the end of the name. CSV has a file for each table. JSON "
	 "also has the program, the settings, the machine and the time of the "
	 "measurement; every field is always there, and is null if it is not "
	 "known. `trace FILE' writes each execution, as CSV or, in a .json "
	 "file, for the viewers of Chrome traces.\n"
	 "    save tables result.json\n"
	 "    print legs > legs.txt",
	 NULL},
	{"mechanisms", "jumps and int3s",
	 "A place is watched by a jump to code that records the hit (fast: "
	 "some tens of nanoseconds) or by an int3, at which the thread stops "
	 "(some microseconds). auto takes a jump where that is possible; `list "
	 "breaks' says where it is not, and why. Both count the same, and "
	 "perftool subtracts their cost from the times. It cannot subtract the "
	 "delay of a thread that waits for another thread that an int3 has "
	 "stopped: where threads wait for each other, or share a queue, int3s "
	 "in one thread change the times of the others; jumps hardly do.\n"
	 "    set mechanism int3\n"
	 "    break entry parse mechanism=int3 if 1",
	 NULL},
	{"exit-status", "the exit status of perftool",
	 "At a prompt the status is 0. In batch mode, and with commands from "
	 "standard input, it is the program's own status; 128 plus the number "
	 "of the signal if a signal ended the program; 0 if the program was "
	 "let go or killed at the end of the commands, or was interrupted "
	 "because the time of --for was over. Instead of these it is "
	 "124 if something that a script expected was false (`help expect'), "
	 "and instead of all of them 125 if perftool failed or a function was "
	 "never found; 126 if the program cannot be executed; 127 if it was "
	 "not found.",
	 NULL},
	{"memo", "typing as the Mesa memo does",
	 "The commands of the memo are understood as it writes them, in any "
	 "case, with or without `!'. Its window's fields are set by lines of "
	 "their own, keep their values, and are what a command without "
	 "arguments acts on. A number that ends in B is octal there.\n"
	 "    From Node: 1  To Node: 2\n"
	 "    Add Leg!\n"
	 "    Type: leg  Histogram Leg: 0  Class: log  Buckets: 12\n"
	 "    Add!\n"
	 "`help fields' explains the fields, `show fields' has their values. "
	 "The memo's root configuration is the program, its "
	 "module context a source file or library, where names are looked up "
	 "first.\n"
	 "    SEt Module context: Swapper\n"
	 "    Break Entry procedure: AllocVM",
	 NULL},
	{"fields", "the fields of the Mesa memo's window",
	 "A line `NAME: VALUE' sets a field, which keeps its value; `NAME:' "
	 "alone makes it empty, and several may stand on one line. A command "
	 "of the memo without arguments acts on them, and at a prompt asks for "
	 "a field that it needs and that is empty. Numbers are decimal, or "
	 "octal with a B behind them. `show fields' has the values.\n"
	 "    From Node: 1  To Node: 2\n"
	 "    Add Leg!\n"
	 "    Class: ?",
	 NULL},
	{NULL, NULL, NULL, NULL},
};
