/*
 * setting_value.c - the values of settings: converts the user's words to values
 * and back, in the same way for every entry of the table in settings.c
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/duration.h"
#include "perftool/session/session_settings.h"
#include "settings.h"

#define MILLION 1000000
/* so that its millionths are an int64_t */
#define MOST_DECIMAL 1e12

/* ---- words ------------------------------------------------------------- */

/* Returns the index of `word` among the words of `words`, which are separated
 * by `|`, or -1 if `word` is none of them. */
static int64_t index_of(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (int64_t i = 0; *words; i++) {
		size_t span = strcspn(words, "|");

		if (span == length && strncmp(words, word, length) == 0)
			return i;
		words += span + (words[span] == '|');
	}
	return -1;
}

static struct error *parse_word(const struct session_setting *setting,
				const char *text, int64_t *out)
{
	int64_t index = index_of(setting->values, text);

	if (index < 0)
		return error_create(ERROR_USAGE, "%s is one of %s, not '%s'",
				    setting->name, setting->values, text);
	*out = index;
	return NULL;
}

static void append_amount(const struct session_setting *setting, int64_t value,
			  struct str *out)
{
	if (setting->type == SETTING_DURATION)
		duration_append((uint64_t)value, out);
	else if (setting->type == SETTING_DECIMAL)
		str_printf(out, "%.15g", (double)value / MILLION);
	else
		str_printf(out, "%" PRId64, value);
}

static bool is_number(const char *text, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return end != text && !*end && !errno;
}

static bool is_duration(const char *text, int64_t *out)
{
	uint64_t ns = 0;
	struct error *error = duration_parse(text, &ns);
	bool result = !error;

	error_destroy(error);
	*out = (int64_t)ns;
	return result;
}

static bool is_decimal(const char *text, int64_t *out)
{
	char *end;
	double number;

	errno = 0;
	number = strtod(text, &end);
	if (end == text || *end || errno || !(fabs(number) <= MOST_DECIMAL))
		return false;
	*out = llrint(number * MILLION);
	return true;
}

static bool is_amount(const struct session_setting *setting, const char *text,
		      int64_t *out)
{
	switch (setting->type) {
	case SETTING_DURATION:
		return is_duration(text, out);
	case SETTING_DECIMAL:
		return is_decimal(text, out);
	default:
		return is_number(text, out);
	}
}

static struct error *out_of_range(const struct session_setting *setting,
				  const char *text)
{
	const char *what =
		setting->type == SETTING_DURATION ? "duration" : "number";
	struct error *error;
	struct str range = {0};

	append_amount(setting, setting->least, &range);
	str_append(&range, " to ");
	append_amount(setting, setting->most, &range);
	if (setting->zero)
		str_printf(&range, ", or %s", setting->zero);
	error = error_create(ERROR_USAGE, "%s is a %s from %s, not '%s'",
			     setting->name, what, str_text(&range), text);
	str_deinit(&range);
	return error;
}

static struct error *parse_amount(const struct session_setting *setting,
				  const char *text, int64_t *out)
{
	int64_t amount = 0;

	if (setting->zero && str_equal(text, setting->zero)) {
		*out = 0;
		return NULL;
	}
	if (!is_amount(setting, text, &amount) || amount < setting->least ||
	    amount > setting->most)
		return out_of_range(setting, text);
	*out = amount;
	return NULL;
}

struct error *setting_parse(const struct session_setting *setting,
			    const char *text, int64_t *out)
{
	if (setting->type == SETTING_NUMBER ||
	    setting->type == SETTING_DURATION ||
	    setting->type == SETTING_DECIMAL)
		return parse_amount(setting, text, out);
	TRY(parse_word(setting, text, out));
	if (setting->type == SETTING_SWITCH)
		*out = *out == 0; /* the first word, "on", has the index 0 */
	return NULL;
}

static void append_word(const char *words, int64_t index, struct str *out)
{
	for (; index > 0; index--)
		words += strcspn(words, "|") + 1;
	str_append_n(out, words, strcspn(words, "|"));
}

void setting_append(const struct session_setting *setting, int64_t value,
		    struct str *out)
{
	switch (setting->type) {
	case SETTING_SWITCH:
		append_word(setting->values, !value, out);
		break;
	case SETTING_CHOICE:
		append_word(setting->values, value, out);
		break;
	case SETTING_NUMBER:
	case SETTING_DURATION:
	case SETTING_DECIMAL:
		if (value == 0 && setting->zero)
			str_append(out, setting->zero);
		else
			append_amount(setting, value, out);
		break;
	case SETTING_TEXT:
		break;
	}
}

