/*
 * test_command.c - what each line of the command language asks of the session:
 * words, prefixes, aliases, the memo's spellings, arguments, errors
 *
 * tier: core
 * covers: command
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command_lines.h"

/* ---- words --------------------------------------------------------------- */

static void test_blank_lines_and_comments_do_nothing(void **state)
{
	(void)state;
	asks("", "");
	asks("   \t ", "");
	asks("# comment", "");
	asks("  -- comment", "");
	asks("--", "");
	refuses("--comment", "unknown command `--comment'");
}

static void test_commands_can_be_abbreviated(void **state)
{
	(void)state;
	asks("pr ta", "tables\n");
	asks("PRINT TABLES", "tables\n");
	asks("Print Tables!", "tables\n");
	asks("kill", "kill\n");
	asks("ki", "kill\n");
	asks("mon on", "monitor on\n");
	asks("col nod", "collect nodes\n");
	asks("init t", "initialize tables\n");
	refuses("pr", "`pr' is ambiguous: print, proceed");
	refuses("co", "collect, condition, continue");
	refuses("delete br", "delete break, delete breaks");
	asks("delete break 1", "delete break 1\n");
	asks("delete breaks", "delete breaks\n");
	asks("con b", "condition breaks\n");
	refuses("add", "incomplete: `add'; there is add leg");
	refuses("add lge 1 2", "unknown command `add lge'");
	refuses("de", "`de' is ambiguous: debuginfo, delete, detach");
	refuses("attach", "an argument is missing; usage: attach PID");
	refuses("attach x", "`x' is not a process number");
	refuses("attach 0", "no process 0");
	refuses("attach 1 2", "unexpected `2'");
	refuses("attach 1,", "`' is not a process number");
	refuses("attach 1,x children", "`x' is not a process number");
	refuses("detach 1", "unexpected `1'");
	refuses("brek main", "did you mean break?");
	refuses("prnt tables", "did you mean print?");
	refuses("xyzzy", "`help' lists all");
	refuses("./a.out", "unknown command `./a.out'");
	refuses("UP 2", "unknown command `UP': `frame N'");
	refuses("info breakpoints", "`list breaks'");
	refuses("next", "perftool does not step");
	refuses("ptype int", "sizeof(TYPE)");
	refuses("x/4x $sp", "`print *(TYPE *)ADDRESS'");
	refuses("s", "`s' is ambiguous: ");
	refuses("help!", "unexpected `!'");
	refuses("list source!", "unexpected `!'");
}

static void test_aliases_mean_their_commands(void **state)
{
	(void)state;
	asks("b main", "break place [main]\n");
	asks("B main", "break place [main]\n");
	asks("c", "continue 0\n");
	asks("d 1 2", "delete break 1\ndelete break 2\n");
	asks("i b", "list breaks\n");
	asks("i breakpoints", "list breaks\n");
	asks("l", "list source on\n");
	asks("l main", "list source main\n");
	asks("p x", "evaluate [x]\n");
	asks("p *x", "evaluate [*x]\n");
	asks("p*x", "evaluate [*x]\n");
	asks("p -x", "evaluate [-x]\n");
	asks("r", "run as before\n");
	asks("bt", "where\n");
	asks("h break", "");
	assert_false(interpreter_is_done(interpreter));
	asks("q", "");
	assert_true(interpreter_is_done(interpreter));
}

static void test_print_shows_tables_or_evaluates(void **state)
{
	(void)state;
	asks("print n", "evaluate [n]\n");
	asks("print no", "tables\n");
	asks("print legs", "tables\n");
	asks("print legs[0]", "evaluate [legs[0]]\n");
	asks("print legs->next", "evaluate [legs->next]\n");
	asks("print (tables)", "evaluate [(tables)]\n");
	asks("print a > b", "evaluate [a > b]\n");
	asks("print a - -- b", "evaluate [a - -- b]\n");
	asks("print name == \"# x\"", "evaluate [name == \"# x\"]\n");
	asks("evaluate tables", "evaluate [tables]\n");
	refuses("print", "usage: print EXPR");
	refuses("evaluate", "usage: evaluate EXPR");
	refuses("print tables 3", "unexpected `3'");
}

/* ---- the program --------------------------------------------------------- */

static void test_file_args_and_env_describe_the_program(void **state)
{
	(void)state;
	asks("file 'a b'", "program a b\n");
	refuses("file", "usage: file PROGRAM");
	refuses("file a b", "unexpected `b'");
	asks("args -n 1 \"a b\" #c", "args [-n] [1] [a b] [#c]\n");
	asks("args", "args\n");
	asks("args > x", "args [>] [x]\n");
	refuses("args 'x", "not closed");
	asks("env A=b c # d", "env [A] [b c # d]\n");
	asks("env A=\"b c\"", "env [A] [b c]\n");
	asks("env A=", "env [A] []\n");
	refuses("env A", "usage: env NAME=VALUE");
	refuses("env =b", "usage: env NAME=VALUE");
	refuses("env A =b", "blank");
	asks("directory ../src # where", "directory ../src\n");
	asks("run", "run as before\n");
	asks("run a 'b c' <in >out", "run [a] [b c] <in >out\n");
	asks("run <in", "run as before <in\n");
	asks("run # 1", "run [#] [1]\n");
	refuses("run <a <b", "more than one <");
	asks("continue", "continue 0\n");
	/* the memo has one word for both `run' and `continue' */
	asks("proceed", "run as before\n");
	fake.has_process = true;
	asks("proceed", "continue 0\n");
	refuses("proceed now", "unexpected `now'; usage: proceed");
	asks("Proceed!", "continue 0\n");
	asks("continue for 500ms", "continue 500000000\n");
	asks("c FOR 2m", "continue 120000000000\n");
	refuses("continue for", "usage: continue [for DURATION]");
	refuses("continue 500ms", "unexpected `500ms'");
	refuses("continue for 5x", "`5x' is not a duration");
	refuses("continue for 0", "too short");
	refuses("continue for -1s", "not a duration");
	refuses("continue > x", "unexpected `>'");
	asks("kill", "kill\n");
	asks("list processes", "list processes\n");
	asks("List Processes", "list processes\n");
	asks("list threads", "list threads\n");
	asks("thread 12", "thread 12\n");
	refuses("thread x", "`x' is not a thread number");
	refuses("thread -1", "`-1' is not a thread number");
	refuses("thread 99999999999999999999", "not a thread number");
	asks("list source", "list source on\n");
	asks("list source x.c:7", "list source x.c:7\n");
	asks("where", "where\n");
}

