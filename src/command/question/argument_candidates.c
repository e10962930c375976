/*
 * argument_candidates.c - candidates for the arguments of commands, by the
 * names that the `complete` texts of commands have for them: see the array
 * `sources`
 */
#include "completion_request.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "command/expect/expect.h"
#include "command/help/help.h"
#include "perftool/base/alloc.h"
#include "perftool/session/measurements.h"
#include "perftool/session/session_settings.h"

void candidates_add(struct completion_request *request, const char *text,
		    size_t length)
{
	vec_push(request->found, xstrndup(text, length));
}

void candidates_offer(struct completion_request *request, const char *text,
		      size_t length)
{
	const char *typed = request->line + request->start;
	size_t typed_length = strlen(typed);

	if (length == request->label_length &&
	    strncasecmp(text, request->label, length) == 0)
		return;
	if (typed_length <= length &&
	    strncasecmp(typed, text, typed_length) == 0)
		candidates_add(request, text, length);
}

static bool visit(void *context, const char *candidate)
{
	candidates_add(context, candidate, strlen(candidate));
	return true;
}

static void from_session(struct completion_request *request,
			 enum complete_what what)
{
	session_complete(request->interpreter->options.session, what,
			 request->line + request->start, visit, request);
}

/* Are there so many names of functions that other candidates would be lost
 * among them? This is so for an empty word, because nearly every function is a
 * candidate. */
static bool hides_others(const struct completion_request *request)
{
	return !request->line[request->start] &&
	       (request->before.count ||
		request->found->count > request->words);
}

static void functions(struct completion_request *request)
{
	const char *module = strrchr(request->line + request->start, '@');

	if (module) {
		request->start = (size_t)(module + 1 - request->line);
		from_session(request, COMPLETE_MODULE);
		return;
	}
	if (!hides_others(request))
		from_session(request, COMPLETE_FUNCTION);
}

static void contexts(struct completion_request *request)
{
	from_session(request, COMPLETE_CONTEXT);
}

static void programs(struct completion_request *request)
{
	from_session(request, COMPLETE_PROGRAM);
}

static void breaks(struct completion_request *request)
{
	from_session(request, COMPLETE_BREAK);
}

static void nodes(struct completion_request *request)
{
	request->numbers = NUMBERS_NODES;
	from_session(request, COMPLETE_NODE);
}

static void legs(struct completion_request *request)
{
	request->numbers = NUMBERS_LEGS;
	from_session(request, COMPLETE_LEG);
}

static void threads(struct completion_request *request)
{
	from_session(request, COMPLETE_THREAD);
}

static void processes(struct completion_request *request)
{
	from_session(request, COMPLETE_PROCESS);
}

/* Completes the number of a node after the word `node`, or the number of a leg
 * after the word `leg`. */
static void owned(struct completion_request *request)
{
	const struct words *before = &request->before;

	if (before->count == 0)
		return;
	if (tolower((unsigned char)*before->data[before->count - 1]) == 'l')
		legs(request);
	else
		nodes(request);
}

void candidates_expression(struct completion_request *request)
{
	size_t end = strlen(request->line), at = end;

	while (at > request->start &&
	       (isalnum((unsigned char)request->line[at - 1]) ||
		request->line[at - 1] == '_' || request->line[at - 1] == '$'))
		at--;
	request->start = at;
	if (at < end)
		from_session(request, COMPLETE_VARIABLE);
}

static const struct tables *tables_of(void *context)
{
	const struct completion_request *request = context;

	return session_tables(request->interpreter->options.session);
}

/* Completes an expectation, the argument of `expect`. All arguments together
 * are the text of the expectation. */
static void expectation(struct completion_request *request)
{
	size_t start;

	expectation_complete(request->line + request->rest, tables_of, request,
			     &start, request->found);
	request->start = request->rest + start;
}

/* Completes names of legs. A name with blanks is not offered, because the
 * command would take the name as several arguments. */
static void names(struct completion_request *request)
{
	const struct tables *tables = tables_of(request);

	for (size_t i = 0; i < tables->leg_count; i++)
		if (!strchr(tables->legs[i].name, ' '))
			candidates_offer(request, tables->legs[i].name,
					 strlen(tables->legs[i].name));
}

static void topic_names(struct completion_request *request)
{
	if (request->before.count == 0)
		for (size_t i = 0; topics[i].name; i++)
			candidates_offer(request, topics[i].name,
					 strlen(topics[i].name));
}

