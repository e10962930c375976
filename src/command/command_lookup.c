/*
 * command_lookup.c - find the command that the words of a line mean
 *
 * A word that is typed in full wins; otherwise any unambiguous prefix is
 * enough. The second word can make an ambiguous first word clear: `pr ta` means
 * `print tables`, because there is no command `proceed tables`.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/vec.h"

#include "table.h"
#include "tokenizer.h"

const char *command_word(const char *line, struct str *word, char *mark)
{
	if (mark)
		*mark = '\0';
	if (!isalnum((unsigned char)*line))
		return line;
	while (isalnum((unsigned char)*line) || *line == '_' || *line == '-')
		str_append_char(word, *line++);
	if (mark && (*line == '!' || *line == ':')) {
		*mark = *line;
		line++;
	}
	return line;
}

/* ---- matching ----------------------------------------------------------- */

/* A command word that the word in the user's line may stand for. */
struct choice {
	const char *text; /* not terminated by a NUL */
	size_t length;
	const struct command *command; /* the command; set only if the choice is
					* a second word */
};

VEC_STRUCT(choices, struct choice);

static bool is_same(const struct choice *choice, const char *text,
		    size_t length)
{
	return choice->length == length &&
	       strncasecmp(choice->text, text, length) == 0;
}

static int compare(const void *a, const void *b)
{
	const struct choice *first = a, *second = b;
	size_t length =
		first->length < second->length ? first->length : second->length;
	int order = strncasecmp(first->text, second->text, length);

	if (order)
		return order;
	return (first->length > second->length) -
	       (first->length < second->length);
}

static void sort(const struct choices *choices)
{
	if (choices->count > 1)
		qsort(choices->data, choices->count, sizeof(*choices->data),
		      compare);
}

/* Adds the choice to `choices` if its text begins with `typed`. A choice whose
 * text is equal to `typed` removes the choices whose text is longer. */
static void consider(struct choices *choices, const char *typed,
		     const struct choice *choice)
{
	size_t length = strlen(typed);

	if (length > choice->length ||
	    strncasecmp(typed, choice->text, length) != 0)
		return;
	if (choices->count > 0 && is_same(&choices->data[0], typed, length) &&
	    length < choice->length)
		return;
	if (length == choice->length && choices->count > 0 &&
	    !is_same(&choices->data[0], typed, length))
		vec_clear(choices);
	for (size_t i = 0; i < choices->count; i++) {
		const struct choice *known = &choices->data[i];

		if (is_same(known, choice->text, choice->length) &&
		    known->command == choice->command)
			return;
	}
	vec_push(choices, *choice);
}

static void first_words(const char *typed, struct choices *choices)
{
	const struct command *command;

	for (size_t i = 0; (command = command_at(i)); i++) {
		struct choice choice = {0};
		size_t cursor = 0;

		while (command_spelling(command, 0, &cursor, &choice.text,
					&choice.length))
			consider(choices, typed, &choice);
	}
}

/* Does this command have `first` as its first word? */
static bool begins(const struct command *command, const struct choice *first)
{
	size_t cursor = 0, length;
	const char *text;

	while (command_spelling(command, 0, &cursor, &text, &length))
		if (is_same(first, text, length))
			return true;
	return false;
}

static bool has_second(const struct command *command)
{
	return strchr(command->words, ' ') != NULL;
}

/* Does a place of the program follow? In `break entry`, `entry` is a keyword
 * only if a place follows it. */
static bool place_follows(const char *after)
{
	after = token_skip_blanks(after);
	if (*after == '\0' || token_is_comment(after))
		return false;
	return !(strncasecmp(after, "if", 2) == 0 &&
		 !isalnum((unsigned char)after[2]) && after[2] != '_');
}

static bool may_match(const struct command *command, const char *typed,
		      const struct choice *choice, const char *after)
{
	bool exact = strlen(typed) == choice->length;

	if (command->flags & COMMAND_IN_FULL)
		return exact &&
		       (place_follows(after) || command->flags & COMMAND_ALONE);
	if (command->flags & COMMAND_TWO_LETTERS)
		return exact || strlen(typed) >= 2;
	return true;
}

/* Adds the second words that `typed` may stand for after the first word
 * `first`. `after` is the text behind the second word. */
