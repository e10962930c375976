/*
 * fields.c - see fields.h
 */
#include "fields.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

#include "arguments.h"
#include "table.h"
#include "tokenizer.h"

static const char *const types[] = {"node", "leg", NULL};
static const char *const classes[] = {"linear", "log", "hdr", NULL};

/* What the value of a field is. */
enum form { FORM_NODE, FORM_ID, FORM_NUMBER, FORM_CHOICE };

static const struct {
	const char *name; /* as the memo's window has it */
	enum form form;
	const char *what; /* for errors */
	const char *const *choices;
	const char *complete; /* as an item of table.h */
} kinds[FIELD_COUNT] = {
	[FIELD_FROM_NODE] = {"From Node", FORM_NODE, "node", NULL, "@node|*"},
	[FIELD_TO_NODE] = {"To Node", FORM_NODE, "node", NULL, "@node|*"},
	[FIELD_LEG] = {"Leg", FORM_ID, "leg", NULL, "@leg"},
	[FIELD_PROCESS] = {"Process", FORM_ID, "process", NULL, "@process"},
	[FIELD_TYPE] = {"Type", FORM_CHOICE, "type", types, "node|leg"},
	[FIELD_CLASS] = {"Class", FORM_CHOICE, "class of histogram", classes,
			 "linear|log|hdr"},
	[FIELD_HISTOGRAM_NODE] = {"Histogram Node", FORM_ID, "node", NULL,
				  "@node"},
	[FIELD_HISTOGRAM_LEG] = {"Histogram Leg", FORM_ID, "leg", NULL, "@leg"},
	[FIELD_BUCKETS] = {"Buckets", FORM_NUMBER, "number of buckets", NULL,
			   ""},
	[FIELD_SCALE] = {"Scale", FORM_NUMBER, "scale", NULL, ""},
	[FIELD_BASE] = {"Base", FORM_NUMBER, "base", NULL, ""},
};

void fields_deinit(struct fields *fields)
{
	for (size_t i = 0; i < FIELD_COUNT; i++)
		free(fields->values[i]);
}

/* Is the name at the text, with any blanks between its words, and a colon
 * behind it? Past the colon; NULL: it is not. */
static const char *after_name(const char *text, const char *name)
{
	for (; *name; name++) {
		if (*name == ' ' && isspace((unsigned char)*text))
			text = token_skip_blanks(text);
		else if (tolower((unsigned char)*name) ==
			 tolower((unsigned char)*text))
			text++;
		else
			return NULL;
	}
	return *text == ':' ? text + 1 : NULL;
}

/* The field whose name is at the text; FIELD_COUNT: none. */
static enum field field_at(const char *text, const char **after)
{
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		*after = after_name(text, kinds[i].name);
		if (*after)
			return (enum field)i;
	}
	return FIELD_COUNT;
}

bool fields_are_in(const char *line)
{
	const char *after;

	return field_at(token_skip_blanks(line), &after) != FIELD_COUNT;
}

/* Where the value at the text ends: where another field begins. */
static size_t value_length(const char *text)
{
	size_t end = strlen(text);
	const char *after;

	for (size_t i = 0; i < end; i++)
		if ((i == 0 || isspace((unsigned char)text[i - 1])) &&
		    (field_at(text + i, &after) != FIELD_COUNT ||
		     token_is_comment(text + i)))
			end = i;
	while (end && isspace((unsigned char)text[end - 1]))
		end--;
	return end;
}

/* ---- values ---------------------------------------------------------------
 */

/* A number of the memo, in decimal: 10B is octal. */
static char *in_decimal(const char *word)
{
	size_t sign = *word == '-', digits = strspn(word + sign, "01234567");
	const char *mark = word + sign + digits;

	if (!digits || (*mark != 'B' && *mark != 'b') || mark[1])
		return xstrdup(word);
	return xasprintf("%s%llu", sign ? "-" : "",
			 strtoull(word + sign, NULL, 8));
}

static struct error *check_number(enum field field, const char *word)
{
	uint32_t id;
	int64_t number;

	if (kinds[field].form == FORM_NUMBER)
		return argument_number(word, kinds[field].what, INT64_MIN,
				       INT64_MAX, &number);
	if (kinds[field].form == FORM_NODE && str_equal(word, "*"))
		return NULL;
	return argument_id(word, kinds[field].what, &id);
}

static struct error *read_value(enum field field, const char *text,
				char **value)
{
	size_t choice = 0;
	struct error *error;

	if (kinds[field].form == FORM_CHOICE) {
		TRY(command_choose(text, kinds[field].what,
				   kinds[field].choices, &choice));
		*value = xstrdup(kinds[field].choices[choice]);
		return NULL;
	}
	*value = in_decimal(text);
	error = check_number(field, *value);
	if (!error)
		return NULL;
	free(*value);
	*value = NULL;
	return error;
}

