/*
 * stack_names.h - gives names to recorded addresses: functions, inlined calls,
 * source lines
 */
#ifndef SESSION_STACK_NAMES_H
#define SESSION_STACK_NAMES_H

#include "perftool/profile/stack_log.h"
#include "session/run/run.h"

/* What follows the name of a file whose functions neither symbols nor call
 * frame information tell: all such code of the file is one procedure. */
#define NO_FUNCTION "[unknown]"

/* Give names to all stacks of a log. `threads` has a struct recorded_thread for
 * each serial of the log. */
void resolve_stacks(const struct module_numbers *modules,
		    const struct stack_log *log, const struct map *threads,
		    struct call_stacks *out);

/* Append the places of one address, the innermost inlined call first. */
void name_address(const struct module_numbers *modules,
		  const struct code_address *address,
		  struct call_stacks *stacks, struct call_place_list *places);

/* Return the number of the function whose code has an address of the module's
 * file (NULL: of no module); of an inlined call, that of the function into
 * which it was inlined. It is the same procedure that an address of the
 * function has in stacks. */
uint32_t name_function(const struct module *module, uint64_t address,
		       struct procedures *procedures);

#endif