static void test_set_process_and_set_thread_track(void **state)
{
	(void)state;
	asks("set process 12", "track process 12\n");
	asks("set process all", "track process 0\n");
	asks("Set Process! 12", "track process 12\n");
	asks("Set Process!", "track process 0\n");
	asks("Set Process! Process: 12", "track process 12\n");
	asks("set thread 13", "track thread 13\n");
	asks("set thread ALL", "track thread 0\n");
	refuses("set process x", "`x' is not a process number");
	refuses("set process 0", "no process 0");
	refuses("set p 1", "`p' is ambiguous");
}

static void test_attach_takes_processes_and_children(void **state)
{
	(void)state;
	asks("attach 123", "attach 123\n");
	asks("at 123 # a server", "attach 123\n");
	asks("attach 12,13", "attach 12\nattach 13\n");
	asks("attach 12,13 Children",
	     "attach 12\nattach 13\n"
	     "attach children of 12\nattach children of 13\n");
	asks("attach children", "attach children of 0\n");
	asks("detach", "detach\n");
	asks("det", "detach\n");
	asks("attach condition 1 x", "attach condition 1 [x]\n");
	asks("set follow fork off", "follow fork off\n");
	asks("set fol e on", "follow exec on\n");
	asks("show follow", "show follow\n");
	refuses("set follow", "usage: set follow fork|exec on|off");
	refuses("set follow fork", "usage: set follow fork|exec on|off");
	refuses("set follow vfork on", "there is fork, exec");
	refuses("set follow fork maybe", "there is on, off");
	asks("set exit off", "set exit-kill [off]\n");
}

/* ---- breakpoints --------------------------------------------------------- */

static void test_break_takes_places_and_conditions(void **state)
{
	(void)state;
	asks("break main", "break place [main]\n");
	asks("break x.c:7", "break place [x.c:7]\n");
	asks("break *0x401000", "break place [*0x401000]\n");
	asks("break malloc@libc.so.6", "break place [malloc@libc.so.6]\n");
	asks("break main # here", "break place [main]\n");
	asks("break main -- here", "break place [main]\n");
	asks("break main if x > 1", "break place [main] if [x > 1]\n");
	asks("break main IF x", "break place [main] if [x]\n");
	asks("break main if x -- 1", "break place [main] if [x -- 1]\n");
	asks("break main if s == \"a # b\"",
	     "break place [main] if [s == \"a # b\"]\n");
	asks("break f(int, char) if x", "break place [f(int, char)] if [x]\n");
	asks("break operator new", "break place [operator new]\n");
	asks("break 'a b.c:3'", "break place [a b.c:3]\n");
	asks("break iffy", "break place [iffy]\n");
	asks("break if_ready if if_ok", "break place [if_ready] if [if_ok]\n");
	refuses("break", "a place is missing");
	refuses("break if x", "a place is missing");
	refuses("break main if", "no condition");
	refuses("break main if a > 1 mechanism=int3",
		"`mechanism=int3' comes before `if': ... mechanism=int3 if a > "
		"1; usage: break LOC [mechanism=auto|int3|fast] [if COND]");
	refuses("break entry f if mechanism=fast",
		"`mechanism=fast' comes before `if': ... mechanism=fast if "
		"COND");
	/* here `mechanism' is a variable of the program */
	asks("break main if mechanism==2",
	     "break place [main] if [mechanism==2]\n");
	refuses("break # x", "a place is missing");
}

static void test_break_takes_entry_and_exit(void **state)
{
	(void)state;
	asks("break entry f", "break entry [f]\n");
	asks("break exit f if $ret == 0", "break exit [f] if [$ret == 0]\n");
	asks("break xit f", "break exit [f]\n");
	asks("b ENTRY f", "break entry [f]\n");
	asks("break exit", "break place [exit]\n");
	asks("break exit # all of them", "break place [exit]\n");
	asks("break exit if status", "break place [exit] if [status]\n");
	refuses("break entry",
		"a function is missing; usage: break entry FUNC");
	refuses("Break Xit", "a function is missing; usage: break xit FUNC");
	refuses("break return # which", "a function is missing");
	refuses("Break Entry procedure:", "a place is missing; usage: break "
					  "entry FUNC");
	asks("break exit@libc.so.6", "break place [exit@libc.so.6]\n");
	asks("break exit:12", "break place [exit:12]\n");
	refuses("break ent f", "unexpected `f' after `ent'");
	asks("break entry f(int, char)", "break entry [f(int, char)]\n");
}

