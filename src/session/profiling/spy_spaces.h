/*
 * spy_spaces.h - `spy watch spaces`: samples of the system calls that change
 * the memory mappings of a process
 */
#ifndef SESSION_SPY_SPACES_H
#define SESSION_SPY_SPACES_H

#include "perftool/target/target_events.h"
#include "recorder.h"

/* A mapping that was made while the Spy recorded, and the stack that made it.
 */
struct spied_mapping {
	pid_t pid;
	uint64_t low, high;
	uint32_t node;   /* of the log */
	uint32_t thread; /* serial */
	/* Not 0: the mapping was cut in two, and all of its parts have this
	 * number. */
	uint32_t parts;
};

/* The mappings that exist, sorted by process and address. */
VEC_STRUCT(spied_mapping_list, struct spied_mapping);

/* Have the target tell these calls, or no longer. All threads stand still. */
void spaces_watch(struct session *session, bool on);
/* A call was told: record what it has done. */
void spaces_event(struct recorder *recorder, struct spied_mapping_list *spaces,
		  const struct event *event);
/* The process has ended or executes another program. */
void spaces_forget(struct spied_mapping_list *spaces, pid_t pid);

#endif
