/*
 * usage.c - see usage.h
 */
#include "usage.h"

static const char of_program[] =
	"Usage: perftool [OPTION]... [--] PROGRAM [ARG]...\n"
	"       perftool [OPTION]... -p PID[,PID]...\n"
	"       perftool top [OPTION]... PROGRAM [ARG]...  (or -p PID)\n"
	"       perftool serve [OPTION]... PROGRAM [ARG]...  (or -p PID)\n"
	"       perftool who [--json]\n"
	"       perftool ctl [--socket PATH] [PID] [COMMAND]...\n"
	"       perftool compare [OPTION]... BEFORE.json AFTER.json...\n"
	"Measure how often places in a program are reached, and how long the\n"
	"code between them takes. `top' shows in which functions a program\n"
	"spends its time. `serve' takes commands from front ends while it\n"
	"measures, `who' lists what is served, and `ctl' gives commands to "
	"it.\n"
	"`compare' says how figures differ between saved tables.\n"
	"\n"
	"  -p, --pid PID         attach to a process that is running already\n"
	"                        (repeatable; PID,PID)\n"
	"      --children        attach also to the children that it has\n"
	"  -t, --time FUNC       time every call of FUNC (repeatable; globs);\n"
	"                        implies --batch; 'FUNC if COND': only the "
	"calls\n"
	"                        for which COND is true\n"
	"      --profile         profile the program: ticks of the clock, and\n"
	"                        all calls of its functions; implies --batch\n"
	"  -x, --command FILE    run the commands in FILE (repeatable); - is\n"
	"                        standard input\n"
	"  -e, --eval COMMAND    run one command (repeatable)\n"
	"  -b, --batch           no prompt: if the commands have not run the\n"
	"                        program, run it and print the tables\n"
	"  -r, --repeat N        run the program N times, and show each figure\n"
	"                        with its spread over the runs; implies "
	"--batch\n"
	"      --warmup N        with -r: run it N times before, unmeasured\n"
	"      --for DURATION    in batch mode, measure this long (500ms, "
	"10s,\n"
	"                        2m), then end the program, or let go of the\n"
	"                        process that was attached to; commands that\n"
	"                        follow are run then\n"
	"      --socket PATH     where `serve' listens and `ctl' connects; "
	"else\n"
	"                        PID.sock in $XDG_RUNTIME_DIR/perftool or\n"
	"                        /tmp/perftool-UID\n"
	"      --wait-front-end[=DURATION]\n"
	"                        serve: hold the program before its first\n"
	"                        instruction until a front end has answered\n"
	"                        START, at most DURATION\n"
	"      --http[=PORT]     serve: also serve a live page to a browser "
	"on\n"
	"                        this machine, and print its address; PORT is\n"
	"                        one that is free if none is given\n"
	"      --pending         keep names that neither the program nor its\n"
	"                        libraries have, for what is loaded later\n"
	"      --every DURATION  in batch mode, write the tables each time "
	"this much\n"
	"                        was measured, and at the end as always\n"
	"      --delta           with --every: only what was counted since "
	"the\n"
	"                        last tables\n"
	"      --debuginfo DIR   look for separate debug information in DIR "
	"too\n"
	"                        (repeatable)\n"
	"  -o, --output FILE     tables and reports go to FILE; - is standard\n"
	"                        output. Without it batch mode's report goes "
	"to\n"
	"                        standard error\n"
	"  -f, --format FORMAT   form of batch mode's report: text, json, or "
	"csv\n"
	"                        (-o y.csv: y-nodes.csv, y-legs.csv and so "
	"on)\n"
	"  -q, --quiet           no greeting, no status line; in batch mode, "
	"no\n"
	"                        remarks on what commands did\n"
	"  -n, --no-rc           do not run the start-up file\n"
	"      --color WHEN      auto, always or never\n"
	"  -V, --version         print the version\n"
	"  -h, --help            print this\n"
	"\n"
	"Examples:\n"
	"  perftool -t 'PyDict_*' python3 script.py\n"
	"                        how often, and how long, each of these takes\n"
	"  perftool -p 1234 --for 10s -t handle_request -o report.txt\n"
	"                        the same in a server that is at work\n"
	"  perftool -b -e 'add leg begin finish' ./program\n"
	"                        how long it takes from one place to another\n"
	"\n"
	"Without a terminal on standard input, and without -x, -e or -t,\n"
	"commands are read from standard input. `help' at the prompt lists\n"
	"them; so does perftool(1).\n";