static void test_break_takes_blocks_and_calls(void **state)
{
	(void)state;
	asks("break blocks f", "break blocks [f]\n");
	asks("break blocks f mechanism=int3 if x",
	     "break blocks [f] by [int3] if [x]\n");
	asks("break calls g", "break calls [g]\n");
	asks("break calls g in f if x == 1",
	     "break calls [g in f] if [x == 1]\n");
	asks("break calls ns::g(int, char) in h<a, b>(long int)",
	     "break calls [ns::g(int, char) in h<a, b>(long int)]\n");
	asks("break allocations", "break allocations [allocations]\n");
	asks("break allocations in f",
	     "break allocations [allocations in f]\n");
	asks("break allocations if 1",
	     "break allocations [allocations] if [1]\n");
	asks("break sync enter", "break sync enter [sync enter]\n");
	asks("break sync exit in f if 1",
	     "break sync exit [sync exit in f] if [1]\n");
	asks("break sync test # all", "break sync test [sync test]\n");
	/* sync() is a function of libc */
	asks("break sync", "break place [sync]\n");
	asks("break sync if 1", "break place [sync] if [1]\n");
	asks("break sync mechanism=int3",
	     "break place [sync] by [int3] if []\n");
	refuses("break sync in f", "`in' is none of enter, exit, test");
	refuses("break blocks", "a function is missing; usage: break blocks");
	refuses("break calls", "a function is missing; usage: break calls");
	refuses("break calls g h", "unexpected `h' after `g'");
	refuses("break calls g in f x", "unexpected `x' after `f'");
	refuses("break block f", "unexpected `f' after `block'");
}

static void test_watch_takes_an_expression(void **state)
{
	(void)state;
	asks("watch g", "watch write [g] if []\n");
	asks("watch p->list[2].n access",
	     "watch access [p->list[2].n] if []\n");
	asks("watch g write if g > 2", "watch write [g] if [g > 2]\n");
	asks("watch access", "watch write [access] if []\n");
	asks("watch g access if 1 # why", "watch access [g] if [1 # why]\n");
	refuses("watch", "an expression is missing; usage: watch EXPR");
	refuses("watch g if", "no condition after `if'");
	asks("profile source f", "profile source f\n");
	asks("print source", "print source -\n");
	asks("print source f", "print source f\n");
	asks("print contention", "print contention top=0\n");
	asks("print contention top=3", "print contention top=3\n");
	refuses("print contention fast", "unexpected `fast'");
}

/* A user may copy lines as the memo prints them, with the prompt and the
 * answer. */
static void test_lines_copied_from_the_memo_work(void **state)
{
	(void)state;
	asks(">Break Entry procedure: AllocVM Breakpoint #1.",
	     "break entry [AllocVM]\n");
	asks("> Break Xit procedure: AllocVM Breakpoint #2.",
	     "break exit [AllocVM]\n");
	refuses("> AllocatePages[140]", "would be a call");
	asks(">From Node: 1", "");
	asks("> # nothing", "");
	refuses("break entry AllocVM Breakpoint",
		"unexpected `Breakpoint' after `AllocVM'");
	refuses("break f x > 3", "unexpected `x' after `f'");
	asks("break f(int, char) const", "break place [f(int, char) const]\n");
	asks("break operator new", "break place [operator new]\n");
	asks("break A::operator delete", "break place [A::operator delete]\n");
	asks("break Map<int, char>::at", "break place [Map<int, char>::at]\n");
	asks("break my file.c:12", "break place [my file.c:12]\n");
	asks("break 'a b'", "break place [a b]\n");
}

/* A blank may stand before the mark `!'. If a command that acts on fields gets
 * arguments, the error says that it acts on fields. */
static void test_blank_may_stand_before_the_mark(void **state)
{
	(void)state;
	asks("Collect Nodes !", "collect nodes\n");
	asks("Add Leg ! 1 2", "add leg 1 2 owner=- match=- key=-\n");
	asks("print !x", "evaluate [!x]\n");
	asks("print ! x", "evaluate [! x]\n");
	refuses("Print !", "the field Histogram Node is empty");
	refuses("Delete! 1", "`Delete!' takes no arguments and acts on the "
			     "fields: `Type: leg  Histogram Leg: 1' sets them; "
			     "or use `delete leg 1'");
	refuses("Print! 1", "or use `print histogram leg 1'");
	refuses("Add! x", "or use `add histogram leg N linear'");
	refuses("run!", "unexpected `!' after `run'");
}

