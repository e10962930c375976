/*
 * option_table.c - see option_table.h
 */
#include "option_table.h"

#define PERFTOOL OF(SUBCOMMAND_NONE)
#define TOP OF(SUBCOMMAND_TOP)
#define SERVE OF(SUBCOMMAND_SERVE)
#define WHO OF(SUBCOMMAND_WHO)
#define CTL OF(SUBCOMMAND_CTL)
#define COMPARE OF(SUBCOMMAND_COMPARE)
#define MERGE OF(SUBCOMMAND_MERGE)
#define MEASURES (PERFTOOL | TOP | SERVE)
#define ALL (OF(SUBCOMMAND_COUNT) - 1)

const struct option_entry option_table[] = {
	{'p', "pid", "PID", "@process", MEASURES,
	 "attach to a process that is running already (repeatable; PID,PID)"},
	{OPTION_CHILDREN, "children", NULL, NULL, MEASURES,
	 "attach also to the children that it has"},
	{'t', "time", "FUNC", "@text", PERFTOOL | SERVE,
	 "time every call of FUNC (repeatable; globs); implies --batch; "
	 "'FUNC if COND': only the calls for which COND is true"},
	{OPTION_PROFILE, "profile", NULL, NULL, PERFTOOL | SERVE,
	 "profile the program: ticks of the clock, and all calls of its "
	 "functions; implies --batch"},
	{'x', "command", "FILE", "@file", MEASURES,
	 "run the commands in FILE (repeatable); - is standard input"},
	{'e', "eval", "COMMAND", "@text", MEASURES,
	 "run one command (repeatable)"},
	{'b', "batch", NULL, NULL, PERFTOOL,
	 "no prompt: if the commands have not run the program, run it and "
	 "print the tables"},
	{'r', "repeat", "N", "@text", PERFTOOL,
	 "run the program N times, and show each figure with its spread over "
	 "the runs; implies --batch"},
	{OPTION_WARMUP, "warmup", "N", "@text", PERFTOOL,
	 "run the program N times before the runs of --repeat, and forget "
	 "these"},
	{OPTION_FAIL_IF, "fail-if", "CONDITION", "@text", COMPARE,
	 "end with status 1 if the condition holds (repeatable): "
	 "[LEG:]FIGURE OP NUMBER[%], where FIGURE is count, total, mean, p50 "
	 "or "
	 "p99, and OP is >, >=, < or <=. With % the difference is meant, as "
	 "far as the runs show one; else the value after, of a time with "
	 "its unit"},
	{OPTION_FOR, "for", "DURATION", "@text", MEASURES,
	 "in batch mode, measure this long (500ms, 10s, 2m), then end the "
	 "program, or let go of the process that was attached to; commands "
	 "that follow are run then"},
	{OPTION_SOCKET, "socket", "PATH", "@file", SERVE | CTL,
	 "where the server listens; else PID.sock in $XDG_RUNTIME_DIR/perftool "
	 "or /tmp/perftool-UID"},
	{OPTION_WAIT, "wait-front-end", "[=DURATION]", "@text", SERVE,
	 "hold the program before its first instruction until a front end has "
	 "answered START, at most DURATION"},
	{OPTION_HTTP, "http", "[=PORT]", "@text", SERVE,
	 "also serve a live page to a browser on this machine, and print its "
	 "address; PORT is one that is free if none is given"},
	{OPTION_JSON, "json", NULL, NULL, WHO,
	 "print JSON, with the number of the server itself, the socket, and "
	 "since when it serves"},
	{OPTION_PENDING, "pending", NULL, NULL, MEASURES,
	 "keep names that neither the program nor its libraries have, for what "
	 "is loaded later"},
	{OPTION_EVERY, "every", "DURATION", "@text", PERFTOOL | SERVE,
	 "in batch mode, write the tables each time this much was measured, "
	 "and at the end as always"},
	{OPTION_DELTA, "delta", NULL, NULL, PERFTOOL | SERVE,
	 "only what was counted since the last tables (with --every)"},
	{OPTION_DEBUGINFO, "debuginfo", "DIR", "@directory", MEASURES,
	 "look for separate debug information in DIR too (repeatable)"},
	{'o', "output", "FILE", "@file", MEASURES,
	 "tables and reports go to FILE; - is standard output. Without it "
	 "batch mode's report goes to standard error. %p in the name is the "
	 "number of the program's process, %h the machine, and %r the rank "
	 "that mpirun or srun has given"},
	{'o', "output", "FILE", "@file", COMPARE | MERGE,
	 "write the report to FILE. Without it, or with -, it goes to "
	 "standard output. The name is taken as it is"},
	{'f', "format", "FORMAT", "text json csv", MEASURES | MERGE,
	 "form of the report: text, json, or csv (-o y.csv: "
	 "y-nodes.csv, y-legs.csv and so on); without it, the ending of -o "
	 "decides"},
	{'f', "format", "FORMAT", "text json csv", COMPARE,
	 "form of the comparison: text, json, or csv (one table); without it, "
	 "the ending of -o decides"},
	{'q', "quiet", NULL, NULL, MEASURES | CTL,
	 "no greeting, no status line; in batch mode, no remarks on what "
	 "commands did"},
	{'q', "quiet", NULL, NULL, COMPARE | MERGE, "no remarks"},
	{'n', "no-rc", NULL, NULL, MEASURES, "do not run the start-up file"},
	{OPTION_COLOR, "color", "WHEN", "auto always never", MEASURES | MERGE,
	 "when to use colours: auto, always or never"},
	{'V', "version", NULL, NULL, ALL, "print the version"},
	{'h', "help", NULL, NULL, ALL, "print the usage"},
	{OPTION_MAN, "man", "FILE", "@file", PERFTOOL, NULL},
	{0},
};

