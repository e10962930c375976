/*
 * placing.h - reads `PLACE [mechanism=...] [if COND]` and sets the breakpoint
 */
#ifndef COMMAND_PLACING_H
#define COMMAND_PLACING_H

#include "perftool/session.h"

struct call;

/* Sets a breakpoint of this kind. `arguments` is the text behind the words of
 * the command. */
struct error *place_breakpoint(struct call *call, const char *arguments,
			       enum break_kind kind);

/* Has the program a function of this name? If so, the word, which may be a
 * keyword, stands for the function if nothing follows it. */
bool is_program_function(struct session *session, const char *word);

#endif