static void test_condition_is_set_and_cleared(void **state)
{
	(void)state;
	asks("condition 1 pages == 1", "condition 1 [pages == 1]\n");
	asks("condition 1, pages == 1", "condition 1 [pages == 1]\n");
	asks("condition 1 a # b", "condition 1 [a # b]\n");
	asks("condition 1", "condition 1 cleared\n");
	asks("condition 1 # cleared", "condition 1 cleared\n");
	asks("condition 1 a = 1", "condition 1 [a = 1]\n");
	asks("condition breaks", "condition breaks\n");
	refuses("condition", "usage: condition N [COND]");
	refuses("condition x y", "`x' is not a breakpoint number");
	asks("attach condition 1, a = 1 && b >= 2",
	     "attach condition 1 [a == 1 && b >= 2]\n");
	asks("attach condition 1, a == 1", "attach condition 1 [a == 1]\n");
	asks("attach condition 1 a != 1", "attach condition 1 [a != 1]\n");
	asks("attach condition 1 a <= '='", "attach condition 1 [a <= '=']\n");
	asks("attach condition 1 s = \"a=\\\"=b\"",
	     "attach condition 1 [s == \"a=\\\"=b\"]\n");
	asks("attach condition 1 a += 1", "attach condition 1 [a += 1]\n");
	refuses("attach condition 1", "a condition is missing");
	asks("delete break 3", "delete break 3\n");
	refuses("delete break", "usage: delete break N...");
	refuses("delete break 1 x", "`x' is not a breakpoint number");
	asks("enable 1 2", "enable 1\nenable 2\n");
	asks("disable 1", "disable 1\n");
	asks("list breaks", "list breaks\n");
}

/* The sample session of the memo, in the memo's spelling. */
static void test_sample_session_of_the_memo_works(void **state)
{
	(void)state;
	asks("-- set breakpoints to monitor the AllocVM procedure", "");
	asks("Break Entry procedure: AllocVM", "break entry [AllocVM]\n");
	asks("ATtach Condition #: 1, condition: pages = 1",
	     "attach condition 1 [pages == 1]\n");
	asks("ATtach Condition 1, pages == 1",
	     "attach condition 1 [pages == 1]\n");
	asks("Break Xit procedure: AllocVM", "break exit [AllocVM]\n");
	asks("Condition Breaks!", "condition breaks\n");
	asks("Collect Nodes!", "collect nodes\n");
	asks("Add Leg! From Node: 1 To Node: 2",
	     "add leg 1 2 owner=- match=- key=-\n");
	asks("Add Leg 1 2", "add leg 1 2 owner=- match=- key=-\n");
	asks("Add Histogram Node 1 linear",
	     "add histogram node 1 linear buckets=0 scale=-1 base=0 value=-\n");
	asks("Add Histogram Type: leg 0 Class: log Buckets: 12 Scale: 0",
	     "add histogram leg 0 log buckets=12 scale=0 base=0 value=-\n");
	asks("Monitor: on", "monitor on\n");
	asks("Track: all", "track all\n");
	asks("Add: successor", "add successor\n");
	asks("Proceed", "run as before\n");
	asks("Print Tables!", "tables\n");
	asks("Print Nodes!", "tables\n");
	asks("Print Legs!", "tables\n");
	asks("Delete Leg! Leg: 0", "delete leg 0\n");
	asks("Zero Tables!", "zero tables\n");
	asks("Initialize Tables!", "initialize tables\n");
	asks("SEt Process! 17", "track process 17\n");
	asks("SEt Process! Process: 17B", "track process 15\n");
}

/* ---- nodes, legs, histograms, tables ------------------------------------- */

static void test_add_leg_takes_owner_match_and_key(void **state)
{
	(void)state;
	asks("add leg * 2", "add leg 0 2 owner=- match=- key=-\n");
	asks("add leg 1 * owner=leg match=first",
	     "add leg 1 0 owner=leg match=first key=-\n");
	asks("add leg 1 2 MATCH=Outer",
	     "add leg 1 2 owner=- match=outermost key=-\n");
	asks("add leg 1 2 key=r->id:j->id",
	     "add leg 1 2 owner=key match=- key=r->id:j->id\n");
}

