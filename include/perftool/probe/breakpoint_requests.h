/*
 * breakpoint_requests.h - what the caller asks of breakpoints
 */
#ifndef PERFTOOL_PROBE_BREAKPOINT_REQUESTS_H
#define PERFTOOL_PROBE_BREAKPOINT_REQUESTS_H

#include "perftool/probe.h"

/* Enter a request and resolve it. The function takes over `condition`, which
 * may be NULL. The breakpoint gets the next free number and belongs to the
 * layer. A location that has no place yet is no error: `problem` of the
 * breakpoint's facts says why there is none. */
struct error *probe_add(struct probe *probe, enum request_kind kind,
			const char *location, struct expr *condition,
			struct breakpoint **out);
/* The same for a breakpoint that is not one of the user's: probe_next() passes
 * over it, and its number, which has the bit PROBE_APART, is not among theirs.
 * Its hits are told as others are. */
#define PROBE_APART UINT32_C(0x80000000)
struct error *probe_add_apart(struct probe *probe, enum request_kind kind,
			      const char *location, struct expr *condition,
			      struct breakpoint **out);
void probe_remove(struct probe *probe, struct breakpoint *breakpoint);
/* Do the same for `count` breakpoints of the list, of which there may be
 * thousands, with one pass over everything that is patched. */
void probe_remove_all(struct probe *probe, struct breakpoint *const *list,
		      size_t count);
struct error *probe_enable(struct probe *probe, struct breakpoint *breakpoint,
			   bool enabled);
/* Do the same for all breakpoints of a list, none of which is a watchpoint. */
struct error *probe_enable_all(struct probe *probe,
			       struct breakpoint *const *list, size_t count,
			       bool enabled);
/* Take all breakpoints that have a condition out of the program, whether they
 * are enabled or not, and also those that are added or get a condition from now
 * on; or put them back in. Those of probe_add_apart() stay. All threads stand
 * still. */
struct error *probe_suspend(struct probe *probe, bool suspended);

/* Set the condition, or the expression whose values the histogram records. Each
 * of the two functions takes over the expression, and binds it (looks up the
 * names in it) at all places of the breakpoint. On failure the breakpoint is as
 * before. */
struct error *probe_set_condition(struct probe *probe,
				  struct breakpoint *breakpoint,
				  struct expr *condition);
struct error *probe_set_value(struct probe *probe,
			      struct breakpoint *breakpoint,
			      struct expr *value);
/*
 * Enter a watchpoint: a breakpoint whose hits are the writes to an object (with
 * `reads`, the accesses to it), which the processor watches for all threads.
 * `text` is the object in the words of the user. Its address is that of the
 * expression `object`, seen from no function, in each process; or `address`, in
 * the process that runs now, if that is not 0. `object` is also the value of
 * the hits: the object as it is behind the instruction that has touched it. The
 * function takes over `object` and `condition`.
 *
 * ERROR_OTHER: the program has as many watchpoints as the processor can watch.
 */
struct watch_request {
	const char *text;
	uint64_t address;
	uint8_t size; /* 1, 2, 4 or 8 bytes */
	bool reads;
};
struct error *probe_watch(struct probe *probe,
			  const struct watch_request *request,
			  struct expr *object, struct expr *condition,
			  struct breakpoint **out);
/* How many watchpoints are enabled. */
size_t probe_watch_count(const struct probe *probe);
/* Does the watchpoint count reads, too? */
bool breakpoint_watches_reads(const struct breakpoint *breakpoint);

/* Have an expression evaluated at every hit of the breakpoint for a leg or a
 * split, and return the index of its value in the hit. Takes the expression
 * over. The caller gives the expression up by its index, with
 * probe_drop_expr(). */
struct error *probe_use_expr(struct probe *probe, struct breakpoint *breakpoint,
			     enum expr_use use, struct expr *expr,
			     uint32_t *index);
void probe_drop_expr(struct probe *probe, struct breakpoint *breakpoint,
		     enum expr_use use, uint32_t index);

/* The text of the expression that has this index from probe_use_expr(); NULL if
 * nothing uses the index. */
const char *probe_expr_text(const struct breakpoint *breakpoint,
			    enum expr_use use, uint32_t index);
/* Set whether the condition of the breakpoint only names a variable or filters
 * hits: `only_names` of the facts. */
void probe_set_only_names(struct breakpoint *breakpoint, bool only_names);
/* Remember that the user is now told of an error in an expression of the
 * breakpoint. Returns false if the user was told before. */
bool probe_tell_once(struct breakpoint *breakpoint);

/* From now on each hit of the breakpoint reports its stack and stack pointer
 * (probe_want_stack()), its frame and stack (probe_want_frame()), or the
 * goroutine that makes it (probe_want_goroutine()). */
void probe_want_stack(struct breakpoint *breakpoint);
void probe_want_frame(struct probe *probe, struct breakpoint *breakpoint);
void probe_want_goroutine(struct probe *probe, struct breakpoint *breakpoint);
/* From now on each hit of any breakpoint, also of one that is added later,
 * reports the goroutine that makes it. */
void probe_want_goroutines(struct probe *probe);

