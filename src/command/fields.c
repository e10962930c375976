/*
 * fields.c - see fields.h. This file knows the names of the fields, the values
 * that they accept, and the commands that take their arguments from them.
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

/* Which kind of value a field has. */
enum form { FORM_NODE, FORM_ID, FORM_NUMBER, FORM_CHOICE };

static const struct {
	const char *name; /* the field's name in the memo's window */
	enum form form;
	const char *what; /* the name of the value in error messages */
	const char *const *choices;
	/* the candidates for completing the value: an item as table.h describes
	 * it for `complete` */
	const char *complete;
	const char *empty;   /* what the commands do if the field is empty; "":
			      * nothing special */
	const char *about;   /* a description of the value, for the user */
	int64_t least, most; /* the least and the greatest value of a field with
			      * FORM_NUMBER */
} kinds[FIELD_COUNT] = {
	[FIELD_FROM_NODE] = {.name = "From Node",
			     .form = FORM_NODE,
			     .what = "node",
			     .complete = "@node|*",
			     .empty = "",
			     .about = "the node at which a leg begins: a "
				      "number, or * for each node"},
	[FIELD_TO_NODE] = {.name = "To Node",
			   .form = FORM_NODE,
			   .what = "node",
			   .complete = "@node|*",
			   .empty = "",
			   .about = "the node at which a leg ends: a number, "
				    "or * for each node"},
	[FIELD_LEG] =
		{.name = "Leg",
		 .form = FORM_ID,
		 .what = "leg",
		 .complete = "@leg",
		 .empty = "",
		 .about = "the number of the leg that `Delete Leg!' deletes"},
	[FIELD_PROCESS] = {.name = "Process",
			   .form = FORM_ID,
			   .what = "process",
			   .complete = "@process",
			   .empty = "all",
			   .about = "the number of the process that `Set "
				    "Process!' tracks"},
	[FIELD_TYPE] = {.name = "Type",
			.form = FORM_CHOICE,
			.what = "type",
			.choices = types,
			.complete = "node|leg",
			.empty = "node",
			.about = "whether `Add!', `Delete!', `Print!' are of a "
				 "node or a leg"},
	[FIELD_CLASS] = {.name = "Class",
			 .form = FORM_CHOICE,
			 .what = "class of histogram",
			 .choices = classes,
			 .complete = "linear|log|hdr",
			 .empty = "linear",
			 .about =
				 "the class of the histogram that `Add!' adds"},
	[FIELD_HISTOGRAM_NODE] =
		{.name = "Histogram Node",
		 .form = FORM_ID,
		 .what = "node",
		 .complete = "@node",
		 .empty = "",
		 .about = "the number of the node whose histogram is meant"},
	[FIELD_HISTOGRAM_LEG] =
		{.name = "Histogram Leg",
		 .form = FORM_ID,
		 .what = "leg",
		 .complete = "@leg",
		 .empty = "",
		 .about = "the number of the leg whose histogram is meant"},
	[FIELD_BUCKETS] = {.name = "Buckets",
			   .form = FORM_NUMBER,
			   .what = "number of buckets",
			   .complete = "",
			   .empty = "linear 8, log 48",
			   .least = 1,
			   .most = 65536,
			   .about = "how many buckets a linear or log "
				    "histogram has, 1 to 65536"},
	[FIELD_SCALE] = {.name = "Scale",
			 .form = FORM_NUMBER,
			 .what = "scale",
			 .complete = "",
			 .empty = "node 1, leg 0",
			 .least = 0,
			 .most = INT64_MAX,
			 .about = "0 or more: divides a node's value, or "
				  "shifts a leg's time"},
	[FIELD_BASE] =
		{.name = "Base",
		 .form = FORM_NUMBER,
		 .what = "base",
		 .complete = "",
		 .empty = "0",
		 .least = INT64_MIN,
		 .most = INT64_MAX,
		 .about =
			 "where the first bucket of a linear histogram begins"},
};

void fields_deinit(struct fields *fields)
{
	for (size_t i = 0; i < FIELD_COUNT; i++)
		free(fields->values[i]);
}

/* If the text begins with the name of a field, returns the position after the
 * name. Any number of blanks may stand between the words of the name. Otherwise
 * returns NULL. */
static const char *after_words(const char *text, const char *name)
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
	return text;
}

/* If the text begins with `NAME:', returns the position after the colon.
 * Otherwise returns NULL. */
static const char *after_name(const char *text, const char *name)
{
	text = after_words(text, name);
	return text && *text == ':' ? text + 1 : NULL;
}

/* Returns the field whose name and colon stand at the beginning of the text,
 * and sets `*after` to the position after the colon. Returns FIELD_COUNT if the
 * text does not begin with a field. */
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

