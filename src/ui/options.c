/*
 * options.c - reads the command line, and has the text of --help
 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/duration.h"

enum {
	OPTION_FOR = 256,
	OPTION_EVERY,
	OPTION_DELTA,
	OPTION_DEBUGINFO,
	OPTION_COLOR,
	OPTION_MAN,
	OPTION_CHILDREN,
	OPTION_PENDING,
	OPTION_PROFILE
};

static const struct option long_options[] = {
	{"pid", required_argument, NULL, 'p'},
	{"children", no_argument, NULL, OPTION_CHILDREN},
	{"time", required_argument, NULL, 't'},
	{"command", required_argument, NULL, 'x'},
	{"eval", required_argument, NULL, 'e'},
	{"batch", no_argument, NULL, 'b'},
	{"for", required_argument, NULL, OPTION_FOR},
	{"every", required_argument, NULL, OPTION_EVERY},
	{"delta", no_argument, NULL, OPTION_DELTA},
	{"debuginfo", required_argument, NULL, OPTION_DEBUGINFO},
	{"profile", no_argument, NULL, OPTION_PROFILE},
	{"pending", no_argument, NULL, OPTION_PENDING},
	{"output", required_argument, NULL, 'o'},
	{"format", required_argument, NULL, 'f'},
	{"quiet", no_argument, NULL, 'q'},
	{"no-rc", no_argument, NULL, 'n'},
	{"color", required_argument, NULL, OPTION_COLOR},
	{"version", no_argument, NULL, 'V'},
	{"help", no_argument, NULL, 'h'},
	{"man", required_argument, NULL, OPTION_MAN},
	{NULL, 0, NULL, 0},
};

static const char short_options[] = "+:p:t:x:e:bo:f:qnVh";

static const char help_text[] =
	"Usage: perftool [OPTION]... [--] PROGRAM [ARG]...\n"
	"       perftool [OPTION]... -p PID[,PID]...\n"
	"       perftool top [OPTION]... PROGRAM [ARG]...  (or -p PID)\n"
	"Measure how often places in a program are reached, and how long the\n"
	"code between them takes. `top' shows in which functions a program\n"
	"spends its time.\n"
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
	"      --for DURATION    in batch mode, measure this long (500ms, "
	"10s,\n"
	"                        2m), then end the program, or let go of the\n"
	"                        process that was attached to; commands that\n"
	"                        follow are run then\n"
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
	"  -q, --quiet           no greeting, no status line, no remarks on "
	"what\n"
	"                        commands did\n"
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

void options_print_help(FILE *file)
{
	fputs(help_text, file);
}

static struct error *one_of(const char *option, const char *value,
			    const char *const *choices, size_t *index)
{
	for (size_t i = 0; choices[i]; i++) {
		if (str_equal(value, choices[i])) {
			*index = i;
			return NULL;
		}
	}
	return error_create(ERROR_USAGE, "%s: `%s' is not %s, %s or %s", option,
			    value, choices[0], choices[1], choices[2]);
}

static struct error *parse_format(const char *value, struct options *out)
{
	static const char *const names[] = {"text", "json", "csv", NULL};
	static const enum report_format formats[] = {FORMAT_TEXT, FORMAT_JSON,
						     FORMAT_CSV};
	size_t index = 0;

	TRY(one_of("--format", value, names, &index));
	out->format = formats[index];
	out->format_given = true;
	return NULL;
}

static struct error *parse_color(const char *value, struct options *out)
{
	static const char *const names[] = {"auto", "always", "never", NULL};
	static const enum color colors[] = {COLOR_AUTO, COLOR_ALWAYS,
					    COLOR_NEVER};
	size_t index = 0;

	TRY(one_of("--color", value, names, &index));
	out->color = colors[index];
	return NULL;
}

/* Makes the error for a word of the command line that getopt_long() has
 * refused. `option` says how getopt_long() has refused it. */
static struct error *refused(int option, char **argv)
{
	const char *word = argv[optind - 1];
	const char *why = option == ':'       ? "needs an argument"
			  : strchr(word, '=') ? "is unknown or takes no "
						"argument"
					      : "is unknown";

	if (optopt > 0 && optopt < 256)
		return error_create(ERROR_USAGE,
				    "option -%c %s; perftool --help lists all",
				    optopt, why);
	return error_create(ERROR_USAGE,
			    "option %s %s; perftool --help lists all", word,
			    why);
}

/* Reads the process number of the option -p, or several numbers separated by
 * commas. */
static struct error *parse_pids(const char *text, struct options *out)
{
	const char *at = text;
	long number;
	char *end;

	do {
		errno = 0;
		number = strtol(at, &end, 10);
		if (!isdigit((unsigned char)*at) || (*end && *end != ',') ||
		    errno || number < 1 || number > INT_MAX)
			return error_create(
				ERROR_USAGE,
				"-p: `%s' is not the number of a process",
				text);
		vec_push(&out->pids, (int)number);
		at = end + 1;
	} while (*end);
	return NULL;
}

/* The least duration for --every, the time between two tables. With less,
 * writing the tables would be more work than measuring. */
#define LEAST_EVERY 10000000 /* ns */