static void second_words(const struct choice *first, const char *typed,
			 const char *after, struct choices *choices)
{
	const struct command *command;

	for (size_t i = 0; (command = command_at(i)); i++) {
		struct choice choice = {.command = command};
		size_t cursor = 0;

		if (!begins(command, first))
			continue;
		/* One spelling of a command is enough: if two spellings of the
		 * same command fit, the word is not ambiguous. */
		while (command_spelling(command, 1, &cursor, &choice.text,
					&choice.length)) {
			size_t before = choices->count;

			if (may_match(command, typed, &choice, after))
				consider(choices, typed, &choice);
			if (choices->count > before)
				break;
		}
		for (size_t n = 0; command->nouns && command->nouns(n); n++) {
			choice.text = command->nouns(n);
			choice.length = strlen(choice.text);
			consider(choices, typed, &choice);
		}
	}
}

/* ---- errors ------------------------------------------------------------- */

static void append_command(struct str *out, const struct choice *first,
			   const struct choice *second)
{
	if (out->length)
		str_append(out, ", ");
	str_append_n(out, first->text, first->length);
	if (second) {
		str_append_char(out, ' ');
		str_append_n(out, second->text, second->length);
	}
}

static struct error *list_error(const char *before, const char *typed,
				const char *after, struct str *list)
{
	struct error *error = error_create(ERROR_USAGE, "%s%s%s%s", before,
					   typed, after, str_text(list));

	str_deinit(list);
	return error;
}

static struct error *ambiguous_firsts(const char *typed,
				      const struct choices *firsts)
{
	struct str list = {0};

	sort(firsts);
	for (size_t i = 0; i < firsts->count; i++)
		append_command(&list, &firsts->data[i], NULL);
	return list_error("`", typed, "' is ambiguous: ", &list);
}

static struct error *ambiguous_seconds(const char *typed,
				       const struct choice *first,
				       const struct choices *seconds)
{
	struct str list = {0};

	sort(seconds);
	for (size_t i = 0; i < seconds->count; i++)
		append_command(&list, first, &seconds->data[i]);
	return list_error("`", typed, "' is ambiguous: ", &list);
}

/* Appends the known first words that are most similar to the unknown word
 * `typed`, separated by commas. Appends nothing if no word is similar
 * enough. */
static void near_words(const char *typed, struct str *out)
{
	size_t best = strlen(typed) > 4 ? 2 : 1;
	const struct command *command;
	struct choices nearest = {0};

	for (size_t i = 0; (command = command_at(i)); i++) {
		size_t cursor = 0;
		struct choice choice = {0};

		while (command_spelling(command, 0, &cursor, &choice.text,
					&choice.length)) {
			struct str word = {0};
			size_t distance;

			str_append_n(&word, choice.text, choice.length);
			distance = str_distance(typed, str_text(&word));
			str_deinit(&word);
			if (distance > best)
				continue;
			if (distance < best)
				vec_clear(&nearest);
			best = distance;
			if (nearest.count == 0 ||
			    !is_same(&nearest.data[nearest.count - 1],
				     choice.text, choice.length))
				vec_push(&nearest, choice);
		}
	}
	for (size_t i = 0; i < nearest.count; i++)
		append_command(out, &nearest.data[i], NULL);
	vec_free(&nearest);
}

/* Does an argument list follow the word? In the memo, `AllocatePages[140]'
 * calls a procedure of the program. The tool does not call functions of the
 * program. */
static bool is_call(const char *after)
{
	return *after == '[' || *after == '(';
}

static struct error *unknown_first(const char *typed, const char *after)
{
	const char *instead = command_instead(typed);
	struct str list = {0};

	if (is_call(after))
		return error_create(
			ERROR_USAGE,
			"`%s%s' would be a call, and perftool calls no "
			"functions of the program; `run' runs the program",
			typed, after);
	if (instead)
		return error_create(ERROR_USAGE, "unknown command `%s': %s",
				    typed, instead);
	near_words(typed, &list);
	if (list.length) {
		str_append_char(&list, '?');
		return list_error("unknown command `", typed,
				  "': did you mean ", &list);
	}
	return error_create(ERROR_USAGE,
			    "unknown command `%s'; `help' lists all", typed);
}

