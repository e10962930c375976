/*
 * options.c - reads the command line
 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/duration.h"
#include "perftool/base/path.h"

#include "option_table.h"

/* The options of option_table.h in the form that getopt_long() reads. */
struct getopt_options {
	VEC(struct option) names;
	struct str letters;
};

static void getopt_options_init(struct getopt_options *out)
{
	/* `+`: the options end at the first word that is none. `:`: a missing
	 * argument is told from an unknown option. */
	str_append(&out->letters, "+:");
	for (const struct option_entry *at = option_table; at->name; at++) {
		/* an option with several rows takes the same argument in each
		 */
		int argument = !at->argument          ? no_argument
			       : *at->argument == '[' ? optional_argument
						      : required_argument;

		vec_push(&out->names,
			 (struct option){at->name, argument, NULL, at->key});
		if (at->key < OPTION_FOR)
			str_printf(&out->letters, "%c%s", at->key,
				   argument == required_argument ? ":" : "");
	}
	vec_push(&out->names, (struct option){0});
}

static void getopt_options_deinit(struct getopt_options *options)
{
	vec_free(&options->names);
	str_deinit(&options->letters);
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
	static const enum perftool_format formats[] = {PERFTOOL_FORMAT_TEXT,
						       PERFTOOL_FORMAT_JSON,
						       PERFTOOL_FORMAT_CSV};
	size_t index = 0;

	TRY(one_of("--format", value, names, &index));
	out->format = formats[index];
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

static struct error *parse_port(const char *text, struct options *out)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno ||
	    number > UINT16_MAX)
		return error_create(ERROR_USAGE,
				    "--http: `%s' is not the number of a port "
				    "(1 to 65535; 0 means one that is free)",
				    text);
	out->port = (uint16_t)number;
	return NULL;
}

/* Reads a number of runs. */
static struct error *parse_runs(const char *option, const char *text,
				size_t least, size_t *out)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || number < least ||
	    number > RUNS_MAX)
		return error_create(ERROR_USAGE,
				    "%s: `%s' is not a number of runs (%zu to "
				    "%d)",
				    option, text, least, RUNS_MAX);
	*out = number;
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
	case OPTION_SOCKET:
		out->socket = optarg;
		return NULL;
	case OPTION_WAIT:
		out->waits_for_front_end = true;
		return optarg ? duration_parse(optarg, &out->patience) : NULL;
	case OPTION_HTTP:
		out->has_page = true;
		return optarg ? parse_port(optarg, out) : NULL;
	case OPTION_JSON:
		out->json = true;
		return NULL;
	case OPTION_FAIL_IF:
		vec_push(&out->conditions, optarg);
		return NULL;
	case 'r':
		out->batch = true;
		return parse_runs("--repeat", optarg, 1, &out->runs);
	case OPTION_WARMUP:
		return parse_runs("--warmup", optarg, 0, &out->warmups);
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

/* Checks the options that belong to one subcommand. */
static struct error *check_subcommand(const struct options *options)
{
	enum subcommand subcommand = options->subcommand;

	if (options->socket && subcommand != SUBCOMMAND_SERVE &&
	    subcommand != SUBCOMMAND_CTL)
		return error_create(ERROR_USAGE,
				    "--socket is for `perftool serve' and "
				    "`perftool ctl'");
	if (options->waits_for_front_end && subcommand != SUBCOMMAND_SERVE)
		return error_create(ERROR_USAGE,
				    "--wait-front-end is for `perftool serve'");
	if (options->waits_for_front_end && options->pids.count)
		return error_create(ERROR_USAGE,
				    "--wait-front-end is for a program that "
				    "perftool starts, not for a process of -p");
	if (options->has_page && subcommand != SUBCOMMAND_SERVE)
		return error_create(ERROR_USAGE,
				    "--http is for `perftool serve'");
	if (options->json && subcommand != SUBCOMMAND_WHO)
		return error_create(ERROR_USAGE,
				    "--json is for `perftool who'; "
				    "-f json is the form of "
				    "reports");
	if (options->conditions.count && subcommand != SUBCOMMAND_COMPARE)
		return error_create(ERROR_USAGE,
				    "--fail-if is for `perftool compare'; the "
				    "command `expect' judges one run");
	if (subcommand == SUBCOMMAND_COMPARE && options->program_count < 2)
		return error_create(ERROR_USAGE,
				    "compare: give at least two files of `-f "
				    "json': perftool compare BEFORE.json "
				    "AFTER.json");
	if (subcommand_table[subcommand].operands == OPERANDS_FILES &&
	    (options->pids.count || options->tasks.count || options->duration ||
	     options->every))
		return error_create(
			ERROR_USAGE,
			"%s: it reads tables that were saved, "
			"and measures nothing: of the options it "
			"has -f, -o%s and -q",
			subcommand_table[subcommand].word,
			subcommand == SUBCOMMAND_COMPARE ? ", --fail-if" : "");
	if (subcommand == SUBCOMMAND_WHO && options->program_count)
		return error_create(ERROR_USAGE, "who: unexpected `%s'",
				    options->program[0]);
	return NULL;
}