static void test_wrong_lines_on_legs_are_refused(void **state)
{
	(void)state;
	asks("add leg 1 2 key=f(a, b):c",
	     "add leg 1 2 owner=key match=- key=f(a, b):c\n");
	asks("add leg 1 2 owner=key=r->id",
	     "add leg 1 2 owner=key match=- key=r->id\n");
	asks("add leg 1 2 by=c->name rows=3",
	     "add leg 1 2 owner=- match=- key=- by=c->name rows=3\n");
	asks("add leg 1 2 key=c by=:(a, b) match=first",
	     "add leg 1 2 owner=key match=first key=c by=:(a, b) rows=0\n");
	asks("add leg begin 2", "add leg begin 2 owner=- match=- key=-\n");
	asks("add leg begin finish key=x # why",
	     "add leg begin finish owner=key match=- key=x\n");
	asks("add leg exit begin Entry end match=last",
	     "add leg exit:begin entry:end owner=- match=last key=-\n");
	asks("add leg calls g in f blocks f",
	     "add leg calls:g in f blocks:f owner=- match=- key=-\n");
	asks("add leg sync enter sync exit in f key=m",
	     "add leg sync enter sync exit in f owner=key match=- key=m\n");
	asks("add leg allocations in f finish",
	     "add leg allocations in f finish owner=- match=- key=-\n");
	asks("add leg sync exit", "add leg sync exit owner=- match=- key=-\n");
	asks("add leg exit finish",
	     "add leg exit finish owner=- match=- key=-\n");
	asks("add leg a.c:10 xit ns::f<int, 2>::g(int, char) const",
	     "add leg a.c:10 exit:ns::f<int, 2>::g(int, char) const owner=- "
	     "match=- key=-\n");
	asks("add leg *0x1180 return", "add leg *0x1180 return owner=- match=- "
				       "key=-\n");
	refuses("add leg 1 2 rows=3", "`rows=' without `by='");
	refuses("add leg 1 2 by=", "no expression after `by='");
	refuses("add leg 1 2 by=x rows=0", "number of rows");
	refuses("add leg 1", "usage: add leg FROM TO");
	refuses("add leg 0 1", "there is no breakpoint 0");
	refuses("continue for", "a duration is missing after `for'");
	refuses("add leg -1 1", "`-1' is not a node number");
	refuses("add leg begin", "usage: add leg FROM TO");
	refuses("add leg begin owner=leg", "an argument is missing");
	refuses("add leg exit begin entry end more", "unexpected `more'");
	refuses("add leg 99999999999 1", "is not a node number");
	refuses("add leg * end name=x", "`name=' names one leg");
	refuses("add leg 1 2 owner=me", "unknown owner `me'");
	refuses("add leg 1 2 match=", "unknown match `'");
	refuses("add leg 1 2 key=", "no expression");
	refuses("add leg 1 2 fast", "unexpected `fast'");
	refuses("add leg 1 2 owner=leg key=x", "owned by the key");
	refuses("delete leg", "usage: delete leg ID");
	asks("delete leg 4", "delete leg 4\n");
	asks("delete leg 4 7", "delete leg 4\ndelete leg 7\n");
	asks("add none", "add none\n");
	asks("track succ", "track successor\n");
	refuses("track", "usage: track");
	refuses("track some", "there is none, successor, all");
	refuses("monitor maybe", "there is on, off");
	asks("monitor", "");
	asks("time f 'g*' ns::h(int, char)",
	     "time [f] [g*] [ns::h(int, char)]\n");
	asks("time f by=x g rows=20", "time [f] [g] by=x rows=20\n");
	asks("time s::T<s::I, 64>::f g # if h",
	     "time [s::T<s::I, 64>::f] [g]\n");
	asks("time f most=2000", "time [f] most=2000\n");
	asks("time f if a > 1 most=2000 by=x",
	     "time [f] if [a > 1] by=x rows=0 most=2000\n");
	refuses("time f most=0", "most");
	refuses("time f most=many", "most");
	refuses("time by=x", "a function is missing");
	refuses("time f rows=2", "`rows=' without `by='");
	asks("split leg 0 by=c->name", "split leg 0 by=c->name rows=0\n");
	asks("split node 3 rows=7 by=*p", "split node 3 by=*p rows=7\n");
	asks("split leg 0 rows=7", "split leg 0 by=- rows=7\n");
	refuses("split leg 0", "usage: split node N|leg N");
	refuses("split tree 0 by=x", "tree");
	refuses("split leg 0 buy=x", "unexpected `buy=x'");
	asks("delete split leg 0", "unsplit leg 0\n");
	asks("delete split node 4", "unsplit node 4\n");
	asks("print split", "tables\n");
	refuses("print split leg", "`node N' or `leg N' is missing");
	refuses("time", "usage: time FUNC...");
}

static void test_time_takes_a_condition(void **state)
{
	(void)state;
	asks("time f g if e->ttl > 0 by=t->cls",
	     "time [f] [g] if [e->ttl > 0] by=t->cls rows=0\n");
	asks("time f by=x if by==2 && rows == 3 rows=4",
	     "time [f] if [by==2 && rows == 3] by=x rows=4\n");
	asks("time f if s == \"a # by=b\" && (a > b by=c) 'by=q->i + 1'",
	     "time [f] if [s == \"a # by=b\" && (a > b by=c)] by=q->i + 1 "
	     "rows=0\n");
	asks("time 'if' \"a if b\"", "time [if] [a if b]\n");
	refuses("time if x", "a function is missing");
	refuses("time f if", "no condition after `if'");
	refuses("time f if by=x", "no condition after `if'");
	refuses("time f if x by=y g", "unexpected `g'");
}

static void test_values_of_options_can_be_quoted(void **state)
{
	(void)state;
	asks("time f by=\"q->i + 1\"", "time [f] by=q->i + 1 rows=0\n");
	asks("time f by='q->i + 1'", "time [f] by=q->i + 1 rows=0\n");
	asks("time f by=\"n == \\\"a b\\\"\"",
	     "time [f] by=n == \"a b\" rows=0\n");
	asks("time f by=c==' '", "time [f] by=c==' ' rows=0\n");
	asks("time f by='x'", "time [f] by='x' rows=0\n");
	asks("split leg 0 by=\"a + 1\"", "split leg 0 by=a + 1 rows=0\n");
	asks("add leg 1 2 key=\"a + 1\"",
	     "add leg 1 2 owner=key match=- key=a + 1\n");
}

static void test_add_histogram_takes_options(void **state)
{
	(void)state;
	asks("add histogram node 1 linear buckets=16 base=-5 scale=0x10",
	     "add histogram node 1 linear buckets=16 scale=16 base=-5 "
	     "value=-\n");
	asks("add hist n 1 hdr value=c=='x'",
	     "add histogram node 1 hdr buckets=0 scale=-1 base=0 "
	     "value=c=='x'\n");
	refuses("add histogram node 1", "an argument is missing");
	refuses("add histogram node 1 cubic", "unknown class of histogram");
	refuses("add histogram node x log", "`x' is not a node number");
	refuses("add histogram thread 1 log", "unknown owner of a histogram");
	refuses("add histogram node 1 log buckets=0", "out of range");
	refuses("add histogram node 1 log buckets=x", "is not a number");
	refuses("add histogram node 1 log scale=-1", "out of range");
	refuses("add histogram leg 0 log value=x", "is for nodes");
	refuses("add histogram node 1 log value=", "no expression");
	asks("delete histogram leg 0", "delete histogram leg 0\n");
	refuses("delete histogram leg", "an argument is missing");
	refuses("add histogram leg 99 log",
		"leg 99 has a histogram of 7 values already; `replace' as the "
		"last word replaces it");
	asks("add histogram leg 99 log replace",
	     "add histogram leg 99 log buckets=0 scale=-1 base=0 value=-\n");
}

