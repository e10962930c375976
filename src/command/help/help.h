/*
 * help.h - write the help texts of commands and settings from their tables
 */
#ifndef COMMAND_HELP_H
#define COMMAND_HELP_H

#include "command/table.h"
#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/session.h"
#include "perftool/session/session_settings.h"
#include "topics.h"
#include "word_meaning.h"

/* Appends the help about a topic: all commands by family if `topic` is empty,
 * otherwise the full text about one command, or a list of the commands that
 * begin with the given words. Returns an error if no command fits. */
struct error *help_write(const char *topic, struct str *out);

/* Appends the words of a command with all their spellings: "quit|exit". */
void help_spellings(const struct command *command, struct str *out);

/* Appends what a setting is for, and what its values mean. */
void help_setting(const struct session_setting *setting, struct str *out);

#endif