struct error *fields_without_colon(const char *line)
{
	line = token_skip_blanks(line);
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		const char *value = after_words(line, kinds[i].name);
		size_t length;

		if (!value || (*value && !isspace((unsigned char)*value)))
			continue;
		value = token_skip_blanks(value);
		length = token_without_comment(value);
		return error_create(
			ERROR_USAGE,
			"the field %s needs a colon: write `%s: %.*s'",
			kinds[i].name, kinds[i].name, length ? (int)length : 5,
			length ? value : "VALUE");
	}
	return NULL;
}

/* Returns the last field that the line names: the line ends in the value of
 * this field. Returns FIELD_COUNT if the line names no field. `*start` gets the
 * position where the value begins; `start` may be NULL. */
static enum field last_field(const char *line, size_t *start)
{
	enum field last = FIELD_COUNT, field;
	const char *after;

	if (!fields_are_in(line))
		return FIELD_COUNT;
	for (const char *text = line; *text; text++) {
		if (text > line && !isspace((unsigned char)text[-1]))
			continue;
		field = field_at(text, &after);
		if (field == FIELD_COUNT)
			continue;
		last = field;
		if (start)
			*start = (size_t)(token_skip_blanks(after) - line);
	}
	return last;
}

void fields_tell(const char *line, struct str *out)
{
	enum field field = last_field(line, NULL);

	if (field == FIELD_COUNT)
		return;
	str_printf(out, "%s: %s", kinds[field].name, kinds[field].about);
	if (*kinds[field].empty)
		str_printf(out, " (empty: %s)", kinds[field].empty);
	str_append_char(out, '\n');
}

void fields_describe(struct str *out)
{
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		CLEANUP(free_pointer)
		char *name = xasprintf("%s:", kinds[i].name);

		str_printf(out, "  %-16s %s\n", name, kinds[i].about);
	}
}

bool fields_is_name(const char *text)
{
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		const char *behind = after_words(text, kinds[i].name);

		if (behind && (!*behind || *behind == ':'))
			return true;
	}
	return false;
}

/* Returns the name of a field with its colon, as a candidate for completion. If
 * the user's text begins with a small letter, the name is in small letters. The
 * caller frees the result. */