/* Is a place of the breakpoint in a Go program's own code? */
bool probe_is_go(const struct breakpoint *breakpoint);

/* Look for a location in all files, and for the names of a condition (NULL:
 * there is none), as probe_add() will do. The program may run meanwhile. The
 * layer keeps what this function reads, so that probe_add() is faster. `*out`
 * is a breakpoint that is nowhere, and whose facts say whether a place was
 * found (`was_found`) and, if not, why. probe_end_seek() destroys it. The
 * function fails if probe_add() would fail in the same way. */
struct error *probe_seek(struct probe *probe, enum request_kind kind,
			 const char *location, const struct expr *condition,
			 struct breakpoint **out);
void probe_end_seek(struct breakpoint *sought);

/* The modules that are loaded at a moment. held_modules_are_all() says whether
 * they are those that are loaded now, so that what was found in them then is
 * all that there is. held_modules_let_go() ends the hold. */
VEC_STRUCT(held_modules, struct module *);
void probe_hold_modules(struct probe *probe, struct held_modules *out);
bool held_modules_are_all(struct probe *probe, const struct held_modules *held);
void held_modules_let_go(struct held_modules *held);

/* Tell the layer which libraries the program is linked with, before the program
 * runs: target_linked_libraries(). The layer forgets the libraries when another
 * program is set and when the program starts. */
void probe_set_linked(struct probe *probe, const struct string_list *paths);
/* Will a breakpoint that has no place get one when the libraries of
 * probe_set_linked() are loaded? */
bool probe_will_find(struct probe *probe, struct breakpoint *breakpoint);

/* Find the first place of a location, without setting a breakpoint there. If
 * there is none, the function returns ERROR_NOT_FOUND, and the message says
 * what was looked for. */
struct error *probe_locate(struct probe *probe, const char *location,
			   struct place *out);

/* Move the breakpoint to another location: its places from now on are the
 * places of `location` alone. */
struct error *probe_move(struct probe *probe, struct breakpoint *breakpoint,
			 const char *location);

/* Announce that breakpoints of many functions will be added. Until
 * probe_end_many(), the user is told only the first remarks on these functions;
 * probe_end_many() tells how many more there were. `asked`: a command of the
 * user adds the breakpoints. A remark on them is then made even if it was made
 * earlier. */
void probe_begin_many(struct probe *probe, bool asked);
void probe_end_many(struct probe *probe);

/* Find a breakpoint by its number. NULL if there is none, or if it was deleted.
 */
struct breakpoint *probe_find(const struct probe *probe, uint32_t id);
/* Return the breakpoints one by one in the order of their numbers, including
 * deleted ones. Start with *cursor = 0 and continue until NULL. The caller may
 * free the breakpoint that was just returned with probe_forget(). */
struct breakpoint *probe_next(const struct probe *probe, size_t *cursor);
/* Find a breakpoint by its number, even if it was deleted. NULL if there is
 * none. */
struct breakpoint *probe_find_any(const struct probe *probe, uint32_t id);
/* Tell the user each file of which a part could not be read since the last
 * call. The tool treats such a part as missing. */
void probe_check_files(struct probe *probe);
/* Determine again why a breakpoint has no place, and write the reason into its
 * `problem`; for one breakpoint, or for all. */
void probe_describe_problem(struct probe *probe, struct breakpoint *breakpoint);
void probe_describe_problems(struct probe *probe);
/* Free a deleted breakpoint whose row in the node table nothing needs. */
void probe_forget(struct probe *probe, struct breakpoint *breakpoint);
/* Remove and free a breakpoint that probe_add() has made and that the caller
 * refuses. If the breakpoint is the newest one, the next breakpoint gets its
 * number. */
void probe_take_back(struct probe *probe, struct breakpoint *breakpoint);
/* Free all deleted breakpoints that were kept for their rows. */
void probe_forget_deleted(struct probe *probe);

/* Find the functions that a pattern names now, in the modules of the process or
 * in the program's file. `time GLOB` makes legs for these functions. Modules
 * whose path is in `searched` are left out (NULL: no module is). Aliases are
 * merged. For *ADDRESS the result is the function that contains the address;
 * that function may have no name. */
struct named_function {
	struct function function;
	const struct module *module;
	/* Only processes that run other programs than the one that the user
	 * named map the module. */
	bool foreign;
	/* The module is the program that the user named, or a library that this
	 * program is linked with. */
	bool linked;
};
VEC_STRUCT(named_function_list, struct named_function);
struct error *probe_functions(struct probe *probe, const char *location,
			      const struct strmap *searched,
			      struct named_function_list *out);
/* The same in the libraries of probe_set_linked(), before they are loaded. The
 * functions are valid until probe_set_linked() is called again. */
struct error *probe_linked_functions(struct probe *probe, const char *location,
				     struct named_function_list *out);
/* Find out where the frames of these functions end. The next command that makes
 * breakpoints there need not do so, and the program stands still for a shorter
 * time. Fails only if the user interrupts it. */
struct error *probe_prepare_exits(struct probe *probe,
				  const struct named_function_list *functions);

#endif