/* What `serve' has, and how front ends reach it. */
static const char of_serve[] =
	"Usage: perftool serve [OPTION]... [--] PROGRAM [ARG]...\n"
	"       perftool serve [OPTION]... -p PID\n"
	"Measure a program, and take commands from front ends meanwhile. The\n"
	"input and the output are those of the program, and so is the exit\n"
	"status.\n"
	"\n"
	"  -p, --pid PID         serve a process that is running already\n"
	"  -t, --time FUNC       begin with timing every call of FUNC\n"
	"  -e, --eval COMMAND    begin with this command; -x FILE: with those\n"
	"                        in FILE\n"
	"      --socket PATH     listen there; else at PID.sock in\n"
	"                        $XDG_RUNTIME_DIR/perftool or "
	"/tmp/perftool-UID\n"
	"      --wait-front-end[=DURATION]\n"
	"                        hold the program before its first\n"
	"                        instruction until a front end has answered\n"
	"                        START, at most DURATION\n"
	"      --http[=PORT]     also serve a live page to a browser on this\n"
	"                        machine, and print its address; PORT is one\n"
	"                        that is free if none is given\n"
	"  -o, -f, -q, -n        as for perftool: see perftool --help\n"
	"\n"
	"Examples:\n"
	"  perftool serve ./server &\n"
	"  perftool who          which programs are served, by which number\n"
	"  perftool ctl time handle_request\n"
	"                        gives a command; needs the number if more\n"
	"                        than one program is served\n"
	"  perftool ctl          a prompt: `help' lists the commands\n"
	"  perftool serve --http -t handle_request ./server\n"
	"                        prints the address for a browser\n";

static const char of_who[] =
	"Usage: perftool who [--json]\n"
	"List the programs of this user that `perftool serve' measures: the\n"
	"number of the process, the program and its arguments. --json adds\n"
	"the server's own number, the socket, and since when it serves.\n";

static const char of_ctl[] =
	"Usage: perftool ctl [--socket PATH] [PID] [COMMAND]...\n"
	"Give a command to `perftool serve', which measures process PID; "
	"print\n"
	"its output, and end with its status. PID may be left out if only one\n"
	"program is served. Without COMMAND there is a prompt, or commands "
	"are\n"
	"read from standard input.\n"
	"\n"
	"      --socket PATH     where the server listens, if it was given a\n"
	"                        socket of its own\n"
	"\n"
	"Examples:\n"
	"  perftool ctl 1234 time handle_request\n"
	"  perftool ctl 1234 print legs\n";

static const char of_compare[] =
	"Usage: perftool compare [OPTION]... BEFORE.json AFTER.json...\n"
	"Say how the legs of the same name differ between tables that were\n"
	"saved by `-f json -o FILE', best of several runs (-r 10). BEFORE is\n"
	"compared with each other file: before, after, the difference with its\n"
	"95 % interval, and whether that is faster, slower, or none that these\n"
	"runs can show. - is standard input.\n"
	"\n"
	"      --fail-if COND    end with status 1 if COND holds (repeatable):\n"
	"                        [LEG:]FIGURE OP NUMBER[%], where FIGURE is\n"
	"                        count, total, mean, p50 or p99, and OP is >, >=,\n"
	"                        < or <=. With % the difference is meant, as far\n"
	"                        as the runs show one, else the value after, of\n"
	"                        a time with a unit (ns without one)\n"
	"  -f, --format FORMAT   text, json, or csv; without it the ending of\n"
	"                        FILE decides\n"
	"  -o, --output FILE     write to FILE and not to standard output\n"
	"\n"
	"Examples:\n"
	"  perftool -r 10 -t solve -f json -o before.json ./program\n"
	"  perftool -r 10 -t solve -f json -o after.json ./program.new\n"
	"  perftool compare before.json after.json\n"
	"  perftool compare --fail-if 'solve: p99 > 5%' before.json after.json\n";

void usage_print(FILE *file, enum subcommand subcommand)
{
	switch (subcommand) {
	case SUBCOMMAND_SERVE:
		fputs(of_serve, file);
		break;
	case SUBCOMMAND_WHO:
		fputs(of_who, file);
		break;
	case SUBCOMMAND_CTL:
		fputs(of_ctl, file);
		break;
	case SUBCOMMAND_COMPARE:
		fputs(of_compare, file);
		break;
	case SUBCOMMAND_NONE:
	case SUBCOMMAND_TOP:
		fputs(of_program, file);
		break;
	}
}
