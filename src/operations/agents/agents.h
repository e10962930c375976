/*
 * agents.h - named accumulators: what front ends have added with AGENT
 *
 *	cpu      ticks of the clock, by class and method
 *	heap     calls and times of the functions that allocate memory
 *	io       those of the functions that read, write and wait for files
 *	sync     those of the functions that wait for locks, by the lock
 *	threads  time on CPUs and context switches of each thread
 *	PATH     the legs and nodes that a script of commands has added. PATH is
 *	         relative to the directory of perftool
 *
 * The functions that SETDETAIL details belong to the agent that it names. If
 * nobody has added that one, it has these functions alone, and is there while
 * they are detailed.
 *
 * An agent is cleared apart from the others. What it has counted before is
 * subtracted from its report; the tables of the session keep it.
 */
#ifndef OPERATIONS_AGENTS_H
#define OPERATIONS_AGENTS_H

#include <json-c/json.h>

#include "perftool/base/map.h"
#include "perftool/base/string_list.h"
#include "perftool/session.h"
#include "perftool/session/inventory.h"

#include "operations/holders.h"

struct desk;

/* What a leg or a thread had counted when its agent was cleared. */
struct past {
	uint64_t count;
	int64_t total; /* ns */
};

/* The key of a node in `past`. */
#define NODE_KEY(id) ((uint64_t)1 << 32 | (id))

struct agent {
	char *name;
	enum agent_kind {
		AGENT_CPU,
		AGENT_FUNCTIONS, /* heap, io, sync */
		AGENT_THREADS,
		AGENT_SCRIPT,
		/* Nobody has added it. It has what details name it for. */
		AGENT_DETAILS
	} kind;
	/* of its functions: see timed_set.h */
	struct string_list locations;
	/* the numbers of what a script has added */
	struct number_list legs, nodes;
	/* struct past, by the number of a leg or a tid, or by NODE_KEY */
	struct map past;
	struct holders holders;
};
struct agent_list {
	VEC(struct agent) list;
};
void agents_deinit(struct agent_list *agents);

/* script_agent.c: script_begin() runs the script. If a command of it fails,
 * what the others have added is removed. script_end() removes what the script
 * has added. */
struct error *script_begin(struct desk *desk, struct agent *agent);
struct error *script_end(struct desk *desk, const struct agent *agent);

/* Forgets when the agent was cleared. */
void agent_clear_past(struct agent *agent);

const struct agent *agents_find(const struct agent_list *agents,
				const char *name);
/* ERROR_USAGE: the name is none of an agent that exists or that is built in. */
struct error *agents_check_name(const struct desk *desk, const char *name);

/* Adds an agent, or adds an owner to it: see holders.h. */
struct error *agents_add(struct desk *desk, const char *name, uint32_t owner);
struct error *agents_remove(struct desk *desk, const char *name);
/* Items are detailed for this agent now, or are no longer: it is there if there
 * are some. */
void agents_detailed(struct desk *desk, const char *name);
/* A front end is gone. */
void agents_forget(struct desk *desk, uint32_t owner);

/* The program has loaded libraries: the agents heap, io and sync time the
 * functions of modules whose paths are no keys of `searched`. */
void agents_look_again(struct desk *desk, const struct strmap *searched);

/* The agent cpu ticks as CHECKTIME and FULLMONITORING say now. */
struct error *agents_set_rate(struct desk *desk);
/* MONITOR: the agents accumulate nothing while they are paused. */
struct error *agents_pause(struct desk *desk, bool paused);

/* CLEAR: sets the figures of one agent to 0; of all if `name` is NULL. */
struct error *agents_clear(struct desk *desk, const char *name);

/* Returns what the agents have accumulated, as an array; `name`: only the agent
 * of this name. The caller frees the value. */
struct json_object *agents_report(struct desk *desk, const char *name);

#endif
