/* tick_profile.h - the ticks of the profiler: ticks.c */
#ifndef SESSION_TICK_PROFILE_H
#define SESSION_TICK_PROFILE_H

#include "recorder.h"

struct tick_profile {
	struct recorder recorder;
	double rate;
	bool were_on;
};

void tick_profile_init(struct tick_profile *ticks, struct session *session);
void tick_profile_deinit(struct tick_profile *ticks);

#endif