/* Returns what cannot be done several times, or NULL. */
static const char *unrepeatable(const struct options *options)
{
	if (options->pids.count)
		return "-p measures a process that is running already, and "
		       "nobody can start it again";
	if (options->subcommand)
		return "it is for programs that perftool starts and measures "
		       "to their end, without a subcommand";
	if (options->every || options->delta)
		return "--every writes tables during a run, and the report of "
		       "several runs comes at their end";
	for (size_t i = 0; i < options->tasks.count; i++)
		if (options->tasks.data[i].kind == TASK_SCRIPT &&
		    str_equal(options->tasks.data[i].text, "-"))
			return "the commands of standard input can be read "
			       "once only: put them into a file, and give -x "
			       "FILE";
	if (!options->program_count)
		return "there is no program to run";
	if (!options->tasks.count)
		return "say what is to be measured in each run: give -t, -e or "
		       "-x";
	return NULL;
}

static struct error *check_repeat(const struct options *options)
{
	const char *why = unrepeatable(options);

	if (options->warmups && !options->runs)
		return error_create(ERROR_USAGE,
				    "--warmup is for --repeat: give -r N, too");
	if (options->runs && why)
		return error_create(ERROR_USAGE, "--repeat: %s", why);
	return NULL;
}

static struct error *check(const struct options *options)
{
	TRY(check_subcommand(options));
	TRY(check_repeat(options));
	if (options->format == PERFTOOL_FORMAT_CSV &&
	    options->subcommand != SUBCOMMAND_TOP &&
	    options->subcommand != SUBCOMMAND_COMPARE &&
	    (!options->output || str_equal(options->output, "-")))
		return error_create(ERROR_USAGE,
				    "-f csv makes several files: name them "
				    "with -o");
	if (options->delta && !options->every)
		return error_create(ERROR_USAGE,
				    "--delta is for the tables that --every "
				    "writes: give --every, too");
	if (options->every && options->format == PERFTOOL_FORMAT_CSV)
		return error_create(ERROR_USAGE,
				    "--every appends to one file, and %s makes "
				    "a file for each table: use -f json, which "
				    "writes one object a line",
				    options->format_by_name ? "a name in .csv"
							    : "-f csv");
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

/* Without -f, the ending of the report's file chooses its form. The tables of
 * CSV are a file each: what commands print has no place there, so that the
 * ending chooses CSV only where perftool writes a report by itself. */
static void choose_format(struct options *options)
{
	if (options->format || !options->output)
		return;
	if (path_has_ending(options->output, ".json"))
		options->format = PERFTOOL_FORMAT_JSON;
	else if (options->batch && path_has_ending(options->output, ".csv"))
		options->format = PERFTOOL_FORMAT_CSV;
	options->format_by_name = options->format != PERFTOOL_FORMAT_AS_SET;
}

static enum subcommand find_subcommand(const char *word)
{
	for (size_t i = SUBCOMMAND_NONE + 1; i < SUBCOMMAND_COUNT; i++)
		if (str_equal(word, subcommand_table[i].word))
			return (enum subcommand)i;
	return SUBCOMMAND_NONE;
}

struct error *options_parse(int argc, char **argv, struct options *out)
{
	struct getopt_options known = {0};
	struct options options = {0};
	struct error *error = NULL;
	const char *letters;
	int option;

	/* A subcommand is the first word, and its options follow it. `perftool
	 * -- top` runs a program of that name. */
	options.subcommand = find_subcommand(argc > 1 ? argv[1] : "");
	if (options.subcommand) {
		options.batch = true;
		argv++;
		argc--;
	}
	opterr = 0;
	/* An optind of 0, and not of 1, makes getopt_long() of glibc forget the
	 * state of an earlier call. */
	optind = 0;
	getopt_options_init(&known);
	/* Options may follow the files of a subcommand: without `+` they need
	 * not be the first words. */
	letters = str_text(&known.letters);
	if (subcommand_table[options.subcommand].operands == OPERANDS_FILES)
		letters++;
	while (!error && (option = getopt_long(argc, argv, letters,
					       known.names.data, NULL)) != -1)
		error = parse_one(option, argv, &options);
	getopt_options_deinit(&known);
	options.program = argv + optind;
	options.program_count = argc - optind;
	choose_format(&options);
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
	if (*word != '-' && (!isalpha((unsigned char)*word) || word[1]))
		return false;
	length = strcspn(word + 1, "=");
	for (const struct option_entry *at = option_table; at->name; at++) {
		if (*word != '-' && at->key == *word)
			return true;
		if (*word == '-' && strlen(at->name) == length &&
		    strncmp(at->name, word + 1, length) == 0)
			return true;
	}
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
	vec_free(&options->conditions);
}
