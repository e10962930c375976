/*
 * call_spots.h - the spots of requests whose places depend on the code of
 * functions: their blocks, and calls of other functions
 */
#ifndef PROBE_CALL_SPOTS_H
#define PROBE_CALL_SPOTS_H

#include "perftool/probe.h"
#include "probe/site/site.h"

struct basic_blocks;

/* block_spots.c: Append the spots of the function's basic blocks, and tell the
 * user which are missing. */
struct error *spots_of_blocks(struct probe *probe, struct debugfile *file,
			      const struct function *function,
			      struct spot_list *out);

/* Tell the user which blocks of the function are missing. */
void note_missing_blocks(struct probe *probe, struct debugfile *file,
			 const struct function *function,
			 const struct basic_blocks *blocks);
/* run_spots.c: Append the spots of REQUEST_RUNS. */
struct error *spots_of_runs(struct probe *probe, struct debugfile *file,
			    const struct function *function,
			    struct spot_list *out);

/* unwind_spots.c: Append the ends of unwindings. */
struct error *spots_of_unwinds(struct debugfile *file, struct spot_list *out);

/* wait_spots.c: Append the places where threads wait for locks, or wake others.
 */
struct error *spots_of_waits(struct debugfile *file, enum request_kind request,
			     struct spot_list *out);

/* call_spots.c: Append the instructions of the module that call a function
 * which the breakpoint is for. The module's file is open. */
struct error *spots_of_calls(struct probe *probe, struct module *module,
			     const struct breakpoint *breakpoint,
			     struct spot_list *out);

/* callee_spots.c: Append the entries of the functions that the breakpoint is
 * for, or the places where they return. The module's file is open. */
struct error *spots_of_callees(struct probe *probe, struct module *module,
			       const struct breakpoint *breakpoint,
			       struct spot_list *out);

/* instruction_begin.c: Fails if an address, which the user has named by itself
 * or by a distance from a function, is within an instruction of a function. */
struct error *check_instruction_begin(struct debugfile *file,
				      const struct breakpoint *breakpoint,
				      uint64_t address);

#endif
