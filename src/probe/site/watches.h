/*
 * watches.h - watchpoints: objects in the memory of a space that the processor
 * watches for its threads
 *
 * A watchpoint has no site, because no code is patched for it. Each thread has
 * its own debug registers, and the tool sets them while the thread is stopped.
 * A space has a number for what its threads have to watch; a thread whose own
 * number is another one gets its registers at its next stop.
 */
#ifndef PROBE_WATCHES_H
#define PROBE_WATCHES_H

#include "perftool/probe.h"
#include "perftool/target/target_events.h"

struct attachment;
struct space;

struct watchpoint {
	struct attachment *attachment; /* NULL: the register is free */
	struct target_watch watched;
};

struct space_watches {
	struct watchpoint list[TARGET_WATCHES];
	uint32_t number;
	/* The threads of the space have to be stopped, because some of them
	 * watch something else. */
	bool is_outdated;
};

/* Find the objects of the watchpoints in the memory of the space, or the names
 * of their objects in the program's file. If threads run that have to watch
 * something new, all threads are asked to stop. */
struct error *watches_resolve(struct probe *probe, struct space *space);
/* A watchpoint was enabled or disabled, or is about to be removed. All threads
 * are stopped. */
void watches_change(struct probe *probe, struct breakpoint *breakpoint);
/* Set the debug registers of a stopped thread, if they are not as they should
 * be; or of all stopped threads of the space. */
struct error *watches_arm(struct space *space, struct thread *thread);
void watches_arm_all(struct probe *probe, struct space *space);
/* The child's memory is a copy of that of the space. */
void watches_copy(const struct space *from, struct space *to);
void watches_drop(struct space *space);
/* The place where names of a watchpoint's expressions are looked up: what code
 * of the module's main sees of global variables. */
struct expr_place watch_place(struct space *space, const struct module *module);
/* Bind the expressions of the space's watchpoints again. */
void watches_bind(struct space *space);

#endif
