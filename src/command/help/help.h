/*
 * help.h - what the command table says about itself
 */
#ifndef COMMAND_HELP_H
#define COMMAND_HELP_H

#include "command/table.h"
#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/session.h"
#include "topics.h"
#include "word_meaning.h"

/* All commands by family, or all about one, or those a word begins. */
struct error *help_write(const char *topic, struct str *out);

/* "quit|exit": the words with all their spellings; appended. */
void help_spellings(const struct command *command, struct str *out);

/* What a setting is for, and what its values mean; appended. */
void help_setting(const struct session_setting *setting, struct str *out);

#endif