/* Returns the error for a line in which the word `first` has no valid second
 * word, although it is no command without one. The error lists the second words
 * that may follow `first`. */
static struct error *unknown_second(const struct choice *first,
				    const char *typed)
{
	struct choices all = {0};
	struct str list = {0}, begun = {0};
	struct error *error;
	const struct command *command;

	for (size_t i = 0; (command = command_at(i)); i++) {
		struct choice choice = {.command = command};
		size_t cursor = 0;

		if (begins(command, first) &&
		    command_spelling(command, 1, &cursor, &choice.text,
				     &choice.length))
			vec_push(&all, choice);
	}
	for (size_t i = 0; i < all.count; i++)
		append_command(&list, first, &all.data[i]);
	vec_free(&all);
	str_append_n(&begun, first->text, first->length);
	if (*typed) {
		str_append_char(&begun, ' ');
		str_append(&begun, typed);
	}
	error = list_error(*typed ? "unknown command `" : "incomplete: `",
			   str_text(&begun), "'; there is ", &list);
	str_deinit(&begun);
	return error;
}

/* ---- resolution --------------------------------------------------------- */

/* The words at the beginning of a line: the first word, and the second word if
 * there is one. */
struct head {
	struct str first, second;
	char first_mark, second_mark; /* the mark after each word: `!`, `:`, or
				       * 0 if there is none */
	const char *after_first, *after_second;
};

/* Does the word before `text` end here? Only a word that ends here can be the
 * second word of a command. */
static bool ends_word(const char *text)
{
	return *text == '\0' || isspace((unsigned char)*text) || *text == '>';
}

static void read_head(const char *line, struct head *head)
{
	const char *at = command_word(line, &head->first, &head->first_mark);

	head->after_first = head->after_second = at;
	at = token_skip_blanks(at);
	at = command_word(at, &head->second, &head->second_mark);
	if (ends_word(at)) {
		head->after_second = at;
	} else {
		str_deinit(&head->second);
		head->second_mark = '\0';
	}
}

static const struct command *single(const struct choice *first)
{
	const struct command *command;

	for (size_t i = 0; (command = command_at(i)); i++)
		if (!has_second(command) && begins(command, first))
			return command;
	return NULL;
}

static bool takes_arguments(const struct command *command)
{
	return command->most || command->flags & COMMAND_REST;
}

/* Are there commands of two words with this first word? */
static bool others_begin(const struct choice *first)
{
	const struct command *command;

	for (size_t i = 0; (command = command_at(i)); i++)
		if (has_second(command) && begins(command, first))
			return true;
	return false;
}

/* Returns an error for a line such as `Delete! 1`: `Delete!` takes what it
 * deletes from the fields of the memo's window (fields.h), so it has no
 * arguments. Returns NULL if the line is not of this kind. */
static struct error *act_with_argument(const struct head *head)
{
	static const struct {
		const char *word, *before, *behind;
	} acts[] = {{"add", "add histogram leg", " linear"},
		    {"delete", "delete leg", ""},
		    {"print", "print histogram leg", ""}};
	const char *first = str_text(&head->first);
	const char *number =
		head->second.length &&
				isdigit((unsigned char)*head->second.data)
			? str_text(&head->second)
			: "N";

	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		if (head->first_mark == '!' && head->first.length >= 3 &&
		    str_starts_nocase(acts[i].word, first))
			return error_create(
				ERROR_USAGE,
				"`%s!' takes no arguments and acts on the "
				"fields: `Type: leg  Histogram Leg: %s' sets "
				"them; or use `%s %s%s'",
				first, number, acts[i].before, number,
				acts[i].behind);
	return NULL;
}

static struct error *check_marks(const struct head *head,
				 const struct command *command, bool two)
{
	struct error *error = NULL;
	char mark = head->first_mark;

	if (!mark && two)
		mark = head->second_mark;
	if (!mark || (command->flags & COMMAND_MEMO))
		return NULL;
	error = act_with_argument(head);
	if (error)
		return error;
	return error_create(ERROR_USAGE, "unexpected `%c' after `%s'", mark,
			    str_text(&head->first));
}

