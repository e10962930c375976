/*
 * completion.c - find the candidates for completion: the words that the last
 * word of a line may become
 *
 * The words of commands come from the table of commands. The candidates for
 * arguments come from the `complete` text of the command's entry (table.h). The
 * items of this text are literal words, or names of the array `sources` below.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "perftool/base/alloc.h"
#include "perftool/session/measurements.h"
#include "perftool/session/session_settings.h"

#include "command/arguments.h"
#include "command/expect/expect.h"
#include "command/help/help.h"
#include "command/interpreter.h"

/* The state of one request for candidates. */
struct request {
	struct interpreter *interpreter;
	const char *line;
	struct words *found;
	struct words before; /* the arguments before the word that is completed
			      */
	size_t start;        /* where the word that is completed begins in the
			      * line */
	size_t rest;  /* where the text after the command's words begins */
	size_t words; /* how many candidates are words of commands */
	/* Does the line begin with a word and a colon, as `Add: ' does? After
	 * such a word, only the second words of commands without arguments may
	 * come. */
	bool is_mode;
	enum completion_numbers numbers;
	const char *label;   /* the label (the memo's name of a parameter)
			      * before the word, without its colon */
	size_t label_length; /* length of the label; 0: there is no label */
};

static void add(struct request *request, const char *text, size_t length)
{
	vec_push(request->found, xstrndup(text, length));
}

/* Adds a literal word as a candidate if it begins with what the user has typed.
 * A word that is equal to the label before it is not added. */
static void offer(struct request *request, const char *text, size_t length)
{
	const char *typed = request->line + request->start;
	size_t typed_length = strlen(typed);

	if (length == request->label_length &&
	    strncasecmp(text, request->label, length) == 0)
		return;
	if (typed_length <= length &&
	    strncasecmp(typed, text, typed_length) == 0)
		add(request, text, length);
}

/* ---- sources of candidates ----------------------------------------------- */

static bool visit(void *context, const char *candidate)
{
	add(context, candidate, strlen(candidate));
	return true;
}

static void from_session(struct request *request, enum complete_what what)
{
	session_complete(request->interpreter->options.session, what,
			 request->line + request->start, visit, request);
}

/* Are there so many names of functions that other candidates would be lost
 * among them? This is so for an empty word, because nearly every function is a
 * candidate. */
static bool hides_others(const struct request *request)
{
	return !request->line[request->start] &&
	       (request->before.count ||
		request->found->count > request->words);
}

static void functions(struct request *request)
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

static void contexts(struct request *request)
{
	from_session(request, COMPLETE_CONTEXT);
}

static void programs(struct request *request)
{
	from_session(request, COMPLETE_PROGRAM);
}

static void breaks(struct request *request)
{
	from_session(request, COMPLETE_BREAK);
}

static void nodes(struct request *request)
{
	request->numbers = NUMBERS_NODES;
	from_session(request, COMPLETE_NODE);
}

static void legs(struct request *request)
{
	request->numbers = NUMBERS_LEGS;
	from_session(request, COMPLETE_LEG);
}

static void threads(struct request *request)
{
	from_session(request, COMPLETE_THREAD);
}

static void processes(struct request *request)
{
	from_session(request, COMPLETE_PROCESS);
}

/* Completes the number of a node after the word `node`, or the number of a leg
 * after the word `leg`. */
static void owned(struct request *request)
{
	const struct words *before = &request->before;

	if (before->count == 0)
		return;
	if (tolower((unsigned char)*before->data[before->count - 1]) == 'l')
		legs(request);
	else
		nodes(request);
}

/* Completes the name at the end of an expression. */
static void expression(struct request *request)
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
	const struct request *request = context;

	return session_tables(request->interpreter->options.session);
}

/* Completes an expectation, the argument of `expect`. All arguments together
 * are the text of the expectation. */
static void expectation(struct request *request)
{
	size_t start;

	expectation_complete(request->line + request->rest, tables_of, request,
			     &start, request->found);
	request->start = request->rest + start;
}

/* Completes names of legs. A name with blanks is not offered, because the
 * command would take the name as several arguments. */
static void names(struct request *request)
{
	const struct tables *tables = tables_of(request);

	for (size_t i = 0; i < tables->leg_count; i++)
		if (!strchr(tables->legs[i].name, ' '))
			offer(request, tables->legs[i].name,
			      strlen(tables->legs[i].name));
}

static void topic_names(struct request *request)
{
	if (request->before.count == 0)
		for (size_t i = 0; topics[i].name; i++)
			offer(request, topics[i].name, strlen(topics[i].name));
}

static bool is_directory(const char *directory, const char *name)
{
	CLEANUP(free_pointer) char *path = xasprintf("%s%s", directory, name);
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static void files(struct request *request)
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
		add(request, str_text(&path), path.length);
		str_deinit(&path);
	}
	if (stream)
		closedir(stream);
}

