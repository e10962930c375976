/*
 * completion.c - find the candidates for completion: the words that the last
 * word of a line may become
 *
 * The words of commands come from the table of commands. The candidates for
 * arguments come from the `complete` text of the command's entry (table.h). The
 * items of this text are literal words, or names of the array `sources` of
 * argument_candidates.c.
 */
#include "completion_request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command/arguments.h"
#include "perftool/base/alloc.h"

/* ---- arguments ----------------------------------------------------------- */

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
static const char *skip_labels(struct completion_request *request,
			       const char *text, const char *labels)
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
static void arguments(struct completion_request *request,
		      const struct command *command, const char *rest)
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
		candidates_files(request);
		return;
	}
	if (strstr(command->complete, "if") && follows_if(&request->before)) {
		candidates_expression(request);
		return;
	}
	item = item_at(command->complete, request->before.count, &length);
	candidates_from_item(request, item, length);
}

/* ---- the line ------------------------------------------------------------ */

/* Completes the word after the first word of the line. This may be the second
 * word of a command, or the first argument of a command that has only one
 * word. */
static void second_or_argument(struct completion_request *request,
			       const char *first)
{
	const struct command *command, *single = NULL;

	candidates_second_words(request, first);
	request->words = request->found->count;
	first = candidates_unaliased(first);
	for (size_t i = 0; (command = command_at(i)); i++) {
		if (!candidates_is_meant(command, first) ||
		    strchr(command->words, ' '))
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
static void complete_arguments(struct completion_request *request)
{
	CLEANUP(free_pointer) char *line = xasprintf("%sx", request->line);
	const struct command *command;
	const char *rest;
	struct error *error = command_resolve(line, &command, &rest);

	if (!error && command)
		arguments(request, command, request->line + (rest - line));
	error_destroy(error);
}

static void complete_line(struct completion_request *request)
{
	const char *text = token_skip_blanks(request->line), *at;
	const char *field = fields_complete(text, &request->start);
	struct str first = {0}, second = {0};
	char mark;

	if (field) {
		request->start += (size_t)(text - request->line);
		candidates_from_item(request, field, strlen(field));
		return;
	}
	at = command_word(text, &first, &mark);
	request->start = (size_t)(text - request->line);
	fields_complete_name(text, request->found);
	if (*at == '\0' && !mark) {
		candidates_first_words(request);
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
	struct completion_request request = {
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
