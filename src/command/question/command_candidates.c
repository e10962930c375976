/*
 * command_candidates.c - the words of commands as candidates for completion
 */
#include "completion_request.h"

#include <string.h>
#include <strings.h>

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

void candidates_first_words(struct completion_request *request)
{
	const struct command *command;

	for (size_t i = 0; (command = command_at(i)); i++) {
		size_t cursor = 0, length;
		const char *text;

		while (command_spelling(command, 0, &cursor, &text, &length))
			candidates_offer(request, text, length);
	}
}

bool candidates_is_meant(const struct command *command, const char *typed)
{
	const struct command *other;

	for (size_t i = 0; (other = command_at(i)); i++)
		if (begins(other, typed, true))
			return begins(command, typed, true);
	return begins(command, typed, false);
}

const char *candidates_unaliased(const char *typed)
{
	const char *word = command_alias(typed);

	return word ? word : typed;
}

void candidates_second_words(struct completion_request *request,
			     const char *first)
{
	const struct command *command;

	first = candidates_unaliased(first);
	for (size_t i = 0; (command = command_at(i)); i++) {
		size_t cursor = 0, length;
		const char *text;

		if (!candidates_is_meant(command, first) ||
		    (request->is_mode && *command->arguments))
			continue;
		while (command_spelling(command, 1, &cursor, &text, &length))
			candidates_offer(request, text, length);
	}
}

void candidates_command_words(struct completion_request *request)
{
	if (request->before.count == 0)
		candidates_first_words(request);
	else if (request->before.count == 1)
		candidates_second_words(request, request->before.data[0]);
}
