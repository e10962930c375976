/*
 * patch_modes.c - reads resource files: see patch_modes.h
 *
 * The code of a mode is a CALL whose METHOD is one of the actions. Its ARGs are
 * expressions: the first is the value that is counted by `histogram`, and a
 * label for the other actions; its CONDITIONs must all be true.
 */
#include "patch_modes.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "operations/invocation.h"
#include "perftool/base/alloc.h"
#include "perftool/document.h"

/* The actions by their names. Each of them is a mode of the same name, which
 * comes with the tool. */
static const char *const actions[] = {"count", "time", "histogram", "trace"};
#define ACTIONS (sizeof(actions) / sizeof(*actions))

static void mode_deinit(struct patch_mode *mode)
{
	free(mode->name);
	free(mode->condition);
	free(mode->value);
	free(mode->label);
}

void patch_modes_deinit(struct patch_modes *modes)
{
	for (size_t i = 0; i < modes->list.count; i++)
		mode_deinit(&modes->list.data[i]);
	vec_free(&modes->list);
}

const struct patch_mode *patch_modes_find(const struct patch_modes *modes,
					  const char *name)
{
	for (size_t i = 0; i < modes->list.count; i++)
		if (str_equal(modes->list.data[i].name, name))
			return &modes->list.data[i];
	return NULL;
}

/* ---- expressions --------------------------------------------------------- */

static bool is_number(const char *text)
{
	text += *text == '-';
	return *text && !text[strspn(text, "0123456789")];
}

/* Is the text a name, or a chain of members such as `p->size`? */
static bool is_name(const char *text)
{
	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) &&
		    !strchr("_.->:[]*", *text))
			return false;
	return true;
}

static struct error *bad_value(const char *type, const char *value)
{
	return error_create(ERROR_USAGE, "`%s' is no value for the type %s",
			    value, type);
}

/* Makes the expression of an ARG or of the left side of a CONDITION. The caller
 * frees it. */
static struct error *expression(const char *type, const char *value, char **out)
{
	static const char *const plain[][2] = {
		{"THIS", "this"}, {"CURTHREAD", "$tid"}, {"RETURN", "$ret"},
		{"INSNO", "$pc"}, {"BLOCKID", "$pc"},    {"METHODID", "$pc"},
		{"NULL", "0"}};

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		if (strcasecmp(type, plain[i][0]) != 0)
			continue;
		*out = xstrdup(plain[i][1]);
		return NULL;
	}
	if (strcasecmp(type, "INTEGER") == 0) {
		if (!is_number(value))
			return bad_value(type, value);
		*out = xstrdup(value);
	} else if (strcasecmp(type, "ARG") == 0) {
		if (strlen(value) != 1 || *value < '1' || *value > '6')
			return bad_value(type, value);
		*out = xasprintf("$arg%s", value);
	} else if (strcasecmp(type, "LOCAL") == 0) {
		if (!is_name(value))
			return bad_value(type, value);
		*out = xstrdup(value);
	} else if (strcasecmp(type, "FIELD") == 0) {
		if (!is_name(value))
			return bad_value(type, value);
		/* A name alone is a field of the object of the method. */
		*out = strpbrk(value, ".->") ? xstrdup(value)
					     : xasprintf("this->%s", value);
	} else {
		return error_create(ERROR_USAGE,
				    "the type %s means nothing in a native "
				    "program",
				    type);
	}
	return NULL;
}

static struct error *add_condition(struct json_object *params, struct str *out)
{
	const char *type, *left = "", *right;
	char *expr;

	TRY(params_needs_text(params, "type", &type));
	TRY(params_text(params, "lvalue", &left));
	TRY(params_needs_text(params, "rvalue", &right));
	TRY(expression(type, left, &expr));
	str_printf(out, "%s%s", out->length ? " && " : "", expr);
	free(expr);
	if (strcasecmp(right, "NULL") == 0)
		str_append(out, " == 0");
	else if (strcasecmp(right, "NONNULL") == 0)
		str_append(out, " != 0");
	else if (is_number(right))
		str_printf(out, " == %s", right);
	else
		return error_create(ERROR_USAGE,
				    "`rvalue' is a number, NULL or NONNULL, "
				    "and not `%s'",
				    right);
	return NULL;
}

/* ---- modes --------------------------------------------------------------- */

static struct error *parse_action(const char *word, enum patch_action *out)
{
	for (size_t i = 0; i < ACTIONS; i++) {
		if (strcasecmp(actions[i], word) != 0)
			continue;
		*out = (enum patch_action)i;
		return NULL;
	}
	return error_create(ERROR_USAGE,
			    "`method' is count, time, histogram or trace, and "
			    "not `%s'",
			    word);
}

static struct error *read_args(struct json_object *code,
			       struct patch_mode *mode)
{
	char **places[2] = {&mode->label, NULL};

	if (mode->action == ACTION_HISTOGRAM) {
		places[0] = &mode->value;
		places[1] = &mode->label;
	}
	for (size_t i = 0; i < params_count(code, "arg"); i++) {
		struct json_object *arg = params_at(code, "arg", i);
		const char *type, *value = "";

		TRY(params_needs_text(arg, "type", &type));
		TRY(params_text(arg, "value", &value));
		if (i > 1 || !places[i])
			return error_create(ERROR_USAGE,
					    "the mode %s has too many ARGs",
					    mode->name);
		TRY(expression(type, value, places[i]));
	}
	return NULL;
}

static struct error *read_code(struct json_object *code,
			       struct patch_mode *mode)
{
	const char *type = "CALL", *method;
	struct str condition = {0};
	struct error *error = NULL;