const struct subcommand_entry subcommand_table[SUBCOMMAND_COUNT] = {
	[SUBCOMMAND_NONE] =
		{"", OPERANDS_PROGRAM, NULL, "measure a program",
		 "[OPTION]... [--] PROGRAM [ARG]...\n"
		 "[OPTION]... -p PID[,PID]...\n",
		 "Measure how often places in a program are reached, and how "
		 "long the\n"
		 "code between them takes.\n",
		 "Examples:\n"
		 "  perftool -t 'PyDict_*' python3 script.py\n"
		 "                        how often, and how long, each of "
		 "these "
		 "takes\n"
		 "  perftool -p 1234 --for 10s -t handle_request -o "
		 "report.txt\n"
		 "                        the same in a server that is at "
		 "work\n"
		 "  perftool -b -e 'add leg begin finish' ./program\n"
		 "                        how long it takes from one place to "
		 "another\n"
		 "\n"
		 "Without a terminal on standard input, and without -x, -e or "
		 "-t,\n"
		 "commands are read from standard input. `help' at the prompt "
		 "lists\n"
		 "them; so does perftool(1).\n"},
	[SUBCOMMAND_TOP] =
		{"top", OPERANDS_PROGRAM, NULL,
		 "show in which functions a program spends its time",
		 "top [OPTION]... PROGRAM [ARG]...  (or -p PID)\n",
		 "Sample the threads of a program for ten seconds, or --for so "
		 "long, and\n"
		 "print the functions in which they were, and the commands "
		 "that would\n"
		 "time them.\n",
		 "Examples:\n"
		 "  perftool top ./program\n"
		 "  perftool top -p 1234 --for 5s\n"},
	[SUBCOMMAND_SERVE] =
		{"serve", OPERANDS_PROGRAM, NULL,
		 "measure a program, and take commands from front ends",
		 "serve [OPTION]... PROGRAM [ARG]...  (or -p PID)\n",
		 "Measure a program, and take commands from front ends "
		 "meanwhile. The\n"
		 "input and the output are those of the program, and so is the "
		 "exit\n"
		 "status.\n",
		 "Examples:\n"
		 "  perftool serve ./server &\n"
		 "  perftool who          which programs are served, by which "
		 "number\n"
		 "  perftool ctl time handle_request\n"
		 "                        gives a command; needs the number if "
		 "more\n"
		 "                        than one program is served\n"
		 "  perftool ctl          a prompt: `help' lists the commands\n"
		 "  perftool serve --http -t handle_request ./server\n"
		 "                        prints the address for a browser\n"},
	[SUBCOMMAND_WHO] =
		{"who", OPERANDS_NOTHING, NULL, "list what is served",
		 "who [--json]\n",
		 "List the programs of this user that `perftool serve' "
		 "measures: the\n"
		 "number of the process, the program and its arguments.\n",
		 NULL},
	[SUBCOMMAND_CTL] =
		{"ctl", OPERANDS_SERVED, NULL,
		 "give a command to a program that is served",
		 "ctl [--socket PATH] [PID] [COMMAND]...\n",
		 "Give a command to `perftool serve', which measures process "
		 "PID; print\n"
		 "its output, and end with its status. PID may be left out if "
		 "only one\n"
		 "program is served. Without COMMAND there is a prompt, or "
		 "commands are\n"
		 "read from standard input.\n",
		 "Examples:\n"
		 "  perftool ctl 1234 time handle_request\n"
		 "  perftool ctl 1234 print legs\n"},
	[SUBCOMMAND_COMPARE] =
		{"compare", OPERANDS_FILES, NULL,
		 "say how figures differ between saved tables",
		 "compare [OPTION]... BEFORE.json AFTER.json...\n",
		 "Say how the legs of one name differ between tables that were "
		 "saved as\n"
		 "JSON, best of several runs (-r 10). BEFORE is compared with "
		 "each other\n"
		 "file: before, after, the difference with its 95 % interval, "
		 "and whether\n"
		 "that is faster, slower, or none that these runs can show. - "
		 "is standard\n"
		 "input. If a file cannot be read, nothing is written, and the "
		 "status is 125.\n",
		 "Examples:\n"
		 "  perftool -r 10 -t solve -o before.json ./program\n"
		 "  perftool -r 10 -t solve -o after.json ./program.new\n"
		 "  perftool compare before.json after.json\n"
		 "  perftool compare --fail-if 'solve: p99 > 5%' before.json "
		 "after.json\n"},
	[SUBCOMMAND_MERGE] =
		{"merge", OPERANDS_FILES, "by=rank",
		 "add up the tables of many processes",
		 "merge FILE.json... [by=rank] [-f FORMAT] [-o FILE]\n",
		 "Add up tables that several perftools have saved as JSON, for "
		 "example one\n"
		 "for each rank of an MPI program: counts, sums and histograms "
		 "of the legs of\n"
		 "one name. Percentiles are those of all executions together. "
		 "`by=rank' also\n"
		 "prints what each rank has of each leg.\n"
		 "\n"
		 "FILE.json has tables of `-f json' or of `save tables', or is "
		 "a merge; - is\n"
		 "standard input. @LIST: the names are in the file LIST, one a "
		 "line; @- reads\n"
		 "them from standard input. If a file cannot be merged, "
		 "nothing "
		 "is written,\n"
		 "and the status is 125.\n",
		 "Examples:\n"
		 "  mpirun -n 8 perftool -q -t solve -o r-%r.json ./app\n"
		 "  perftool merge r-*.json by=rank\n"
		 "  find runs -name '*.json' | perftool merge @- -o "
		 "all.json\n"},
};