static bool is_directory(const char *directory, const char *name)
{
	CLEANUP(free_pointer) char *path = xasprintf("%s%s", directory, name);
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

void candidates_files(struct completion_request *request)
{
	const char *typed = request->line + request->start;
	const char *slash = strrchr(typed, '/');
	const char *base = slash ? slash + 1 : typed;
	CLEANUP(free_pointer)
	char *directory = xstrndup(typed, (size_t)(base - typed));
	DIR *stream = opendir(*directory ? directory : ".");
	const struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		struct str path = {0};

		if (!str_starts(entry->d_name, base) ||
		    (*entry->d_name == '.' && *base != '.'))
			continue;
		str_printf(&path, "%s%s", directory, entry->d_name);
		if (is_directory(directory, entry->d_name))
			str_append_char(&path, '/');
		candidates_add(request, str_text(&path), path.length);
		str_deinit(&path);
	}
	if (stream)
		closedir(stream);
}

static void settings(struct completion_request *request)
{
	const struct session_setting *setting;

	for (size_t i = 0; (setting = session_setting_at(i)); i++)
		candidates_offer(request, setting->name, strlen(setting->name));
}

/* Offers literal words, which are separated by `|`. */
static void alternatives(struct completion_request *request, const char *text,
			 size_t length)
{
	while (length) {
		size_t word = 0;

		while (word < length && text[word] != '|')
			word++;
		candidates_offer(request, text, word);
		word += word < length;
		text += word;
		length -= word;
	}
}

/* Offers names of columns of leg tables. The word may contain several columns,
 * as in `id,name,co': the last of them is completed, and a candidate is always
 * the whole word. If the word has no comma, each candidate begins with the text
 * `before`. */
static void column_names(struct completion_request *request, const char *before)
{
	const char *typed = request->line + request->start;
	const char *comma = strrchr(typed, ',');
	struct str word = {0};
	const char *name;

	if (comma)
		str_append_n(&word, typed, (size_t)(comma + 1 - typed));
	else
		str_append(&word, before);
	for (size_t i = 0, length = word.length; (name = report_column_name(i));
	     i++) {
		str_append(&word, name);
		candidates_offer(request, str_text(&word), word.length);
		word.length = length;
		word.data[length] = '\0';
	}
	str_deinit(&word);
}

/* Completes the option `columns=' of `print legs'. There are many names of
 * columns, so that they are offered only after the `='. */
static void columns(struct completion_request *request)
{
	static const char prefix[] = "columns=";

	candidates_offer(request, "columns=auto", strlen("columns=auto"));
	candidates_offer(request, "columns=memo", strlen("columns=memo"));
	if (str_starts(request->line + request->start, prefix))
		column_names(request, prefix);
}

static void setting_columns(struct completion_request *request)
{
	alternatives(request, "auto|memo", strlen("auto|memo"));
	column_names(request, "");
}

/* Completes the value of a setting, whose name is the previous word. */
static void setting_values(struct completion_request *request)
{
	const struct words *before = &request->before;
	const struct session_setting *setting;
	const char *name;

	if (before->count == 0)
		return;
	name = before->data[before->count - 1];
	if (str_starts_nocase("columns", name) && strlen(name) > 2)
		setting_columns(request);
	for (size_t i = 0; (setting = session_setting_at(i)); i++)
		if ((setting->type == SETTING_SWITCH ||
		     setting->type == SETTING_CHOICE) &&
		    str_starts_nocase(setting->name, name))
			alternatives(request, setting->values,
				     strlen(setting->values));
}

static const struct {
	const char *name;
	void (*find)(struct completion_request *request);
} sources[] = {
	{"@function", functions},
	{"@module", contexts},
	{"@program", programs},
	{"@break", breaks},
	{"@node", nodes},
	{"@leg", legs},
	{"@thread", threads},
	{"@process", processes},
	{"@owned", owned},
	{"@file", candidates_files},
	{"@expression", candidates_expression},
	{"@expectation", expectation},
	{"@setting", settings},
	{"@value", setting_values},
	{"@command", candidates_command_words},
	{"@topic", topic_names},
	{"@name", names},
	{"@columns", columns},
};

static void from_source(struct completion_request *request, const char *name,
			size_t length)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (strlen(sources[i].name) == length &&
		    strncmp(sources[i].name, name, length) == 0)
			sources[i].find(request);
}

void candidates_from_item(struct completion_request *request, const char *item,
			  size_t length)
{
	while (length) {
		size_t word = 0;

		while (word < length && item[word] != '|')
			word++;
		if (*item == '@')
			from_source(request, item, word);
		else
			candidates_offer(request, item, word);
		word += word < length;
		item += word;
		length -= word;
	}
}