	TRY(params_text(code, "type", &type));
	if (strcasecmp(type, "CALL") != 0)
		return error_create(ERROR_USAGE,
				    "the TYPE of CODE is CALL, and not `%s'",
				    type);
	TRY(params_needs_text(code, "method", &method));
	TRY(parse_action(method, &mode->action));
	TRY(read_args(code, mode));
	for (size_t i = 0; !error && i < params_count(code, "condition"); i++)
		error = add_condition(params_at(code, "condition", i),
				      &condition);
	if (!error && condition.length)
		mode->condition = str_take(&condition);
	str_deinit(&condition);
	return error;
}

static struct error *read_mode(struct json_object *params,
			       struct patch_mode *mode)
{
	const char *name;

	TRY(params_needs_text(params, "name", &name));
	mode->name = xstrdup(name);
	if (params_count(params, "code") != 1)
		return error_create(ERROR_USAGE,
				    "the mode %s must have one CODE", name);
	return read_code(params_at(params, "code", 0), mode);
}

static void put_mode(struct patch_modes *modes, struct patch_mode mode)
{
	for (size_t i = 0; i < modes->list.count; i++) {
		if (!str_equal(modes->list.data[i].name, mode.name))
			continue;
		mode_deinit(&modes->list.data[i]);
		modes->list.data[i] = mode;
		return;
	}
	vec_push(&modes->list, mode);
}

const struct member patch_modes_members[] = {
	{"file", "text",
	 "the path of a resource file; in XML also the text of the message. "
	 "Without it, and without `dypatch_mode[]`, the modes are only "
	 "listed."},
	{"dypatch_mode[].name", "text", "a mode; one of this name is replaced"},
	{"dypatch_mode[].code[].method", "text",
	 "what it does: count, time, histogram or trace"},
	{"dypatch_mode[].code[].type", "text", "CALL, or missing"},
	{"dypatch_mode[].code[].condition[].type", "text",
	 "RETURN, LOCAL, ARG or FIELD; all conditions must be true"},
	{"dypatch_mode[].code[].condition[].lvalue", "text",
	 "which LOCAL, ARG or FIELD"},
	{"dypatch_mode[].code[].condition[].rvalue", "text or number",
	 "a number, NULL or NONNULL, which it is compared with"},
	{"dypatch_mode[].code[].arg[].type", "text",
	 "a value, as the types above"},
	{"dypatch_mode[].code[].arg[].value", "text or number",
	 "which INTEGER, LOCAL, ARG or FIELD"},
	{"dypatch_mode[].context", "text", "as in DyPer; it is not used"},
	{"dypatch_mode[].instruction", "text", "as in DyPer; it is not used"},
	{"dypatch_mode[].code[].class", "text", "as in DyPer; it is not used"},
	{"dypatch_mode[].code[].signature", "text",
	 "as in DyPer; it is not used"},
	{"dypatch_mode[].code[].return[].type", "text",
	 "as in DyPer; it is not used"},
	{0}};

static struct error *read_modes(struct json_object *document,
				struct patch_modes *out)
{
	size_t count = params_count(document, "dypatch_mode");

	if (params_count(document, "dypatch_external"))
		return error_create(ERROR_USAGE,
				    "DYPATCH_EXTERNAL is code of a Java "
				    "machine, which perftool cannot run");
	if (!count)
		return error_create(ERROR_USAGE,
				    "there is no DYPATCH_MODE in it");
	/* The first parameter is the path of a file, which no file has. */
	TRY(params_known(document, patch_modes_members + 1, "a resource file"));
	for (size_t i = 0; i < count; i++) {
		struct patch_mode mode = {0};
		struct error *error = read_mode(
			params_at(document, "dypatch_mode", i), &mode);

		if (error) {
			mode_deinit(&mode);
			return error;
		}
		put_mode(out, mode);
	}
	return NULL;
}

struct error *patch_modes_take(struct patch_modes *modes,
			       struct json_object *document)
{
	struct patch_modes fresh = {0};
	struct error *error = read_modes(document, &fresh);

	for (size_t i = 0; !error && i < fresh.list.count; i++)
		put_mode(modes, fresh.list.data[i]);
	if (!error)
		vec_clear(&fresh.list);
	patch_modes_deinit(&fresh);
	return error;
}

struct error *patch_modes_parse(struct patch_modes *modes, const char *text,
				size_t length)
{
	struct json_object *document;
	struct error *error;

	TRY(document_parse(text, length, "dypatch_mode", &document));
	error = patch_modes_take(modes, document);
	json_object_put(document);
	return error;
}

struct error *patch_modes_read(struct patch_modes *modes, const char *path)
{
	FILE *file = fopen(path, "re");
	struct str text = {0};
	struct error *error;
	char bytes[4096];
	size_t length;

	if (!file)
		return error_system(errno, "%s", path);
	/* A file that is longer than a message may be is refused when its text
	 * is parsed. */
	while (text.length <= DOCUMENT_LENGTH_MAX &&
	       (length = fread(bytes, 1, sizeof(bytes), file)))
		str_append_n(&text, bytes, length);
	fclose(file);
	error = patch_modes_parse(modes, str_text(&text), text.length);
	str_deinit(&text);
	return error ? error_prefix(error, "%s", path) : NULL;
}

void patch_modes_init(struct patch_modes *modes)
{
	*modes = (struct patch_modes){0};
	for (size_t i = 0; i < ACTIONS; i++)
		vec_push(&modes->list,
			 ((struct patch_mode){.name = xstrdup(actions[i]),
					      .action = (enum patch_action)i}));
}