static void test_tables_are_printed_traced_and_saved(void **state)
{
	(void)state;
	asks("print slowest", "slowest 10 leg -1\ntables\n");
	asks("print slowest 3", "slowest 3 leg -1\ntables\n");
	asks("print slowest leg 2", "slowest 10 leg 2\ntables\n");
	asks("print slowest 3 leg 2", "slowest 3 leg 2\ntables\n");
	asks("print slowest inside", "tables\ninside 10 leg -1\n");
	asks("pr sl inside 3 leg 2", "tables\ninside 3 leg 2\n");
	asks("print slowest inside leg 2", "tables\ninside 10 leg 2\n");
	refuses("print slowest inside leg", "leg");
	refuses("print slowest inside 3 x 2", "unexpected `x'");
	refuses("print slowest x", "`x' is not a count");
	refuses("print slowest 3 2", "usage");
	refuses("print slowest 0", "out of range");
	refuses("print legs -x", "unexpected `-x'");
	asks("print legs by=process", "tables\n");
	asks("print legs BY=Proc sort=p99 top=3 all", "tables\n");
	refuses("print legs by=", "only by=process is possible");
	refuses("print legs by=pid", "`by=pid': only by=process is possible");
	refuses("print legs by=process by=process", "`by=' is given twice");
	refuses("print legs -v by=process", "cannot be used with by=process");
	asks("trace x.csv", "trace x.csv all\n");
	asks("trace x.csv 0 leg 2", "trace x.csv 0 2\n");
	asks("trace off", "trace off\n");
	refuses("trace", "usage: trace FILE");
	refuses("trace x.csv y", "`y' is not a leg number");
	refuses("save tables x", "does not end in .json, .csv or .txt");
	refuses("save tables", "usage: save tables FILE");
}

static void test_printing_a_missing_histogram_fails(void **state)
{
	struct error *error;

	(void)state;
	fake.node.id = 4;
	fake.nodes[0].stats = &fake.node;
	fake.tables.nodes = fake.nodes;
	fake.tables.node_count = 1;
	error = interpreter_line(interpreter, "print histogram node 4");
	assert_non_null(error);
	assert_non_null(strstr(error_message(error), "has no histogram"));
	error_destroy(error);
	error = interpreter_line(interpreter, "print histogram leg 4");
	assert_non_null(error);
	assert_string_equal(error_message(error), "there is no leg 4");
	error_destroy(error);
}

/* ---- profiles ------------------------------------------------------------ */

static void test_spy_takes_what_to_watch(void **state)
{
	(void)state;
	asks("spy watch cpu", "spy watch 0\n");
	asks("spy watch pagefaults", "spy watch 1\n");
	asks("SPY WATCH ALLOCATIONS", "spy watch 2\n");
	asks("spy w wo", "spy watch 3\n");
	asks("spy watch spaces", "spy watch 4\n");
	asks("spy watch b", "spy watch 5\n");
	refuses("spy watch", "usage: spy watch "
			     "cpu|pagefaults|allocations|words|spaces|breaks");
	refuses("spy watch disk", "unknown source of samples `disk'");
	refuses("spy watch cpu words", "unexpected `words'");
	asks("spy rate 97", "spy rate 97\n");
	asks("spy rate 0.5hz", "spy rate 0.5\n");
	asks("spy rate 997HZ", "spy rate 997\n");
	refuses("spy rate", "usage: spy rate HZ");
	refuses("spy rate often", "`often' is no number of ticks a second");
	refuses("spy rate 10ms", "`10ms' is no number of ticks a second");
	asks("spy process all", "spy process 0\n");
	asks("spy process 4711", "spy process 4711\n");
	asks("spy process break", "spy process break\n");
	refuses("spy process", "usage: spy process all|TID|break");
	refuses("spy process me",
		"`me' is no thread; `list threads' shows their numbers");
	refuses("spy process 0", "`0'");
	refuses("spy process -1", "`-1'");
}

static void test_spy_takes_breaks(void **state)
{
	(void)state;
	asks("spy break main", "spy break [main]\n");
	asks("spy break malloc if $arg1 > 100",
	     "spy break [malloc] if [$arg1 > 100]\n");
	asks("spy start ns::f(int, char)", "spy start [ns::f(int, char)]\n");
	asks("spy start x.c:7 if a # b", "spy start [x.c:7] if [a # b]\n");
	asks("spy stop f # there", "spy stop [f]\n");
	asks("spy break 'a b.c:3' -- there", "spy break [a b.c:3]\n");
	asks("spy stop iffy if if_ok", "spy stop [iffy] if [if_ok]\n");
	refuses("spy break", "a place is missing; usage: spy break LOC");
	refuses("spy start if x", "a place is missing");
	refuses("spy stop f if", "no condition after `if'");
	asks("spy clear starts", "spy clear starts\n");
	asks("spy clear breaks", "spy clear breaks\n");
	asks("spy cl b", "spy clear breaks\n");
	refuses("spy clear", "usage: spy clear starts|breaks");
	refuses("spy clear all", "unknown kind of breaks `all'");
}