struct error *fields_set(struct fields *fields, const char *line)
{
	struct fields read = {0};
	bool is_set[FIELD_COUNT] = {0};
	struct error *error = NULL;
	const char *text = token_skip_blanks(line);

	while (!error && *text && !token_is_comment(text)) {
		const char *after;
		enum field field = field_at(text, &after);
		size_t length;
		CLEANUP(free_pointer) char *value = NULL;

		after = token_skip_blanks(after);
		length = value_length(after);
		value = xstrndup(after, length);
		free(read.values[field]);
		read.values[field] = NULL;
		is_set[field] = true;
		if (length)
			error = read_value(field, value, &read.values[field]);
		text = token_skip_blanks(after + length);
	}
	for (size_t i = 0; !error && i < FIELD_COUNT; i++) {
		if (!is_set[i])
			continue;
		free(fields->values[i]);
		fields->values[i] = read.values[i];
		read.values[i] = NULL;
	}
	fields_deinit(&read);
	return error;
}

/* ---- commands --------------------------------------------------------------
 */

static const char *value_of(const struct fields *fields, enum field field)
{
	return fields->values[field];
}

static void add_option(const struct fields *fields, enum field field,
		       const char *name, struct str *out)
{
	if (value_of(fields, field))
		str_printf(out, " %s=%s", name, value_of(fields, field));
}

/* `add`, `delete` or `print` of the histogram that the fields name. */
static char *fill_histogram(const struct fields *fields, const char *command,
			    bool adds)
{
	const char *type = value_of(fields, FIELD_TYPE);
	const char *class = value_of(fields, FIELD_CLASS);
	bool of_leg = type && str_equal(type, "leg");
	const char *id = value_of(fields, of_leg ? FIELD_HISTOGRAM_LEG
						 : FIELD_HISTOGRAM_NODE);
	struct str out = {0};

	if (!id)
		return NULL;
	str_printf(&out, "%s histogram %s %s", command, of_leg ? "leg" : "node",
		   id);
	if (adds) {
		str_printf(&out, " %s", class ? class : "linear");
		add_option(fields, FIELD_BUCKETS, "buckets", &out);
		add_option(fields, FIELD_SCALE, "scale", &out);
		/* the memo: for linear histograms */
		if (!class || str_equal(class, "linear"))
			add_option(fields, FIELD_BASE, "base", &out);
	}
	return str_take(&out);
}

static char *fill_add_leg(const struct fields *fields)
{
	const char *from = value_of(fields, FIELD_FROM_NODE);
	const char *to = value_of(fields, FIELD_TO_NODE);

	return from && to ? xasprintf("add leg %s %s", from, to) : NULL;
}

static char *fill_delete_leg(const struct fields *fields)
{
	const char *leg = value_of(fields, FIELD_LEG);

	return leg ? xasprintf("delete leg %s", leg) : NULL;
}

/* The memo: if Process is empty, all are tracked. */
static char *fill_set_process(const struct fields *fields)
{
	const char *process = value_of(fields, FIELD_PROCESS);

	return xasprintf("set process %s", process ? process : "all");
}

static char *fill_add(const struct fields *fields)
{
	return fill_histogram(fields, "add", true);
}

static char *fill_delete(const struct fields *fields)
{
	return fill_histogram(fields, "delete", false);
}

static char *fill_print(const struct fields *fields)
{
	return fill_histogram(fields, "print", false);
}

static const struct {
	const char *words;
	char *(*fill)(const struct fields *fields);
} commands[] = {
	{"add leg", fill_add_leg},
	{"add leg!", fill_add_leg},
	{"delete leg", fill_delete_leg},
	{"delete leg!", fill_delete_leg},
	{"set process", fill_set_process},
	{"set process!", fill_set_process},
	{"add!", fill_add},
	{"delete!", fill_delete},
	{"print!", fill_print},
};

/* The words of a line, with one blank between them, without a comment. */
static char *words_of(const char *line)
{
	struct str words = {0};

	line = token_skip_blanks(line);
	while (*line && !token_is_comment(line)) {
		size_t length = strcspn(line, " \t");

		if (words.length)
			str_append_char(&words, ' ');
		str_append_n(&words, line, length);
		line = token_skip_blanks(line + length);
	}
	return str_take(&words);
}

char *fields_fill(const struct fields *fields, const char *line)
{
	CLEANUP(free_pointer) char *words = words_of(line);

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strcasecmp(words, commands[i].words) == 0)
			return commands[i].fill(fields);
	return NULL;
}

const char *fields_complete(const char *line, size_t *start)
{
	enum field last = FIELD_COUNT, field;
	const char *after;

	if (!fields_are_in(line))
		return NULL;
	for (const char *text = line; *text; text++) {
		if (text > line && !isspace((unsigned char)text[-1]))
			continue;
		field = field_at(text, &after);
		if (field == FIELD_COUNT)
			continue;
		last = field;
		*start = (size_t)(token_skip_blanks(after) - line);
	}
	return last == FIELD_COUNT ? NULL : kinds[last].complete;
}
