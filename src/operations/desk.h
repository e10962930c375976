/*
 * desk.h - what the operations work on, and what they remember between requests
 *
 * Everything here is shared by all callers, except what a caller has asked for
 * as its own (holders.h).
 */
#ifndef OPERATIONS_DESK_H
#define OPERATIONS_DESK_H

#include <stdio.h>

#include "operations/agents/agents.h"
#include "operations/classes/classes.h"
#include "operations/details/details.h"
#include "operations/instrumentation/instrumentation.h"
#include "perftool/command.h"
#include "perftool/session/user_interface.h"

#include "invocation.h"

struct desk {
	struct session *session;
	const struct session_ui *ui;
	/* An operation is being carried out. The program has loaded libraries
	 * meanwhile, which are looked at when it is over. */
	bool is_busy, has_new_libraries;
	/* COMMAND is carrying out a line: remarks are a part of its output. */
	bool is_in_line;
	/* the modules that were there when this was done last, by path */
	struct strmap searched;
	/* The interpreter of COMMAND and of scripts writes to `stream`, which
	 * is `text`. */
	struct interpreter *interpreter;
	FILE *stream;
	char *text;
	size_t length;
	/* when the desk was made, as the time of day */
	struct timespec since;
	/* CHECKTIME, DISABLETIME: ms between two looks at the stacks while the
	 * monitor is on, and while it is off */
	double check_time, disable_time;
	bool is_full; /* FULLMONITORING */
	size_t max_depth;
	/* for how long the program stood still for SHOWSTACK the last time, ns
	 */
	uint64_t stood_for_stacks;
	struct class_table classes;
	struct timed_set timed;
	struct detail_list details;
	struct agent_list agents;
	struct instrumentation patches;
};

/* Tells the user of an error that no caller gets, and frees it. */
void desk_note(const struct desk *desk, struct error *error);

/* Something begins that changes what the desk remembers; `was_busy` gets
 * whether it is a part of something else. desk_end_work() then looks at the
 * libraries that the program has loaded meanwhile. */
void desk_begin_work(struct desk *desk, bool *was_busy);
void desk_end_work(struct desk *desk, bool was_busy);

#endif
