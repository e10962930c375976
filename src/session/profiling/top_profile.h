/*
 * top_profile.h - what `top` has found: the ticks, and how often functions were
 * called
 */
#ifndef SESSION_TOP_PROFILE_H
#define SESSION_TOP_PROFILE_H

#include "perftool/profile/call_stacks.h"
#include "program_costs.h"
#include "recorder.h"

/* A function whose calls were counted. */
struct top_calls {
	char *location;
	/* calls a second of the program that nobody counts; below 0: not known
	 */
	double rate;
	bool is_least; /* there are more */
};

struct top_profile {
	struct recorder recorder;
	VEC(struct top_calls) calls;
	bool came_to_calls; /* the ticks were over in time */
	bool is_taken;      /* a `top' is under way */
	/* the program's time on CPUs a second, while only ticks were taken */
	double cpus;
	struct program_cpu cpu; /* when the counts were 0 last */
	/* why the calls of a function could not be counted; NULL: no failure */
	char *calls_problem;
};

void top_profile_init(struct top_profile *top, struct session *session);
void top_profile_deinit(struct top_profile *top);

/* ---- top.c: the ticks ---------------------------------------------------- */

/* The ticks of one procedure. */
struct tally {
	uint32_t procedure;
	uint64_t own, total;
};

/* What was sampled, with the procedures that have ticks of their own, most
 * first. */
struct tallied {
	struct call_stacks stacks;
	VEC(struct tally) list;
};
/* The caller calls tallied_deinit(). */
void top_tally(struct recorder *recorder, struct tallied *out);
void tallied_deinit(struct tallied *tallied);
/* Returns the time on CPUs a second that the ticks stand for. Ticks that fell
 * due and were not taken count, too. */
double top_cpus(const struct recorder *recorder, const struct tallied *tallied);

/* Is the name made up of the module and an address? */
bool top_is_nameless(const struct procedure *procedure);

/* ---- top_calls.c: the calls ---------------------------------------------- */

void top_forget_calls(struct top_profile *top);
/* Returns the location of a function that has code of its own, which the caller
 * frees; else NULL. */
char *top_location(const struct procedures *procedures, uint32_t number);
/* Returns what is known of the calls of a function; NULL: nothing. */
const struct top_calls *top_calls_of(const struct top_profile *top,
				     const char *location);
/* Returns of how many functions that is known. */
size_t top_count_rates(const struct top_profile *top);

#endif