static void settings(struct request *request)
{
	const struct session_setting *setting;

	for (size_t i = 0; (setting = session_setting_at(i)); i++)
		offer(request, setting->name, strlen(setting->name));
}

/* Offers literal words, which are separated by `|`. */
static void alternatives(struct request *request, const char *text,
			 size_t length)
{
	while (length) {
		size_t word = 0;

		while (word < length && text[word] != '|')
			word++;
		offer(request, text, word);
		word += word < length;
		text += word;
		length -= word;
	}
}

/* Offers names of columns of leg tables. The word may contain several columns,
 * as in `id,name,co': the last of them is completed, and a candidate is always
 * the whole word. If the word has no comma, each candidate begins with the text
 * `before`. */
static void column_names(struct request *request, const char *before)
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
		offer(request, str_text(&word), word.length);
		word.length = length;
		word.data[length] = '\0';
	}
	str_deinit(&word);
}

/* Completes the option `columns=' of `print legs'. There are many names of
 * columns, so that they are offered only after the `='. */
static void columns(struct request *request)
{
	static const char prefix[] = "columns=";

	offer(request, "columns=auto", strlen("columns=auto"));
	offer(request, "columns=memo", strlen("columns=memo"));
	if (str_starts(request->line + request->start, prefix))
		column_names(request, prefix);
}

static void setting_columns(struct request *request)
{
	alternatives(request, "auto|memo", strlen("auto|memo"));
	column_names(request, "");
}

/* Completes the value of a setting, whose name is the previous word. */
static void setting_values(struct request *request)
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

/* ---- command words ------------------------------------------------------- */

static bool begins(const struct command *command, const char *typed,
		   bool exactly)
{
	size_t cursor = 0, length;
	const char *text;

	while (command_spelling(command, 0, &cursor, &text, &length))
		if (strncasecmp(text, typed, strlen(typed)) == 0 &&
		    (!exactly || strlen(typed) == length))
			return true;
	return false;
}

static void first_words(struct request *request)
{
	const struct command *command;

	for (size_t i = 0; (command = command_at(i)); i++) {
		size_t cursor = 0, length;
		const char *text;

		while (command_spelling(command, 0, &cursor, &text, &length))
			offer(request, text, length);
	}
}

/* May the text that the user typed stand for the first word of this command? If
 * the text is equal to the first word of some command, it stands only for that
 * word. */
static bool is_meant(const struct command *command, const char *typed)
{
	const struct command *other;

	for (size_t i = 0; (other = command_at(i)); i++)
		if (begins(other, typed, true))
			return begins(command, typed, true);
	return begins(command, typed, false);
}

static const char *unaliased(const char *typed)
{
	const char *word = command_alias(typed);

	return word ? word : typed;
}

static void second_words(struct request *request, const char *first)
{
	const struct command *command;

	first = unaliased(first);
	for (size_t i = 0; (command = command_at(i)); i++) {
		size_t cursor = 0, length;
		const char *text;

		if (!is_meant(command, first) ||
		    (request->is_mode && *command->arguments))
			continue;
		while (command_spelling(command, 1, &cursor, &text, &length))
			offer(request, text, length);
	}
}

static void command_words(struct request *request)
{
	if (request->before.count == 0)
		first_words(request);
	else if (request->before.count == 1)
		second_words(request, request->before.data[0]);
}

/* ---- arguments ----------------------------------------------------------- */

static const struct {
	const char *name;
	void (*find)(struct request *request);
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
	{"@file", files},
	{"@expression", expression},
	{"@expectation", expectation},
	{"@setting", settings},
	{"@value", setting_values},
	{"@command", command_words},
	{"@topic", topic_names},
	{"@name", names},
	{"@columns", columns},
};

static void from_source(struct request *request, const char *name,
			size_t length)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (strlen(sources[i].name) == length &&
		    strncmp(sources[i].name, name, length) == 0)
			sources[i].find(request);
}

/* Offers the candidates of one item of a completion text: its sources and
 * literal words, which are separated by `|`. */
static void from_item(struct request *request, const char *item, size_t length)
{
	while (length) {
		size_t word = 0;

		while (word < length && item[word] != '|')
			word++;
		if (*item == '@')
			from_source(request, item, word);
		else
			offer(request, item, word);
		word += word < length;
		item += word;
		length -= word;
	}
}

/* Returns the item of a completion text that is for the argument with this
 * index. `*length` is its length. */
static const char *item_at(const char *items, size_t index, size_t *length)
{
	for (;;) {
		*length = strcspn(items, " ");
		if (*length >= 3 &&
		    strncmp(items + *length - 3, "...", 3) == 0) {
			*length -= 3;
			return items;
		}
		if (index == 0 || *length == 0)
			return items;
		index--;
		items += *length;
		items += *items == ' ';
	}
}

/* Does an `if` stand before the word that is completed? The place before the
 * `if` may have any number of words, so the index of the word does not tell
 * that the condition has begun. */