/* `breaks` and `starts` begin as `break` and `start` do, which are words of
 * their own when they are given in full. */
static void test_spy_is_turned_on_and_off(void **state)
{
	(void)state;
	asks("spy on", "spy on\n");
	asks("spy resume", "spy resume\n");
	refuses("spy resume now", "unexpected `now'");
	asks("spy off", "spy off\n");
	asks("spy flush", "spy flush\n");
	asks("spy f", "spy flush\n");
	asks("spy starts on", "spy starts on\n");
	asks("spy starts off", "spy starts off\n");
	asks("spy breaks on", "spy starts on\n");
	asks("spy breaks off", "spy starts off\n");
	refuses("spy starts", "usage: spy starts on|off");
	refuses("spy starts maybe", "there is on, off");
	refuses("spy st", "`st' is ambiguous: spy start, spy starts, spy stop");
	refuses("spy br", "`br' is ambiguous: spy break, spy breaks");
	refuses("spy o", "`o' is ambiguous: spy off, spy on");
	asks("spy", "spy show\n");
	asks("show spy", "spy show\n");
	refuses("spy on now", "unexpected `now'");
	refuses("spy glass", "unknown command `spy glass'");
}

static void test_spy_display_takes_thresholds(void **state)
{
	(void)state;
	asks("spy display", "spy display 3 1\n");
	asks("spy d min=0.5", "spy display 0.5 1\n");
	asks("spy display min=10% minson=0", "spy display 10 0\n");
	asks("spy display minson=2 min=100", "spy display 100 2\n");
	refuses("spy display 3", "unexpected `3'");
	refuses("spy display min=", "`' is no percentage from 0 to 100");
	refuses("spy display min=x", "`x' is no percentage");
	refuses("spy display minson=101", "`101' is no percentage");
	refuses("spy display min=-1", "`-1' is no percentage");
	refuses("spy display min=nan", "`nan' is no percentage");
}

/* The words that `profile' itself knows win, in full or by a beginning that
 * fits one of them. Any other first word is a command. */
static void test_profile_has_words_and_takes_commands(void **state)
{
	(void)state;
	asks("profile on", "ticks on\n");
	asks("profile off", "ticks off\n");
	asks("profile flush", "ticks flush\nprofile flush\n");
	asks("prof fl", "ticks flush\nprofile flush\n");
	asks("profile rate 10ms", "ticks rate 100\n");
	asks("profile rate 97hz", "ticks rate 97\n");
	asks("profile r 1ms", "ticks rate 1000\n");
	refuses("profile rate", "usage: profile rate PERIOD|HZ");
	refuses("profile rate x",
		"`x' is neither a period (1ms) nor a rate (1000hz)");
	refuses("profile rate 0hz 3", "unexpected `3'");
	asks("profile calls", "profile calls\n");
	asks("profile calls 'a_*' b", "profile calls [a_*] [b]\n");
	asks("profile calls off", "profile calls off\n");
	asks("profile ca OFF", "profile calls off\n");
	asks("profile functions '*'", "profile functions [*]\n");
	asks("profile fu main f", "profile functions [main] [f]\n");
	refuses("profile functions", "usage: profile functions GLOB...");
	asks("profile arcs 5000", "profile arcs 5000\n");
	asks("profile arcs 0", "profile arcs 0\n");
	refuses("profile arcs many", "many");
	refuses("profile arcs -1", "-1");
	asks("profile run", "ticks on\nrun as before\nticks off\n");
	asks("profile run a b", "ticks on\nrun [a] [b]\nticks off\n");
	asks("profile continue for 5s",
	     "ticks on\ncontinue 5000000000\nticks off\n");
	asks("profile cont for 5s",
	     "ticks on\ncontinue 5000000000\nticks off\n");
	asks("profile print x", "ticks on\nevaluate [x]\nticks off\n");
	asks("profile", "profile show\n");
	asks("show profile", "profile show\n");
}

/* The ticks are off after a command that has failed, too. */
static void test_profile_of_a_command_that_fails(void **state)
{
	struct error *error;

	(void)state;
	fake.fails = "run";
	error = interpreter_line(interpreter, "profile run");
	assert_non_null(error);
	assert_string_equal(error_message(error), "made to fail");
	error_destroy(error);
	assert_string_equal(str_text(&fake.calls),
			    "ticks on\nrun\nticks off\n");
	fake.fails = NULL;
	str_deinit(&fake.calls);
	error = interpreter_line(interpreter, "profile xyzzy");
	assert_non_null(error);
	assert_non_null(strstr(error_message(error), "xyzzy"));
	error_destroy(error);
}

