/*
 * completion_request.h - the candidates of one request for completion, and
 * where they come from: the words of commands (command_candidates.c), and
 * everything else that an argument may be (argument_candidates.c)
 */
#ifndef COMMAND_COMPLETION_REQUEST_H
#define COMMAND_COMPLETION_REQUEST_H

#include "command/interpreter.h"
#include "command/table.h"

/* The state of one request for candidates. */
struct completion_request {
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

/* Adds the text as a candidate. */
void candidates_add(struct completion_request *request, const char *text,
		    size_t length);
/* Adds a literal word as a candidate if it begins with what the user has typed.
 * A word that is equal to the label before it is not added. */
void candidates_offer(struct completion_request *request, const char *text,
		      size_t length);

/* ---- command_candidates.c ------------------------------------------------ */

/* Returns the first word of a command for which the typed word is an alias, or
 * the typed word itself. */
const char *candidates_unaliased(const char *typed);
/* May the text that the user typed stand for the first word of this command? If
 * the text is equal to the first word of some command, it stands only for that
 * word. */
bool candidates_is_meant(const struct command *command, const char *typed);
/* Offer the first words of commands, and the second words of those that begin
 * with `first`. */
void candidates_first_words(struct completion_request *request);
void candidates_second_words(struct completion_request *request,
			     const char *first);
/* Offers the words of a command as arguments, for example of `help`. */
void candidates_command_words(struct completion_request *request);

/* ---- argument_candidates.c ----------------------------------------------- */

/* Offers the candidates of one item of a completion text: its sources and
 * literal words, which are separated by `|`. */
void candidates_from_item(struct completion_request *request, const char *item,
			  size_t length);
/* Offers the files and folders whose names begin with the word. */
void candidates_files(struct completion_request *request);
/* Completes the name at the end of an expression. */
void candidates_expression(struct completion_request *request);

#endif
