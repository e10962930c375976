/* top_profile.h - the state of `top`: top.c */
#ifndef SESSION_TOP_PROFILE_H
#define SESSION_TOP_PROFILE_H

#include "recorder.h"

/* The number of calls of a function that was counted for a moment. */
struct top_calls {
	char *location; /* NAME@MODULE */
	double rate;    /* calls a second; below 0: they were not counted */
};

struct top_profile {
	struct recorder recorder;
	VEC(struct top_calls) calls;
};

void top_profile_init(struct top_profile *top, struct session *session);
void top_profile_deinit(struct top_profile *top);

#endif