static void test_profiles_are_printed_and_saved(void **state)
{
	(void)state;
	asks("print flat", "print flat\n");
	asks("p fl", "print flat\n");
	refuses("pr fl", "`pr' is ambiguous: print, proceed, profile");
	asks("print graph", "print graph\n");
	asks("pr gr", "print graph\n");
	asks("print functions", "print functions\n");
	asks("p fu -v", "print functions -v\n");
	asks("print functions by=time", "print functions\n");
	asks("print functions by=cpu -v", "print functions -v by=cpu\n");
	asks("print graph by=cpu", "print graph by=cpu\n");
	/* one letter is a variable of the program, as it was before */
	asks("print f", "evaluate [f]\n");
	asks("p g", "evaluate [g]\n");
	refuses("print flat -v", "unexpected `-v'");
	asks("print functions by=cpu top=20 -v",
	     "print functions -v by=cpu top=20\n");
	refuses("print functions top=0", "top");
	refuses("print graph top=20", "unexpected `top=20'");
	refuses("print functions x", "unexpected `x'");
	refuses("print functions by=wall", "wall");
	refuses("print graph -v", "unexpected `-v'");
	asks("initialize profile", "ticks flush\ninitialize profile\n");
	asks("init p", "ticks flush\ninitialize profile\n");
	asks("save profile gmon.out",
	     "save profile [gmon.out] 0 from latest\n");
	asks("save profile d/callgrind.out.7 from=spy",
	     "save profile [d/callgrind.out.7] 1 from spy\n");
	asks("save profile x.folded from=profile",
	     "save profile [x.folded] 2 from profile\n");
	asks("save profile x format=svg", "save profile [x] 3 from latest\n");
	asks("save profile x.json", "save profile [x.json] 5 from latest\n");
	refuses("save profile", "usage: save profile FILE");
	refuses("save profile x.txt", "gmon.out");
	refuses("save profile x format=xml", "`xml'");
	refuses("save profile x.svg from=here", "there is spy, profile");
	refuses("save profile x.svg now", "unexpected `now'");
}

static void test_top_runs_the_program_for_a_while(void **state)
{
	(void)state;
	fake.stop.reason = STOP_EXITED;
	asks("top for 10s",
	     "top begin\nrun as before for a while\ntop end\ntop table\n");
	fake.has_process = true;
	asks("top for 5s",
	     "top begin\ncontinue 1000000000\ntop end\ntop table\n");
	refuses("top 10s", "unexpected `10s'; usage: top [for DURATION]");
	refuses("top for", "a duration is missing after `for'");
	refuses("top for ever", "`ever' is not a duration");
	refuses("top for 5s now", "unexpected `now'");
}

/* ---- the session --------------------------------------------------------- */

static void test_set_and_show_take_settings(void **state)
{
	(void)state;
	asks("set format json", "set format [json]\n");
	asks("set FORM text", "set format [text]\n");
	asks("set comp off # raw", "set compensation [off]\n");
	refuses("set co off", "set compensation, set conditions");
	refuses("set format", "usage: set format text|json|csv");
	refuses("set colour red", "unknown setting `colour'");
	refuses("set", "usage: set NAME VALUE");
	asks("show", "show all\n");
	asks("show form", "show format\n");
	asks("show clock", "show clock\n");
}

static void test_wrong_commands_of_the_session_are_refused(void **state)
{
	(void)state;
	refuses("history", "only at the prompt");
	refuses("shell", "usage: shell COMMAND");
	refuses("source", "usage: source FILE");
	refuses("source /nonexistent/x", "cannot read /nonexistent/x");
	refuses("log /nonexistent/x", "cannot write /nonexistent/x");
	refuses("help xyzzy", "unknown command `xyzzy'");
	refuses("help v w x y z", "unexpected `z'");
	refuses("quit now", "unexpected `now'");
}

/* If the session fails, the command fails with the session's message. */
static void test_failure_of_the_session_fails_the_command(void **state)
{
	static const char *const lines[] = {
		"file x", "run",     "break f",        "condition 1 x",
		"time f", "print x", "set format json"};
	static const char *const calls[] = {"program",   "run",  "break",
					    "condition", "time", "evaluate",
					    "set"};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct error *error;

		fake.fails = calls[i];
		error = interpreter_line(interpreter, lines[i]);
		assert_non_null(error);
		assert_string_equal(error_message(error), "made to fail");
		error_destroy(error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_blank_lines_and_comments_do_nothing),
		TEST(test_commands_can_be_abbreviated),
		TEST(test_aliases_mean_their_commands),
		TEST(test_print_shows_tables_or_evaluates),
		TEST(test_file_args_and_env_describe_the_program),
		TEST(test_set_process_and_set_thread_track),
		TEST(test_break_takes_places_and_conditions),
		TEST(test_break_takes_entry_and_exit),
		TEST(test_break_takes_blocks_and_calls),
		TEST(test_watch_takes_an_expression),
		TEST(test_lines_copied_from_the_memo_work),
		TEST(test_blank_may_stand_before_the_mark),
		TEST(test_condition_is_set_and_cleared),
		TEST(test_sample_session_of_the_memo_works),
		TEST(test_add_leg_takes_owner_match_and_key),
		TEST(test_wrong_lines_on_legs_are_refused),
		TEST(test_time_takes_a_condition),
		TEST(test_values_of_options_can_be_quoted),
		TEST(test_add_histogram_takes_options),
		TEST(test_tables_are_printed_traced_and_saved),
		TEST(test_printing_a_missing_histogram_fails),
		TEST(test_attach_takes_processes_and_children),
		TEST(test_spy_takes_what_to_watch),
		TEST(test_spy_takes_breaks),
		TEST(test_spy_is_turned_on_and_off),
		TEST(test_spy_display_takes_thresholds),
		TEST(test_profile_has_words_and_takes_commands),
		TEST(test_profile_of_a_command_that_fails),
		TEST(test_profiles_are_printed_and_saved),
		TEST(test_top_runs_the_program_for_a_while),
		TEST(test_set_and_show_take_settings),
		TEST(test_wrong_commands_of_the_session_are_refused),
		TEST(test_failure_of_the_session_fails_the_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