static bool follows_if(const struct words *before)
{
	for (size_t i = 0; i < before->count; i++)
		if (strcasecmp(before->data[i], "if") == 0)
			return true;
	return false;
}

/* Returns the position after the memo's names of parameters at the beginning of
 * the text. These names are not arguments. */
static const char *skip_labels(struct request *request, const char *text,
			       const char *labels)
{
	const char *becomes;
	size_t length, of;

	request->label_length = 0;
	while ((length = argument_label(text, labels, &becomes, &of))) {
		request->label = text;
		request->label_length = length - 1;
		text = token_skip_blanks(text + length);
	}
	return text;
}

/* Finds the candidates for the argument at the end of the line. The arguments
 * of the command begin at `rest`. */
static void arguments(struct request *request, const struct command *command,
		      const char *rest)
{
	size_t length, word;
	const char *item;

	request->rest = (size_t)(rest - request->line);
	for (;;) {
		rest = skip_labels(request, token_skip_blanks(rest),
				   command->labels);
		word = strcspn(rest, " \t");
		if (rest[word] == '\0')
			break;
		vec_push(&request->before, xstrndup(rest, word));
		rest += word;
	}
	request->start = (size_t)(rest - request->line);
	if ((command->flags & COMMAND_PRINTS) &&
	    (*rest == '>' ||
	     (request->before.count &&
	      str_equal(request->before.data[request->before.count - 1],
			">")))) {
		request->start += *rest == '>';
		files(request);
		return;
	}
	if (strstr(command->complete, "if") && follows_if(&request->before)) {
		expression(request);
		return;
	}
	item = item_at(command->complete, request->before.count, &length);
	from_item(request, item, length);
}

/* ---- the line ------------------------------------------------------------ */

/* Completes the word after the first word of the line. This may be the second
 * word of a command, or the first argument of a command that has only one
 * word. */
static void second_or_argument(struct request *request, const char *first)
{
	const struct command *command, *single = NULL;

	second_words(request, first);
	request->words = request->found->count;
	first = unaliased(first);
	for (size_t i = 0; (command = command_at(i)); i++) {
		if (!is_meant(command, first) || strchr(command->words, ' '))
			continue;
		if (single)
			/* several commands are possible, so the argument is not
			 * known */
			return;
		single = command;
	}
	if (single)
		arguments(request, single, request->line + request->start);
}

/* Finds the candidates for an argument. To find its command, the function adds
 * a further word to the line, because `break entry' is a command of two words
 * only if a word follows. */
static void complete_arguments(struct request *request)
{
	CLEANUP(free_pointer) char *line = xasprintf("%sx", request->line);
	const struct command *command;
	const char *rest;
	struct error *error = command_resolve(line, &command, &rest);

	if (!error && command)
		arguments(request, command, request->line + (rest - line));
	error_destroy(error);
}

static void complete_line(struct request *request)
{
	const char *text = token_skip_blanks(request->line), *at;
	const char *field = fields_complete(text, &request->start);
	struct str first = {0}, second = {0};
	char mark;

	if (field) {
		request->start += (size_t)(text - request->line);
		from_item(request, field, strlen(field));
		return;
	}
	at = command_word(text, &first, &mark);
	request->start = (size_t)(text - request->line);
	fields_complete_name(text, request->found);
	if (*at == '\0' && !mark) {
		first_words(request);
	} else if (request->found->count) {
		/* the candidates are names of fields, and such a name may have
		 * several words */
	} else {
		request->is_mode = mark == ':';
		text = token_skip_blanks(at);
		request->start = (size_t)(text - request->line);
		if (*command_word(text, &second, NULL) == '\0') {
			second_or_argument(request, str_text(&first));
		} else {
			complete_arguments(request);
		}
	}
	str_deinit(&first);
	str_deinit(&second);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_unique(struct words *words)
{
	size_t kept = 0;

	if (words->count)
		qsort(words->data, words->count, sizeof(*words->data), compare);
	for (size_t i = 0; i < words->count; i++) {
		if (kept && str_equal(words->data[kept - 1], words->data[i]))
			free(words->data[i]);
		else
			words->data[kept++] = words->data[i];
	}
	words->count = kept;
}

void interpreter_complete(struct interpreter *interpreter, const char *line,
			  struct completion *out)
{
	struct words found = {0};
	const char *text = interpreter_skip_prompt(line);
	struct request request = {
		.interpreter = interpreter, .line = text, .found = &found};

	complete_line(&request);
	words_deinit(&request.before);
	sort_unique(&found);
	out->start = (size_t)(text - line) + request.start;
	out->numbers = request.numbers;
	out->count = found.count;
	vec_push(&found, NULL);
	out->words = found.data;
}

void completion_deinit(struct completion *completion)
{
	for (size_t i = 0; i < completion->count; i++)
		free(completion->words[i]);
	free(completion->words);
	*completion = (struct completion){0};
}