static char *as_typed(const char *text, const char *name)
{
	char *copy = xasprintf("%s:", name);

	for (char *at = copy; islower((unsigned char)*text) && *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return copy;
}

void fields_complete_name(const char *text, struct words *out)
{
	for (size_t i = 0; *text && i < FIELD_COUNT; i++)
		if (str_starts_nocase(kinds[i].name, text))
			vec_push(out, as_typed(text, kinds[i].name));
}

/* Returns the length of the field value that begins at the text. The value ends
 * where another field or a comment begins. */
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

/* Returns a copy of a number without its leading zeros. Commands would read a
 * number with leading zeros as octal; in the memo, an octal number has a B
 * after its digits instead. The caller frees the result. */
static char *as_number(const char *word)
{
	size_t sign = *word == '-';
	const char *number = word + sign;

	if (number[strspn(number, "0123456789")] == '\0')
		while (number[0] == '0' && number[1])
			number++;
	return xasprintf("%s%s", sign ? "-" : "", number);
}

static struct error *check_number(enum field field, const char *word)
{
	uint32_t id;
	int64_t number;

	if (kinds[field].form == FORM_NUMBER)
		return argument_number(word, kinds[field].what,
				       kinds[field].least, kinds[field].most,
				       &number);
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
	*value = as_number(text);
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

/* Returns the field that holds the number of the node or leg that has the
 * histogram. The field `Type` says which of the two. */
static enum field owner_field(const struct fields *fields)
{
	const char *type = value_of(fields, FIELD_TYPE);

	return type && str_equal(type, "leg") ? FIELD_HISTOGRAM_LEG
					      : FIELD_HISTOGRAM_NODE;
}

/* Returns the line of the command `add`, `delete` or `print` for the histogram
 * that the fields name, or NULL if the number of the node or leg is missing. */
static char *fill_histogram(const struct fields *fields, const char *command,
			    bool adds)
{
	const char *class = value_of(fields, FIELD_CLASS);
	enum field owner = owner_field(fields);
	const char *id = value_of(fields, owner);
	struct str out = {0};

	if (!id)
		return NULL;
	str_printf(&out, "%s histogram %s %s", command, kinds[owner].what, id);
	if (adds) {
		str_printf(&out, " %s", class ? class : "linear");
		add_option(fields, FIELD_BUCKETS, "buckets", &out);
		add_option(fields, FIELD_SCALE, "scale", &out);
		/* the memo says that the field Base is for linear histograms
		 * only */
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

/* The memo says: if the field Process is empty, all processes are tracked. */
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

/* A function lacks_...() returns the empty field that its command needs, or
 * FIELD_COUNT if the command needs no field that is empty. */
static enum field lacks_leg_ends(const struct fields *fields)
{
	if (!value_of(fields, FIELD_FROM_NODE))
		return FIELD_FROM_NODE;
	return value_of(fields, FIELD_TO_NODE) ? FIELD_COUNT : FIELD_TO_NODE;
}

static enum field lacks_leg(const struct fields *fields)
{
	return value_of(fields, FIELD_LEG) ? FIELD_COUNT : FIELD_LEG;
}

static enum field lacks_owner(const struct fields *fields)
{
	enum field owner = owner_field(fields);

	return value_of(fields, owner) ? FIELD_COUNT : owner;
}

static const struct act {
	/* The two words of a command that takes its arguments from the fields
	 * of the memo's window. `second` is NULL if the command is only the
	 * first word with a `!`. `fill` returns the command line with the
	 * values of the fields as its arguments, or NULL if a field is empty
	 * that the command needs. */
	const char *first, *second;
	char *(*fill)(const struct fields *fields);
	/* returns the empty field that the command needs; NULL: the command
	 * needs no field */
	enum field (*lacks)(const struct fields *fields);
} acts[] = {
	{"add", "leg", fill_add_leg, lacks_leg_ends},
	{"delete", "leg", fill_delete_leg, lacks_leg},
	{"set", "process", fill_set_process, NULL},
	{"add", NULL, fill_add, lacks_owner},
	{"delete", NULL, fill_delete, lacks_owner},
	{"print", NULL, fill_print, lacks_owner},
};

/* How many letters of the words of a command that acts on the fields the user
 * must type. No other command begins with as many letters of these words. */
enum { FIRST_LETTERS = 3, SECOND_LETTERS = 2 };

static bool is_short_for(const struct str *typed, size_t least,
			 const char *word)
{
	return typed->length >= least &&
	       str_starts_nocase(word, str_text(typed));
}

/* Returns the command that acts on the fields if the line consists of its words
 * and nothing else, or NULL. `*has_mark` says whether a `!` follows the words.
 */
static const struct act *act_of(const char *line, bool *has_mark)
{
	CLEANUP(str_deinit) struct str first = {0};
	CLEANUP(str_deinit) struct str second = {0};
	char first_mark, second_mark;
	const char *at = token_skip_blanks(line);

	at = token_skip_blanks(command_word(at, &first, &first_mark));
	at = token_skip_blanks(command_word(at, &second, &second_mark));
	if (*at == '!' && !first_mark && !second_mark) {
		/* a blank stands between the word and its `!' */
		*(second.length ? &second_mark : &first_mark) = '!';
		at = token_skip_blanks(at + 1);
	}
	*has_mark = first_mark == '!' || second_mark == '!';
	if ((*at && !token_is_comment(at)) || first_mark == ':' ||
	    second_mark == ':')
		return NULL;
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++) {
		const struct act *act = &acts[i];

		if (!is_short_for(&first, FIRST_LETTERS, act->first))
			continue;
		if (act->second
			    ? is_short_for(&second, SECOND_LETTERS, act->second)
			    : !second.length && first_mark == '!')
			return act;
	}
	return NULL;
}

char *fields_fill(const struct fields *fields, const char *line)
{
	bool has_mark;
	const struct act *act = act_of(line, &has_mark);

	return act ? act->fill(fields) : NULL;
}

const char *fields_lacked(const struct fields *fields, const char *line)
{
	bool has_mark;
	const struct act *act = act_of(line, &has_mark);
	enum field field = act && !act->second && act->lacks
				   ? act->lacks(fields)
				   : FIELD_COUNT;

	return field == FIELD_COUNT ? NULL : kinds[field].name;
}

struct error *fields_check(const struct fields *fields, const char *line)
{
	bool has_mark;
	const struct act *act = act_of(line, &has_mark);
	enum field field = act && act->lacks ? act->lacks(fields) : FIELD_COUNT;

	if (field == FIELD_COUNT || !has_mark)
		return NULL;
	return error_create(ERROR_USAGE,
			    "the field %s is empty; `%s: N' sets it",
			    kinds[field].name, kinds[field].name);
}

void fields_show(const struct fields *fields, struct str *out)
{
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		const char *value = value_of(fields, (enum field)i);

		str_printf(out, "%s:", kinds[i].name);
		if (value)
			str_printf(out, " %s", value);
		else if (*kinds[i].empty)
			str_printf(out, " (empty: %s)", kinds[i].empty);
		str_append_char(out, '\n');
	}
}

const char *fields_complete(const char *line, size_t *start)
{
	enum field field = last_field(line, start);

	return field == FIELD_COUNT ? NULL : kinds[field].complete;
}
