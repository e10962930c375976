/* top_profile.h - the state of `top`: top.c */
#ifndef SESSION_TOP_PROFILE_H
#define SESSION_TOP_PROFILE_H

#include "recorder.h"

struct top_profile {
	struct recorder recorder;
};

void top_profile_init(struct top_profile *top, struct session *session);
void top_profile_deinit(struct top_profile *top);

#endif