/* Returns the position after a mark that stands apart from its word, as in
 * `Print Legs !`. After a single command word, the mark must be the last thing
 * in the line, because otherwise it may belong to the argument that follows. */
static const char *skip_mark_apart(const struct command *command, bool two,
				   const char *rest)
{
	const char *at = token_skip_blanks(rest), *behind;

	if (!(command->flags & COMMAND_MEMO) || *at != '!')
		return rest;
	behind = token_skip_blanks(at + 1);
	if (!*behind || token_is_comment(behind) || (two && behind > at + 1))
		return at + 1;
	return rest;
}

static struct error *choose(const struct head *head,
			    const struct choices *firsts,
			    const struct choices *seconds,
			    const struct command **command, const char **rest)
{
	const char *first = str_text(&head->first);
	const char *second = str_text(&head->second);
	bool two;

	if (firsts->count == 0)
		return unknown_first(first, head->after_first);
	if (seconds->count > 1 && firsts->count == 1)
		return ambiguous_seconds(second, &firsts->data[0], seconds);
	if (seconds->count != 1 && firsts->count > 1)
		return ambiguous_firsts(first, firsts);
	two = seconds->count == 1 && has_second(seconds->data[0].command);
	if (seconds->count == 1)
		*command = seconds->data[0].command;
	else
		*command = single(&firsts->data[0]);
	/* `spy', which has no arguments, is not meant by `spy no-such-word'. */
	if (*command && !two && *second && !takes_arguments(*command) &&
	    others_begin(&firsts->data[0]))
		*command = NULL;
	if (!*command) {
		struct error *error = act_with_argument(head);

		return error ? error : unknown_second(&firsts->data[0], second);
	}
	*rest = skip_mark_apart(*command, two,
				two ? head->after_second : head->after_first);
	return check_marks(head, *command, two);
}

static struct error *resolve_head(const struct head *head,
				  const struct command **command,
				  const char **rest)
{
	const char *typed = command_alias(str_text(&head->first));
	struct choices firsts = {0}, seconds = {0};
	struct error *error;

	first_words(typed ? typed : str_text(&head->first), &firsts);
	for (size_t i = 0; head->second.length && i < firsts.count; i++)
		second_words(&firsts.data[i], str_text(&head->second),
			     head->after_second, &seconds);
	error = choose(head, &firsts, &seconds, command, rest);
	vec_free(&firsts);
	vec_free(&seconds);
	return error;
}

struct error *command_resolve(const char *line, const struct command **command,
			      const char **rest)
{
	struct head head = {0};
	struct error *error;

	line = token_skip_blanks(line);
	*command = NULL;
	*rest = line;
	if (*line == '\0' || token_is_comment(line))
		return NULL;
	read_head(line, &head);
	if (head.first.length == 0)
		error = error_create(ERROR_USAGE,
				     "unknown command `%.*s'; `help' lists all",
				     (int)strcspn(line, " \t"), line);
	else
		error = resolve_head(&head, command, rest);
	str_deinit(&head.first);
	str_deinit(&head.second);
	return error;
}

struct error *command_choose(const char *word, const char *what,
			     const char *const *choices, size_t *index)
{
	struct choices matching = {0};
	struct str list = {0};
	struct error *error;
	size_t count = 0;

	for (; choices[count]; count++) {
		struct choice choice = {.text = choices[count],
					.length = strlen(choices[count])};

		if (*word)
			consider(&matching, word, &choice);
	}
	if (matching.count == 1)
		for (size_t i = 0; i < count; i++)
			if (choices[i] == matching.data[0].text)
				*index = i;
	for (size_t i = 0; i < matching.count; i++)
		append_command(&list, &matching.data[i], NULL);
	count = matching.count;
	vec_free(&matching);
	if (count > 1)
		return list_error("`", word, "' is ambiguous: ", &list);
	str_deinit(&list);
	if (count == 1)
		return NULL;
	for (size_t i = 0; choices[i]; i++) {
		struct choice choice = {.text = choices[i],
					.length = strlen(choices[i])};

		append_command(&list, &choice, NULL);
	}
	error = error_create(ERROR_USAGE, "unknown %s `%s'; there is %s", what,
			     word, str_text(&list));
	str_deinit(&list);
	return error;
}
