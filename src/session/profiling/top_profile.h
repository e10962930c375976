/*
 * top_profile.h - what `top` has found: the ticks, and how often functions were
 * called
 */
#ifndef SESSION_TOP_PROFILE_H
#define SESSION_TOP_PROFILE_H

#include "perftool/profile/call_stacks.h"
#include "recorder.h"

/* A function whose calls were counted. */
struct top_calls {
	char *location;
	double rate; /* calls a second; below 0: not known */
};

struct top_profile {
	struct recorder recorder;
	VEC(struct top_calls) calls;
	bool came_to_calls; /* the ticks were over in time */
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

/* Is the name made up of the module and an address? */
bool top_is_nameless(const struct procedure *procedure);

/* ---- top_calls.c: the calls ---------------------------------------------- */

void top_forget_calls(struct top_profile *top);
/* Returns the location of a function that has code of its own, which the caller
 * frees; else NULL. */
char *top_location(const struct procedures *procedures, uint32_t number);
/* Returns how often a second the function was called; below 0: not counted. */
double top_rate(const struct top_profile *top, const char *location);
/* Returns of how many functions that is known. */
size_t top_count_rates(const struct top_profile *top);

#endif
