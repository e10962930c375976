/*
 * topics.h - what `help` tells that is about no single command
 */
#ifndef COMMAND_TOPICS_H
#define COMMAND_TOPICS_H

struct topic {
	const char *name;
	const char *summary; /* one line */
	/* As the long help of a command (table.h). */
	const char *text;
	/* Its commands are those that have this word; NULL: none are listed. */
	const char *word;
};

/* Ends with a NULL name. */
extern const struct topic topics[];

#endif