/* ---- where the values are ---------------------------------------------- */

static int64_t read_field(const struct session *session,
			  const struct session_setting *setting)
{
	const char *at = (const char *)session + setting->field.offset;
	int64_t wide;
	int32_t word;
	bool on;

	if (setting->field.size == sizeof(on)) {
		memcpy(&on, at, sizeof(on));
		return on;
	}
	if (setting->field.size == sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		return word;
	}
	memcpy(&wide, at, sizeof(wide));
	return wide;
}

static void write_field(struct session *session,
			const struct session_setting *setting, int64_t value)
{
	char *at = (char *)session + setting->field.offset;
	int32_t word = (int32_t)value;
	bool on = value != 0;

	if (setting->field.size == sizeof(on))
		memcpy(at, &on, sizeof(on));
	else if (setting->field.size == sizeof(word))
		memcpy(at, &word, sizeof(word));
	else
		memcpy(at, &value, sizeof(value));
}

void setting_value(struct session *session,
		   const struct session_setting *setting, struct str *out)
{
	if (setting->get_text)
		setting->get_text(session, out);
	else
		setting_append(setting,
			       setting->get ? setting->get(session)
					    : read_field(session, setting),
			       out);
}

static void store(struct session *session,
		  const struct session_setting *setting, int64_t value)
{
	if (setting->set)
		setting->set(session, value);
	else if (setting->field.size)
		write_field(session, setting, value);
	if (setting->changed)
		setting->changed(session);
}

void settings_begin(struct session *session)
{
	for (const struct session_setting *at = session_settings; at->name;
	     at++)
		store(session, at, at->initial);
}

/* ---- set --------------------------------------------------------------- */

const struct session_setting *session_setting_at(size_t index)
{
	const struct session_setting *setting = &session_settings[index];

	return setting->name && !setting->set_by ? setting : NULL;
}

static const struct session_setting *find(const char *name)
{
	const struct session_setting *setting;

	for (size_t i = 0; (setting = session_setting_at(i)); i++)
		if (str_equal(setting->name, name))
			return setting;
	return NULL;
}

struct error *find_mechanism(const char *name, enum mechanism *out)
{
	int64_t index;

	TRY(setting_parse(find("mechanism"), name, &index));
	*out = (enum mechanism)index;
	return NULL;
}

struct error *session_set(struct session *session, const char *name,
			  const char *value)
{
	const struct session_setting *setting = find(name);
	int64_t number;

	if (!setting)
		return error_create(ERROR_USAGE,
				    "no setting '%s'; `show' lists all", name);
	if (setting->type == SETTING_TEXT)
		return setting->set_text(session, value);
	TRY(setting_parse(setting, value, &number));
	if (setting->needs_still)
		TRY(stand_still(session));
	store(session, setting, number);
	return NULL;
}

/* ---- show -------------------------------------------------------------- */

/* Does `asked`, the name that the user typed, mean this setting? "follow" means
 * both "follow fork" and "follow exec". The memo's two names have a second
 * word, and the case of its letters is ignored: "root configuration" means
 * "root". NULL means every setting. */
static bool is_meant(const char *asked, const char *name)
{
	size_t length = asked ? strlen(asked) : 0;

	if (!asked || (strncmp(name, asked, length) == 0 &&
		       (!name[length] || name[length] == ' ')))
		return true;
	return (str_equal(name, "root") &&
		str_starts_nocase("root configuration", asked)) ||
	       (str_equal(name, "module") &&
		str_starts_nocase("module context", asked));
}

struct error *session_setting_text(struct session *session, const char *name,
				   struct str *out)
{
	for (const struct session_setting *at = session_settings; at->name;
	     at++) {
		if (!str_equal(at->name, name))
			continue;
		setting_value(session, at, out);
		return NULL;
	}
	return error_create(ERROR_USAGE, "no setting '%s'; `show' lists all",
			    name);
}

struct error *session_show(struct session *session, const char *name,
			   struct str *out)
{
	bool is_shown = false;

	for (const struct session_setting *at = session_settings; at->name;
	     at++) {
		if (!is_meant(name, at->name))
			continue;
		is_shown = true;
		str_printf(out, "%-13s ", at->name);
		setting_value(session, at, out);
		str_append_char(out, '\n');
		if (name && at->describe)
			at->describe(session, out);
	}
	if (!is_shown)
		return error_create(ERROR_USAGE,
				    "no setting '%s'; `show' lists all", name);
	return NULL;
}
