/*
 * topics.h - the topics of `help` that are not about a single command
 */
#ifndef COMMAND_TOPICS_H
#define COMMAND_TOPICS_H

struct topic {
	const char *name;
	const char *summary; /* what the topic is about, in one line */
	/* the text of the topic, in the form of a command's long help (table.h)
	 */
	const char *text;
	/* The topic lists the commands that have this word among their command
	 * words, for example `add leg` for "leg". NULL: the topic lists no
	 * commands. */
	const char *word;
};

/* The last entry has a NULL name. */
extern const struct topic topics[];

#endif