static struct error *parse_every(const char *text, struct options *out)
{
	TRY(duration_parse(text, &out->every));
	if (out->every < LEAST_EVERY)
		return error_create(ERROR_USAGE,
				    "--every: `%s' is too short: the shortest "
				    "duration is 10ms",
				    text);
	return NULL;
}

static struct error *parse_one(int option, char **argv, struct options *out)
{
	switch (option) {
	case 'p':
		return parse_pids(optarg, out);
	case 't':
		vec_push(&out->tasks, (struct task){TASK_TIME, optarg});
		out->batch = true;
		return NULL;
	case 'x':
		vec_push(&out->tasks, (struct task){TASK_SCRIPT, optarg});
		return NULL;
	case 'e':
		vec_push(&out->tasks, (struct task){TASK_LINE, optarg});
		return NULL;
	case 'b':
		out->batch = true;
		return NULL;
	case OPTION_CHILDREN:
		out->children = true;
		return NULL;
	case OPTION_PROFILE:
		vec_push(&out->tasks,
			 (struct task){TASK_LINE, "profile calls"});
		vec_push(&out->tasks, (struct task){TASK_LINE, "profile on"});
		out->batch = true;
		return NULL;
	case OPTION_PENDING:
		out->pending = true;
		return NULL;
	case OPTION_FOR:
		return duration_parse(optarg, &out->duration);
	case OPTION_EVERY:
		return parse_every(optarg, out);
	case OPTION_DELTA:
		out->delta = true;
		return NULL;
	case OPTION_DEBUGINFO:
		vec_push(&out->debug_directories, optarg);
		return NULL;
	case 'o':
		out->output = optarg;
		return NULL;
	case 'f':
		return parse_format(optarg, out);
	case 'q':
		out->quiet = true;
		return NULL;
	case 'n':
		out->no_rc = true;
		return NULL;
	case OPTION_COLOR:
		return parse_color(optarg, out);
	case 'V':
		out->version = true;
		return NULL;
	case 'h':
		out->help = true;
		return NULL;
	case OPTION_MAN:
		out->man = optarg;
		return NULL;
	default:
		return refused(option, argv);
	}
}

static struct error *check(const struct options *options)
{
	if (options->format == FORMAT_CSV && !options->top &&
	    (!options->output || str_equal(options->output, "-")))
		return error_create(ERROR_USAGE,
				    "-f csv makes several files: name them "
				    "with -o");
	if (options->delta && !options->every)
		return error_create(ERROR_USAGE,
				    "--delta is for the tables that --every "
				    "writes: give --every, too");
	if (options->every && options->format == FORMAT_CSV)
		return error_create(ERROR_USAGE,
				    "--every appends to one file, and -f csv "
				    "makes a file for each table: use -f json, "
				    "which writes one object a line");
	if (options->output && !*options->output)
		return error_create(ERROR_USAGE,
				    "-o: the file's name is empty");
	if (options->children && !options->pids.count)
		return error_create(
			ERROR_USAGE,
			"--children is for a process of -p; the children of a "
			"program that perftool starts are followed anyway");
	if (options->pids.count && options->program_count)
		return error_create(ERROR_USAGE,
				    "-p measures a process that is running "
				    "already: unexpected `%s'",
				    options->program[0]);
	if (options->program_count && !*options->program[0])
		return error_create(ERROR_USAGE, "the program's name is empty");
	return NULL;
}

struct error *options_parse(int argc, char **argv, struct options *out)
{
	struct options options = {0};
	struct error *error = NULL;
	int option;

	/* A subcommand is the first word, and its options follow it. `perftool
	 * -- top` runs a program of that name. */
	if (argc > 1 && str_equal(argv[1], "top")) {
		options.top = options.batch = true;
		argv++;
		argc--;
	}
	opterr = 0;
	/* An optind of 0, and not of 1, makes getopt_long() of glibc forget the
	 * state of an earlier call. */
	optind = 0;
	while (!error && (option = getopt_long(argc, argv, short_options,
					       long_options, NULL)) != -1)
		error = parse_one(option, argv, &options);
	options.program = argv + optind;
	options.program_count = argc - optind;
	if (!error && !options.help && !options.version)
		error = check(&options);
	if (error) {
		options_deinit(&options);
		return error;
	}
	*out = options;
	return NULL;
}

/* Does the word have the form and the name of an option of perftool? The
 * question is about the arguments of the program, which the user may have meant
 * for perftool. */
static bool is_option(const char *word)
{
	size_t length;

	if (*word++ != '-')
		return false;
	if (*word != '-')
		return isalpha((unsigned char)*word) && !word[1] &&
		       strchr(short_options, *word);
	length = strcspn(++word, "=");
	for (const struct option *at = long_options; at->name; at++)
		if (strlen(at->name) == length &&
		    strncmp(at->name, word, length) == 0)
			return true;
	return false;
}

const char *options_behind(const struct options *options)
{
	for (int i = 1; i < options->program_count; i++) {
		const char *word = options->program[i];

		if (str_equal(word, "--"))
			break;
		if (is_option(word))
			return word;
	}
	return NULL;
}

void options_deinit(struct options *options)
{
	vec_free(&options->pids);
	vec_free(&options->tasks);
	vec_free(&options->debug_directories);
}
